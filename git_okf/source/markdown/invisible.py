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


def without_invisible(text: str) -> tuple[str, int]:
    """A text without characters no reader sees, and how many runs of them it had."""
    return _INVISIBLE.subn("", text) if _SUSPECT.search(text) else (text, 0)
