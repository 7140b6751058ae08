"""A repository's tree at one commit, as discovery and packages need it. Pure."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from git_okf.source.repository import paths

FILE, EXECUTABLE, SYMLINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
GROUP_WRITABLE = 0o100664
"""What old versions of git wrote for a file; git reads it as FILE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something in the tree that is no directory. `mode` is git's, `id` git's id of the blob (of a submodule: of its
    commit), `size` in bytes where the listing says it. A path that is no UTF-8 has surrogate escapes."""

    path: str
    mode: int
    id: str
    size: int | None = None

    @property
    def is_file(self) -> bool:
        return self.mode in (FILE, GROUP_WRITABLE, EXECUTABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Everything in a commit, and what of it could not be listed. `of` makes it."""

    commit: str
    entries: tuple[Entry, ...]
    """By path, in the order of its characters."""
    unlisted: tuple[str, ...] = ()
    """Directories whose content could not be enumerated; `.` for the whole tree."""

    def inside(self, directory: str) -> tuple[Entry, ...]:
        """All entries of a directory, at any depth, by path."""
        if directory == paths.ROOT:
            return self.entries
        first = bisect_left(self.entries, f"{directory}/", key=_path)
        return self.entries[first : bisect_left(self.entries, f"{directory}0", lo=first, key=_path)]  # 0 follows /

    def is_whole(self, directory: str) -> bool:
        """Whether everything in the directory was listed."""
        return not any(
            gap in (paths.ROOT, directory) or directory == paths.ROOT or paths.below(directory, gap)
            or paths.below(gap, directory)
            for gap in self.unlisted
        )  # fmt: skip


def of(commit: str, entries: Iterable[Entry], unlisted: Iterable[str] = ()) -> Tree:
    """The tree of a commit from its entries in any order."""
    return Tree(commit=commit, entries=tuple(sorted(entries, key=_path)), unlisted=tuple(sorted(unlisted)))


def _path(entry: Entry) -> str:
    return entry.path


def digest(entries: Iterable[Entry]) -> str:
    """`sha256:<hex>` of paths, modes and ids: equal exactly where git's own subtree id would be."""
    made = hashlib.sha256()
    for entry in sorted(entries, key=_path):
        path = entry.path.encode("utf-8", "surrogateescape")
        made.update(b"%d:%s%o:%s;" % (len(path), path, entry.mode, entry.id.encode()))
    return f"sha256:{made.hexdigest()}"
