"""Trouble is not absence: what takes a page away, and what never does."""

from __future__ import annotations

import pytest
from observing import Docs, document, found, paragraph, small_site

from git_okf.config import Removal
from git_okf.model import Failed, Fetched, Gone, Ignored, NotModified
from git_okf.source import Ask
from git_okf.source.web.crawl import RECHECK_AFTER
from git_okf.source.web.site import WebSite


def test_del_01_failed_fetch_is_no_deletion(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", drop=True)
    docs.site.fault("/guide/", body=b"<html>" + b"x" * 36, cut=21)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Failed)
    assert isinstance(seen.outcomes[docs.key("/guide/")], Failed)
    assert seen.incomplete_reasons == ("2 pages could not be fetched",)
    assert docs.delta.removed == ()
    assert len(docs.delta.retained) == 2


def test_del_01_a_hub_that_fails_takes_nothing_with_it(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/guide/", status=500)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/guide/")], Failed)
    assert isinstance(seen.outcomes[docs.key("/guide/install")], NotModified)
    assert seen.unlinked == frozenset()


@pytest.mark.parametrize("status", [401, 403, 408, 429, 451, 500, 502, 503, 504])
def test_del_01_no_status_but_404_and_410_takes_a_page_away(docs: Docs, status: int) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=status, times=3)
    seen = docs.sync()
    assert not isinstance(seen.outcomes[docs.key("/api/")], Gone)
    assert docs.delta.removed == ()


def test_a_page_is_gone_when_it_says_so_twice(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.remove("/api/")
    docs.page("/", "/guide/")
    seen = docs.sync()
    assert seen.outcomes[docs.key("/api/")] == Gone(key=docs.key("/api/"), reason="404, asked twice")
    assert docs.asked("/api/") == ["/api/", "/api/"]
    assert docs.asked()[-1] == "/api/"
    assert [r.key for r in docs.delta.removed] == [docs.key("/api/")]


def test_a_page_that_is_gone_but_linked_is_asked_a_last_time_at_the_end(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.page("/guide/", "/", "/guide/install", version=2)
    docs.site.fault("/api/", status=404)
    docs.site.redirect("/guide/install", "/setup")
    docs.page("/setup")
    seen = docs.sync()
    assert {r.key for r in docs.delta.removed} == {docs.key("/api/"), docs.key("/guide/install")}
    assert len(docs.asked("/api/")) == len(docs.asked("/guide/install")) == 3
    assert set(docs.asked()[-2:]) == {"/api/", "/guide/install"}
    assert seen.complete


@pytest.mark.parametrize("answers", [1, 2])
@pytest.mark.parametrize("wrong", [{"status": 404}, {"status": 410}, {"status": 301, "headers": {"Location": "/api/"}}])
def test_page_05_a_linked_page_that_comes_back_within_the_run_is_not_gone(
    docs: Docs, answers: int, wrong: dict[str, object]
) -> None:
    small_site(docs)
    docs.page("/new")
    docs.sync()
    docs.page("/guide/", "/", "/guide/install", "/new", version=2)
    docs.site.fault("/guide/", times=answers, **wrong)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/guide/")], Fetched)
    assert docs.key("/new") in found(seen)
    assert (seen.complete, seen.unlinked, docs.delta.removed) == (True, frozenset(), ())


def test_page_05_the_questions_are_apart_and_past_all_caches(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=404)
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        docs.site.faults[0].headers = {"X-Asked": str(len(pauses))}

    docs.observe(WebSite(docs.source(), {}, sleep=pause))
    assert pauses == [RECHECK_AFTER, RECHECK_AFTER]
    asked = docs.site.requests("/api/")
    assert [r.headers.get("cache-control") for r in asked] == [None, "no-cache", "no-cache"]
    assert "if-none-match" in asked[0].headers
    assert "if-none-match" not in asked[1].headers


def test_a_page_taken_from_markdown_is_gone_when_the_page_is(docs: Docs) -> None:
    docs.page("/", "/a")
    head = '<link rel="alternate" type="text/markdown" href="/a.md">'
    docs.site.page("/a", document("a", head=head))
    docs.site.page("/a.md", f"# a\n\n{paragraph('a')}\n", type="text/markdown")
    docs.sync()
    assert docs.known[docs.key("/a")].form == "markdown"
    docs.site.remove("/a.md")
    docs.site.fault("/a", status=404, times=1)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/a")], Fetched)
    assert docs.delta.removed == ()


def test_page_05_a_404_that_does_not_last_is_none(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/guide/", status=404, times=1)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/guide/")], Fetched)
    assert seen.complete
    assert docs.delta.unchanged == 4


def test_page_05_a_flapping_page_is_removed_once(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    removals = []
    for status in (404, 200, 404, 404, 404):
        docs.site.heal()
        if status == 404:
            docs.site.fault("/api/", status=404)
        docs.sync(removal=Removal(gone_runs=2))
        removals.append(len(docs.delta.removed))
    assert removals == [0, 0, 0, 1, 0]


def test_a_page_that_comes_back_brings_what_it_links_to(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.page("/guide/", "/", "/guide/install", "/guide/new", version=2)
    docs.page("/guide/new")
    docs.site.fault("/guide/", status=404, times=1)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/guide/new")], Fetched)
    assert seen.unlinked == frozenset()


def test_a_broken_deploy_is_not_asked_twice(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(9)))
    for n in range(9):
        docs.page(f"/{n}")
    docs.sync()
    docs.site.fault("/[0-9]", status=404)
    seen = docs.look()
    assert not any(isinstance(outcome, Gone) for outcome in seen.outcomes.values())
    assert len(docs.asked("/[0-9]")) == 9
    forced = docs.look(Ask(threshold=0))
    assert sum(isinstance(outcome, Gone) for outcome in forced.outcomes.values()) == 9


def test_del_06_a_page_nothing_links_to_is_asked_for_and_kept(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(10)))
    for n in range(10):
        docs.page(f"/{n}")
    docs.sync()
    for left in (6, 3):
        docs.page("/", *(f"/{n}" for n in range(left)))
        seen = docs.sync(removal=Removal(unlinked_runs=9))
        assert len(found(seen)) == 11
        assert len(seen.unlinked) == 10 - left
    assert docs.delta.removed == ()


def test_an_incomplete_run_says_nothing_about_links(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.page("/", "/guide/")
    docs.site.fault("/guide/", status=500)
    seen = docs.sync(removal=Removal(unlinked_runs=1))
    assert not seen.complete
    assert docs.delta.removed == ()


def test_del_07_a_page_that_leaves_the_scope_is_its_own_class(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    seen = docs.sync(exclude=("/guide/**",))
    outcome = seen.outcomes[docs.key("/guide/install")]
    assert outcome == Ignored(
        key=docs.key("/guide/install"), reason="out of scope: exclude pattern '/guide/**' matches", out_of_scope=True
    )
    assert docs.asked("/guide/*") == []
    assert docs.delta.removed == ()
    assert seen.complete


def test_a_wider_scope_shows_what_unchanged_pages_link_to(docs: Docs) -> None:
    small_site(docs)
    docs.sync(exclude=("/api/**",))
    assert docs.key("/api/") not in docs.known
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Fetched)
