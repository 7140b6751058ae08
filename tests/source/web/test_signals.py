"""What a page says about itself and where it leads."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.elements import of_tree
from git_okf.source.web.extract import NoContent, parse
from git_okf.source.web.signals import Signals, link_header, read, said

URL = "https://docs.example.com/guide/intro.html"


def signals(
    html: str | bytes, *, url: str = URL, content_type: str = "text/html", headers: Mapping[str, str] | None = None
) -> Signals:
    """As its bytes say them; where content can be extracted from the page, its tree has to say the same."""
    data = html.encode() if isinstance(html, str) else html
    found = read(data, url=url, content_type=content_type, headers=headers or {})
    with suppress(NoContent):
        page = parse(data, content_type)
        assert said(of_tree(page.root), url=url, headers=headers or {}, is_plain=page.is_plain) == found
    return found


def test_links_are_absolute_in_page_order_each_once() -> None:
    html = """<nav><a href="b">B</a><a href="../a#x">A</a></nav><map><area href="/area"></map>
        <a href="b#again">B</a><a href="#here">here</a><a>none</a><a href="">self</a><a href="mailto:x@y.example">m</a>
        <a href="javascript:void(0)">j</a><a href=" //other.example/x ">o</a><link rel="NEXT prefetch" href="c.html">
        <link rel=stylesheet href=s.css>"""
    assert signals(html).links == (
        "https://docs.example.com/guide/b",
        "https://docs.example.com/a",
        "https://docs.example.com/area",
        "https://other.example/x",
        "https://docs.example.com/guide/c.html",
    )


def test_url_05_links_are_relative_to_base_and_final_url() -> None:
    html = '<base href="/v2/"><base href="/v3/"><a href="next">n</a><link rel=canonical href="me">'
    found = signals(html, url="https://docs.example.com/old/page")
    assert found.base == "https://docs.example.com/v2/"
    assert found.links == ("https://docs.example.com/v2/next",)
    assert found.canonical == "https://docs.example.com/v2/me"
    assert signals('<a href="next">', url="https://docs.example.com/v2/guide/").links == (
        "https://docs.example.com/v2/guide/next",
    )


@pytest.mark.parametrize("href", ["javascript:x", "data:text/html,x", "", "https://u:p@h.example/"])
def test_unusable_base_is_no_base(href: str) -> None:
    assert signals(f'<base href="{href}"><a href=x>').links == ("https://docs.example.com/guide/x",)


def test_frames_are_links() -> None:
    html = '<frameset cols="1,2"><frame src="toc.html"><frame src="//other.example/f"><noframes>x</noframes></frameset>'
    found = signals(html)
    assert found.frameset
    assert found.links == ("https://docs.example.com/guide/toc.html", "https://other.example/f")
    assert not signals("<p>x").frameset


def test_inline_frames_of_other_hosts_are_no_links() -> None:
    html = '<iframe src="part.html"></iframe><iframe src="https://video.example/1"></iframe><iframe></iframe>'
    assert signals(html).links == ("https://docs.example.com/guide/part.html",)


@pytest.mark.parametrize(
    "html",
    [
        "<template><a href=no>n</a><h1>N</h1></template><a href=x>x</a>",
        "<!-- <a href=no> --><a href=x>x</a>",
        "<script>'<a href=no>'</script><a href=x>x</a>",
        "<textarea><a href=no></textarea><a href=x>x</a>",
        "<xmp><a href=no></xmp><a href=x>x</a>",
        "<iframe src=//other.example/><a href=no></iframe><a href=x>x</a>",
        "<![CDATA[<a href=no>]]><a href=x>x</a>",
        "<select><a href=x></a></select>",
        "<table><a href=x></a><tr><td>cell</table>",
        "<noscript><a href=x>x</a></noscript>",
        "<svg><a href=x><title>t</title></a></svg>",
        "<A HREF=x HREF=no>x",
        "<a href='\nx\t'>x",
    ],
)
def test_only_elements_that_are_on_the_page_are_links(html: str) -> None:
    assert signals(html).links == ("https://docs.example.com/guide/x",)


def test_canonical_of_element_and_header_must_agree() -> None:
    element = '<link rel="canonical" href="/p">'
    assert signals(element).canonical == "https://docs.example.com/p"
    assert signals("", headers={"link": '</p>; rel="canonical"'}).canonical == "https://docs.example.com/p"
    assert signals(element, headers={"link": "</p>; rel=canonical"}).canonical == "https://docs.example.com/p"
    assert signals(element, headers={"link": "</q>; rel=canonical"}).canonical == ""
    assert signals(element + '<link rel=canonical href="/q">').canonical == ""


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/new", "https://docs.example.com/new"),
        ("0;URL='/new page'", "https://docs.example.com/new%20page"),
        ('0, "/new"', "https://docs.example.com/new"),
        ("1.5 ; /new", "https://docs.example.com/new"),
        (" 0;url = /new?a=1;b#c", "https://docs.example.com/new?a=1;b"),
        ("10; url=/new", "https://docs.example.com/new"),
        ("11; url=/new", ""),
        ("300", ""),
        ("0;", ""),
        ("0; url=javascript:x", ""),
        ("soon; url=/new", ""),
        ("0" + " " * 100_000 + ";", ""),
    ],
)
def test_refresh_is_a_redirect_if_it_comes_soon(content: str, target: str) -> None:
    assert (
        signals(
            f"<meta http-equiv=Refresh content='{content}'>"
            if "'" not in content
            else f'<meta http-equiv=Refresh content="{content}">'
        ).refresh
        == target
    )


def test_published_markdown_is_named() -> None:
    html = '<link rel="alternate" type="text/markdown; charset=utf-8" href="intro.md"><link rel=alternate href="x.pdf">'
    assert signals(html).alternate_markdown == "https://docs.example.com/guide/intro.md"
    header = {"link": '<intro.md>; rel="alternate"; type="text/markdown"'}
    assert signals("", headers=header).alternate_markdown == "https://docs.example.com/guide/intro.md"


@pytest.mark.parametrize(
    ("html", "header", "noindex", "nofollow"),
    [
        ("", "", False, False),
        ('<meta name=robots content="NoIndex">', "", True, False),
        ('<META NAME="Git-OKF" content="none">', "", True, True),
        ('<meta name=googlebot content="noindex">', "", False, False),
        ('<meta name=robots content="index"><meta name=robots content="nofollow">', "noindex", True, True),
        ("", "otherbot: noindex", False, False),
        ("", "otherbot: noindex\ngit-okf: nofollow", False, True),
    ],
)
def test_robots_directives_of_page_and_header_are_joined(html: str, header: str, noindex: bool, nofollow: bool) -> None:
    found = signals(html, headers={"x-robots-tag": header})
    assert (found.noindex, found.nofollow) == (noindex, nofollow)


def test_language_and_title() -> None:
    found = signals(
        "<html lang=' de-AT '><head><title> A\n  title &amp; more </title></head><svg><title>no</title></svg>"
    )
    assert (found.language, found.title) == ("de-AT", "A title & more")
    assert signals("<p>", headers={"content-language": "fr"}).language == "fr"
    assert signals("<p>", headers={"content-language": "fr, en"}).language == ""
    assert signals("<p>").title == ""
    assert signals("<svg><title>picture</title></svg>").title == ""


@pytest.mark.parametrize("encoding", ["euc-kr", "gbk", "shift_jis", "utf-16"])
def test_page_06_other_encodings_are_read(encoding: str) -> None:
    html = '<title>文</title><a href="/a">x</a>' if encoding != "euc-kr" else '<title>한</title><a href="/a">x</a>'
    found = signals(html.encode(encoding), content_type=f"text/html; charset={encoding}")
    assert found.links == ("https://docs.example.com/a",)
    assert found.title in ("文", "한")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('<a>; rel="next"', [("a", {"rel": "next"})]),
        ('<a,b;c>; rel=x; title="q, \\"<r>\\"; s", <d>', [("a,b;c", {"rel": "x", "title": 'q, "<r>"; s'}), ("d", {})]),
        ("<a>;rel=x;REL=y\n<b>;rel=z", [("a", {"rel": "x"}), ("b", {"rel": "z"})]),
        ("<a>; crossorigin; rel=preload", [("a", {"crossorigin": "", "rel": "preload"})]),
        ("nonsense", []),
    ],
)
def test_link_header(value: str, expected: list[tuple[str, dict[str, str]]]) -> None:
    assert list(link_header(value)) == expected


def test_link_of_another_resource_is_not_ours() -> None:
    assert signals("", headers={"link": '</x>; rel=canonical; anchor="/other"'}).canonical == ""


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.text(max_size=40).map(lambda t: f'<base href="{t}"><a href="{t}">'.encode("utf-8", "replace")),
    ),
    st.text(max_size=30),
)
def test_any_bytes_are_read(data: bytes, header: str) -> None:
    found = read(data, url=URL, content_type="text/html", headers={"link": header, "x-robots-tag": header})
    assert all(link.startswith(("http://", "https://")) for link in found.links)
