"""Sitemaps in all the forms that are met."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.sitemap import MAX_BYTES, Sitemap, Unreadable, read

URL = "https://docs.example.com/sitemap.xml"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(
    *locations: str, namespace: str = NAMESPACE, head: str = '<?xml version="1.0" encoding="UTF-8"?>\n'
) -> bytes:
    entries = "".join(f"<url><loc>{location}</loc><lastmod>2024-01-01</lastmod></url>" for location in locations)
    named = f' xmlns="{namespace}"' if namespace else ""
    return f"{head}<urlset{named}>{entries}</urlset>".encode()


def packed(data: bytes, level: int = 9) -> bytes:
    """Gzipped, without the time in it: the same bytes in every process that collects these tests."""
    return gzip.compress(data, level, mtime=0)


A, B = "https://docs.example.com/a", "https://docs.example.com/b?x=1&y=2"
PLAIN = urlset(A, B.replace("&", "&amp;"))


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        packed(PLAIN),
        packed(packed(PLAIN)),
        packed(PLAIN) + b"\0\0garbage",
        packed(PLAIN[:50]) + packed(PLAIN[50:]),
        b"\xef\xbb\xbf" + PLAIN,
        b"\n  " + PLAIN,
        PLAIN.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        urlset(A, B.replace("&", "&amp;"), namespace=""),
        urlset(A, B.replace("&", "&amp;"), namespace="http://www.google.com/schemas/sitemap/0.84"),
        urlset(f"\n\t {A} \n", f"<![CDATA[{B}]]>"),
        urlset(A, B),
        PLAIN + b"<!-- cached --><script>1</script>",
        f"{A}\r\n{B}\r\n".encode(),
        f"\ufeff# pages\n\n {A}\n{B}\nnot a url\n".encode(),
        f"<rss version='2.0'><channel><link>https://docs.example.com/</link><item><link>{A}</link></item>"
        f"<item><link>{B.replace('&', '&amp;')}</link></item></channel></rss>".encode(),
        f"<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/><entry><link rel='alternate' href='{A}'/>"
        f"<link rel='edit' href='/edit'/></entry><entry><link href='b?x=1&amp;y=2'/></entry></feed>".encode(),
    ],
)
def test_url_08_every_form_is_read(data: bytes) -> None:
    assert read(data, URL) == Sitemap((A, B), ())


def test_url_08_index_names_each_child_once_and_may_name_itself() -> None:
    child = "<sitemap><loc>/part.xml.gz</loc></sitemap>"
    data = f"<sitemapindex xmlns='{NAMESPACE}'>{child}{child}<sitemap><loc>{URL}#x</loc></sitemap></sitemapindex>"
    assert read(data.encode(), URL) == Sitemap((), ("https://docs.example.com/part.xml.gz", URL))


def test_locations_of_pictures_and_languages_are_no_pages() -> None:
    data = f"""<urlset xmlns="{NAMESPACE}" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>{A}</loc><i:image><i:loc>/i.png</i:loc></i:image>
        <x:link rel="alternate" hreflang="de" href="/de"/></url></urlset>"""
    assert read(data.encode(), URL).pages == (A,)


def test_sec_02_only_http_urls_come_out() -> None:
    data = urlset("file:///etc/passwd", "ftp://x/", "javascript:x", A, "https://u:p@h.example/")
    assert read(data, URL).pages == (A,)


BOMB = "<!DOCTYPE x [<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 8)) + "]>"


@pytest.mark.parametrize("wrap", [bytes, packed, lambda data: packed(packed(data))])
@pytest.mark.parametrize(
    "data",
    [
        urlset("https://h.example/&x;", head='<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/hostname">]>'),
        urlset("https://h.example/&a7;", head=BOMB),
        urlset(A, head="<!DOCTYPE urlset>"),
        urlset(A, head='<?xml version="1.0"?><!-- x --><!DOCTYPE urlset SYSTEM "http://h.example/x.dtd">'),
        urlset(A, head="<!DOCTYPE urlset>").decode().encode("utf-16"),
        urlset(A, head="<!DOCTYPE urlset [<!ENTITY % p SYSTEM 'http://h.example/p'> %p;]>"),
    ],
    ids=("file", "bomb", "plain", "external", "utf16", "parameter"),
)
def test_sec_05_document_type_is_refused(data: bytes, wrap: type[bytes]) -> None:
    with pytest.raises(Unreadable, match=r"DOCTYPE|well-formed"):
        read(wrap(data), URL)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"<!doctype html><html><body>Not found</body></html>", "HTML page"),
        (b"<!-- x --><html></html>", "HTML page"),
        (b'{"error": 404}', "neither XML nor"),
        (b"Not found", "neither XML nor"),
        (b"\x89PNG\r\n", "neither XML nor"),
        (b"<urlset><url><loc>https://docs.example.com/a</loc></url>", "well-formed"),
        (PLAIN[:-30], "well-formed"),
        (b"<opml><body/></opml>", "root is <opml>"),
        (packed(PLAIN)[:-12], "cut short"),
        (b"\x1f\x8bnonsense", "gzip"),
    ],
)
def test_what_cannot_be_read_is_never_empty(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as raised:
        read(data, URL)
    assert raised.value.reason


def test_inflated_size_is_limited_without_being_allocated() -> None:
    data = packed(b" " * (4 * MAX_BYTES), 9)
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="more than"):
            read(data, URL)
        assert tracemalloc.get_traced_memory()[1] < 2 * MAX_BYTES
    finally:
        tracemalloc.stop()
    with pytest.raises(Unreadable, match="larger than"):
        read(b" " * (MAX_BYTES + 1), URL)


def test_full_size_is_read() -> None:
    data = urlset(*(f"https://docs.example.com/page/{n}" for n in range(50_000)))
    assert len(read(data, URL).pages) == 50_000


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.binary(max_size=20).map(lambda junk: PLAIN[:120] + junk + PLAIN[120:])))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = read(data, URL)
    except Unreadable:
        return
    assert all(page.startswith(("http://", "https://")) for page in (*found.pages, *found.children))
