"""A source that cannot be reached, is limited, is paused: what runs do, what the state says, what `status` tells."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from conftest import GitRepo
from scenario import Docs

from git_okf import config, standing, sync
from git_okf.errors import SourceUnavailable
from git_okf.lookup import statuses
from git_okf.model import RunResult
from git_okf.run import Options, World
from git_okf.source.memory import Item, MemorySource
from git_okf.store.repo import Repo

SETTINGS = """\
version: 1
sources:
  docs: {url: https://docs.example.com/, bundle: docs}
"""
CONFIG = config.parse(SETTINGS)
DAY = timedelta(days=1)


class Limited(MemorySource):
    """Says when to come back."""

    retry_at = ""

    def observe(self, known, ask, tools):  # type: ignore[no-untyped-def]
        if self.retry_at:
            raise SourceUnavailable("limited", retry_at=self.retry_at, rate_limited=True)
        return super().observe(known, ask, tools)


class Years:
    """A repository, a source, and a clock that a test moves."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.now = datetime(2026, 1, 1, 3, tzinfo=UTC)
        self.source = Limited(items={"https://docs.example.com/a": Item(title="a", body="One.")})
        repo.commit("configure", {".okf.yaml": SETTINGS})

    @property
    def world(self) -> World:
        return World(environ=os.environ, clock=lambda: self.now, open_source=lambda source, environ: self.source)

    def run(self, names: Sequence[str] = ()) -> RunResult:
        (result,) = sync.sync(Repo.open(self.repo.path, os.environ), CONFIG, names, Options(), self.world)
        return result

    def nights(self, number: int) -> list[int]:
        """The nights, counted from now, in which the source was asked."""
        asked = []
        for night in range(number):
            asked += [night] if self.run().result != "skipped" else []
            self.now += DAY
        return asked

    def state(self) -> str:
        return self.repo.git("rev-parse", "okf/state")

    def status(self, max_age: timedelta | None = None) -> statuses.Statuses:
        return statuses.status(Repo.open(self.repo.path, os.environ), CONFIG, [], self.now, max_age)


@pytest.fixture
def years(repo: GitRepo) -> Years:
    made = Years(repo)
    assert made.run().result == "synced"
    made.now += DAY
    return made


def test_an_unreachable_source_is_looked_at_after_a_day_three_days_and_then_every_week(years: Years) -> None:
    years.source.outage = "no such host"
    assert years.nights(40) == [0, 1, 4, 11, 18, 25, 32, 39]


def test_a_run_that_names_the_source_tries_at_once_and_its_failure_moves_no_ref(years: Years) -> None:
    years.source.outage = "no such host"
    assert years.run().result == "unavailable"
    before = years.state()
    years.now += timedelta(hours=1)
    assert (years.run().result, years.run(["docs"]).result) == ("skipped", "unavailable")
    assert years.state() == before


def test_on_return_everything_is_reconciled_and_the_outage_forgotten(years: Years) -> None:
    years.source.outage = "no such host"
    years.nights(3)
    years.source.outage = ""
    years.source.items["https://docs.example.com/b"] = Item(title="b", body="Two.")
    del years.source.items["https://docs.example.com/a"]
    assert years.nights(5) == [1, 2, 3, 4]
    (status,) = years.status().sources
    assert (status.state, status.items, status.failures, status.last_error) == ("ACTIVE", 1, 0, "")
    assert years.repo.git("log", "-1", "--format=%s") == "sync: +1 -1 =0 (docs)"


def test_a_limit_keeps_the_source_active_and_is_waited_for(years: Years) -> None:
    years.source.retry_at = (years.now + timedelta(hours=30)).isoformat()
    assert years.run().task == "RETRY_WAIT"
    years.source.retry_at = ""
    (status,) = years.status().sources
    assert (status.state, status.task, status.failures) == ("ACTIVE", "RETRY_WAIT", 0)
    years.now += DAY
    assert years.nights(2) == [1]


def test_a_pause_is_lifted_by_nobody_but_a_person(years: Years) -> None:
    repo = Repo.open(years.repo.path, os.environ)
    assert "Paused: docs" in standing.pause(repo, CONFIG.source("docs"), Options(), years.world).text()
    years.source.outage = "no such host"
    assert years.nights(10) == []
    assert years.run(["docs"]).result == "skipped"
    (status,) = years.status(max_age=DAY).sources
    assert (status.state, years.status(max_age=DAY).late) == ("PAUSED", ())
    years.source.outage = ""
    assert "Resumed: docs" in standing.resume(repo, CONFIG.source("docs"), Options(), years.world).text()
    assert years.run().result == "unchanged"


def test_status_fails_where_a_source_had_no_success_for_too_long(years: Years) -> None:
    assert years.status(max_age=2 * DAY).late == ()
    years.source.outage = "no such host"
    years.nights(3)
    found = years.status(max_age=2 * DAY)
    assert found.late == ("docs",)
    assert "unreachable since 2026-01-02T03:00:00+00:00 (3 days ago), 2 failures in a row" in found.text()
    assert found.data()["sources"][0]["late"] is True


def test_a_plan_names_what_is_due_and_why_the_rest_is_not(years: Years) -> None:
    repo = Repo.open(years.repo.path, os.environ)
    assert standing.plan(repo, CONFIG, [], years.now).data()["matrix"] == {"source": ["docs"]}
    years.source.outage = "no such host"
    years.run()
    plan = standing.plan(repo, CONFIG, [], years.now)
    assert (plan.data()["any"], plan.names) == (False, [])
    assert "could not be reached since" in plan.text()
    assert standing.plan(repo, CONFIG, ["docs"], years.now).names == ["docs"]


def test_a_look_takes_nothing_and_says_what_moved(docs: Docs) -> None:
    docs.build("a", "b")
    before = docs.repo.git("rev-parse", "HEAD", "okf/state")
    assert docs.sync("--head-only")["result"] == "unchanged"
    docs.put("a", version=2)
    report = docs.sync("--head-only")
    assert (report["result"], report["task"], report["updated"]) == ("skipped", "QUEUED", ["pages/docs/a.md"])
    assert docs.ok("sync", "--head-only").out == "- Skipped: docs (looked only: +0 -0 =1 (docs) at the source)\n"
    assert docs.repo.git("rev-parse", "HEAD", "okf/state") == before
    docs.sync()
    assert docs.subject == "sync: +0 -0 =1 (docs)"


def test_the_commands_say_the_same(docs: Docs) -> None:
    docs.build("a")
    assert json.loads(docs.ok("plan", "--json").out)["matrix"] == {"source": ["docs"]}
    assert docs.ok("pause", "docs").out == "✓ Paused: docs  (git okf resume docs)\n"
    assert docs.ok("sync").out.startswith("- Skipped: docs (paused since ")
    assert docs.ok("status").out.startswith("docs  PAUSED  ")
    assert json.loads(docs.ok("plan", "--json").out)["any"] is False
    assert docs.ok("resume", "docs").out == "✓ Resumed: docs\n"
    docs.quiet()
    assert docs.ok("status", "--check").code == 0
    assert docs.run("status", "--check", "--max-age", "0s").code == 1
    assert docs.run("status", "--max-age", "1d").code == 2
