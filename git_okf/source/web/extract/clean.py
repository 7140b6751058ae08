"""What is no content is taken out of the content node: scripts, navigation, buttons, and text that no reader sees.

Text that only a machine sees is how instructions get into a mirror (SEC-10); it is removed and counted. Panels of
tabs, closed sections and the like are hidden until a reader asks for them: they are content and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from lxml import etree

from git_okf.source.web.extract.chrome import UNIVERSAL_DROP
from git_okf.source.web.extract.convert import media
from git_okf.source.web.extract.select import Selector
from git_okf.source.web.extract.tree import found, remove, text_of, words

_STYLE = 1000
"""Characters of a style that are looked at."""
MAX_DEPTH = 200
"""Elements nested deeper are flattened to their text: no page means such nesting, and recursion has an end."""

_NEVER = words(
    "script style noscript template canvas select textarea option nav button dialog link meta base map area"
    " datalist progress meter embed object param applet track frameset noframes title head menuitem"
)
_LOOKED_AT = _NEVER | {"svg", "footer", "input"}
_HIDERS = frozenset(("style", "hidden", "aria-hidden"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_PANEL = re.compile(
    r"(?:^|[\s_-])(?:tab|tabs|tabbed|tabpanel|panel|pane|collapse|collapsed|collapsible|accordion|spoiler|toggle|details"
    r"|expand|expandable|dropdown-content|answer|solution|katex|MathJax)(?:$|[\s_-])",
    re.I,
)
"""Classes of what a reader can open."""
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?%?\s*(?:[;!]|$)"
    r"|font-size\s*:\s*0*(?:\.0+)?(?:0|0[a-z%]+)\s*(?:[;!]|$)|color\s*:\s*transparent|transform\s*:[^;]*scale\(\s*0\s*\)",
    re.I,
)
_AWAY = re.compile(
    r"(?:left|right|top|bottom|margin-left|margin-top|text-indent)\s*:\s*-\d{3,}(?:\.\d+)?(?:px|pt|em|rem|%)"
    r"|clip\s*:\s*rect\(\s*0|clip\s*:\s*rect\(\s*1px|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?<![-\w])(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:[;!]|$)[^}]*overflow\s*:\s*hidden"
    r"|overflow\s*:\s*hidden[^}]*(?<![-\w])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:[;!]|$)",
    re.I,
)
_COLOURS = re.compile(r"(?<![-\w])(color|background(?:-color)?)\s*:\s*([^;!]+)", re.I)
_STYLED = etree.XPath("descendant::*/@style/.. | descendant::*/@hidden/..")
_OPENERS = ("aria-controls", "data-target", "data-bs-target", "data-toggle-target")
"""Attributes in which a control says what it opens."""
_OPENED = etree.XPath("|".join(f"descendant-or-self::*/@{name}" for name in _OPENERS), smart_strings=False)


def clean(node: etree._Element, drop: Iterable[str], *, opened: frozenset[str] = frozenset()) -> int:
    """Take everything out of `node` that is no content; the number of hidden fragments among it.

    `drop`: CSS selectors beyond the universal ones. `opened`: ids of what a control on the page opens.
    """
    etree.strip_tags(node, etree.Comment, etree.ProcessingInstruction, etree.Entity)
    _mend(node)
    selector = _selector(tuple(drop))
    for xpath in selector.xpaths:
        for el in found(xpath, node):
            if el is not node:
                remove(el)
    hidden = 0
    stack = [(node, 0)]
    while stack:
        parent, depth = stack.pop()
        if depth > MAX_DEPTH:
            etree.strip_tags(parent, "*")
            parent.text = parent.text  # one piece
            continue
        for child in list(parent):
            tag, keys = child.tag, cast("list[str]", child.keys())
            if (tag in _LOOKED_AT and _is_chrome(child, parent)) or (
                (keys or tag in selector.by_tag) and selector.matches(child, keys)
            ):
                remove(child)
            elif keys and not _HIDERS.isdisjoint(keys) and _is_hidden(child, opened):
                hidden += bool(text_of(child)) and not _is_formula(parent)
                remove(child)
            elif tag == "pre":
                hidden += _clean_code(child)
            elif len(child) and tag != "svg":
                stack.append((child, depth + 1))
    return hidden


def _mend(node: etree._Element) -> None:
    """Terms and definitions without end tags follow each other (HTML, "Optional tags"); libxml2 nests them."""
    for el in list(node.iter("dt", "dd")):
        parent = el.getparent()
        if el is not node and parent is not None and parent is not node and parent.tag in ("dt", "dd"):
            parent.addnext(el)
            el.tail = el.tail  # one piece of text with what stood after the parent


@lru_cache(maxsize=64)
def _selector(drop: tuple[str, ...]) -> Selector:
    return Selector((*UNIVERSAL_DROP, *drop))


def _is_chrome(el: etree._Element, parent: etree._Element) -> bool:
    tag = el.tag
    if tag not in _NEVER:
        if tag == "svg":
            return not media.labels(el)
        if tag == "footer":
            return parent.tag != "blockquote"
        return tag == "input" and el.get("type") != "checkbox"
    if tag == "script":
        return not (el.get("type") or "").startswith("math/tex")
    if tag == "button":
        return el.get("role") != "tab" and parent.tag not in _HEADINGS and parent.tag != "summary"
    return True


def _clean_code(pre: etree._Element) -> int:
    """Code keeps everything but what is styled away; the many spans of a highlighter are not looked at for more."""
    styled = found(_STYLED, pre) if len(pre) else ()
    unseen = [el for el in styled if el.get("hidden") is not None or _UNSEEN.search((el.get("style") or "")[:_STYLE])]
    for el in unseen:
        remove(el)
    return sum(1 for el in unseen if text_of(el))


def _is_hidden(el: etree._Element, opened: frozenset[str]) -> bool:
    style = (el.get("style") or "")[:_STYLE]
    unseen = el.get("hidden", "until-found") != "until-found" or bool(style and _UNSEEN.search(style))
    if not unseen and el.get("aria-hidden") == "true":
        unseen = el.tag not in ("img", "i", "pre", "table", "figure")
    if not unseen and style and el.tag not in _HEADINGS:
        unseen = bool(_AWAY.search(style)) or _same_colours(style)
    return unseen and not _can_be_opened(el, opened)


def _can_be_opened(el: etree._Element, opened: frozenset[str]) -> bool:
    if el.get("role") == "tabpanel" or (el.get("id") or "") in opened:
        return True
    name = f"{el.get('class') or ''}"
    return bool(_PANEL.search(name)) and "katex-html" not in name


def _is_formula(parent: etree._Element) -> bool:
    return "katex" in (parent.get("class") or "") or str(parent.tag).startswith("mjx")


def _same_colours(style: str) -> bool:
    named = {name.lower().removesuffix("-color"): value.strip().lower() for name, value in _COLOURS.findall(style)}
    return "color" in named and named["color"] == named.get("background")


def controlled(root: etree._Element, html: bytes) -> frozenset[str]:
    """Ids of the elements that some control of the page opens. `html`, of which the tree was made, is looked at first:
    most pages have no such control, and to walk the tree for one takes as long as to clean it."""
    lowered = html.lower()
    if b"aria-controls" not in lowered and b"-target" not in lowered:
        return frozenset()
    said = set(cast("list[str]", _OPENED(root)))
    return frozenset(word.lstrip("#") for value in said for word in value.split()) - {""}
