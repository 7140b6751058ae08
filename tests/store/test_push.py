"""Two writers and one remote: nothing lost, nothing forced, and a no is told from a race."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest
from conftest import GitRepo
from landing_steps import WHEN, land

from git_okf.gitprogram import NO_PUSH_OPTIONS
from git_okf.model import Offer
from git_okf.store import notes
from git_okf.store.push import Move, PushRaced, PushRefused, fetch_objects, push, push_notes, push_offer
from git_okf.store.repo import RefUpdate, Repo

BRANCH = "refs/heads/main"


@pytest.fixture
def bare(tmp_path: Path, repo: GitRepo) -> GitRepo:
    path = tmp_path / "remote.git"
    repo.git("init", "--quiet", "--bare", str(path))
    repo.git("remote", "add", "origin", str(path))
    repo.commit("one", {"a.md": "a\n"})
    repo.git("push", "--quiet", "origin", "main")
    return GitRepo(path)


def second(bare: GitRepo, path: Path) -> Repo:
    subprocess.run(["git", "clone", "--quiet", str(bare.path), str(path)], check=True)
    return Repo.open(path)


def next_commit(repo: Repo, name: str) -> Move:
    old = repo.head().commit
    land(repo, {f"docs/{name}.md": b"x\n"})
    return Move(BRANCH, str(repo.head().commit), old)


def attach(repo: Repo, text: str, target: str | None = None) -> None:
    old = repo.ref(notes.REF)
    new = notes.note(repo, old, target or str(repo.head().commit), text, WHEN)
    repo.update([RefUpdate(notes.REF, old, new, "note")])


def test_all_refs_arrive_together(repo: GitRepo, bare: GitRepo) -> None:
    opened = Repo.open(repo.path)
    move = next_commit(opened, "a")
    state = Move("refs/heads/okf/state", move.new, None)
    push(opened, "origin", [move, state])
    assert bare.git("rev-parse", "main", "okf/state") == f"{move.new}\n{move.new}"
    push(opened, "origin", [Move(BRANCH, move.new, move.new)])


def test_a_ref_moved_by_another_is_a_race_and_nothing_arrives(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    opened, other = Repo.open(repo.path), second(bare, tmp_path / "other")
    theirs = next_commit(other, "theirs")
    push(other, "origin", [theirs])
    mine = next_commit(opened, "mine")
    before = bare.git("for-each-ref")
    with pytest.raises(PushRaced) as caught:
        push(opened, "origin", [Move("refs/heads/okf/state", mine.new, None), mine])
    assert caught.value.actual == {BRANCH: theirs.new}
    assert bare.git("for-each-ref") == before
    with pytest.raises(PushRaced):
        push(opened, "origin", [Move(BRANCH, mine.new, None)])
    assert bare.git("for-each-ref") == before


def test_a_push_never_goes_backwards(repo: GitRepo, bare: GitRepo) -> None:
    opened = Repo.open(repo.path)
    move = next_commit(opened, "a")
    push(opened, "origin", [move])
    assert move.expected
    with pytest.raises(PushRaced):
        push(opened, "origin", [Move(BRANCH, move.expected, move.new)])
    assert bare.git("rev-parse", "main") == move.new


@pytest.mark.parametrize("words", ["policy says no", "non-fast-forward, fetch first", "cannot lock ref"])
def test_state_02_a_hook_s_refusal_is_no_race_whatever_its_words(repo: GitRepo, bare: GitRepo, words: str) -> None:
    opened = Repo.open(repo.path)
    hook = bare.path / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)
    move = next_commit(opened, "a")
    with pytest.raises(PushRefused) as caught:
        push(opened, "origin", [move])
    assert words in caught.value.hint
    assert bare.git("rev-parse", "main") == move.expected


def test_an_offer_is_told_to_the_remote_and_its_answer_is_heard(repo: GitRepo, bare: GitRepo) -> None:
    opened, heard = Repo.open(repo.path), list[str]()
    bare.git("config", "receive.advertisePushOptions", "true")
    hook = bare.path / "hooks" / "post-receive"
    hook.write_text('#!/bin/sh\necho "told: $GIT_PUSH_OPTION_COUNT $GIT_PUSH_OPTION_0 $GIT_PUSH_OPTION_1"\n')
    hook.chmod(0o755)
    move = next_commit(opened, "a")
    push_offer(opened, "origin", [move], Offer(options=("one=1 $x", "two"), heard=heard.append), {})
    assert len(heard) == 1 and "remote: told: 2 one=1 $x two" in heard[0]
    assert bare.git("rev-parse", "main") == move.new


def test_a_remote_that_takes_no_push_options_gets_the_commits_and_that_is_heard(repo: GitRepo, bare: GitRepo) -> None:
    opened, heard = Repo.open(repo.path), list[str]()
    bare.git("config", "receive.advertisePushOptions", "false")
    move = next_commit(opened, "a")
    push_offer(opened, "origin", [move], Offer(options=("one",), heard=heard.append), {})
    assert heard == [NO_PUSH_OPTIONS]
    assert bare.git("rev-parse", "main") == move.new


def test_an_offer_that_is_refused_is_not_pushed_without_its_options(repo: GitRepo, bare: GitRepo) -> None:
    opened, heard = Repo.open(repo.path), list[str]()
    bare.git("config", "receive.advertisePushOptions", "true")
    hook = bare.path / "hooks" / "pre-receive"
    hook.write_text('#!/bin/sh\ntest "$GIT_PUSH_OPTION_COUNT" = 0\n')
    hook.chmod(0o755)
    move = next_commit(opened, "a")
    with pytest.raises(PushRefused):
        push_offer(opened, "origin", [move], Offer(options=("one",), heard=heard.append), {})
    assert (heard, bare.git("rev-parse", "main")) == ([], move.expected)


def test_state_02_both_writers_notes_exist_at_the_end(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    opened, other = Repo.open(repo.path), second(bare, tmp_path / "other")
    shared = str(opened.head().commit)
    attach(opened, "mine", shared)
    attach(other, "theirs", shared)
    attach(other, "theirs alone", "1" * 40)
    push_notes(opened, "origin", WHEN)
    push_notes(other, "origin", WHEN)
    push_notes(opened, "origin", WHEN)
    assert opened.ref(notes.REF) == other.ref(notes.REF) == bare.git("rev-parse", notes.REF)
    assert sorted((notes.read(opened, shared) or "").splitlines()) == ["mine", "theirs"]
    assert notes.read(opened, "1" * 40) == "theirs alone\n"


def test_state_02_many_writers_at_once(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    targets = [f"{number:x}" * 40 for number in range(1, 5)]
    clones = [second(bare, tmp_path / f"clone{number}").root for number in range(4)]
    failures: list[BaseException] = []

    def write(path: Path, target: str) -> None:
        mine = Repo.open(path)
        attach(mine, f"by {path.name}", target)
        try:
            push_notes(mine, "origin", WHEN)
        except PushRaced as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=pair) for pair in zip(clones, targets, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    opened = Repo.open(repo.path)
    push_notes(opened, "origin", WHEN)
    assert [target for target, _ in notes.all_notes(opened)] == targets


def test_fetch_objects_says_where_refs_are_and_moves_none(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    opened, other = Repo.open(repo.path), second(bare, tmp_path / "other")
    theirs = next_commit(other, "theirs")
    push(other, "origin", [theirs])
    before = repo.git("for-each-ref")
    assert fetch_objects(opened, "origin", [BRANCH, notes.REF]) == {BRANCH: theirs.new, notes.REF: None}
    assert opened.has(str(theirs.new))
    assert repo.git("for-each-ref") == before
