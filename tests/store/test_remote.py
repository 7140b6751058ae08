"""The memory of other clones: what a fresh clone takes from its remotes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import GitRepo
from landing_steps import WHEN, land

from git_okf.store import notes, remote, state
from git_okf.store.repo import RefUpdate, Repo
from git_okf.store.state import State


def with_memory(repo: GitRepo) -> tuple[str, str]:
    """A repository that was synced: state and notes refs."""
    opened = Repo.open(repo.path)
    land(opened, {"docs/a.md": b"a\n"})
    tip = opened.head().commit
    assert tip
    tree = opened.edit(None, state.changes(None, State(identity={"kind": "web"}), "docs"))
    commit = opened.commit(tree, [], "state", WHEN)
    note = notes.note(opened, None, tip, "{}", WHEN)
    opened.update([RefUpdate(state.REF, None, commit, "s"), RefUpdate(notes.REF, None, note, "n")])
    return commit, note


def clone(repo: GitRepo, path: Path, *options: str) -> GitRepo:
    subprocess.run(["git", "clone", "--quiet", *options, f"file://{repo.path}", str(path)], check=True)
    return GitRepo(path)


def test_nothing_is_asked_where_there_is_no_remote_or_nothing_missing(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert remote.fetch_memory(opened) == []
    with_memory(repo)
    repo.git("remote", "add", "origin", "/nowhere/at/all")
    assert remote.fetch_memory(opened) == []


@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--single-branch"], ["--depth=1", "--no-single-branch"]])
def test_state_03_a_fresh_clone_takes_state_and_notes_from_its_remote(
    repo: GitRepo, tmp_path: Path, options: list[str]
) -> None:
    commit, note = with_memory(repo)
    cloned = clone(repo, tmp_path / "clone", *options)
    opened = Repo.open(cloned.path)
    assert state.read(opened, "docs") is None
    assert sorted(remote.fetch_memory(opened)) == [state.REF, notes.REF]
    assert (opened.ref(state.REF), opened.ref(notes.REF)) == (commit, note)
    assert state.read(opened, "docs") == State(identity={"kind": "web"}, extra={})
    assert notes.read(opened, cloned.git("rev-parse", "HEAD")) == "{}\n"
    assert opened.is_shallow() is ("--depth=1" in options)
    assert cloned.git("status", "--porcelain") == ""
    assert not (cloned.path / ".git" / "FETCH_HEAD").exists()


def test_state_03_a_partial_clone_takes_them_whole(repo: GitRepo, tmp_path: Path) -> None:
    with_memory(repo)
    repo.git("config", "uploadpack.allowFilter", "true")
    cloned = clone(repo, tmp_path / "clone", "--filter=blob:none")
    opened = Repo.open(cloned.path)
    remote.fetch_memory(opened)
    repo.path.rename(tmp_path / "gone")
    assert state.read(opened, "docs") is not None


def test_state_03_an_unreachable_remote_is_replaced_by_what_the_clone_brought(repo: GitRepo, tmp_path: Path) -> None:
    commit, _ = with_memory(repo)
    cloned = clone(repo, tmp_path / "clone")
    repo.path.rename(tmp_path / "gone")
    opened = Repo.open(cloned.path)
    assert remote.fetch_memory(opened) == [state.REF]
    assert opened.ref(state.REF) == commit


def test_a_remote_without_memory_gives_none(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one", {"a.md": "a"})
    cloned = clone(repo, tmp_path / "clone")
    before = cloned.snapshot()
    assert remote.fetch_memory(Repo.open(cloned.path)) == []
    assert cloned.snapshot() == before


def test_remotes_begin_with_the_one_the_branch_follows(repo: GitRepo) -> None:
    for name in ("backup", "origin", "team"):
        repo.git("remote", "add", name, "/nowhere")
    opened = Repo.open(repo.path)
    assert remote.remotes(opened) == ["origin", "backup", "team"]
    repo.git("config", "branch.main.remote", "team")
    assert remote.remotes(Repo.open(repo.path)) == ["team", "origin", "backup"]
