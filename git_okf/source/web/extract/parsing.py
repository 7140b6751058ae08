"""Bytes of a page -> its tree, as libxml2 reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import get_ident

from lxml import etree

from git_okf.source.web.extract.charset import decode
from git_okf.source.web.extract.reasons import FRAMES, NEEDS_SELECTOR, NoContent


@dataclass(frozen=True, slots=True)
class Parsed:
    """A page and its tree. To extract from it takes the tree apart: what else is wanted of it is read before."""

    html: str
    encoded: bytes
    """The text in UTF-8, without control characters that mean something here."""
    root: etree._Element
    is_plain: bool
    """The bytes of the page are UTF-8, and these."""


def parse(data: bytes, content_type: str) -> Parsed:
    """Raises NoContent where the bytes are no text, or no page that can be read whole."""
    html = decode(data, content_type)
    encoded = _without_controls(html.encode("utf-8", "replace"))
    return Parsed(html, encoded, tree_of(encoded), encoded == data)


def _without_controls(html: bytes) -> bytes:
    """The text without NUL, and without the two characters that mark places in Markdown in the making."""
    for control in (b"\0", b"\2", b"\3"):
        html = html.replace(control, b"")
    return html


@lru_cache(maxsize=8)
def _parser(thread: int) -> etree.HTMLParser:
    """The parser of a thread: to make one costs a third of what it costs to parse a page."""
    return etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)


def tree_of(html: bytes) -> etree._Element:
    """The tree of a page (UTF-8). Raises NoContent where there is none, or only a part of it."""
    parser = _parser(get_ident())
    if not html.strip():
        raise NoContent("the page is empty")
    try:
        root = etree.fromstring(html, parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise NoContent(NEEDS_SELECTOR)
    if len(parser.error_log.filter_from_fatals()):
        # libxml2 stops at 2,048 levels and hands over what it has: half a page is no content.
        raise NoContent("the page is nested too deep to be read whole")
    if root.find("frameset") is not None:
        raise NoContent(FRAMES)
    return root
