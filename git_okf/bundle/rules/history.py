"""What a commit does to files of ours, seen by comparing them with the files before it.

A sync that writes another text into a concept writes the time into `crawled_at` as well, and adds its entry to the log
without touching the others. Whatever does it otherwise was a hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename

from git_okf.bundle import index, log
from git_okf.bundle.concept import Header
from git_okf.bundle.rules.finding import ERROR, Finding
from git_okf.bundle.rules.listings import Bundle, header_of, is_listed

_BULLET = re.compile(r"[*+-] ")
_ENTRY = re.compile(r"\* \*\*(?:Initialization|Update|Rendering)\*\* at \d\d:\d\d:\d\dZ, [-+=0-9 ]+(?::.*)?\Z")


@dataclass(frozen=True, slots=True)
class Changes:
    """The concepts of a commit."""

    mended: tuple[str, ...]
    """Their `content_hash` changed though no sync wrote them: a hand changed text and hash."""
    relisted: tuple[str, ...]
    """Their place in an index.md is another now; for the others it is enough that it was right before."""


def changes(bundle: Bundle, base: Mapping[str, bytes], only: Collection[str]) -> Changes:
    """What was done to the concepts in `only`; `base` holds them as they were, where they were there."""
    mended, relisted = [], []
    for path in only:
        if not path.endswith(".md") or basename(path) == log.FILE_NAME:
            continue
        if basename(path) == index.FILE_NAME or path not in base or path not in bundle.files:
            relisted.append(path)
            continue
        old, new = header_of(base[path]), bundle.header(path)
        if old is None or new is None or _listing(old) != _listing(new):
            relisted.append(path)
        if old and new and old.content_hash != new.content_hash and old.crawled_at == new.crawled_at != "":
            mended.append(path)
    return Changes(tuple(mended), tuple(relisted))


def _listing(header: Header) -> tuple[str, str] | None:
    return (header.title, header.description) if is_listed(header) else None


def check_log_history(path: str, new: bytes, old: bytes) -> Iterator[Finding]:
    """The entries that were there, unchanged, below or among those of new runs.

    A revert takes the newest away, and what is over the log's length is left to git's history; all others stay.
    """
    before, after = _entries(old), _entries(new)
    wanted = [entry for _, entry in before]
    known = frozenset(wanted)
    fresh = [(number, entry) for number, entry in after if entry not in known]
    kept = [entry for _, entry in after if entry in known]
    for number, (_, text) in fresh:
        if not _ENTRY.match(text):
            yield Finding(path, number, "log-edited", ERROR, "this is no entry of a run", _LOG_HINT)
            return
    first = wanted.index(kept[0]) if kept else 0
    whole_top = first == 0 or not fresh
    whole_end = first + len(kept) == len(wanted) or len(after) >= log.ENTRIES_KEPT
    if kept != wanted[first : first + len(kept)] or not whole_top or not whole_end:
        number = fresh[0][0] if fresh else 1
        yield Finding(path, number, "log-edited", ERROR, "an entry of an earlier run was changed or removed", _LOG_HINT)


_LOG_HINT = "the log is written by the runs: put the old entries back"
Entry = tuple[str, str]
"""A day's heading and a bullet below it."""


def _entries(data: bytes) -> list[tuple[int, Entry]]:
    day, found = "", []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.startswith("## "):
            day = line.rstrip()
        elif _BULLET.match(line):
            found.append((number, (day, line.rstrip())))
    return found
