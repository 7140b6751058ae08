"""Anchors: where the ids of a page go in its Markdown, and what the links to them become.

The id of a heading becomes the heading's own slug. Any other id that looks like a slug leaves `<a id="..."></a>` in its
place, but only where a link of the page leads to it or its author set an anchor there: of the rest nobody knows. Ids
of another kind (`pkg.Class.method`, of which a page of an API has hundreds) leave nothing: links to them lead to the
heading they are under, with the id as title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from lxml import etree

from git_okf.source.markdown.destination import safe
from git_okf.source.web.extract.convert.links import Links
from git_okf.source.web.extract.fragments import Ids, heading_slug, is_made_of
from git_okf.source.web.extract.tree import HEADINGS, classes, found, having, words

_OWN_IDS = "okf-heading"
_BOX_IDS = "okf-box"
_ANCHOR = "okf-anchor"
_PLACE = "okf-place"
_TAKEN = "okf-taken"
"""Attributes in which an element carries what was found of it."""
_MARKED = having(_ANCHOR, _PLACE)
_WITH_NAMES = etree.XPath("descendant-or-self::*/@id/.. | descendant-or-self::a/@name/..")
_SAID = words("img svg pre hr table input iframe video audio object math")
"""Elements that are content without holding text."""
_STRESSED = ("strong", "b", "em", "i", "dfn")
"""Elements that have an id only where their author gave them one."""
_BACK = frozenset(("fn-backref", "footnote-backref", "footnote-back", "reversefootnote", "data-footnote-backref"))
_STEPS = 60
_PENDING = re.compile("\2(\\d+)\3")


def give_headings_their_ids(node: etree._Element) -> None:
    """Note at each heading the ids that mean it: its own, those in it, around it, and of empty elements before it."""
    for el in _named(node):
        heading = _heading_of(el, node)
        if heading is not None:
            attribute = _OWN_IDS if el is not node and _means_heading(el, heading) else _BOX_IDS
            names = [*(heading.get(attribute) or "").split(), *_names(el)]
            heading.set(attribute, " ".join(dict.fromkeys(names)))
            el.set(_TAKEN, "")


def _named(node: etree._Element) -> list[etree._Element]:
    """The elements with an id, or a name that is one."""
    return found(_WITH_NAMES, node)


def _names(el: etree._Element) -> list[str]:
    values = (el.get("id"), el.get("name") if el.tag == "a" else None)
    return [v for v in dict.fromkeys(values) if v and not v.isspace() and " " not in v]


def _means_heading(el: etree._Element, heading: etree._Element) -> bool:
    """Whether others will link to this id for the heading's sake: boxes of a page's layout have ids, too."""
    if el is heading or el.tag == "section":
        return True
    if heading in el.iterancestors() or not len(el):
        return el.tag in ("a", "span", "code", *_STRESSED)
    return any(name == "section" or name.startswith("sect") for name in classes(el))


def _heading_of(el: etree._Element, node: etree._Element) -> etree._Element | None:
    """The heading an element is, is in, or has nothing before."""
    if el.tag in HEADINGS:
        return el
    at: etree._Element | None = el
    for _ in range(_STEPS):
        if at is not None and at.tag in HEADINGS:
            return at
        if at is None or at.tag in _SAID or (at.text and not at.text.isspace()):
            break
        at = at[0] if len(at) else _after(at, node)
    return _around(el, node)


def _around(el: etree._Element, node: etree._Element) -> etree._Element | None:
    for parent in el.iterancestors():
        if parent.tag in HEADINGS:
            return parent
        if parent is node or parent.tag not in ("a", "span", "code", "strong", "em", "b", "i"):
            break
    return None


def _after(at: etree._Element, node: etree._Element) -> etree._Element | None:
    """The next element after the end of one, if no text stands between."""
    while at is not node:
        if at.tail and not at.tail.isspace():
            return None
        following = at.getnext()
        if following is not None:
            return following
        parent = at.getparent()
        if parent is None:
            return None
        at = parent
    return None


class Anchors:
    """The anchors of one page while it is converted, in the order of its text."""

    def __init__(self, links: Links, ids: Ids) -> None:
        self._links = links
        self._ids = ids
        self._slugs: dict[str, int] = {}
        self._headings: dict[str, str] = {}
        self._placed: set[str] = set()
        self._under: dict[str, str] = {}
        self._last = ""
        self._pending: list[str] = []
        self.any = False
        """Whether any element carries an anchor."""

    def mark(self, node: etree._Element, notes: Iterable[str]) -> None:
        """Note at each element the anchors to write at it. `notes`: ids of footnotes, which have links of their own."""
        wanted = self._wanted(node) - set(notes)
        for el in _named(node):
            if el.get(_TAKEN) is not None:
                continue
            authored = _is_authored(el)
            for name in _names(el):
                if not authored and name not in wanted:
                    continue
                slug = self._ids.slug(name)
                if slug or name in wanted:
                    attribute = _ANCHOR if slug else _PLACE
                    el.set(attribute, f"{el.get(attribute) or ''} {slug or name}".strip())
                    self.any = True

    def _wanted(self, node: etree._Element) -> set[str]:
        wanted: set[str] = set()
        for link in node.iterdescendants("a"):
            href = link.get("href")
            fragment = self._links.own_fragment(href) if href and "#" in href else ""
            if fragment and not _is_back_or_tab(link):
                wanted.update((fragment, unquote(fragment)))
        return wanted

    def heading(self, el: etree._Element, text: str) -> str:
        """Count a heading; the anchors to write before it: its ids that are slugs, but do not come from its text."""
        base = heading_slug(text)
        count = self._slugs.get(base, 0)
        self._slugs[base] = count + 1
        own = f"{base}-{count}" if count else base
        self._placed.add(own)
        self._last = own
        names = (el.get(_OWN_IDS) or "").split()
        self._headings.update(dict.fromkeys((*names, *(el.get(_BOX_IDS) or "").split()), own))
        slugs = dict.fromkeys(self._ids.slug(name) for name in names)
        return self._written(s for s in slugs if s and s != own and not is_made_of(s.removesuffix(f"-{count}"), text))

    def take(self, el: etree._Element) -> str:
        """The anchors of one element as Markdown, once."""
        if not self.any:
            return ""
        places, names = el.get(_PLACE), el.get(_ANCHOR)
        if places:
            self._under.update(dict.fromkeys(places.split(), self._last))
            del el.attrib[_PLACE]
        if not names:
            return ""
        del el.attrib[_ANCHOR]
        return self._written(names.split())

    def take_all(self, el: etree._Element) -> str:
        """The anchors of an element and everything in it: a table or code has no place for them inside."""
        return "".join(self.take(marked) for marked in found(_MARKED, el)) if self.any else ""

    def _written(self, names: Iterable[str]) -> str:
        new = [name for name in names if name not in self._placed]
        self._placed.update(new)
        return "".join(f'<a id="{name}"></a>' for name in new)

    def link(self, fragment: str) -> str:
        """The destination of a link within the page: known once the whole page is converted (`resolve`)."""
        self._pending.append(fragment)
        return f"\2{len(self._pending) - 1}\3"

    def resolve(self, text: str) -> str:
        """The Markdown of the page with the destinations of its own links."""
        return _PENDING.sub(lambda m: self._destination(self._pending[int(m[1])]), text) if self._pending else text

    def _destination(self, fragment: str) -> str:
        for name in (fragment, unquote(fragment)):
            own = self._headings.get(name)
            if own:
                return f"#{safe(own)}"
            for written in (self._ids.slug(name), name):
                if written in self._placed and written:
                    return f"#{safe(written)}"
        return self._links.titled(fragment, self._under.get(fragment) or self._under.get(unquote(fragment), ""))


def _is_back_or_tab(link: etree._Element) -> bool:
    """Whether a link leads back from a note, opens a tab (Bootstrap's: `ul.nav-tabs > li > a`), or stands in code."""
    if link.get("role") in ("doc-backlink", "tab") or not _BACK.isdisjoint(classes(link)):
        return True
    if next(link.iterancestors("pre"), None) is not None:
        return True
    row = next(link.iterancestors("ul"), None)
    return row is not None and "nav-tabs" in classes(row)


def _is_authored(el: etree._Element) -> bool:
    """Whether someone set an anchor here: an element with nothing in it, or one that has ids for no other reason."""
    if el.tag in _STRESSED:
        return True
    return el.tag in ("a", "span") and not len(el) and not (el.text or "").strip() and not el.get("href")
