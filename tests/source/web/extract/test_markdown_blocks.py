"""Headings, admonitions, details, tabs, figures, footnotes and formulas."""

from __future__ import annotations

import pytest
from extracting import markdown, rendered


def test_headings_keep_level_and_lose_their_permalinks() -> None:
    html = (
        '<h1>One<a class="headerlink" href="#one" title="Permalink">¶</a></h1>'
        '<h3 id="f-two"><a aria-hidden="true" class="anchor" href="#f-two"></a><code>f</code> — two</h3>'
        "<h2><strong>Bold</strong></h2><h2>C #</h2><h2></h2><h2>N <a class=mark href="  # n">#</a></h2>"
    )
    assert markdown(html) == "# One\n\n### `f` — two\n\n## Bold\n\n## C \\#\n\n## N"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<div class="admonition note"><p class="admonition-title">Note</p><p>a</p></div>', "> [!NOTE]\n> a"),
        (
            '<div class="admonition warning"><p class="admonition-title">Mind!</p><p>a</p></div>',
            "> [!WARNING]\n> **Mind!**\n>\n> a",
        ),
        (
            '<div class="admonition seealso"><p class="admonition-title">See also</p><p>a</p></div>',
            "> [!NOTE]\n> **See also**\n>\n> a",
        ),
        ('<details class="tip"><summary>Tip</summary><p>a</p></details>', "> [!TIP]\n> a"),
        ('<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>a</p></div>', "> [!TIP]\n> a"),
        (
            '<div class="markdown-alert markdown-alert-important"><p class="markdown-alert-title">Important</p>'
            "<p>a</p></div>",
            "> [!IMPORTANT]\n> a",
        ),
        (
            '<div class="theme-admonition theme-admonition-danger alert alert--danger">'
            '<div class="admonitionHeading_x1Yz">danger</div>'
            '<div class="admonitionContent_x1Yz"><p>a</p></div></div>',
            "> [!CAUTION]\n> **danger**\n>\n> a",
        ),
        (
            '<div class="admonitionblock caution"><table><tr><td class="icon"><div class="title">Caution</div></td>'
            '<td class="content">a</td></tr></table></div>',
            "> [!CAUTION]\n> a",
        ),
        ('<div class="note"><h3 class="title">Note</h3><p>a</p></div>', "> [!NOTE]\n> ### Note\n>\n> a"),
        ('<div class="alert alert-info" role="alert">a</div>', "> [!NOTE]\n> a"),
        (
            '<aside class="starlight-aside starlight-aside--tip"><p class="starlight-aside__title">Tip</p><p>a</p>'
            "</aside>",
            "> [!TIP]\n> a",
        ),
        ('<blockquote class="book-hint warning">a</blockquote>', "> [!WARNING]\n> a"),
        (
            '<div class="callout callout-style-default callout-important"><div class="callout-header">Important'
            "</div><p>a</p></div>",
            "> [!IMPORTANT]\n> a",
        ),
        ('<dl class="section warning"><dt>Warning</dt><dd>a</dd></dl>', "> [!WARNING]\n> a"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
    ],
)
def test_admonitions_of_every_theme_are_alerts(html: str, text: str) -> None:
    assert markdown(html) == text


def test_text_after_the_title_of_an_admonition_is_kept() -> None:
    assert (
        markdown('<div class="note"><h3>Note</h3>The <code>x</code> is y.</div>')
        == "> [!NOTE]\n> ### Note\n>\n> The `x` is y."
    )


def test_details_are_opened() -> None:
    assert markdown("<details><summary>More</summary><p>a</p>tail</details>") == "**More**\n\na\n\ntail"


@pytest.mark.parametrize(
    "html",
    [
        '<div class="tabbed-set tabbed-alternate"><input type=radio><input type=radio>'
        '<div class="tabbed-labels"><label>One</label>'
        '<label>Two</label></div><div class="tabbed-content"><div class="tabbed-block"><p>a</p></div>'
        '<div class="tabbed-block"><p>b</p></div></div></div>',
        '<div class="sd-tab-set docutils"><input type=radio><label class="sd-tab-label">One</label>'
        '<div class="sd-tab-content"><p>a</p>'
        '</div><input type=radio><label class="sd-tab-label">Two</label><div class="sd-tab-content"><p>b</p>'
        "</div></div>",
        '<div class="tabs-container"><ul role="tablist"><li role="tab">One</li><li role="tab">Two</li></ul><div>'
        '<div role="tabpanel"><p>a</p></div><div role="tabpanel" hidden><p>b</p></div></div></div>',
        '<div class="sphinx-tabs"><div role="tablist"><button role="tab">One</button><button role="tab">Two'
        "</button></div>"
        '<div role="tabpanel"><p>a</p></div><div role="tabpanel" hidden="true"><p>b</p></div></div>',
        '<div><ul class="nav nav-tabs"><li><a href="#1">One</a></li><li><a href="#2">Two</a></li></ul>'
        '<div class="tab-content">'
        '<div class="tab-pane active" id=1><p>a</p></div><div class="tab-pane" id=2 style="display:none"><p>b'
        "</p></div></div></div>",
    ],
)
def test_tabs_show_all_panels_under_their_labels(html: str) -> None:
    assert markdown(html) == "**One**\n\na\n\n**Two**\n\nb"


def test_code_groups() -> None:
    html = (
        '<div class="vp-code-group"><div class="tabs"><input type=radio><label>npm</label><input type=radio>'
        "<label>yarn</label></div>"
        '<div class="blocks"><div class="language-sh"><pre><code>npm i</code></pre></div>'
        '<div class="language-sh"><pre><code>yarn</code></pre></div></div></div>'
    )
    assert markdown(html) == "**npm**\n\n```sh\nnpm i\n```\n\n**yarn**\n\n```sh\nyarn\n```"


def test_figures_keep_image_and_caption() -> None:
    html = '<figure><img src="a.png" alt="A plan"><figcaption>Fig. 1: the <em>plan</em></figcaption></figure>'
    assert markdown(html) == "![A plan](https://docs.example.org/guide/a.png)\n\n*Fig. 1: the plan*"


def test_images_loaded_late_and_images_in_the_page() -> None:
    assert (
        markdown('<p>i <img src="data:x" data-src="b.png" alt="b"></p>')
        == "i ![b](https://docs.example.org/guide/b.png)"
    )
    assert markdown('<p>i <img src="data:image/png;base64,x" alt="dot"></p>') == "i dot"


def test_diagrams_leave_their_labels_and_icons_nothing() -> None:
    html = "<svg><g><title>a->b</title></g><g><text>start</text></g><g><title>end</title><text>end</text></g></svg>"
    assert (
        markdown(f"<p>words</p>{html}<p>x <svg><title>Home</title><path/></svg>y</p>")
        == "words\n\na->b · start · end\n\nx y"
    )


def test_videos_are_links() -> None:
    html = (
        '<p>words</p><iframe src="https://www.youtube.com/embed/x" title="A talk"></iframe>'
        '<iframe src="https://ads.example/x"></iframe>'
    )
    assert markdown(html) == "words\n\n[A talk](https://www.youtube.com/embed/x)"


@pytest.mark.parametrize(
    "html",
    [
        '<p>Text<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup>.</p><div class="footnote"><hr><ol>'
        '<li id="fn:1"><p>The note.&#160;<a class="footnote-backref" href="#fnref:1">↩</a></p></li></ol></div>',
        '<p>Text<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span>[</span>1'
        "<span>]</span></a>.</p>"
        '<aside class="footnote-list brackets"><aside class="footnote brackets" id="id2" role="doc-footnote">'
        '<span class="label">'
        '<span>[</span><a role="doc-backlink" href="#id1">1</a><span>]</span></span><p>The note.</p></aside></aside>',
        '<p>Text<a class="footnote-reference brackets" href="#id2" id="id1">1</a>.</p><dl class="footnote brackets">'
        '<dt class="label" id="id2"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt>'
        "<dd><p>The note.</p></dd></dl>",
        '<p>Text<sup class="footnote">[<a id="_footnoteref_1" class="footnote" href="#_footnotedef_1">1</a>]</sup>.</p>'
        '<div id="footnotes"><div class="footnote" id="_footnotedef_1"><a href="#_footnoteref_1">1'
        "</a>. The note.</div></div>",
    ],
)
def test_footnotes_keep_both_ends(html: str) -> None:
    text = markdown(html)
    assert text == "Text[^1].\n\n[^1]: The note."
    assert 'class="footnote-item"' in rendered(text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>a</mi></mrow>'
            '<annotation encoding="application/x-tex">a_b^2</annotation></semantics></math></span>'
            '<span class="katex-html" aria-hidden="true">ab2</span></span>',
            "x $a_b^2$ y",
        ),
        (r'<span class="math notranslate nohighlight">\(a_b\)</span>', "x $a_b$ y"),
        ('<script type="math/tex">a*b</script>', "x $a*b$ y"),
        ("<math><msub><mi>a</mi><mi>i</mi></msub><mo>∈</mo><mi>ℝ</mi></math>", r"x $a_i\in\mathbb{R}$ y"),
        (
            "<mjx-container><svg><g></g></svg><mjx-assistive-mml><math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"
            "</mjx-assistive-mml>"
            "</mjx-container>",
            r"x $\frac{a}{b}$ y",
        ),
        ('<img class="math" src="m.png" alt="a^2">', "x $a^2$ y"),
    ],
)
def test_formulas_are_tex(html: str, text: str) -> None:
    assert markdown(f"<p>x {html} y</p>") == text


def test_displayed_formulas_are_blocks() -> None:
    html = (
        '<p>x</p><span class="katex-display"><span class="katex"><annotation encoding="application/x-tex">a'
        "</annotation></span></span>"
    )
    assert markdown(html) == "x\n\n$$\na\n$$"


def test_rules_cannot_be_front_matter() -> None:
    assert markdown("<p>a</p><hr><p>b</p>") == "a\n\n***\n\nb"
    assert markdown("<p>---</p><p>key: v</p><p>---</p>") == "\\---\n\nkey: v\n\n\\---"


def test_cards_are_links() -> None:
    assert (
        markdown('<a href="x.html"><div><h3>Title</h3><p>Text of it</p></div></a>') == "### [Title](x.md)\n\nText of it"
    )


def test_what_stands_beside_tabs_is_kept() -> None:
    tabs = (
        '<ul class="nav nav-tabs"><li><a href="#1">One</a></li></ul>'
        '<div class="tab-content"><div class="tab-pane" id=1><p>a</p></div></div>'
    )
    set_of_its_own = f'<div class="sphinx-tabs">{tabs}</div>'
    text = markdown(f"<section><p>before</p>{tabs}<p>after</p></section>")
    assert text == 'before\n\n- [One](start.md "#1")\n\na\n\nafter'
    text = markdown(f"<section><p>before</p>{set_of_its_own}<p>after</p></section>")
    assert text == "before\n\n**One**\n\na\n\nafter"
