"""Small questions about elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

from lxml import etree

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

_MODULE_SUFFIX = re.compile(r"_[A-Za-z0-9-]{4,6}\Z")


def texts(el: etree._Element) -> Iterator[str]:
    """The pieces of text below an element."""
    return cast("Iterator[str]", el.itertext())


def raw_text(el: etree._Element) -> str:
    """All text below an element as it stands."""
    return "".join(texts(el))


def found(xpath: etree.XPath, el: etree._Element) -> list[etree._Element]:
    """The elements an XPath that selects elements finds."""
    return list(cast("Iterable[etree._Element]", xpath(el)))


def words(text: str) -> frozenset[str]:
    """A set of names written as one text."""
    return frozenset(text.split())


def classes(el: etree._Element) -> list[str]:
    """Class names; those of CSS modules (`codeBlock_19pQ`) also without their hash."""
    value = el.get("class")
    if not value:
        return []
    names = value.split()
    if "_" in value:
        names += [name.rpartition("_")[0] for name in names if _MODULE_SUFFIX.search(name)]
    return names


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
