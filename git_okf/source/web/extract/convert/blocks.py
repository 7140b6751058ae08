"""Block content: the children of an element -> blocks of Markdown. Every other converter is reached from here."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from git_okf.source.web.extract.convert import callouts, code, footnotes, inline, lists, math, media, tables, tabs
from git_okf.source.web.extract.convert.assemble import join, quoted, titled
from git_okf.source.web.extract.convert.inlines import CLOSE, OPEN, RAW, TEXT, Tokens, render
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.extract.tree import class_names, classes, raw_text, remove, words

Handler = Callable[[etree._Element, Page], list[Block]]

BOXES = words(
    "address article aside body center dd details dir div dt fieldset figcaption figure footer form header hgroup"
    " html legend li main nav p search section summary td th tr tbody thead tfoot caption"
)
"""Elements that only hold blocks."""


def flow(el: etree._Element, page: Page) -> list[Block]:
    """The blocks of an element's children."""
    out: list[Block] = []
    run: Tokens = []
    if page.anchors.any:
        _anchor(page.anchors.take(el), run)
    _flow(el, page, out, run)
    _paragraph(run, out)
    return out


def _flow(el: etree._Element, page: Page, out: list[Block], run: Tokens) -> None:
    text = el.text  # made anew each time it is asked for
    if text and not text.isspace():
        run.append((TEXT, text))
    for child in el:
        tag = child.tag
        handler = _BLOCKS.get(tag) or _special(child, page)
        if handler:
            if page.anchors.any:
                _anchor(page.anchors.take_all(child) if tag in _WHOLE else page.anchors.take(child), run)
            if run:
                _paragraph(run, out)
            out.extend(handler(child, page))
        elif tag in BOXES:
            if run:
                _paragraph(run, out)
            if page.anchors.any:
                _anchor(page.anchors.take(child), run)
            _flow(child, page, out, run)
            if run:
                _paragraph(run, out)
        elif len(child) and inline.holds_blocks(child):
            _wrapper(child, page, out, run)
        else:
            inline.collect(child, run, page)
        text = child.tail
        if text and (run or not text.isspace()):
            run.append((TEXT, text))


def _anchor(anchors: str, run: Tokens) -> None:
    if anchors:
        run.append((RAW, anchors))


def _special(el: etree._Element, page: Page) -> Handler | None:
    tag = str(el.tag)
    value = el.get("class")
    handler = _named(tag, value) if value else None
    if page.tabs and handler is None and (tag in BOXES or "-" in tag) and tabs.is_set(el):
        return tabs.tab_set
    return handler


@remembered(4096)
def _named(tag: str, value: str) -> Handler | None:
    """What an element's `class` says it is."""
    box = tag in BOXES or tag in ("dl", "ol")
    for name in class_names(value):
        handler = (_CLASSES.get(name) if box else None) or _FORMULAS.get(name)
        if handler:
            return handler
    return callouts.callout if tag in callouts.TAGS and callouts.kind_of(tag, value) else None


def _wrapper(el: etree._Element, page: Page, out: list[Block], run: Tokens) -> None:
    """An inline element around blocks. A link around a card links its first line of text."""
    _paragraph(run, out)
    href = el.get("href") if el.tag == "a" else None
    target = page.links.target(href) if href else ""
    if target:
        media.link_first_text(el, href or "")
    _flow(el, page, out, run)
    _paragraph(run, out)


def _paragraph(run: Tokens, out: list[Block]) -> None:
    """The end of a paragraph, if one has begun."""
    if run:
        text = render(run)
        if text:
            out.append(Block("p", text))
        run.clear()


def _heading(el: etree._Element, page: Page) -> list[Block]:
    for link in list(el.iter("a")):
        if (link.get("href") or "").startswith("#") and not any(c.isalnum() for c in raw_text(link)):
            remove(link)  # a permalink: `#`, `¶`, `§`
    tokens = inline.tokens(el, page)
    kept = inline.without(tokens, "**")
    text = render(kept, heading=True)
    if not text:
        return []
    line = f"{'#' * int(el.tag[1])} {text}"
    anchors = page.anchors.heading(el, inline.spoken(kept))
    return [Block("h", f"{anchors}\n\n{line}" if anchors else line)]


def _quote(el: etree._Element, page: Page) -> list[Block]:
    if callouts.kind(el):
        return callouts.callout(el, page)
    text = join(flow(el, page))
    return [Block("quote", quoted(text))] if text else []


def _rule(el: etree._Element, page: Page) -> list[Block]:
    # Not `---`: that is also how front matter begins and ends.
    return [Block("rule", "***")]


def _details(el: etree._Element, page: Page) -> list[Block]:
    if callouts.kind(el):
        return callouts.callout(el, page)
    out: list[Block] = []
    summary = next((child for child in el if child.tag == "summary"), None)
    if summary is not None:
        out += titled(summary, page)
        rest = summary.tail
        el.remove(summary)
        el.text = (el.text or "") + (rest or "")
    return out + flow(el, page)


def _definitions(el: etree._Element, page: Page) -> list[Block]:
    if callouts.kind(el) and [part.tag for part in el] == ["dt", "dd"]:
        return callouts.callout(el, page)
    notes = page.footnotes and "footnote" in classes(el)
    return footnotes.definitions(el, page) if notes else lists.definitions(el, page)


def _caption(el: etree._Element, page: Page) -> list[Block]:
    if inline.holds_blocks(el):
        return flow(el, page)
    text = render([(OPEN, "*"), *inline.tokens(el, page), (CLOSE, "*")])
    return [Block("p", text)] if text else []


_WHOLE = ("table", "pre")
"""Blocks with no place for an anchor inside."""
_BLOCKS: dict[object, Handler] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    "pre": code.pre,
    "ul": lists.items,
    "ol": lists.items,
    "menu": lists.items,
    "dl": _definitions,
    "table": tables.table,
    "blockquote": _quote,
    "hr": _rule,
    "details": _details,
    "figcaption": _caption,
    "iframe": media.embed,
    "video": media.embed,
    "audio": media.embed,
    "svg": media.diagram,
}
_FORMULAS: dict[str, Handler] = dict.fromkeys(math.DISPLAY, math.display)
_CLASSES: dict[str, Handler] = {
    **dict.fromkeys(code.BOXES, code.box),
    **dict.fromkeys(("summary-table", "details-table"), tables.grid),
    **dict.fromkeys(tabs.SETS, tabs.tab_set),
    **dict.fromkeys(footnotes.BOXES, footnotes.definitions),
}
