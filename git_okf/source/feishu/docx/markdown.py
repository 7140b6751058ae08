"""Content as Markdown: CommonMark with the tables, tasks, alerts and formulas of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from git_okf.source.feishu.docx import html, inline, text
from git_okf.source.feishu.docx.content import (
    TEXT,
    Block,
    Blocks,
    Cell,
    Code,
    Formula,
    Heading,
    Image,
    Item,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
)
from git_okf.source.markdown.escape import escape, guard_line, longest_run

_RULES = {2: ":---:", 3: "---:"}


def write(blocks: Blocks, *, nested: bool = False) -> str:
    """Blocks as one text, "" for none. `nested`: inside of a list or a quote, where GitHub knows no alerts.

    Markdown joins two lists in a row; the second gets other marks, so that each stays the list it is.
    """
    parts: list[str] = []
    last: bool | None = None
    other = False
    for block in blocks:
        if isinstance(block, Listing):
            other = block.ordered == last and not other
            last = block.ordered
            parts.append(_listing(block, other))
            continue
        written = _block(block, nested)
        if written:
            parts.append(written)
            last, other = None, False
    return "\n\n".join(parts)


def _block(block: Block, nested: bool) -> str:
    match block:
        case Paragraph(spans):
            return inline.paragraph(spans)
        case Heading(level, spans):
            said = inline.heading(spans)
            return f"{'#' * level} {said}" if said else ""
        case Listing():
            return _listing(block, False)
        case Code(code, language):
            return _fence(code, language)
        case Formula(tex):
            return _formula(tex)
        case Quote():
            return _quote(block, nested)
        case Image():
            return f"![{escape(block.alt, bracketed=True)}]({block.path})"
        case Rule():
            return "***"  # not `---`, which is also how front matter begins and ends
        case Table():
            return _gfm(block) if _fits(block) else html.table(block)


def _fence(code: str, language: str) -> str:
    mark = "`" * max(3, longest_run(code, "`") + 1)
    return f"{mark}{language}\n{code}\n{mark}"


def _formula(tex: str) -> str:
    """A formula between dollars; as code where Markdown would read a block or HTML in its lines."""
    lines = tex.split("\n")
    tame = all(guard_line(each.lstrip(), first=False) == each.lstrip() for each in lines)
    if tame and not (text.is_active(tex) or text.has_dollar(tex) or "`" in tex or "~~~" in tex):
        return f"$$\n{tex}\n$$"
    return _fence(tex, "math")


def _quote(quote: Quote, nested: bool) -> str:
    content = list(quote.content)
    if quote.alert and content and not nested:
        return _alert(quote.alert, content)
    if quote.emoji:
        glyph = Span(TEXT, f"{quote.emoji} ")
        if content and isinstance(content[0], Paragraph):
            content[0] = replace(content[0], spans=(glyph, *content[0].spans))
        else:
            content.insert(0, Paragraph((glyph,)))
    return _quoted(write(content, nested=True))


def _alert(name: str, content: Blocks) -> str:
    """An alert of GitHub: its marker has a line of its own, which nothing below may underline or go on with."""
    first, end, rest = write(content, nested=True).partition("\n")
    if not isinstance(content[0], Paragraph):
        first = f"\n{first}"
    elif first[:1] != "[":  # a link at the beginning of a line stays one
        first = guard_line(first, first=False)
    return _quoted(f"[!{name}]\n{first}{end}{rest}")


def _quoted(written: str) -> str:
    return "\n".join(f"> {each}" if each else ">" for each in written.split("\n")) if written else ""


def _listing(block: Listing, other: bool) -> str:
    """Items: tight where none holds more than a paragraph and lists that may follow it at once."""
    tight = all(_is_tight(item) for item in block.items)
    marks = _marks(block, other)
    return ("\n" if tight else "\n\n").join(
        _item(item, mark, tight) for item, mark in zip(block.items, marks, strict=True)
    )


def _marks(block: Listing, other: bool) -> Iterator[str]:
    for at in range(len(block.items)):
        number = f"{block.items[0].number + at}{')' if other else '.'}"
        yield number if block.ordered else "*" if other else "-"


def _is_tight(item: Item) -> bool:
    rest = item.content[1:] if item.content and isinstance(item.content[0], Paragraph) else item.content
    return not rest or (len(rest) == 1 and isinstance(rest[0], Listing) and _interrupts(rest[0]))


def _interrupts(block: Listing) -> bool:
    """Whether a list may begin on the line after a paragraph: one that begins with 1, and with text."""
    first = block.items[0]
    begins = first.done is not None or (bool(first.content) and isinstance(first.content[0], Paragraph))
    return begins and (not block.ordered or first.number == 1)


def _item(item: Item, mark: str, tight: bool) -> str:
    """One item, indented by the width of its mark. What is no paragraph begins on the line below the mark."""
    width = len(mark) + 1
    first = item.content[0] if item.content else None
    said = inline.paragraph(first.spans) if isinstance(first, Paragraph) else ""
    if item.done is not None:
        said = f"[{'x' if item.done else ' '}] {said}".rstrip()
    below = write(item.content[isinstance(first, Paragraph) :], nested=True)
    if not said:
        return mark + _indented("\n" + below, width) if below else mark
    between = ("\n" if tight else "\n\n") if below else ""
    return f"{mark} {_indented(said + between + below, width)}"


def _indented(body: str, width: int) -> str:
    return re.sub(r"\n(?=[^\n])", f"\n{' ' * width}", body)


def _fits(table: Table) -> bool:
    return all(_cell_fits(cell) for row in table.rows for cell in row)


def _cell_fits(cell: Cell) -> bool:
    if cell.columns > 1 or cell.rows > 1:
        return False
    return all(isinstance(block, Paragraph) and inline.fits_cell(block.spans) for block in cell.content)


def _gfm(table: Table) -> str:
    rows = [[_text(cell, head=table.head and not y) for cell in row] for y, row in enumerate(table.rows)]
    if not rows:
        return ""
    header = rows.pop(0) if table.head else [""] * table.width
    rules = [_rule([row[x] for row in table.rows]) for x in range(table.width)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rules, *rows))


def _text(cell: Cell, *, head: bool) -> str:
    """A heading in the first column is bold: GFM has headings in the first row alone."""
    paragraphs = [block.spans for block in cell.content if isinstance(block, Paragraph)]
    if cell.heading and not head:
        paragraphs = [tuple(_bold(span) for span in spans) for spans in paragraphs]
    return inline.cell(paragraphs)


def _bold(span: Span) -> Span:
    return span if span.kind != TEXT else span._replace(marks=("**", *span.marks))


def _rule(column: Sequence[Cell]) -> str:
    """How a column is aligned, where all of its text is."""
    aligned = {block.align for cell in column for block in cell.content if isinstance(block, Paragraph)}
    return _RULES.get(aligned.pop(), "---") if len(aligned) == 1 else "---"
