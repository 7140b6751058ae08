"""Trees as values, against a plain mapping of paths."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.errors import GitRefused
from git_okf.store import trees


class Memory:
    """An object store in memory that counts what is written."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.written: list[str] = []

    def tree_data(self, oid: str) -> bytes:
        return b"" if oid == trees.EMPTY_TREE else self.objects[oid]

    def _write(self, kind: bytes, data: bytes) -> str:
        oid = hashlib.sha1(kind + b" %d\0" % len(data) + data).hexdigest()
        self.objects[oid] = data
        self.written.append(oid)
        return oid

    def has(self, oid: str) -> bool:
        return oid in self.objects

    def write_tree_data(self, data: bytes) -> str:
        return self._write(b"tree", data)

    def write_blob(self, data: bytes) -> str:
        return self._write(b"blob", data)

    def files(self, tree: str) -> dict[str, bytes]:
        return {path.decode(): self.objects[oid] for path, _, oid in trees.walk(self, tree)}


NAME = st.sampled_from(["a", "a.md", "a-b", "b", "é", "a0"])
PATH = st.lists(NAME, min_size=1, max_size=3).map(lambda parts: "/".join([*parts[:-1], parts[-1] + ".x"]))
CHANGES = st.dictionaries(PATH, st.none() | st.binary(max_size=2), max_size=8)


@settings(max_examples=300, deadline=None)
@given(st.lists(CHANGES, max_size=4))
def test_edits_one_after_the_other_are_the_mapping_they_say(steps: list[dict[str, bytes | None]]) -> None:
    store, tree, plain = Memory(), trees.EMPTY_TREE, dict[str, bytes]()
    for changes in steps:
        before, old = tree, dict(plain)
        tree = trees.edit(store, tree, changes)
        plain.update({path: data for path, data in changes.items() if data is not None})
        for path in [path for path, data in changes.items() if data is None]:
            plain.pop(path, None)
        assert store.files(tree) == plain
        assert tree == trees.edit(Memory(), None, plain)
        differ = {path for path in old.keys() | plain.keys() if old.get(path) != plain.get(path)}
        assert {path.decode() for path, _, _ in trees.diff(store, before, tree)} == differ


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(PATH, st.binary(max_size=2), min_size=1, max_size=12))
def test_writing_what_is_there_writes_nothing(files: dict[str, bytes]) -> None:
    store = Memory()
    tree = trees.edit(store, None, files)
    store.written.clear()
    assert trees.edit(store, tree, {**files, "no/such.x": None}) == tree
    assert store.written == []


def test_only_the_trees_on_the_way_are_written() -> None:
    store = Memory()
    tree = trees.edit(store, None, {f"d{number}/e/f{number}.md": b"1" for number in range(50)})
    store.written.clear()
    trees.edit(store, tree, {"d7/e/f7.md": b"2"})
    assert len(store.written) == 4


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/abs.md",
        "a//b.md",
        "a/",
        ".",
        "a/../b.md",
        "a/./b.md",
        ".git/config",
        ".GIT/config",
        "a/.git",
        ".git./x",
        ".git /x",
        "GIT~1/x",
        ".g\u200cit/x",
        "\ufeff.git/x",
        "a\\b.md",
        "C:/x.md",
        ".git::$INDEX_ALLOCATION/x",
        "a\0b.md",
        "a\nb.md",
        "\ud800.md",
    ],
)
def test_git_08_paths_that_mean_something_else_are_refused(path: str) -> None:
    store = Memory()
    for data in (b"x", None):
        with pytest.raises(GitRefused):
            trees.edit(store, None, {"fine.md": b"x", path: data})
    assert store.written == []


@pytest.mark.parametrize("path", ["a.md", ".okf.yaml", "文档/a b.md", ".github/x.md", "a.git/x", "git/x", "..a"])
def test_ordinary_paths_are_taken(path: str) -> None:
    store = Memory()
    assert store.files(trees.edit(store, None, {path: b"x"})) == {path: b"x"}
