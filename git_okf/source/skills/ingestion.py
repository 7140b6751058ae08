"""How far each target of a package has come: a state machine over values. Pure (seed 002, sections 1 to 3).

A *target* is a content fingerprint together with a compliance fingerprint. Each package has one latest target; the
ones before it are kept for the record, and only the latest can be approved. States:

| state | means |
|---|---|
| RECEIVED | content arrived and is durable; nothing is said about it yet |
| VALIDATING | its rules are being checked |
| RETRY_WAIT | it could not be checked for now; the same revision is asked again |
| VALIDATED | the rules hold; no review was opened yet |
| READY_FOR_REVIEW | somebody may decide |
| NO_CHANGE | the same as the latest target: no second one is made |
| BLOCKED | in conflict with something here: a person must decide |
| FAILED | breaks a rule; nothing of it is taken |
| APPROVED, REJECTED | decided |
| SUPERSEDED | a newer target took its place before anyone decided |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from git_okf.digest import fingerprint as short
from git_okf.source.skills import fingerprint


class State(StrEnum):
    """See the module."""

    RECEIVED = "RECEIVED"
    VALIDATING = "VALIDATING"
    RETRY_WAIT = "RETRY_WAIT"
    VALIDATED = "VALIDATED"
    READY_FOR_REVIEW = "READY_FOR_REVIEW"
    NO_CHANGE = "NO_CHANGE"
    BLOCKED = "BLOCKED"
    FAILED = "FAILED"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    SUPERSEDED = "SUPERSEDED"


_S = State
NEXT: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        _S.RECEIVED: frozenset({_S.VALIDATING, _S.NO_CHANGE, _S.SUPERSEDED}),
        _S.VALIDATING: frozenset({_S.VALIDATED, _S.RETRY_WAIT, _S.BLOCKED, _S.FAILED, _S.NO_CHANGE, _S.SUPERSEDED}),
        _S.RETRY_WAIT: frozenset({_S.VALIDATING, _S.FAILED, _S.SUPERSEDED}),
        _S.VALIDATED: frozenset({_S.READY_FOR_REVIEW, _S.BLOCKED, _S.NO_CHANGE, _S.SUPERSEDED}),
        _S.READY_FOR_REVIEW: frozenset({_S.APPROVED, _S.REJECTED, _S.BLOCKED, _S.SUPERSEDED}),
        _S.BLOCKED: frozenset({_S.VALIDATING, _S.REJECTED, _S.SUPERSEDED}),
        _S.FAILED: frozenset({_S.SUPERSEDED}),
        _S.NO_CHANGE: frozenset(),
        _S.APPROVED: frozenset(),
        _S.REJECTED: frozenset(),
        _S.SUPERSEDED: frozenset(),
    }
)
"""What may follow upon each state."""

UNRESOLVED = frozenset({_S.RECEIVED, _S.VALIDATING, _S.RETRY_WAIT, _S.VALIDATED, _S.READY_FOR_REVIEW, _S.BLOCKED})
"""What counts towards backpressure: the latest target of a package, while nobody has settled it."""
SETTLED = frozenset({_S.APPROVED, _S.REJECTED, _S.NO_CHANGE, _S.SUPERSEDED, _S.FAILED})
REFUSED = "this content was rejected in a review"
"""Why a package is ignored that a person refused."""
CONFLICTING = "BLOCKED: "
"""How the reason of a package begins that is in conflict with something here: a person must decide."""
EARLIER_KEPT = 20
REJECTED_KEPT = 50


class Forbidden(ValueError):
    """A transition that the states do not allow; nothing was changed."""


class NotLatest(ValueError):
    """A decision about a target that a newer one has replaced; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """One target of one package, as it was received."""

    key: str
    """The package's path when it was received."""
    revision: str
    content: str
    compliance: str
    state: State = State.RECEIVED
    reason: str = ""

    @property
    def target(self) -> str:
        return fingerprint.target(self.content, self.compliance)

    @property
    def id(self) -> str:
        """The same for the same path, revision and target: reporting it twice reports one thing."""
        return short(self.key, self.revision, self.target)

    def to(self, state: State, reason: str = "") -> Ingestion:
        """The ingestion in another state. Being there already is no transition. Raises Forbidden."""
        if state is self.state:
            return self if reason in ("", self.reason) else replace(self, reason=reason)
        if state not in NEXT[self.state]:
            raise Forbidden(f"{self.key}: from {self.state} nothing leads to {state}")
        return replace(self, state=state, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The same path at the same revision with another digest: one of the two reports is wrong."""

    before: Ingestion
    now: Ingestion

    @property
    def reason(self) -> str:
        return (
            f"at revision {self.now.revision[:12]} its digest was {self.before.target[7:19]} and is now "
            f"{self.now.target[7:19]}; one revision cannot have both"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What is known of a package's targets. `latest` is never replaced by an observation of the same content."""

    latest: Ingestion | None = None
    earlier: tuple[Ingestion, ...] = ()
    """The newest first."""
    rejected: tuple[str, ...] = ()
    """Targets that a person refused: not offered again."""

    @property
    def is_unresolved(self) -> bool:
        return self.latest is not None and self.latest.state in UNRESOLVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a report: the ingestion it stands for, and the history with it."""

    ingestion: Ingestion
    history: History
    replayed: bool = False
    """It had been received before; nothing was changed."""


def receive(history: History, key: str, revision: str, content: str, compliance: str) -> Receipt | Conflict:
    """Take in what a package is at a revision.

    Reported again it is the same ingestion. With another digest at the same path and revision it is a conflict. The
    content of the latest target makes no second one (NO_CHANGE), a target that was rejected is REJECTED at once; only
    anything else becomes the latest, and the one before it, if nobody settled it, is superseded: also where it was
    received at another path, and also where its content is the same as that of a still older one.
    """
    new = Ingestion(key=key, revision=revision, content=content, compliance=compliance)
    for old in _all(history):
        if (old.key, old.revision) == (key, revision):
            if old.target == new.target:
                return Receipt(ingestion=old, history=history, replayed=True)
            return Conflict(before=old, now=new)
    if new.target in history.rejected:
        return Receipt(ingestion=replace(new, state=_S.REJECTED, reason="rejected before"), history=history)
    if history.latest is not None and history.latest.target == new.target and history.latest.state is not _S.FAILED:
        return Receipt(ingestion=new.to(_S.NO_CHANGE), history=history)
    return Receipt(ingestion=new, history=_with_latest(history, new))


def without(history: History, revision: str) -> History:
    """The history as if nothing had been received at a revision: for a program that makes other digests than the one
    that wrote it. What was rejected stays so."""
    kept = [each for each in _all(history) if each.revision != revision]
    return replace(history, latest=kept[0] if kept else None, earlier=tuple(kept[1:]))


def record(history: History, ingestion: Ingestion) -> History:
    """The history with an ingestion of its own in another state. ValueError where it does not know it."""
    if history.latest is not None and history.latest.id == ingestion.id:
        return replace(history, latest=ingestion)
    if not any(old.id == ingestion.id for old in history.earlier):
        raise ValueError(f"{ingestion.key}: no such ingestion")
    return replace(history, earlier=tuple(ingestion if old.id == ingestion.id else old for old in history.earlier))


def ready(history: History, ingestion: Ingestion) -> History:
    """Through validation to READY_FOR_REVIEW, for a package whose rules hold. Later states stay as they are."""
    for state in (_S.VALIDATING, _S.VALIDATED, _S.READY_FOR_REVIEW):
        if state in NEXT[ingestion.state]:
            ingestion = ingestion.to(state)
    return record(history, ingestion)


def offered(history: History, key: str, revision: str, content: str, compliance: str) -> History:
    """The history with this target as its latest, waiting for somebody to decide: also where that was decided before,
    since it is not here and so is offered once more."""
    new = Ingestion(key=key, revision=revision, content=content, compliance=compliance)
    latest = history.latest
    if latest is not None and latest.target == new.target and latest.state in UNRESOLVED:
        return ready(history, latest)
    return ready(_with_latest(history, new), new)


def reopened(history: History) -> History:
    """A person took the rejection of the latest target back."""
    latest = history.latest
    if latest is None or latest.state is not _S.REJECTED:
        return history
    kept = tuple(known for known in history.rejected if known != latest.target)
    return replace(history, latest=replace(latest, state=_S.READY_FOR_REVIEW, reason=""), rejected=kept)


def decided(history: History, target: str, state: State, reason: str = "") -> History:
    """A person approved or rejected a target. Only the latest can be approved; a rejection is remembered for good.

    Repeating a decision changes nothing. Raises NotLatest, and Forbidden where nothing is ready to be decided.
    """
    if state not in (_S.APPROVED, _S.REJECTED):
        raise Forbidden(f"{state} is no decision")
    latest = history.latest
    if latest is None or latest.target != target:
        if state is _S.APPROVED:
            raise NotLatest(f"{target[7:19]} is not the latest target; only that can be approved")
        return _refused(history, target)
    after = replace(history, latest=latest.to(state, reason))
    return after if state is _S.APPROVED else _refused(after, target)


def moved(history: History, key: str, revision: str) -> History:
    """The history of a package that now lies at another path: what was decided stays decided, and its latest target
    stays the latest, found there at this revision. The ingestion at the old path stays in the record."""
    latest = history.latest
    if latest is None or latest.key == key:
        return history
    at = replace(latest, key=key, revision=revision)
    older = latest.to(_S.SUPERSEDED, f"moved to {key}") if latest.state in UNRESOLVED else latest
    return replace(history, latest=at, earlier=(older, *history.earlier)[:EARLIER_KEPT])


def _with_latest(history: History, new: Ingestion) -> History:
    old = history.latest
    if old is None:
        return replace(history, latest=new)
    if old.state in UNRESOLVED:
        old = old.to(_S.SUPERSEDED, f"replaced by {new.target[7:19]}")
    return replace(history, latest=new, earlier=(old, *history.earlier)[:EARLIER_KEPT])


def _refused(history: History, target: str) -> History:
    kept = [known for known in history.rejected if known != target]
    return replace(history, rejected=(*kept, target)[-REJECTED_KEPT:])


def _all(history: History) -> tuple[Ingestion, ...]:
    return (history.latest, *history.earlier) if history.latest is not None else history.earlier


# --- as JSON values, in the memo of a record ---

MEMO = "ingestion"
"""The key of a memo under which the history stands."""


def to_memo(history: History) -> dict[str, Any]:
    """The history as JSON values; empty parts are left out."""
    told: dict[str, Any] = {}
    if history.latest is not None:
        told["latest"] = _told(history.latest)
    if history.earlier:
        told["earlier"] = [_told(old) for old in history.earlier]
    if history.rejected:
        told["rejected"] = list(history.rejected)
    return told


def from_memo(memo: Mapping[str, Any]) -> History:
    """The history in a record's memo. What cannot be read in it is left out: nothing rejected is forgotten for it."""
    told = memo.get(MEMO)
    if not isinstance(told, Mapping):
        return History()
    earlier = told.get("earlier")
    rejected = told.get("rejected")
    return History(
        latest=_read(told.get("latest")),
        earlier=tuple(old for each in earlier if (old := _read(each))) if isinstance(earlier, list) else (),
        rejected=tuple(each for each in rejected if isinstance(each, str)) if isinstance(rejected, list) else (),
    )


def target_of(memo: Mapping[str, Any]) -> str:
    """The latest target of a memo, which is what a review is about; "" where there is none."""
    latest = from_memo(memo).latest
    return latest.target if latest is not None else ""


def settled(memo: Mapping[str, Any], state: State, reason: str = "") -> dict[str, Any]:
    """The memo after its latest target was approved (merged, or committed without a review), rejected, or superseded
    (the review is gone, and nobody decided).

    Where nothing waits for a decision it stays as it is, so that telling it twice changes nothing. A rejection is
    remembered whatever was decided before.
    """
    history = from_memo(memo)
    latest = history.latest
    if latest is None or (latest.state is not _S.READY_FOR_REVIEW and state is not _S.REJECTED):
        return dict(memo)
    if state is _S.SUPERSEDED:
        after = replace(history, latest=latest.to(state, reason))
    elif latest.state is _S.READY_FOR_REVIEW:
        after = decided(history, latest.target, state, reason)
    else:
        after = _refused(history, latest.target)
    return {**memo, MEMO: to_memo(after)}


def _told(ingestion: Ingestion) -> dict[str, str]:
    told = {name: str(getattr(ingestion, name)) for name in _FIELDS}
    return {name: value for name, value in told.items() if value}


_FIELDS = ("key", "revision", "content", "compliance", "state", "reason")


def _read(told: object) -> Ingestion | None:
    if not isinstance(told, Mapping) or told.get("state") not in set(State):
        return None
    texts = {name: told.get(name, "") for name in _FIELDS if name != "state"}
    if not all(isinstance(value, str) for value in texts.values()):
        return None
    return Ingestion(**texts, state=State(told["state"]))
