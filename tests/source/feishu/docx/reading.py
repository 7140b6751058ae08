"""What a reader of the Markdown sees: rendered by markdown-it, with what GitHub adds to CommonMark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from lxml import etree
from markdown_it import MarkdownIt
from source.feishu.docx.samples import Document, Json

from git_okf.source.feishu.docx import Context, Converted, convert

STYLES = ("strong", "em", "s", "del", "u", "code", "a")

PLACED = Context(
    media_path=lambda token: f"media/{token}.png",
    doc_link=lambda token, obj_type: f"../{token}.md" if token.startswith("doxcnIn") else None,
)
"""Everything could be had, and documents whose token begins with `doxcnIn` are part of the source."""


def converted(document: Document, context: Context = PLACED) -> Converted:
    return convert(document.blocks, document.id, context)


def markdown(document: Document, context: Context = PLACED) -> str:
    return converted(document, context).markdown


def line(*elements: Json | str, context: Context = PLACED) -> str:
    """The Markdown of one paragraph."""
    made = Document("doc", "")
    made.text(*elements)
    return markdown(made, context)


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": 1000}).enable(["table", "strikethrough"])


def rendered(text: str) -> str:
    return str(_reader().render(text))


def tree(text: str) -> etree._Element:
    """The rendered Markdown; breaks and the ends of cells are blanks, too."""
    html = rendered(text).replace("<br>", "<br> ").replace("</td>", " </td>").replace("</p>", "</p> ")
    html = html.replace("</li>", " </li>").replace("</pre>", " </pre>").replace("<ul>", " <ul>").replace("<ol", " <ol")
    return etree.fromstring(f"<div>{html}</div>", etree.HTMLParser(huge_tree=True))


def seen(text: str) -> str:
    """The visible text, white space folded."""
    return " ".join("".join(str(piece) for piece in tree(text).itertext()).split())


def styled(text: str) -> list[tuple[str, frozenset[str]]]:
    """Each visible character with the styles it has; blanks left out."""
    return [
        (char, styles) for piece, styles in _pieces(tree(text), frozenset()) for char in piece if not char.isspace()
    ]


def _pieces(el: etree._Element, around: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    name = {"s": "del"}.get(str(el.tag), str(el.tag))
    inside = around | {name} if name in STYLES else around
    if el.text:
        yield el.text, inside
    for child in el:
        yield from _pieces(child, inside)
        if child.tail:
            yield child.tail, inside


def document(blocks: Sequence[tuple[int, Json]]) -> Document:
    """A document of blocks in a row."""
    made = Document("doc", "")
    for kind, own in blocks:
        made.add(kind, own)
    return made
