"""What a run remembers: the state commit, and in scratch the facts that are not worth one.

The state is written where something durable changed: a concept, a failure, a page gone missing, an outage. New
validators or raw hashes of unchanged pages go into scratch, so that a quiet run moves no ref (design.md, law 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from git_okf import life
from git_okf.baseline import Baseline
from git_okf.config import SourceConfig
from git_okf.errors import SourceUnavailable
from git_okf.model import RETRY_WAIT, Record, Status
from git_okf.store import last as lasts
from git_okf.store import overlay, remote
from git_okf.store import state as states
from git_okf.store.checkpoint import Checkpoint
from git_okf.store.repo import Missing, RefUpdate, Repo
from git_okf.store.state import ACTIVE, PAUSED, UNREACHABLE


def fetch_if_missing(repo: Repo) -> None:
    """In a clone that has no state yet, take what its remotes have of it; without a remote nothing happens."""
    if repo.ref(states.REF) is None:
        remote.fetch_memory(repo)


def last(repo: Repo, name: str) -> Mapping[str, Any]:
    """How the last run here ended: `at`, `result`; empty where there was none or scratch was lost."""
    return lasts.read(repo.scratch, name)


def note_last(repo: Repo, name: str, when: datetime, result: str, spared: Sequence[Sequence[float]] = ()) -> None:
    """Note how a run ended; `spared`: what the last runs were spared, this one's last (see `thrift`)."""
    kept = [list(shares) for shares in spared] or last(repo, name).get("spared", [])
    facts = {"at": stamp(when), "result": result}
    lasts.write(repo.scratch, name, {**facts, "spared": kept} if kept else facts)


def stamp(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


def durably_changed(base: Baseline, records: Iterable[Record]) -> bool:
    """Whether the records say something new that another machine must know."""
    after = {record.key: record for record in records}
    before: Mapping[str, Record] = base.known
    if base.state is None:
        # Records rebuilt from the bundle know no extractor and no validators: learning them is no change.
        before = {key: _with_extractor(record, after.get(key)) for key, record in before.items()}
    return states.any_durable(before, after)


def remembers_more(base: Baseline, watermarks: Mapping[str, Any] | None) -> bool:
    """Whether the source remembers something else of itself than before."""
    return watermarks is not None and watermarks != (base.state.watermarks if base.state else {})


def _with_extractor(record: Record, after: Record | None) -> Record:
    return replace(record, fingerprint=after.fingerprint, form=after.form, url=after.url) if after else record


def outage_is_over(base: Baseline) -> bool:
    """Whether the state still says that a source could not be asked, or was not to be taken; a run that could and did
    asks to have it unsaid."""
    state = base.state
    return state is not None and bool(state.last_error or state.retry_at or state.held or state.access == UNREACHABLE)


def next_state(
    base: Baseline,
    source: SourceConfig,
    records: Iterable[Record],
    bundle_tree: str | None,
    when: datetime,
    *,
    processed: bool,
    watermarks: Mapping[str, Any] | None = None,
    task: Mapping[str, Any] | None = None,
) -> states.State:
    """The state after a run that reached its source; `processed`: complete, and nothing retained for a retry.

    `watermarks`: what the source wants remembered of itself; None: what it remembered before. `task`: how far the run
    came. A person's pause stays.
    """
    before = base.state.last_fully_processed if base.state else ""
    paused = base.state is not None and base.state.access == PAUSED
    return states.State(
        identity=source.identity(),
        access=PAUSED if paused else ACTIVE,
        since=base.state.since if base.state and paused else "",
        last_error="",
        bundle_tree=bundle_tree or "",
        last_observed=stamp(when),
        last_fully_processed=stamp(when) if processed else before,
        failures=0,
        recheck_at="",
        retry_at="",
        watermarks=watermarks if watermarks is not None else base.state.watermarks if base.state else {},
        targets=base.state.targets if base.state else (),
        task=task or {},
        records={record.key: record for record in records},
        extra=base.state.extra if base.state else {},
    )


def update(
    repo: Repo, base: Baseline, source: SourceConfig, state: states.State, when: datetime, why: str
) -> RefUpdate:
    """Write the objects of a state commit; the ref moves in the caller's transaction."""
    changes = states.files(base.state, state, source.name)
    try:
        tree = repo.commit_tree(base.state_commit) if base.state_commit else None
        stale = {} if base.state else states.forget(repo, source.name)
        new, parents = repo.edit(tree, {**stale, **changes}), [base.state_commit] if base.state_commit else []
    except Missing:
        if repo.is_partial():  # they are only out of reach
            raise
        # Its objects are lost, and no history can be built upon them: the branch begins anew.
        new, parents = repo.edit(None, changes), []
    commit = repo.commit(new, parents, f"state: {why}", when, sign=False)
    return RefUpdate(states.REF, base.state_commit, commit, f"okf: {why}")


def write_state(
    repo: Repo, base: Baseline, source: SourceConfig, state: states.State, when: datetime, why: str,
    check_lease: Callable[[], None],
) -> None:  # fmt: skip
    """A commit on the state branch alone."""
    move = update(repo, base, source, state, when, why)
    check_lease()
    repo.update([move])


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """What a run learned that took no content."""

    records: Iterable[Record]
    watermarks: Mapping[str, Any] | None
    """What the source wants remembered of itself; None: what it remembered before."""


def write_aside(
    repo: Repo, base: Baseline, source: SourceConfig, news: Aside, when: datetime, check_lease: Callable[[], None]
) -> None:
    """Write down what a run learned that took no content: what fails, what is missing, that an outage is over."""
    state = base.state
    if state is None:
        return
    told = {**state.records}
    for record in news.records:
        known = told.get(record.key)
        if known is None and record.status is not Status.PAGE:
            told[record.key] = record
        elif known is not None and known.status is Status.PAGE and record.status is Status.PAGE:
            told[record.key] = replace(
                known,
                failure=record.failure,
                tries=record.tries,
                missing_runs=record.missing_runs,
                missing_since=record.missing_since,
            )
    after = replace(state, records=told, watermarks=state.watermarks if news.watermarks is None else news.watermarks)
    if state.last_error or state.retry_at or state.access == UNREACHABLE:
        access, since = (PAUSED, state.since) if state.access == PAUSED else (ACTIVE, "")
        after = replace(after, access=access, since=since, last_error="", failures=0, recheck_at="", retry_at="")
    if states.worth_writing(state, after):
        after = replace(after, last_observed=stamp(when))
        write_state(repo, base, source, after, when, f"looked ({source.name})", check_lease)


def write_outage(
    repo: Repo, base: Baseline, source: SourceConfig, error: SourceUnavailable, when: datetime,
    check_lease: Callable[[], None],
) -> None:  # fmt: skip
    """Write down that the source cannot be asked: once when that begins, and at each look that was due since.

    A rate limit is no outage: the source stays ACTIVE and `retry_at` says when to come back. Nor does a failure lift or
    replace the pause of a person (seed 002, section 1). What was tried before it was due changes nothing.
    """
    before = base.state
    if before is None or before.access == PAUSED:
        return
    waiting = {"state": RETRY_WAIT, "at": stamp(when)}
    if error.rate_limited:
        state = replace(before, last_error=error.message, retry_at=error.retry_at or "", task=waiting)
    else:
        was = before.access == UNREACHABLE
        if was and before.recheck_at > stamp(when.astimezone(UTC)):
            return
        failures = before.failures + 1
        state = replace(
            before,
            access=UNREACHABLE,
            since=before.since if was else stamp(when),
            last_error=error.message,
            retry_at="",
            recheck_at=stamp(life.recheck_at(failures, when, source.name).astimezone(UTC)),
            failures=failures,
            task=waiting,
        )
    write_state(repo, base, source, state, when, f"unavailable ({source.name})", check_lease)


def forget(repo: Repo, name: str, when: datetime, check_lease: Callable[[], None]) -> None:
    """Take a source out of the state and out of scratch, so that one added under its name begins anew."""
    commit = repo.ref(states.REF)
    try:
        files = states.forget(repo, name)
    except Missing:  # what cannot be read is not remembered either
        files = {}
    if commit is not None and files:
        tree = repo.edit(repo.commit_tree(commit), files)
        why = f"removed ({name})"
        new = repo.commit(tree, [commit], f"state: {why}", when, sign=False)
        check_lease()
        repo.update([RefUpdate(states.REF, commit, new, f"okf: {why}")])
    overlay.drop_overlay(repo, name)
    Checkpoint.drop(repo.scratch, name)
