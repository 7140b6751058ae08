"""What is worth a commit on the state branch, and what the state says after a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import GitRepo
from landing_steps import WHEN

from git_okf import memory
from git_okf.baseline import Baseline
from git_okf.config import WebSource
from git_okf.errors import SourceUnavailable
from git_okf.model import Record, Status
from git_okf.store import state as states
from git_okf.store.repo import Head, Repo
from git_okf.store.state import State

SOURCE = WebSource(name="docs", url="https://docs.example.com/", bundle="docs")
A = Record(
    key="https://docs.example.com/a",
    path="pages/a.md",
    content_hash="sha256:a",
    raw_hash="raw",
    fingerprint="extractor-1",
    etag='"1"',
    links=("https://docs.example.com/b",),
    title="A",
)
LATER = datetime(2026, 3, 5, tzinfo=UTC)


def base(records: Mapping[str, Record], state: State | None, commit: str | None = None) -> Baseline:
    head = Head("refs/heads/main", None, detached=False)
    return Baseline(head=head, tree=None, bundle_tree=None, state=state, state_commit=commit, known=records)


def known(*records: Record) -> dict[str, Record]:
    return {record.key: record for record in records}


def remembered(**facts: Any) -> State:
    return State(identity=SOURCE.identity(), **facts)


@pytest.mark.parametrize(
    "volatile", [{"etag": '"2"'}, {"last_modified": "now"}, {"raw_hash": "other"}, {"links": ()}, {"title": "B"}]
)
def test_what_only_saves_requests_is_worth_no_commit(volatile: dict[str, Any]) -> None:
    assert not memory.durably_changed(base(known(A), remembered()), [replace(A, **volatile)])


@pytest.mark.parametrize(
    "durable",
    [
        {"content_hash": "sha256:b"},
        {"path": "pages/b.md"},
        {"failure": "timeout", "tries": 1},
        {"missing_runs": 1, "missing_since": "2026-03-04T05:06:07+00:00"},
        {"fingerprint": "extractor-2"},
    ],
)
def test_what_another_machine_must_know_is_worth_one(durable: dict[str, Any]) -> None:
    assert memory.durably_changed(base(known(A), remembered()), [replace(A, **durable)])


def test_records_that_come_and_go_are_worth_a_commit_if_they_are_pages_or_pending() -> None:
    pending = Record(key="https://docs.example.com/new", status=Status.PENDING, tries=1)
    absent = Record(key="https://docs.example.com/never", status=Status.ABSENT, target="404")
    before = base(known(A), remembered())
    assert memory.durably_changed(before, [A, pending])
    assert memory.durably_changed(before, [])
    assert not memory.durably_changed(before, [A, absent])


def test_learning_validators_and_extractor_of_a_rebuilt_record_is_worth_none() -> None:
    rebuilt = Record(key=A.key, path=A.path, content_hash=A.content_hash)
    assert not memory.durably_changed(base(known(rebuilt), None), [A])
    assert memory.durably_changed(base(known(rebuilt), remembered()), [A])
    assert memory.durably_changed(base(known(rebuilt), None), [replace(A, content_hash="sha256:b")])


def test_the_state_after_a_run() -> None:
    before = remembered(last_fully_processed="long ago", access=states.UNREACHABLE, last_error="x", failures=3)
    done = memory.next_state(base(known(A), before), SOURCE, [A], "1" * 40, WHEN, processed=True)
    assert (done.access, done.last_error, done.failures, done.retry_at) == ("ACTIVE", "", 0, "")
    assert done.bundle_tree == "1" * 40
    assert done.last_observed == done.last_fully_processed == "2026-03-04T05:06:07+00:00"
    partly = memory.next_state(base(known(A), before), SOURCE, [A], None, WHEN, processed=False)
    assert (partly.last_observed, partly.last_fully_processed) == ("2026-03-04T05:06:07+00:00", "long ago")


def test_a_pause_and_what_a_newer_version_wrote_survive_a_run() -> None:
    before = remembered(access=states.PAUSED, extra={"novel": 1})
    after = memory.next_state(base(known(A), before), SOURCE, [A], None, WHEN, processed=True)
    assert (after.access, after.extra) == (states.PAUSED, {"novel": 1})


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, False),
        ({"access": states.UNREACHABLE}, True),
        ({"last_error": "x"}, True),
        ({"retry_at": "2026-03-04T05:06:07+00:00"}, True),
        ({"access": states.PAUSED}, False),
    ],
)
def test_an_outage_that_is_over_is_to_be_unsaid(facts: dict[str, Any], expected: bool) -> None:
    assert memory.outage_is_over(base({}, remembered(**facts))) is expected
    assert not memory.outage_is_over(base({}, None))


# --- on the state branch ---


def written(repo: Repo, state: State) -> Baseline:
    """The baseline of a run that finds this state."""
    memory.write_state(repo, base({}, None, repo.ref(states.REF)), SOURCE, state, WHEN, "test", lambda: None)
    return reread(repo)


def reread(repo: Repo) -> Baseline:
    state = states.read(repo, SOURCE.name)
    return base(state.records if state else {}, state, repo.ref(states.REF))


def outage(repo: Repo, before: Baseline, error: SourceUnavailable) -> State:
    memory.write_outage(repo, before, SOURCE, error, LATER, lambda: None)
    state = states.read(repo, SOURCE.name)
    assert state is not None
    return state


def test_an_outage_is_written_once_for_as_long_as_it_lasts(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    before = written(opened, remembered(records=known(A), last_observed="before"))
    error = SourceUnavailable("refused")
    state = outage(opened, before, error)
    assert (state.access, state.last_error, state.failures) == (states.UNREACHABLE, "refused", 1)
    assert (state.records, state.last_observed) == (known(A), "before")
    first = opened.ref(states.REF)
    outage(opened, reread(opened), error)
    assert opened.ref(states.REF) == first
    outage(opened, reread(opened), SourceUnavailable("no such host"))
    assert opened.ref(states.REF) == first, "it was not due: what was tried by hand changes nothing"


def test_each_look_that_was_due_and_failed_is_written_with_the_time_of_the_next(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    before = written(opened, remembered(records=known(A)))
    first = outage(opened, before, SourceUnavailable("refused"))
    later = datetime.fromisoformat(first.recheck_at)
    memory.write_outage(opened, reread(opened), SOURCE, SourceUnavailable("refused"), later, lambda: None)
    second = states.read(opened, SOURCE.name)
    assert second is not None and (second.failures, second.since) == (2, first.since)
    assert timedelta(days=2.6) < datetime.fromisoformat(second.recheck_at) - later <= timedelta(days=3)


def test_a_rate_limit_leaves_the_source_active_and_says_when_to_come_back(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    before = written(opened, remembered(records=known(A)))
    error = SourceUnavailable("429", retry_at="2026-03-05T01:00:00+00:00", rate_limited=True)
    state = outage(opened, before, error)
    assert (state.access, state.retry_at, state.failures) == (states.ACTIVE, "2026-03-05T01:00:00+00:00", 0)


def test_an_outage_does_not_end_a_pause(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    before = written(opened, remembered(access=states.PAUSED))
    assert outage(opened, before, SourceUnavailable("refused")).access == states.PAUSED


def test_an_outage_of_a_source_without_a_state_makes_none(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    memory.write_outage(opened, base({}, None), SOURCE, SourceUnavailable("x"), LATER, lambda: None)
    assert opened.ref(states.REF) is None


def test_a_lost_lease_stops_the_state_from_moving(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    before = written(opened, remembered())
    first = opened.ref(states.REF)

    def lost() -> None:
        raise SourceUnavailable("lost")

    with pytest.raises(SourceUnavailable):
        memory.write_state(opened, before, SOURCE, remembered(failures=1), LATER, "test", lost)
    with pytest.raises(SourceUnavailable):
        memory.forget(opened, "docs", LATER, lost)
    assert opened.ref(states.REF) == first


def test_a_state_that_could_not_be_read_is_replaced_whole(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    written(opened, remembered(records=known(*(replace(A, key=f"{A.key}{i}") for i in range(20)))))
    commit = opened.ref(states.REF)
    memory.write_state(opened, base({}, None, commit), SOURCE, remembered(records=known(A)), LATER, "x", lambda: None)
    state = states.read(opened, "docs")
    assert state is not None and state.records == known(A)
    assert len(repo.git("ls-tree", "-r", "--name-only", states.REF, "docs/items").splitlines()) == 1


def test_forgetting_a_source_leaves_the_others(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    written(opened, remembered(records=known(A)))
    other = replace(SOURCE, name="other", bundle="other")
    before = base({}, None, opened.ref(states.REF))
    memory.write_state(opened, before, other, State(identity=other.identity()), WHEN, "test", lambda: None)
    memory.forget(opened, "docs", LATER, lambda: None)
    assert states.read(opened, "docs") is None
    assert states.read(opened, "other") is not None
    first = opened.ref(states.REF)
    memory.forget(opened, "docs", LATER, lambda: None)
    assert opened.ref(states.REF) == first


def test_how_the_last_run_ended_is_kept_in_scratch(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert memory.last(opened, "docs") == {}
    memory.note_last(opened, "docs", WHEN, "aborted")
    assert memory.last(opened, "docs") == {"at": "2026-03-04T05:06:07+00:00", "result": "aborted"}
    assert repo.git("for-each-ref") == ""
