"""Footnotes: `[^1]` in the text and `[^1]: ...` below it, where the page has both ends."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

from git_okf.source.web.extract.convert.assemble import join
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import HEADINGS, classes, remove, text_of

BOXES = ("footnotes", "footnote", "footnote-list", "footnote-definition", "citation-list-")
"""Classes of elements that hold the notes."""

_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,40}\Z")
_BACK = frozenset(
    (
        "footnote-backref",
        "footnote-back",
        "footnote-backref-link",
        "data-footnote-backref",
        "fn-backref",
        "reversefootnote",
    )
)


def find_footnotes(node: etree._Element) -> Mapping[str, str]:
    """Id of each note that the text refers to -> its label: what the reference shows, without brackets."""
    if not any(
        "footnote" in (e.get("class") or "") for e in node.iter("div", "section", "aside", "dl", "ol", "dt", "p")
    ):
        return {}
    found: dict[str, str] = {}
    labels: set[str] = set()
    inside = {e.get("id"): e for e in _notes(node)}
    for link in node.iter("a"):
        href = link.get("href") or ""
        target = href[1:] if href.startswith("#") else ""
        if target in inside and not _within(link, inside[target]) and not _BACK.intersection(classes(link)):
            label = text_of(link).strip("[]()^ ")
            if target not in found and label not in labels and _LABEL.match(label):
                found[target] = label
                labels.add(label)
    return found


def _notes(node: etree._Element) -> list[etree._Element]:
    """The elements with an id that are notes, or the targets in notes."""
    boxes = [e for e in node.iter("div", "section", "aside", "dl", "ol", "p", "dt") if set(BOXES) & set(classes(e))]
    return [e for box in boxes for e in box.iter() if e.get("id")]


def _within(el: etree._Element, box: etree._Element) -> bool:
    parent: etree._Element | None = el
    while parent is not None:
        if parent is box:
            return True
        parent = parent.getparent()
    return False


def definitions(el: etree._Element, page: Page) -> list[Block]:
    """The notes of one box; whatever in it is no note stays what it is."""
    if el.tag == "dl":
        return _listed(el, page)
    label = _label_of(el, page)
    if label:
        return _definition(el, label, page)
    if any(child.tag in HEADINGS and _label_of(child, page) for child in el):
        _under_headings(el, page)
    out: list[Block] = []
    for child in list(el):
        if child.tag == "div" and _label_of(child, page):
            out += _definition(child, _label_of(child, page), page)
        elif child.tag in ("ol", "ul"):
            out += _items(child, page)
        elif child.tag != "hr":
            box = etree.Element("div")
            box.append(child)
            out += page.flow(box, page)
    return out


def _under_headings(el: etree._Element, page: Page) -> None:
    """Texinfo: each note is a heading and what follows it. Put both into a box of their own."""
    box: etree._Element | None = None
    for child in list(el):
        if child.tag in HEADINGS and _label_of(child, page):
            box = etree.Element("div", id=str(next((e.get("id") for e in child.iter() if e.get("id")), "")))
            child.addprevious(box)
            el.remove(child)
        elif box is not None:
            box.append(child)


def _items(el: etree._Element, page: Page) -> list[Block]:
    out: list[Block] = []
    for item in el:
        label = _label_of(item, page)
        out += _definition(item, label, page) if label else page.flow(item, page)
    return out


def _listed(el: etree._Element, page: Page) -> list[Block]:
    """docutils before 0.18: `<dl class="footnote"><dt class="label" id=...>...<dd>`."""
    out: list[Block] = []
    label = ""
    for child in el:
        if child.tag == "dt":
            label = _label_of(child, page)
        elif label:
            out += _definition(child, label, page)
        else:
            out += page.flow(child, page)
    return out


def _label_of(el: etree._Element, page: Page) -> str:
    part: etree._Element | None = el
    for _ in range(3):
        if part is None or (part is not el and part.tag in ("aside", "div", "li", "ol", "ul", "dl", "section")):
            return ""
        label = page.footnotes.get(part.get("id") or "")
        if label:
            return label
        part = next(iter(part), None)
    return ""


def _definition(el: etree._Element, label: str, page: Page) -> list[Block]:
    for link in list(el.iter("a", "span", "sup")):
        if _BACK.intersection(classes(link)) or _repeats(link, label) or not text_of(link).strip("↩︎^↑ "):
            remove(link)
    text = join(page.flow(el, page)).lstrip(". ")
    return [Block("p", "\n".join(_indented(i, line, label) for i, line in enumerate(text.split("\n"))))]


def _repeats(link: etree._Element, label: str) -> bool:
    """A mark at the note's beginning that says its own number again."""
    return text_of(link).strip("[]()^ .") == label and ("label" in classes(link) or link.tag in ("a", "sup"))


def _indented(i: int, line: str, label: str) -> str:
    if not i:
        return f"[^{label}]: {line}"
    return f"    {line}" if line else ""
