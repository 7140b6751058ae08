"""Small questions about elements."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import cast

from lxml import etree

from git_okf.source.web.extract.remember import remembered

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

_TEXTS = etree.XPath("descendant::text()", smart_strings=False)
_MODULE_SUFFIX = re.compile(r"_[A-Za-z0-9-]{4,6}\Z")


def texts(el: etree._Element) -> list[str]:
    """The pieces of text below an element. (`itertext` would make an object of each element on its way.)"""
    return cast("list[str]", _TEXTS(el))


def raw_text(el: etree._Element) -> str:
    """All text below an element as it stands."""
    return etree.tostring(el, method="text", encoding="unicode", with_tail=False)


def holds(el: etree._Element, tags: Container[object]) -> bool:
    """Whether one of the elements below an element has such a tag."""
    # With many tags lxml takes longer to read them than to look at a few elements.
    return len(el) > 0 and any(inner.tag in tags for inner in el.iterdescendants())


def found(xpath: etree.XPath, el: etree._Element) -> list[etree._Element]:
    """The elements an XPath that selects elements finds."""
    return list(cast("Iterable[etree._Element]", xpath(el)))


def having(*names: str) -> etree.XPath:
    """What finds the elements, from one down, that have one of these attributes.

    It begins at the attributes: to ask each element whether it has them takes XPath ten times as long.
    """
    return etree.XPath("|".join(f"descendant-or-self::*/@{name}/.." for name in names))


def words(text: str) -> frozenset[str]:
    """A set of names written as one text."""
    return frozenset(text.split())


def classes(el: etree._Element) -> Sequence[str]:
    """Class names; those of CSS modules (`codeBlock_19pQ`) also without their hash."""
    value = el.get("class")
    return class_names(value) if value else ()


@remembered(4096)
def class_names(value: str) -> Sequence[str]:
    """The names in a `class` attribute; a site has few different ones."""
    names = value.split()
    if "_" in value:
        names += [name.rpartition("_")[0] for name in names if _MODULE_SUFFIX.search(name)]
    return tuple(names)


def text_of(el: etree._Element) -> str:
    """All text below an element, white space folded."""
    return " ".join(raw_text(el).split())


def remove(el: etree._Element) -> None:
    """Take an element out of its tree; the text after it stays."""
    parent = el.getparent()
    if parent is None:
        return
    if el.tail:
        before = el.getprevious()
        if before is None:
            parent.text = (parent.text or "") + el.tail
        else:
            before.tail = (before.tail or "") + el.tail
    parent.remove(el)
