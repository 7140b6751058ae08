"""Where a source keeps its mirror."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

MIRROR = "mirror.git"


@contextmanager
def mirror_place(given: Path | None) -> Iterator[Path]:
    """Where the mirror of a source is, or goes: in the source's directory for caches, or in one that is gone afterwards
    where nothing may be kept."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given / MIRROR
        return
    with TemporaryDirectory(prefix="git-okf-", ignore_cleanup_errors=True) as directory:
        yield Path(directory) / MIRROR
