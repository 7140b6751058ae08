"""How each source stands: what is known of it without asking it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from git_okf import glance, life, memory, thrift
from git_okf.config import Config, SourceConfig
from git_okf.model import LEASED, QUEUED
from git_okf.store import lease
from git_okf.store.repo import Repo
from git_okf.store.state import ACTIVE, PAUSED, State

SUCCESSES = ("synced", "unchanged", "partial")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """What is known of one source without asking it. Times are ISO 8601, "" where never."""

    name: str
    kind: str
    url: str
    bundle: str
    state: str
    items: int
    retained: int
    pending: int
    edited: int
    last_success: str
    last_complete: str
    last_check: str
    last_result: str
    last_error: str
    since: str
    """Since when it is paused or cannot be reached."""
    failures: int
    """Failures in a row to reach it."""
    task: str
    """Of the last run that the state tells of; LEASED while one is at work, QUEUED while what is new waits for room
    among the reviews."""
    paths: Mapping[str, int]
    """What the paths of that run came to, in the words of `report.paths`."""
    held: str
    """Since when what is new waits for that room."""
    holder: str
    """Who is at work."""
    next_due: str
    spared: tuple[tuple[float, float], ...] = ()
    """Of the last runs, oldest first: shares of the pages that needed no body, and no extraction."""


@dataclass(frozen=True, slots=True)
class Statuses:
    sources: tuple[SourceStatus, ...]
    now: datetime
    max_age: timedelta | None = None
    """How long ago a source's last success may be; None: nothing is checked."""

    @property
    def late(self) -> tuple[str, ...]:
        """The sources without a success for too long; a paused one is left out, as its person wanted."""
        if self.max_age is None:
            return ()
        since = (self.now - self.max_age).isoformat()
        return tuple(s.name for s in self.sources if s.state != PAUSED and not life.is_later(s.last_success, since))

    def text(self) -> str:
        lines = [line for source in self.sources for line in _status_lines(source, self.now, source.name in self.late)]
        return "\n".join(lines) or "no sources"

    def data(self) -> dict[str, Any]:
        late = self.late
        return {"schema": 1, "sources": [{**asdict(source), "late": source.name in late} for source in self.sources]}


def _status_lines(source: SourceStatus, now: datetime, late: bool) -> Iterator[str]:
    yield f"{source.name}  {source.state}  {source.items} items  {source.url} -> {source.bundle}"
    if source.holder:
        yield f"  at work: {source.holder}"
    check = _aged(source.last_check, now) or "never here"
    success = _aged(source.last_success, now) or "never"
    yield f"  last success {success}{' (too long ago)' if late else ''}, last check {check}{_ended(source)}"
    if source.task:
        paths = ", ".join(f"{count} {word}" for word, count in source.paths.items())
        yield f"  task {source.task}{f', paths: {paths}' if paths else ''}"
    if source.held:
        yield f"  waits since {_aged(source.held, now)}: too many reviews are unresolved"
    if source.spared:
        bodies, extraction = (
            " ".join(f"{100 * share:.0f}" for share in shares) for shares in zip(*source.spared, strict=True)
        )
        yield f"  spared in the last runs (% of pages, newest last): bodies {bodies}, extraction {extraction}"
    if source.retained or source.pending:
        yield f"  retained {source.retained}, pending {source.pending}: git okf sync {source.name} --retry-failed"
    if source.edited:
        yield f"  edited by hand {source.edited}"
    if source.since:
        again = f", {source.failures} failures in a row" if source.failures > 1 else ""
        yield f"  {source.state.lower()} since {_aged(source.since, now)}{again}"
    if source.last_error:
        yield f"  last error: {source.last_error}"
    if source.next_due:
        yield f"  next due {source.next_due}"


def _aged(text: str, now: datetime) -> str:
    age = life.age(text, now)
    return f"{text} ({age})" if age else text


def _ended(source: SourceStatus) -> str:
    return "" if source.last_result in ("", *SUCCESSES) else f" ({source.last_result})"


def _last_success(remembered: str, last: Mapping[str, Any]) -> str:
    """The later of what the state and scratch remember: a quiet run is a success that no state tells of."""
    here = str(last.get("at", "")) if last.get("result") in SUCCESSES else ""
    return max(remembered, here)


def status(
    repo: Repo, settings: Config, names: Sequence[str], now: datetime, max_age: timedelta | None = None
) -> Statuses:
    """The sources named, or all."""
    sources = [settings.source(name) for name in names] if names else list(settings.sources.values())
    found = [_status(repo, source, now) for source in sources]
    if max_age is not None:
        found = [_with_others(repo, settings.review.remote, each) for each in found]
    return Statuses(tuple(found), now, max_age)


def _with_others(repo: Repo, reviewed: str, status: SourceStatus) -> SourceStatus:
    """The success of a run elsewhere counts too: a quiet one moves nothing but the lease on the remote, be that the
    branch's own or the one that reviews are pushed to."""
    from git_okf.store import remote_lease
    from git_okf.store.remote import remotes

    if status.last_error:
        return status
    names = remotes(repo, repo.head().ref)
    for remote in dict.fromkeys([*names[:1], *(name for name in names if name == reviewed)]):
        there = remote_lease.last_success(repo, remote, status.name)
        if life.is_later(there, status.last_success):
            status = replace(status, last_success=there)
    return status


def _task(state: State | None) -> str:
    if state is None:
        return ""
    return QUEUED if state.held and state.access == ACTIVE else str(state.task.get("state", ""))


def _paths(state: State | None) -> dict[str, int]:
    told = state.task.get("paths") if state else None
    return {word: count for word, count in told.items() if isinstance(count, int)} if isinstance(told, dict) else {}


def _status(repo: Repo, source: SourceConfig, now: datetime) -> SourceStatus:
    state, counts = glance.counted(repo, source)
    last = memory.last(repo, source.name)
    grant = lease.holder(repo.scratch, source.name, lambda: now)
    due = life.due(source, state, last, now)
    return SourceStatus(
        name=source.name,
        kind=source.kind,
        url=source.url,
        bundle=source.bundle,
        state=state.access if state else "ACTIVE" if counts.items else "NEW",
        items=counts.items,
        retained=counts.retained,
        pending=counts.pending,
        edited=counts.edited,
        last_success=_last_success(state.last_observed if state else "", last),
        last_complete=state.last_fully_processed if state else "",
        last_check=last.get("at", ""),
        last_result=last.get("result", ""),
        last_error=state.last_error if state else "",
        since=state.since if state else "",
        failures=state.failures if state else 0,
        task=LEASED if grant else _task(state),
        paths=_paths(state),
        held=state.held if state else "",
        holder=f"{grant.holder} since {grant.acquired[:19]}Z" if grant else "",
        next_due=memory.stamp(due.at) if due.at else "",
        spared=tuple((run.bodies, run.extraction) for run in thrift.history(repo, source.name)),
    )
