"""Packs of our own, judged by git."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from conftest import GitRepo
from hypothesis import given
from hypothesis import strategies as st

from git_okf.errors import GitRefused
from git_okf.store import pack
from git_okf.store.pack import Pack
from git_okf.store.repo import BULK, Repo
from git_okf.store.trees import Made


def contents(number: int) -> dict[str, bytes | Made | None]:
    sizes = (0, 1, 15, 16, 2047, 2048, 300_000)
    files: dict[str, bytes | Made | None] = {
        f"docs/{n % 7}/page-{n}.md": (b"%d " % n) * (sizes[n % len(sizes)] // 4 + 1) for n in range(number)
    }
    return files


def packs(repo: GitRepo) -> list[Path]:
    return sorted((repo.path / ".git/objects/pack").iterdir())


def test_many_files_become_one_pack_that_git_accepts(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    files = contents(BULK)
    tree = opened.edit(None, files)
    assert [path.suffix for path in packs(repo)] == [".idx", ".pack"]
    assert repo.git("count-objects") == "0 objects, 0 kilobytes"
    repo.git("verify-pack", str(packs(repo)[0]))
    assert repo.git("fsck", "--strict", "--full", "--no-dangling") == ""
    for path, data in files.items():
        assert opened.read(opened.entry(tree, path)[1]) == data  # type: ignore[index]
    assert repo.git("ls-tree", "-r", "--name-only", tree).split("\n") == sorted(files)


def test_the_tree_is_the_one_of_loose_objects(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    one_by_one = None
    files = contents(BULK)
    for path, data in files.items():
        one_by_one = opened.edit(one_by_one, {path: data})
    assert opened.edit(None, files) == one_by_one


def test_a_few_files_stay_loose(repo: GitRepo) -> None:
    Repo.open(repo.path).edit(None, contents(BULK - 1))
    assert packs(repo) == []


def test_what_is_there_is_not_written_again(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    tree = opened.edit(None, contents(BULK))
    before = packs(repo)
    assert opened.edit(None, contents(BULK)) == tree and packs(repo) == before
    opened.edit(tree, {**contents(BULK), "docs/more.md": b"new"})
    repo.git("verify-pack", *(str(path) for path in packs(repo) if path.suffix == ".idx"))


def test_each_content_is_made_when_it_is_written_and_once(repo: GitRepo) -> None:
    made: list[int] = []

    def make(number: int) -> bytes:
        made.append(number)
        return b"%d" % number

    files = {f"{n:04}.md": Made(lambda n=n: make(n)) for n in range(BULK)}  # type: ignore[misc]
    Repo.open(repo.path).edit(None, files)
    assert made == list(range(BULK))


def test_what_fails_in_the_middle_leaves_nothing(repo: GitRepo) -> None:
    def fail() -> bytes:
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        Repo.open(repo.path).edit(None, {**contents(BULK), "z.md": Made(fail)})
    assert packs(repo) == []


def test_a_directory_that_cannot_be_written_is_an_error_of_the_repository(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **named: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pack, "mkstemp", full)
    with pytest.raises(GitRefused, match="No space left on device"):
        Repo.open(repo.path).edit(None, contents(BULK))


@given(st.integers(0, 1 << 40))
def test_the_size_of_an_entry_can_be_read_again(size: int) -> None:
    head = pack._head(3, size)
    read, shift = head[0] & 15, 4
    for byte in head[1:]:
        read, shift = read | (byte & 0x7F) << shift, shift + 7
    assert (read, head[0] >> 4 & 7, [b >> 7 for b in head]) == (size, 3, [1] * (len(head) - 1) + [0])


def test_offsets_beyond_two_gigabytes_stand_in_a_table_of_their_own() -> None:
    entries = {b"\x00" * 20: 12 << 32 | 1, b"\x11" * 20: 1 << 63 | 2, b"\x22" * 20: 5 << 63 | 3}
    index = pack._index(entries, bytes(20))
    offsets = struct.unpack(">3L", index[8 + 1024 + 60 + 12 : 8 + 1024 + 60 + 24])
    assert offsets == (12, 1 << 31, 1 << 31 | 1)
    assert struct.unpack(">2Q", index[8 + 1024 + 60 + 24 : 8 + 1024 + 60 + 40]) == (1 << 31, 5 << 31)


def test_a_pack_with_nothing_in_it_is_none(repo: GitRepo) -> None:
    with Pack(repo.path / ".git/objects", Repo.open(repo.path)):
        pass
    assert packs(repo) == []
