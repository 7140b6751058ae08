"""log.md: the runs that changed something, newest first, in groups by day (UTC).

One bullet a run: a bold word, the time, the counts, and up to 20 paths as code. Titles do not stand here. What is older
than the newest 1,000 entries is left to git's own history, so the file cannot grow without end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from git_okf.bundle.prose import code

FILE_NAME = "log.md"
PATHS_SHOWN = 20
ENTRIES_KEPT = 1000

_HEADING = "# Log"
_DAY = re.compile(r"^## (\d{4}-\d\d-\d\d)[ \t]*$", re.MULTILINE)


def prepend(
    existing: bytes | None,
    *,
    when: datetime,
    added: Sequence[str] = (),
    removed: Sequence[str] = (),
    updated: Sequence[str] = (),
    moved: Sequence[tuple[str, str]] = (),
    rerendered: Sequence[str] = (),
) -> bytes:
    """The log with one more entry, in its place by day. `moved` pairs are in `added` and `removed` too.

    What stands in an existing log is kept as it is, whoever wrote it.
    """
    moment = when.astimezone(UTC)
    bullet = _bullet(existing is None, moment, added, removed, updated, moved, rerendered)
    text = existing.decode("utf-8", "surrogateescape") if existing else _HEADING + "\n"
    return _trimmed(_inserted(text, moment.strftime("%Y-%m-%d"), bullet)).encode("utf-8", "surrogateescape")


def _bullet(
    first: bool,
    moment: datetime,
    added: Sequence[str],
    removed: Sequence[str],
    updated: Sequence[str],
    moved: Sequence[tuple[str, str]],
    rerendered: Sequence[str],
) -> str:
    if rerendered and not (added or removed or updated):
        word, counts = "Rendering", f"={len(rerendered)}"
    else:
        word, counts = "Initialization" if first else "Update", f"+{len(added)} -{len(removed)} ={len(updated)}"
    new, old = {new for _, new in moved}, {old for old, _ in moved}
    told = [
        ("moved", [f"{code(a)} to {code(b)}" for a, b in moved]),
        ("removed", [code(path) for path in removed if path not in old]),
        ("updated", [code(path) for path in updated]),
        ("added", [code(path) for path in added if path not in new]),
        ("rendered", [code(path) for path in rerendered]),
    ]
    return f"* **{word}** at {moment.strftime('%H:%M:%SZ')}, {counts}{_details(told)}"


def _details(told: Sequence[tuple[str, Sequence[str]]]) -> str:
    """`: removed A, B; added C; and 7 more`, at most PATHS_SHOWN of them."""
    room, parts = PATHS_SHOWN, []
    for verb, items in told:
        if items and room:
            parts.append(f"{verb} {', '.join(items[:room])}")
            room -= len(items[:room])
    left = sum(len(items) for _, items in told) - (PATHS_SHOWN - room)
    return f": {'; '.join([*parts, *([f'and {left} more'] if left else [])])}" if parts else ""


def _inserted(text: str, day: str, bullet: str) -> str:
    """The bullet at the top of its day's group; days stay newest first, even where a clock went backwards."""
    text = text if text.endswith("\n") else text + "\n"
    for group in _DAY.finditer(text):
        if group[1] == day:
            rest = text[group.end() :].lstrip("\n")
            return f"{text[: group.end()]}\n\n{bullet}\n{rest}"
        if group[1] < day:
            return f"{text[: group.start()]}## {day}\n\n{bullet}\n\n{text[group.start() :]}"
    return f"{text.rstrip()}\n\n## {day}\n\n{bullet}\n".lstrip("\n")


def _trimmed(text: str) -> str:
    starts = [m.start() for m in re.finditer(r"^\* ", text, re.MULTILINE)]
    if len(starts) <= ENTRIES_KEPT:
        return text
    kept = text[: starts[ENTRIES_KEPT]].rstrip("\n")
    last = kept.rpartition("\n")[2]
    if _DAY.fullmatch(last):
        kept = kept[: -len(last)].rstrip("\n")
    return kept + "\n"
