"""`git okf init`: what it adds to a clone's configuration, and that each line of it can be undone."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote, clone_of
from scenario import Docs, assert_same, everything

from git_okf.store import notes, state

SPECS = ["+refs/notes/okf:refs/notes/remotes/origin/okf", "+refs/heads/okf/state:refs/remotes/origin/okf/state"]


@pytest.fixture
def bare(docs: Docs, tmp_path: Path) -> GitRepo:
    docs.build("a")
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    docs.sync("--push")
    return bare


def settings(repo: GitRepo, name: str) -> list[str]:
    return repo.git("config", "--local", "--get-all", name, check=False).splitlines()


@pytest.mark.parametrize("options", [[], ["--single-branch"], ["--depth=1"]])
def test_a_clone_that_is_set_up_fetches_state_and_notes(
    docs: Docs, bare: GitRepo, tmp_path: Path, options: list[str]
) -> None:
    clone = clone_of(bare, tmp_path / "clone", *options)
    ran = docs.ok("init", cwd=clone.path)
    assert "✓ Set up" in ran.out and "fetched: refs/heads/okf/state" in ran.out
    assert settings(clone, "notes.rewriteRef") == ["refs/notes/okf"]
    wanted = SPECS if options else SPECS[:1]
    assert [spec for spec in settings(clone, "remote.origin.fetch") if "okf" in spec] == wanted
    before = everything(clone)
    assert "✓ Nothing to do" in docs.ok("init", cwd=clone.path).out
    assert_same(before, everything(clone))
    docs.put("a", version=2)
    docs.sync("--push")
    clone.git("fetch", "--quiet")
    assert clone.git("rev-parse", notes.tracking("origin")) == bare.git("rev-parse", notes.REF)
    assert clone.git("rev-parse", "origin/okf/state") == bare.git("rev-parse", state.REF)
    clone.git("merge", "--quiet", "--ff-only", "origin/main")
    assert "requests" in docs.ok("log", "-n", "1", cwd=clone.path).out


def test_a_fetch_never_fails_because_a_sync_here_wrote_notes(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    clone = clone_of(bare, tmp_path / "clone")
    docs.ok("init", cwd=clone.path)
    docs.put("a", version=2)
    docs.ok("sync", cwd=clone.path)
    docs.put("a", version=3)
    docs.sync("--push")
    clone.git("fetch", "--quiet")


def test_each_setting_is_undone_by_the_line_it_prints(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    clone = clone_of(bare, tmp_path / "clone", "--single-branch")
    clone.git("config", "--add", "notes.rewriteRef", "refs/notes/mine")
    before = clone.git("config", "--local", "--list")
    lines = [line for line in docs.ok("init", cwd=clone.path).out.splitlines() if "to undo it: " in line]
    assert len(lines) == 3
    for line in lines:
        clone.git(*shlex.split(line.partition("to undo it: ")[2])[1:])
    assert clone.git("config", "--local", "--list") == before


def test_notes_follow_a_commit_that_is_amended(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    clone = clone_of(bare, tmp_path / "clone")
    docs.ok("init", cwd=clone.path)
    clone.git("commit", "--quiet", "--amend", "--message", "said better")
    assert '"schema": 1' in clone.git("notes", "--ref=okf", "show")


def test_without_a_remote_only_the_notes_are_set_up(docs: Docs) -> None:
    docs.build("a")
    ran = docs.ok("init", "--json")
    assert '"notes.rewriteRef"' in ran.out and "remote" not in ran.out
