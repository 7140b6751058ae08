"""Images, embedded players, and links around cards."""

from __future__ import annotations

import re

from lxml import etree

from git_okf.source.markdown.escape import escape
from git_okf.source.web.extract.convert.links import Links
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import text_of, words

LEAVES = words("a abbr b br cite code del em i img ins kbd mark q s small span strong sub sup svg u var")
"""Elements that are parts of a line."""
_PLAYERS = re.compile(r"youtu\.?be|vimeo|loom\.com|wistia|bilibili|asciinema|codepen|codesandbox|stackblitz|jsfiddle")


def image(el: etree._Element, links: Links) -> str:
    """`![alt](absolute URL)`. An image whose bytes stand in the page itself leaves its alternative text."""
    alt = " ".join((el.get("alt") or "").split())
    for name in ("src", "data-src", "data-original", "data-lazy-src"):
        src = links.resource(el.get(name) or "")
        if src:
            return f"![{escape(alt, bracketed=True)}]({src})"
    first = (el.get("srcset") or el.get("data-srcset") or "").split(",")[0].split()
    src = links.resource(first[0]) if first else ""
    return f"![{escape(alt, bracketed=True)}]({src})" if src else escape(alt)


def embed(el: etree._Element, page: Page) -> list[Block]:
    """A player as a link to what it plays. Other frames (buttons, counters) are no content."""
    source = el.get("src") or next((s.get("src") or "" for s in el.iterdescendants("source")), "")
    url = page.links.resource(source)
    if not url or (el.tag == "iframe" and not _PLAYERS.search(url)):
        return []
    name = " ".join((el.get("title") or el.get("aria-label") or el.tag).split())
    return [Block("p", f"[{escape(name, bracketed=True)}]({url})")]


def labels(svg: etree._Element) -> list[str]:
    """The labels of a diagram, and the names of its parts (Graphviz: its edges); an icon or a formula has none."""
    if any(str(parent.tag).startswith("mjx") for parent in svg.iterancestors()):
        return []
    if next(svg.iter("text"), None) is None:
        return []
    found: list[str] = []
    for el in svg.iter("title", "text"):
        label = text_of(el)
        if any(c.isalpha() for c in label) and label not in found[-1:]:
            found.append(label)
    return found


def diagram(el: etree._Element, page: Page) -> list[Block]:
    """A drawing leaves its labels, in the order in which they stand in it."""
    text = " · ".join(escape(label) for label in labels(el))
    return [Block("p", text)] if text else []


def link_first_text(el: etree._Element, href: str) -> None:
    """Move the link around a card onto its first line of text, so that it is a link in Markdown too."""
    for box in el.iter():
        if box is el or box.tag in LEAVES or not text_of(box):
            continue
        if (box.text or "").strip() or not any(c.tag not in LEAVES and text_of(c) for c in box):
            if next(box.iterdescendants("a"), None) is None:
                _wrap_content(box, href)
            return


def _wrap_content(el: etree._Element, href: str) -> None:
    link = etree.Element("a", href=href)
    link.text, el.text = el.text, None
    for child in list(el):
        link.append(child)
    el.append(link)
