"""Nodes -> content: what each type of block says. What a type is, its number alone decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from git_okf.source.feishu.docx import emoji, kinds, languages, links, tables, text
from git_okf.source.feishu.docx.content import (
    BOLD,
    TEXT,
    Block,
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
    Spans,
    said,
)
from git_okf.source.feishu.docx.elements import Elements
from git_okf.source.feishu.docx.given import listed, mapped, string, whole
from git_okf.source.feishu.docx.tree import Node
from git_okf.source.feishu.docx.values import Context

_DRAWN_TEXT = "blk_631fefbbae02400430b8f9f4"
"""The component that draws Mermaid; its record holds the source."""
_LARGEST = 999_999_999
"""What CommonMark lets a list begin with."""
_ITEMS, _QUOTES, _OTHERS = range(3)
_FAMILIES = {kinds.BULLET: _ITEMS, kinds.ORDERED: _ITEMS, kinds.TODO: _ITEMS, kinds.QUOTE: _QUOTES}

Blocks = list[Block]


class Reader:
    """Reads the blocks of one document."""

    def __init__(self, context: Context, elements: Elements) -> None:
        self._context = context
        self._elements = elements

    def flow(self, nodes: Sequence[Node]) -> Blocks:
        """The content of blocks in a row: items make lists, and old quotes in a row are one."""
        out: Blocks = []
        numbers = _Numbers()
        for family, members in groupby(nodes, _family):
            if family == _ITEMS:
                out += self._lists(members, numbers)
                continue
            numbers.interrupt()
            if family == _QUOTES:
                content = tuple(block for node in members for block in self._texts(node))
                out += [Quote(content)] if content else []
            else:
                out += (block for node in members for block in self._block(node))
        return out

    def _lists(self, nodes: Iterable[Node], numbers: _Numbers) -> Blocks:
        """Items in a row: a list ends where the next item is of another kind, or does not count on."""
        lists: list[tuple[bool, list[Item]]] = []
        for node in nodes:
            ordered = node.kind == kinds.ORDERED
            done = mapped(node.data.get("style")).get("done") is True if node.kind == kinds.TODO else None
            item = Item(tuple(self._texts(node)), numbers.next(node), done)
            last = lists[-1] if lists and lists[-1][0] == ordered else None
            if last and (not ordered or last[1][-1].number + 1 == item.number):
                last[1].append(item)
            else:
                lists.append((ordered, [item]))
        return [Listing(ordered, tuple(items)) for ordered, items in lists]

    def _block(self, node: Node) -> Blocks:
        read = _READERS.get(node.kind)
        return read(self, node) if read else [*self._unknown(node), *self.flow(node.children)]

    def _spans(self, node: Node) -> Spans:
        return self._elements.spans(node.data)

    def _texts(self, node: Node) -> Blocks:
        """The text of a block, where it has any, and its children."""
        return [*_paragraph(self._spans(node), node.data), *self.flow(node.children)]

    def _heading(self, node: Node) -> Blocks:
        level = 1 if node.kind == kinds.PAGE else min(node.kind - kinds.HEADINGS.start + 1, 6)
        spans = self._spans(node)
        return [*([Heading(level, spans)] if said(spans) else ()), *self.flow(node.children)]

    def _children(self, node: Node) -> Blocks:
        return self.flow(node.children)

    def _code(self, node: Node) -> Blocks:
        language = mapped(node.data.get("style")).get("language")
        code = self._verbatim(node)
        own = [Code(code, languages.info(language))] if code.strip() else []
        return [*own, *self.flow(node.children)]

    def _equation(self, node: Node) -> Blocks:
        tex = text.lines_of_tex(self._verbatim(node))
        return [*([Formula(tex)] if tex else ()), *self.flow(node.children)]

    def _verbatim(self, node: Node) -> str:
        """The text of a block as it stands, without styles."""
        parts: list[str] = []
        for element in listed(node.data.get("elements")):
            held = [mapped(mapped(element).get(key)) for key in ("text_run", "equation")]
            runs = [text.verbatim(run.get("content")) for run in held if run]
            parts += runs or (said(self._elements.spans({"elements": [element]})),)
        return "".join(parts)

    def _quote(self, node: Node) -> Blocks:
        content = tuple(self._texts(node))
        return [Quote(content)] if content else []

    def _callout(self, node: Node) -> Blocks:
        content = tuple(self._texts(node))
        shown = node.data.get("emoji_id")
        return [Quote(content, emoji.glyph(shown), emoji.alert(shown))] if content else []

    def _rule(self, node: Node) -> Blocks:
        return [Rule(), *self.flow(node.children)]

    def _table(self, node: Node) -> Blocks:
        return tables.read(node, self.flow)

    def _view(self, node: Node) -> Blocks:
        return self.flow(node.children) or self._absent(node)

    def _file(self, node: Node) -> Blocks:
        name = text.line(node.data.get("name"))
        path, missing = self._elements.media(node.data.get("token"), name, "file")
        spans = missing or (Span(TEXT, name or "file", (), path),)
        return [Paragraph(spans), *self.flow(node.children)]

    def _image(self, node: Node) -> Blocks:
        """An image, and its caption below it."""
        data = node.data
        caption = caption_of(data)
        path, missing = self._elements.media(data.get("token"), caption, "image")
        if missing:
            return [Paragraph(missing), *self.flow(node.children)]
        image = Image(path, caption, whole(data.get("width")), whole(data.get("height")), whole(data.get("align")))
        shown = [Paragraph((Span(TEXT, caption, ("*",)),))] if caption else []
        return [image, *shown, *self.flow(node.children)]

    def _iframe(self, node: Node) -> Blocks:
        url = links.address(mapped(node.data.get("component")).get("url"))
        return [*([_linked(url)] if url else self._placeholder(node)), *self.flow(node.children)]

    def _link_preview(self, node: Node) -> Blocks:
        return self._absent(node, link=links.address(node.data.get("url")))

    def _add_ons(self, node: Node) -> Blocks:
        drawn = _drawn(node.data)
        return [Code(drawn, "mermaid"), *self.flow(node.children)] if drawn else self._absent(node)

    def _object(self, node: Node) -> Blocks:
        """Another object shown in the document, of which it holds nothing but the token (a part of it follows `_`)."""
        key, obj_type = _OBJECTS[node.kind]
        token = string(node.data.get(key)).partition("_")[0]
        return self._absent(node, link=links.to_object(token, obj_type, self._context))

    def _jira(self, node: Node) -> Blocks:
        return self._absent(node, text.line(node.data.get("key")))

    def _objective(self, node: Node) -> Blocks:
        spans = self._elements.spans(mapped(node.data.get("content")))
        return [*self._placeholder(node), *_paragraph(spans), *self.flow(node.children)]

    def _titled(self, node: Node) -> Blocks:
        """A box with a title of its own: the title in bold, then what is in the box."""
        spans = tuple(span._replace(marks=(BOLD, *span.marks)) for span in self._spans(node))
        return [*_paragraph(spans), *self.flow(node.children)]

    def _reference(self, node: Node) -> Blocks:
        """A synced block elsewhere: shown where the source delivers what is in it, else its document is named."""
        inside = self.flow(node.children)
        link = links.to_object(node.data.get("source_document_id"), kinds.OBJ_DOCX, self._context)
        return inside or self._placeholder(node, link=link)

    def _absent(self, node: Node, detail: str = "", link: str = "") -> Blocks:
        return [*self._placeholder(node, detail, link), *self.flow(node.children)]

    def _placeholder(self, node: Node, detail: str = "", link: str = "") -> Blocks:
        return [Paragraph(self._elements.absent(kinds.name(node.kind), detail, link))]

    def _unknown(self, node: Node) -> Blocks:
        """A type we do not know: said so, with all text that it holds in the way of known ones."""
        owners = [mapped(node.block[key]) for key in sorted(node.block)]
        texts = (_paragraph(self._elements.spans(owner), owner) for owner in owners)
        return [*self._placeholder(node), *(block for found in texts for block in found)]


def _family(node: Node) -> int:
    return _FAMILIES.get(node.kind, _OTHERS)


class _Numbers:
    """Counts the items of ordered lists among siblings.

    `sequence` is the number an item was given, or `auto`: one more than the ordered item before it, even across other
    blocks. Without it an item counts on from the item directly before it, and begins with 1 after anything else.
    """

    def __init__(self) -> None:
        self._last = 0
        self._runs = False

    def next(self, node: Node) -> int:
        if node.kind != kinds.ORDERED:
            self.interrupt()
            return 0
        sequence = mapped(node.data.get("style")).get("sequence")
        given = str(sequence) if isinstance(sequence, str | int) else ""
        if given.isascii() and given.isdigit() and len(given) < 10:
            self._last = int(given)
        else:
            self._last = self._last + 1 if self._runs or given == "auto" else 1
        self._last = min(self._last, _LARGEST)
        self._runs = True
        return self._last

    def interrupt(self) -> None:
        """Something else than an ordered item stands here."""
        self._runs = False


def _paragraph(spans: Spans, owner: Mapping[str, Any] | None = None) -> Blocks:
    align = mapped(mapped(owner).get("style")).get("align")
    return [Paragraph(spans, whole(align))] if said(spans) else []


def _linked(url: str) -> Paragraph:
    return Paragraph((Span(TEXT, url, (), url),))


def caption_of(data: Mapping[str, Any]) -> str:
    """The caption of an image; "" for none."""
    return text.line(mapped(data.get("caption")).get("content"))


def _drawn(data: Mapping[str, Any]) -> str:
    """The source of a drawing that is made of text; "" for any other component."""
    record = data.get("record")
    if data.get("component_type_id") != _DRAWN_TEXT or not isinstance(record, str):
        return ""
    try:
        held = json.loads(record)
    except (ValueError, RecursionError):
        return ""
    return text.verbatim(mapped(held).get("data")).strip("\n")


_OBJECTS = {
    kinds.SHEET: ("token", kinds.OBJ_SHEET),
    kinds.BITABLE: ("token", kinds.OBJ_BITABLE),
    kinds.MINDNOTE: ("token", kinds.OBJ_MINDNOTE),
    kinds.WIKI_CATALOG: ("wiki_token", kinds.OBJ_WIKI),
    kinds.SUB_PAGE_LIST: ("wiki_token", kinds.OBJ_WIKI),
}
"""Type -> the key of its token, and what it is a token of."""

_READERS: Mapping[int, Callable[[Reader, Node], Blocks]] = {
    kinds.PAGE: Reader._heading,
    kinds.TEXT: Reader._texts,
    **dict.fromkeys(kinds.HEADINGS, Reader._heading),
    kinds.CODE: Reader._code,
    kinds.EQUATION: Reader._equation,
    kinds.CALLOUT: Reader._callout,
    kinds.DIVIDER: Reader._rule,
    kinds.FILE: Reader._file,
    kinds.IFRAME: Reader._iframe,
    kinds.IMAGE: Reader._image,
    kinds.TABLE: Reader._table,
    kinds.VIEW: Reader._view,
    kinds.QUOTE_CONTAINER: Reader._quote,
    **dict.fromkeys((kinds.GRID, kinds.GRID_COLUMN, kinds.TABLE_CELL), Reader._children),
    **dict.fromkeys((kinds.AGENDA_ITEM, kinds.AGENDA_ITEM_CONTENT), Reader._children),
    **dict.fromkeys((kinds.AGENDA_ITEM_TITLE, kinds.SOURCE_SYNCED), Reader._titled),
    **dict.fromkeys((kinds.OKR_OBJECTIVE, kinds.OKR_KEY_RESULT), Reader._objective),
    **dict.fromkeys(_OBJECTS, Reader._object),
    kinds.ADD_ONS: Reader._add_ons,
    kinds.JIRA_ISSUE: Reader._jira,
    kinds.LINK_PREVIEW: Reader._link_preview,
    kinds.REFERENCE_SYNCED: Reader._reference,
    **dict.fromkeys(
        (
            kinds.MISSING,
            kinds.CHAT_CARD,
            kinds.DIAGRAM,
            kinds.ISV,
            kinds.TASK,
            kinds.OKR,
            kinds.OKR_PROGRESS,
            kinds.BOARD,
            kinds.AGENDA,
            kinds.AI_TEMPLATE,
            kinds.REFERENCE,
        ),
        Reader._absent,
    ),
}
"""Items of lists and old quotes are gathered by `flow`; everything that is not here is unknown."""
