"""Literal text -> Markdown that renders as that text. Escapes only where CommonMark 0.31 or GFM would read markup.

The rules look at the neighbours of each special character (delimiter runs, CommonMark "Emphasis and strong
emphasis"), so `snake_case`, `a < b` and `3 * 4` stay as they are, and `__init__`, `List<T>` and `3*4` do not become
markup.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPECIAL = re.compile(r"[\\`*_<&\[\]~!]")
is_special = _SPECIAL.search
"""Whether a text may need an escape; most do not."""
_TOKEN = re.compile(r"\\|`|\*+|_+|~+|<(?=[A-Za-z/!?])|&(?=#?\w+;)|[\[\]]|!(?=\[)|!\Z")
_STRETCH = re.compile(r"[^\]\n]+(?=(\]\])?)")
_DOUBLE = re.compile(r"\[(?=\[.)", re.S)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

_LINE_START = re.compile(
    r"(?P<mark>\#{1,6}(?=[ \t]|$)|[-+*](?=[ \t]|$)|>|~{3,}|([-_*])[ \t]*(?:\2[ \t]*)*$|\[[ xX]\](?=\s)|\[[^\]]+\]:)"
    r"|(?P<number>\d{1,9})(?=[.)](?:[ \t]|$))"
)
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_STARTS = frozenset("#-+*>~=|:_[0123456789")


@lru_cache(maxsize=4096)
def is_punctuation(char: str) -> bool:
    """Whether CommonMark counts a character as punctuation when it looks at delimiter runs."""
    return char in _PUNCTUATION or (char > "\x7f" and unicodedata.category(char)[0] in "PS")


def flanks(inside: str, outside: str) -> bool:
    """Whether a delimiter run between `outside` and `inside` may open (or, mirrored, close) emphasis."""
    if not inside or inside.isspace():
        return False
    return not is_punctuation(inside) or not outside or outside.isspace() or is_punctuation(outside)


def escape(text: str, before: str = "", after: str = "", *, bracketed: bool = False) -> str:
    """Escape text that stands between the characters `before` and `after` ("" at the end of a line).

    `bracketed`: the text is inside the brackets of a link or image, where every bracket counts.
    """
    if not is_special(text):
        return text

    wikis = _wikis(text) if "[[" in text else ()

    def replace(match: re.Match[str]) -> str:
        run = match[0]
        start, end = match.span()
        left = text[start - 1] if start else before
        right = text[end] if end < len(text) else after
        said = "".join("\\" + c for c in run) if _needed(run, left, right, end == len(text), bracketed) else run
        return f"{said}<!-- -->" if start in wikis else said

    return _TOKEN.sub(replace, text)


def _wikis(text: str) -> frozenset[int]:
    """Where double brackets open what is a link in a wiki, found in one pass.

    Who looks for them does so after escapes are undone; a comment between the two brackets stays.
    """
    return frozenset(
        stretch.start() + opening.start()
        for stretch in _STRETCH.finditer(text)
        if stretch[1]
        for opening in _DOUBLE.finditer(stretch[0])
    )


def _needed(run: str, left: str, right: str, last: bool, bracketed: bool) -> bool:
    kind = run[0]
    if kind == "\\":
        return last or right in _PUNCTUATION
    if kind in "`<&":
        return True
    if kind == "!":
        return right == "["
    if kind in "[]":
        return bracketed or (right == "(" if kind == "]" else right in ("^", "!"))
    if _blank(left) and _blank(right):
        return False
    if kind == "*":
        return True
    if kind == "_":
        return _blank(left) or _blank(right) or is_punctuation(left) or is_punctuation(right)
    return len(run) > 1 or flanks(left, right)


def _blank(char: str) -> bool:
    return not char or char.isspace()


def guard_line(line: str, *, first: bool) -> str:
    """Escape what would make a line of a paragraph the start of another block, or an underline of the line before."""
    if line[:1] not in _STARTS:
        return line
    if not first and _UNDERLINE.match(line):
        return "\\" + line
    match = _LINE_START.match(line)
    if not match:
        return line
    number = match["number"]
    return f"{number}\\{line[len(number) :]}" if number else "\\" + line


def code_span(text: str) -> str:
    """Inline code; white space in it folds as HTML folds it. "" for nothing."""
    text = " ".join((text.replace("\u200b", "") if "\u200b" in text else text).split())
    if "`" not in text:
        return f"`{text}`" if text else ""
    fence = "`" * (longest_run(text, "`") + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    if text.count("`") == len(text):
        pad = " "
    return f"{fence}{pad}{text}{pad}{fence}"


def longest_run(text: str, char: str) -> int:
    """Length of the longest run of a character."""
    if char not in text:
        return 0
    return max(len(run) for run in re.findall(f"{re.escape(char)}+", text))
