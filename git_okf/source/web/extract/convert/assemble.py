"""Blocks put together: one after the other, behind `>`, under a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy

from lxml import etree

from git_okf.source.web.extract.convert import inline
from git_okf.source.web.extract.convert.inlines import CLOSE, OPEN, render
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import HEADINGS, holds


def join(blocks: Sequence[Block]) -> str:
    """Blocks as one text.

    Markdown joins two lists in a row. Bulleted ones lose nothing by that (API pages are rows of lists of one item);
    of numbered ones the second gets another delimiter, or it would be counted on.
    """
    parts: list[str] = []
    last, flipped = "", False
    for block in blocks:
        flipped = block.kind == "ol" and last == "ol" and not flipped
        last = block.kind
        parts.append(_other_delimiter(block.text) if flipped else block.text)
    return "\n\n".join(parts)


def _other_delimiter(text: str) -> str:
    return re.sub(r"^(\d+)\.(?= |$)", r"\1)", text, flags=re.M)


def quoted(text: str) -> str:
    """A text behind `>`."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def titled(el: etree._Element, page: Page) -> list[Block]:
    """A title that is no heading: a bold paragraph. Headings and other blocks in it stay what they are."""
    if el.tag in HEADINGS:
        box = etree.Element("div")
        box.append(deepcopy(el))
        box[0].tail = None
        return page.flow(box, page)
    if holds(el, inline.STRUCTURE):
        return page.flow(el, page)
    text = render([(OPEN, "**"), *inline.tokens(el, page), (CLOSE, "**")])
    return [Block("p", text)] if text else []
