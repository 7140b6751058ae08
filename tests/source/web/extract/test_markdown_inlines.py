"""Inline content: marks, links, images, code, and literal characters that stay literal."""

from __future__ import annotations

from html import escape as html_escape

import pytest
from extracting import markdown, rendered, seen
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <b>b</b> <i>c</i> <del>d</del>", "a **b** *c* ~~d~~"),
        ("<b> padded </b>text", "**padded** text"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b><strong>a</strong></b>", "**a**"),
        ("<b></b>a<i> </i>b", "a b"),
        ("<b><i>a</i></b>", "***a***"),
        ("<b>key:</b>value", "<strong>key:</strong>value"),
        ("中文<b>“引用”</b>的", "中文<strong>“引用”</strong>的"),
        ("<i>a</i><b>b</b>", "*a*<strong>b</strong>"),
        ("un<b>frigging</b>believable", "un**frigging**believable"),
        ("line<br>next<br><br>", "line\\\nnext"),
        ("<b>a<br></b>b", "**a**\\\nb"),
        ("10<sup>3</sup> H<sub>2</sub>O", "10<sup>3</sup> H<sub>2</sub>O"),
        ("<code>a</code><code>b</code>", "`ab`"),
        ("<code>``</code> <code>a`b</code>", "``` `` ``` ``a`b``"),
        ("<code> f  (x)\n y </code>", "`f (x) y`"),
        ("<kbd><kbd>Ctrl</kbd>+<kbd>C</kbd></kbd>", "`Ctrl`+`C`"),
        ("<strong><code>x</code></strong>", "**`x`**"),
        ("a <q>b</q>", "a “b”"),
        ("a&nbsp;b &amp; c", "a b & c"),
        ("x<span class='icon'></span>y", "xy"),
    ],
)
def test_marks(html: str, text: str) -> None:
    assert markdown(f"<p>{html}</p>") == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href='next.html'>n</a>", "[n](next.md)"),
        ("<a href='../api/'><code>f()</code></a>", "[`f()`](../api.md)"),
        ("<code>f(<a href='T.html'>T</a> x)</code>", "`f(`[`T`](T.md) `x)`"),
        ("<a href='x.html'>a [b]</a>", r"[a \[b\]](x.md)"),
        ("<a href='https://e.org/a b(c)'>l</a>", "[l](https://e.org/a%20b%28c%29)"),
        ("<a name=x>anchor</a>", "anchor"),
        (
            "<a href='javascript:alert(1)'>j</a> <a href='data:text/html,x'>d</a> <a href=' jAva\tscript:x'>k</a>",
            "j d k",
        ),
        ("<a href='mailto:a@b.c'>m</a>", "[m](mailto:a@b.c)"),
        ("<a href='x.html'></a>after", "after"),
        ("wow!<a href='x.html'>x</a>", r"wow\![x](x.md)"),
        ("[<a href='x.html'>source</a>]", "[[source](x.md)]"),
        (
            "a <a href='x.html'><img src='i.png' alt='an icon'></a>",
            "a [![an icon](https://docs.example.org/guide/i.png)](x.md)",
        ),
    ],
)
def test_links(html: str, text: str) -> None:
    assert markdown(f"<p>{html}</p>") == text


def test_ext_09_literal_characters_stay_literal() -> None:
    literal = (
        "3*4*5 List<T> __init__ a|b [x](y) # no ![i](u) `c` ~~s~~ 1. <b> &amp; \\* snake_case_name *.py /* x */ C:\\dir"
    )
    text = markdown(f"<p>{html_escape(literal)}</p>")
    assert seen(text) == literal
    assert "<em>" not in rendered(text)


def test_ext_09_destination_with_a_space_and_parentheses() -> None:
    text = markdown('<p>See <img src="/my image (1).png" alt="A [b] ](c)"></p>')
    assert text == r"See ![A \[b\] \](c)](https://docs.example.org/my%20image%20%281%29.png)"
    assert 'alt="A [b] ](c)"' in rendered(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 * 4 < 5 & a_b", "3 * 4 < 5 & a_b"),
        ("snake_case, C:\\dir, a[0], ~/x, $HOME, 50%", "snake_case, C:\\dir, a[0], ~/x, $HOME, 50%"),
        ("- dash", r"\- dash"),
        ("-dash", "-dash"),
        ("1. one", r"1\. one"),
        ("1.5 one", "1.5 one"),
        ("# one", r"\# one"),
        ("#one", "#one"),
        ("> q", r"\> q"),
        ("---", r"\---"),
        ("+", r"\+"),
        ("[ ] task", r"\[ ] task"),
        ("[a]: b", r"\[a]: b"),
        ("[!NOTE]", r"\[!NOTE]"),
    ],
)
def test_escapes_are_as_few_as_can_be(text: str, expected: str) -> None:
    assert markdown(f"<p>{html_escape(text)}</p><p>And some more words.</p>").split("\n\n")[0] == expected


WORDS = st.text(st.sampled_from("ab1 *_`[]()<>#!-+.=|~&\\;:/{}$\"'é中"), min_size=1, max_size=30)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4))
def test_any_text_survives_in_any_place(texts: list[str]) -> None:
    said = [" ".join(text.split()) for text in texts]
    tags = ("b", "i", "span", "code", "a href='x.html'")
    inside = "".join(f"<{tag}>{html_escape(text)}</{tag.split()[0]}>" for tag, text in zip(tags, texts, strict=False))
    for html in (
        "".join(f"<p>{html_escape(t)}</p>" for t in texts),
        f"<p>{'<br>'.join(html_escape(t) for t in texts)}</p>",
        f"<ul>{''.join(f'<li>{html_escape(t)}</li>' for t in texts)}</ul>",
        f"<table><tr><th>k</th></tr>{''.join(f'<tr><td>{html_escape(t)}</td></tr>' for t in texts)}</table>",
        f"<h2>{' '.join(html_escape(t) for t in texts)}</h2>",
    ):
        expected = " ".join(t for t in said if t).replace(" ", "")
        assert seen(markdown(f"<h1>k</h1>{html}")).replace("k", "").replace(" ", "") == expected
    whole = "".join(texts)
    assert seen(markdown(f"<h1>k</h1><p>{inside}</p>")).replace("k", "").replace(" ", "") == "".join(whole.split())


def test_a_mark_before_a_break_is_no_mark() -> None:
    assert seen(markdown("<p>*<br>**</p><p>k</p>")).split() == ["*", "**", "k"]
