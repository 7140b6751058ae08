"""Content as HTML, for the cells of tables that Markdown cannot hold.

Each cell is one line: a blank line would end the HTML, and what follows would be read as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from git_okf.source.feishu.docx import line
from git_okf.source.feishu.docx.content import (
    BOLD,
    CODE,
    ITALIC,
    MATH,
    STRUCK,
    TEXT,
    UNDERLINED,
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
from git_okf.source.feishu.docx.line import CLOSE, END, LINK, OPEN, Event

_TAGS = {BOLD: "strong", ITALIC: "em", STRUCK: "del", UNDERLINED: "u"}
_AROUND = {TEXT: ("", ""), CODE: ("<code>", "</code>"), MATH: ("$", "$")}
_ALIGNED = {2: "center", 3: "right"}


def table(found: Table) -> str:
    """A table, a line for each cell."""
    rows = (["<tr>", *(cell(each) for each in row), "</tr>"] for row in found.rows)
    return "\n".join(["<table>", *(part for row in rows for part in row), "</table>"])


def cell(found: Cell) -> str:
    tag = "th" if found.heading else "td"
    spans = f' colspan="{found.columns}"' if found.columns > 1 else ""
    spans += f' rowspan="{found.rows}"' if found.rows > 1 else ""
    return f"<{tag}{spans}>{flow(found.content)}</{tag}>"


def flow(blocks: Blocks) -> str:
    """Blocks in a row; a paragraph that is all there is needs no tags."""
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return inline(blocks[0].spans)
    return "".join(_block(block) for block in blocks)


def inline(spans: Iterable[Span]) -> str:
    """A line."""
    return "".join(_event(event) for event in line.events(spans))


def _event(event: Event) -> str:
    kind, value = event
    if kind in (TEXT, CODE, MATH):
        before, after = _AROUND[kind]
        return f"{before}{_one_line(escape(value, quote=False))}{after}"
    if kind == LINK:
        return f'<a href="{escape(value)}">'
    if kind in (OPEN, CLOSE):
        return f"<{'/' if kind == CLOSE else ''}{_TAGS[value]}>"
    return "</a>" if kind == END else "<br>"


def _block(block: Block) -> str:
    match block:
        case Paragraph(spans):
            return f"<p>{inline(spans)}</p>"
        case Heading(level, spans):
            return f"<h{level}>{inline(spans)}</h{level}>"
        case Listing():
            return _listing(block)
        case Code(text, language):
            name = f' class="language-{escape(language)}"' if language else ""
            return f"<pre><code{name}>{_one_line(escape(text, quote=False))}</code></pre>"
        case Formula(tex):
            return f"<p>$${_one_line(escape(tex, quote=False))}$$</p>"
        case Quote(content, emoji):
            said = f"{emoji} " if emoji else ""
            return f"<blockquote>{said}{flow(content)}</blockquote>"
        case Image():
            return _image(block)
        case Rule():
            return "<hr>"
        case Table():
            return table(block).replace("\n", "")


def _listing(block: Listing) -> str:
    start = block.items[0].number
    begin = f'<ol start="{start}">' if block.ordered and start != 1 else "<ol>" if block.ordered else "<ul>"
    return f"{begin}{''.join(_item(item) for item in block.items)}</{'ol' if block.ordered else 'ul'}>"


def _item(item: Item) -> str:
    mark = "" if item.done is None else "[x] " if item.done else "[ ] "
    first = item.content[:1]
    if first and isinstance(first[0], Paragraph):
        return f"<li>{mark}{inline(first[0].spans)}{''.join(_block(b) for b in item.content[1:])}</li>"
    return f"<li>{mark.rstrip()}{''.join(_block(b) for b in item.content)}</li>"


def _image(image: Image) -> str:
    said = {"width": image.width, "height": image.height, "align": _ALIGNED.get(image.align)}
    more = "".join(f' {key}="{value}"' for key, value in said.items() if value)
    return f'<img src="{escape(image.path)}" alt="{escape(image.alt)}"{more}>'


def _one_line(text: str) -> str:
    """The text with its line ends as references: they stay, and end no HTML block."""
    return text.replace("\n", "&#10;")
