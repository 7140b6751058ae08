"""Fragments of links and the anchors they lead to."""

from __future__ import annotations

import re
from html import unescape

import pytest
from extracting import OPTIONS, SITE, URL, markdown, page, rendered
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.extract import extract, extract_published
from git_okf.source.web.extract.fragments import Ids, heading_slug, is_made_of

ASCIIDOCTOR = '<meta name="generator" content="Asciidoctor 2.0"><title>A page</title>'
SPHINX = '<script src="_static/doctools.js"></script><title>A page</title>'
MKDOCS = '<meta name="generator" content="mkdocs-1.6"><title>A page</title>'


def anchors(body: str) -> set[str]:
    """The anchors that GitHub gives a text."""
    html = rendered(body)
    found = set(re.findall(r'<a id="([^"]+)"', html))
    seen: dict[str, int] = {}
    for text in re.findall(r"<h[1-6]>(.*?)</h[1-6]>", html):
        slug = heading_slug(unescape(re.sub(r"<[^>]*>", "", text)))
        found.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return found


def test_a_link_to_a_heading_leads_to_the_slug_of_its_text() -> None:
    html = (
        '<p><a href="#s">a</a> <a href="#in">b</a> <a href="#box">c</a> <a href="#before">d</a> <a href="#s2">e</a></p>'
        '<h2 id="s">What is new?</h2><h2><a name="in"></a>Inner</h2>'
        '<section id="box"><div><h2>Boxed</h2></div><p>t</p></section>'
        '<p><a id="before"></a></p><h3>After it</h3><h2 id="s2">What is new?</h2>'
    )
    first = markdown(html).partition("\n")[0]
    assert first == "[a](#what-is-new) [b](#inner) [c](#boxed) [d](#after-it) [e](#what-is-new-1)"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<dl><dt id="x">term</dt><dd>text</dd></dl>', '- <a id="x"></a>**term**: text'),
        ('<dl><dt><a id="x"></a>term</dt><dd>text</dd></dl>', '- <a id="x"></a>**term**: text'),
        ('<ul><li id="x">item</li></ul>', '- <a id="x"></a>item'),
        ('<p id="x">text</p>', '<a id="x"></a>text'),
        ('<p>one <span id="x">two</span></p>', 'one <a id="x"></a>two'),
        ('<div id="x"><p>text</p></div>', '<a id="x"></a>\n\ntext'),
        (
            '<table><tr><th>h</th><th>i</th></tr><tr id="x"><td>a</td><td>b</td></tr></table>',
            '<a id="x"></a>\n\n| h | i |\n| --- | --- |\n| a | b |',
        ),
        ('<pre id="x">code</pre>', '<a id="x"></a>\n\n```\ncode\n```'),
        ('<figure id="x"><img src="a.png" alt="A"></figure>', f'<a id="x"></a>![A]({SITE}/guide/a.png)'),
    ],
)
def test_what_a_link_of_the_page_leads_to_keeps_an_anchor_in_its_place(html: str, text: str) -> None:
    assert markdown(f'<p><a href="#x">see</a></p>{html}') == f"[see](#x)\n\n{text}"


def test_a_link_to_a_name_of_an_api_leads_to_the_heading_it_is_under() -> None:
    html = (
        '<p><a href="#pkg.C">C</a> <a href="#pkg.D">D</a></p><dl><dt id="pkg.D">D</dt><dd>d</dd></dl>'
        '<h2>Two</h2><dl><dt id="pkg.C">C</dt><dd>c</dd></dl>'
    )
    text = '[C](#two "#pkg.C") [D](start.md "#pkg.D")'
    assert markdown(html) == f"{text}\n\n- **D**: d\n\n## Two\n\n- **C**: c"


def test_ids_that_nothing_leads_to_cost_no_word() -> None:
    html = '<h2 id="one-two">One &amp; two</h2><p id="p">a</p><ul><li id="l">b</li></ul><dl><dt id="d">c</dt></dl>'
    assert "<a" not in markdown(html)


def test_an_anchor_its_author_set_is_kept_where_others_may_link_to_it() -> None:
    html = (
        '<p>a</p><p><a id="my-place"></a>b <strong id="my-option">c</strong> <a name="id7"></a>d <a id="x.Y"></a></p>'
    )
    assert markdown(html) == 'a\n\n<a id="my-place"></a>b <a id="my-option"></a>**c** d'


def test_a_heading_with_a_name_of_its_own_has_it_before_it() -> None:
    html = '<h2 id="git-concepts">Chapter 7. Git concepts</h2><h2 id="chapter-8-more">Chapter 8: More</h2><p>t</p>'
    assert markdown(html) == '<a id="git-concepts"></a>\n\n## Chapter 7. Git concepts\n\n## Chapter 8: More\n\nt'


def test_boxes_of_the_layout_name_no_heading() -> None:
    assert markdown('<div id="wrapper"><div id="inner"><h1>T</h1><p>a</p></div></div>') == "# T\n\na"


@pytest.mark.parametrize(
    ("href", "text"),
    [
        ("orm.html#the-session", "[x](orm.md#the-session)"),
        ("orm.html#pkg.orm.Session", '[x](orm.md "#pkg.orm.Session")'),
        ("orm.html#Mixed", '[x](orm.md "#Mixed")'),
        ("orm.html#id12", '[x](orm.md "#id12")'),
        ('orm.html#f("a`|b")', '[x](orm.md "#f(%22a%60%7Cb%22)")'),
        ("https://other.example/a#B.c", "[x](https://other.example/a#B.c)"),
        ("a.zip#B.c", f"[x]({SITE}/guide/a.zip#B.c)"),
        ("orm.html#", "[x](orm.md)"),
    ],
)
def test_a_fragment_of_another_page_is_kept_where_it_may_be_a_slug(href: str, text: str) -> None:
    href = href.replace('"', "&quot;")
    assert markdown(f'<p><a href="{href}">x</a></p>') == text


def test_a_link_that_says_its_heading_leads_to_the_slug_of_it() -> None:
    html = '<p><a href="orm.html#what-s-new-in-3-11">What’s new in 3.11</a></p>'
    assert markdown(html) == "[What’s new in 3.11](orm.md#whats-new-in-311)"


@pytest.mark.parametrize(
    ("head", "href", "text"),
    [
        (ASCIIDOCTOR, "other.html#_merge_base", "[x](other.md#merge-base)"),
        (ASCIIDOCTOR, "other.html#def_commit", "[x](other.md#def_commit)"),
        (MKDOCS, "other.html#notes_2", "[x](other.md#notes-2)"),
        (SPHINX, "other.html#term-iterable", '[x](other.md "#term-iterable")'),
        ("<title>A</title>", "other.html#_merge_base", "[x](other.md#_merge_base)"),
    ],
)
def test_ids_are_read_as_their_theme_makes_them(head: str, href: str, text: str) -> None:
    assert page(f'<p>some words and <a href="{href}">x</a></p>', head=head).body.endswith(text)


def test_a_link_and_the_heading_it_means_agree_across_pages() -> None:
    heading = page('<h2 id="_merge_base_x">Merge base (see there)</h2><p>t</p>', head=ASCIIDOCTOR).body
    link = page('<p><a href="other.html#_merge_base_x">x</a></p>', head=ASCIIDOCTOR).body
    assert heading.startswith('<a id="merge-base-x"></a>')
    assert link == "[x](other.md#merge-base-x)"


def test_a_link_to_what_is_not_on_the_page_leads_to_its_top_and_says_where_it_meant() -> None:
    assert markdown('<p><a href="#gone">x</a> <a href="#">up</a></p>') == '[x](start.md "#gone") [up](start.md)'


def test_a_link_with_the_slug_that_readers_of_markdown_would_use_is_kept() -> None:
    assert markdown('<p><a href="#one-two">x</a></p><h2 id="sec_4">One, two</h2>').startswith("[x](#one-two)")


def test_ids_of_permalinks_that_are_left_out_still_name_their_heading() -> None:
    anchor = '<a class="anchor" aria-hidden="true" id="create"></a>'
    html = f'<p><a href="#create">x</a></p><h3>{anchor}<code>create()</code></h3>'
    assert markdown(html) == "[x](#create)\n\n### `create()`"


def test_labels_of_tabs_and_ways_back_from_notes_want_no_anchor() -> None:
    html = (
        '<p>a<sup id="fnref:1"><a href="#fn:1">1</a></sup></p><div class="footnote"><ol><li id="fn:1">n '
        '<a class="footnote-backref" href="#fnref:1">↩</a></li></ol></div>'
    )
    assert markdown(html) == "a[^1]\n\n[^1]: n"


def test_notes_under_headings_stay_notes() -> None:
    html = (
        '<p>a<a id="DOCF1" href="#FOOT1"><sup>1</sup></a></p><div class="footnote"><h4>Footnotes</h4>'
        '<h5><a id="FOOT1" href="#DOCF1">(1)</a></h5><p>n</p></div>'
    )
    assert markdown(html).startswith("a[^1]") and "[^1]: n" in markdown(html)


def test_absolute_links_keep_their_fragments() -> None:
    html = '<p><a href="orm.html#pkg.C">x</a> <a href="#h">y</a> <a href="#no">z</a></p><h2 id="h">H 2</h2>'
    text = page(html, links="absolute").body.partition("\n")[0]
    assert text == f"[x]({SITE}/guide/orm.html#pkg.C) [y](#h-2) [z]({URL}#no)"


def test_links_of_published_markdown_stay_as_they_are_written() -> None:
    text = extract_published(b"# T\n\n[a](orm.html#pkg.C 'title') [b](#pkg.C)", url=URL, options=OPTIONS).body
    assert text.endswith("[a](orm.md#pkg.C 'title') [b](#pkg.C)")


def test_a_percent_encoded_fragment_is_the_id_it_encodes() -> None:
    html = '<p><a href="#%E5%90%91%E9%87%8F">x</a></p><h2 id="向量">向量</h2>'
    assert markdown(html).startswith("[x](#向量)")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>see [[1]] there</p>", "see [<!-- -->[1]] there"),
        ("<p>[[[3]]]</p>", "[<!-- -->[<!-- -->[3]]]"),
        ("<p>[[1</p>", "[[1"),
        ("<p>a <code>[[1]]</code></p>", "a `[[1]]`"),
    ],
)
def test_double_brackets_are_no_wiki_link_and_look_the_same(html: str, text: str) -> None:
    assert markdown(html) == text


@settings(max_examples=150, deadline=None)
@given(
    headings=st.lists(
        st.tuples(st.sampled_from(["ab cd", "A & B", "A", "One: two", "1.2 X", "`q`", "x_y"]), st.booleans()),
        max_size=7,
    ),
    theme=st.sampled_from([ASCIIDOCTOR, SPHINX, MKDOCS, "<title>A page</title>"]),
)
def test_every_link_within_a_page_leads_somewhere(headings: list[tuple[str, bool]], theme: str) -> None:
    links = "".join(f'<a href="#i{n}">l{n}</a> ' for n in range(len(headings)))
    parts = (
        f"<h2 id=i{n}>{text}</h2><p>t</p>" if is_heading else f"<p id=i{n}>{text}</p>"
        for n, (text, is_heading) in enumerate(headings)
    )
    body = page(f"<p>All of it: {links}and more words to be a page of its own</p>{''.join(parts)}", head=theme).body
    targets = re.findall(r"\]\(#([^)]*)\)", body)
    assert len(targets) == len(headings)
    assert set(targets) <= anchors(body)


def test_headings_have_the_slugs_of_github() -> None:
    assert heading_slug("  C++ & `Rust`, 3.11 – naïve_x 向量 ") == "c--rust-311--naïve_x-向量"
    assert is_made_of("what-s-new", "What’s new?")
    assert is_made_of("scope", "2.1 Scope")
    assert not is_made_of("git-concepts", "Chapter 7. Git concepts")
    assert not is_made_of("", "!")
    assert Ids(prefix="_", separator="_").slug("_") == "_"


def test_fragments_do_not_depend_on_other_pages() -> None:
    data = b"<main><h1>T</h1><p>words <a href='other.html#x-y'>x</a></p><h2 id=x-y>T</h2></main>"
    bodies = {extract(data, url=URL, content_type="text/html", options=OPTIONS).body for _ in range(3)}
    assert len(bodies) == 1
