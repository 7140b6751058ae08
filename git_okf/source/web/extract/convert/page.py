"""What the converters of one page share, and small questions about elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.convert.links import Links

_MODULE_SUFFIX = re.compile(r"_[A-Za-z0-9-]{4,6}\Z|--?[A-Za-z0-9]{5}\Z")


class Block(NamedTuple):
    """One block of Markdown: its text without indentation, and what it is ("ul" and "ol" for lists)."""

    kind: str
    text: str


@dataclass(slots=True)
class Page:
    """Shared by the converters of one page."""

    links: Links
    flow: Callable[[etree._Element, Page], list[Block]]
    """The blocks of an element's children (git_okf.source.web.extract.convert.blocks)."""
    footnotes: Mapping[str, str] = field(default_factory=dict)
    """Id of the footnote's element -> its label."""


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
    return " ".join("".join(el.itertext()).split())


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
