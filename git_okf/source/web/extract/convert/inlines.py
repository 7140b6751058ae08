"""Inline content: a subtree -> a stream of tokens -> one line of Markdown.

White space is folded as HTML folds it and moved out of marks, equal marks are joined, and empty ones dropped.
"""

from __future__ import annotations

import re

from git_okf.source.markdown.escape import escape, guard_line
from git_okf.source.markdown.tokens import (
    BLANK,
    BREAK,
    CLOSE,
    CODE,
    END,
    LINE_END,
    LINK,
    LINK_BEGINS,
    OPEN,
    RAW,
    SPACE,
    TEXT,
    Token,
    Tokens,
    emit,
)

__all__ = [
    "BLANK",
    "BREAK",
    "CLOSE",
    "CODE",
    "END",
    "LINE_END",
    "LINK",
    "LINK_BEGINS",
    "OPEN",
    "RAW",
    "SPACE",
    "TEXT",
    "Token",
    "Tokens",
    "one_text",
    "render",
]

_OPENERS = (OPEN, LINK)
_TRAILING_MARKS = re.compile(r"(?<!\S)(#+)$")


def render(tokens: Tokens, *, cell: bool = False, heading: bool = False) -> str:
    """The Markdown of a run of tokens; "" for nothing visible. Breaks become `<br>` in a cell, a blank in a heading."""
    if len(tokens) == 1 and tokens[0][0] == TEXT and not heading:
        return one_text(tokens[0][1], cell=cell)
    text = emit(_tidy(tokens, flat=heading), "<br>" if cell else "\\\n")
    if cell:
        return text.replace("|", "\\|")
    if heading:
        return _TRAILING_MARKS.sub(r"\\\1", text) if "#" in text else text
    if "\n" not in text:
        return guard_line(text, first=True)
    return "\n".join([guard_line(line, first=i == 0) for i, line in enumerate(text.split("\n"))])


def one_text(text: str, *, cell: bool = False) -> str:
    """What `render` makes of text alone."""
    said = escape(_folded(text))
    return said.replace("|", "\\|") if cell else guard_line(said, first=True)


def _folded(text: str) -> str:
    """Text with its white space as HTML folds it, no-break spaces included."""
    return " ".join((text.replace("\u200b", "") if "\u200b" in text else text).split())


def _tidy(tokens: Tokens, *, flat: bool) -> Tokens:
    """Fold white space, move it out of marks, join equal marks, drop empty ones."""
    out: Tokens = []
    depth: dict[str, int] = {}
    linked = False
    for token in tokens:
        kind, value = token
        if kind == TEXT:
            _text(out, value)
        elif kind == CODE:
            _code(out, token)
        elif kind == LINK:
            linked = True
            out.append(token)
        elif kind == END:
            linked = False
            _close(out, token, LINK)
        elif kind == OPEN:
            depth[value] = depth.get(value, 0) + 1
            if depth[value] == 1:
                _open(out, token)
        elif kind == CLOSE:
            depth[value] -= 1
            if depth[value] == 0:
                _close(out, token, OPEN)
        elif kind == RAW:
            out.append(token)
        else:
            _blank(out, LINE_END if kind == BREAK and not flat and not linked else BLANK)
    while out and out[-1][0] >= SPACE:
        out.pop()
    return out


def _text(out: Tokens, value: str) -> None:
    """Add text with its white space folded; what stands around it becomes tokens of its own."""
    core = _folded(value)
    if not core:
        if value and value != "\u200b":
            _blank(out, BLANK)
        return
    if value[0].isspace():
        _blank(out, BLANK)
    last = out[-1][0] if out else RAW
    if last == TEXT:
        out[-1] = (TEXT, out[-1][1] + core)
    elif last == SPACE and len(out) > 1 and out[-2][0] == TEXT:
        out.pop()
        out[-1] = (TEXT, f"{out[-1][1]} {core}")
    else:
        out.append((TEXT, core))
    if value[-1].isspace():
        out.append(BLANK)


def _blank(out: Tokens, token: Token) -> None:
    at = len(out)
    while at and out[at - 1][0] in _OPENERS:
        at -= 1
    if not at:
        return
    before = out[at - 1][0]
    if before < SPACE:
        out.insert(at, token)
    elif before == SPACE and token[0] == BREAK:
        out[at - 1] = token


def _open(out: Tokens, token: Token) -> None:
    if out and out[-1] == (CLOSE, token[1]):
        out.pop()
    else:
        out.append(token)


def _close(out: Tokens, token: Token, opener: int) -> None:
    trailing: Tokens = []
    while out and out[-1][0] >= SPACE:
        trailing.append(out.pop())
    if out and out[-1][0] == opener and (opener == LINK or out[-1][1] == token[1]):
        out.pop()
    else:
        out.append(token)
    for blank in reversed(trailing):
        _blank(out, blank)


def _code(out: Tokens, token: Token) -> None:
    if out and out[-1][0] == CODE:
        out[-1] = (CODE, out[-1][1] + token[1])
    else:
        out.append(token)
