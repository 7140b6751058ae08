"""Sitemaps in all the forms that are met: XML, index, RSS, Atom, plain text; gzipped once or twice. Pure.

A sitemap that cannot be read is `Unreadable`, never empty: what it lists would look as if it were gone. A DOCTYPE makes
it unreadable, since entities have no use in a sitemap but to attack its reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_okf.source.web.decoding import Body, TooLarge, Undecodable
from git_okf.source.web.url import Resolver

if TYPE_CHECKING:
    from lxml.etree import XMLPullParser, _Element

MAX_BYTES = 50 * 1024 * 1024
"""Of one sitemap, inflated (sitemaps.org protocol 0.9)."""

_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 64 * 1024
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_URL = re.compile(r"https?://", re.IGNORECASE)
_ROOTS = frozenset({"urlset", "sitemapindex", "rss", "RDF", "feed"})


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Absolute http(s) URLs without fragments, in the order of the file, each once; not checked for scope."""

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    """Further sitemaps, of an index. They may name each other or itself: whoever follows them keeps count."""


class Unreadable(Exception):
    """No sitemap, or one that is refused: what it lists is unknown."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read(data: bytes, url: str) -> Sitemap:
    """The sitemap whose bytes were found at `url`. Raises Unreadable."""
    data = _inflated(data)
    if len(data) > MAX_BYTES:
        raise Unreadable(f"it is larger than {MAX_BYTES} bytes")
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not data:
        raise Unreadable("it is empty")
    if _is_html(data[:1024].lower()):
        raise Unreadable("it is an HTML page")
    # `<` may also come as the first of two bytes of UTF-16, with or without a mark before it.
    if data[:4].lstrip(b"\xff\xfe\0").startswith(b"<"):
        return _xml(data, url)
    return _text(data, url)


def _is_html(start: bytes) -> bool:
    return start.startswith((b"<!doctype html", b"<html")) or (start.startswith(b"<!--") and b"<html" in start)


def _inflated(data: bytes) -> bytes:
    """Undo gzip, also where publisher and server both applied it; bytes after its end are ignored."""
    for _ in range(2):
        if not data.startswith(_GZIP_MAGIC):
            break
        try:
            body = Body("gzip", MAX_BYTES)
            body.feed(data)
            data = body.finish()
        except TooLarge:
            raise Unreadable(f"it inflates to more than {MAX_BYTES} bytes") from None
        except Undecodable as error:
            raise Unreadable(error.reason) from error
    return data


def _text(data: bytes, url: str) -> Sitemap:
    """One URL a line, in UTF-8."""
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines or not _URL.match(lines[0]):
        raise Unreadable("it is neither XML nor a list of URLs")
    return _Found(url).add_pages(line for line in lines if _URL.match(line))


def _xml(data: bytes, url: str) -> Sitemap:
    from lxml import etree

    try:
        return _parsed(data, url)
    except etree.XMLSyntaxError as error:
        mended = _BARE_AMPERSAND.sub(b"&amp;", data)
        if mended == data:
            raise Unreadable(f"it is not well-formed: {error.msg}"[:200]) from error
    try:
        return _parsed(mended, url)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"it is not well-formed: {error.msg}"[:200]) from error


def _parsed(data: bytes, url: str) -> Sitemap:
    """Element by element, so that a sitemap of the full size needs no tree of the full size."""
    from lxml import etree

    parser = etree.XMLPullParser(
        events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    found = _Found(url)
    try:
        for at in range(0, len(data), _PIECE):
            parser.feed(data[at : at + _PIECE])
            found.take(parser)
        parser.close()
    except etree.XMLSyntaxError:
        found.take(parser)
        if not found.closed:  # what stands after the root's end is not the sitemap's
            raise
    found.take(parser)
    return found.sitemap()


class _Found:
    """Collects URLs from elements as they end."""

    def __init__(self, url: str) -> None:
        self._resolver = Resolver(url)
        self._pages: dict[str, None] = {}
        self._children: dict[str, None] = {}
        self._root: _Element | None = None
        self.closed = False

    def sitemap(self) -> Sitemap:
        return Sitemap(tuple(self._pages), tuple(self._children))

    def add_pages(self, texts: Iterator[str]) -> Sitemap:
        for text in texts:
            self._add(self._pages, text)
        return self.sitemap()

    def take(self, parser: XMLPullParser) -> None:
        from lxml.etree import _Element

        for event, element in parser.read_events():
            if not isinstance(element, _Element):
                continue
            if event == "start":
                if self._root is None:
                    self._begin(element)
            elif element is self._root:
                self.closed = True
            else:
                self._end(element)

    def _begin(self, root: _Element) -> None:
        self._root = root
        # The parser has read the document type by now, and has expanded nothing yet.
        if root.getroottree().docinfo.internalDTD is not None:
            raise Unreadable("it has a DOCTYPE")
        if _name(root) not in _ROOTS:
            raise Unreadable(f"its root is <{_name(root)}>, not that of a sitemap or feed"[:100])

    def _end(self, element: _Element) -> None:
        parent = element.getparent()
        name, of = _name(element), _name(parent) if parent is not None else ""
        # Told by the parent, not by a namespace: old, wrong and missing ones are all met, and `image:loc` has another
        # parent.
        if name == "loc" and of == "url":
            self._add(self._pages, element.text)
        elif name == "loc" and of == "sitemap":
            self._add(self._children, element.text)
        elif name == "link" and of == "item":
            self._add(self._pages, element.text)
        elif name == "link" and of == "entry" and element.get("rel", "alternate") == "alternate":
            self._add(self._pages, element.get("href"))
        elif name in ("url", "sitemap", "item", "entry"):
            element.clear()
            if parent is not None:
                while element.getprevious() is not None:
                    del parent[0]

    def _add(self, where: dict[str, None], text: str | bytes | None) -> None:
        resolved = self._resolver.resolve(text if isinstance(text, str) else "") if text else None
        if resolved:
            where[resolved] = None


def _name(element: _Element) -> str:
    """Without its namespace; "" for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
