"""What became of each content that was ever offered for review, per source. Pure; kept as JSON values.

A target is one content in one review. It is PENDING while that is open, then APPROVED (merged), REJECTED (closed
unmerged by a person), or SUPERSEDED: newer content took its place in the open review, or we closed it ourselves. At
most one target is PENDING, and only the newest can be. The record survives a deleted branch, a renamed repository and
a lost pull request; where the record itself is lost, `reconcile` makes it anew from the markers in the reviews.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from git_okf.review import marker
from git_okf.review.forge import Review, Stage

_NEVER = datetime.max.replace(tzinfo=UTC)
KEPT = 50
"""Settled targets that are remembered, besides all rejections up to the next number."""
KEPT_REJECTIONS = 200


class State(StrEnum):
    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    SUPERSEDED = "SUPERSEDED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    fingerprint: str
    state: State
    review: int = 0
    """The number of the pull or merge request; 0 before there is one."""
    url: str = ""
    head: str = ""
    """The commit on the branch that held it."""
    since: str = ""
    """When it was offered, ISO 8601."""
    until: str = ""
    """When it was settled; "" while it is PENDING."""
    items: int = 1
    """How many decisions it asks for: more than one where each item is decided for itself."""


Targets = tuple[Target, ...]
"""Oldest first."""


def load(data: Any) -> Targets:
    """The record from its JSON values; what is out of form is left out, since reviews can tell it again."""
    return tuple(found for item in (data if isinstance(data, list) else []) if (found := _target(item)))


def _target(item: Any) -> Target | None:
    if not isinstance(item, Mapping) or item.get("state") not in list(State):
        return None
    texts = {name: item.get(name, "") for name in ("fingerprint", "url", "head", "since", "until")}
    numbers = {name: item.get(name, default) for name, default in (("review", 0), ("items", 1))}
    if not texts["fingerprint"] or not all(isinstance(text, str) for text in texts.values()):
        return None
    if not all(isinstance(number, int) for number in numbers.values()):
        return None
    return Target(state=State(item["state"]), **numbers, **texts)


def dump(targets: Targets) -> list[dict[str, Any]]:
    """JSON values, bounded: the pending target, the newest settled ones, and rejections for much longer."""
    settled = [t for t in targets if t.state is not State.PENDING]
    rejected = [t for t in settled if t.state is State.REJECTED][-KEPT_REJECTIONS:]
    kept = {id(t) for t in (*rejected, *settled[-KEPT:])}
    return [asdict(t) for t in targets if t.state is State.PENDING or id(t) in kept]


def offered(targets: Targets, new: Target) -> Targets:
    """The record once a content stands in an open review: what was pending before is superseded by it.

    The same content in the same review is the same target, however often it is offered.
    """
    before = next((t for t in targets if t.state is State.PENDING and t.fingerprint == new.fingerprint), None)
    if before is not None and before.review in (0, new.review):
        same = replace(new, state=State.PENDING, since=before.since or new.since, until="")
        return tuple(same if t is before else _superseded(t, new.since) for t in targets)
    return (*(_superseded(t, new.since) for t in targets), replace(new, state=State.PENDING, until=""))


def settled(targets: Targets, state: State, when: str) -> Targets:
    """The record once the pending target is settled."""
    return tuple(replace(t, state=state, until=when) if t.state is State.PENDING else t for t in targets)


def _superseded(target: Target, when: str) -> Target:
    return replace(target, state=State.SUPERSEDED, until=when) if target.state is State.PENDING else target


def reconcile(targets: Targets, reviews: Sequence[Review], source: str, when: str) -> Targets:
    """The record as the host's reviews say now: merged, closed, or opened again by people since the last run.

    A review is told by its number, its content by the record or, where that does not know it, by its marker. The state
    of a review is that of the newest content in it; what it offered before stays SUPERSEDED. `reviews` holds every open
    one: a pending target whose review is not among them is settled, and nobody knows how.
    """
    numbers = {0, *(review.number for review in reviews)}
    newest = max((review.number for review in reviews if review.stage is Stage.OPEN), default=0)
    found = tuple(t if t.review in numbers else _superseded(t, when) for t in targets)
    for review in sorted(reviews, key=lambda each: each.number):
        mark = marker.find(review.body, source)
        mine = [t for t in found if t.review == review.number and review.number]
        fingerprint = _content(mark.fingerprint if mark else "", mine)
        if fingerprint:
            state = _state_of(review, newest, ours=bool(mark and mark.settled))
            found = _with(found, _told(review, fingerprint, state, when))
    last = next((t for t in reversed(found) if t.state is State.PENDING), None)
    return tuple(t if t is last else _superseded(t, when) for t in found)


def _content(marked: str, mine: Sequence[Target]) -> str:
    """What stands in a review. The record is written with the push, the text after it: one that names what the record
    knows to be superseded was not brought up to date."""
    known = {target.fingerprint for target in mine}
    return marked if marked and marked not in known else mine[-1].fingerprint if mine else ""


def _told(review: Review, fingerprint: str, state: State, when: str) -> Target:
    until = "" if state is State.PENDING else review.settled_at or when
    since = review.created_at or when
    return Target(
        fingerprint=fingerprint,
        state=state,
        review=review.number,
        url=review.url,
        head=review.head,
        since=since,
        until=until,
    )


def _state_of(review: Review, newest: int, *, ours: bool) -> State:
    if review.stage is Stage.OPEN:
        return State.PENDING if review.number == newest else State.SUPERSEDED
    if review.stage is Stage.MERGED:
        return State.APPROVED
    return State.SUPERSEDED if ours else State.REJECTED


def _with(targets: Targets, told: Target) -> Targets:
    """The record with one review's content in its present state."""
    same = [t for t in targets if t.review == told.review and t.fingerprint == told.fingerprint]
    if not same:
        early = [t for t in targets if t.state is State.PENDING and not t.review and t.fingerprint == told.fingerprint]
        if not early:
            return (*targets, told)
        same = early
    if same[-1].state is told.state and same[-1].review == told.review:
        return targets
    kept = replace(told, since=same[-1].since or told.since, items=same[-1].items)
    others = tuple(t for t in targets if t is not same[-1])
    if told.state is State.PENDING:
        return (*others, kept)
    return tuple(kept if t is same[-1] else t for t in targets)


def rejected(targets: Targets) -> frozenset[str]:
    """The contents that are not to be proposed again: their last target was rejected."""
    last = {t.fingerprint: t.state for t in targets if t.state is not State.SUPERSEDED}
    return frozenset(fingerprint for fingerprint, state in last.items() if state is State.REJECTED)


def pending(targets: Targets) -> Target | None:
    return next((t for t in reversed(targets) if t.state is State.PENDING), None)


Coordinate = tuple[str, str, str]
"""Namespace (the repository reviews are opened in), identity of the source, path of the bundle or package."""


def backlog(open_targets: Iterable[tuple[Coordinate, Targets]]) -> int:
    """Unresolved decisions: each coordinate once, by its newest target; settled ones do not count."""
    newest: dict[Coordinate, int] = {}
    for coordinate, each in open_targets:
        waiting = pending(each)
        newest[coordinate] = max(newest.get(coordinate, 0), waiting.items if waiting else 0)
    return sum(newest.values())


def was_full(histories: Iterable[tuple[Coordinate, Targets]], *, high_water: int, low_water: int) -> bool:
    """Whether high water was reached since unresolved reviews last stood below low water; told by the times of all
    targets, so that no run has to remember it for the others."""
    moments: list[tuple[datetime, int]] = []
    for spans in map(_spans, _by_coordinate(histories)):
        for since, until, items in spans:
            moments += [(since, items), *([(until, -items)] if until else [])]
    unresolved, full = 0, False
    for _, step in sorted(moments):
        unresolved += step
        full = unresolved >= high_water or (full and unresolved >= max(1, low_water))
    return full


def _by_coordinate(histories: Iterable[tuple[Coordinate, Targets]]) -> Iterable[Targets]:
    merged: dict[Coordinate, Targets] = {}
    for coordinate, each in histories:
        merged[coordinate] = (*merged.get(coordinate, ()), *each)
    return merged.values()


def _spans(targets: Targets) -> list[tuple[datetime, datetime | None, int]]:
    """From when to when (None: still) anything was unresolved: what is superseded in place goes on being so. With how
    many decisions the newest of each time asks for."""
    spans: list[tuple[datetime, datetime | None, int]] = []
    for target in sorted(targets, key=lambda each: _time(each.since) or _NEVER):
        since, until = _time(target.since), None if target.state is State.PENDING else _time(target.until)
        if since is None or (until is None and target.state is not State.PENDING):
            continue
        if spans and (spans[-1][1] is None or since <= spans[-1][1]):
            last = spans[-1][1]
            spans[-1] = spans[-1][0], None if last is None or until is None else max(last, until), target.items
        else:
            spans.append((since, until, target.items))
    return spans


def _time(text: str) -> datetime | None:
    """None for what is out of form; a time without an offset is UTC."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def has_room(unresolved: int, *, high_water: int, low_water: int, was_full: bool) -> bool:
    """Whether sources may be taken: below high water, and once that was reached, only below low water again."""
    return unresolved < max(1, low_water if was_full else high_water)
