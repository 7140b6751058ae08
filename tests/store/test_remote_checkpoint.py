"""A checkpoint that another machine resumes: in parts where it is large, whole or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote, clone_of

from git_okf.errors import GitRefused
from git_okf.store import aside, remote_checkpoint
from git_okf.store.checkpoint import FILES
from git_okf.store.push import push
from git_okf.store.repo import Repo

REF = "refs/okf/checkpoint/docs"
DATA = {"bodies": bytes(range(256)) * 40, "results.jsonl": b'{"a": 1}\n' * 30, "header.json": b"{}\n"}


@pytest.fixture
def bare(tmp_path: Path, repo: GitRepo) -> GitRepo:
    return bare_remote(repo, tmp_path / "remote.git")


def folder(repo: GitRepo) -> Path:
    return repo.path / ".git/okf/checkpoint/docs"


def leave(repo: GitRepo, data: dict[str, bytes] = DATA, *, until: float | None = None) -> None:
    """Put a checkpoint into scratch, and push it."""
    folder(repo).mkdir(parents=True, exist_ok=True)
    for name, content in data.items():
        (folder(repo) / name).write_bytes(content)
    opened = Repo.open(repo.path)
    with aside.aside(opened) as extra:
        ending = {} if until is None else {"until": until}
        move = remote_checkpoint.saving(opened, "docs", None, extra, **ending)
        assert move is not None
        push(opened, "origin", [move], extra=extra)


def restored(bare: GitRepo, path: Path) -> dict[str, bytes]:
    """What another machine gets of it."""
    other = clone_of(bare, path)
    tree = bare.git("rev-parse", REF)
    before = other.snapshot()["objects"]
    remote_checkpoint.restore(Repo.open(other.path), "origin", "docs", tree)
    assert other.snapshot()["objects"] == before
    return {file.name: file.read_bytes() for file in sorted(folder(other).glob("*"))}


def names(bare: GitRepo) -> list[str]:
    return bare.git("ls-tree", "--name-only", REF).splitlines()


def test_a_small_one_is_one_blob_a_file(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    leave(repo)
    assert names(bare) == sorted(FILES)
    assert restored(bare, tmp_path / "other") == DATA


@pytest.mark.parametrize("part", [1, 1000, 1024, 10_240])
def test_a_large_one_goes_in_parts_and_comes_back_whole(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    data = {**DATA, "bodies": DATA["bodies"][: part * 120]}
    monkeypatch.setattr(remote_checkpoint, "PART", part)
    data["results.jsonl"] = data["results.jsonl"][: part * 90]
    data["header.json"] = b"{}\n"[:part]
    leave(repo, data)
    pieces = [name for name in names(bare) if name.startswith("bodies")]
    wanted = -(-len(data["bodies"]) // part)
    assert pieces == (["bodies"] if wanted == 1 else [f"bodies.{number:04}" for number in range(wanted)])
    sizes = [int(line.split()[3]) for line in bare.git("ls-tree", "-l", REF).splitlines()]
    assert max(sizes) <= part
    assert restored(bare, tmp_path / "other") == data


def test_an_empty_file_of_it_is_no_gap(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    leave(repo, {**DATA, "bodies": b""})
    assert restored(bare, tmp_path / "other") == {**DATA, "bodies": b""}


def test_over_the_bound_it_stays_and_says_so(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(repo)
    monkeypatch.setattr(remote_checkpoint, "LIMIT", 5000)
    with pytest.raises(GitRefused, match="at most 5000 are left on a remote"):
        leave(repo)
    assert restored(bare, tmp_path / "other") == {}


def test_one_that_cannot_be_made_in_time_stays(repo: GitRepo, bare: GitRepo) -> None:
    with pytest.raises(GitRefused, match="too many to be left on a remote in time"):
        leave(repo, until=time.monotonic() - 1)
    assert bare.git("for-each-ref", REF) == ""


@pytest.mark.parametrize("odd", ["120000 blob", "160000 commit", "040000 tree"])
def test_sec_what_else_a_remote_has_there_is_not_taken(repo: GitRepo, bare: GitRepo, tmp_path: Path, odd: str) -> None:
    blob, tree = bare.git("hash-object", "-w", "--stdin", input="x"), bare.git("mktree", input="")
    oid = {"blob": blob, "commit": bare.git("rev-parse", "main"), "tree": tree}[odd.split()[1]]
    listed = f"{odd} {oid}\tbodies\n100644 blob {blob}\theader.json\n100644 blob {blob}\tresults.jsonl\n"
    bare.git("update-ref", REF, bare.git("mktree", input=listed + f"100644 blob {blob}\t..%2fescape\n"))
    other = clone_of(bare, tmp_path / "other")
    remote_checkpoint.restore(Repo.open(other.path), "origin", "docs", bare.git("rev-parse", REF))
    assert not (folder(other) / "header.json").exists()
    assert not list(tmp_path.rglob("*escape*"))
