"""Bulleted, numbered and definition lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.convert import inline
from git_okf.source.web.extract.convert.assemble import join
from git_okf.source.web.extract.convert.inlines import BLANK, CLOSE, CODE, END, LINK, OPEN, SPACE, TEXT, Tokens, render
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import classes, holds, remove

_LATE = ("code", "table", "html")
"""Blocks that do not begin on the line of the marker: fences there are not understood by every reader."""
_LONG = 60
_SIGNATURES = frozenset(("sig", "sig-object"))


class Item(NamedTuple):
    """One item: its number (None for a bullet) and its blocks."""

    number: int | None
    blocks: Sequence[Block]


def items(el: etree._Element, page: Page) -> list[Block]:
    """`<ul>`, `<ol>`, `<menu>`; numbers follow `start`, `value` and `reversed`."""
    ordered = el.tag == "ol"
    children = [c for c in el if isinstance(c.tag, str)]
    step = -1 if el.get("reversed") is not None else 1
    number = _number(el.get("start")) if el.get("start") else (len(children) if step < 0 else 1)
    found: list[Item] = []
    stray = (el.text or "").strip()
    for child in children:
        blocks = _item(child, page)
        if child.tag == "li" and child.tail and child.tail.strip():
            blocks = [*blocks, Block("p", render([(TEXT, child.tail)]))]
        number = _number(child.get("value"), number)
        if child.tag != "li" and found:
            found[-1] = Item(found[-1].number, [*found[-1].blocks, *blocks])
        elif blocks:
            found.append(Item(max(number, 0) if ordered else None, blocks))
            number += step
    before = [Block("p", render([(TEXT, stray)]))] if stray else []
    if found and all(item.blocks[0].kind == "h" for item in found):
        # A list of sections is layout (Javadoc): headings inside of list items help nobody.
        return [*before, *(block for item in found for block in item.blocks)]
    return [*before, Block("ol" if ordered else "ul", layout(found))] if found else before


def _item(child: etree._Element, page: Page) -> list[Block]:
    if child.tag == "li":
        mark = _task(child) if page.boxes else ""
        blocks = page.flow(child, page)
        if mark and blocks and blocks[0].kind == "p":
            blocks[0] = Block("p", f"{mark} {blocks[0].text}")
        return blocks
    box = etree.Element("div")
    tail, child.tail = child.tail, None
    box.append(child)
    blocks = page.flow(box, page)
    return [*blocks, Block("p", render([(TEXT, tail)]))] if tail and tail.strip() else blocks


def _task(item: etree._Element) -> str:
    """The mark of an item of a task list, whose box is taken out; "" for any other item."""
    box = next((i for i in item.iterdescendants("input") if i.get("type") == "checkbox"), None)
    before = box.getparent() if box is not None else None
    while before is not None and before is not item and not (before.text or "").strip() and before[0] is not None:
        before = before.getparent()
    if box is None or before is not item or (item.text or "").strip():
        return ""
    remove(box)
    return "[x]" if box.get("checked") is not None else "[ ]"


def _number(text: str | None, default: int = 1) -> int:
    if not text:
        return default
    try:
        return min(int(text), 999_999_999)
    except ValueError:
        return default


def layout(found: Sequence[Item]) -> str:
    """Items as text: tight where each has at most one paragraph, followed by nothing but lists."""
    tight = all(_is_tight(item.blocks) for item in found)
    return ("\n" if tight else "\n\n").join(_laid_out(item, tight) for item in found)


def _is_tight(blocks: Sequence[Block]) -> bool:
    rest = blocks[1:] if blocks and blocks[0].kind == "p" else blocks
    return len(rest) < 2 and all(b.kind in ("ul", "ol") for b in rest)


def _laid_out(item: Item, tight: bool) -> str:
    marker = "-" if item.number is None else f"{item.number}."
    body = "\n".join([b.text for b in item.blocks]) if tight else join(item.blocks)
    late = item.blocks[0].kind in _LATE or (item.blocks[0].kind == "h" and item.number is not None)
    if not late and "\n" not in body:
        return f"{marker} {body}"
    indent = " " * (len(marker) + 1)
    text = "\n".join([f"{indent}{line}" if line else "" for line in body.split("\n")])
    return f"{marker}\n{text}" if late else f"{marker} {text[len(indent) :]}"


def definitions(el: etree._Element, page: Page) -> list[Block]:
    """`<dl>`: an item for each group of terms, `term: definition` on one line where that is all there is."""
    found = [Item(None, _definition(terms, texts, page)) for terms, texts in _groups(el)]
    found = [item for item in found if item.blocks]
    stray = (el.text or "").strip()
    before = [Block("p", render([(TEXT, stray)]))] if stray else []
    return [*before, Block("ul", layout(found))] if found else before


Group = tuple[list[etree._Element], list[etree._Element]]


def _groups(el: etree._Element) -> list[Group]:
    groups: list[Group] = []
    parts = _parts(el)
    # Tables of contents and lists of bare terms: each term stands for itself.
    apart = "toc" in classes(el) or all(part.tag == "dt" for part in parts)
    for child in parts:
        term = child.tag == "dt"
        if not groups or (term and (apart or groups[-1][1])):
            groups.append(([], []))
        groups[-1][0 if term else 1].append(child)
    return groups


def _parts(el: etree._Element) -> list[etree._Element]:
    """The terms and definitions of a list, also where each group has a `<div>` of its own."""
    out: list[etree._Element] = []
    for child in el:
        if child.tag in ("div", "span") and next(child.iterchildren("dt", "dd"), None) is not None:
            out.extend(_parts(child))
        else:
            out.append(child)
    return out


def _definition(terms: Sequence[etree._Element], texts: Sequence[etree._Element], page: Page) -> list[Block]:
    head = _terms(terms, page)
    body = [block for text in texts for block in (page.flow(text, page) if text.tag == "dd" else _item(text, page))]
    if not head:
        return body
    if len(head) == 1 and head[0].kind == "p" and len(body) == 1 and body[0].kind == "p":
        mark = "" if head[0].text.rstrip("*_`").endswith(":") else ":"
        return [Block("p", f"{head[0].text}{mark} {body[0].text}")]
    return [*head, *body]


def _terms(terms: Sequence[etree._Element], page: Page) -> list[Block]:
    lines: list[str] = []
    blocks: list[Block] = []
    for term in terms:
        if holds(term, inline.STRUCTURE):
            blocks.extend(page.flow(term, page))
        else:
            lines.append(_term(term, page))
    lines = [line for line in lines if line]
    if lines:
        mark = ", " if all(len(line) < _LONG and "\n" not in line for line in lines) else "\\\n"
        blocks.insert(0, Block("p", mark.join(lines)))
    return blocks


def _term(term: etree._Element, page: Page) -> str:
    tokens = inline.tokens(term, page)
    if not page.anchors.any:
        return _term_text(term, tokens)
    anchors = [token[1] for token in tokens if inline.is_anchor(token)]
    tokens = [token for token in tokens if not inline.is_anchor(token)]
    return "".join(anchors) + _term_text(term, tokens)


def _term_text(term: etree._Element, tokens: Tokens) -> str:
    if not _SIGNATURES.isdisjoint(classes(term)):
        return render(signature(tokens))
    said = [kind for kind, value in tokens if kind not in (OPEN, CLOSE, SPACE) and (kind == LINK or value.strip())]
    if all(kind in (CODE, LINK, END) for kind in said) or _is_one_link(said):
        return render(tokens)
    return render([(OPEN, "**"), *inline.without(tokens, "**"), (CLOSE, "**")])


def _is_one_link(said: Sequence[int]) -> bool:
    return bool(said) and said[0] == LINK and said.index(END) == len(said) - 1


def signature(tokens: Tokens) -> Tokens:
    """A signature as code; only what is a link in it stands outside of the code."""
    out: Tokens = []
    for kind, value in tokens:
        if kind in (OPEN, CLOSE):
            continue
        if kind in (TEXT, CODE, SPACE):
            out.extend(_piece(" " if kind == SPACE else value, out))
        else:
            out.append((kind, value))
    return out


def _piece(text: str, out: Tokens) -> Tokens:
    folded = " ".join(text.split())
    if not folded:
        return [BLANK] if text else []
    if text[:1].isspace():
        folded = f" {folded}"
    if text[-1:].isspace():
        folded = f"{folded} "
    if len(out) > 1 and out[-1][0] == SPACE and out[-2][0] == CODE:
        out.pop()
        folded = f" {folded}"
    return [(CODE, folded)]
