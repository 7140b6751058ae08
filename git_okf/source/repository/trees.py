"""Everything in a commit: the complete recursive enumeration of its tree, with what could not be listed named."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from git_okf.source.repository.objects import Broken, Stored

FILE, EXECUTABLE, SYMLINK, SUBMODULE, FOLDER = 0o100644, 0o100755, 0o120000, 0o160000, 0o040000
_ENTRY = {digits: re.compile(rb"([0-7]+) ([^\0]*)\0(.{%d})" % (digits // 2), re.DOTALL) for digits in (40, 64)}
_NO_NAMES = (b"", b".", b"..", b".git")
MOST_ENTRIES = 1_000_000
"""A few trees that hold each other's ids can stand for billions of paths: enumeration ends here, incomplete."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in the tree: file, symbolic link, submodule or directory."""

    path: str
    """From the root, with `/`. Bytes that are no UTF-8 are surrogate escapes."""
    mode: int
    """git's: FILE, EXECUTABLE, SYMLINK, SUBMODULE or FOLDER."""
    id: str
    """Of the blob (of a link: the one that holds its target), the commit of a submodule, the tree of a directory: where
    it is that of last time, nothing below has changed."""

    @property
    def is_file(self) -> bool:
        return self.mode in (FILE, EXECUTABLE)

    @property
    def is_utf8(self) -> bool:
        """Whether the name is text at all."""
        return not any("\ud800" <= char <= "\udfff" for char in self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The tree of one commit."""

    commit: str
    id: str
    """Of the root."""
    entries: tuple[Entry, ...]
    """In the order of their paths' bytes, directories included."""
    missing: tuple[tuple[str, str], ...] = ()
    """Directories that could not be listed ("" is the root), each with the reason. Nothing may be concluded from what
    is not found below them."""

    @property
    def complete(self) -> bool:
        return not self.missing


Read = Callable[[Iterable[str]], Iterator[Stored]]


def walk(read: Read, commit: str, *, most: int = MOST_ENTRIES) -> Tree:
    """The tree of a commit, level by level, each tree object read once.

    Broken where the commit itself, or any tree that is here, cannot be read; a tree that is not here is a gap.
    """
    root = _root(next(iter(read([commit]))))
    parsed: dict[str, tuple[tuple[str, int, str], ...] | None] = {}
    entries: list[Entry] = []
    missing: list[tuple[str, str]] = []
    level = [("", root)]
    while level:
        wanted = dict.fromkeys(oid for _, oid in level if oid not in parsed)
        for stored in read(wanted):
            parsed[stored.id] = _parsed(stored)
        below: list[tuple[str, str]] = []
        for path, oid in level:
            listing = parsed[oid]
            if listing is None:
                missing.append((path, "its listing is not in what the repository sent"))
            elif len(entries) + len(listing) > most:
                missing.append((path, f"the repository has more than {most} paths"))
            else:
                found = [Entry(f"{path}/{name}" if path else name, mode, child) for name, mode, child in listing]
                entries += found
                below += ((entry.path, entry.id) for entry in found if entry.mode == FOLDER)
        level = below
    entries.sort(key=_bytes)
    return Tree(commit=commit, id=root, entries=tuple(entries), missing=tuple(sorted(missing)))


def _bytes(entry: Entry) -> bytes:
    return entry.path.encode("utf-8", "surrogateescape")


def _root(commit: Stored) -> str:
    if commit.kind != "commit" or commit.data is None or not commit.data.startswith(b"tree "):
        raise Broken(f"{commit.id} is no commit that is here")
    return commit.data.split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")


def _parsed(stored: Stored) -> tuple[tuple[str, int, str], ...] | None:
    """Name, mode and id of each entry of a tree object; None where it is not here."""
    if stored.data is None:
        return None
    if stored.kind != "tree":
        raise Broken(f"{stored.id} is no tree")
    found = []
    at = 0
    for match in _ENTRY[len(stored.id)].finditer(stored.data):
        mode, raw, oid = match.groups()
        if match.start() != at:
            break
        if raw.lower() in _NO_NAMES or b"/" in raw:
            raise Broken(f"{stored.id} holds something named {raw!r}")
        found.append((raw.decode("utf-8", "surrogateescape"), _canonical(int(mode, 8)), oid.hex()))
        at = match.end()
    if at != len(stored.data):
        raise Broken(f"{stored.id} is no tree")
    return tuple(found)


def _canonical(mode: int) -> int:
    """As git reads modes: of a file the owner's right to run it counts, whatever else old versions wrote."""
    if stat.S_ISREG(mode):
        return EXECUTABLE if mode & 0o100 else FILE
    return next((known for known in (SYMLINK, FOLDER) if stat.S_IFMT(mode) == stat.S_IFMT(known)), SUBMODULE)
