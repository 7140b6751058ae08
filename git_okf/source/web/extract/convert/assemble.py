"""Blocks put together: one after the other, behind `>`, under a title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

from git_okf.source.web.extract.convert import inline
from git_okf.source.web.extract.convert.inlines import CLOSE, OPEN, Token, render
from git_okf.source.web.extract.convert.page import Block, Page


def join(blocks: Sequence[Block]) -> str:
    """Blocks as one text. Of two lists in a row the second gets another marker, or Markdown would join them."""
    parts: list[str] = []
    last, flipped = "", False
    for block in blocks:
        flipped = block.kind in ("ul", "ol") and block.kind == last and not flipped
        last = block.kind
        parts.append(_other_marker(block) if flipped else block.text)
    return "\n\n".join(parts)


def _other_marker(block: Block) -> str:
    if block.kind == "ul":
        return re.sub(r"^-(?= |$)", "*", block.text, flags=re.M)
    return re.sub(r"^(\d+)\.(?= |$)", r"\1)", block.text, flags=re.M)


def quoted(text: str) -> str:
    """A text behind `>`."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def titled(el: etree._Element, page: Page) -> list[Block]:
    """A title that is no heading: a bold paragraph. Headings and other blocks in it stay what they are."""
    if inline.holds_blocks(el) and next(el.iterdescendants(*inline.STRUCTURE), None) is not None:
        return page.flow(el, page)
    text = render([Token(OPEN, "**"), *inline.tokens(el, page), Token(CLOSE, "**")])
    return [Block("p", text)] if text else []
