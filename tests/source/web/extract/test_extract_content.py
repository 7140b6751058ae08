"""Which part of a page is its content, and what of it is not."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from extracting import OPTIONS, SITE, URL, page

from git_okf.source.web import extract as extractor
from git_okf.source.web.extract import NoContent, extract, themes
from git_okf.source.web.extract.convert import to_markdown
from git_okf.source.web.extract.reasons import FORWARDS, FRAMES, NEEDS_BROWSER, NEEDS_SELECTOR
from git_okf.source.web.extract.signs import recognise

TEXT = "<h1>Title</h1><p>The text of the page, long enough to be one.</p>"
BODY = "# Title\n\nThe text of the page, long enough to be one."


def body_of(html: str, **options: object) -> str:
    return extract(html.encode(), url=URL, options=replace(OPTIONS, **options)).body  # type: ignore[arg-type]


def test_ext_08_navigation_footers_and_glyphs_do_not_get_in() -> None:
    html = (
        '<body><nav><a href="a.html">A</a></nav><a class="skip-link" href="#c">Skip</a><main><div class="breadcrumb">'
        f'<a href="/">Home</a></div>{TEXT.replace("</h1>", "<a class=headerlink href=#t>¶</a></h1>")}'
        '<a class="edit-this-page" href="e">Edit</a><div class="feedback">Was this helpful?</div>'
        "<footer>Last updated today</footer></main><footer>© 2024</footer></body>"
    )
    assert body_of(html) == BODY


def test_ext_08_change_of_footer_and_menu_is_no_change() -> None:
    old = (
        f'<body><div class="sidebar"><a href="a">A</a></div><div class="main">{TEXT}</div>'
        f'<div class="footer">© 2024</div></body>'
    )
    new = old.replace("2024", "2025").replace('<a href="a">A</a>', '<a href="a">A</a><a href="b">B</a>')
    assert body_of(old) == body_of(new) == BODY


@pytest.mark.parametrize("theme", themes.THEMES, ids=lambda theme: theme.name)
def test_every_theme_names_itself_and_its_content(theme: themes.Theme) -> None:
    assert themes.named(theme.name) is theme
    assert theme.signs
    assert theme.content
    assert all(recognise(f"<html>{sign}".encode()) is not None for sign in theme.signs)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ('<meta name="generator" content="mkdocs-1.6, mkdocs-material-9">', '<div class=x>'
            '<article class="md-content__inner">{}</article>{}</div>'),
        ('<meta name="generator" content="Docusaurus v3">', '<main><article>'
            '<div class="theme-doc-markdown markdown">{}</div></article>{}</main>'),
        ('<meta name="generator" content="VitePress v1">', '<main><div class="vp-doc"><div>{}</div></div>{}</main>'),
        ("<!-- Book generated using mdBook -->", '<div id="content"><main>{}</main>{}</div>'),
        ('<script src="_static/documentation_options.js"></script>', '<div class="document">'
            '<div class="body" role="main">{}</div>{}</div>'),
        ('<script src="_static/doctools.js"></script>', '<main><article class="bd-article">{}</article>{}</main>'),
        ('<meta name="generator" content="Asciidoctor 2">', '<div id="content">{}</div>{}'),
        ('<meta name="generator" content="Hugo 0.1">', '<main><div class="td-content">{}</div>{}</main>'),
        ('<meta name="generator" content="Jekyll v4">', '<div class="page__content">{}</div>{}'),
        ('<meta name="generator" content="rustdoc">', '<main><section id="main-content">{}</section>{}</main>'),
        ('<meta name="generator" content="javadoc/17">', '<div><main>{}</main>{}</div>'),
        ('<meta name="generator" content="Doxygen 1.9">', '<div id="doc-content">{}</div>{}'),
        ('<meta name="generator" content="DocBook XSL">', '{}<div class="navfooter">{}</div>'),
        ('<meta name="generator" content="readme.io">', '<div><div class="markdown-body">{}</div>{}</div>'),
        ('<meta name="generator" content="GitBook">', '<div><section class="markdown-section">{}</section>{}</div>'),
        ('<link href="https://mintlify.com/x.css">', '<div id="content">{}</div>{}'),
        ('<script src="pkgdown.js"></script>', '<main id="main">{}</main>{}'),
        ("", '<div id="wrap"><div id="nav"><a href="x">X</a></div><div class="content">{}</div>{}</div>'),
        ("", '<table><tr><td class="menu">{1}</td><td><div>{0}</div></td></tr></table>'),
    ],
)  # fmt: skip
def test_content_is_found_by_what_the_page_says_of_itself(head: str, body: str) -> None:
    around = '<div class="pager"><a href="n.html">Next chapter</a></div>'
    assert body_of(f"<html><head>{head}</head><body>{body.format(TEXT, around)}</body></html>") == BODY


def test_content_and_drop_override_the_theme() -> None:
    html = (
        f'<main>menu<div class="mine">{TEXT}<p class="ad">Buy!</p><section><p class=ad>Now</p></section></div></main>'
    )
    assert body_of(html, content=".mine", drop=(".ad",)) == BODY
    assert body_of(html, content="main > .mine", drop=("div > .ad", "section p")) == BODY
    assert body_of(f"<article>{TEXT}</article>", content="docusaurus") == BODY


def test_several_matches_are_joined_in_their_order() -> None:
    html = '<body><p class="c">First part.</p><p>no</p><div class="c">Second <b class="c">part</b>.</div></body>'
    assert body_of(html, content=".c") == "First part.\n\nSecond **part**."


@pytest.mark.parametrize("content", [".missing", "..", "p:nth-child(", ""])
def test_a_selector_that_finds_nothing_says_so(content: str) -> None:
    if not content:
        assert body_of(f"<main>{TEXT}</main>", content=content) == BODY
        return
    with pytest.raises(NoContent, match="content:"):
        body_of(f"<main>{TEXT}</main>", content=content)


def test_heading_outside_of_the_content_is_put_before_it_once() -> None:
    html = (
        '<head><meta name="generator" content="Asciidoctor"><title>git-add(1)</title></head><body><div id="header">'
        '<h1>git-add(1) Manual Page</h1></div><div id="content"><h2>NAME</h2><p>git-add - Add files</p></div></body>'
    )
    assert body_of(html) == "# git-add(1) Manual Page\n\n## NAME\n\ngit-add - Add files"


def test_heading_of_the_site_is_not_the_heading_of_the_page() -> None:
    html = (
        "<title>Install - The Book</title><body><h1 class=menu-title>The Book</h1><main><h2>Install</h2>"
        "<p>Some text.</p></main></body>"
    )
    assert body_of(html) == "## Install\n\nSome text."


def test_rows_of_links_to_neighbours_are_no_content() -> None:
    html = (
        '<html><head><link rel="prev" href="a.html"><link rel="next" href="c.html"><link rel=up href="i.html">'
        "</head><body>"
        f'<table><tr><td><a href="a.html">Prev</a></td><td><a href="i.html">Up</a></td><td>'
        f'<a href="c.html">Next</a></td></tr></table>'
        f'{TEXT}<p>See <a href="c.html">the next page</a> and <a href="a.html">the last</a>.</p></body></html>'
    )
    assert body_of(html) == f"{BODY}\n\nSee [the next page](c.md) and [the last](a.md)."


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ('<body><div id="root"></div><script src="a.js"></script></body>', NEEDS_BROWSER),
        ("<body><div id=app>Loading…</div><noscript>You need to enable JavaScript.</noscript></body>", NEEDS_BROWSER),
        ("<body><app-root></app-root><script></script></body>", NEEDS_BROWSER),
        ("<body></body>", "no content found"),
        ('<body><nav><a href="/">Guide</a></nav><div id="app">Please wait...</div></body>', NEEDS_BROWSER),
        ('<body><div id="swagger-ui"></div><p>API</p></body>', NEEDS_BROWSER),
        ("<body><script src=a.js></script></body>", NEEDS_BROWSER),
        (
            '<body><div id="app"><nav>Home Guide Reference Blog About us and more</nav><main></main></div></body>',
            NEEDS_SELECTOR,
        ),
        ("<body><script></script><script></script><script></script><nav>Home page of us</nav></body>", NEEDS_SELECTOR),
        ("", "empty"),
        ("   \n", "empty"),
        ('<head><meta http-equiv="refresh" content="0; url=new.html"></head><body>Redirecting…</body>', FORWARDS),
        ('<frameset cols="1,2"><frame src="a.html"></frameset>', FRAMES),
        ("<body><nav><a href=a>A</a></nav></body>", "no content found"),
    ],
)
def test_page_03_empty_pages_and_shells_are_never_content(html: str, reason: str) -> None:
    with pytest.raises(NoContent) as caught:
        body_of(html)
    assert reason in caught.value.reason


def test_page_03_short_page_with_text_is_content() -> None:
    assert body_of("<main><h1>Moved</h1><p>See the wiki.</p></main>") == "# Moved\n\nSee the wiki."


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<div id="app"><main><h1>Gone</h1><p>See v2.</p></main></div><script></script>', "# Gone\n\nSee v2."),
        (
            "<script></script><main><p>Enable JavaScript in the settings.</p></main>",
            "Enable JavaScript in the settings.",
        ),
        ('<div id="app"><main><p>本页面已经移动到新的位置</p></main></div>', "本页面已经移动到新的位置"),
    ],
)
def test_page_03_a_short_page_of_an_application_is_content(html: str, text: str) -> None:
    assert body_of(f"<body>{html}</body>") == text


def test_body_never_begins_like_front_matter() -> None:
    assert not page("<hr><p>type: evil</p><hr><p>Text</p>").body.startswith("---")
    assert not page("<p>---</p><p>type: evil</p><p>---</p>").body.startswith("---")


def test_nesting_without_end_is_flattened() -> None:
    for start, end in (("<div>", "</div>"), ("<b><i>", "</i></b>"), ("<ul><li>", "</li></ul>")):
        html = f"<main><h1>Title</h1>{start * 800}The text at the bottom.{end * 800}</main>"
        assert "The text at the bottom." in body_of(html)


def test_a_page_too_deep_for_the_parser_is_not_cut() -> None:
    with pytest.raises(NoContent, match="nested too deep"):
        body_of(f"<main><h1>Title</h1>{'<div>' * 3000}text{'</div>' * 3000}</main>")


def test_lost_content_is_reported() -> None:
    kept = page(TEXT + "<table><tr><th>A</th></tr><tr><td>b</td></tr></table><pre>code</pre><h2>Two</h2>")
    assert kept.warnings == ()
    controls = page(f"{TEXT}<select><option>{'word ' * 30}</option></select><p>{'seen ' * 30}</p>")
    assert controls.warnings == ()


@pytest.mark.parametrize(
    ("taken", "warning"),
    [
        (r"The long text.*? end\.", "% of the text of the content is missing"),
        (r"## Two\n", "1 of 2 headings are missing"),
        (r"\|[^\n]*\n\| ---[^\n]*\n", "1 of 1 tables are missing"),
        (r"```\ncode x\n```", "1 of 1 code blocks are missing"),
    ],
)
def test_a_page_that_lost_content_says_what(taken: str, warning: str, monkeypatch: pytest.MonkeyPatch) -> None:
    html = (
        f"<h1>One</h1><p>The long text {'of words ' * 20}until the end.</p><h2>Two</h2><p>{'kept ' * 200}</p>"
        "<table><tr><th>A</th><th>B</th></tr><tr><td>b</td><td>c</td></tr></table><pre>code x</pre>"
    )
    assert page(html).warnings == ()
    monkeypatch.setattr(
        extractor, "to_markdown", lambda node, links, **told: re.sub(taken, "", to_markdown(node, links, **told))
    )
    warnings = page(html).warnings
    assert len(warnings) == 1 and warning in warnings[0]


def test_links_follow_the_base_and_the_url_the_bytes_came_from() -> None:
    html = (
        '<head><base href="/v2/"></head><body><main><p>See <a href="x.html#y">x</a> and <a href="#z">z</a>'
        "</p></main></body>"
    )
    assert body_of(html) == "See [x](../v2/x.md#y) and [z](../v2.md#z)"
    absolute = body_of(html, links="absolute")
    assert absolute == f"See [x]({SITE}/v2/x.html#y) and [z]({SITE}/v2/#z)"


@pytest.mark.parametrize(
    "body",
    [
        f"<p style='{'overflow:hidden ' * 20000}'>x</p>",
        f"<p>{'a<span>b</span>' * 10000}</p>",
        f"<p>{'<b>a</b> ' * 10000}</p>",
        f"<p>{'*_~`[](' * 10000}</p>",
        f"<table>{'<tr><td>a<td>b<td rowspan=3>c</tr>' * 3000}</table>",
        f"{''.join(f'<a href=#f{i}>{i}</a>' for i in range(2000))}<div class=footnotes><ol>"
        f"{''.join(f'<li id=f{i}>n</li>' for i in range(2000))}</ol></div>",
    ],
    ids=("style", "spans", "marks", "specials", "rows", "notes"),
)
def test_time_grows_with_the_page_and_no_faster(body: str) -> None:
    started = time.process_time()
    page(TEXT + body)
    assert time.process_time() - started < 5
