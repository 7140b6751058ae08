"""What became of each content that was offered: states, rejections, backlog."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.review import targets
from git_okf.review.forge import Review, Stage
from git_okf.review.marker import OBSOLETE, Marker
from git_okf.review.targets import State, Target, Targets

NOW = "2026-03-01T00:00:00+00:00"
F, G, H = "f" * 32, "a" * 32, "b" * 32


def review(number: int, content: str, stage: Stage, *, settled: str = "", body: str | None = None) -> Review:
    mark = Marker(source="docs", fingerprint=content, head="1" * 40, run="r", settled=settled)
    return Review(
        number=number,
        stage=stage,
        branch="okf/sync/docs",
        base="main",
        title="sync",
        body=f"{mark}\ntext" if body is None else body,
        url=f"https://h/{number}",
        created_at=f"2026-02-{number:02}T00:00:00Z",
        settled_at="" if stage is Stage.OPEN else f"2026-02-{number:02}T12:00:00Z",
    )


def told(*reviews: Review, before: Targets = ()) -> Targets:
    return targets.reconcile(before, reviews, "docs", NOW)


def states(record: Targets) -> list[tuple[int, str, str]]:
    return [(t.review, t.fingerprint[0], t.state.value) for t in record]


def test_newer_content_supersedes_the_older_in_place() -> None:
    record = targets.offered((), Target(fingerprint=F, state=State.PENDING, review=1, since=NOW))
    record = targets.offered(record, Target(fingerprint=G, state=State.PENDING, review=1, since="later"))
    assert states(record) == [(1, "f", "SUPERSEDED"), (1, "a", "PENDING")]
    assert record[0].until == "later"


def test_the_same_content_in_the_same_review_is_the_same_target() -> None:
    record = targets.offered((), Target(fingerprint=F, state=State.PENDING, since=NOW))
    record = targets.offered(record, Target(fingerprint=F, state=State.PENDING, review=1, head="2" * 40, since="later"))
    record = targets.offered(record, Target(fingerprint=F, state=State.PENDING, review=1, head="3" * 40, since="x"))
    assert states(record) == [(1, "f", "PENDING")]
    assert (record[0].since, record[0].head) == (NOW, "3" * 40)


def test_pr_02_closed_unmerged_is_a_rejection_and_merged_is_not() -> None:
    record = told(review(1, F, Stage.CLOSED), review(2, G, Stage.MERGED), review(3, H, Stage.OPEN))
    assert states(record) == [(1, "f", "REJECTED"), (2, "a", "APPROVED"), (3, "b", "PENDING")]
    assert targets.rejected(record) == {F}
    assert record[0].until == "2026-02-01T12:00:00Z"


def test_pr_02_what_we_closed_ourselves_is_no_rejection() -> None:
    assert targets.rejected(told(review(1, F, Stage.CLOSED, settled=OBSOLETE))) == frozenset()


def test_pr_02_a_rejection_outlives_a_marker_that_was_edited_away() -> None:
    record = told(review(1, F, Stage.OPEN))
    record = told(review(1, F, Stage.CLOSED, body="I rewrote this"), before=record)
    assert targets.rejected(record) == {F}


def test_pr_02_a_rejection_outlives_the_record_and_the_listing() -> None:
    assert targets.rejected(told(review(1, F, Stage.CLOSED))) == {F}
    assert targets.rejected(told(before=told(review(1, F, Stage.CLOSED)))) == {F}
    kept = targets.load(json.loads(json.dumps(targets.dump(told(review(1, F, Stage.CLOSED))))))
    assert targets.rejected(kept) == {F}


def test_a_rejection_ends_where_a_person_opens_or_merges_it_after_all() -> None:
    record = told(review(1, F, Stage.CLOSED))
    reopened = told(review(1, F, Stage.OPEN), before=record)
    assert (states(reopened), targets.rejected(reopened)) == ([(1, "f", "PENDING")], frozenset())
    merged = told(review(1, F, Stage.MERGED), before=reopened)
    assert (states(merged), targets.rejected(merged)) == ([(1, "f", "APPROVED")], frozenset())


def test_only_the_newest_target_can_be_pending() -> None:
    record = told(review(1, F, Stage.OPEN), review(2, G, Stage.OPEN))
    assert states(record) == [(1, "f", "SUPERSEDED"), (2, "a", "PENDING")]


def test_a_pending_target_whose_review_is_nowhere_is_settled() -> None:
    record = told(review(1, F, Stage.OPEN))
    assert states(told(before=record)) == [(1, "f", "SUPERSEDED")]


def test_a_pushed_target_is_adopted_by_its_review() -> None:
    record = targets.offered((), Target(fingerprint=F, state=State.PENDING, since=NOW))
    assert states(told(before=record)) == [(0, "f", "PENDING")]
    assert states(told(review(4, F, Stage.OPEN), before=record)) == [(4, "f", "PENDING")]


def test_content_that_comes_back_in_the_same_review_is_pending_again() -> None:
    record: Targets = ()
    for content in (F, G, F):
        record = targets.offered(record, Target(fingerprint=content, state=State.PENDING, review=1, since=NOW))
    assert states(record) == [(1, "f", "SUPERSEDED"), (1, "a", "SUPERSEDED"), (1, "f", "PENDING")]
    assert states(told(review(1, F, Stage.CLOSED), before=record))[-1] == (1, "f", "REJECTED")
    assert targets.rejected(told(review(1, F, Stage.CLOSED), before=record)) == {F}


def test_settling_says_when() -> None:
    record = targets.settled(told(review(1, F, Stage.OPEN)), State.APPROVED, NOW)
    assert (record[0].state, record[0].until, targets.pending(record)) == (State.APPROVED, NOW, None)


def test_the_record_is_bounded_and_keeps_rejections_longest() -> None:
    record = tuple(
        Target(
            fingerprint=f"{n:032x}",
            state=State.REJECTED if n % 4 == 0 else State.APPROVED,
            review=n + 1,
        )
        for n in range(400)
    )
    kept = targets.load(targets.dump(record))
    assert targets.rejected(kept) == targets.rejected(record)
    assert len(kept) <= targets.KEPT + targets.KEPT_REJECTIONS
    assert kept[-1] == record[-1]


@pytest.mark.parametrize("data", [None, {}, 7, "x", [7, None, {}], [{"state": "OPEN"}], [{"state": "PENDING"}]])
def test_a_record_out_of_form_is_no_record(data: Any) -> None:
    assert targets.load(data) == ()


_REVIEWS = st.lists(st.tuples(st.sampled_from([F, G, H]), st.sampled_from(list(Stage)), st.booleans()), max_size=6).map(
    lambda items: [
        review(n, content, stage, settled=OBSOLETE if ours and stage is Stage.CLOSED else "")
        for n, (content, stage, ours) in enumerate(items, 1)
    ]
)


@settings(deadline=None)
@given(_REVIEWS, _REVIEWS)
def test_whatever_reviews_say_one_target_at_most_is_pending_and_telling_twice_changes_nothing(
    earlier: list[Review], later: list[Review]
) -> None:
    record = told(*later, before=told(*earlier))
    assert sum(t.state is State.PENDING for t in record) <= 1
    assert told(*later, before=record) == record
    assert targets.load(json.loads(json.dumps(targets.dump(record)))) == record


# --- backlog ---


def test_the_backlog_counts_each_coordinate_once_and_what_is_unresolved_alone() -> None:
    pending, settled = told(review(1, F, Stage.OPEN)), told(review(1, F, Stage.CLOSED), review(2, G, Stage.MERGED))
    superseded = told(review(1, F, Stage.OPEN), review(2, G, Stage.OPEN))
    here = ("h:1", "web:a", "docs")
    assert targets.backlog([(here, pending), (here, pending)]) == 1
    elsewhere = ("h:2", "web:a", "docs")
    assert targets.backlog([(here, settled), (("h:1", "web:b", "b"), superseded), (elsewhere, pending)]) == 2
    assert targets.backlog([]) == 0


def test_the_backlog_counts_every_decision_that_a_review_asks_for() -> None:
    here = ("h:1", "skills:a", "skills")
    one = Target(fingerprint=F, state=State.PENDING, since="2026-02-01T00:00:00Z", items=12)
    record = targets.offered((one,), Target(fingerprint=G, state=State.PENDING, since="2026-02-02T00:00:00Z", items=4))
    assert [t.items for t in record] == [12, 4]
    assert targets.backlog([(here, record)]) == 4, "the newest alone"
    assert targets.load(targets.dump(record)) == record
    marks = {"high_water": 10, "low_water": 3}
    assert targets.was_full([(here, (one,))], **marks)
    assert not targets.was_full([(here, record)], **marks)
    assert [t.items for t in told(review(1, G, Stage.MERGED), before=record)] == [12, 4]
    assert targets.load([{"fingerprint": F, "state": "PENDING"}])[0].items == 1, "as it was written before"


def test_backpressure_begins_at_high_water_and_ends_below_low_water() -> None:
    full, seen = False, []
    for unresolved in (8, 9, 10, 9, 6, 5, 4, 9, 10):
        full = not targets.has_room(unresolved, high_water=10, low_water=5, was_full=full)
        seen.append(full)
    assert seen == [False, False, True, True, True, True, False, False, True]


def test_backpressure_ends_when_nothing_is_unresolved_whatever_the_marks() -> None:
    assert targets.has_room(0, high_water=0, low_water=0, was_full=True)


def test_a_text_that_was_not_brought_up_to_date_does_not_undo_the_record() -> None:
    pending = Target(fingerprint=G, state=State.PENDING, review=7, since=NOW)
    record = (Target(fingerprint=F, state=State.SUPERSEDED, review=7, since=NOW, until=NOW), pending)
    assert targets.reconcile(record, [review(7, F, Stage.OPEN)], "docs", NOW) == record
    closed = targets.reconcile(record, [review(7, F, Stage.CLOSED)], "docs", NOW)
    assert targets.rejected(closed) == {G}


def spans(*times: tuple[int, int | None], review: int = 1) -> targets.Targets:
    """Targets that were offered and settled on days of March."""
    return tuple(
        Target(
            fingerprint=f"{n:032x}",
            state=State.PENDING if until is None else State.APPROVED,
            review=review,
            since=f"2026-03-{since:02}T00:00:00Z",
            until="" if until is None else f"2026-03-{until:02}T00:00:00+00:00",
        )
        for n, (since, until) in enumerate(times)
    )


@pytest.mark.parametrize(
    ("histories", "full"),
    [
        ([spans((1, None))], False),
        ([spans((1, None)), spans((2, None)), spans((3, None))], True),
        ([spans((1, None)), spans((2, None)), spans((3, 9))], True),
        ([spans((1, None)), spans((2, 8)), spans((3, 9))], False),
        ([spans((1, 8)), spans((2, 8)), spans((3, 8)), spans((9, None)), spans((9, None))], False),
        ([spans((1, 4), (4, None)), spans((2, 5), (5, None)), spans((3, None))], True),
        ([spans((1, 4), (4, None)), spans((2, 5), (5, None))], False),
        ([spans((1, None)), (Target(fingerprint=F, state=State.APPROVED, since="bad", until="worse"),)], False),
    ],
)
def test_high_water_lasts_until_low_water_whoever_looks(histories: list[targets.Targets], full: bool) -> None:
    known = [(("repo", str(n), "docs"), history) for n, history in enumerate(histories)]
    assert targets.was_full(known, high_water=3, low_water=2) is full
    assert targets.was_full(reversed(known), high_water=3, low_water=2) is full
