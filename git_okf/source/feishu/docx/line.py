"""Spans -> one line as events: white space moved out of marks, equal neighbours joined, marks nested in one order.

Both writers read the events: a mark or a link is opened and closed around stretches of text, code and formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from git_okf.source.feishu.docx.content import BREAK, CODE, MARKS, MATH, TEXT, Span

OPEN, CLOSE, LINK, END = range(4, 8)
"""Events beside those that are kinds of spans; `value` is the mark, or the destination of the link."""
_BLANK = -1

Opened = tuple[tuple[int, str], ...]
"""What is open around a piece, the outermost first."""


class Event(NamedTuple):
    kind: int
    value: str = ""


class _Piece(NamedTuple):
    kind: int
    text: str
    around: Opened


def events(spans: Iterable[Span], *, flat: bool = False) -> list[Event]:
    """The events of one paragraph; none for one that says nothing. `flat`: a break is a blank."""
    out: list[Event] = []
    opened: Opened = ()
    for kind, text, around in _settled(_trimmed(_pieces(spans, flat=flat))):
        shared = _shared(opened, around)
        out.extend(_closed(opened[len(shared) :]))
        out.extend(Event(*mark) for mark in around[len(shared) :])
        opened = around
        last = out[-1].kind if out else OPEN
        if last == kind and kind in (TEXT, CODE):
            out[-1] = Event(kind, out[-1].value + text)
        else:
            out.append(Event(kind, text))
    out.extend(_closed(opened))
    return out


def _closed(marks: Opened) -> Iterator[Event]:
    return (Event(END if kind == LINK else CLOSE, value) for kind, value in reversed(marks))


def _shared(one: Opened, other: Opened) -> Opened:
    """What two pieces have open in common."""
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return one[:length]


def _pieces(spans: Iterable[Span], *, flat: bool) -> Iterator[_Piece]:
    """Spans with the white space at their ends apart."""
    for span in spans:
        if span.kind == BREAK:
            yield _Piece(_BLANK, " ", ()) if flat else _Piece(BREAK, "", ())
            continue
        around = _around(span)
        if span.kind != TEXT:
            yield _Piece(span.kind, span.text, around)
            continue
        core = span.text.strip()
        begin = span.text.find(core) if core else len(span.text)
        before, after = span.text[:begin], span.text[begin + len(core) :]
        if before:
            yield _Piece(_BLANK, before, ())
        if core:
            yield _Piece(TEXT, core, around)
        if after:
            yield _Piece(_BLANK, after, ())


def _around(span: Span) -> Opened:
    marks = tuple((OPEN, mark) for mark in MARKS if mark in span.marks)
    return ((LINK, span.link), *marks) if span.link else marks


def _trimmed(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Without blanks where a line begins or ends, and without breaks around the whole.

    Wide and no-break spaces at the beginning stay: they are how Chinese paragraphs are indented.
    """
    out: list[_Piece] = []
    for piece in pieces:
        begins = not out or out[-1].kind == BREAK
        if piece.kind == _BLANK:
            kept = piece.text.lstrip(" ") if begins else piece.text
            if kept:
                out.append(piece._replace(text=kept))
        elif piece.kind == BREAK:
            while out and out[-1].kind == _BLANK:
                out.pop()
            if out:
                out.append(piece)
        else:
            out.append(piece)
    while out and out[-1].kind in (_BLANK, BREAK):
        out.pop()
    return out


def _settled(pieces: list[_Piece]) -> Iterator[_Piece]:
    """Blanks and breaks stand inside of what is open on both of their sides, as text where they are blanks."""
    following: list[Opened] = []
    nearest: Opened = ()
    for piece in reversed(pieces):
        nearest = piece.around if piece.kind in (TEXT, CODE, MATH) else nearest
        following.append(nearest)
    before: Opened = ()
    for piece, after in zip(pieces, reversed(following), strict=True):
        if piece.kind in (TEXT, CODE, MATH):
            before = piece.around
            yield piece
        else:
            yield _Piece(TEXT if piece.kind == _BLANK else BREAK, piece.text, _shared(before, after))
