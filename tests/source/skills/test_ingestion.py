"""How far each target of a package has come (seed 002, sections 1 to 4)."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.skills import ingestion
from git_okf.source.skills.ingestion import (
    NEXT,
    SETTLED,
    UNRESOLVED,
    Conflict,
    Forbidden,
    History,
    Ingestion,
    NotLatest,
    Receipt,
    State,
    decided,
    from_memo,
    moved,
    ready,
    receive,
    to_memo,
)

R1, R2, R3 = "1" * 40, "2" * 40, "3" * 40


def take(history: History, content: str, revision: str = R1, key: str = "skills/pdf", compliance: str = "l") -> Receipt:
    receipt = receive(history, key, revision, content, compliance)
    assert isinstance(receipt, Receipt)
    return receipt


def offered(history: History, content: str, revision: str = R1, key: str = "skills/pdf") -> History:
    receipt = take(history, content, revision, key)
    return ready(receipt.history, receipt.ingestion)


def latest(history: History) -> Ingestion:
    assert history.latest is not None
    return history.latest


def test_the_states_are_those_of_the_seed() -> None:
    assert [str(state) for state in State] == [
        "RECEIVED",
        "VALIDATING",
        "RETRY_WAIT",
        "VALIDATED",
        "READY_FOR_REVIEW",
        "NO_CHANGE",
        "BLOCKED",
        "FAILED",
        "APPROVED",
        "REJECTED",
        "SUPERSEDED",
    ]
    assert set(State) == UNRESOLVED | SETTLED
    assert UNRESOLVED.isdisjoint(SETTLED)


@pytest.mark.parametrize(("before", "after"), list(product(State, State)))
def test_only_the_transitions_of_the_table_are_possible(before: State, after: State) -> None:
    one = Ingestion(key="k", revision=R1, content="c", compliance="l", state=before)
    if after is before or after in NEXT[before]:
        assert one.to(after).state is after
    else:
        with pytest.raises(Forbidden):
            one.to(after)


def test_what_is_settled_stays_settled_but_for_a_failure_that_newer_content_replaces() -> None:
    assert {state: set(NEXT[state]) for state in SETTLED if NEXT[state]} == {State.FAILED: {State.SUPERSEDED}}


def test_validated_alone_is_not_ready_for_review() -> None:
    receipt = take(History(), "c")
    validated = receipt.ingestion.to(State.VALIDATING).to(State.VALIDATED)
    with pytest.raises(Forbidden):
        validated.to(State.APPROVED)


def test_the_same_report_again_is_the_same_ingestion() -> None:
    first = take(History(), "c")
    after = ready(first.history, first.ingestion)
    again = take(after, "c")
    assert again.replayed
    assert again.ingestion == latest(after), "with the state it has come to"
    assert again.ingestion.id == first.ingestion.id
    assert again.history == after


def test_another_digest_for_the_same_path_and_revision_is_a_conflict() -> None:
    history = offered(History(), "c")
    conflict = receive(history, "skills/pdf", R1, "other", "l")
    assert isinstance(conflict, Conflict)
    assert (conflict.before.content, conflict.now.content) == ("c", "other")
    assert conflict.reason.startswith("at revision 111111111111 its digest was ")


def test_the_same_content_at_a_newer_revision_makes_no_second_target() -> None:
    history = offered(History(), "c")
    again = take(history, "c", R2)
    assert (again.ingestion.state, again.history) == (State.NO_CHANGE, history)


def test_a_changed_licence_alone_is_a_target_to_review() -> None:
    history = decided(offered(History(), "c"), latest(offered(History(), "c")).target, State.APPROVED)
    receipt = take(history, "c", R2, compliance="other licence")
    assert receipt.ingestion.state is State.RECEIVED
    assert latest(receipt.history).compliance == "other licence"


def test_newer_content_supersedes_what_nobody_decided() -> None:
    history = offered(offered(History(), "one"), "two", R2)
    assert (latest(history).content, latest(history).state) == ("two", State.READY_FOR_REVIEW)
    (old,) = history.earlier
    assert (old.content, old.state) == ("one", State.SUPERSEDED)


def test_newer_content_leaves_what_was_decided_as_it_is() -> None:
    history = offered(History(), "one")
    history = decided(history, latest(history).target, State.APPROVED)
    history = offered(history, "two", R2)
    assert [old.state for old in history.earlier] == [State.APPROVED]


def test_only_the_latest_target_can_be_approved() -> None:
    history = offered(History(), "one")
    old = latest(history).target
    history = offered(history, "two", R2)
    with pytest.raises(NotLatest):
        decided(history, old, State.APPROVED)
    assert latest(decided(history, latest(history).target, State.APPROVED)).state is State.APPROVED


def test_a_rejected_target_is_not_offered_again() -> None:
    history = offered(History(), "one")
    history = decided(history, latest(history).target, State.REJECTED)
    assert take(history, "one", R2).ingestion.state is State.REJECTED
    assert take(history, "one", R2).history == history
    history = offered(history, "two", R2)
    again = take(history, "one", R3)
    assert (again.ingestion.state, latest(again.history).content) == (State.REJECTED, "two")


def test_a_decision_repeated_changes_nothing() -> None:
    history = offered(History(), "one")
    target = latest(history).target
    for state in (State.APPROVED, State.REJECTED):
        once = decided(history, target, state)
        assert decided(once, target, state) == once


def test_a_memo_is_settled_by_what_became_of_its_latest_target() -> None:
    history = offered(History(), "one")
    memo = {ingestion.MEMO: to_memo(history), "other": 1}
    assert ingestion.target_of(memo) == latest(history).target
    merged = ingestion.settled(memo, State.APPROVED)
    assert latest(from_memo(merged)).state is State.APPROVED
    assert merged["other"] == 1
    assert ingestion.settled(merged, State.APPROVED) == merged
    closed = ingestion.settled(memo, State.REJECTED)
    assert from_memo(closed).rejected == (latest(history).target,)
    assert ingestion.settled(closed, State.REJECTED) == closed
    assert from_memo(ingestion.settled(merged, State.REJECTED)).rejected == (latest(history).target,), "reverted"
    assert (ingestion.settled({}, State.APPROVED), ingestion.target_of({})) == ({}, "")


def test_what_is_no_decision_is_none() -> None:
    with pytest.raises(Forbidden):
        decided(offered(History(), "one"), "sha256:x", State.SUPERSEDED)


def test_a_package_that_moved_keeps_what_was_decided_and_its_latest_target() -> None:
    history = offered(History(), "one")
    history = decided(history, latest(history).target, State.APPROVED)
    after = moved(history, "other/pdf", R2)
    assert (latest(after).key, latest(after).revision, latest(after).state) == ("other/pdf", R2, State.APPROVED)
    assert take(after, "one", R3, "other/pdf").ingestion.state is State.NO_CHANGE
    assert moved(after, "other/pdf", R2) == after


def test_content_waiting_at_the_old_path_is_superseded_by_content_at_the_new_one() -> None:
    history = moved(offered(History(), "one"), "other/pdf", R2)
    history = offered(history, "two", R3, "other/pdf")
    assert [(old.key, old.state) for old in history.earlier] == [
        ("other/pdf", State.SUPERSEDED),
        ("skills/pdf", State.SUPERSEDED),
    ]


def test_backpressure_counts_a_package_once_and_only_while_nobody_settled_it() -> None:
    history = offered(offered(History(), "one"), "two", R2)
    assert history.is_unresolved
    assert not decided(history, latest(history).target, State.APPROVED).is_unresolved
    assert not History().is_unresolved


def test_a_blocked_package_counts_until_a_person_decides() -> None:
    receipt = take(History(), "c")
    blocked = receipt.ingestion.to(State.VALIDATING).to(State.BLOCKED, "its name is taken")
    history = ingestion.record(receipt.history, blocked)
    assert history.is_unresolved
    assert latest(ready(history, blocked)).state is State.READY_FOR_REVIEW, "once the conflict is gone"


def test_a_package_that_failed_is_tried_again_when_it_is_asked_for_anew() -> None:
    receipt = take(History(), "c")
    failed = receipt.ingestion.to(State.VALIDATING).to(State.FAILED, "over a limit")
    history = ingestion.record(receipt.history, failed)
    assert take(history, "c", R2).ingestion.state is State.RECEIVED, "a limit may have been raised"


def test_an_unknown_ingestion_cannot_be_recorded() -> None:
    with pytest.raises(ValueError, match="no such ingestion"):
        ingestion.record(History(), take(History(), "c").ingestion)


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "approve", "reject", "move"]), st.sampled_from("abc"), st.sampled_from([R1, R2, R3])
    ),
    max_size=25,
)


@given(_STEPS)
def test_whatever_happens_the_memo_says_it_all_and_the_laws_hold(steps: list[tuple[str, str, str]]) -> None:
    history, refused = History(), set()
    for word, content, revision in steps:
        if word == "take":
            receipt = receive(history, "k", revision, content, "l")
            if isinstance(receipt, Receipt):
                history = receipt.history
                if receipt.ingestion.state is State.RECEIVED:
                    assert receipt.ingestion.target not in refused
                    history = ready(history, receipt.ingestion)
        elif word == "move":
            history = moved(history, f"path-{content}", revision)
        elif history.latest is not None and history.latest.state is State.READY_FOR_REVIEW:
            state = State.APPROVED if word == "approve" else State.REJECTED
            refused |= {history.latest.target} if state is State.REJECTED else set()
            history = decided(history, history.latest.target, state)
        assert all(old.state not in UNRESOLVED for old in history.earlier)
        assert from_memo({ingestion.MEMO: json.loads(json.dumps(to_memo(history)))}) == history


@pytest.mark.parametrize("memo", [{}, {"ingestion": 5}, {"ingestion": {"latest": {"state": "NEW"}, "earlier": [3]}}])
def test_a_memo_that_cannot_be_read_is_no_history(memo: dict[str, object]) -> None:
    assert from_memo(memo) == History()


def test_what_was_rejected_is_kept_where_the_rest_of_a_memo_cannot_be_read() -> None:
    assert from_memo({"ingestion": {"latest": 7, "rejected": ["sha256:x", 3]}}) == History(rejected=("sha256:x",))
