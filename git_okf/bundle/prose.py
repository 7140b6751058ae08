"""Untrusted text as one line of Markdown: it shows as it was written and does nothing.

No line break, no control or direction character, no HTML, no link, no emphasis comes out of a title.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

TITLE_LIMIT = 200
DESCRIPTION_LIMIT = 300

_ACTIVE = re.compile(r"[\\`*<>\[\]]|(?<![^\W_])_|_(?![^\W_])|&(?=[#A-Za-z0-9]+;)|#(?=#*\Z)")
_PAIRED = "~$"
"""Struck out, and mathematics: they act in pairs alone."""


def one_line(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters, whatever cannot be seen or turns lines around written out."""
    shown = "".join(_visible(ch) for ch in " ".join(text.split()))
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def inline(text: str, limit: int = TITLE_LIMIT) -> str:
    """The text as Markdown that renders as it, in a heading, a list entry or the text of a link.

    Brackets are written as entities: readers of OKF take the text of a link to end at the first `]`.
    """
    shown = _ACTIVE.sub(lambda m: _ENTITIES.get(m.group(), "\\" + m.group()), one_line(text, limit))
    for mark in _PAIRED:
        if shown.count(mark) > 1:
            shown = shown.replace(mark, "\\" + mark)
    return shown


_ENTITIES = {"[": "&#91;", "]": "&#93;"}


def code(text: str, limit: int = 500) -> str:
    """The text as a code span, whatever backquotes it holds."""
    shown = one_line(text, limit)
    fence = "`"
    while fence in shown:
        fence += "`"
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def href(path: str) -> str:
    """A bundle path as the target of a Markdown link: only what would end or change the target is encoded."""
    return re.sub(r"[^A-Za-z0-9._~/+=@,\x80-\U0010ffff-]", lambda m: quote(m.group(), safe=""), path)


def _visible(ch: str) -> str:
    if "\ud800" <= ch <= "\udfff":
        return "\ufffd"
    if ch.isascii():
        return ch if ch.isprintable() else f"\\x{ord(ch):02x}"
    if unicodedata.category(ch) in ("Cc", "Cf", "Co", "Zl", "Zp") and ch not in "\u200c\u200d\u00ad":
        return f"\\u{ord(ch):04x}"
    return ch
