"""Characters that no reader sees: a mirror must not carry what only a machine would read (SEC-10)."""

from __future__ import annotations

import re

_UNSEEN_CHARACTERS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
)
_SUSPECT = re.compile(f"[{_UNSEEN_CHARACTERS}\u200b-\u200d]")
_INVISIBLE = re.compile(f"[{_UNSEEN_CHARACTERS}]+|\u200b{{2,}}|(?<![^\x00-\u024f])[\u200c\u200d]+")
"""Characters that no reader sees. Joiners stay between letters of scripts (and emoji) that need them; a single
U+200B, a place where a line may break, stays in code, which is quoted verbatim, and is left out of prose before."""


_PLAIN = bytes((0x09, 0x0A, 0x0D, *range(0x20, 0x7F)))
_PLAIN_UTF8 = _PLAIN + bytes(c for c in range(0x80, 0x100) if c not in b"\xcd\xd8\xe1\xe3\xef\xf3")
"""Bytes of UTF-8 that begin none of those characters, or one that _BEGUN tells."""
_BEGUN = re.compile(rb"\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]")


def without_invisible(text: str) -> tuple[str, int]:
    """A text without characters no reader sees, and how many runs of them it had."""
    return _INVISIBLE.subn("", text) if _may_have(text) and _SUSPECT.search(text) else (text, 0)


def _may_have(text: str) -> bool:
    """Whether the expression has to look; it takes ten times as long as to look at the bytes of most texts."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        return bool(data.translate(None, _PLAIN))
    return bool(data.translate(None, _PLAIN_UTF8)) or _BEGUN.search(data) is not None
