"""What is said of each decision: every word has its text, for people and for machines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_okf.model import Fault, RunResult
from git_okf.review.decide import Decision, Facts, People, Word, decide
from git_okf.reviewing import telling
from git_okf.reviewing.outcome import Reviewed

RESULT = RunResult(
    name="docs",
    kind="web",
    result="synced",
    exit_code=0,
    bundle="docs",
    subject="sync: +1 -0 =0 (docs)",
    commit="a" * 40,
)
F, G = "f" * 32, "a" * 32
FACTS: dict[Word, Facts] = {
    Word.CREATE: Facts(wanted=F),
    Word.UPDATE: Facts(wanted=F, branch=G, open=True, told=G),
    Word.LEAVE_EDITED: Facts(wanted=F, branch=G, open=True, people=People.IN_THE_WAY),
    Word.LEAVE_REJECTED: Facts(wanted=F, rejected=frozenset({F})),
    Word.LEAVE_BACKLOG: Facts(wanted=None, full=True),
    Word.CLOSE: Facts(wanted="", branch=G, open=True),
    Word.NOTHING: Facts(wanted=""),
}
TEXTS: dict[Word, str] = {
    Word.CREATE: "✓ Opened: docs  (sync: +1 -0 =0 (docs))\n  https://h/1",
    Word.UPDATE: "✓ Updated: docs  (sync: +1 -0 =0 (docs))\n  https://h/1",
    Word.LEAVE_EDITED: "- Left: docs (people committed to the branch, and what is new does not apply on top of it)\n"
    "  https://h/1",
    Word.LEAVE_REJECTED: "- Left: docs (this very content was rejected: it is not proposed again until it differs)",
    Word.LEAVE_BACKLOG: "- Left: docs (too many reviews are unresolved: the source was only looked at)",
    Word.CLOSE: "✓ Closed: docs (the base has it all)\n  https://h/1",
    Word.NOTHING: "✓ Up to date: docs (the base has it all)",
}


def reviewed(word: Word) -> Reviewed:
    decision: Decision = decide(FACTS[word])
    assert decision.word is word
    number = 1 if FACTS[word].open or word is Word.CREATE else 0
    return Reviewed(
        result=RESULT,
        word=decision.word,
        why=decision.why,
        branch="okf/sync/docs",
        content=F,
        number=number,
        url=f"https://h/{number}" if number else "",
    )


@pytest.mark.parametrize("word", Word)
def test_every_decision_has_its_text(word: Word) -> None:
    assert telling.text(reviewed(word)) == TEXTS[word]


@pytest.mark.parametrize("word", Word)
def test_every_decision_has_its_data(word: Word) -> None:
    (source,) = telling.data([reviewed(word)])["sources"]
    assert source["review"]["decision"] == word.value
    assert source["review"]["why"] == decide(FACTS[word]).why
    assert telling.outputs([reviewed(word)])["decision"] == word.value


@pytest.mark.parametrize("word", Word)
def test_where_the_review_could_not_be_brought_up_to_date_that_is_said(word: Word) -> None:
    error = Fault(code="api-unavailable", message="HTTP 502")
    pushed = replace(reviewed(word), result=replace(RESULT, exit_code=4, error=error))
    assert telling.text(pushed) == (
        "- Half done: docs  (sync: +1 -0 =0 (docs) is on okf/sync/docs; the next run completes its review)"
    )
    quiet = replace(pushed, result=replace(pushed.result, commit=None))
    assert telling.text(quiet) == "- Half done: docs  (its branch is as it was; the next run completes its review)"


def test_without_a_host_the_branch_is_named() -> None:
    alone = replace(reviewed(Word.CREATE), number=0, url="")
    assert telling.text(alone) == "✓ Pushed: docs  (sync: +1 -0 =0 (docs))\n  okf/sync/docs"


def test_a_run_that_ended_before_a_decision_says_what_a_sync_says() -> None:
    before = Reviewed(result=replace(RESULT, result="skipped", notices=("paused",)), branch="okf/sync/docs")
    assert telling.text(before) == "- Skipped: docs (paused)"
    assert telling.data([before])["sources"][0]["review"] is None


def test_what_came_from_elsewhere_is_shown_and_not_obeyed() -> None:
    evil = replace(reviewed(Word.CREATE), url="https://h/\x1b[2J1")
    assert "\x1b" not in telling.text(evil)
