"""What a publication came to, as values, text and data. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.model import Fault, Trip

LISTED = 100
"""Keys named by a dry run on a terminal; `--json` has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One source's publication. `result`: published, unchanged, aborted, busy, unavailable or failed."""

    name: str
    url: str
    result: str
    exit_code: int = 0
    commit: str = ""
    before: str = ""
    """The commit that was published before; "" where none was."""
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    bytes: int = 0
    duration_s: float = 0.0
    dry_run: bool = False
    left: bool = False
    """Whether the removals are left to the next publication."""
    guard: Trip | None = None
    error: Fault | None = None

    def text(self) -> str:
        """What is said on standard output; "" where there is only an error to say."""
        if self.error is not None:
            return ""
        if self.result == "unchanged":
            return f"✓ Up to date: {self.name}  ({self.unchanged} objects at {self.url})"
        return "\n".join((self._headline(), *self._counts(), *(self._plan() if self.dry_run else ())))

    def _headline(self) -> str:
        to = f"{self.commit[:7]} to {self.url}"
        return (
            f"✓ Dry run: {self.name}  ({to}; nothing was written)"
            if self.dry_run
            else f"✓ Published: {self.name}  ({to})"
        )

    def _counts(self) -> Iterator[str]:
        yield f"  Added: {len(self.added)}"
        yield f"  Updated: {len(self.updated)}"
        yield f"  Removed: {len(self.removed)}" + (" (left to the next publication)" if self.left else "")
        yield f"  Unchanged: {self.unchanged}"

    def _plan(self) -> Iterator[str]:
        lines = self.lines()
        yield from (f"  {line}" for line in lines[:LISTED])
        if len(lines) > LISTED:
            yield f"  ... and {len(lines) - LISTED} more (--json names all)"

    def lines(self) -> list[str]:
        """Every key that differs, with what happens to it."""
        signs = (("+", self.added), ("=", self.updated), ("-", self.removed))
        return [f"{sign} {key}" for sign, keys in signs for key in keys]

    def data(self) -> Mapping[str, Any]:
        """What `--json` says of it."""
        trip, error = self.guard, self.error
        return {
            "name": self.name,
            "url": self.url,
            "result": self.result,
            "exit_code": self.exit_code,
            "commit": self.commit or None,
            "before": self.before or None,
            "added": list(self.added),
            "updated": list(self.updated),
            "removed": list(self.removed),
            "unchanged": self.unchanged,
            "bytes": self.bytes,
            "duration_s": round(self.duration_s, 3),
            "dry_run": self.dry_run,
            "guard": trip and {"name": trip.name, "limit": trip.limit, "actual": trip.actual, "total": trip.total},
            "error": error and {"code": error.code, "message": error.message, "hint": error.hint},
        }
