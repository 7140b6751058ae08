"""Sitemaps, llms.txt and links are a union, and what cannot be read makes a run incomplete."""

from __future__ import annotations

from observing import Docs, document, found, paths, small_site


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


def test_sec_02_listings_lead_nowhere_else(docs: Docs) -> None:
    docs.page("/")
    docs.page("/in")
    bad = ("file:///etc/passwd", "http://169.254.169.254/latest", "ftp://files.example/x", "http://2130706433/x")
    locations = "".join(f"<url><loc>{url}</loc></url>" for url in (*bad, docs.key("/in")))
    docs.site.page("/sitemap.xml", f"<urlset>{locations}</urlset>", type="text/xml")
    docs.site.page("/llms.txt", "# D\n\n- [A](http://169.254.169.254/latest)\n", type="text/plain")
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/in"}
    assert seen.complete


def test_sec_02_a_sitemap_elsewhere_is_asked_only_at_a_public_address(docs: Docs) -> None:
    docs.page("/")
    docs.site.page("/robots.txt", "Sitemap: http://169.254.169.254/map.xml\n", type="text/plain")
    seen = docs.look()
    assert "169.254.169.254" in seen.incomplete_reasons[0]


def test_sec_05_a_sitemap_with_a_doctype_is_refused(docs: Docs) -> None:
    docs.page("/")
    entity = '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/hostname">]><urlset><url><loc>&x;</loc></url></urlset>'
    docs.site.page("/sitemap.xml", entity, type="text/xml")
    assert not docs.look().complete


def test_url_08_a_sitemap_may_be_larger_than_a_page(docs: Docs) -> None:
    small_site(docs)
    docs.page("/extra")
    padding = f"<!-- {'x' * 5000} -->"
    text = f"<urlset><url><loc>{docs.key('/extra')}</loc></url>{padding}</urlset>"
    docs.site.page("/sitemap.xml", text, type="text/xml")
    seen = docs.look(max_bytes=2000)
    assert seen.complete
    assert docs.key("/extra") in found(seen)
