"""Simple selectors, many at once, are those of CSS."""

from __future__ import annotations

from typing import cast

from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from git_okf.source.web.extract.select import Selector, compiled
from git_okf.source.web.extract.tree import found

NAMES = st.sampled_from(("a", "b", "c-d"))
TAGS = st.sampled_from(("", "p", "a"))
RULES = st.one_of(
    st.builds("{}.{}".format, TAGS, NAMES),
    st.builds("{}.{}.{}".format, TAGS, NAMES, NAMES),
    st.builds("{}#{}".format, TAGS, NAMES),
    st.builds('{}[href="{}"]'.format, TAGS, NAMES),
    st.builds('{}[role{}="{}"]'.format, TAGS, st.sampled_from(("", "^", "*", "$")), NAMES),
    st.builds("{}.{}[id]".format, TAGS, NAMES),
    st.builds(
        '{}[class{}="{}"]'.format, TAGS, st.sampled_from(("", "^", "*", "$")), st.sampled_from(("a", "c-", "a b", ""))
    ),
    st.builds("{}[class]".format, TAGS),
    TAGS.filter(bool),
)
VALUES = st.lists(NAMES, max_size=3).map(" ".join)
ELEMENTS = st.tuples(
    st.sampled_from(("p", "a", "div")),
    st.dictionaries(st.sampled_from(("class", "id", "href", "role", "title")), VALUES),
)


@given(st.lists(RULES, min_size=1, max_size=6), st.lists(ELEMENTS, min_size=1, max_size=6))
def test_many_selectors_at_once_match_what_each_matches(
    rules: list[str], elements: list[tuple[str, dict[str, str]]]
) -> None:
    root = etree.Element("body")
    for tag, attributes in elements:
        etree.SubElement(root, tag, attributes)
    each = {el for rule in rules for el in found(compiled(rule), root)}
    selector = Selector(rules)
    assert {el for el in root if selector.matches(el, cast("list[str]", el.keys()))} == each - {root}


@given(
    selector=st.sampled_from((".a", ".c-d", "#a", "#c-d", "[role=a]", "[ROLE=b]", '[title="a"]')),
    values=st.lists(st.sampled_from(("a", "b", "c-d", "A", "a b", " a\t", "b\nc-d", "aa", "a\xa0b", ""))),
)
def test_a_selector_of_one_attribute_finds_what_cssselect_finds(selector: str, values: list[str]) -> None:
    root = etree.Element("div")
    for at, value in enumerate(values):
        parent = root if at % 2 else (root[-1] if len(root) else root)
        etree.SubElement(parent, "p", dict.fromkeys(("class", "id", "role", "title"), value))
    asked = etree.XPath(HTMLTranslator().css_to_xpath(selector, prefix="descendant-or-self::"))
    assert found(compiled(selector), root) == found(asked, root)
