"""A look at the sources that writes nothing, ends in time, and never mistakes silence for news."""

from __future__ import annotations

import json
import time

from scenario import Docs, assert_same, everything, to_the_last_byte


def look(docs: Docs, *args: str) -> tuple[int, str]:
    ran = docs.run("fresh", *args)
    assert ran.err == ""
    return ran.code, ran.out


def test_a_bundle_that_is_up_to_date(docs: Docs) -> None:
    docs.build("a", "b")
    assert look(docs) == (0, "✓ Up to date: docs (3 pages)\n")
    assert look(docs, "docs", "--strict")[0] == 0


def test_a_bundle_that_is_behind(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.put("c")
    code, out = look(docs)
    assert (code, out.splitlines()[0]) == (1, "✗ Behind: docs (+1 -0 =1)")
    assert json.loads(look(docs, "--json")[1])["sources"][0]["verdict"] == "behind"
    docs.sync()
    assert look(docs)[0] == 0


def test_nothing_is_written_not_even_below_the_git_directory(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    before, bytes_before = everything(docs.repo), to_the_last_byte(docs.repo.path)
    look(docs)
    assert_same(before, everything(docs.repo))
    assert to_the_last_byte(docs.repo.path) == bytes_before


def test_a_site_that_cannot_be_asked_is_no_news_unless_told(docs: Docs) -> None:
    docs.build("a")
    docs.site.fault("*", status=503)
    code, out = look(docs)
    assert (code, out.startswith("? Not known: docs (")) == (0, True)
    assert look(docs, "--strict")[0] == 4


def test_a_site_that_hangs_costs_no_more_than_the_time_given(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("*", delay=20.0)
    began = time.monotonic()
    code, out = look(docs, "--time-budget", "1s")
    assert time.monotonic() - began < 6
    assert (code, out.startswith("? Not known: docs (")) == (0, True)


def test_changes_of_ones_own_are_no_obstacle(docs: Docs) -> None:
    docs.build("a")
    docs.file("a").write_text("mine")
    docs.repo.write("other", "x")
    assert look(docs)[0] == 0
