"""Which commits on a review branch are people's work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_okf.review import people
from git_okf.review.people import Commit

SYNC = "sync: +1 -0 =0 (docs)\n\n+ pages/a.md\n\nOkf-Source: docs\nOkf-Run: 5d2c\nOkf-Unchanged: 3\n"
OURS = Commit(id="1" * 40, message=f"{SYNC}Okf-Tree: {'a' * 40}\nOkf-Content: {'f' * 32}\n", tree="a" * 40)
THEIRS = Commit(id="2" * 40, message="Mend a sentence", author="pat@example.org", tree="b" * 40)


def test_a_commit_with_our_trailers_is_ours_whoever_committed_it() -> None:
    assert people.is_ours(replace(OURS, author="pat@example.org", committer="pat@example.org"), "docs")


@pytest.mark.parametrize(
    "commit",
    [
        THEIRS,
        replace(OURS, tree="c" * 40),
        replace(OURS, message=SYNC.replace("docs\nOkf-Run", "skills\nOkf-Run")),
        replace(OURS, message="Okf-Source: docs"),
        replace(OURS, message=f"{SYNC}\nI changed a bit more here."),
    ],
    ids=["no trailers", "amended", "of another source", "a title alone", "a paragraph after the trailers"],
)
def test_what_is_not_certainly_ours_is_a_persons(commit: Commit) -> None:
    assert people.by_people([commit], "docs") == (commit,)


def test_without_knowing_the_tree_the_trailers_decide() -> None:
    assert people.by_people([replace(OURS, tree="")], "docs") == ()
    assert people.by_people([Commit(id="1", message=SYNC, tree="a" * 40)], "docs") == ()


def test_an_update_of_the_branch_is_nobodys_work() -> None:
    merge = Commit(id="3" * 40, message="Merge branch 'main' into okf/sync/docs", parents=("1", "9"), merges_base=True)
    assert people.by_people([merge, OURS], "docs") == ()
    assert people.by_people([replace(merge, merges_base=False)], "docs") != ()


def test_what_was_squashed_into_the_base_is_lost_to_nobody() -> None:
    assert people.by_people([THEIRS, OURS], "docs", merged={THEIRS.id, OURS.id}) == ()


def test_a_branch_stands_for_the_content_of_our_newest_commit() -> None:
    older = replace(OURS, id="0" * 40, message=OURS.message.replace("f" * 32, "e" * 32))
    assert people.content_of([THEIRS, OURS, older], "docs") == "f" * 32
    assert people.content_of([THEIRS], "docs") == ""
    assert people.content_of([Commit(id="1", message=SYNC)], "docs") == ""
