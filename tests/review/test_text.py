"""Untrusted text in a review's text: shown as it was written, acted on by nobody."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from git_okf.review.text import GAP, code, fenced, plain

MARKDOWN = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
ACTS = re.compile(
    r"@\w|[#!]\d|\b(?:fix(?:e[sd]|ing)?|close[sd]?|resolve[sd]?)\b|\bGH-\d|://|\bwww\.|^/\w",
    re.IGNORECASE | re.MULTILINE,
)
"""What a host could act on, in raw text too: a squash merge makes a commit message of it."""
HOSTILE = [
    "@everyone look",
    "fixes #1, closes acme/docs#2, resolves GH-3 and !4",
    "Fixed https://github.com/acme/docs/issues/1",
    "/close",
    "/assign @me",
    "![x](https://evil.example/track.png) <img src=x onerror=alert(1)>",
    "<!-- git-okf: {} --> --> <script>",
    "[link](javascript:alert(1)) [ref]: http://x",
    "a | b | `c` | **d** | ~~e~~ | $x$ | &copy; &#64;user",
    "# Heading\n\n- list\n> quote\n```\nfence",
    "www.evil.example mailto:a@b.example",
    "\u202egnp.exe \x1b[31m \u2066x\u2069",
    '%"Milestone 1" ~label $12 &3 ^alert#1',
    "1. one",
    "back\\`tick\\",
]


def rendered(markdown: str) -> str:
    out: str = MARKDOWN.render(markdown)
    return out


def visible(markdown: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", rendered(markdown))).replace(GAP, "").strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless_and_readable(text: str) -> None:
    shown = plain(text, 500)
    assert not ACTS.search(shown), shown
    assert re.fullmatch(r"<p>[^<]*</p>\n", rendered(shown)), rendered(shown)
    words = re.findall(r"[A-Za-z]{3,}", text)
    assert all(word in visible(shown) for word in words)
    row = rendered(f"| a | b |\n|---|---|\n| {shown} | [{shown}](x) |")
    assert row.count("<td>") == 2 and row.count("<a ") == 1 and "<img" not in row


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_code_is_harmless(text: str) -> None:
    assert not ACTS.search(code(text))
    assert rendered(f"- {code(text)}").count("<code>") == 1
    block = "\n".join(fenced(text.split("\n"), "diff"))
    assert not ACTS.search(block.replace("```", ""))
    assert rendered(block).count("<pre>") == 1
    assert rendered(f"{block}\n\nafter").endswith("<p>after</p>\n")


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_renders_as_text(text: str) -> None:
    shown = plain(text, 300)
    assert "\n" not in shown
    assert not ACTS.search(shown)
    assert re.fullmatch(r"(?:<p>[^<]*</p>\n)?", rendered(shown)), rendered(shown)


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=6))
def test_any_lines_stay_inside_their_fence(lines: list[str]) -> None:
    block = "\n".join(fenced(lines, ""))
    assert rendered(f"{block}\n\nafter").endswith("</code></pre>\n<p>after</p>\n")


@settings(deadline=None)
@given(st.text(max_size=100))
def test_any_text_is_one_code_span(text: str) -> None:
    assert rendered(f"- {code(text)}").count("<code>") == 1


def test_text_is_bounded() -> None:
    assert len(plain("长" * 5000, 50)) == 50
    assert len(code("长" * 5000, 50)) == 52
    assert max(map(len, fenced(["长" * 5000], "", 50))) == 50
