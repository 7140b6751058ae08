"""The crawl against a real server: what exists, what is trouble, what is gone. Fault ids stand in the names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from observing import Bodies, advance, document, no_sleep, paragraph, tools
from site_server import Site, serving

from git_okf.config import Removal, WebSource
from git_okf.errors import SourceUnavailable, UsageError
from git_okf.model import Failed, Fetched, Gone, Ignored, Moved, NotModified, Observation, Record, Status, Suspect
from git_okf.source import Ask
from git_okf.source.web.site import WebSite


class Docs:
    """A site under test, and a source that looks at it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.options: dict[str, Any] = {}
        self.known: dict[str, Record] = {}

    def key(self, path: str) -> str:
        return self.site.url + path.removeprefix("/")

    def page(self, path: str, *links: str, version: int = 1, name: str = "", **headers: str) -> None:
        self.site.page(path, document(name or path.strip("/") or "Home", links, version=version), **headers)

    def look(self, ask: Ask | None = None, *, spool: Bodies | None = None, **options: Any) -> Observation:
        """One run; nothing is remembered of it."""
        self.site.forget()
        source = WebSource(
            name="docs", url=options.pop("url", self.site.url), bundle="docs", **{**self.options, **options}
        )
        return WebSite(source, {}, sleep=no_sleep).observe(self.known, ask or Ask(), tools(spool))

    def sync(self, ask: Ask | None = None, **options: Any) -> Observation:
        """One run whose delta is taken."""
        seen = self.look(ask, **options)
        self.delta, self.known = advance(self.known, seen, options.get("removal"))
        return seen

    def asked(self, pattern: str = "*", method: str | None = None) -> list[str]:
        """Paths of the pages asked for."""
        listings = ("/robots.txt", "/sitemap.xml", "/llms.txt")
        return [r.path for r in self.site.requests(pattern, method=method) if r.path not in listings]


@pytest.fixture
def docs() -> Iterator[Docs]:
    site = Site()
    with serving(site):
        yield Docs(site)


def small_site(docs: Docs) -> None:
    docs.page("/", "/guide/", "/api/")
    docs.page("/guide/", "/", "/guide/install")
    docs.page("/guide/install", "/guide/")
    docs.page("/api/", "/")


def found(seen: Observation) -> set[str]:
    return {key for key, outcome in seen.outcomes.items() if isinstance(outcome, Fetched | NotModified)}


def paths(docs: Docs, seen: Observation) -> set[str]:
    return {key.removeprefix(docs.site.url.rstrip("/")) for key in found(seen)}


def side(seen: Observation, status: Status) -> dict[str, str]:
    return {record.key: record.target for record in seen.side if record.status is status}


# --- the main job ---


def test_a_first_run_finds_what_is_linked(docs: Docs) -> None:
    small_site(docs)
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/guide/", "/guide/install", "/api/"}
    assert seen.complete
    assert seen.origins == {"links": 4}


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
    assert docs.asked() == ["/", "/0", "/1", "/2"]
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


# --- deletion safety ---


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
        key=docs.key("/guide/install"), reason="out of scope: exclude pattern '/guide/**' matches"
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


# --- identity ---


def test_url_01_spellings_of_one_page_are_one_page(docs: Docs) -> None:
    docs.page("/", "/guide", "/guide/", "/guide/#a", "/guide/index.html")
    for path in ("/guide", "/guide/", "/guide/index.html"):
        docs.page(path, name="guide")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/guide"}
    assert side(seen, Status.ALIAS) == {
        docs.key("/guide/"): docs.key("/guide"),
        docs.key("/guide/index.html"): docs.key("/guide"),
    }


def test_url_01_what_is_requested_is_what_was_written(docs: Docs) -> None:
    docs.page("/", "/guide/")
    docs.page("/guide/")
    docs.site.fault("/guide", status=404)
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/guide/"}
    assert docs.asked() == ["/", "/guide/"]
    assert seen.complete


def test_url_02_letter_case_merges_only_equal_bodies(docs: Docs) -> None:
    docs.page("/", "/Doc/A", "/doc/a", "/API", "/api")
    docs.page("/Doc/A", name="a")
    docs.page("/doc/a", name="a")
    docs.page("/API", name="the interface")
    docs.page("/api", name="another thing")
    assert paths(docs, docs.look()) == {"/", "/Doc/A", "/API", "/api"}


def test_url_05_links_are_resolved_on_what_answered(docs: Docs) -> None:
    docs.page("/", "/old", "/x", "/based")
    docs.site.redirect("/old", "/v2/guide/")
    docs.site.redirect("/x", "http://elsewhere.invalid/", status=302)
    docs.page("/v2/guide/", "next")
    docs.page("/v2/guide/next")
    docs.site.page("/based", document("based", ["inner"], head='<base href="/v2/">'))
    docs.page("/v2/inner")
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/v2/guide/", "/v2/guide/next", "/based", "/v2/inner"}
    assert docs.asked("/next") == docs.asked("/inner") == []
    assert side(seen, Status.ALIAS) == {docs.key("/old"): docs.key("/v2/guide/")}
    assert side(seen, Status.REFUSED) == {docs.key("/x"): "redirects to http://elsewhere.invalid/"}


def test_url_06_a_template_constant_costs_no_page(docs: Docs) -> None:
    head = '<link rel="canonical" href="/">'
    docs.site.page("/", document("Home", [f"/{n}" for n in range(4)], head=head))
    for n in range(4):
        docs.site.page(f"/{n}", document(f"page {n}", head=head))
    seen = docs.look()
    assert len(found(seen)) == 5
    assert any("name" in notice and "canonical" in notice for notice in seen.notices)


def test_url_06_equal_pages_with_one_canonical_are_one(docs: Docs) -> None:
    head = '<link rel="canonical" href="/p">'
    docs.page("/", "/p?utm=1", "/p?utm=2")
    docs.site.page("/p", document("p", head=head))
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/p"}
    docs.sync()
    assert docs.asked("/p[?]*") == []
    assert docs.delta.unchanged == 2


def test_a_canonical_that_leads_nowhere_costs_nothing(docs: Docs) -> None:
    docs.page("/", "/a", "/b")
    for name in "ab":
        docs.site.page(f"/{name}", document(name, head=f'<link rel="canonical" href="/no/{name}">'))
    assert paths(docs, docs.look()) == {"/", "/a", "/b"}


def test_url_11_a_remembered_alias_is_asked_again_when_its_page_changes(docs: Docs) -> None:
    docs.page("/", "/guide/", "/guide/index.html")
    docs.page("/guide/", name="guide")
    docs.page("/guide/index.html", name="guide")
    docs.sync()
    docs.sync()
    assert docs.asked("/guide/index.html") == []
    docs.page("/guide/", name="guide", version=2)
    seen = docs.sync()
    assert docs.asked("/guide/index.html") == ["/guide/index.html"]
    assert paths(docs, seen) == {"/", "/guide/", "/guide/index.html"}


def test_a_known_page_keeps_its_key_against_a_new_spelling(docs: Docs) -> None:
    docs.page("/", "/guide/")
    docs.page("/guide/", name="guide")
    docs.sync()
    docs.page("/", "/guide", "/guide/")
    docs.page("/guide", name="guide")
    seen = docs.sync()
    assert side(seen, Status.ALIAS) == {docs.key("/guide"): docs.key("/guide/")}
    assert docs.delta.added == ()


def test_hash_08_a_permanent_redirect_moves_a_page(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.move("/api/", "/reference/")
    seen = docs.sync()
    assert seen.outcomes[docs.key("/api/")] == Moved(key=docs.key("/api/"), to=docs.key("/reference/"))
    assert isinstance(seen.outcomes[docs.key("/reference/")], Fetched)
    assert seen.final_urls == {docs.key("/api/"): docs.key("/reference/")}
    assert docs.delta.moved


def test_a_move_to_a_page_that_fails_is_no_removal(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.redirect("/api/", "/reference/")
    docs.site.fault("/reference/", status=500)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Failed)
    assert docs.delta.removed == ()


def test_a_move_to_nowhere_is_gone_when_it_is_so_twice(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.redirect("/api/", "/reference/")
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Gone)


@pytest.mark.parametrize("to", ["http://sso.invalid/login?next=/api/", "/login", "/other/"])
def test_a_temporary_redirect_of_a_known_page_is_suspect(docs: Docs, to: str) -> None:
    small_site(docs)
    docs.page("/other/")
    docs.sync()
    docs.site.redirect("/api/", to, status=302)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Suspect)
    assert docs.delta.removed == ()
    assert not seen.complete


def test_a_meta_refresh_without_content_is_a_redirect(docs: Docs) -> None:
    docs.page("/", "/old.html")
    stub = (
        '<html><head><meta http-equiv="refresh" content="0; url=new/"><title>Moved</title></head><body></body></html>'
    )
    docs.site.page("/old.html", stub)
    docs.page("/new/")
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/new/"}
    assert side(seen, Status.ALIAS) == {docs.key("/old.html"): docs.key("/new/")}


def test_frames_are_followed(docs: Docs) -> None:
    docs.site.page(
        "/", "<html><head><title>F</title></head><frameset><frame src='/menu'><frame src='/main'></frameset></html>"
    )
    docs.page("/menu", "/main", "/deep")
    docs.page("/main")
    docs.page("/deep")
    assert paths(docs, docs.look()) >= {"/menu", "/main", "/deep"}


# --- discovery ---


def test_url_07_what_any_way_of_discovery_finds_is_there(docs: Docs) -> None:
    docs.page("/", "/1", "/2", "/3", "/4", "/5")
    for n in range(1, 8):
        docs.page(f"/{n}")
    docs.page("/", "/1", "/2", "/3", "/4", "/5", "/7")
    docs.sync()
    docs.page("/", "/1", "/2", "/3", "/4", "/5", version=2)
    locations = "".join(f"<url><loc>{docs.key(path)}</loc></url>" for path in ("/4", "/5", "/6"))
    docs.site.page("/sitemap.xml", f"<urlset>{locations}</urlset>", type="text/xml")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", *(f"/{n}" for n in range(1, 8))}
    assert seen.origins == {"links": 6, "sitemap": 3, "known": 1}
    assert seen.unlinked == {docs.key("/7")}


def test_url_08_a_sitemap_that_cannot_be_read_makes_the_run_incomplete(docs: Docs) -> None:
    small_site(docs)
    docs.site.page("/robots.txt", f"Sitemap: {docs.key('/map.xml')}\n", type="text/plain")
    docs.site.page("/map.xml", "<urlset><url><loc>", type="text/xml")
    seen = docs.look()
    assert len(found(seen)) == 4
    assert "map.xml" in seen.incomplete_reasons[0]
    docs.site.remove("/map.xml")
    assert docs.look().complete
    docs.site.fault("/map.xml", status=500)
    assert not docs.look().complete


def test_url_08_a_sitemap_index_is_read_once_whatever_it_names(docs: Docs) -> None:
    docs.page("/")
    docs.page("/lone")
    children = "".join(f"<sitemap><loc>{docs.key(p)}</loc></sitemap>" for p in ("/a.xml", "/a.xml", "/sitemap.xml"))
    docs.site.page("/sitemap.xml", f"<sitemapindex>{children}</sitemapindex>", type="text/xml")
    docs.site.page("/a.xml", f"<urlset><url><loc> {docs.key('/lone')} </loc></url></urlset>", type="text/xml")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/lone"}
    assert docs.asked("/a.xml") == ["/a.xml"]
    docs.sync()
    assert docs.site.bodies() == 0
    assert docs.delta.unchanged == 2


def test_a_site_that_answers_everything_has_no_sitemap(docs: Docs) -> None:
    docs.page("/")
    docs.site.page("/sitemap.xml", document("Home"))
    docs.site.page("/llms.txt", document("Home"))
    assert docs.look().complete


def test_llms_txt_adds_pages(docs: Docs) -> None:
    docs.page("/")
    docs.page("/hidden")
    docs.site.page("/llms.txt", "# Docs\n\n## Pages\n\n- [Hidden](/hidden): not linked\n", type="text/plain")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/hidden"}
    assert seen.origins["llms.txt"] == 1


def test_host_alias_reads_the_public_names(docs: Docs) -> None:
    docs.page("/")
    docs.page("/public")
    urls = "<urlset><url><loc>https://docs.example.com/public</loc></url></urlset>"
    docs.site.page("/sitemap.xml", urls, type="text/xml")
    assert paths(docs, docs.look(host_alias=("docs.example.com",))) == {"/", "/public"}


# --- robots ---


def test_url_09_a_disallowed_seed_is_refused_with_the_way_out(docs: Docs) -> None:
    small_site(docs)
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /\n", type="text/plain")
    with pytest.raises(UsageError) as refused:
        docs.look()
    assert "--no-robots" in refused.value.hint
    assert docs.asked() == []
    assert len(found(docs.look(robots=False))) == 4


def test_url_09_pages_that_become_disallowed_are_kept(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /\n", type="text/plain")
    seen = docs.sync()
    assert {type(o) for o in seen.outcomes.values()} == {Ignored}
    assert docs.asked() == []
    assert docs.delta.removed == ()
    assert not seen.complete


@pytest.mark.parametrize("status", [429, 500, 503])
def test_url_09_robots_that_cannot_be_had_stop_the_run(docs: Docs, status: int) -> None:
    small_site(docs)
    docs.site.fault("/robots.txt", status=status)
    with pytest.raises(SourceUnavailable):
        docs.look()
    assert docs.asked() == []


def test_url_09_html_in_place_of_robots_allows_everything(docs: Docs) -> None:
    small_site(docs)
    docs.site.page("/robots.txt", document("Not found"))
    assert len(found(docs.look())) == 4


def test_noindex_is_obeyed_and_links_are_followed(docs: Docs) -> None:
    docs.page("/", "/list", "/sealed")
    docs.site.page("/list", document("list", ["/deep"], head='<meta name="robots" content="noindex">'))
    docs.page("/deep")
    docs.page("/sealed", "/below", X_Robots_Tag="noindex, nofollow")
    docs.page("/below")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/deep"}
    docs.sync()
    assert docs.site.bodies() == 0
    assert paths(docs, docs.look()) == {"/", "/deep"}


def test_a_known_page_that_turns_noindex_is_kept(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.page("/api/", "/", X_Robots_Tag="noindex", version=2)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Ignored)
    assert docs.delta.removed == ()


# --- is it the page? ---


NOT_FOUND = (
    "<html><head><title>Page not found | Docs</title></head><body><main><h1>Oops</h1>"
    "<p>There is nothing under this address. Try the search, or begin again at the start page.</p></main></body></html>"
)
CHALLENGE = (
    "<html><head><title>Just a moment...</title></head><body><h1>example.com</h1><p>"
    + "Checking your browser before you go on. " * 3300
    + '</p><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>'
)


def article(text: str) -> str:
    head = "<head><title>How challenges work</title></head>"
    return f"<html>{head}<body><main><h1>Challenges</h1><p>{text}</p></main></body></html>"


def test_page_01_a_challenge_is_no_content(docs: Docs) -> None:
    docs.page("/", "/a", "/b", "/c", "/article")
    for name in "abc":
        docs.page(f"/{name}")
    text = f"A site may answer with <code>/cdn-cgi/challenge-platform/</code>. {paragraph('challenges')}"
    docs.site.page("/article", article(text))
    docs.sync()
    assert len(CHALLENGE) > 130_000
    for name in "abc":
        docs.site.page(f"/{name}", CHALLENGE)
    docs.site.page("/article", article(f"{text} More."))
    seen = docs.sync()
    assert [type(seen.outcomes[docs.key(f"/{name}")]) for name in "abc"] == [Suspect] * 3
    assert isinstance(seen.outcomes[docs.key("/article")], Fetched)
    assert [change.key for change in docs.delta.updated] == [docs.key("/article")]


def test_page_03_an_empty_page_replaces_nothing(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    good = docs.site.pages["/api/"]
    docs.site.page(
        "/api/", '<html><title>App</title><body><div id="root"></div><script src="/a.js"></script></body></html>'
    )
    seen = docs.sync()
    outcome = seen.outcomes[docs.key("/api/")]
    assert isinstance(outcome, Failed)
    assert "browser" in outcome.reason
    docs.site.pages["/api/"] = good
    docs.sync()
    assert docs.delta.unchanged == 4


def test_page_03_an_empty_page_is_not_added(docs: Docs) -> None:
    docs.page("/", "/app")
    docs.site.page(
        "/app", '<html><title>App</title><body><div id="root"></div><script src="/a.js"></script></body></html>'
    )
    seen = docs.look()
    assert paths(docs, seen) == {"/"}
    assert any("browser" in notice for notice in seen.notices)


def test_page_04_no_cookie_is_carried_from_page_to_page(docs: Docs) -> None:
    docs.page("/", "/de/", "/en/")
    docs.page("/de/", Set_Cookie="lang=de; Path=/")
    docs.page("/en/")
    docs.look()
    assert {r.headers.get("cookie") for r in docs.site.requests()} == {None}
    assert len({r.headers.get("accept-language") for r in docs.site.requests()}) == 1


@pytest.mark.parametrize(
    "data", [b"%PDF-1.5 text", b"PK\x03\x04 more", b"\x00\x01\x02" * 400], ids=["pdf", "zip", "nul"]
)
def test_page_06_bytes_decide_not_the_label(docs: Docs, data: bytes) -> None:
    docs.page("/", "/file", "/wide")
    docs.site.page("/file", data)
    docs.site.page("/wide", document("wide").encode("utf-16"), type="text/html")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/wide"}
    docs.sync()
    assert docs.site.bodies() == 0


def test_page_06_a_known_page_that_turns_binary_is_kept(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.page("/api/", b"%PDF-1.5 text")
    outcome = docs.sync().outcomes[docs.key("/api/")]
    assert isinstance(outcome, Failed) and not outcome.retryable
    assert docs.delta.removed == ()


def test_a_soft_404_is_suspect(docs: Docs) -> None:
    small_site(docs)
    docs.page("/", "/guide/", "/api/", "/nowhere")
    docs.site.page("/nowhere", NOT_FOUND)
    docs.sync()
    assert docs.known[docs.key("/nowhere")].status is Status.REFUSED
    docs.site.page("/api/", NOT_FOUND)
    assert isinstance(docs.sync().outcomes[docs.key("/api/")], Suspect)


# --- trouble and repair ---


def test_http_01_a_host_that_wants_to_be_left_alone_is_rate_limited_not_down(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=429, headers={"Retry-After": "7200"})
    with pytest.raises(SourceUnavailable) as stopped:
        docs.look()
    assert stopped.value.rate_limited
    assert stopped.value.retry_at == "2026-11-30T02:00:00+00:00"


def test_http_01_patience_gets_every_page(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)))
    for n in range(20):
        docs.page(f"/{n}")
    docs.site.fault("/*[0-9]", status=429, times=6, headers={"Retry-After": "1"})
    assert len(found(docs.look())) == 21


def test_http_02_only_what_failed_is_asked_again(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)))
    for n in range(20):
        docs.page(f"/{n}")
    docs.sync()
    docs.site.fault("/[345]", status=500)
    docs.sync()
    docs.site.heal()
    seen = docs.sync(Ask(retry_failed=True))
    assert docs.asked() == ["/3", "/4", "/5"]
    assert len(seen.outcomes) == 3
    assert docs.delta.retained == () or {r.outcome for r in docs.delta.retained} == {"RETRYABLE_FAILURE"}
    docs.sync()
    assert docs.delta.unchanged == 21


@pytest.mark.parametrize("saved", [1, 7, 15])
def test_http_03_a_resumed_run_comes_to_the_same(docs: Docs, saved: int) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)), "/3/")
    for n in range(20):
        docs.page(f"/{n}")
    docs.page("/3/", name="3")
    spool = Bodies()
    whole = docs.look(spool=spool)
    cut = Bodies(bodies=dict(spool.bodies), saved=dict(list(spool.saved.items())[:saved]))
    resumed = docs.look(spool=cut)
    assert list(resumed.outcomes.items()) == list(whole.outcomes.items())
    assert resumed.side == whole.side
    assert len(docs.asked()) == 22 - saved


def test_an_unreachable_seed_is_an_outage(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/", status=502)
    with pytest.raises(SourceUnavailable):
        docs.look()
    with pytest.raises(SourceUnavailable):
        docs.look(url="http://127.0.0.1:9/", robots=False)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [(b"%PDF-1.4", "application/pdf", "PDF"), (b"{}", "application/json", "application/json")],
)
def test_a_seed_that_is_no_page_is_said_in_one_sentence(docs: Docs, body: bytes, kind: str, words: str) -> None:
    docs.site.page("/", body, type=kind)
    with pytest.raises(UsageError, match=words):
        docs.look()


def test_a_seed_that_is_not_there_is_said_in_one_sentence(docs: Docs) -> None:
    with pytest.raises(UsageError, match="404"):
        docs.look()


def test_a_seed_that_leads_away_names_where(docs: Docs) -> None:
    docs.site.redirect("/", "http://new.invalid/docs/")
    with pytest.raises(UsageError, match=r"new\.invalid"):
        docs.look()


def test_broken_links_are_said_and_leave_the_run_complete(docs: Docs) -> None:
    docs.page("/", "/none")
    seen = docs.sync()
    assert seen.complete
    assert any("/none" in notice for notice in seen.notices)
    docs.page("/none")
    assert paths(docs, docs.sync()) == {"/", "/none"}


def test_every_known_page_has_an_outcome(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=500)
    docs.site.remove("/guide/install")
    seen: Mapping[str, object] = docs.look(exclude=("/guide/",)).outcomes
    assert set(docs.known) - {r.key for r in docs.known.values() if r.status is not Status.PAGE} <= set(seen)


def test_records_of_another_time_are_read_without_their_links(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    bare = {
        key: replace(r, links=(), etag="", last_modified="", raw_hash="", fingerprint="")
        for key, r in docs.known.items()
    }
    docs.known = bare
    seen = docs.sync()
    assert len(found(seen)) == 4
    assert seen.unlinked == frozenset()
