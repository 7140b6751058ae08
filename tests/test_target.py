"""Runs onto a branch that is made anew upon another commit, as a review needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote, clone_of

from git_okf import manage
from git_okf.model import Failed, RunResult
from git_okf.run import Options, Target, World
from git_okf.source.memory import Item, MemorySource
from git_okf.store.repo import Repo
from git_okf.sync import sync

REVIEW = "refs/heads/okf/sync/docs"
CONFIG = "version: 1\nsources: {docs: {url: 'https://docs.example.org/', bundle: docs}}\n"


@dataclass(slots=True)
class Reviews:
    """A repository with a synced bundle on main, and runs onto its review branch. Each run is an hour later."""

    repo: GitRepo
    texts: dict[str, str] = field(default_factory=lambda: {"a": "first", "b": "second", "c": "third"})
    runs: int = 0

    def run(self, onto: Target | None = None, *, push: bool = False, trouble: tuple[str, ...] = ()) -> RunResult:
        self.runs += 1
        source = MemorySource(
            items={key(n): Item(title=n, body=f"# {n}\n\n{text}\n") for n, text in self.texts.items()},
            troubles={
                key(name): Failed(key=key(name), reason="it does not answer", retryable=True) for name in trouble
            },
        )
        world = World(
            environ=os.environ,
            clock=lambda: datetime(2026, 3, 4, tzinfo=UTC) + timedelta(hours=self.runs),
            open_source=lambda config, environ: source,
        )
        opened = Repo.open(self.repo.path)
        settings = manage.read_config(opened, onto)
        (result,) = sync(opened, settings, [], Options(onto=onto, push=push), world)
        return result

    def review(self, *, push: bool = False, trouble: tuple[str, ...] = ()) -> RunResult:
        """As a review runs: upon main, replacing the review branch as it stands."""
        onto = Target(ref=REVIEW, base=self.at("main"), replaces=self.at(REVIEW))
        result = self.run(onto, push=push, trouble=trouble)
        assert result.error is None, result.error
        return result

    def at(self, name: str) -> str | None:
        return self.repo.git("rev-parse", "--verify", "--quiet", name, check=False) or None

    def file(self, name: str, branch: str = REVIEW) -> str:
        return self.repo.git("show", f"{branch}:docs/pages/{name}.md")

    def refs(self) -> Mapping[str, str]:
        lines = self.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)


def key(name: str) -> str:
    return f"https://docs.example.org/{name}"


@pytest.fixture
def reviews(repo: GitRepo) -> Reviews:
    repo.commit("configuration", {".okf.yaml": CONFIG})
    made = Reviews(repo)
    assert made.run().result == "synced"
    return made


def test_a_branch_is_made_upon_the_base_and_nothing_else_moves(reviews: Reviews) -> None:
    main, files = reviews.at("main"), reviews.repo.snapshot()["files"]
    reviews.texts["a"] = "changed"
    result = reviews.review()
    assert (result.result, result.branch, result.base) == ("synced", "okf/sync/docs", main)
    assert result.commit == reviews.at(REVIEW)
    assert reviews.at(f"{REVIEW}^") == main == reviews.at("main")
    assert "changed" in reviews.file("a") and "first" in reviews.file("a", "main")
    assert reviews.repo.snapshot()["files"] == files
    assert reviews.repo.git("status", "--porcelain") == ""
    assert reviews.repo.git("notes", "--ref=okf", "show", str(result.commit))


def test_newer_content_replaces_older_and_the_commit_stands_upon_the_base(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    first = reviews.review().commit
    reviews.texts["b"] = "changed too"
    result = reviews.review()
    assert result.subject == "sync: +0 -0 =2 (docs)"
    assert reviews.at(f"{REVIEW}^") == reviews.at("main")
    assert result.commit not in (None, first)


def test_a_review_that_holds_what_the_run_would_make_is_left_as_it_is(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    del reviews.texts["b"]
    reviews.texts["new"] = "added"
    reviews.review()
    refs, objects = reviews.refs(), reviews.repo.snapshot()["objects"]
    for _ in range(2):
        result = reviews.review()
        assert (result.result, result.commit, result.base) == ("unchanged", None, refs[REVIEW])
        assert reviews.refs() == refs
    assert reviews.repo.snapshot()["objects"] == objects


def test_a_change_that_was_taken_back_leaves_the_review_empty_handed(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    held = reviews.review().commit
    reviews.texts["a"] = "first"
    result = reviews.review()
    assert (result.result, result.commit, result.base) == ("unchanged", None, reviews.at("main"))
    assert reviews.at(REVIEW) == held


def test_a_page_that_fails_now_does_not_undo_what_is_under_review(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    held = reviews.review().commit
    result = reviews.review(trouble=("a",))
    assert (result.result, result.commit) == ("partial", None)
    assert reviews.at(REVIEW) == held


def test_the_base_moves_on_and_the_review_follows(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    reviews.review()
    reviews.repo.commit("other", {"other.txt": "1\n"})
    result = reviews.review()
    assert result.result == "synced"
    assert reviews.at(f"{REVIEW}^") == reviews.at("main")


def test_after_a_squash_merge_nothing_is_left_to_review(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    reviews.review()
    reviews.repo.git("merge", "--quiet", "--squash", REVIEW)
    reviews.repo.git("commit", "--quiet", "--message", "squashed")
    result = reviews.review()
    assert (result.result, result.commit) == ("unchanged", None)
    assert reviews.run().result == "unchanged"


def test_a_branch_that_somebody_moved_is_not_replaced(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    reviews.review()
    before = reviews.at(REVIEW)
    stale = Target(ref=REVIEW, base=reviews.at("main"), replaces=reviews.at("main"))
    result = reviews.run(stale)
    assert result.error is not None and "somebody moved it" in result.error.message
    assert result.exit_code == 128 and reviews.at(REVIEW) == before
    result = reviews.run(Target(ref=REVIEW, base=reviews.at("main")))
    assert result.exit_code == 128 and reviews.at(REVIEW) == before


def test_a_branch_that_moves_while_the_run_asks_is_not_replaced(
    reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews.texts["a"] = "changed"
    reviews.review()
    onto = Target(ref=REVIEW, base=reviews.at("main"), replaces=reviews.at(REVIEW))
    reviews.texts["a"] = "changed again"
    observe = MemorySource.observe

    def meanwhile(*args: object, **named: object) -> object:
        tree = reviews.repo.git("rev-parse", f"{REVIEW}^{{tree}}")
        made = reviews.repo.git("commit-tree", "-p", REVIEW, "-m", "a person's", tree)
        reviews.repo.git("update-ref", REVIEW, made)
        return observe(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(MemorySource, "observe", meanwhile)
    result = reviews.run(onto)
    assert result.exit_code == 128 and result.error is not None and "somebody moved it" in result.error.message
    assert reviews.repo.git("log", "-1", "--format=%s", REVIEW) == "a person's"


def test_a_push_replaces_the_branch_there_by_compare_and_swap(reviews: Reviews, tmp_path: Path) -> None:
    bare = bare_remote(reviews.repo, tmp_path / "bare.git")
    reviews.texts["a"] = "changed"
    reviews.review(push=True)
    reviews.texts["a"] = "changed again"
    reviews.review(push=True)
    assert bare.git("rev-parse", REVIEW, "okf/state") == reviews.repo.git("rev-parse", REVIEW, "okf/state")
    assert bare.git("notes", "--ref=okf", "show", REVIEW)
    assert bare.git("rev-parse", "main") == reviews.repo.git("rev-parse", f"{REVIEW}^")
    refs = bare.git("for-each-ref")
    assert reviews.review(push=True).result == "unchanged"
    assert [line for line in bare.git("for-each-ref").splitlines() if "lease" not in line] == [
        line for line in refs.splitlines() if "lease" not in line
    ]


def test_another_machine_replaces_a_review_it_never_had(reviews: Reviews, tmp_path: Path) -> None:
    bare = bare_remote(reviews.repo, tmp_path / "bare.git")
    reviews.repo.git("push", "--quiet", "origin", "okf/state", "refs/notes/okf")
    reviews.texts["a"] = "changed"
    reviews.review(push=True)
    there = bare.git("rev-parse", REVIEW)
    other = Reviews(clone_of(bare, tmp_path / "other", "--depth=1"), dict(reviews.texts), runs=10)
    onto = Target(ref=REVIEW, base=other.at("main"), replaces=there)
    held = other.run(onto, push=True)
    assert held.error is None and held.result == "unchanged"
    other.texts["b"] = "changed too"
    assert other.run(onto, push=True).result == "synced"
    assert bare.git("rev-parse", REVIEW, f"{REVIEW}^") == other.repo.git("rev-parse", REVIEW, "main")
    reviews.texts.update(other.texts, c="and this")
    onto = Target(ref=REVIEW, base=reviews.at("main"), replaces=bare.git("rev-parse", REVIEW))
    assert reviews.run(onto, push=True).result == "synced"
    assert bare.git("rev-parse", REVIEW) == reviews.at(REVIEW)


def test_a_machine_that_was_killed_after_its_push_makes_no_second_commit(reviews: Reviews, tmp_path: Path) -> None:
    bare = bare_remote(reviews.repo, tmp_path / "bare.git")
    reviews.texts["a"] = "changed"
    old = reviews.review(push=True).commit
    reviews.texts["b"] = "changed too"
    new = reviews.review(push=True).commit
    reviews.repo.git("update-ref", REVIEW, str(old))
    result = reviews.run(Target(ref=REVIEW, base=reviews.at("main"), replaces=new), push=True)
    assert (result.result, result.commit, result.base) == ("unchanged", None, new)
    assert bare.git("rev-parse", REVIEW) == new == reviews.at(REVIEW)


def test_a_persons_commit_on_either_side_is_never_replaced(reviews: Reviews, tmp_path: Path) -> None:
    bare = bare_remote(reviews.repo, tmp_path / "bare.git")
    reviews.texts["a"] = "changed"
    reviews.review(push=True)
    ours = reviews.at(REVIEW)
    tree = bare.git("rev-parse", f"{REVIEW}^{{tree}}")
    theirs = bare.git("commit-tree", "-p", REVIEW, "-m", "a person's", tree)
    bare.git("update-ref", REVIEW, theirs)
    reviews.texts["a"] = "changed again"
    result = reviews.run(Target(ref=REVIEW, base=reviews.at("main"), replaces=ours), push=True)
    assert result.exit_code == 128 and result.error is not None and theirs in result.error.message
    bare.git("update-ref", REVIEW, str(ours))
    mine = reviews.repo.git("commit-tree", "-p", REVIEW, "-m", "mine", f"{REVIEW}^{{tree}}")
    reviews.repo.git("update-ref", REVIEW, mine)
    result = reviews.run(Target(ref=REVIEW, base=reviews.at("main"), replaces=ours), push=True)
    assert result.exit_code == 128 and result.error is not None and mine in result.error.message
    assert (bare.git("rev-parse", REVIEW), reviews.at(REVIEW)) == (ours, mine)


def test_a_target_that_is_no_branch_for_content_is_refused(reviews: Reviews) -> None:
    for ref in ("refs/heads/okf/state", "refs/notes/okf", "HEAD"):
        result = reviews.run(Target(ref=ref, base=reviews.at("main"), replaces=reviews.at(ref)))
        assert result.exit_code == 128 and result.error is not None and "no branch for content" in result.error.message


def test_ours_goes_on_top_of_what_a_person_added(reviews: Reviews) -> None:
    reviews.texts["a"] = "changed"
    reviews.review()
    tree = reviews.repo.git("rev-parse", f"{REVIEW}^{{tree}}")
    theirs = reviews.repo.git("commit-tree", "-p", REVIEW, "-m", "a person's", tree)
    reviews.repo.git("update-ref", REVIEW, theirs)
    reviews.texts["b"] = "changed too"
    result = reviews.run(Target(ref=REVIEW))
    assert (result.base, reviews.at(f"{REVIEW}^")) == (theirs, theirs)
    assert reviews.run(Target(ref=REVIEW)).result == "unchanged"
