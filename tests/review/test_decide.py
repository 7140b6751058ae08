"""The decision about a review, over every combination of facts: an explicit table, and what must always hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from git_okf.review.decide import Decision, Facts, People, Word, decide

W, O = "wanted", "other"  # noqa: E741 - contents, as the table below names them
ANY = "any"
NO, ON_TOP, CLASH = People.NONE, People.BELOW, People.IN_THE_WAY


def every() -> Iterator[Facts]:
    """Every combination of facts."""
    for wanted, branch, behind, people, is_open, told, rejected, withheld, full, others in product(
        (None, "", W),
        (None, W, O),
        (False, True),
        People,
        (False, True),
        ("", W, O),
        (frozenset(), frozenset({W}), frozenset({O})),
        (False, True),
        (False, True),
        (0, 2),
    ):
        yield Facts(
            wanted=wanted,
            branch=branch,
            behind=behind,
            people=people,
            open=is_open,
            told=told,
            rejected=rejected,
            withheld=withheld,
            full=full,
            others=others,
        )


Row = tuple[object, object, object, object, object, object, object, object, Word, bool | None]
TABLE: tuple[Row, ...] = (
    # wanted, rejected, open, people, branch, behind, told, full -> word, is the branch written
    (None, ANY, ANY, ANY, ANY, ANY, ANY, ANY, Word.LEAVE_BACKLOG, False),
    # nothing is wanted
    ("", False, False, ANY, ANY, ANY, ANY, ANY, Word.NOTHING, False),
    ("", True, False, ANY, ANY, ANY, ANY, ANY, Word.LEAVE_REJECTED, False),
    ("", ANY, True, NO, ANY, ANY, ANY, ANY, Word.CLOSE, False),
    ("", ANY, True, (ON_TOP, CLASH), ANY, ANY, ANY, ANY, Word.LEAVE_EDITED, False),
    # what is wanted was rejected
    (W, True, False, ANY, ANY, ANY, ANY, ANY, Word.LEAVE_REJECTED, False),
    (W, True, True, NO, (None, O), ANY, ANY, ANY, Word.CLOSE, False),
    (W, True, True, (ON_TOP, CLASH), (None, O), ANY, ANY, ANY, Word.LEAVE_EDITED, False),
    # ... and a person opened it again
    (W, True, True, CLASH, W, ANY, ANY, ANY, Word.LEAVE_EDITED, False),
    (W, True, True, ON_TOP, W, ANY, W, ANY, Word.NOTHING, False),
    (W, True, True, ON_TOP, W, ANY, ("", O), ANY, Word.UPDATE, False),
    (W, True, True, NO, W, False, W, ANY, Word.NOTHING, False),
    (W, True, True, NO, W, False, ("", O), ANY, Word.UPDATE, False),
    (W, True, True, NO, W, True, ANY, ANY, Word.UPDATE, True),
    # no review is open
    (W, False, False, CLASH, ANY, ANY, ANY, ANY, Word.LEAVE_EDITED, False),
    (W, False, False, (NO, ON_TOP), ANY, ANY, ANY, True, Word.LEAVE_BACKLOG, False),
    (W, False, False, (NO, ON_TOP), (None, O), ANY, ANY, False, Word.CREATE, True),
    (W, False, False, NO, W, False, ANY, False, Word.CREATE, False),
    (W, False, False, NO, W, True, ANY, False, Word.CREATE, True),
    (W, False, False, ON_TOP, W, ANY, ANY, False, Word.CREATE, False),
    # a review is open
    (W, False, True, CLASH, ANY, ANY, ANY, ANY, Word.LEAVE_EDITED, False),
    (W, False, True, (NO, ON_TOP), (None, O), ANY, ANY, ANY, Word.UPDATE, True),
    (W, False, True, NO, W, True, ANY, ANY, Word.UPDATE, True),
    (W, False, True, NO, W, False, W, ANY, Word.NOTHING, False),
    (W, False, True, NO, W, False, ("", O), ANY, Word.UPDATE, False),
    (W, False, True, ON_TOP, W, ANY, W, ANY, Word.NOTHING, False),
    (W, False, True, ON_TOP, W, ANY, ("", O), ANY, Word.UPDATE, False),
)


def matches(row: Row, facts: Facts) -> bool:
    was_rejected = facts.wanted in facts.rejected if facts.wanted else facts.withheld
    said = (
        facts.wanted,
        was_rejected,
        facts.open,
        facts.people,
        facts.branch,
        facts.behind,
        facts.told,
        facts.full,
    )
    return all(
        cell == ANY or (fact in cell if isinstance(cell, tuple) else fact is cell or fact == cell)
        for cell, fact in zip(row, said, strict=False)
    )


def test_every_combination_of_facts_stands_in_exactly_one_line_and_comes_to_its_word() -> None:
    seen: Counter[int] = Counter()
    for facts in every():
        lines = [index for index, row in enumerate(TABLE) if matches(row, facts)]
        assert len(lines) == 1, (facts, lines)
        decision = decide(facts)
        assert (decision.word, decision.write_branch) == TABLE[lines[0]][8:], facts
        seen[lines[0]] += 1
    assert set(seen) == set(range(len(TABLE)))
    assert sum(seen.values()) == 3 * 3 * 2 * 3 * 2 * 3 * 3 * 2 * 2 * 2


@pytest.fixture(scope="module")
def decided() -> list[tuple[Facts, Decision]]:
    return [(facts, decide(facts)) for facts in every()]


Decided = list[tuple[Facts, Decision]]


def test_pr_03_a_second_review_is_never_opened(decided: Decided) -> None:
    assert not [f for f, d in decided if d.word is Word.CREATE and f.open]


def test_pr_03_further_reviews_are_closed_unless_the_run_only_looked(decided: Decided) -> None:
    assert all(d.close_others == (f.others > 0 and f.wanted is not None) for f, d in decided)


def test_pr_03_a_review_is_refreshed_when_only_the_base_moved() -> None:
    facts = Facts(wanted=W, branch=W, behind=True, open=True, told=W)
    assert (decide(facts).word, decide(facts).write_branch) == (Word.UPDATE, True)


def test_pr_03_an_empty_change_closes_its_review() -> None:
    decision = decide(Facts(wanted="", branch=O, open=True, told=O))
    assert (decision.word, decision.drop_branch) == (Word.CLOSE, True)


def test_pr_02_closed_pr_is_not_reopened(decided: Decided) -> None:
    for facts, decision in decided:
        if facts.wanted and facts.wanted in facts.rejected and not facts.open:
            assert decision.word is Word.LEAVE_REJECTED
            assert not decision.write_branch


def test_pr_02_rejected_content_is_never_pushed_into_a_review_of_other_content(decided: Decided) -> None:
    assert not [
        f for f, d in decided if d.write_branch and f.wanted in f.rejected and not (f.open and f.branch == f.wanted)
    ]


def test_pr_02_other_content_gets_a_new_review() -> None:
    assert decide(Facts(wanted=W, rejected=frozenset({O}), branch=O)).word is Word.CREATE


def test_pr_05_a_pushed_branch_without_a_review_gets_it_without_another_push() -> None:
    decision = decide(Facts(wanted=W, branch=W))
    assert (decision.word, decision.write_branch) == (Word.CREATE, False)


def test_commits_of_people_are_never_written_over_or_dropped(decided: Decided) -> None:
    for facts, decision in decided:
        if facts.people is not People.NONE:
            assert not decision.drop_branch
            assert decision.word is not Word.CLOSE
        if facts.people is People.IN_THE_WAY:
            assert not decision.write_branch
        if facts.people is People.BELOW and facts.branch == facts.wanted:
            assert not decision.write_branch


def test_what_is_newest_is_the_only_content_an_open_review_can_be_left_with(decided: Decided) -> None:
    """Unless people's work stands in it, or the run did not learn what is newest."""
    for facts, decision in decided:
        if facts.open and decision.word is Word.NOTHING:
            assert facts.branch == facts.wanted == facts.told


def test_a_full_backlog_stops_new_reviews_and_only_those(decided: Decided) -> None:
    for facts, decision in decided:
        if facts.full:
            assert decision.word is not Word.CREATE
        if facts.open and facts.wanted is not None:
            assert decision.word is not Word.LEAVE_BACKLOG


def test_a_decision_is_quiet_or_says_what_it_writes(decided: Decided) -> None:
    for facts, decision in decided:
        quiet = decision.word in (Word.NOTHING, Word.LEAVE_REJECTED, Word.LEAVE_BACKLOG)
        assert not (quiet and (decision.write_branch or decision.write_text or decision.drop_branch))
        assert decision.write_text == (
            decision.word in (Word.CREATE, Word.UPDATE) or (decision.word is Word.LEAVE_EDITED and facts.open)
        )
        assert decision.why


def test_what_was_written_needs_nothing_more(decided: Decided) -> None:
    """Carrying a decision out comes to rest: the facts after it lead to nothing, or to leaving."""
    for facts, decision in decided:
        if facts.wanted is None or decision.word not in (Word.CREATE, Word.UPDATE):
            continue
        behind = facts.behind and not (decision.write_branch and facts.people is People.NONE)
        after = Facts(
            wanted=facts.wanted,
            branch=facts.wanted,
            behind=behind,
            people=facts.people,
            open=True,
            told=facts.wanted,
            rejected=facts.rejected,
            full=facts.full,
        )
        assert decide(after).word is Word.NOTHING, (facts, after)
