"""Are the bundles behind their sources? A look that writes nothing, in a time that somebody can wait for.

It is a dry run of the sync that ends early: known pages are asked first, with the validators of the last time, so a
server that knows these sends no page that is unchanged. What could not be asked is not known, and that is no news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from git_okf.config import Config, SourceConfig, WebSource
from git_okf.errors import EXIT_GUARD, EXIT_UNAVAILABLE, EXIT_USAGE
from git_okf.model import RunResult
from git_okf.run import Options, World
from git_okf.store.repo import Repo
from git_okf.sync import sync_source

FRESH, BEHIND, UNKNOWN = "fresh", "behind", "unknown"
SECONDS = 10.0
_AT_LEAST_S = 0.1
"""What a page may take when the time is up: nothing is waited for, and no limit is zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a look at one source showed. `why` says it where it is not known."""

    name: str
    verdict: str
    added: int = 0
    removed: int = 0
    updated: int = 0
    looked_at: int = 0
    known: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """All looks. With `strict`, what is not known counts too."""

    looks: tuple[Look, ...]
    strict: bool

    @property
    def exit_code(self) -> int:
        verdicts = {look.verdict for look in self.looks}
        if BEHIND in verdicts:
            return EXIT_GUARD
        return EXIT_UNAVAILABLE if self.strict and UNKNOWN in verdicts else 0

    def text(self) -> str:
        return "\n".join(map(_line, self.looks)) or "no sources"

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "sources": [asdict(look) for look in self.looks]}


def look(
    repo: Repo, settings: Config, names: Sequence[str], world: World, *, seconds: float | None = None,
    strict: bool = False,
) -> Freshness:  # fmt: skip
    """Look at the sources named, or at all, for `seconds` in sum. OkfError where the configuration cannot be used."""
    sources = [settings.source(name) for name in names] if names else list(settings.sources.values())
    end = world.monotonic() + (SECONDS if seconds is None else seconds)
    return Freshness(tuple(_look(repo, source, world, end) for source in sources), strict)


def _look(repo: Repo, source: SourceConfig, world: World, end: float) -> Look:
    left = max(end - world.monotonic(), _AT_LEAST_S)
    hurried = _hurried(source, left)
    result = sync_source(repo, hurried, Options(dry_run=True, time_budget=left), world)
    delta = result.delta
    if result.error is not None:
        verdict, why = UNKNOWN, _why(result)
    elif delta.changes_content:
        verdict, why = BEHIND, ""
    else:
        verdict, why = (FRESH, "") if result.complete else (UNKNOWN, "; ".join(result.incomplete_reasons))
    return Look(
        name=source.name,
        verdict=verdict,
        added=len(delta.added),
        removed=len(delta.removed),
        updated=len(delta.updated),
        looked_at=result.found,
        known=result.known,
        why=why,
    )


def _hurried(source: SourceConfig, left: float) -> SourceConfig:
    if isinstance(source, WebSource):
        return replace(source, page_timeout=min(source.page_timeout, left))
    return source


def _why(result: RunResult) -> str:
    assert result.error is not None
    if result.exit_code == EXIT_USAGE:
        return f"{result.error.message} ({result.error.hint})"
    return result.error.message


def _line(look: Look) -> str:
    if look.verdict == FRESH:
        return f"✓ Up to date: {look.name} ({look.looked_at} pages)"
    if look.verdict == BEHIND:
        counts = f"+{look.added} -{look.removed} ={look.updated}"
        return f"✗ Behind: {look.name} ({counts})\n  git okf sync {look.name}   brings it up to date"
    asked = f"{look.looked_at} of {look.known} pages as they were; " if look.looked_at else ""
    return f"? Not known: {look.name} ({asked}{look.why})"
