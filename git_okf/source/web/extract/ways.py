"""Ways around the site that a page names in its head (`<link rel="next">`): rows of links to them are no content."""

from __future__ import annotations

import re

from lxml import etree

from git_okf.source.web.extract.tree import remove, texts

_RELATIONS = frozenset(
    ("prev", "previous", "next", "up", "home", "start", "top", "contents", "index", "first", "last", "toc")
)
_SIGNPOSTS = re.compile(r"\b(?:next|prev(?:ious)?|up|top|home|back|contents|index|page|chapter|section)\b", re.I)
_MANY = 40
"""More links than this to neighbours are a list of chapters, not ways around it."""
_LEFT = 2
"""Letters outside of links that such a row may have beyond signposts."""


def neighbours(root: etree._Element) -> frozenset[str]:
    """Where the page's head says the previous, the next, the upper page and the like are."""
    return frozenset(
        link.get("href") or ""
        for link in root.iter("link")
        if _RELATIONS.intersection((link.get("rel") or "").lower().split())
    ) - {""}


def remove_ways(node: etree._Element, known: frozenset[str]) -> None:
    """Take out the largest elements that hold at least two links, all of them to `known`, and next to no text."""
    if len(known) < 2:
        return
    ways = [link for link in node.iter("a") if link.get("href") in known]
    for link in ways if len(ways) <= _MANY else ():
        row = None
        box = link.getparent()
        while box is not None and box is not node and _is_row(box, known):
            row, box = box, box.getparent()
        if row is not None and sum(1 for _ in row.iter("a")) > 1:
            remove(row)


def _is_row(box: etree._Element, known: frozenset[str]) -> bool:
    links = list(box.iter("a"))
    if any(a.get("href") not in known for a in links) or next(box.iter("pre", "h1", "h2", "h3"), None) is not None:
        return False
    linked = {text for a in links for text in texts(a)}
    outside = _SIGNPOSTS.sub("", " ".join(text for text in texts(box) if text not in linked))
    return sum(c.isalpha() for c in outside) <= _LEFT
