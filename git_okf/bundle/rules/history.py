"""What a commit does to files of ours, seen by comparing them with the files before it.

A sync that writes another text into a concept writes the time into `crawled_at` as well, and adds its entry to the log
without touching the others. Whatever does it otherwise was a hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import basename

from git_okf.bundle import concept as concepts
from git_okf.bundle import index, log
from git_okf.bundle.concept import Header, NotAConcept
from git_okf.bundle.rules.finding import ERROR, Finding

_BULLET = re.compile(r"[*+-] ")
_ENTRY = re.compile(r"\* \*\*(?:Initialization|Update|Rendering)\*\* at \d\d:\d\d:\d\dZ, [-+=0-9 ]+(?::.*)?\Z")


def synced_hashes(files: Mapping[str, bytes], base: Mapping[str, bytes], only: Collection[str]) -> dict[str, str]:
    """The hash before, by path, of the concepts whose `content_hash` changed though no sync wrote them."""
    found = {}
    for path in only:
        if not _is_concept(path) or path not in files or path not in base:
            continue
        new, old = files[path], base[path]
        before, after = _header(old), _header(new)
        if before and after and before.content_hash != after.content_hash and _crawled(old) == _crawled(new) != "":
            found[path] = before.content_hash
    return found


def relisted(files: Mapping[str, bytes], base: Mapping[str, bytes], only: Collection[str]) -> list[str]:
    """The listings that changed, and the concepts that are listed otherwise than before."""
    return [
        path
        for path in only
        if (_listing(files, path) != _listing(base, path) if _is_concept(path) else basename(path) == index.FILE_NAME)
    ]


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


def _is_concept(path: str) -> bool:
    return path.endswith(".md") and basename(path) not in (index.FILE_NAME, log.FILE_NAME)


def _listing(files: Mapping[str, bytes], path: str) -> tuple[str, str] | None:
    """What an index.md says of a concept; None where it is not listed."""
    header = _header(files[path]) if path in files else None
    return (header.title, header.description) if header and header.resource and header.content_hash else None


def _header(data: bytes) -> Header | None:
    try:
        return concepts.header(data)
    except NotAConcept:
        return None


def _crawled(data: bytes) -> str:
    match = concepts.own_form(data)
    if match:
        return concepts.scalar(match["crawled_at"])
    at = concepts.parse(data).front.get("crawled_at")
    return at if isinstance(at, str) else ""
