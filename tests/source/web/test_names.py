"""One page, one key: spellings, redirects, canonical URLs, copies."""

from __future__ import annotations

import pytest
from observing import Docs, document, found, paths, side, small_site

from git_okf.model import Failed, Fetched, Gone, Moved, Status, Suspect


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


def test_a_redirect_that_does_not_last_is_no_move(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=301, times=1, headers={"Location": "/guide/"})
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Fetched)
    assert docs.delta.unchanged == 4


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


def versions(docs: Docs, **editions: int) -> None:
    docs.page("/", *(f"/{name}/{page}" for name in editions for page in "abcd"), version=len(editions))
    for name, edition in editions.items():
        for page in "abcd":
            docs.page(f"/{name}/{page}", name=page, version=edition)


def test_url_11_copies_of_a_version_are_kept_once(docs: Docs) -> None:
    versions(docs, v1=1, v2=2, stable=2)
    seen = docs.sync()
    assert paths(docs, seen) == {"/", *(f"/{name}/{page}" for name in ("v1", "stable") for page in "abcd")}
    assert any("/v2/" in notice and "/stable/" in notice for notice in seen.notices)
    docs.sync()
    assert docs.asked("/v2/*") == []
    assert docs.delta.unchanged == 9
    versions(docs, v1=1, v2=2, stable=3, v3=3)
    seen = docs.sync()
    assert docs.delta.removed == ()
    assert {change.key for change in docs.delta.updated} >= {docs.key(f"/stable/{page}") for page in "abcd"}
    assert {change.key for change in docs.delta.added} == {docs.key(f"/v2/{page}") for page in "abcd"}
