"""Title and text of a review, and of the issue about a guard. Pure; always below the host's limit, and harmless.

Everything that came from a source goes through `text`. What is too long for the host is told more briefly: in full (a
table of the concepts with links and titles, excerpts), compact (the paths), in counts (by directory).
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from git_okf.model import Change, Delta, RunResult
from git_okf.review.marker import Marker
from git_okf.review.text import code, fenced, one_line, plain

EXCERPTS = 5
EXCERPT_LINES = 30
EXCERPT_READ = 400
"""Lines of a text that are looked at for its excerpt: comparing costs time by their square."""
LISTED = 20
"""Retained items and notes that are listed; the rest is counted."""
DIRECTORIES = 40
HOW = (
    "Merging approves this content. Closing rejects it: it is not proposed again until the source says something else. "
    "Commits that you add to this branch are kept."
)
HOW_BY_BRANCH = (
    "Merging approves this content. Deleting the branch rejects it: it is not proposed again until the source says "
    "something else. Commits that you add to this branch are kept."
)
EDITED = (
    "People committed to this branch. git-okf leaves it alone: what the source says now does not apply on top of it."
)
SETTLED = "What was synced here is in the base or was rejected; this stays open for what people committed."

Link = Callable[[str], str]
"""Path in the repository -> where people see it; "" where there is no such place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A changed concept's text, before ("" for a new one) and after."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Everything a text is made of."""

    result: RunResult
    marker: Marker
    origin: str = ""
    """The source's locator."""
    link: Link = lambda path: ""
    notes: Sequence[str] = ()
    """Sentences of ours: that people's commits are in the way, hints about the token."""
    excerpts: Sequence[Excerpt] = ()


def title(result: RunResult) -> str:
    """The subject of the commit: counters and the source's name, nothing else."""
    return one_line(result.subject, 200)


def biggest(delta: Delta) -> tuple[Change, ...]:
    """The changes most worth an excerpt, by how much longer or shorter they make a text."""
    changes = [*delta.added, *delta.updated]
    return tuple(sorted(changes, key=lambda c: (-abs(c.new.size - (c.old.size if c.old else 0)), c.path))[:EXCERPTS])


def body(telling: Telling, limit: int) -> str:
    """The text, of less than `limit` UTF-8 bytes, which no host counts as more characters than that."""
    for text in _ever_shorter(telling):
        if len(text.encode()) < limit:
            return text
    return str(telling.marker)


def _ever_shorter(telling: Telling) -> Iterator[str]:
    """Full with fewer and fewer excerpts, compact, counts, the marker and a line."""
    head, tail = _head(telling), _tail(telling)
    table = _table(telling)
    for count in dict.fromkeys((len(telling.excerpts), 3, 1, 0)):
        shown = [line for excerpt in telling.excerpts[: min(count, EXCERPTS)] for line in _excerpt(excerpt)]
        yield "\n".join((*head, *table, *tail, *(["### Excerpts", "", *shown] if shown else []), *_foot(telling)))
    yield "\n".join((*head, *_paths(telling.result.delta), *tail, *_foot(telling)))
    yield "\n".join((*head, *_directories(telling.result.delta), *tail, *_foot(telling)))
    yield "\n".join((*head, *_foot(telling)))
    yield "\n".join(head[:3])


def brief(telling: Telling) -> str:
    """A few lines, for where there is no room for more: what the branch brings, and what to do with it."""
    return "\n".join((*_head(telling), HOW_BY_BRANCH))


def says(text: str, notes: Sequence[str]) -> bool:
    """Whether a text has any of these notes."""
    return any(plain(note, 600) in text for note in notes)


def _head(telling: Telling) -> list[str]:
    result = telling.result
    notes = [line for note in telling.notes for line in (f"> {plain(note, 600)}", "")]
    source = f" from {code(telling.origin)}" if telling.origin else ""
    return [str(telling.marker), "", f"**{plain(result.name)}**{source}: {_counts(result.delta)}.", "", *notes]


def _counts(delta: Delta) -> str:
    numbers = (
        (len(delta.added), "added"),
        (len(delta.updated), "updated"),
        (len(delta.removed), "removed"),
        (len(delta.rerendered), "re-rendered"),
        (len(delta.moved), "moved (counted as added and removed)"),
    )
    return ", ".join([*(f"{n} {what}" for n, what in numbers if n), f"{delta.unchanged} unchanged"])


def _rows(delta: Delta) -> Iterator[tuple[str, str, str]]:
    """What happened, the path, the title: sorted by path within each."""
    old_of = {new: old for old, new in delta.moved}
    gone = set(old_of.values())
    yield from (("added", c.path, c.new.title) for c in delta.added if c.path not in old_of)
    yield from (("updated", c.path, c.new.title) for c in delta.updated)
    yield from ((f"moved from {old_of[c.path]}", c.path, c.new.title) for c in delta.added if c.path in old_of)
    yield from (("removed", r.path, r.title) for r in delta.removed if r.path not in gone)
    yield from (("re-rendered", c.path, c.new.title) for c in delta.rerendered)


def _table(telling: Telling) -> list[str]:
    rows = [
        f"| {plain(what, 300)} | {_linked(telling, what, path)} | {plain(name)} |"
        for what, path, name in _rows(telling.result.delta)
    ]
    return ["| | concept | title |", "|---|---|---|", *rows, ""] if rows else []


def _linked(telling: Telling, what: str, path: str) -> str:
    bundle = telling.result.bundle
    url = "" if what == "removed" else telling.link(f"{bundle}/{path}" if bundle else path)
    return f"[{plain(path, 300)}]({quote(url, safe=':/?=&%~.-_#')})" if url else plain(path, 300)


def _paths(delta: Delta) -> list[str]:
    signs = {"added": "+", "updated": "=", "removed": "-", "re-rendered": "~"}
    lines = [f"{signs.get(what, '>')} {path}" for what, path, _ in _rows(delta)]
    return [*fenced(lines, "", 300), ""]


def _directories(delta: Delta) -> list[str]:
    counted: Counter[tuple[str, str]] = Counter()
    for what, path, _ in _rows(delta):
        counted["/".join(path.split("/")[:-1][:3]), what.partition(" ")[0]] += 1
    shown = counted.most_common(DIRECTORIES)
    more = len(counted) - len(shown)
    rows = [f"| {plain(directory or '/')} | {what} | {n} |" for (directory, what), n in sorted(shown)]
    rest = [f"and {more} more lines; the changes themselves are all in this branch", ""] if more else []
    return ["| directory | | concepts |", "|---|---|---|", *rows, "", *rest]


def _tail(telling: Telling) -> list[str]:
    result = telling.result
    retained = [f"- {code(item.path or item.key)}: {plain(item.reason)}" for item in result.delta.retained]
    notes = [f"- incomplete: {plain(reason, 300)}" for reason in result.incomplete_reasons]
    notes += [f"- {plain(notice, 300)}" for notice in result.notices]
    if result.guard is not None:
        notes.insert(0, f"- the {result.guard.name} guard was overridden: {plain(result.guard.what, 300)}")
    hand = [f"- {code(path)}" for path in (*result.delta.edited, *result.delta.merged)]
    return [
        *_listed("Retained: nothing certain is known of these now", retained),
        *_listed("Edited by hand", hand),
        *_listed("Notes", notes),
    ]


def _listed(heading: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"- and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return [f"### {heading} ({len(lines)})", "", *lines[:LISTED], *more, ""]


def _excerpt(excerpt: Excerpt) -> list[str]:
    old, new = (text.splitlines()[:EXCERPT_READ] for text in (excerpt.old, excerpt.new))
    lines = [line for line in difflib.unified_diff(old, new, n=2, lineterm="") if not line.startswith(("---", "+++"))]
    shown = lines[:EXCERPT_LINES] + (["..."] if len(lines) > EXCERPT_LINES else [])
    return [
        "<details><summary>",
        "",
        plain(excerpt.path, 300),
        "",
        "</summary>",
        "",
        *fenced(shown, "diff"),
        "",
        "</details>",
        "",
    ]


def _foot(telling: Telling) -> list[str]:
    run = f" Run {code(telling.result.run)}." if telling.result.run else ""
    return ["---", f"{HOW}{run}", ""]


def issue_title(result: RunResult) -> str:
    guard = result.guard.name if result.guard else "a"
    return one_line(f"The {guard} guard stopped the sync of {result.name}", 200)


def issue_body(telling: Telling, limit: int) -> str:
    """The text of the issue about an aborted run: what the guard said, what to check, what to type."""
    result = telling.result
    error = result.error
    lines = [
        str(telling.marker),
        "",
        plain(error.message, 1000) if error else "A guard stopped the sync.",
        "",
        *(fenced(error.hint.split("\n"), "", 300) if error and error.hint else []),
        "",
        "Nothing was written. This issue closes by itself once a run passes again.",
    ]
    text = "\n".join(lines)
    return text if len(text.encode()) < limit else "\n".join(lines[:3])
