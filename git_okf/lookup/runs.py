"""The runs that changed something."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from git_okf.store import notes
from git_okf.store.repo import Commit, Repo

_TRAILER = re.compile(r"^Okf-Source: (\S+)$", re.MULTILINE)


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
    return RunEntry(
        commit=commit.id, at=commit.time.isoformat(timespec="seconds"), source=source, subject=subject, report=report
    )


def _reports(note: str | None) -> list[Mapping[str, Any]]:
    """The runs in a note; a note that somebody else wrote holds none."""
    try:
        sources = json.loads(note or "{}").get("sources", [])
    except (ValueError, AttributeError):
        return []
    return [report for report in sources if isinstance(report, dict)] if isinstance(sources, list) else []
