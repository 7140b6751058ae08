"""What a folder of the drive holds, as its listing says it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

DOCX, FILE, FOLDER, SHORTCUT = "docx", "file", "folder", "shortcut"
_MORE_THAN_A_PART = re.compile(r"[%/?#:\\\x00-\x1f\x7f]")
LATEST = 253402300799
"""The end of the year 9999: a larger number is no time in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing in a folder. Names are for people: they are not unique, and may hold anything.

    Times are seconds since 1970; None where the listing has none. A shortcut stands as what it leads to, without the
    times: the listing has only its own.
    """

    token: str
    name: str
    type: str
    url: str = ""
    created: int | None = None
    modified: int | None = None
    by_shortcut: bool = False

    @property
    def title(self) -> str:
        """The name on one line."""
        return " ".join(self.name.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One folder, sorted by name and token."""

    entries: tuple[Entry, ...]
    listed_at: int
    """When its first page was answered, by the server's clock where it tells."""
    broken: str = ""
    """Why there may be more than these; "" where the end was reached."""

    def of_type(self, *types: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.type in types)


def name_of(title: str) -> str:
    """A title as one part of a path's name: what would be read as more than a part is percent-encoded."""
    return _MORE_THAN_A_PART.sub(lambda found: quote(found[0], safe=""), title)


def entry_of(raw: object) -> Entry | None:
    """A file of a listing; None for what has no token, and for a shortcut that leads nowhere."""
    if not isinstance(raw, Mapping):
        return None
    token, kind, by_shortcut = raw.get("token"), raw.get("type"), False
    created, modified = _seconds(raw.get("created_time")), _seconds(raw.get("modified_time"))
    if kind == SHORTCUT:
        to = raw.get("shortcut_info")
        to = to if isinstance(to, Mapping) else {}
        token, kind, by_shortcut = to.get("target_token"), to.get("target_type"), True
        created = modified = None
    if not isinstance(token, str) or not token or not isinstance(kind, str):
        return None
    name, url = raw.get("name"), raw.get("url")
    return Entry(
        token=token,
        name=name if isinstance(name, str) else "",
        type=kind,
        url=url if isinstance(url, str) else "",
        created=created,
        modified=modified,
        by_shortcut=by_shortcut,
    )


def gathered(pages: Iterable[Iterable[Any]]) -> tuple[Entry, ...]:
    """The entries of all pages, each token once (the thing itself before a shortcut to it), sorted by name and token.

    The order of the pages means nothing: the service sorts by the time of the last edit, which may change meanwhile.
    """
    found: dict[str, Entry] = {}
    for page in pages:
        for raw in page:
            entry = entry_of(raw)
            if entry is None:
                continue
            before = found.get(entry.token)
            if before is None or (before.by_shortcut, before.name) > (entry.by_shortcut, entry.name):
                found[entry.token] = entry
    return tuple(sorted(found.values(), key=lambda each: (each.name, each.token)))


def _seconds(value: object) -> int | None:
    """The API writes times as strings of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value)
    if not text.isascii() or not text.isdigit() or len(text) > len(str(LATEST)):
        return None
    seconds = int(text)
    return seconds if 0 < seconds <= LATEST else None
