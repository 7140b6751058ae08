"""Which element of a page holds its content: the configured one, the theme's, the one HTML names, the heaviest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from lxml import etree

from git_okf.source.web.extract.reasons import NoContent
from git_okf.source.web.extract.select import BadSelector, select
from git_okf.source.web.extract.themes import Theme, named
from git_okf.source.web.extract.tree import raw_text, remove, texts, words

_GENERAL = (
    "article", "role=main", "main", "itemprop=articleBody", ".markdown-body", "#main-content", "#main_content",
    "#mw-content-text", "#content", "#main", ".main-content", "#documentation", ".documentation", ".docs-content",
    ".doc-content", ".document", ".post-content", ".entry-content", ".article-content", ".page-content",
    "#page-content", ".content", "#doc", ".body", "#page", "#bodyContent", "#text", "#body",
)  # fmt: skip
"""How pages of no known theme name their content, best first."""
_SHARE = 0.4
"""A named element holds the content if it holds so much of the page's text outside of navigation."""
_DOMINANT = 0.9
"""Of several matches one is the content if it holds so much of their text."""
_HEAVY = 0.75
"""A child is gone down into while it holds so much of its parent's text."""
_CHROME_TAGS = words("script style noscript template nav header footer aside form button select svg head title")
CHROME = re.compile(
    r"(?:^|[_-])(?:nav|navbar|navigation|navi|menu|sidebar|side-bar|sidenav|breadcrumbs?|footer|header|masthead|topbar|toolbar|banner"
    r"|toc|pager|pagination|search|skip|cookie|social|share|related|comments?|advert|promo)(?:$|[_-])", re.I
)  # fmt: skip
"""Class names and ids of what is no content on pages of no known theme."""


_AROUND = re.compile(
    r"(?:^|[_-])(?:nav|navbar|navigation|navi|menu|menubar|sidebar|side-bar|sidenav|breadcrumbs?|footer|masthead|topbar|pager"
    r"|pagination|skip|hd)(?:$|[_-])",
    re.I,
)
"""Those of them that are no content inside of a guessed node either, where they are mostly links."""


_CONTAINERS = frozenset(("div", "section", "main", "article", "center", "td", "body"))
_TABS = re.compile(r"(?:^|[_-])(?:tabs?|pills|tablist)(?:$|[_-])", re.I)


def find_content(root: etree._Element, theme: Theme | None, content: str | None, html: str) -> etree._Element:
    """The content node. Raises NoContent where `content` matches nothing.

    A node that was guessed has lost what looks like navigation.
    """
    if content:
        return _configured(root, content)
    body = root.find("body")
    if body is None:
        body = root
    empty: list[etree._Element] = []
    for selector in theme.content if theme else ():
        matches = select(body, selector)
        filled = [el for el in matches if _has_text(el)]
        if filled:
            return _one(filled)
        empty += matches
    if empty:  # a place for content with none in it: a search page, a shell
        return empty[0]
    node = _general(body, html)
    _prune(node)
    return node


def _prune(node: etree._Element) -> None:
    """Take out what its class or id calls navigation and what is mostly links, or stands around the page."""
    for el in list(node.iter("div", "ul", "table", "p", "span", "header", "section", "form", "td")):
        around = (
            el is not node and _called(el, _AROUND) and not _called(el, _TABS) and next(el.iter("h1"), None) is None
        )
        if around and (_is_linked(el) or el.tag == "header" or not _has_text(el)):
            remove(el)


def _is_linked(el: etree._Element) -> bool:
    linked = sum(len(raw_text(a).strip()) for a in el.iter("a"))
    return bool(linked * 2 > sum(len(text.strip()) for text in texts(el)))


def _one(found: Sequence[etree._Element]) -> etree._Element:
    """The match that holds nearly all the text of the matches, or all of them."""
    if len(found) == 1:
        return found[0]
    biggest = max(found, key=_size)
    return biggest if _size(biggest) >= _DOMINANT * sum(map(_size, found)) else _joined(found)


def _configured(root: etree._Element, content: str) -> etree._Element:
    preset = named(content)
    selectors: Sequence[str] = preset.content if preset else (content,)
    for selector in selectors:
        try:
            found = select(root, selector)
        except BadSelector as error:
            raise NoContent(f"content: {error}") from None
        if found:
            return found[0] if len(found) == 1 else _joined(found)
    raise NoContent(f"content: {content!r} matches nothing on this page")


def _joined(found: Iterable[etree._Element]) -> etree._Element:
    box = etree.Element("div")
    for el in found:
        el.tail = None
        box.append(el)
    return box


def _general(body: etree._Element, html: str) -> etree._Element:
    weights = _weights(body)
    if not weights[body]:  # nothing but links, or nothing at all
        weights = {el: _size(el) for el in body.iter()}
    total = weights[body]
    if not total:
        return body
    candidates = _candidates(weights)
    for name in _GENERAL:
        matches = candidates.get(name, ())
        if len(matches) == 1 and weights[matches[0]] >= total * _SHARE:
            return matches[0]
    node = _heaviest(body, weights)
    if node is body and _link_heavy(body, total):
        pointed = _pointed_at(body, html)
        return pointed if pointed is not None and weights.get(pointed, 0) >= total * _SHARE else body
    return node


def _candidates(weights: Mapping[etree._Element, int]) -> dict[str, list[etree._Element]]:
    """The elements with text in them by the names of `_GENERAL`."""
    out: dict[str, list[etree._Element]] = {name: [] for name in _GENERAL}
    for el, weight in weights.items():
        if weight and (el.attrib or el.tag in out):
            names = [f".{name}" for name in (el.get("class") or "").split()]
            names += [str(el.tag), f"#{el.get('id')}", f"role={el.get('role')}", f"itemprop={el.get('itemprop')}"]
            for name in names:
                if name in out:
                    out[name].append(el)
    return out


def _weights(body: etree._Element) -> dict[etree._Element, int]:
    """For each element the characters of its text outside of links, scripts and navigation."""
    weights: dict[etree._Element, int] = {}
    order = list(body.iter())
    for el in reversed(order):
        total = len((el.text or "").strip())
        for child in el:
            total += len((child.tail or "").strip())
            if child.tag != "a" and not _is_chrome(child):
                total += weights.get(child, 0)
        weights[el] = total
    return weights


def _heaviest(node: etree._Element, weights: dict[etree._Element, int]) -> etree._Element:
    """Down from the body while one child holds nearly everything; through a table only where it is layout."""
    while True:
        weight = weights[node]
        if _own_text(node) > weight * (1 - _HEAVY):
            return node
        heavy = [c for c in _inner(node) if not _is_chrome(c) and weights.get(c, 0) >= weight * _HEAVY]
        if len(heavy) != 1:
            return node
        node = heavy[0]


def _inner(node: etree._Element) -> list[etree._Element]:
    found: list[etree._Element] = []
    for child in node:
        if child.tag in _CONTAINERS:
            found.append(child)
        elif child.tag == "table" and next(child.iter("th", "thead"), None) is None:
            rows = list(child.iter("tr"))
            found += [cell for row in rows for cell in row if cell.tag == "td"] if len(rows) < 4 else []
    return found


def _own_text(node: etree._Element) -> int:
    return len((node.text or "").strip()) + sum(len((c.tail or "").strip()) for c in node)


def _has_text(el: etree._Element) -> bool:
    return any(not text.isspace() for text in el.itertext())  # the first mostly tells


def _size(el: etree._Element) -> int:
    return len(raw_text(el))


def _is_chrome(el: etree._Element) -> bool:
    return el.tag in _CHROME_TAGS or not isinstance(el.tag, str) or _called(el, CHROME)


def _called(el: etree._Element, pattern: re.Pattern[str]) -> bool:
    return any(_names(pattern, name) for name in (el.get("class"), el.get("id")) if name)


@lru_cache(maxsize=4096)
def _names(pattern: re.Pattern[str], value: str) -> bool:
    return any(pattern.search(name) for name in value.split())


def _link_heavy(body: etree._Element, weight: int) -> bool:
    linked = sum(len(raw_text(a).strip()) for a in body.iter("a"))
    return linked > 0.3 * (linked + weight)


def _pointed_at(body: etree._Element, html: str) -> etree._Element | None:
    """The smallest element around the paragraphs that trafilatura takes for content."""
    from trafilatura import extract as trafilatura_extract

    text = trafilatura_extract(html, include_links=False, include_comments=False, deduplicate=False, fast=True) or ""
    lines = {" ".join(line.split()) for line in text.split("\n") if len(line) > 40}
    found = [p for p in body.iter("p", "li", "td", "dd", "div", "pre") if " ".join(raw_text(p).split()) in lines]
    if not found:
        return None
    common = [found[0], *found[0].iterancestors()]
    for el in found[1:]:
        around = {el, *el.iterancestors()}
        common = [c for c in common if c in around]
    return next((el for el in common if el.tag in _CONTAINERS), None)
