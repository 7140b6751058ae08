"""Inline content as tokens, and tokens as Markdown.

Tokens keep text, code, marks and links apart until the neighbours of each are known: only then can text be escaped no
more than needed, and a mark that CommonMark would not read where it stands be written as HTML.
"""

from __future__ import annotations

from git_okf.source.markdown.escape import code_span, escape, flanks, is_special

TEXT, CODE, RAW, OPEN, CLOSE, LINK, END, SPACE, BREAK = range(9)
_TAGS = {"*": "em", "**": "strong", "~~": "del"}
_BEGINS_WITH = {SPACE: " ", BREAK: "\\", CODE: "`", LINK: "[", END: "]"}
_ENDS_IN = {SPACE: " ", BREAK: " ", CODE: "`", LINK: "[", END: ")"}

Token = tuple[int, str]
"""What it is, and its value: text, code, Markdown, the mark, or a link's destination.

A tuple with names would take five times as long to make, and most of what a page says becomes one.
"""
Tokens = list[Token]
BLANK: Token = (SPACE, "")
LINE_END: Token = (BREAK, "")
LINK_BEGINS: Token = (LINK, "")


def emit(tokens: Tokens, break_mark: str) -> str:
    """The Markdown of tokens whose white space is tidy and whose marks nest; the starts of lines are not guarded."""
    html: frozenset[int] | None = None
    parts: list[str] = []
    linked = 0
    for i, (kind, value) in enumerate(tokens):
        if kind == TEXT:
            if is_special(value):
                value = escape(value, _near(tokens, i, -1), _near(tokens, i, 1), bracketed=bool(linked))
            parts.append(value)
        elif kind == CODE:
            parts.append(code_span(value))
        elif kind == SPACE:
            parts.append(" ")
        elif kind == BREAK:
            parts.append(break_mark)
        elif kind == OPEN:
            if html is None:
                html = _unsayable(tokens)
            parts.append(f"<{_TAGS[value]}>" if i in html else value)
        elif kind == CLOSE:
            parts.append(f"</{_TAGS[value]}>" if html and i in html else value)
        elif kind == LINK:
            linked += 1
            parts.append("[")
        elif kind == END:
            linked -= 1
            parts.append(f"]({value})")
        else:
            parts.append(value)
    return "".join(parts)


def _unsayable(tokens: Tokens) -> frozenset[int]:
    """Positions of marks that CommonMark would not read as marks where they stand; HTML has to say them."""
    stack: list[int] = []
    found: set[int] = set()
    for i, (kind, _) in enumerate(tokens):
        if kind == OPEN:
            stack.append(i)
        elif kind == CLOSE:
            start = stack.pop()
            opens = flanks(_first(tokens, start), _last(tokens, start))
            closes = flanks(_last(tokens, i), _first(tokens, i))
            touches = start > 0 and tokens[start - 1][0] == CLOSE
            if not (opens and closes) or touches:
                found.update((start, i))
    return frozenset(found)


def _last(tokens: Tokens, i: int) -> str:
    """The last character before token `i`, marks of the same direction skipped."""
    i -= 1
    while i >= 0 and tokens[i][0] in (OPEN, CLOSE):
        i -= 1
    if i < 0:
        return ""
    kind, value = tokens[i]
    return _ENDS_IN.get(kind) or value[-1:]


def _first(tokens: Tokens, i: int) -> str:
    """The first character after token `i`, marks of the same direction skipped."""
    i += 1
    while i < len(tokens) and tokens[i][0] in (OPEN, CLOSE):
        i += 1
    if i >= len(tokens):
        return ""
    kind, value = tokens[i]
    return _BEGINS_WITH.get(kind) or value[:1]


def _near(tokens: Tokens, i: int, step: int) -> str:
    """The character next to token `i`, a mark being one."""
    i += step
    if 0 <= i < len(tokens) and tokens[i][0] in (OPEN, CLOSE):
        return tokens[i][1][0]
    return _last(tokens, i + 1) if step < 0 else _first(tokens, i - 1)
