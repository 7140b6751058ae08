"""Backpressure: at high water runs look only, below low water they take the newest; each source counts once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from nightly import Make, Team

NAMES = {"docs": "", "blog": "", "wiki": "", "help": ""}


@pytest.fixture
def full(assemble: Make) -> Team:
    """Four sources with something new, of which two may be under review; a third may come only below one."""
    team = assemble(names=NAMES, more=", high_water: 2, low_water: 1")
    for name in NAMES:
        team.put("a", "Two.", of=name)
    assert team.decisions() == {
        "docs": "create",
        "blog": "create",
        "wiki": "leave (backlog)",
        "help": "leave (backlog)",
    }
    team.night()
    return team


def words(team: Team) -> Mapping[str, str]:
    return {name: word.partition(" (")[0] for name, word in team.decisions().items()}


def test_at_high_water_runs_look_only_and_say_so(full: Team) -> None:
    ran = full.job()
    assert "- Left: wiki (too many reviews are unresolved: the source was only looked at)\n" in ran.out
    assert full.hub.branch("okf/sync/wiki") is None
    state = full.state("wiki")
    assert state.held[:10] == "2026-03-04"
    assert state.last_fully_processed[:10] == "2026-03-04"
    reports = full.reports()
    assert (reports["wiki"]["task"], reports["wiki"]["commit"]) == ("QUEUED", None)
    ran = full.run("status", "wiki", cwd=full.repo.path)
    assert "  task QUEUED, paths: 3 ACCEPTED\n" in ran.out
    assert f"  waits since {state.held} (" in ran.out and "): too many reviews are unresolved\n" in ran.out


def test_nights_at_high_water_are_quiet(full: Team) -> None:
    for _ in range(2):
        with full.silence():
            assert words(full) == {"docs": "nothing", "blog": "nothing", "wiki": "leave", "help": "leave"}
        full.night()
    assert len(full.requests()) == 1 + 2 * len(NAMES)


def test_what_is_under_review_is_still_brought_up_to_date(full: Team) -> None:
    full.put("a", "Three.", of="docs")
    assert words(full) == {"docs": "update", "blog": "nothing", "wiki": "leave", "help": "leave"}
    assert full.targets("docs") == [("SUPERSEDED", 1), ("PENDING", 1)]


def test_between_the_marks_nothing_is_taken_and_below_low_water_the_newest_is(full: Team) -> None:
    full.hub.merge(1)
    assert words(full) == {"docs": "nothing", "blog": "update", "wiki": "leave", "help": "leave"}
    for version in ("Three.", "Four."):
        full.put("a", version, of="wiki")
        full.night()
        assert words(full)["wiki"] == "leave"
    full.hub.close(2)
    full.night()
    assert words(full) == {"docs": "nothing", "blog": "leave", "wiki": "create", "help": "create"}
    assert full.hub.git("show", "okf/sync/wiki:wiki/pages/a.md")[-5:] == "Four."
    assert full.subjects("okf/sync/wiki") == ["sync: +0 -0 =1 (wiki)"]
    assert full.state("wiki").held == ""


def test_once_below_low_water_sources_are_taken_up_to_high_water(assemble: Make) -> None:
    names = {f"s{n}": "" for n in range(8)}
    team = assemble(names=names, more=", high_water: 4, low_water: 2")
    for name in names:
        team.put("a", "Two.", of=name)
    assert list(words(team).values()) == ["create"] * 4 + ["leave"] * 4
    for number in (1, 2, 3):
        team.hub.squash(number)
    team.night()
    assert list(words(team).values()) == ["nothing"] * 3 + ["update"] + ["create"] * 3 + ["leave"]


def test_a_settled_review_of_a_source_that_is_not_looked_at_does_not_count(full: Team) -> None:
    for name in ("docs", "blog"):
        full.run("pause", name, "--push", cwd=full.repo.path)
    full.hub.squash(1)
    full.hub.close(2)
    assert words(full) == {"docs": "skipped", "blog": "skipped", "wiki": "create", "help": "create"}


def test_reviews_that_were_superseded_count_once(assemble: Make) -> None:
    team = assemble(names=NAMES, more=", high_water: 2, low_water: 1")
    for version in range(4):
        team.put("a", f"Version {version}.", of="docs")
        team.decisions("docs")
        team.night()
    team.put("a", "Two.", of="blog")
    assert team.decisions("blog") == {"blog": "create"}


def test_the_last_place_is_given_once_to_two_runners(assemble: Make) -> None:
    """The second is told by the state, which moves with every push, while it was looking at its source."""
    team = assemble(names=NAMES, more=", high_water: 1, low_water: 1")
    team.put("a", "Two.", of="docs")
    team.put("a", "Two.", of="blog")
    first = team.repo
    said: list[str] = []

    def other(key: str) -> None:
        if not said:
            said.append("")
            team.repo = team.fresh()
            said[0] = team.decisions("docs")["docs"]
            team.repo = first

    team.sources["blog"].during = other
    assert team.decisions("blog") == {"blog": "leave (backlog)"}
    assert said == ["create"]
    assert [p.branch for p in team.hub.open_pulls()] == ["okf/sync/docs"]


def test_a_pushed_branch_that_has_no_pull_request_yet_is_not_in_its_own_way(assemble: Make) -> None:
    team = assemble(names=NAMES, more=", high_water: 1, low_water: 1")
    team.put("a", "Two.")
    team.hub.denied = {"pulls"}
    team.pr("docs", code=2)
    assert team.targets() == [("PENDING", 0)]
    assert team.decisions("blog") == {"blog": "nothing"}
    team.put("a", "Two.", of="blog")
    assert team.decisions("blog") == {"blog": "leave (backlog)"}
    team.hub.denied = set()
    team.night()
    assert team.decisions("docs") == {"docs": "create"}
