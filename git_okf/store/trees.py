"""Git trees as values: parse, write, change at some paths. Reads and writes only the trees on the way to a change.

An `Objects` store gives and takes raw objects; nothing here knows where they live. Nothing is written where nothing
changes: a blob or tree is handed over only if its id differs from what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from git_okf.digest import blob_id as blob_id
from git_okf.errors import GitRefused

FILE, EXECUTABLE, LINK, TREE, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o040000, 0o160000
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FILES = (FILE, EXECUTABLE)
_KINDS = {LINK: "a symbolic link", SUBMODULE: "a submodule", FILE: "a file", EXECUTABLE: "a file", TREE: "a directory"}

# Code points that HFS+ ignores in names, so that `.g\u200cit` is `.git` there (git: utf8.c, next_hfs_char).
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\:]")

Entry = tuple[int, str]
Tree = dict[bytes, Entry]


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's content that is in the object store already, and its mode."""

    id: str
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """Bytes that are made when they are written, so that not all of them are in memory at once."""

    make: Callable[[], bytes]


Content = bytes | Made | Blob | None
"""What a path is to hold: these bytes, this object, or nothing."""


class Objects(Protocol):
    """Raw access to an object store."""

    def tree_data(self, oid: str) -> bytes:
        """The bytes of a tree object; raises Missing."""

    def has(self, oid: str) -> bool: ...

    def write_tree_data(self, data: bytes) -> str: ...

    def write_blob(self, data: bytes) -> str: ...


@dataclass(slots=True)
class _Node:
    """The changes below one directory: files by their full paths, and directories with changes inside."""

    files: list[str] = field(default_factory=list)
    dirs: dict[bytes, _Node] = field(default_factory=dict)


def check_path(path: str) -> list[str]:
    """The parts of a path that may be written below the work tree; else GitRefused.

    Refused are empty parts, `.` and `..`, every spelling of `.git` (also those of HFS+ and NTFS), backslash, colon,
    control characters and what is not UTF-8.
    """
    parts = path.split("/")
    for part in parts:
        plain = _IGNORED.sub("", part).rstrip(". ").casefold()
        if part in ("", ".", "..") or _UNSAFE.search(part) or plain in (".git", "git~1") or _surrogate(part):
            raise GitRefused(
                f"the path {path!r} cannot be written into a repository",
                "this is a path git-okf must never produce; nothing was written. Please report it",
            )
    return parts


def _surrogate(text: str) -> bool:
    return any("\ud800" <= ch <= "\udfff" for ch in text)


def parse(data: bytes) -> Tree:
    """The entries of a tree object by name, in its order."""
    entries: Tree = {}
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        entries[data[space + 1 : end]] = (int(data[at:space], 8), data[end + 1 : end + 21].hex())
        at = end + 21
    return entries


def serialise(entries: Tree) -> bytes:
    """The bytes of a tree object; git sorts a directory as if its name ended in `/`."""
    ordered = sorted(entries.items(), key=lambda item: item[0] + b"/" if item[1][0] == TREE else item[0])
    return b"".join(b"%o %s\0" % (mode, name) + bytes.fromhex(oid) for name, (mode, oid) in ordered)


def walk(store: Objects, tree: str, prefix: bytes = b"") -> Iterator[tuple[bytes, int, str]]:
    """Every entry that is no directory, as (path, mode, oid), in the order of the trees."""
    for name, (mode, oid) in parse(store.tree_data(tree)).items():
        if mode == TREE:
            yield from walk(store, oid, prefix + name + b"/")
        else:
            yield prefix + name, mode, oid


def diff(
    store: Objects, old: str | None, new: str | None, prefix: bytes = b""
) -> Iterator[tuple[bytes, Entry | None, Entry | None]]:
    """Every path whose entry differs, with both entries; equal subtrees are not read."""
    if old == new:
        return
    before = parse(store.tree_data(old)) if old else {}
    after = parse(store.tree_data(new)) if new else {}
    for name in sorted(before.keys() | after.keys()):
        left, right = before.get(name), after.get(name)
        if left == right:
            continue
        left_tree = left[1] if left and left[0] == TREE else None
        right_tree = right[1] if right and right[0] == TREE else None
        left_file = None if left_tree else left
        right_file = None if right_tree else right
        if left_file or right_file:
            yield prefix + name, left_file, right_file
        if left_tree or right_tree:
            yield from diff(store, left_tree, right_tree, prefix + name + b"/")


def edit(store: Objects, tree: str | None, changes: Mapping[str, Content]) -> str:
    """The id of `tree` with the files of `changes` written, or deleted where the value is None.

    Directories left empty vanish. A file keeps its executable bit. GitRefused, before anything is written, where a
    symbolic link, a submodule or a file stands where a directory is needed, or anything but a file where a file is to
    be written.
    """
    root = _Node()
    for path in changes:
        *parents, _ = (part.encode() for part in check_path(path))
        node = root
        for parent in parents:
            node = node.dirs.setdefault(parent, _Node())
        node.files.append(path)
    _check(store, tree, root, changes)
    return _edit(store, tree, root, changes) or store.write_tree_data(b"")


def _check(store: Objects, tree: str | None, node: _Node, changes: Mapping[str, Content]) -> None:
    entries = parse(store.tree_data(tree)) if tree else {}
    for path in node.files:
        there = entries.get(_name(path))
        if there and there[0] not in _FILES and changes[path] is not None:
            raise _in_the_way(path, there[0], "a file")
    for name, child in node.dirs.items():
        there = entries.get(name)
        if there and there[0] == TREE:
            _check(store, there[1], child, changes)
        elif there and not _is_deleted(node, name, changes):
            writes = (path for path in _paths(child) if changes[path] is not None)
            for path in writes:
                raise _in_the_way(path, there[0], "a directory")


def _edit(store: Objects, tree: str | None, node: _Node, changes: Mapping[str, Content]) -> str | None:
    entries = parse(store.tree_data(tree)) if tree else {}
    before = dict(entries)
    for path in sorted(node.files):
        name = _name(path)
        there, content = entries.get(name), changes[path]
        if isinstance(content, Made):
            content = content.make()
        if content is None:
            if there and there[0] in _FILES:
                del entries[name]
        elif isinstance(content, Blob):
            entries[name] = (EXECUTABLE if content.executable else FILE, content.id)
        elif not there or there[1] != blob_id(content):
            entries[name] = (there[0] if there else FILE, store.write_blob(content))
    for name in sorted(node.dirs):
        there = entries.get(name)
        if there and there[0] != TREE:
            continue  # only deletions below it, of files that are not there
        subtree = _edit(store, there[1] if there else None, node.dirs[name], changes)
        if subtree:
            entries[name] = (TREE, subtree)
        else:
            entries.pop(name, None)
    if not entries:
        return None
    return tree if tree and entries == before else store.write_tree_data(serialise(entries))


def _paths(node: _Node) -> Iterator[str]:
    yield from node.files
    for child in node.dirs.values():
        yield from _paths(child)


def _is_deleted(node: _Node, name: bytes, changes: Mapping[str, Content]) -> bool:
    return any(_name(path) == name and changes[path] is None for path in node.files)


def _name(path: str) -> bytes:
    return path.rpartition("/")[2].encode()


def _in_the_way(path: str, mode: int, needed: str) -> GitRefused:
    kind = _KINDS.get(mode, "something unknown")
    return GitRefused(
        f"{path} cannot be written: {kind} stands in the repository where git-okf needs {needed}",
        "move it away with `git mv` and commit that, or give the source another `bundle`; nothing was written",
    )
