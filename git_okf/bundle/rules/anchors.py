"""What a link's `#fragment` can lead to in a concept: its headings, as GitHub names them, and ids in its HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$|^(?=\S)(.+)\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_ID = re.compile(r"<[A-Za-z][^<>]*?\s(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)")
_CODE = re.compile(r"(`+)(.+?)\1")
_TARGET = re.compile(r"\]\([^()]*(?:\([^()]*\)[^()]*)*\)|\]\[[^\]]*\]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_STRESS = re.compile(r"(?<![\w\\])_+|(?<!\\)_+(?!\w)")
_DROPPED = re.compile(r"[^\w\s-]")


def anchors(body: str, prose: str) -> frozenset[str]:
    """All of them in small letters. `prose` is the body with its code blanked out, character for character."""
    found = {match[1].lower() for match in _ID.finditer(prose)}
    seen: dict[str, int] = {}
    for heading in _headings(body, prose):
        slug = _slug(heading)
        count = seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{count}" if count else slug)
    return frozenset(found)


def _headings(body: str, prose: str) -> Iterator[str]:
    """The headings as they are written. A line in a code block was emptied, one with code in it keeps its length."""
    lines = prose.split("\n")
    for match in _HEADING.finditer(body):
        if lines[body.count("\n", 0, match.start())]:
            yield match[1] if match[1] is not None else match[2]


def _slug(heading: str) -> str:
    """Its text without Markdown, in small letters, blanks as hyphens, other marks left out."""
    parts, end = [], 0
    for code in _CODE.finditer(heading):
        parts += [_plain(heading[end : code.start()]), code[2].strip()]
        end = code.end()
    text = "".join([*parts, _plain(heading[end:])])
    return re.sub(r"\s", "-", _DROPPED.sub("", text.strip().lower()))


def _plain(text: str) -> str:
    return html.unescape(_STRESS.sub("", _TAG.sub("", _TARGET.sub("]", text)))).replace("\\", "")
