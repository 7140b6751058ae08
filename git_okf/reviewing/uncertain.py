"""What a run could not find out stays as the review branch has it.

The plan is made from the base, where everything that is under review is still to come. An item that fails for a night,
or that the run did not come to, would so fall out of the review, and come back the night after; and a rejected content
without it would be another one. So where nothing is certain, what was certain last time counts on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from git_okf import planning
from git_okf.baseline import Baseline
from git_okf.bundle import concept
from git_okf.delta import RETRYABLE, TERMINAL
from git_okf.model import (
    Change,
    Delta,
    Failed,
    Fetched,
    Gone,
    NotModified,
    Observation,
    Outcome,
    Record,
    Status,
    Suspect,
)
from git_okf.run import Run
from git_okf.source import Spool, as_fetched
from git_okf.store.repo import Repo

GONE = "410 when it was last looked at"
"""Certain at the first time (`delta`): it was, when the branch was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The records of what stands on the branch, and its bundle's tree (None: their files cannot be had)."""

    records: Mapping[str, Record]
    bundle_tree: str | None
    asked: bool = False
    """The run asked with these records, so that "not modified" speaks of them."""


def plan(run: Run, base: Baseline, seen: Observation, spool: Spool, made: Delta, there: Branch) -> Delta:
    """The delta from the base. `made` is the one that takes no branch into account."""
    outcomes = dict(_carried(base, seen, made, there))
    if not outcomes:
        return made
    texts = Texts(spool, dict(_bodies(run.repo, outcomes, there)))
    again = planning.plan(run, base, replace(seen, outcomes={**seen.outcomes, **outcomes}), texts)
    carried = {key for key, outcome in outcomes.items() if isinstance(outcome, Fetched)}
    told = {item.key for item in again.retained}
    first = {record.key: record for record in made.records}
    return replace(
        again,
        added=_with_files(run.repo, again.added, carried, there),
        updated=_with_files(run.repo, again.updated, carried, there),
        rerendered=_with_files(run.repo, again.rerendered, carried, there),
        retained=(*again.retained, *(item for item in made.retained if item.key not in told)),
        records=tuple(_still(each, first.get(each.key)) if each.key in outcomes else each for each in again.records),
    )


class Texts:
    """The spool, and the texts that stand on the branch: what people edited in the base is merged with them."""

    def __init__(self, spool: Spool, bodies: Mapping[str, str]) -> None:
        self._spool, self._bodies = spool, bodies
        self.put, self.put_file, self.file = spool.put, spool.put_file, spool.file
        self.remember, self.recall = spool.remember, spool.recall

    def get(self, content_hash: str) -> str:
        return self._bodies[content_hash] if content_hash in self._bodies else self._spool.get(content_hash)


def _bodies(repo: Repo, outcomes: Mapping[str, Outcome], there: Branch) -> Iterator[tuple[str, str]]:
    for key, outcome in outcomes.items():
        if isinstance(outcome, Fetched):
            yield outcome.content_hash, text(_file(repo, there, key) or b"")


def text(data: bytes) -> str:
    """The body of a concept; "" for what is none."""
    try:
        return concept.body(data)
    except concept.NotAConcept:
        return ""


def _file(repo: Repo, there: Branch, key: str) -> bytes | None:
    entry = repo.entry(there.bundle_tree, there.records[key].path) if there.bundle_tree else None
    return repo.read(entry[1]) if entry else None


def _still(record: Record, first: Record | None) -> Record:
    """The record, which goes on failing."""
    return replace(record, failure=first.failure, tries=first.tries) if first else record


def _carried(base: Baseline, seen: Observation, made: Delta, there: Branch) -> Mapping[str, Outcome]:
    """Outcomes for what is not certain and stands otherwise on the branch."""
    unsure = {item.key for item in made.retained if item.outcome in (RETRYABLE, TERMINAL)}
    unsure |= {record.key for record in made.records if record.missing_runs}
    unsure |= {key for key in there.records.keys() | base.pages.keys() if _is_unsure(seen, key)}
    if there.asked:
        unsure |= {key for key, outcome in seen.outcomes.items() if isinstance(outcome, NotModified)}
    found: dict[str, Outcome] = {}
    for key in unsure:
        here, record = base.pages.get(key), there.records.get(key)
        if record is not None and (here is None or _differs(here, record)):
            found[key] = as_fetched(record)
        elif record is None and here is not None and not here.edited:
            found[key] = Gone(key=key, reason=GONE)
    return found


def _is_unsure(seen: Observation, key: str) -> bool:
    outcome = seen.outcomes.get(key)
    return isinstance(outcome, Failed | Suspect) or (outcome is None and not seen.complete)


def _differs(one: Record, other: Record) -> bool:
    return one.identity_hash != other.identity_hash or one.path != other.path or one.files != other.files


def _with_files(repo: Repo, changes: tuple[Change, ...], carried: set[str], there: Branch) -> tuple[Change, ...]:
    """The changes, with the branch's own file for what was carried over."""
    return tuple(_with_file(repo, each, there) if each.key in carried else each for each in changes)


def _with_file(repo: Repo, change: Change, there: Branch) -> Change:
    data = _file(repo, there, change.key)
    return change if data is None else replace(change, merged=data)


def pages(records: Mapping[str, Record]) -> dict[str, Record]:
    return {key: record for key, record in records.items() if record.status is Status.PAGE}
