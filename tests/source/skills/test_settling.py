"""What a decision about a review means for each package in it."""

from __future__ import annotations

from typing import Any

import pytest

from git_okf.source import Memos, Settlement
from git_okf.source.skills import ingestion
from git_okf.source.skills.ingestion import History, State, from_memo, offered, reopened, to_memo
from git_okf.source.skills.settling import settled, unresolved

R1, R2 = "1" * 40, "2" * 40
PDF, DOCX = "skills/pdf", "skills/docx"


def memo(content: str = "one", *, key: str = PDF, approved: bool = False) -> dict[str, Any]:
    made = {ingestion.MEMO: to_memo(offered(History(), key, R1, content, "l"))}
    return ingestion.settled(made, State.APPROVED) if approved else made


def state(memos: Memos, key: str = PDF) -> State:
    latest = from_memo(memos[key]).latest
    assert latest is not None
    return latest.state


@pytest.mark.parametrize("how", [Settlement.APPROVED, Settlement.REJECTED, Settlement.SUPERSEDED])
def test_what_waits_is_settled_and_nothing_else(how: Settlement) -> None:
    memos = {PDF: memo(), DOCX: memo(key=DOCX, approved=True), "skills/none": {}}
    _, told = settled({}, memos, how, "review 1")
    assert list(told) == [PDF]
    assert state(told) == State(how.value)


def test_a_rejection_is_remembered_by_the_source_too_and_once() -> None:
    memos = {PDF: memo()}
    memory, told = settled({"ref": "refs/heads/main"}, memos, Settlement.REJECTED, "review 1")
    assert memory == {"ref": "refs/heads/main", "rejected": {PDF: [ingestion.target_of(memos[PDF])]}}
    assert settled(memory, told, Settlement.REJECTED, "review 1") == (memory, {})


def test_what_was_rejected_and_is_approved_after_all_is_rejected_no_more() -> None:
    memory = {"rejected": {PDF: [ingestion.target_of(memo()), "other"], DOCX: ["x"]}}
    after, _ = settled(memory, {PDF: memo()}, Settlement.APPROVED, "review 1")
    assert after == {"rejected": {PDF: ["other"], DOCX: ["x"]}}


def test_a_review_opened_again_takes_back_its_own_rejections_alone() -> None:
    conclusion = ["IGNORED", "sha256:x", ingestion.REFUSED]
    first = {PDF: memo()}
    memory, told = settled({"not_taken": {PDF: conclusion, DOCX: conclusion}}, first, Settlement.REJECTED, "review 1")
    memory, more = settled(memory, {**told, DOCX: memo(key=DOCX)}, Settlement.REJECTED, "review 2")
    memory, again = settled(memory, {**told, **more}, Settlement.PENDING, "review 1")
    assert (list(again), state(again)) == ([PDF], State.READY_FOR_REVIEW)
    assert (list(memory["rejected"]), list(memory["not_taken"])) == ([DOCX], [DOCX])
    assert from_memo(again[PDF]).rejected == ()


def test_a_target_that_is_not_here_is_offered_once_more_whatever_was_decided() -> None:
    approved = from_memo(memo(approved=True))
    again = offered(approved, PDF, R2, "one", "l")
    assert [each.state for each in again.earlier] == [State.APPROVED]
    assert again.latest is not None and again.latest.state is State.READY_FOR_REVIEW
    assert offered(again, PDF, R2, "one", "l") == again, "what waits waits"
    assert reopened(approved) == approved, "there is nothing to take back"


def test_a_package_waits_once_and_so_does_one_in_conflict() -> None:
    conflict = ["TERMINAL_FAILURE", "sha256:x", f"{ingestion.CONFLICTING}the package skills/pdf is where it would go"]
    failed = ["TERMINAL_FAILURE", "sha256:x", "it has a symbolic link"]
    memory = {"not_taken": {PDF: conflict, "skills/PDF": conflict, "skills/bad": failed}}
    memos = {PDF: memo(), DOCX: memo(key=DOCX, approved=True)}
    assert unresolved(memory, memos) == {PDF, "skills/PDF"}
    assert unresolved({}, {}) == frozenset()
