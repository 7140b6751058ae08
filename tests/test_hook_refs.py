"""A push takes notes and state along; a commit that is rewritten keeps its note."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import GitRepo, Ran
from hooking import PROGRAM, run
from landing_steps import WHEN

from git_okf.store import notes, state
from git_okf.store.repo import RefUpdate, Repo

REFS = (notes.REF, state.REF)


@pytest.fixture
def bare(tmp_path: Path, repo: GitRepo) -> GitRepo:
    """The remote of a repository that has a commit with a note, a state, and our hooks."""
    made = GitRepo(tmp_path / "remote.git")
    repo.git("init", "--quiet", "--bare", str(made.path))
    prepare(repo, made)
    return made


def prepare(repo: GitRepo, bare: GitRepo) -> None:
    repo.git("remote", "add", "origin", str(bare.path))
    repo.commit("one", {"a": "a"})
    attach(repo, "HEAD", "docs")
    advance(repo)
    assert run((*PROGRAM, "hooks", "install"), repo.path).returncode == 0


def attach(repo: GitRepo, commit: str, *names: str) -> None:
    opened = Repo.open(repo.path)
    old, target = opened.ref(notes.REF), repo.git("rev-parse", commit)
    new = notes.note(opened, old, target, report(*names), WHEN)
    opened.update([RefUpdate(notes.REF, old, new, "note")])


def report(*names: str) -> str:
    return json.dumps({"schema": 1, "sources": [{"name": name} for name in names]}, indent=2)


def advance(repo: GitRepo) -> str:
    """One more commit on the state branch."""
    tree = repo.git("mktree", input="")
    parent = repo.git("rev-parse", "--quiet", "--verify", state.REF, check=False)
    commit = repo.git("commit-tree", tree, *(["-p", parent] if parent else []), "-m", "state")
    repo.git("update-ref", state.REF, commit)
    return commit


def push(repo: GitRepo, *args: str, remote: str = "origin") -> Ran:
    done = run(("git", "push", "--quiet", remote, *(args or ("main",))), repo.path)
    return Ran(done.returncode, done.stdout, done.stderr)


def refs(repo: GitRepo, *names: str) -> list[str]:
    return [repo.git("rev-parse", "--quiet", "--verify", name, check=False) for name in names or REFS]


def noted(repo: GitRepo, commit: str = "HEAD") -> list[str]:
    text = notes.read(Repo.open(repo.path), repo.git("rev-parse", commit))
    return [source["name"] for source in json.loads(text)["sources"]] if text else []


# --- pre-push ---


def test_a_push_of_a_branch_takes_notes_and_state_along_once(repo: GitRepo, bare: GitRepo) -> None:
    assert push(repo) == Ran(0, "", "")
    assert refs(bare) == refs(repo)
    repo.commit("two", {"b": "b"})
    advance(repo)
    assert push(repo) == Ran(0, "", "")
    assert refs(bare, "main", *REFS) == refs(repo, "main", *REFS)


def test_a_push_of_no_branch_takes_nothing_along(repo: GitRepo, bare: GitRepo) -> None:
    repo.git("tag", "v1")
    assert push(repo, "v1").code == 0
    assert push(repo, "main", "--no-verify").code == 0
    repo.git("branch", "side")
    assert push(repo, "side", "--no-verify").code == push(repo, ":side").code == 0
    assert push(repo, remote=str(bare.path)).code == 0
    assert refs(bare) == ["", ""]


def test_what_the_push_names_itself_is_left_to_it(repo: GitRepo, bare: GitRepo) -> None:
    assert push(repo, "--atomic", "main", *REFS) == Ran(0, "", "")
    assert refs(bare) == refs(repo)


def test_notes_of_both_sides_are_kept(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    push(repo)
    repo.git("clone", "--quiet", str(bare.path), str(tmp_path / "other"))
    other = GitRepo(tmp_path / "other")
    other.git("fetch", "--quiet", "origin", f"{notes.REF}:{notes.REF}")
    other.commit("theirs", {"c": "c"})
    attach(other, "HEAD", "theirs")
    other.git("push", "--quiet", "origin", "HEAD:side", notes.REF)
    repo.commit("mine", {"d": "d"})
    attach(repo, "HEAD", "mine")
    assert push(repo) == Ran(0, "", "")
    assert refs(bare) == refs(repo)
    repo.git("fetch", "--quiet", "origin", "side")
    assert (noted(repo), noted(repo, "FETCH_HEAD"), noted(repo, "HEAD~1")) == (["mine"], ["theirs"], ["docs"])


def test_a_remote_that_is_ahead_is_left_as_it_is(repo: GitRepo, bare: GitRepo) -> None:
    push(repo)
    ahead = advance(repo)
    repo.git("push", "--quiet", "--no-verify", "origin", state.REF)
    repo.git("update-ref", state.REF, f"{ahead}~1")
    repo.commit("two", {"b": "b"})
    assert push(repo) == Ran(0, "", "")
    assert refs(bare, state.REF) == [ahead]


def test_a_state_that_went_another_way_is_never_forced_and_the_push_goes_on(repo: GitRepo, bare: GitRepo) -> None:
    push(repo)
    theirs = bare.git("commit-tree", bare.git("mktree", input=""), "-p", state.REF, "-m", "theirs")
    bare.git("update-ref", state.REF, theirs)
    advance(repo)
    repo.commit("two", {"b": "b"})
    ran = push(repo)
    assert ran.code == 0
    assert ran.err.startswith("warning: refs/heads/okf/state of origin and of this clone went different ways")
    assert refs(bare, "main", state.REF) == [repo.git("rev-parse", "main"), theirs]


def test_a_remote_that_refuses_our_refs_gets_the_branch(repo: GitRepo, bare: GitRepo) -> None:
    update = bare.path / "hooks/update"
    update.parent.mkdir(exist_ok=True)
    update.write_text('#!/bin/sh\ncase "$1" in refs/heads/main) ;; *) echo "only main" >&2; exit 1 ;; esac\n')
    update.chmod(0o755)
    ran = push(repo)
    assert ran.code == 0
    assert "warning: origin refuses the push" in ran.err
    assert refs(bare, "main", *REFS) == [repo.git("rev-parse", "main"), "", ""]


# --- post-rewrite ---


def test_an_amended_commit_keeps_its_note(repo: GitRepo, bare: GitRepo) -> None:
    repo.git("commit", "--quiet", "--amend", "--message", "other")
    assert noted(repo) == ["docs"]
    repo.commit("two")
    before = repo.git("rev-parse", notes.REF)
    repo.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "no note")
    assert (noted(repo), repo.git("rev-parse", notes.REF)) == ([], before)


def test_rebased_commits_keep_their_notes_and_one_of_several_gets_all(repo: GitRepo, bare: GitRepo) -> None:
    for name in ("two", "three"):
        repo.commit(name, {name: name})
        attach(repo, "HEAD", name)
    repo.git("commit", "--quiet", "--allow-empty", "--fixup", "HEAD")
    attach(repo, "HEAD", "four")
    repo.git("checkout", "--quiet", "-b", "other", "main~3")
    repo.commit("base", {"e": "e"})
    repo.git("checkout", "--quiet", "main")
    repo.git("-c", "sequence.editor=true", "rebase", "--quiet", "--interactive", "--autosquash", "other")
    assert (noted(repo), noted(repo, "HEAD~1"), noted(repo, "HEAD~2")) == (["three", "four"], ["two"], [])


def test_a_note_that_git_carried_over_itself_stays(repo: GitRepo, bare: GitRepo) -> None:
    repo.git("config", "notes.rewriteRef", notes.REF)
    repo.git("commit", "--quiet", "--amend", "--message", "other")
    assert noted(repo) == ["docs"]


def test_a_note_that_is_no_report_is_carried_over_as_it_is(repo: GitRepo, bare: GitRepo) -> None:
    repo.git("notes", f"--ref={notes.REF}", "add", "--force", "--message", "somebody's words", "HEAD")
    repo.git("commit", "--quiet", "--amend", "--message", "other")
    assert repo.git("notes", f"--ref={notes.REF}", "show") == "somebody's words"
