"""The document's own text, made fit to be written: line ends are LF, and nothing unseen is in it."""

from __future__ import annotations

import re

from git_okf.source.markdown.invisible import without_invisible

_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_BLANK = re.compile("[\t\u200b]")
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|\]\(")
_BARE_DOLLAR = re.compile(r"(?<!\\)(?:\\\\)*\$")


def verbatim(value: object) -> str:
    """Text that is quoted as it stands (code); "" for what is no text."""
    if not isinstance(value, str):
        return ""
    return without_invisible(_LINE_END.sub("\n", value))[0]


def prose(value: object) -> str:
    """Text of a paragraph: a tab is a blank, a place where a line may break is nothing."""
    text = verbatim(value)
    return _BLANK.sub(lambda m: " " if m[0] == "\t" else "", text) if "\t" in text or "\u200b" in text else text


def line(value: object) -> str:
    """Text on one line, its white space folded."""
    return " ".join(prose(value).split())


def lines_of_tex(value: object) -> str:
    """TeX without blank lines, which no formula may have, and without blanks at the ends of lines."""
    return "\n".join(kept for kept in (text.rstrip() for text in verbatim(value).strip().split("\n")) if kept)


def is_active(tex: str) -> bool:
    """Whether HTML or a link would be read in TeX by who knows no formulas."""
    return _ACTIVE.search(tex) is not None


def has_dollar(tex: str) -> bool:
    """Whether TeX holds a dollar sign that would end it."""
    return _BARE_DOLLAR.search(tex) is not None
