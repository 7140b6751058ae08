"""Inline elements -> tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from git_okf.source.web.extract.convert import math, media
from git_okf.source.web.extract.convert.inlines import (
    BLANK,
    BREAK,
    CLOSE,
    CODE,
    END,
    LINE_END,
    LINK,
    LINK_BEGINS,
    OPEN,
    RAW,
    SPACE,
    TEXT,
    Token,
    Tokens,
)
from git_okf.source.web.extract.convert.page import Page
from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.extract.tree import class_names, holds, text_of, words

STRUCTURE = words("pre ul ol dl table h1 h2 h3 h4 h5 h6 blockquote hr details")
"""Blocks that a line of text cannot hold."""
BLOCK_TAGS = STRUCTURE | words("p div section article figure figcaption aside iframe video audio svg")

_MARKS = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "*"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_MARK_CLASSES = {"strong": "**", "bold": "**", "emphasis": "*"}
_FORMULA = "$"
_SAID = (TEXT, CODE, SPACE, BREAK)
"""Tokens that are the text of code."""
_TAG = re.compile(r"<[^>]*>|!\[(?:[^\[\]\\]|\\.)*\]\([^)]*\)")


def tokens(el: etree._Element, page: Page) -> Tokens:
    """The tokens of an element's content."""
    out: Tokens = []
    if page.anchors.any:
        _anchor(el, out, page)
    children(el, out, page)
    return out


def spoken(tokens: Tokens) -> str:
    """The text of tokens, without marks, destinations and markup."""
    said = (
        _TAG.sub("", value) if kind == RAW else " " if kind in (SPACE, BREAK) else value
        for kind, value in tokens
        if kind not in (OPEN, CLOSE, LINK, END)
    )
    return " ".join("".join(said).split())


def without(tokens: Tokens, mark: str) -> Tokens:
    """The tokens without one of the marks."""
    return [token for token in tokens if token[0] not in (OPEN, CLOSE) or token[1] != mark]


def _anchor(el: etree._Element, out: Tokens, page: Page) -> None:
    anchors = page.anchors.take(el)
    if anchors:
        out.append((RAW, anchors))


def is_anchor(token: Token) -> bool:
    """Whether a token is nothing but anchors."""
    kind, value = token
    return kind == RAW and value.startswith("<a id=")


def holds_blocks(el: etree._Element) -> bool:
    """Whether an inline element has blocks in it."""
    return holds(el, BLOCK_TAGS)


def children(el: etree._Element, out: Tokens, page: Page) -> None:
    """Add the content of an element; blocks in it are set apart by a blank."""
    text = el.text  # made anew each time it is asked for
    if text:
        out.append((TEXT, text))
    for child in el:
        collect(child, out, page)
        text = child.tail
        if text:
            out.append((TEXT, text))


def collect(el: etree._Element, out: Tokens, page: Page) -> None:
    """Add one element."""
    tag = el.tag
    if page.anchors.any:
        _anchor(el, out, page)
    handler = _HANDLERS.get(tag)
    if handler:
        handler(el, out, page)
    elif tag in _MARKS:
        _marked(el, out, page, _MARKS[tag])
    elif _by_class(el, out, page):
        return
    elif tag in BLOCK_TAGS or tag in ("li", "dt", "dd", "tr", "td", "th"):
        out.append(BLANK)
        children(el, out, page)
        out.append(BLANK)
    else:
        children(el, out, page)


def _by_class(el: etree._Element, out: Tokens, page: Page) -> bool:
    value = el.get("class")
    means = _meaning(str(el.tag), value) if value else ""
    if not means:
        return False
    if means == _FORMULA:
        out.append((RAW, math.inline(el)))
    else:
        _marked(el, out, page, means)
    return True


@remembered(4096)
def _meaning(tag: str, value: str) -> str:
    """What an element's `class` makes of it: _FORMULA, a mark, or "" for nothing."""
    for name in class_names(value):
        if name in math.INLINE:
            return _FORMULA
        if name in _MARK_CLASSES and tag == "span":
            return _MARK_CLASSES[name]
    return ""


def _marked(el: etree._Element, out: Tokens, page: Page, mark: str) -> None:
    out.append((OPEN, mark))
    children(el, out, page)
    out.append((CLOSE, mark))


def _code(el: etree._Element, out: Tokens, page: Page) -> None:
    if not len(el):
        out.append((CODE, el.text or ""))
        return
    if el.tag == "kbd" and next(el.iterdescendants("kbd"), None) is not None:
        children(el, out, page)
        return
    inner = tokens(el, page)
    if not any(kind in (LINK, RAW) for kind, _ in inner):
        out.append((CODE, "".join(" " if kind in (SPACE, BREAK) else value for kind, value in inner if kind in _SAID)))
        return
    for kind, value in inner:
        if kind in (TEXT, CODE):
            out.extend(_code_piece(value))
        elif kind not in (OPEN, CLOSE):
            out.append((kind, value))


def _code_piece(text: str) -> Tokens:
    """Code next to a link in the same `<code>`; the blanks around it stay outside."""
    core = text.strip()
    if not core:
        return [BLANK] if text else []
    before, after = [BLANK] * (text[0].isspace()), [BLANK] * (text[-1].isspace())
    return [*before, (CODE, core), *after]


def _link(el: etree._Element, out: Tokens, page: Page) -> None:
    href = el.get("href")
    if href and href[0] == "#" and href[1:] in page.footnotes:
        out.append((RAW, f"[^{page.footnotes[href[1:]]}]"))
        return
    target = page.links.destination(href, text_of(el) if "#" in href else "") if href and not page.in_link else ""
    if not target:
        children(el, out, page)
        return
    if target[0] == "#":
        target = page.anchors.link(page.links.own_fragment(href or ""))
    page.in_link = True
    out.append(LINK_BEGINS)
    children(el, out, page)
    out.append((END, target))
    page.in_link = False


def _break(el: etree._Element, out: Tokens, page: Page) -> None:
    out.append(LINE_END)
    children(el, out, page)


def _image(el: etree._Element, out: Tokens, page: Page) -> None:
    text = math.image(el) or media.image(el, page.links)
    if text:
        out.append((RAW, text))


def _script_level(el: etree._Element, out: Tokens, page: Page) -> None:
    """Super- and subscript; a note's reference in one needs no raising."""
    inner = tokens(el, page)
    said = "".join([value for kind, value in inner if kind in (TEXT, CODE)]).strip()
    notes = [(kind, value) for kind, value in inner if kind == RAW and value.startswith("[^")]
    if notes or not said or any(kind in (LINK, RAW) for kind, _ in inner):
        out.extend(notes or inner)
        return
    out.extend(((RAW, f"<{el.tag}>"), *inner, (RAW, f"</{el.tag}>")))


def _quotation(el: etree._Element, out: Tokens, page: Page) -> None:
    out.append((TEXT, "“"))
    children(el, out, page)
    out.append((TEXT, "”"))


def _nothing(el: etree._Element, out: Tokens, page: Page) -> None:
    """A drawing in a line of text is an icon."""


def _math(el: etree._Element, out: Tokens, page: Page) -> None:
    text = math.inline(el)
    if text:
        out.append((RAW, text))


def _checkbox(el: etree._Element, out: Tokens, page: Page) -> None:
    if el.get("type") == "checkbox":
        out.append((RAW, "[x]" if el.get("checked") is not None else "[ ]"))
        out.append(BLANK)


_HANDLERS: dict[object, Callable[[etree._Element, Tokens, Page], None]] = {
    **dict.fromkeys(("code", "tt", "kbd", "samp"), _code),
    "a": _link,
    "br": _break,
    "img": _image,
    "sup": _script_level,
    "sub": _script_level,
    "q": _quotation,
    "svg": _nothing,
    "math": _math,
    "mjx-container": _math,
    "script": _math,
    "input": _checkbox,
}
