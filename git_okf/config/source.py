"""What every source has, whatever its kind, and the checks of its keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from git_okf.config import values
from git_okf.config.values import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """When a known item is removed, and how much at once."""

    unlinked_runs: int = 2
    """Complete runs in a row that found the page unlinked, though it answers, before it is removed."""
    gone_runs: int = 1
    """Runs in a row in which a page answered 404 (twice each) before it is removed; 410 removes at once."""
    max_removed: int | None = None
    """The `max-removed` guard: so many removals abort the run."""
    max_removed_share: float | None = None
    """The same as a share of the known items."""
    follow: bool = True
    """Remove what the source no longer has; off: keep it, marked as withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConfig:
    """What all kinds share. Sizes in bytes, times in seconds."""

    name: str
    bundle: str
    kind: str
    url: str
    """Where people find it; shown, and what links are made relative to."""
    editable: bool = False
    """Edits of concepts by hand are no finding of `verify` and the hooks. A sync treats them as it always does."""
    ignore: tuple[str, ...] = ()
    threshold: float = 0.5
    removal: Removal = field(default_factory=Removal)
    checkpoint: int = 10
    """Items between two savings of what was fetched."""
    every: str = ""
    """How often a run that names no source looks at it (`6h`, `1d`); "": each time."""

    @property
    def interval(self) -> timedelta | None:
        """`every` as a length of time."""
        return timedelta(seconds=values.seconds(self.every)) if self.every else None

    @property
    def files(self) -> str:
        """The directory, from the root of the repository, of the files that belong to items beside their concepts."""
        return self.bundle

    @property
    def places(self) -> tuple[str, ...]:
        """All directories the source writes into."""
        return (self.bundle,) if self.files == self.bundle else (self.bundle, self.files)

    @property
    def large_files(self) -> str:
        """A pattern, from the root of the repository, of the files that git-lfs is to keep; "" for none."""
        return ""

    def identity(self) -> dict[str, Any]:
        """What makes it this source; state made for another identity is refused (design.md, "Commands")."""
        return {"kind": self.kind, "url": self.url, "bundle": self.bundle}

    def digest(self) -> str:
        """Changes when anything of the configuration does; a checkpoint is bound to it."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


_REMOVAL = values.fields_of(
    {
        "unlinked_runs": values.count(1, 100),
        "gone_runs": values.count(1, 100),
        "max_removed": values.count(0, 10_000_000),
        "max_removed_share": values.number(0, 1),
        "follow": values.flag,
    }
)


def removal(key: str, value: Any, **defaults: Any) -> Removal:
    """`removal: follow` and `removal: keep` are short for the one key that says so."""
    if value in ("follow", "keep"):
        return Removal(follow=value == "follow")
    return Removal(**{**defaults, **_REMOVAL(key, value)})


CHECKS: Mapping[str, Check] = {
    "kind": values.text,
    "url": values.url,
    "bundle": values.bundle,
    "editable": values.flag,
    "ignore": values.texts,
    "threshold": values.number(0, 1),
    "removal": removal,
    "checkpoint": values.count(1, 100_000),
    "every": values.interval,
}
