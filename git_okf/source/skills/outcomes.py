"""What a run says of each package: outcomes for the delta, conclusions for the next run, lines for the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from git_okf import digest
from git_okf.model import Failed, Fetched, Gone, Ignored, Moved, NotModified, Outcome, Record, Status
from git_okf.source import Spool
from git_okf.source.skills import concept, ingestion, moves
from git_okf.source.skills.concept import Concept, Setting
from git_okf.source.skills.ingestion import Conflict, History, Receipt, State
from git_okf.source.skills.package import Package, Refused
from git_okf.source.skills.remembered import Conclusion, Remembered, Result

WITHDRAWN = "it is not in the repository any more"
"""The same in every run, so that saying it again is no news."""


@dataclass(slots=True, kw_only=True)
class Outcomes:
    """Of one run at one commit. `known`: the records of packages that have a concept."""

    known: Mapping[str, Record]
    before: Remembered
    commit: str
    fingerprint: str
    setting: Setting
    spool: Spool
    memos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By key, what is remembered of packages that stand in a review and not here."""
    said: dict[str, Outcome] = field(default_factory=dict)
    not_taken: dict[str, Conclusion] = field(default_factory=dict)
    offer: dict[str, str] = field(default_factory=dict)
    """By key, the listing of each package that is in the bundle as it is there."""
    notices: list[str] = field(default_factory=list)
    extracted: int = 0

    # --- without a byte ---

    def unchanged(self, key: str, listing: str) -> None:
        """Nothing of the package changed since its record was made."""
        self.said[key] = NotModified(key=key)
        self.offer[key] = listing

    def ignored(self, key: str, listing: str, reason: str, *, out_of_scope: bool = False) -> None:
        """Stopped by a rule; what is here stays."""
        self.said[key] = Ignored(key=key, reason=reason, out_of_scope=out_of_scope)
        self._not_taken(key, Result.IGNORED, listing, reason)

    def refused(self, refused: Refused, listing: str) -> None:
        """Nothing of it is taken: for good, until its content changes, or for now."""
        result = Result.RETRYABLE if refused.retryable else Result.TERMINAL
        self.said[refused.key] = Failed(key=refused.key, reason=refused.reason, retryable=refused.retryable)
        self._not_taken(refused.key, result, listing, refused.reason)
        if not refused.retryable and refused.key not in self.known:
            self.notices.append(f"{refused.key}: not taken: {refused.reason}")

    def again(self, key: str, conclusion: Conclusion) -> None:
        """What was concluded of this very listing holds."""
        if conclusion.result is Result.IGNORED:
            self.ignored(key, conclusion.listing, conclusion.reason)
        else:
            self.refused(Refused(key=key, reason=conclusion.reason), conclusion.listing)

    def recalled(self, key: str, listing: str) -> bool:
        """Whether an earlier, unfinished run made this package's outcome, and it still stands."""
        saved = self.spool.recall(key)
        if saved is None or saved.raw_hash != listing or saved.fingerprint != self.fingerprint:
            return False
        self.said[key] = saved
        self.offer[key] = listing
        return True

    # --- with its content ---

    def taken(self, package: Package, home: str) -> None:
        """A whole package: a target to review, the same as before, one that was refused, or a contradiction."""
        record, history = self.known.get(package.key), self._history(package.key)
        facts = (package.key, self.commit, package.content, package.compliance)
        receipt = ingestion.receive(history, *facts)
        if isinstance(receipt, Conflict) and (record is None or record.fingerprint != self.fingerprint):
            receipt = ingestion.receive(ingestion.without(history, self.commit), *facts)
        if isinstance(receipt, Conflict):
            self.refused(Refused(key=package.key, reason=ingestion.CONFLICTING + receipt.reason), package.listing)
            return
        made = concept.made(package, home, self.commit, self.setting)
        here = record is not None and record.identity_hash == made.compared
        if receipt.ingestion.state is State.REJECTED and not here:
            self.ignored(package.key, package.listing, ingestion.REFUSED)
            return
        self._fetched(package, made, _concluded(receipt, here=here))

    def _history(self, key: str) -> History:
        """What is known of its targets: also where the record is lost, or stands in a review and not here."""
        record = self.known.get(key)
        history = ingestion.from_memo((record.memo if record is not None else {}) or self.memos.get(key, {}))
        more = tuple(each for each in self.before.rejected.get(key, ()) if each not in history.rejected)
        return replace(history, rejected=(*more, *history.rejected))

    def _fetched(self, package: Package, made: Concept, history: History) -> None:
        self.extracted += 1
        here = {file.blob for file in self.known[package.key].files} if package.key in self.known else set()
        for file in made.kept:
            if file.blob not in here:
                self.spool.put_file(file.data)
        content = digest.content_hash(made.body)
        self.spool.put(content, made.body)
        fetched = Fetched(
            key=package.key,
            title=made.title,
            description=made.description,
            content_hash=content,
            compared_hash=made.compared,
            raw_hash=package.listing,
            fingerprint=self.fingerprint,
            size=len(made.body),
            warnings=(*package.warnings, *package.notes, *made.notes, *_objections(package)),
            name=made.name,
            resource=made.resource,
            type=concept.TYPE,
            meta=made.meta,
            files=made.files,
            memo={ingestion.MEMO: ingestion.to_memo(history)},
        )
        self.spool.remember(fetched)
        self.said[package.key] = fetched
        self.offer[package.key] = package.listing
        self.notices += [f"{package.key}: {line}" for line in fetched.warnings]

    def _not_taken(self, key: str, result: Result, listing: str, reason: str) -> None:
        self.not_taken[key] = Conclusion(result=result, listing=listing, reason=reason)

    # --- all together ---

    def gone(self, present: frozenset[str], *, complete: bool) -> None:
        """Packages that the whole tree does not have any more; those among them that moved: one new path has their
        content. Where the tree was not listed whole nothing is said of what is not in it."""
        if not complete:
            return
        gone = {key: _content(record) for key, record in self.known.items() if key not in present}
        self.said |= {key: Gone(key=key, reason=WITHDRAWN) for key in gone}
        come = {
            key: str(outcome.meta["content_fingerprint"])
            for key, outcome in self.said.items()
            if isinstance(outcome, Fetched) and key not in self.known
        }
        unclear = [key for key, each in self.not_taken.items() if each.result is Result.RETRYABLE]
        for old, new in moves.recognised(gone, come, (), complete=not unclear).items():
            fetched = self.said[new]
            assert isinstance(fetched, Fetched)
            history = ingestion.moved(ingestion.from_memo(self.known[old].memo), new, self.commit)
            self.said[old] = Moved(key=old, to=new)
            self.said[new] = replace(fetched, memo={ingestion.MEMO: ingestion.to_memo(history)})
            self.notices.append(f"{old} moved to {new}")

    def pending(self, before: Mapping[str, Record]) -> tuple[Record, ...]:
        """New packages that failed for now: to be asked first next time."""
        return tuple(
            Record(
                key=key,
                status=Status.PENDING,
                failure=each.reason,
                tries=(before[key].tries if key in before else 0) + 1,
            )
            for key, each in sorted(self.not_taken.items())
            if each.result is Result.RETRYABLE and key not in self.known
        )

    def same_names(self) -> None:
        """Skills of one name: allowed, since the path is what identifies them, and told."""
        by_name: dict[str, list[str]] = {}
        for key, outcome in self.said.items():
            if isinstance(outcome, Fetched):
                by_name.setdefault(outcome.title, []).append(key)
            elif isinstance(outcome, NotModified):
                by_name.setdefault(self.known[key].title, []).append(key)
        for name, keys in sorted(by_name.items()):
            if len(keys) > 1:
                self.notices.append(f"{len(keys)} skills are named {name}: {', '.join(sorted(keys))}")


def _concluded(receipt: Receipt, *, here: bool) -> History:
    """The history once a package is handed over: what is not here yet is offered to whoever decides. What is here, and
    was not known to be, needs no decision any more."""
    history, now = receipt.history, receipt.ingestion
    if not here:
        return ingestion.offered(history, now.key, now.revision, now.content, now.compliance)
    if now.state is State.RECEIVED:
        return ingestion.decided(ingestion.ready(history, now), now.target, State.APPROVED)
    return history


def _content(record: Record) -> str:
    latest = ingestion.from_memo(record.memo).latest
    return latest.content if latest is not None else ""


def _objections(package: Package) -> tuple[str, ...]:
    """What the specification's validator has against it, in one line."""
    return (f"the validator of skills would object: {'; '.join(package.objections)}",) if package.objections else ()


def offer_of(listings: Mapping[str, str]) -> str:
    """One digest for all packages that are in the bundle as they are there, by key with their listings."""
    return digest.raw_hash("".join(f"{key}\0{each}\n" for key, each in sorted(listings.items())).encode())
