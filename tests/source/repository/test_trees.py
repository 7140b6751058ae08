"""Trees: everything in a commit by path, and what could not be listed by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from upstreams import Content, Exec, Link, Submodule

from git_okf.source.repository.objects import Broken, Stored
from git_okf.source.repository.trees import EXECUTABLE, FILE, FOLDER, SUBMODULE, SYMLINK, Read, Tree, walk

from .conftest import Host


class Store:
    """Objects in memory."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[str, bytes]] = {}
        self.read_ids: list[str] = []

    def put(self, kind: str, data: bytes) -> str:
        oid = hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()
        self.objects[oid] = (kind, data)
        return oid

    def tree(self, entries: Iterable[tuple[str, bytes, str]]) -> str:
        return self.put("tree", b"".join(f"{m} ".encode() + n + b"\0" + bytes.fromhex(o) for m, n, o in entries))

    def commit(self, tree: str) -> str:
        return self.put("commit", f"tree {tree}\nauthor x\n\nm\n".encode())

    def read(self, ids: Iterable[str]) -> Iterator[Stored]:
        for oid in ids:
            self.read_ids.append(oid)
            kind, data = self.objects.get(oid, ("", b""))
            yield Stored(oid, kind, len(data), data if kind else None)


BLOB = "b" * 40


def test_modes_names_and_ids_are_those_of_git(host: Host) -> None:
    odd = b"caf\xe9/\xff.md"
    files: dict[str | bytes, Content] = {
        "a.md": "a\n",
        "a/b.md": "b\n",
        "run.sh": Exec("x"),
        "link": Link("a.md"),
        "sub": Submodule("3" * 40),
        odd: "odd\n",
        "naïve ✓.md": "n\n",
    }
    commit = host.upstream.commit(files)
    mirror = host.mirror()
    mirror.fetch(commit)
    tree = mirror.tree(commit)
    listed = host.upstream.git("ls-tree", "-r", "-t", "-z", commit).rstrip("\0").split("\0")
    told = {line.partition("\t")[2]: line.split()[:3:2] for line in listed}
    assert {entry.path: [f"{entry.mode:06o}", entry.id] for entry in tree.entries} == told
    assert [entry.path for entry in tree.entries if not entry.is_utf8] == ["caf\udce9", "caf\udce9/\udcff.md"]
    assert {
        entry.path: entry.mode for entry in tree.entries if entry.path in ("run.sh", "link", "sub", "a", "a.md")
    } == {
        "run.sh": EXECUTABLE,
        "link": SYMLINK,
        "sub": SUBMODULE,
        "a": FOLDER,
        "a.md": FILE,
    }
    assert tree.id == host.upstream.git("rev-parse", f"{commit}^{{tree}}")


def test_entries_stand_in_the_order_of_their_bytes() -> None:
    store = Store()
    below = store.tree([("100644", b"z", BLOB)])
    root = store.tree(
        [("100644", b"a-b", BLOB), ("40000", b"a", below), ("100644", b"\xff", BLOB), ("100644", b"z", BLOB)]
    )
    tree = walk(store.read, store.commit(root))
    assert [entry.path for entry in tree.entries] == ["a", "a-b", "a/z", "z", "\udcff"]


def test_an_equal_subtree_has_an_equal_id_and_is_read_once() -> None:
    store = Store()
    same = store.tree([("100644", b"x.md", BLOB)])
    root = store.tree([("40000", b"one", same), ("40000", b"two", same)])
    tree = walk(store.read, store.commit(root))
    assert {entry.path: entry.id for entry in tree.entries if entry.mode == FOLDER} == {"one": same, "two": same}
    assert store.read_ids.count(same) == 1


def test_modes_of_old_are_read_as_git_reads_them() -> None:
    store = Store()
    modes = {
        "100664": FILE,
        "100600": FILE,
        "100775": EXECUTABLE,
        "040000": FOLDER,
        "160000": SUBMODULE,
        "120777": SYMLINK,
    }
    below = store.tree([])
    root = store.tree([(mode, mode.encode(), below if said == FOLDER else BLOB) for mode, said in modes.items()])
    tree = walk(store.read, store.commit(root))
    assert {entry.path: entry.mode for entry in tree.entries} == modes


def test_a_missing_subtree_is_named_and_its_siblings_go_on() -> None:
    store = Store()
    there = store.tree([("100644", b"x.md", BLOB)])
    root = store.tree([("40000", b"gone", "e" * 40), ("40000", b"there", there)])
    tree = walk(store.read, store.commit(root))
    assert not tree.complete
    assert [path for path, _ in tree.missing] == ["gone"]
    assert [entry.path for entry in tree.entries] == ["gone", "there", "there/x.md"]


def test_without_its_root_nothing_of_a_tree_is_known() -> None:
    store = Store()
    tree = walk(store.read, store.commit("e" * 40))
    assert (tree.entries, [path for path, _ in tree.missing]) == ((), [""])


def test_a_tree_that_multiplies_itself_ends_incomplete() -> None:
    store = Store()
    oid = store.tree([("100644", b"x", BLOB)])
    for _ in range(12):
        oid = store.tree([("40000", f"{n}".encode(), oid) for n in range(10)])
    tree = walk(store.read, store.commit(oid), most=5000)
    assert not tree.complete and len(tree.entries) <= 5000
    assert "more than 5000 paths" in tree.missing[0][1]


@pytest.mark.parametrize("name", [b"", b".", b"..", b".git", b".GIT", b"a/b", b"/etc"])
def test_names_that_lead_elsewhere_break_the_tree(name: bytes) -> None:
    store = Store()
    with pytest.raises(Broken, match="holds something named"):
        walk(store.read, store.commit(store.tree([("100644", name, BLOB)])))


@pytest.mark.parametrize("data", [b"100644 x\0short", b"100644", b"nomode x\0" + b"b" * 20, b"100644 x" + b"b" * 30])
def test_a_tree_that_is_none_is_broken(data: bytes) -> None:
    store = Store()
    with pytest.raises(Broken):
        walk(store.read, store.commit(store.put("tree", data)))
    with pytest.raises(Broken):
        walk(store.read, store.put("tree", data))
    with pytest.raises(Broken):
        walk(store.read, "e" * 40)


NAMES = st.binary(min_size=1, max_size=6).filter(
    lambda n: not set(n) & {0, 0x2F} and n.lower() not in (b".", b"..", b".git")
)
FOLDERS = st.recursive(st.just(None), lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=20)


@given(FOLDERS.filter(lambda f: f is not None))
def test_every_path_is_listed_exactly_once(folder: Mapping[bytes, object]) -> None:
    store = Store()

    def put(inside: Mapping[bytes, object], at: bytes) -> str:
        entries = []
        for name, below in inside.items():
            paths.append(at + name)
            if isinstance(below, dict):
                entries.append(("40000", name, put(below, at + name + b"/")))
            else:
                entries.append(("100644", name, BLOB))
        return store.tree(entries)

    paths: list[bytes] = []
    read: Read = store.read
    tree: Tree = walk(read, store.commit(put(folder, b"")))
    assert [entry.path.encode("utf-8", "surrogateescape") for entry in tree.entries] == sorted(paths)
    assert tree.complete
