"""The guards, at their exact boundaries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_okf import guard
from git_okf.config import Removal
from git_okf.model import Change, Delta, Fetched, Observation, Outcome, Record


def page(number: int, size: int = 100) -> Record:
    return Record(key=f"k{number}", path=f"pages/{number}.md", content_hash=f"sha256:{number}", size=size)


def fetched(number: int, body: str, size: int = 100) -> Fetched:
    return Fetched(
        key=f"k{number}", title="t", description="", content_hash=body, raw_hash="", fingerprint="", size=size
    )


def check(
    known: int,
    found: int,
    *,
    outcomes: tuple[Outcome, ...] = (),
    delta: Delta | None = None,
    removal: Removal | None = None,
    allowed: frozenset[str] = frozenset(),
    finals: dict[str, str] | None = None,
    reasons: tuple[str, ...] = (),
) -> str | None:
    seen = Observation(outcomes={o.key: o for o in outcomes}, final_urls=finals or {}, incomplete_reasons=reasons)
    limits = guard.Limits(threshold=0.5, removal=removal or Removal(), allowed=allowed)
    trip = guard.check({f"k{n}": page(n) for n in range(known)}, seen, delta or Delta(), found, limits)
    return trip.name if trip else None


@pytest.mark.parametrize(
    ("known", "found", "aborts"),
    [
        (42, 40, False),
        (42, 21, False),
        (42, 20, True),
        (42, 15, True),
        (42, 3, True),
        (3, 1, False),
        (4, 0, False),
        (5, 2, True),
        (5, 3, False),
        (100, 60, False),
        (100, 50, False),
        (100, 49, True),
        (100, 40, True),
        (0, 0, False),
    ],
)
def test_del_04_page_count_has_the_seeds_table(known: int, found: int, aborts: bool) -> None:
    assert check(known, found) == ("page-count" if aborts else None)


def test_pages_a_run_never_came_to_are_not_missing() -> None:
    asked = tuple(fetched(n, f"sha256:{n}") for n in range(10))
    assert check(100, 10, outcomes=asked, reasons=("time budget",)) is None
    assert check(100, 4, outcomes=asked, reasons=("time budget",)) == "page-count"


def test_del_04_force_passes_page_count_and_max_removed_and_nothing_else() -> None:
    assert check(42, 3, allowed=guard.FORCED) is None
    assert {"page-count", "max-removed"} == guard.FORCED


@pytest.mark.parametrize(("removed", "aborts"), [(5, False), (6, True)])
def test_del_04_max_removed_as_a_count_and_as_a_share(removed: int, aborts: bool) -> None:
    delta = Delta(removed=tuple(page(n) for n in range(removed)))
    for removal in (Removal(max_removed=5), Removal(max_removed_share=0.5)):
        assert check(10, 10, delta=delta, removal=removal) == ("max-removed" if aborts else None)


@pytest.mark.parametrize(("alike", "known", "aborts"), [(2, 5, False), (3, 15, False), (3, 14, True), (4, 15, True)])
def test_lookalike_bodies(alike: int, known: int, aborts: bool) -> None:
    outcomes = tuple(fetched(n, "sha256:same" if n < alike else f"sha256:{n}") for n in range(known))
    assert check(known, known, outcomes=outcomes) == ("lookalike" if aborts else None)


def test_lookalike_final_urls_and_its_override() -> None:
    outcomes = tuple(fetched(n, f"sha256:{n}") for n in range(5))
    finals = {f"k{n}": "https://example.com/login" for n in range(3)}
    assert check(5, 5, outcomes=outcomes, finals=finals) == "lookalike"
    assert check(5, 5, outcomes=outcomes, finals=finals, allowed=guard.FORCED) == "lookalike"
    assert check(5, 5, outcomes=outcomes, finals=finals, allowed=frozenset({"lookalike"})) is None


def test_pages_that_always_shared_a_body_are_no_lookalikes() -> None:
    same = tuple(fetched(n, f"sha256:{n}") for n in range(5))
    assert check(5, 5, outcomes=same) is None


@pytest.mark.parametrize(("lost", "size", "aborts"), [(5, 10, False), (6, 10, True), (6, 20, False)])
def test_collapse_is_over_half_of_the_pages_losing_over_four_fifths(lost: int, size: int, aborts: bool) -> None:
    shrunk = tuple(
        Change(key=f"k{n}", path=f"pages/{n}.md", new=fetched(n, f"sha256:new{n}", size), old=page(n))
        for n in range(lost)
    )
    assert check(10, 10, delta=Delta(updated=shrunk)) == ("collapse" if aborts else None)


def test_items_that_are_kept_though_withdrawn_are_not_missed_again() -> None:
    known = {f"k{n}": replace(page(n), missing_since="2026-01-01T00:00:00+00:00" if n < 4 else "") for n in range(6)}
    seen = Observation(outcomes={o.key: o for o in (fetched(4, "sha256:4"), fetched(5, "sha256:5"))})
    for follow, name in ((False, None), (True, "page-count")):
        trip = guard.check(known, seen, Delta(), 2, guard.Limits(threshold=0.5, removal=Removal(follow=follow)))
        assert (trip.name if trip else None) == name
