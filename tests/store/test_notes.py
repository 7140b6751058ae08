"""Notes that git reads, written with a fan-out of two digits, read with any."""

from __future__ import annotations

import json

import pytest
from conftest import GitRepo
from landing_steps import WHEN

from git_okf.store import notes
from git_okf.store.repo import RefUpdate, Repo


def attach(repo: Repo, target: str, text: str) -> str:
    old = repo.ref(notes.REF)
    new = notes.note(repo, old, target, text, WHEN)
    repo.update([RefUpdate(notes.REF, old, new, "note")])
    return new


def test_git_shows_what_was_noted(repo: GitRepo) -> None:
    commits = [repo.commit(f"c{number}") for number in range(20)]
    opened = Repo.open(repo.path)
    for number, commit in enumerate(commits):
        attach(opened, commit, json.dumps({"run": number, "word": "é"}, ensure_ascii=False))
    for number, commit in enumerate(commits):
        assert json.loads(repo.git("notes", "--ref=okf", "show", commit)) == {"run": number, "word": "é"}
        assert json.loads(notes.read(opened, commit) or "") == {"run": number, "word": "é"}
    assert '"run": 19' in repo.git("log", "-1", "--notes=okf")
    assert [target for target, _ in notes.all_notes(opened)] == sorted(commits)
    listed = repo.git("ls-tree", "-r", "--name-only", notes.REF).splitlines()
    assert listed == sorted(f"{commit[:2]}/{commit[2:]}" for commit in commits)
    repo.git("fsck", "--strict")


def test_a_note_is_replaced_and_the_same_note_changes_no_tree(repo: GitRepo) -> None:
    commit = repo.commit("one")
    opened = Repo.open(repo.path)
    first = attach(opened, commit, "one")
    assert opened.commit_tree(attach(opened, commit, "one\n")) == opened.commit_tree(first)
    attach(opened, commit, "two")
    assert repo.git("notes", "--ref=okf", "show", commit) == "two"


def test_no_note_is_none(repo: GitRepo) -> None:
    commit = repo.commit("one")
    opened = Repo.open(repo.path)
    assert notes.read(opened, commit) is None
    assert list(notes.all_notes(opened)) == []
    attach(opened, commit, "one")
    assert notes.read(opened, repo.commit("two")) is None


def test_notes_that_git_wrote_without_fan_out_are_read_replaced_and_kept(repo: GitRepo) -> None:
    commits = [repo.commit(f"c{number}") for number in range(4)]
    for commit in commits[:3]:
        repo.git("notes", "--ref=okf", "add", "-m", f"by git {commit}", commit)
    assert "/" not in repo.git("ls-tree", "-r", "--name-only", notes.REF)
    opened = Repo.open(repo.path)
    attach(opened, commits[0], "by us")
    attach(opened, commits[3], "by us too")
    assert repo.git("notes", "--ref=okf", "show", commits[0]) == "by us"
    assert repo.git("notes", "--ref=okf", "show", commits[1]) == f"by git {commits[1]}"
    assert notes.read(opened, commits[1]) == f"by git {commits[1]}\n"
    assert len(list(notes.all_notes(opened))) == len(repo.git("notes", "--ref=okf", "list").splitlines()) == 4
    repo.git("notes", "--ref=okf", "add", "-f", "-m", "by git again", commits[3])
    assert notes.read(opened, commits[3]) == "by git again\n"


def test_deeper_fan_out_is_read(repo: GitRepo) -> None:
    commit = repo.commit("one")
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {f"{commit[:2]}/{commit[2:4]}/{commit[4:]}": b"deep\n"})
    opened.update([RefUpdate(notes.REF, None, opened.commit(tree, [], "deep", WHEN), "x")])
    assert notes.read(opened, commit) == repo.git("notes", "--ref=okf", "show", commit) + "\n" == "deep\n"
    attach(opened, commit, "ours")
    assert repo.git("ls-tree", "-r", "--name-only", notes.REF) == f"{commit[:2]}/{commit[2:]}"


@pytest.mark.parametrize("flat", [False, True])
def test_state_02_a_merge_keeps_the_notes_of_both_writers(repo: GitRepo, flat: bool) -> None:
    both, mine, theirs = (repo.commit(f"c{number}") for number in range(3))
    opened = Repo.open(repo.path)
    base = attach(opened, repo.git("rev-parse", "HEAD"), "base")
    attach(opened, both, "line of both\nmine")
    ours = attach(opened, mine, "mine")
    repo.git("update-ref", notes.REF, base)
    if flat:
        repo.git("notes", "--ref=okf", "add", "-m", "line of both\ntheirs", both)
        repo.git("notes", "--ref=okf", "add", "-f", "-m", "theirs", theirs)
    else:
        attach(opened, both, "line of both\ntheirs")
        attach(opened, theirs, "theirs")
    other = opened.ref(notes.REF)
    assert other
    merged = notes.merge(opened, ours, other, WHEN)
    repo.git("update-ref", notes.REF, merged)
    assert repo.git("notes", "--ref=okf", "show", mine) == "mine"
    assert "theirs" in repo.git("notes", "--ref=okf", "show", theirs)
    assert repo.git("notes", "--ref=okf", "show", both).splitlines() == ["line of both", "mine", "theirs"]
    assert opened.commit_info(merged).parents == (ours, other)
    assert notes.merge(opened, merged, ours, WHEN) == merged
    assert notes.merge(opened, base, merged, WHEN) == merged


def test_a_note_costs_little_however_many_there_are(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    made = {f"{number:040x}"[::-1]: b"x\n" for number in range(5000)}
    tree = opened.edit(None, {f"{target[:2]}/{target[2:]}": text for target, text in made.items()})
    opened.update([RefUpdate(notes.REF, None, opened.commit(tree, [], "many", WHEN), "x")])
    objects = repo.path / ".git" / "objects"

    def size() -> int:
        return sum(file.stat().st_size for file in objects.rglob("*") if file.is_file())

    before = size()
    attach(opened, repo.commit("one"), "{}")
    assert size() - before < 20_000
