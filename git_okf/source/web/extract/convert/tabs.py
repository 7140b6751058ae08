"""Tabs: every panel, under its label. A new kind of tab set is a line of `_STYLES`."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.convert.assemble import titled
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import class_names, classes, text_of


class Style(NamedTuple):
    """Classes of a set, of its labels and of its panels; a label or panel may also be named by its role."""

    box: str
    label: str
    panel: str


_STYLES = (
    Style("tabbed-set", "", "tabbed-block"),  # pymdownx.tabbed, alternate style
    Style("tabbed-set", "", "tabbed-content"),
    Style("sd-tab-set", "sd-tab-label", "sd-tab-content"),  # sphinx-design
    Style("tab-set", "tab-label", "tab-content"),  # sphinx-inline-tabs
    Style("sphinx-tabs", "sphinx-tabs-tab", "sphinx-tabs-panel"),
    Style("vp-code-group", "", "blocks>"),  # VitePress: each child of .blocks
    Style("tabs-container", "tabs__item", "tabpanel"),  # Docusaurus
    Style("code-tabs", "tab", "tab-panel"),
)
SETS = tuple(dict.fromkeys(style.box for style in _STYLES))


def may_hold(html: bytes) -> bool:
    """Whether a list of tabs may stand on a page; on most there is none, and no element need be looked at."""
    return b"tablist" in html or b"nav-tabs" in html


def is_set(el: etree._Element) -> bool:
    """Whether an element holds a list of tabs (by role, or Bootstrap's class), their panels, and nothing else."""
    rows = [child for child in el if _is_row(child) or ("-" in str(el.tag) and any(map(_is_row, child)))]
    if not rows:
        return False
    labels, panels = _labels(el, "tab"), _panels(el, "tab-pane")
    if not panels or len(labels) != len(panels):
        return False
    held = {part for panel in panels for part in (panel, *panel.iterancestors())}
    return all(child in rows or child in held or not text_of(child) for child in el)


def _is_row(el: etree._Element) -> bool:
    if el.get("role") == "tablist":
        return True
    value = el.get("class")
    return value is not None and "nav-tabs" in value and "nav-tabs" in class_names(value)


def tab_set(el: etree._Element, page: Page) -> list[Block]:
    """All panels, each after its label in bold."""
    for style in (*(s for s in _STYLES if s.box in classes(el)), Style("", "tab", "tab-pane")):
        labels, panels = _labels(el, style.label), _panels(el, style.panel)
        if panels and len(labels) == len(panels):
            out: list[Block] = []
            for label, panel in zip(labels, panels, strict=True):
                etree.strip_tags(label, "a")
                out += [*titled(label, page), *page.flow(panel, page)]
            return out
    return page.flow(el, page)


def _labels(el: etree._Element, name: str) -> list[etree._Element]:
    found = [e for e in _own(el) if e.get("role") == "tab"]
    if not found and name:
        found = [e for e in _own(el) if name in classes(e)]
    if not found:
        found = [e for e in _own(el) if e.tag == "label"]
    if not found:
        found = [e for box in _own(el) if "nav-tabs" in classes(box) for e in box if e.tag == "li"]
    return found


def _panels(el: etree._Element, name: str) -> list[etree._Element]:
    if name.endswith(">"):
        box = next((e for e in _own(el) if name[:-1] in classes(e)), None)
        return [] if box is None else [_boxed(e) for e in list(box)]
    found = [e for e in _own(el) if name in classes(e)]
    return found or [e for e in _own(el) if e.get("role") == "tabpanel"]


def _boxed(el: etree._Element) -> etree._Element:
    """A box of its own around a panel that is itself a block of code."""
    box = etree.Element("div")
    parent = el.getparent()
    if parent is not None:
        parent.replace(el, box)
    box.append(el)
    return box


def _own(el: etree._Element) -> list[etree._Element]:
    """The descendants that belong to this set and not to one inside a panel of it."""
    out: list[etree._Element] = []
    for child in el:
        out.append(child)
        if child.get("role") != "tabpanel" and not _PANELS.intersection(classes(child)):
            out.extend(_own(child))
    return out


_PANELS = frozenset(s.panel for s in _STYLES if s.panel not in ("tabbed-content", "tab-content")) | {"tab-pane"}
