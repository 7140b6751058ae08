"""A docx document's blocks -> canonical Markdown. Pure: the blocks and the context, and nothing else.

    blocks -> tree.grow -> blocks.Reader -> content -> markdown.write -> digest.canonical

Two phases: `media_of` says which images and files to fetch; `convert` then writes where each of them lies. Nothing of
a document is left out without a word: what Markdown cannot say, or this module does not know, leaves a visible
placeholder that is counted (LARK-09). Text is escaped so that it stays text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from git_okf import digest
from git_okf.source.feishu.docx import markdown, media, tree
from git_okf.source.feishu.docx.blocks import Reader
from git_okf.source.feishu.docx.content import said
from git_okf.source.feishu.docx.elements import Elements
from git_okf.source.feishu.docx.values import FILE, IMAGE, Context, Converted, Media

__all__ = ["FILE", "IMAGE", "VERSION", "Context", "Converted", "Media", "convert", "media_of"]

VERSION = 1
"""Of the conversion: raised whenever the same blocks may give another body."""

_ODD = {
    tree.NO_PAGE: "the document has no page block",
    tree.STRAY: "blocks that nothing leads to stand at the end of the document",
    tree.REPEATED: "blocks are named as children more than once, and stand at their first place",
    tree.DOUBLED: "blocks came in two versions, of which one was taken",
    tree.FLATTENED: f"blocks nested deeper than {tree.DEEPEST} levels follow their parents",
}


def media_of(blocks: Sequence[Mapping[str, Any]], document_id: str = "") -> tuple[Media, ...]:
    """The images and files of a document, in order of appearance, each once."""
    return media.find(tree.grow(blocks, document_id))


def convert(blocks: Sequence[Mapping[str, Any]], document_id: str, context: Context) -> Converted:
    """A document as Markdown. `blocks` are all its blocks, in any order; no list of blocks raises an error."""
    grown = tree.grow(blocks, document_id)
    elements = Elements(context, grown.blocks)
    reader = Reader(context, elements)
    title = said(elements.spans(grown.page.data)) if grown.page else ""
    body = reader.flow([*(grown.page.children if grown.page else ()), *grown.strays])
    return Converted(
        markdown=digest.canonical(markdown.write(body)),
        title=title,
        media=media.find(grown),
        unknown=MappingProxyType(dict(sorted(elements.unknown.items()))),
        warnings=tuple(_warnings(grown, elements)),
    )


def _warnings(grown: tree.Tree, elements: Elements) -> Iterator[str]:
    for oddity, sentence in _ODD.items():
        count = grown.odd[oddity]
        if count:
            yield sentence if oddity == tree.NO_PAGE else f"{count} {sentence}"
    if elements.media_missing:
        yield f"{elements.media_missing} images or files could not be had"
    if elements.links_left_out:
        yield f"{elements.links_left_out} links lead to no address and were left as text"
