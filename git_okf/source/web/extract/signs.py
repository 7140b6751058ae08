"""Which theme made a page, told by the signs of `THEMES` that stand in its HTML.

There are some seventy of them, and to look for each by itself would take as long as to parse the page: those that
begin alike are looked for together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_okf.source.web.extract.themes import THEMES, Theme

_OPENERS = (
    b'content="',
    b'class="',
    b"<!-- ",
    b'<article class="',
    b'<div id="',
    b'id="',
    b"gitbook",
    b"mint",
    b"pkgdown.",
)
"""How several signs begin."""


def recognise(html: bytes) -> Theme | None:
    """The theme whose sign stands in a page (UTF-8)."""
    alike: set[bytes] = set()
    for opener, search in _ALIKE:
        alike.update(opener + ending for ending in search.findall(html))
    for theme, openings, others in _SIGNS:
        if not alike.isdisjoint(openings) or any(sign in html for sign in others):
            return theme
    return None


def _searches() -> Iterator[tuple[bytes, re.Pattern[bytes]]]:
    """For each opener what finds the endings after it. An ending is looked at, not taken: a sign may begin in it."""
    signs = [sign.encode() for theme in THEMES for sign in theme.signs]
    for opener in _OPENERS:
        endings = (re.escape(sign.removeprefix(opener)) for sign in signs if sign.startswith(opener))
        yield opener, re.compile(re.escape(opener) + b"(?=(" + b"|".join(endings) + b"))")


def _signs(theme: Theme) -> tuple[Theme, tuple[bytes, ...], tuple[bytes, ...]]:
    """A theme with its signs that begin like many, and with the others."""
    signs = [sign.encode() for sign in theme.signs]
    return (
        theme,
        tuple(sign for sign in signs if sign.startswith(_OPENERS)),
        tuple(sign for sign in signs if not sign.startswith(_OPENERS)),
    )


_ALIKE = tuple(_searches())
_SIGNS = tuple(map(_signs, THEMES))
