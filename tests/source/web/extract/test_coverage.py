"""What of a page is missing in its Markdown."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from git_okf.source.web.extract import coverage
from git_okf.source.web.extract.coverage import losses, measure, words_of


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("ab_1 -.\n\u00e9\u2019\u4e16\xa0\u00b2"))))
def test_words_are_those_of_the_regular_expression(text: str) -> None:
    assert words_of(text) == Counter(word.encode() for word in re.findall(r"\w+", text))


_TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "\u00e9\u2014x", "\u2014", "\xa0e"]), max_size=90).map(" ".join)


@given(_TEXTS, _TEXTS, _TEXTS, _TEXTS)
def test_words_are_missing_wherever_they_stand(start: str, one: str, other: str, end: str) -> None:
    wanted, there = f"{start} {one} {end}", f"{start} {other} {end}"
    lost = Counter(re.findall(r"\w+", wanted)) - Counter(re.findall(r"\w+", there))
    assert coverage._missing(coverage._pieces(wanted), coverage._pieces(there)) == lost.total()


def test_a_whole_page_has_lost_nothing() -> None:
    node = etree.fromstring("<div><h2>A b</h2><pre>x = 1</pre><table><tr><th>K</th></tr></table>na\u00efve</div>")
    body = '## A b\n\n```\nx = 1\n```\n\n| K |\n| --- |\n\n[na\u00efve](https://docs.example.org/(a)b "#c")'
    assert losses(measure(node), body) == ((), 6)


def test_what_is_lost_is_said() -> None:
    html = "<div><h2>A b</h2><h2>C d</h2><pre>x = 1</pre><pre>y</pre><table><tr><th>K</th></tr></table>%s</div>"
    node = etree.fromstring(html % " ".join(f"word{n}" for n in range(40)))
    said, words = losses(measure(node), "## A b\n\n```\nx = 1\n```")
    assert said == (
        "98 % of the text of the content is missing",
        "1 of 2 headings are missing",
        "1 of 1 tables are missing",
        "1 of 2 code blocks are missing",
    )
    assert words == 4


def test_code_that_looks_like_a_heading_counts_for_one_line() -> None:
    node = etree.fromstring("<div><h2>A</h2><h2>B</h2></div>")
    assert losses(measure(node), "- # A # # \n> ## B")[0] == ()


def test_a_number_alone_is_no_heading() -> None:
    assert measure(etree.fromstring("<div><h2>1.2</h2><pre>12\n13</pre></div>")).headings == 0
