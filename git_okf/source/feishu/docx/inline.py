"""A line as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from git_okf.source.feishu.docx import line, text
from git_okf.source.feishu.docx.content import BOLD, BREAK, CODE, ITALIC, MATH, STRUCK, TEXT, UNDERLINED, Span
from git_okf.source.feishu.docx.line import CLOSE, END, LINK, OPEN, Event
from git_okf.source.markdown import tokens as md
from git_okf.source.markdown.escape import escape, guard_line, longest_run
from git_okf.source.markdown.tokens import Token

_PLAIN = {TEXT: md.TEXT, BREAK: md.BREAK, OPEN: md.OPEN, CLOSE: md.CLOSE, LINK: md.LINK, END: md.END}
_TAGS = {BOLD: "strong", ITALIC: "em", STRUCK: "del", UNDERLINED: "u"}
_EDGE = (Event(BREAK),)
_BARE = re.compile(r"https?://[!-~]+\Z")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_LAST_MARKS = re.compile(r"(?<!\S)(#+)\Z")


def paragraph(spans: Iterable[Span]) -> str:
    """Lines of a paragraph, none of which begins another block; "" for one that says nothing."""
    events = line.events(spans)
    begins = [after.kind for before, after in pairwise((Event(BREAK), *events)) if before.kind == BREAK]
    written = _written(events, "\\\n").split("\n")
    # A link at the beginning of a line is one, whatever its text looks like.
    guarded = (
        part if kind == LINK else guard_line(part, first=i == 0)
        for i, (part, kind) in enumerate(zip(written, begins or [TEXT], strict=True))
    )
    return "\n".join(guarded)


def heading(spans: Iterable[Span]) -> str:
    """The text of a heading."""
    return _LAST_MARKS.sub(r"\\\1", _written(line.events(spans, flat=True), " "))


def cell(paragraphs: Iterable[Iterable[Span]]) -> str:
    """The text of a cell of a table, paragraphs set apart by breaks."""
    parts = (_written(line.events(spans), "<br>") for spans in paragraphs)
    return "<br>".join(part for part in parts if part).replace("|", "\\|")


def fits_cell(spans: Iterable[Span]) -> bool:
    """Whether readers agree on where a cell with these spans ends.

    They do not where a backslash that nothing can escape stands before a bar.
    """
    return not any(span.kind in (CODE, MATH) and "\\|" in span.text for span in spans)


def _written(events: Sequence[Event], break_mark: str) -> str:
    return md.emit(_bare_links(_tokens(events)), break_mark) if events else ""


def _tokens(events: Sequence[Event]) -> md.Tokens:
    dollars = sum(event.value.count("$") if event.kind == TEXT else 2 * (event.kind == MATH) for event in events)
    tags = _tags(events)
    out: md.Tokens = []
    linked = False
    for i, (kind, value) in enumerate(events):
        linked = kind == LINK or (linked and kind != END)
        if i in tags:
            out.append((md.RAW, tags[i]))
        elif kind == TEXT and dollars > 1 and "$" in value:
            _without_formulas(value, out)
        elif kind == CODE:
            out.append((md.RAW, _code_in_link(value) if linked else code_span(value)))
        elif kind == MATH:
            out.append((md.RAW, formula(value)))
        else:
            out.append((_PLAIN[kind], value))
    return out


def _tags(events: Sequence[Event]) -> dict[int, str]:
    """Marks that are written as HTML, since Markdown has none, or would not read them where they stand."""
    found: dict[int, str] = {}
    opened: list[int] = []
    for i, (kind, value) in enumerate(events):
        if kind == OPEN:
            opened.append(i)
        elif kind == CLOSE:
            start = opened.pop()
            around = [events[at].value for at in opened]
            before, after = events[start - 1 : start] or _EDGE, events[i + 1 : i + 2] or _EDGE
            inside = events[start + 1], events[i - 1]
            if value == UNDERLINED or _is_lost(value, around, before[0], after[0], inside):
                tag = _TAGS[value]
                found |= {start: f"<{tag}>", i: f"</{tag}>"}
    return found


def _is_lost(mark: str, around: Sequence[str], before: Event, after: Event, inside: tuple[Event, Event]) -> bool:
    """Whether the shared rules for marks beside each other are not enough."""
    if mark == STRUCK:
        # Beside a mark of another kind it is punctuation to that; beside a tilde it is a longer run.
        tilde = inside[0].value.startswith("~") or inside[1].value.endswith("~")
        return before.kind == OPEN or after.kind == CLOSE or tilde
    # Inside of strong emphasis, emphasis that could also end something would end that.
    apart = before.kind in (OPEN, BREAK) or before.value.endswith(" ")
    return mark == ITALIC and BOLD in around and not apart


def _without_formulas(value: str, out: md.Tokens) -> None:
    """Text with dollar signs that would be taken for the ends of formulas."""
    for i, piece in enumerate(value.split("$")):
        if i:
            out.append((md.RAW, "\\$"))
        if piece:
            out.append((md.TEXT, piece))


def _bare_links(tokens: md.Tokens) -> md.Tokens:
    """Links whose text is their URL are written once."""
    out: md.Tokens = []
    for kind, value in tokens:
        if kind == md.END and len(out) > 1 and out[-2][0] == md.LINK and _is_bare(out[-1], value):
            out[-2:] = [(md.RAW, f"<{value}>")]
        else:
            out.append((kind, value))
    return out


def _is_bare(shown: Token, url: str) -> bool:
    # Readers show the percent signs of such a link decoded.
    return shown == (md.TEXT, url) and "%" not in url and _BARE.match(url) is not None


def code_span(value: str) -> str:
    """Inline code, every blank in it kept."""
    mark = "`" * (longest_run(value, "`") + 1)
    ends = value[0], value[-1]
    pad = " " if "`" in ends or ends == (" ", " ") else ""
    return f"{mark}{pad}{value}{pad}{mark}"


def _code_in_link(value: str) -> str:
    """Brackets in code count for what begins a line with a link, so they are not written in it as they stand."""
    return (
        f"<code>{escape(value, '>', '<', bracketed=True)}</code>" if "]" in value or "[" in value else code_span(value)
    )


def formula(tex: str) -> str:
    """A formula in a line: between dollars, and as code between dollars where Markdown would read something in it."""
    if "\n" in tex:
        tex = " ".join(_COMMENT.sub(r"\1", part) for part in tex.split("\n"))
    if text.has_dollar(tex) or text.is_active(tex) or "`" in tex or tex.endswith("\\"):
        return f"${code_span(tex)}$"
    return f"${tex}$"
