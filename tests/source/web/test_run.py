"""The main job against a real server: what is found, in which order, at which cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from observing import Docs, found, no_sleep, paths, small_site, tools

from git_okf.model import Fetched, NotModified
from git_okf.source import Ask
from git_okf.source.web.site import WebSite


def test_a_first_run_finds_what_is_linked(docs: Docs) -> None:
    small_site(docs)
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/guide/", "/guide/install", "/api/"}
    assert seen.complete
    assert seen.origins == {"links": 4}


def test_workers_are_told_how_many_new_pages_the_seed_and_the_listings_name(docs: Docs) -> None:
    docs.page("/", "/a", "/b", "/missing")
    for path in ("/a", "/b", "/c", "/d"):
        docs.page(path)
    docs.site.page("/sitemap.xml", f"<urlset><url><loc>{docs.key('/c')}</loc></url></urlset>", type="text/xml")

    def expected(**options: Any) -> list[int]:
        told: list[int] = []
        site = WebSite(docs.source(**options), {}, sleep=no_sleep)
        docs.take(site.observe(docs.known, Ask(), replace(tools(), expect=told.append)))
        return told

    assert expected(max_depth=0) == []
    docs.known = {}
    assert expected(max_pages=2) == [2]
    docs.known = {}
    assert expected() == [4]
    assert expected() == []
    docs.page("/", "/a", "/b", "/d", "/missing")
    assert expected() == [1]


def test_a_quiet_run_transfers_no_body_and_extracts_nothing(docs: Docs) -> None:
    small_site(docs)
    docs.page("/", "/guide/", "/api/", "/nothing-here", "/old")
    docs.site.redirect("/old", "/api/")
    docs.site.page("/robots.txt", "User-agent: *\nAllow: /\n", type="text/plain")
    docs.site.page("/sitemap.xml", f"<urlset><url><loc>{docs.key('/api/')}</loc></url></urlset>", type="text/xml")
    docs.sync()
    seen = docs.sync()
    assert docs.site.bodies() == 0
    assert seen.counters.bytes == 0
    assert seen.counters.extracted == 0
    assert {type(o) for o in seen.outcomes.values()} == {NotModified}
    assert docs.asked("/nothing-here", "HEAD") == ["/nothing-here"]
    assert docs.asked("/old") == []
    before = docs.known
    docs.sync()
    assert docs.known == before


def test_without_validators_the_bytes_save_the_extraction(docs: Docs) -> None:
    small_site(docs)
    docs.site.validators = "none"
    docs.sync()
    seen = docs.sync()
    assert seen.counters.extracted == 0
    assert {type(o) for o in seen.outcomes.values()} == {Fetched}
    assert docs.delta.unchanged == 4


@pytest.mark.parametrize("concurrency", [8, 32])
def test_the_order_of_answers_decides_nothing(docs: Docs, concurrency: int) -> None:
    tree = {"/": [f"/{a}/" for a in "abcd"]}
    tree |= {f"/{a}/": [f"/{a}/{b}" for b in "wxyz"] for a in "abcd"}
    tree |= {f"/{a}/{b}": [f"/{c}/{b}?v={a}" for c in "abcd"] for a in "abcd" for b in "wxyz"}
    for path, links in tree.items():
        docs.page(path, *links)
    docs.site.fault("/a/*", delay=0.01)
    one = docs.look(concurrency=1, max_pages=30)
    many = docs.look(concurrency=concurrency, max_pages=30)
    assert list(many.outcomes.items()) == list(one.outcomes.items())
    assert many.side == one.side
    assert many.incomplete_reasons == one.incomplete_reasons
    assert len(found(one)) == 30


def test_max_pages_fetches_nothing_in_vain_and_says_what_was_left(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(9)))
    for n in range(9):
        docs.page(f"/{n}")
    seen = docs.look(max_pages=4)
    assert paths(docs, seen) == {"/", "/0", "/1", "/2"}
    assert sorted(docs.asked()) == ["/", "/0", "/1", "/2"]
    assert seen.incomplete_reasons == ("max_pages 4 reached: 6 links not followed",)


def test_known_pages_keep_their_places_under_a_cap(docs: Docs) -> None:
    docs.page("/", "/z")
    docs.page("/z")
    docs.sync()
    docs.page("/", "/a", "/b", "/z")
    docs.page("/a")
    docs.page("/b")
    seen = docs.sync(max_pages=3)
    assert paths(docs, seen) == {"/", "/z", "/a"}
    assert docs.delta.removed == ()


def test_max_depth_counts_links_from_the_seed(docs: Docs) -> None:
    for n in range(5):
        docs.page("/" if n == 0 else f"/{n}", f"/{n + 1}")
    docs.page("/5")
    seen = docs.look(max_depth=2)
    assert paths(docs, seen) == {"/", "/1", "/2"}
    assert seen.incomplete_reasons == ("max_depth 2 reached: 1 link not followed",)
    assert docs.look(Ask(max_depth=9)).complete


def test_a_time_limit_asks_known_pages_first_and_takes_nothing_away(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.remove("/api/")
    docs.page("/", "/guide/", "/new")
    docs.page("/new")
    seen = docs.sync(Ask(deadline=0.0))
    assert not seen.complete
    assert "time budget" in seen.incomplete_reasons[0]
    assert docs.delta.removed == ()
    assert docs.asked("/new") == []
