"""What is requested, and what names a page."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web import url as urls
from git_okf.source.web.url import clean, family, key, variants

BASE = "https://docs.example.com/guide/intro.html?x=1#top"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("a.html", "https://docs.example.com/guide/a.html"),
        ("./a/../b/./c", "https://docs.example.com/guide/b/c"),
        ("../../../../x", "https://docs.example.com/x"),
        ("/x/", "https://docs.example.com/x/"),
        ("?y=2", "https://docs.example.com/guide/intro.html?y=2"),
        ("?", "https://docs.example.com/guide/intro.html?"),
        ("", "https://docs.example.com/guide/intro.html?x=1"),
        ("#part", "https://docs.example.com/guide/intro.html?x=1"),
        ("b#part?no=query", "https://docs.example.com/guide/b"),
        ("//cdn.example.net/lib", "https://cdn.example.net/lib"),
        ("https:page", "https://docs.example.com/guide/page"),
        ("http:page", "http://page/"),
        ("https:/\\host.example/x", "https://host.example/x"),
        ("\\a\\b?c\\d", "https://docs.example.com/a/b?c\\d"),
        (" \n\t/a b\r\n ", "https://docs.example.com/a%20b"),
        ("/a\tb\nc", "https://docs.example.com/abc"),
        ("/日本?q=é", "https://docs.example.com/%E6%97%A5%E6%9C%AC?q=%C3%A9"),
        ("/lone\ud800", "https://docs.example.com/lone%EF%BF%BD"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://docs.example.com", "https://docs.example.com/"),
        ("HTTPS://Docs.Example.COM:443/A", "https://docs.example.com/A"),
        ("http://docs.example.com:0443/A", "http://docs.example.com:443/A"),
        ("/%2e%2E/%2e/x", "https://docs.example.com/x"),
        ("https://[2001:0DB8::0001]:8080/x", "https://[2001:db8::1]:8080/x"),
    ],
)
def test_link_is_resolved_as_browsers_do(href: str, expected: str) -> None:
    assert clean(href, BASE) == expected


@pytest.mark.parametrize(
    "path",
    ["/Guide//a/", "/index.html", "/a%7eb%2Fc%zz", "/a%21b;p=1", "/x?b=2&a=1&b=", "/x?utm_source=y", "/~u/(a)'!*,@:"],
)
def test_url_01_request_is_exactly_what_the_page_gave(path: str) -> None:
    assert clean(f"https://docs.example.com{path}", BASE) == f"https://docs.example.com{path}"
    assert clean(path, BASE) == f"https://docs.example.com{path}"


@pytest.mark.parametrize(
    "href",
    [
        "mailto:someone@example.com",
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.com/x",
        "tel:+1234",
        "https://",
        "//",
        "https://user:secret@example.com/",
        "https://docs.example.com@evil.example/",
        "https://a..b/",
        "https://.example.com/",
        "https://exa mple.com/",
        "https://a%2fb/",
        "https://example.com:99999/",
        "https://example.com:0/",
        "https://example.com:8o/",
        "https://[::1",
        "https://[fe80::1%25eth0]/",
        "https://1.2.3.4.5/",
        "https://256.1.1.1/",
        "https://0x100000000/",
        "https://\ud800/",
        "https://xn\u2012--a.example\u0001/",
        "/" + "x" * urls.MAX_LENGTH,
        "/" + "é" * (urls.MAX_LENGTH // 2),
    ],
)
def test_unusable_link_is_none(href: str) -> None:
    assert clean(href, BASE) is None


def test_relative_link_without_usable_base_is_none() -> None:
    assert clean("a", "") is None
    assert clean("a", "about:blank") is None
    assert clean("https://docs.example.com/a", "") == "https://docs.example.com/a"


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0x7F000001", "127.0.0.1.", "%3127.1"])
def test_sec_02_every_notation_of_an_ipv4_address_is_that_address(host: str) -> None:
    assert clean(f"http://{host}/", BASE) == "http://127.0.0.1/"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTPS://Docs.Example.com/a", "https://docs.example.com/a"),
        ("https://docs.example.com:443/a", "https://docs.example.com/a"),
        ("https://docs.example.com", "https://docs.example.com/"),
        ("https://docs.example.com?a", "https://docs.example.com/?a"),
        ("https://docs.example.com/%7Euser/%c3%a9", "https://docs.example.com/~user/%C3%A9"),
        ("https://docs.example.com/a/./b/../c", "https://docs.example.com/a/c"),
        ("https://docs.example.com/a/%2e%2e/c", "https://docs.example.com/c"),
        ("https://docs.example.com/a?", "https://docs.example.com/a"),
        ("https://docs.example.com/a?q=%41%2f", "https://docs.example.com/a?q=A%2F"),
        ("https://docs.example.com/a#b", "https://docs.example.com/a"),
        ("https://docs.example.com/é", "https://docs.example.com/%C3%A9"),
    ],
)
def test_equivalent_urls_have_one_key(one: str, other: str) -> None:
    assert key(one) == key(other) == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/Doc/A", "/doc/a"),
        ("/guide", "/guide/"),
        ("/guide/", "/guide/index.html"),
        ("//a//b", "/a/b"),
        ("/a%2Fb", "/a/b"),
        ("/x?a=1&b=2", "/x?b=2&a=1"),
        ("/x?utm_source=a", "/x"),
        ("/x;p=1", "/x"),
        ("/a%20b", "/a+b"),
        ("/100%", "/100%25"),
        ("/_a", "/-a"),
    ],
)
def test_url_02_key_does_not_guess(one: str, other: str) -> None:
    origin = "https://docs.example.com"
    assert key(origin + one) != key(origin + other)
    assert key("https://www.example.com" + one) != key("https://example.com" + one)


def test_variants_name_what_may_be_the_same_page() -> None:
    site = "https://docs.example.com"
    assert variants(f"{site}/guide") == tuple(
        f"{site}/guide{end}" for end in ("/", "/index.html", "/index.htm", ".html", ".htm")
    )
    assert variants(f"{site}/guide/") == tuple(
        f"{site}/guide{end}" for end in ("", "/index.html", "/index.htm", ".html")
    )
    assert variants(f"{site}/guide/index.html") == (f"{site}/guide/", f"{site}/guide", f"{site}/guide/index.htm")
    assert variants(f"{site}/a.html?v=1") == (f"{site}/a?v=1", f"{site}/a/?v=1")
    assert variants(f"{site}/") == (f"{site}/index.html", f"{site}/index.htm")
    assert variants("nonsense") == ()


def test_variants_are_of_one_family() -> None:
    for path in ("/guide", "/guide/", "/guide/index.html", "/guide.html", "/", "/a.b/C", "/x?q=/"):
        url = f"https://docs.example.com{path}"
        assert {family(v) for v in variants(url)} == {family(url)}
    assert family("https://docs.example.com/API") == family("https://docs.example.com/api/")
    assert family("https://docs.example.com/a_b") != family("https://docs.example.com/a-b")
    assert family("nonsense") == "nonsense"


def test_host_and_origin() -> None:
    assert urls.host("https://docs.example.com:8443/a") == "docs.example.com"
    assert urls.host("http://[::1]:80/a") == "::1"
    assert urls.origin("https://docs.example.com:8443/a?b") == "https://docs.example.com:8443"
    with pytest.raises(ValueError, match="not an absolute"):
        urls.origin("mailto:x")


TOKENS = (
    "% 2 e E 4 1 %41 %2e %2F %e9 . .. / // ? # \\ é \ud800 : a A ~ @ [ ] http: https:// h 0x7f.1 ::1 %zz index.html"
)
PIECES = st.lists(st.sampled_from([*TOKENS.split(" "), " ", "\t", "\n"]), max_size=14).map("".join)
TEXT = st.one_of(PIECES, st.text(max_size=40), PIECES.map("https://h.example/".__add__))


@settings(max_examples=1500, deadline=None)
@given(TEXT, TEXT)
def test_clean_and_key_hold_for_any_text(href: str, base: str) -> None:
    key(href)
    for context in (base, BASE):
        cleaned = clean(href, context)
        if cleaned is None:
            continue
        assert cleaned.isascii()
        assert cleaned.startswith(("http://", "https://"))
        assert "#" not in cleaned
        assert not any(c <= " " for c in cleaned)
        assert clean(cleaned, base) == cleaned
        named = key(cleaned)
        assert key(named) == named
        assert clean(named, base) == named
        assert named.isascii()


@settings(max_examples=1500, deadline=None)
@given(TEXT)
def test_key_is_idempotent_on_any_text(text: str) -> None:
    assert key(key(text)) == key(text)


@settings(max_examples=500, deadline=None)
@given(PIECES.map("https://h.example/".__add__))
def test_variants_are_keys(text: str) -> None:
    named = key(text)
    for variant in variants(named):
        assert key(variant) == variant != named
