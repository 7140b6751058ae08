"""Tables: GFM where cells are lines of text; HTML around Markdown where they hold blocks; undone where only layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.convert import code, inline
from git_okf.source.web.extract.convert.assemble import join, titled
from git_okf.source.web.extract.convert.inlines import BLANK, LINE_END, TEXT, Tokens, one_text, render
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import HEADINGS, classes, holds, text_of, words

_BLOCKS = HEADINGS | {"pre", "table", "blockquote"}
"""What a cell of a GFM table cannot hold."""
_APART = words("p div ul ol dl dt dd li section figure details summary aside")
"""What is set apart by breaks in a cell."""
_ALIGN = re.compile(r"text-align\s*:\s*(left|center|right)", re.I)
_RULES = {"left": ":---", "center": ":---:", "right": "---:"}
_MAX_SPAN = 100


class Cell(NamedTuple):
    """One cell with what it spans."""

    el: etree._Element
    columns: int
    rows: int


def table(el: etree._Element, page: Page) -> list[Block]:
    """One table. No cell's text is lost; each row has the same number of columns."""
    lines = code.numbered(el)
    if lines is not None:
        return [code.fence(lines, code.language(el))] if lines.strip() else []
    caption = [b for c in el if c.tag == "caption" for b in titled(c, page)]
    rows = _rows(el)
    if not rows:
        return caption
    if _is_layout(el, rows):
        return caption + [b for row in rows for cell in row for b in page.flow(cell.el, page)]
    parts = _sections(rows) if next(el.iterdescendants(*HEADINGS), None) is not None else [rows]
    return caption + [block for part in parts for block in _section(el, part, page)]


def _sections(rows: Sequence[Sequence[Cell]]) -> list[list[Sequence[Cell]]]:
    """Rows parted where a row holds nothing but a heading (Doxygen's lists of members)."""
    parts: list[list[Sequence[Cell]]] = [[]]
    for row in rows:
        if _is_title(row):
            parts += [[row], []]
        else:
            parts[-1].append(row)
    return [part for part in parts if part]


def _is_title(row: Sequence[Cell]) -> bool:
    filled = [cell.el for cell in row if text_of(cell.el)]
    if len(filled) != 1 or not len(filled[0]):
        return False
    heading = next(filled[0].iterdescendants(*HEADINGS), None)
    return heading is not None and text_of(heading) == text_of(filled[0])


def _section(el: etree._Element, rows: Sequence[Sequence[Cell]], page: Page) -> list[Block]:
    if len(rows) == 1 and _is_title(rows[0]):
        return [block for cell in rows[0] for block in page.flow(cell.el, page)]
    blocks = next(el.iterdescendants(*_BLOCKS), None) is not None
    if blocks and any(holds(cell.el, _BLOCKS) for row in rows for cell in row):
        return [Block("html", _html(rows, page))]
    return [Block("table", _gfm(el, rows, page))]


def grid(el: etree._Element, page: Page) -> list[Block]:
    """A table made of `<div>`s: leading ones of class `table-header` say how many columns it has (Javadoc)."""
    cells = [c for c in el if c.tag == "div"]
    width = sum(1 for c in cells if "table-header" in classes(c))
    if not width or len(cells) % width:
        return page.flow(el, page)
    made = etree.Element("table")
    for i, cell in enumerate(cells):
        row = made[-1] if i % width else etree.SubElement(made, "tr")
        cell.tag = "th" if i < width else "td"
        row.append(cell)
    return table(made, page)


def _rows(el: etree._Element) -> list[list[Cell]]:
    found = []
    for row in el.iter("tr"):
        if _owner(row) is el:
            cells = [Cell(c, _span(c, "colspan"), _span(c, "rowspan")) for c in row if c.tag in ("td", "th")]
            if any(text_of(cell.el) or next(cell.el.iter("img"), None) is not None for cell in cells):
                found.append(cells)
    return found


def _owner(row: etree._Element) -> etree._Element | None:
    parent = row.getparent()
    while parent is not None and parent.tag != "table":
        parent = parent.getparent()
    return parent


def _span(cell: etree._Element, name: str) -> int:
    text = cell.get(name)
    if not text:
        return 1
    return min(max(int(text), 1), _MAX_SPAN) if text.isascii() and text.isdigit() else 1


def _is_layout(el: etree._Element, rows: Sequence[Sequence[Cell]]) -> bool:
    """Tables that only place things: said so, or of one column, or one row of blocks, without any heading cell."""
    if el.get("role") in ("presentation", "none"):
        return True
    if next(el.iterdescendants("th"), None) is not None:
        return False
    if all(len(row) == 1 for row in rows):
        return True
    return len(rows) == 1 and holds(el, inline.STRUCTURE)


def _gfm(el: etree._Element, rows: Sequence[Sequence[Cell]], page: Page) -> str:
    grid = _grid(rows)
    texts = [[_text(cell.el, page) if cell else "" for cell in row] for row in grid]
    head = _has_head(el, rows)
    width = len(grid[0])
    header = texts.pop(0) if head else [""] * width
    rules = [_rule([row[i] for row in grid]) for i in range(width)]
    return "\n".join(_line(row) for row in (header, rules, *texts))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _has_head(el: etree._Element, rows: Sequence[Sequence[Cell]]) -> bool:
    first = rows[0]
    parent = first[0].el.getparent()
    box = parent.getparent() if parent is not None else None
    if box is not None and box.tag == "thead":
        return True
    return all(c.el.tag == "th" or not text_of(c.el) for c in first) and any(c.el.tag == "th" for c in first)


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[Cell | None]]:
    """Cells in their columns. A cell stands where its span begins; the rest of the span is empty."""
    taken: set[tuple[int, int]] = set()
    placed: dict[tuple[int, int], Cell] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in taken:
                x += 1
            placed[y, x] = cell
            rows_below = min(cell.rows, len(rows) - y)
            taken.update((y + j, x + i) for j in range(rows_below) for i in range(cell.columns))
            x += cell.columns
    width = max(x for _, x in placed) + 1
    return [[placed.get((y, x)) for x in range(width)] for y in range(len(rows))]


def _rule(column: Sequence[Cell | None]) -> str:
    for cell in column:
        if cell:
            style = _ALIGN.search(cell.el.get("style") or "")
            align = (style[1] if style else cell.el.get("align") or "").lower()
            return _RULES.get(align, "---")
    return "---"


def _text(cell: etree._Element, page: Page) -> str:
    text = _only_text(cell)
    if text is not None:
        return one_text(text, cell=True)
    tokens: Tokens = []
    _cell(cell, tokens, page)
    return render(tokens, cell=True)


def _only_text(cell: etree._Element) -> str | None:
    """The text of a cell with nothing else in it, or nothing but a paragraph of text; None for any other."""
    if not len(cell):
        return cell.text or ""
    part = cell[0]
    alone = len(cell) == 1 and part.tag == "p" and not len(part) and _is_blank(cell.text) and _is_blank(part.tail)
    return part.text or "" if alone else None


def _is_blank(text: str | None) -> bool:
    return text is None or text.isspace()


def _cell(el: etree._Element, out: Tokens, page: Page) -> None:
    """The content of a cell on one line: paragraphs and items set apart by breaks, items marked."""
    text = el.text
    if text:
        out.append((TEXT, text))
    number = 0
    for child in el:
        tag = child.tag
        if tag in _APART:
            out.append(LINE_END)
            if tag == "li":
                number += 1
                out += [(TEXT, f"{number}." if el.tag == "ol" else "•"), BLANK]
            _cell(child, out, page)
            out.append(LINE_END)
        elif len(child) and inline.holds_blocks(child):
            _cell(child, out, page)
        else:
            inline.collect(child, out, page)
        text = child.tail
        if text:
            out.append((TEXT, text))


def _html(rows: Sequence[Sequence[Cell]], page: Page) -> str:
    """HTML rows around Markdown cells: GFM reads the blocks between blank lines as Markdown."""
    parts = ["<table>"]
    for row in rows:
        parts.append("<tr>")
        for cell in row:
            span = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            span += f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            body = join(page.flow(cell.el, page))
            parts.append(
                f"<{cell.el.tag}{span}>\n\n{body}\n\n</{cell.el.tag}>"
                if body
                else f"<{cell.el.tag}{span}></{cell.el.tag}>"
            )
        parts.append("</tr>")
    return "\n".join([*parts, "</table>"])
