"""The comment in the text of a review, or of an issue, by which it is known again.

    <!-- git-okf: {"fingerprint": "9f...", "head": "3a...", "run": "...", "settled": "", "source": "docs"} -->

A browser hides it. Whoever may edit the text may change it, so it is a hint and no proof: what does not parse, is out
of form, belongs to another source, or contradicts a second marker is as if it were not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

OBSOLETE = "obsolete"
"""`settled`: we closed the review ourselves, because the base has it all, or newer content took its place."""
_COMMENT = re.compile(r"<!-- git-okf: (\{[^<>\n]{2,2000}\}) -->")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "source": re.compile(r"[a-z0-9][a-z0-9._-]{0,63}"),
    "fingerprint": re.compile(r"[0-9a-f]{16,64}"),
    "head": re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})?"),
    "run": re.compile(r"[A-Za-z0-9._-]{0,64}"),
    "settled": re.compile(rf"(?:{OBSOLETE})?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    source: str
    fingerprint: str
    """Of the content the review offers."""
    head: str = ""
    """The commit on the branch that we last wrote."""
    run: str = ""
    settled: str = ""

    def __str__(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return f"<!-- git-okf: {text.replace('--', '-' + chr(92) + 'u002d')} -->"


def find(text: str | None, source: str) -> Marker | None:
    """The marker of a source in a text; None where there is none that can be believed."""
    found = {marker for marker in map(_parsed, _COMMENT.findall(text or "")) if marker and marker.source == source}
    return found.pop() if len(found) == 1 else None


def without(text: str) -> str:
    """The text with nothing in it that could be a marker."""
    return text.replace("<!-- git-okf:", "<!--")


def _parsed(text: str) -> Marker | None:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or set(data) != set(_FORMS):
        return None
    if not all(isinstance(data[name], str) and form.fullmatch(data[name]) for name, form in _FORMS.items()):
        return None
    return Marker(**data)
