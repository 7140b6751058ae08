"""When a source is due: a table of what the state says, and the clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf import life
from git_okf.config import WebSource
from git_okf.store.state import State

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
SOURCE = WebSource(name="docs", url="https://docs.example.com/", bundle="docs")
DAILY = WebSource(name="docs", url="https://docs.example.com/", bundle="docs", every="1d")
NOTHING: Mapping[str, Any] = {}


def at(**ago: float) -> str:
    return (NOW - timedelta(**ago)).isoformat()


def state(**facts: Any) -> State:
    return State(identity={}, **facts)


DUE = (
    ("never looked at", SOURCE, None, NOTHING, True),
    ("active", SOURCE, state(last_observed=at(minutes=1)), NOTHING, True),
    ("paused", SOURCE, state(access="PAUSED", since=at(days=9)), NOTHING, False),
    ("paused, and a recheck is due", SOURCE, state(access="PAUSED", recheck_at=at(days=9)), NOTHING, False),
    ("unreachable, before its recheck", SOURCE, state(access="UNREACHABLE", recheck_at=at(hours=-1)), NOTHING, False),
    ("unreachable, at its recheck", SOURCE, state(access="UNREACHABLE", recheck_at=at()), NOTHING, True),
    ("unreachable, written by a version without rechecks", SOURCE, state(access="UNREACHABLE"), NOTHING, True),
    ("limited", SOURCE, state(retry_at=at(minutes=-1)), NOTHING, False),
    ("limited no more", SOURCE, state(retry_at=at(minutes=1)), NOTHING, True),
    ("a time that is none", SOURCE, state(retry_at="tomorrow"), NOTHING, True),
    ("daily, looked at this morning", DAILY, state(last_observed=at(hours=5)), NOTHING, False),
    ("daily, looked at yesterday", DAILY, state(last_observed=at(hours=24)), NOTHING, True),
    ("daily, quiet this morning", DAILY, state(last_observed=at(days=9)),
     {"at": at(hours=5), "result": "unchanged"}, False),
    ("daily, failed this morning", DAILY, state(last_observed=at(days=9)),
     {"at": at(hours=5), "result": "failed"}, True),
    ("daily, unreachable and due", DAILY, state(access="UNREACHABLE", last_observed=at(hours=5)), NOTHING, True),
)  # fmt: skip


@pytest.mark.parametrize(("source", "known", "last", "wanted"), [row[1:] for row in DUE], ids=[row[0] for row in DUE])
def test_a_source_is_due(source: WebSource, known: State | None, last: Mapping[str, Any], wanted: bool) -> None:
    found = life.due(source, known, last, NOW)
    assert found.now is wanted
    assert wanted or found.why


@given(st.integers(1, 40), st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)), st.text(max_size=9))
def test_rechecks_come_after_a_day_three_days_and_then_weeks_and_a_little_early(
    failures: int, when: datetime, name: str
) -> None:
    when = when.replace(tzinfo=UTC)
    wait = life.recheck_at(failures, when, name) - when
    whole = timedelta(days={1: 1, 2: 3}.get(failures, 7))
    assert whole * 0.9 <= wait <= whole
    assert life.recheck_at(failures, when, name) - when == wait


def test_sources_that_failed_together_are_not_asked_together() -> None:
    assert len({life.recheck_at(1, NOW, f"docs{number}") for number in range(20)}) == 20


def test_a_day_catches_the_recheck_of_the_day_before() -> None:
    assert all(life.recheck_at(1, NOW, f"docs{n}") <= NOW + timedelta(days=1) for n in range(50))


def test_ages_are_told_in_the_largest_unit() -> None:
    ages = {text: life.age(text, NOW) for text in (at(seconds=5), at(minutes=1), at(hours=30), at(days=3), "", "x")}
    assert list(ages.values()) == ["just now", "1 minute ago", "1 day ago", "3 days ago", "", ""]
