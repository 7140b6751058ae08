"""A document between its blocks and its Markdown: what it says, without how either writes it.

Two writers read it: Markdown, and the HTML of those table cells that Markdown cannot hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

TEXT, CODE, MATH, BREAK = range(4)

BOLD, ITALIC, STRUCK, UNDERLINED = "**", "*", "~~", "<u>"
MARKS = (BOLD, ITALIC, STRUCK, UNDERLINED)
"""In the order in which they nest, the outermost first; a link is around all of them."""


class Span(NamedTuple):
    """A stretch of a line in one style. `text` of TEXT and CODE is literal, of MATH it is TeX, of BREAK nothing."""

    kind: int
    text: str = ""
    marks: tuple[str, ...] = ()
    link: str = ""
    """A destination that is safe to write; "" for none."""


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: Spans
    align: int = 0
    """2 centred, 3 right; anything else says nothing. Only the columns of tables have words for it."""


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list. Its first paragraph, where it has text of its own, comes first in `content`."""

    content: tuple[Block, ...]
    number: int = 0
    done: bool | None = None
    """Of a task; None for an item that is none."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Items in a row; those of an ordered list count on from the first."""

    ordered: bool
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Formula:
    tex: str


@dataclass(frozen=True, slots=True)
class Quote:
    content: tuple[Block, ...]
    emoji: str = ""
    alert: str = ""
    """The kind of GitHub's alert that says the same as the emoji; "" where none does."""


@dataclass(frozen=True, slots=True)
class Rule:
    pass


@dataclass(frozen=True, slots=True)
class Image:
    path: str
    """A destination that is safe to write."""
    alt: str
    width: int = 0
    height: int = 0
    align: int = 0
    """Like the sizes, said in HTML alone: Markdown has no words for them."""


@dataclass(frozen=True, slots=True)
class Cell:
    content: tuple[Block, ...]
    columns: int = 1
    rows: int = 1
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[Cell, ...], ...]
    """Without the cells that another one covers."""
    width: int
    head: bool
    """Whether the first row is one of headings."""


Block = Paragraph | Heading | Listing | Code | Formula | Quote | Rule | Image | Table
Blocks = Sequence[Block]


def said(spans: Sequence[Span]) -> str:
    """What spans say, on one line, without marks."""
    return " ".join("".join(" " if span.kind == BREAK else span.text for span in spans).split())
