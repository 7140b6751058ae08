"""Questions that write nothing: status, log, show, explain. Each answers with a value that knows its text."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from git_okf import baseline, life, memory, thrift
from git_okf.bundle import paths
from git_okf.config import Config, SourceConfig
from git_okf.errors import ConfigError, UsageError
from git_okf.model import LEASED, Record, Status
from git_okf.source import kind_of
from git_okf.store import lease, notes, remote_lease
from git_okf.store.remote import remotes
from git_okf.store.repo import Commit, Repo
from git_okf.store.state import PAUSED

SUCCESSES = ("synced", "unchanged", "partial")
_TRAILER = re.compile(r"^Okf-Source: (\S+)$", re.MULTILINE)


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
    """Of the last run that the state tells of, or LEASED while one is at work."""
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
        found = [_with_others(repo, each) for each in found]
    return Statuses(tuple(found), now, max_age)


def _with_others(repo: Repo, status: SourceStatus) -> SourceStatus:
    """The success of a run elsewhere counts too: a quiet one moves nothing but the lease on the remote."""
    remote = next(iter(remotes(repo, repo.head().ref)), None)
    if remote is None or status.last_error:
        return status
    there = remote_lease.last_success(repo, remote, status.name)
    return replace(status, last_success=there) if life.is_later(there, status.last_success) else status


def _status(repo: Repo, source: SourceConfig, now: datetime) -> SourceStatus:
    base = baseline.read(repo, source, rebuild=of_another_identity(repo, source))
    last = memory.last(repo, source.name)
    state = base.state
    grant = lease.holder(repo.scratch, source.name, lambda: now)
    due = life.due(source, state, last, now)
    return SourceStatus(
        name=source.name,
        kind=source.kind,
        url=source.url,
        bundle=source.bundle,
        state=state.access if state else "NEW" if not base.known else "ACTIVE",
        items=len(base.pages),
        retained=sum(bool(record.failure) for record in base.pages.values()),
        pending=sum(record.status is Status.PENDING for record in base.known.values()),
        edited=len(base.edited),
        last_success=_last_success(state.last_observed if state else "", last),
        last_complete=state.last_fully_processed if state else "",
        last_check=last.get("at", ""),
        last_result=last.get("result", ""),
        last_error=state.last_error if state else "",
        since=state.since if state else "",
        failures=state.failures if state else 0,
        task=LEASED if grant else str(state.task.get("state", "")) if state else "",
        holder=f"{grant.holder} since {grant.acquired[:19]}Z" if grant else "",
        next_due=memory.stamp(due.at) if due.at else "",
        spared=tuple((run.bodies, run.extraction) for run in thrift.history(repo, source.name)),
    )


def of_another_identity(repo: Repo, source: SourceConfig) -> bool:
    """Whether the state was made for another identity; status says what it can all the same."""
    try:
        baseline.read(repo, source)
    except ConfigError:
        return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """One commit of ours and the run behind it, where its note is here."""

    commit: str
    at: str
    source: str
    subject: str
    report: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Runs:
    entries: tuple[RunEntry, ...]

    def text(self) -> str:
        return "\n".join(f"{e.commit[:7]} {e.at} {e.subject}{_cost(e.report)}" for e in self.entries) or "no runs yet"

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "runs": [asdict(entry) for entry in self.entries]}


def _cost(report: Mapping[str, Any] | None) -> str:
    if not report:
        return ""
    retained = len(report.get("retained", []))
    return f"  {report.get('requests', 0)} requests" + (f", {retained} retained" if retained else "")


def log(repo: Repo, name: str | None, number: int) -> Runs:
    """The runs that changed something, newest first, from the commits' trailers and their notes."""
    ours = (_run_entry(repo, commit, source) for commit, source in _our_commits(repo) if name in (None, source))
    return Runs(tuple(itertools.islice(ours, number)))


def _our_commits(repo: Repo) -> Iterator[tuple[Commit, str]]:
    for commit in repo.log(repo.head().commit):
        for source in _TRAILER.findall(commit.message):
            yield commit, source


def _run_entry(repo: Repo, commit: Commit, source: str) -> RunEntry:
    report = next((r for r in _reports(notes.read_any(repo, commit.id)) if r.get("name") == source), None)
    subject = commit.message.split("\n", 1)[0]
    return RunEntry(commit=commit.id, at=_iso(commit.time), source=source, subject=subject, report=report)


def _reports(note: str | None) -> list[Mapping[str, Any]]:
    """The runs in a note; a note that somebody else wrote holds none."""
    try:
        sources = json.loads(note or "{}").get("sources", [])
    except (ValueError, AttributeError):
        return []
    return [report for report in sources if isinstance(report, dict)] if isinstance(sources, list) else []


def _iso(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item and its life here."""

    source: str
    url: str
    path: str
    title: str
    content_hash: str
    since: str
    last_changed: str
    edited: bool
    failure: str
    missing_since: str
    commits: tuple[tuple[str, str, str], ...]
    """Commit, time, subject; newest first."""

    def text(self) -> str:
        facts = [
            ("url", self.url),
            ("path", self.path),
            ("title", self.title),
            ("hash", self.content_hash),
            ("since", self.since),
            ("changed", self.last_changed),
            ("edited by hand", "yes" if self.edited else ""),
            ("retained", self.failure),
            ("missing since", self.missing_since),
        ]
        lines = [f"{name}: {value}" for name, value in facts if value]
        return "\n".join((*lines, *(f"  {commit[:7]} {at} {subject}" for commit, at, subject in self.commits)))

    def data(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self)}


def show(repo: Repo, settings: Config, cwd: Path, item: str) -> Item:
    """The item of a URL, or of a concept's path (from here, from the root, or inside a bundle)."""
    for source in settings.sources.values():
        base = baseline.read(repo, source, rebuild=of_another_identity(repo, source))
        wanted = _wanted_paths(repo, source, cwd, item)
        for record in base.pages.values():
            if record.path in wanted or item in (record.key, record.url):
                return _item(repo, source, record)
        alias = base.known.get(item)
        if alias is not None and alias.status is Status.ALIAS and alias.target in base.known:
            return _item(repo, source, base.known[alias.target])
    raise UsageError(f"no source has an item {item!r}", "git okf explain URL   says whether and how it would be taken")


def _wanted_paths(repo: Repo, source: SourceConfig, cwd: Path, item: str) -> set[str]:
    root = repo.root.resolve()
    inside = {item, item.removeprefix(source.bundle + "/")}
    full = (cwd / item).resolve() if "://" not in item else root
    if root in full.parents:
        inside.add(full.relative_to(root).as_posix().removeprefix(source.bundle + "/"))
    return inside


def _item(repo: Repo, source: SourceConfig, record: Record) -> Item:
    history = list(repo.log(repo.head().commit, f"{source.bundle}/{record.path}"))
    commits = tuple((c.id, _iso(c.time), c.message.split("\n", 1)[0]) for c in history)
    return Item(
        source=source.name,
        url=record.key,
        path=f"{source.bundle}/{record.path}",
        title=record.title,
        content_hash=record.content_hash,
        since=commits[-1][1] if commits else "",
        last_changed=commits[0][1] if commits else "",
        edited=record.edited,
        failure=record.failure,
        missing_since=record.missing_since,
        commits=commits,
    )


@dataclass(frozen=True, slots=True)
class Explanations:
    """How each source sees one URL."""

    url: str
    sources: tuple[Mapping[str, Any], ...]

    def text(self) -> str:
        return "\n".join(line for facts in self.sources for line in _explanation(facts)) or "no sources"

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "url": self.url, "sources": list(self.sources)}


def _explanation(facts: Mapping[str, Any]) -> Iterator[str]:
    yield f"{facts['source']}: {'taken' if facts['accepted'] else 'not taken'}: {facts['rule']}"
    for name in ("key", "path", "known", "links"):
        if facts.get(name):
            yield f"  {name}: {facts[name]}"


def explain(repo: Repo, settings: Config, url: str) -> Explanations:
    """By which rule each source takes or leaves the URL, where it would go, and what is known of it."""
    told: list[Mapping[str, Any]] = []
    for source in settings.sources.values():
        known = baseline.read(repo, source, rebuild=of_another_identity(repo, source)).known
        told.append({"source": source.name, **kind_of(source).explain(source, known, url, paths.place)})
    return Explanations(url, tuple(told))
