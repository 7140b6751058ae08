"""Pages as themes make them: all of the content, none of the frame."""

from __future__ import annotations

from dataclasses import replace

import pytest
from extracting import OPTIONS, URL
from hypothesis import example, given
from hypothesis import strategies as st

from git_okf.source.web.extract import extract, themes
from git_okf.source.web.extract.chrome import UNIVERSAL_DROP
from git_okf.source.web.extract.select import Selector, compiled
from git_okf.source.web.extract.signs import recognise

SAID = "This text goes on for as many words as a page needs to be one."
PAGES = {
    "gitbook": (
        '<meta name="generator" content="GitBook (28f7fba)">',
        '<header id="site-header">Acme</header><aside data-testid="table-of-contents"><a href="/a">Intro</a>'
        '</aside><main>'
        '<header><nav aria-label="Breadcrumb"><ol><li>Start</li></ol></nav><h1>T</h1></header><div><p>{}</p>'
        '<h2 id="install"><div class="hash"><a href="#install" aria-label="Direct link"><svg></svg></a></div>'
        '<div>Install</div></h2><pre><code><span class="highlight-line"><span>npm i</span></span>\n'
        '<span class="highlight-line"><span>npm start</span></span></code></pre></div>'
        '<div class="page-nav"><a href="/n"><span>Next</span></a></div></main>',
        "## Install\n\n```\nnpm i\nnpm start\n```",
    ),
    "mintlify": (
        '<meta name="generator" content="Mintlify">',
        '<div id="navbar">Acme</div><div id="content-container"><div id="content-area"><header id="header"><div '
        'class="eyebrow">Start</div><h1 id="page-title">T</h1></header><div class="mdx-content" id="content"><p>{}</p>'
        '<h2 id="setup"><a href="#setup" aria-label="Navigate to header">\u200b</a><span>Setup</span></h2><pre '
        'class="shiki"><code language="bash"><span class="line">curl x</span>\n</code></pre></div>'
        '<div class="feedback-toolbar">Helpful?</div><div id="pagination"><a href="/n">Next</a></div></div></div>',
        "## Setup\n\n```bash\ncurl x\n```",
    ),
    "readme": (
        '<meta name="generator" content="readme.io">',
        '<nav class="rm-Sidebar">X</nav><article class="rm-Article"><header id="content-head"><h1>T</h1>'
        '</header><section>'
        '<div class="rm-Markdown markdown-body"><p>{}</p><h2 class="heading">'
        '<div class="heading-anchor" id="auth"></div>'
        '<div class="heading-text">Auth</div></h2><pre><button>x</button><code class="rdmd-code lang-curl" data-lang='
        '"curl"><div class="cm-s-neo">curl -H x</div></code></pre></div></section><p class="UpdatedAt">Updated'
        '</p></article>',
        "## Auth\n\n```curl\ncurl -H x\n```",
    ),
    "docusaurus": (
        '<meta name="generator" content="Docusaurus v3.5.2">',
        '<div id="__docusaurus"><nav class="navbar">Acme</nav><main><article>'
        '<nav class="theme-doc-breadcrumbs">Home</nav>'
        '<span class="theme-doc-version-badge">Version: 3</span><div class="theme-doc-markdown markdown">'
        '<header><h1>T</h1>'
        '</header><p>{}</p><h2 class="anchor" id="start">Start<a href="#start" class="hash-link">\u200b</a></h2><div '
        'class="theme-tabs-container tabs-container"><ul role="tablist"><li role="tab" class="tabs__item">npm</li><li '
        'role="tab" class="tabs__item">yarn</li></ul><div><div role="tabpanel"><p>one</p></div>'
        '<div role="tabpanel" hidden>'
        '<p>two</p></div></div></div></div><footer class="theme-doc-footer">Edit this page</footer></article>'
        '</main></div>',
        "## Start\n\n**npm**\n\none\n\n**yarn**\n\ntwo",
    ),
    "starlight": (
        '<meta name="generator" content="Astro v4"><meta name="generator" content="Starlight v0.22.4">',
        '<a href="#_top">Skip to content</a><nav class="sidebar">X</nav><main><h1 id="_top">T</h1><div '
        'class="sl-markdown-content"><p>{}</p><div class="sl-heading-wrapper"><h2 id="use">Use</h2>'
        '<a class="sl-anchor-link"'
        ' href="#use"><span class="sr-only">Section titled</span></a></div><starlight-tabs>'
        '<div class="tablist-wrapper"><ul '
        'role="tablist"><li class="tab"><a role="tab" href="#p0" id="t0">npm</a></li><li class="tab"><a role="tab" '
        'href="#p1">pnpm</a></li></ul></div><div id="p0" role="tabpanel"><p>one</p></div>'
        '<div id="p1" role="tabpanel" hidden>'
        '<p>two</p></div></starlight-tabs></div><footer><a href="/e">Edit page</a></footer></main>',
        "## Use\n\n**npm**\n\none\n\n**pnpm**\n\ntwo",
    ),
    "nextra": (
        "",
        '<div id="__next"><aside class="nextra-sidebar-container">X</aside><nav class="nextra-toc">On This Page'
        '</nav><article>'
        '<main><div class="nextra-breadcrumb">Docs</div><h1>T</h1><p>{}</p><h2>Use it<span id="use-it"></span><a '
        'href="#use-it" class="subheading-anchor"></a></h2><pre data-language="js"><code><span class="line">a</span>\n'
        '<span class="line">b()</span></code></pre><div class="nx-mb-8 nx-border-t"><a href="/n">Next</a></div></main>'
        "</article></div><footer>MIT</footer>",
        "## Use it\n\n```js\na\nb()\n```",
    ),
    "hugo": (
        '<meta name="generator" content="Hugo 0.120.4">',
        '<aside class="td-sidebar">X</aside><main role="main"><nav aria-label="breadcrumb">Docs</nav>'
        '<div class="td-content">'
        '<h1>T</h1><header class="article-meta"><p class="reading-time">2 minute read</p></header><p>{}</p>'
        '<h2 id="what">What?'
        '<a class="td-heading-self-link" href="#what"></a></h2><div class="alert alert-warning"><p>Beta.</p></div>'
        '<h2 class="feedback--title">Feedback</h2><p class="feedback--question">Helpful?</p>'
        '<div class="td-page-meta__lastmod">Last modified <a href="/c">fix</a></div></div></main>',
        "## What?\n\n> [!WARNING]\n> Beta.",
    ),
    "sphinx": (
        '<meta name="generator" content="Docutils 0.20"><link href="_static/styles/furo.css">',
        '<aside class="sidebar-drawer">X</aside><div class="article-container">'
        '<a href="#" class="back-to-top">Back to top</a>'
        '<article role="main" id="furo-main-content"><section id="t"><h1>T<a class="headerlink" href="#t">¶</a>'
        '</h1><p>{}</p>'
        '<dl class="py function"><dt class="sig sig-object py" id="acme.run"><span class="sig-prename">acme.'
        '</span><span>run'
        '</span>(<em class="sig-param">x</em>)<a class="headerlink" href="#acme.run">¶</a></dt><dd><p>Runs.</p>'
        '</dd></dl>'
        '</section></article></div><footer><div class="related-pages">Next</div></footer>',
        "- `acme.run(x)`: Runs.",
    ),
    "jekyll": (
        '<meta name="generator" content="Jekyll v4"><link href="/assets/css/just-the-docs-default.css">',
        '<div class="side-bar">X</div><div class="main" id="top">'
        '<nav aria-label="Breadcrumb" class="breadcrumb-nav">Docs</nav>'
        '<div id="main-content" class="main-content"><main><h1 id="t"><a href="#t" class="anchor-heading"><svg>'
        '</svg></a> T</h1>'
        '<p>{}</p><h2 id="b">B</h2><p>c</p></main><hr><footer><a href="#top" id="back-to-top">Back to top</a>'
        '</footer></div></div>',
        "## B\n\nc",
    ),
    "asciidoctor": (
        '<meta name="generator" content="Antora 3.1.7">',
        '<aside class="nav">X</aside><main class="article"><div class="toolbar"><nav class="breadcrumbs">Docs'
        '</nav></div>'
        '<article class="doc"><h1 class="page">T</h1><div class="paragraph"><p>{}</p></div><div class="sect1"><h2 '
        'id="_on_linux_x"><a class="anchor" href="#_on_linux_x"></a>On Linux (x)</h2><div class="admonitionblock note">'
        '<table><tr><td class="icon"><i title="Note"></i></td><td class="content"><p>Root.</p></td></tr>'
        '</table></div></div>'
        '<nav class="pagination"><a href="n.html">Next</a></nav></article></main>',
        "## On Linux (x)\n\n> [!NOTE]\n> Root.",
    ),
    "mediawiki": (
        '<meta name="generator" content="MediaWiki 1.41.0">',
        '<div id="content" role="main"><a id="top"></a><h1 id="firstHeading">T</h1><div id="bodyContent">'
        '<div id="siteSub">From '
        'W</div><a class="mw-jump-link" href="#x">Jump</a><div id="mw-content-text">'
        '<div class="mw-parser-output"><p>{}</p>'
        '<div id="toc" class="toc">Contents</div><h2><span class="mw-headline" id="Linux">Linux</span><span '
        'class="mw-editsection">[edit]</span></h2><div class="mw-highlight mw-highlight-lang-bash"><pre>make\n'
        '</pre></div></div>'
        '<div class="printfooter">Retrieved</div></div><div id="catlinks">Categories</div></div></div>',
        "## Linux\n\n```bash\nmake\n```",
    ),
    "confluence": (
        "",
        '<body class="theme-default"><div id="main-header"><ol id="breadcrumbs"><li>Acme</li></ol>'
        '<h1 id="title-heading"><span>T'
        '</span></h1></div><div id="content"><div class="page-metadata">Created by Jo</div><div id="main-content" '
        'class="wiki-content group"><p>{}</p>'
        '<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: bash; '
        'gutter: false">make</pre><div class="confluence-information-macro confluence-information-macro-warning"><div>'
        '<p>Root.</p></div></div></div></div><div id="footer" role="contentinfo">Generated</div>',
        "```bash\nmake\n```\n\n> [!WARNING]\n> Root.",
    ),
    "pkgdown": (
        '<script src="../pkgdown.js"></script>',
        '<nav class="navbar">acme</nav><main id="main"><div class="page-header"><img src="l.png" class="logo">'
        '<h1>T</h1><small '
        'class="dont-index">Source</small><div class="d-none name"><code>run.Rd</code></div></div><p>{}</p>'
        '<h2 id="ref-usage">'
        'Usage<a class="anchor" href="#ref-usage"></a></h2><pre class="sourceCode r"><code>run(x)</code></pre></main>',
        "## Usage\n\n```r\nrun(x)\n```",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_a_theme_is_its_content(name: str) -> None:
    head, body, rest = PAGES[name]
    html = f"<html><head><title>T</title>{head}</head><body>{body.format(SAID)}</body></html>".encode()
    theme = recognise(html)
    assert theme is not None and theme.name == name
    assert extract(html, url=URL, content_type="text/html", options=OPTIONS).body == f"# T\n\n{SAID}\n\n{rest}"


@pytest.mark.parametrize("theme", themes.THEMES, ids=lambda theme: theme.name)
def test_every_selector_of_a_theme_can_be_read(theme: themes.Theme) -> None:
    for selector in filter(None, (*theme.content, theme.heading)):
        compiled(selector)
    Selector((*theme.drop, *UNIVERSAL_DROP))


def test_a_theme_can_be_named_where_a_page_says_nothing_of_itself() -> None:
    _, body, rest = PAGES["pkgdown"]
    html = f"<html><body>{body.format(SAID)}</body></html>".encode()
    options = replace(OPTIONS, content="pkgdown", drop=("small", "img.logo", "div.d-none", "#ref-usage .anchor"))
    assert extract(html, url=URL, content_type="text/html", options=options).body.endswith(rest)


SIGNS = [sign for theme in themes.THEMES for sign in theme.signs]


@given(
    st.lists(
        st.one_of(st.sampled_from(SIGNS), st.sampled_from(SIGNS).map(lambda sign: sign[:-1]), st.text('<c=" ')),
        max_size=6,
    )
)
@example(['content="GTK-Do', 'content="Mintlify'])
def test_the_first_theme_of_which_a_sign_stands_in_a_page_made_it(pieces: list[str]) -> None:
    html = "".join(pieces)
    first = next((theme for theme in themes.THEMES if any(sign in html for sign in theme.signs)), None)
    assert recognise(html.encode()) is first


def test_no_sign_begins_with_another() -> None:
    assert [(a, b) for a in SIGNS for b in SIGNS if a != b and a.startswith(b)] == []
