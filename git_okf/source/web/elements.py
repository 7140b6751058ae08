"""The elements by which a page speaks of itself and leads elsewhere, in the order of the page, from either parser.

The tree that content is extracted from has them all, and to read them there saves a parse. Lexbor reads what makes no
such tree: pages nested too deep, framesets, bytes that are no text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_okf.source.web.extract.tree import raw_text

if TYPE_CHECKING:
    from lxml import etree
    from selectolax.lexbor import LexborNode

_NEEDED: Mapping[str, str] = {
    "a": "href",
    "area": "href",
    "frame": "src",
    "iframe": "src",
    "link": "href",
    "meta": "content",
    "base": "href",
}
"""Tag -> the attribute without which such an element says nothing."""
_APART = ("frameset", "title", "h1")
_ONCE = frozenset(("base", *_APART))
"""What is no link, and counts once."""
_WANTED = ",".join([*(f"{tag}[{name}]" for tag, name in _NEEDED.items()), *_APART])
_TITLED = ("head", "body")
"""Where a `title` is the page's: elsewhere it names a drawing."""

Attribute = Callable[[str], str | None]
"""Name -> value; None where there is no such attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """What a page has of them; of those that count once, the first."""

    speaking: Sequence[tuple[str, Attribute]]
    """Links, frames and metadata: tag and attributes."""
    base: str | None
    """`href` of `base`."""
    frameset: bool
    title: str
    heading: str
    """The h1."""
    language: str
    """Of the whole page, as it says."""


def of_bytes(encoded: bytes) -> Elements:
    """As lexbor reads a page (UTF-8), whatever it is."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(encoded)
    speaking: list[tuple[str, Attribute]] = []
    first: dict[str, LexborNode] = {}
    for node in tree.css(_WANTED):
        tag = node.tag or ""
        if tag not in _ONCE:
            speaking.append((tag, node.attributes.get))
        elif tag != "title" or node.parent is None or node.parent.tag in _TITLED:
            first.setdefault(tag, node)
    return Elements(
        speaking=speaking,
        base=first["base"].attributes.get("href") if "base" in first else None,
        frameset="frameset" in first,
        title=first["title"].text() if "title" in first else "",
        heading=first["h1"].text() if "h1" in first else "",
        language=(tree.root.attributes.get("lang") or "") if tree.root is not None else "",
    )


def of_tree(root: etree._Element) -> Elements:
    """As they stand in a tree that nothing was taken out of yet. What a `template` holds is not on the page."""
    speaking: list[tuple[str, Attribute]] = []
    first: dict[str, etree._Element] = {}
    unused: set[etree._Element] = set()
    for el in root.iter("template", *_NEEDED, *_APART):
        tag = str(el.tag)
        if tag == "template":
            unused.update(el.iterdescendants())
        elif el in unused or (tag in _NEEDED and el.get(_NEEDED[tag]) is None):
            continue
        elif tag not in _ONCE:
            speaking.append((tag, el.get))
        elif tag != "title" or (parent := el.getparent()) is None or parent.tag in _TITLED:
            first.setdefault(tag, el)
    return Elements(
        speaking=speaking,
        base=first["base"].get("href") if "base" in first else None,
        frameset="frameset" in first,
        title=raw_text(first["title"]) if "title" in first else "",
        heading=raw_text(first["h1"]) if "h1" in first else "",
        language=root.get("lang") or "",
    )
