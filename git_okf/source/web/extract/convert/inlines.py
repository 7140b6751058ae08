"""Inline content: a subtree -> a stream of tokens -> one line of Markdown.

White space is folded as HTML folds it and moved out of marks, equal marks are joined, and empty ones dropped.
"""

from __future__ import annotations

import re

from git_okf.source.markdown.escape import escape, guard_line
from git_okf.source.markdown.tokens import (
    BREAK,
    CLOSE,
    CODE,
    END,
    LINK,
    OPEN,
    RAW,
    SPACE,
    TEXT,
    Token,
    Tokens,
    emit,
)

__all__ = [
    "BREAK",
    "CLOSE",
    "CODE",
    "END",
    "LINK",
    "OPEN",
    "RAW",
    "SPACE",
    "TEXT",
    "Token",
    "Tokens",
    "one_text",
    "render",
]

_SPACE, _BREAK = Token(SPACE), Token(BREAK)


def render(tokens: Tokens, *, cell: bool = False, heading: bool = False) -> str:
    """The Markdown of a run of tokens; "" for nothing visible. Breaks become `<br>` in a cell, a blank in a heading."""
    if len(tokens) == 1 and tokens[0].kind == TEXT and not heading:
        return one_text(tokens[0].value, cell=cell)
    tidy = _tidy(tokens, flat=heading)
    text = emit(tidy, "<br>" if cell else "\\\n")
    if cell:
        return text.replace("|", "\\|")
    if heading:
        return re.sub(r"(?<!\S)(#+)$", r"\\\1", text)
    if "\n" not in text:
        return guard_line(text, first=True)
    return "\n".join(guard_line(line, first=i == 0) for i, line in enumerate(text.split("\n")))


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
        elif kind == OPEN:
            depth[value] = depth.get(value, 0) + 1
            if depth[value] == 1:
                _open(out, token)
        elif kind == CLOSE:
            depth[value] -= 1
            if depth[value] == 0:
                _close(out, token, OPEN)
        elif kind == LINK:
            linked = True
            out.append(token)
        elif kind == END:
            linked = False
            _close(out, token, LINK)
        elif kind in (SPACE, BREAK):
            _blank(out, _BREAK if kind == BREAK and not flat and not linked else _SPACE)
        else:
            _content(out, token)
    while out and out[-1].kind >= SPACE:
        out.pop()
    return out


def _text(out: Tokens, value: str) -> None:
    """Add text with its white space folded; what stands around it becomes tokens of its own."""
    core = _folded(value)
    if not core:
        if value and value != "\u200b":
            _blank(out, _SPACE)
        return
    if value[0].isspace():
        _blank(out, _SPACE)
    last = out[-1].kind if out else RAW
    if last == TEXT:
        out[-1] = Token(TEXT, out[-1].value + core)
    elif last == SPACE and len(out) > 1 and out[-2].kind == TEXT:
        out.pop()
        out[-1] = Token(TEXT, f"{out[-1].value} {core}")
    else:
        out.append(Token(TEXT, core))
    if value[-1].isspace():
        out.append(_SPACE)


def _blank(out: Tokens, token: Token) -> None:
    at = len(out)
    while at and out[at - 1].kind in (OPEN, LINK):
        at -= 1
    if not at:
        return
    before = out[at - 1]
    if before.kind == BREAK and token.kind == BREAK:
        return
    if before.kind == SPACE and token.kind == BREAK:
        out[at - 1] = token
    elif before.kind not in (SPACE, BREAK):
        out.insert(at, token)


def _open(out: Tokens, token: Token) -> None:
    if out and out[-1].kind == CLOSE and out[-1].value == token.value:
        out.pop()
    else:
        out.append(token)


def _close(out: Tokens, token: Token, opener: int) -> None:
    trailing: Tokens = []
    while out and out[-1].kind in (SPACE, BREAK):
        trailing.append(out.pop())
    if out and out[-1].kind == opener and (opener == LINK or out[-1].value == token.value):
        out.pop()
    else:
        out.append(token)
    for blank in reversed(trailing):
        _blank(out, blank)


def _content(out: Tokens, token: Token) -> None:
    if token.kind == CODE and out and out[-1].kind == CODE:
        out[-1] = Token(CODE, out[-1].value + token.value)
    else:
        out.append(token)
