"""What a concept's body refers to: relative links, footnotes; and what a failed merge leaves in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from git_okf.bundle.rules.finding import ERROR, WARNING, Finding

_FENCE = re.compile(r"^[ \t>*+-]*(?:\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)$")
_LINK = re.compile(r"(?<!\\)\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n^][^\]\n]*\]:\s*<?([^\s>]+)", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
_MERGE = (re.compile(r"<<<<<<< \S"), re.compile(r"=======\s*\Z"), re.compile(r">>>>>>> \S"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What is around a concept: which files there are, and what they have to link to."""

    exists: Callable[[str], bool]
    anchors: Callable[[str], frozenset[str] | None]
    """Of a concept; None where there is none."""
    may_come: Callable[[str], bool] = lambda path: True
    """Whether a page of the source could be at a path one day."""


def check_links(path: str, body: str, first_line: int, place: Place) -> Iterator[Finding]:
    """Relative links whose target the bundle does not hold, or that lead out of it: allowed, told once a target.

    A target that is not there and never will be is an error.
    """
    targets = {target for target, _ in _targets(body)}
    if not any("`" in target or _wrong(path, target, place) for target in targets):
        return  # nothing that could be wrong, in code or outside of it
    prose = prose_of(body)
    judged: set[str] = set()
    for target, at in _targets(prose):
        if target in judged:
            continue
        judged.add(target)
        wrong = _wrong(path, target, place)
        if wrong:
            yield Finding(path, first_line + prose.count("\n", 0, at), *wrong)


def _wrong(path: str, target: str, place: Place) -> tuple[str, str, str, str] | None:
    """(rule, severity, message, hint) of a target that leads nowhere; None where it is fine or not relative."""
    if not target or _SCHEME.match(target):
        return None
    wanted, _, fragment = target.partition("#")
    wanted = unquote(wanted.partition("?")[0])
    resolved = normpath(wanted.lstrip("/") if wanted.startswith("/") else join(dirname(path), wanted))
    if not wanted:
        resolved = path
    elif resolved == ".." or resolved.startswith("../"):
        return "link-outside", WARNING, f"the link {target!r} leads out of the bundle", "link to its URL"
    elif not place.exists(resolved):
        message = f"the link {target!r} leads to nothing in the bundle"
        if place.may_come(resolved):
            return "dangling-link", WARNING, message, "it may be a page not synced yet"
        return "dangling-link", ERROR, f"{message}, and no page of the source would be there", "correct it"
    names = place.anchors(resolved) if fragment else None
    if names is None or unquote(fragment).lower().removeprefix("user-content-") in names:
        return None
    return "dangling-anchor", WARNING, f"the link {target!r} leads to no heading or id there", ""


def _targets(prose: str) -> Iterator[tuple[str, int]]:
    if "](" in prose:
        for link in _LINK.finditer(prose):
            yield link[1] if link[1] is not None else link[2], link.start()
    if "]:" in prose:
        for link in _DEFINITION.finditer(prose):
            yield link[1], link.start()


def check_footnotes(path: str, prose: str, first_line: int, sources: object) -> Iterator[Finding]:
    """Citations of a source that the front matter does not name."""
    if "[^" not in prose:
        return
    entries = sources if isinstance(sources, list) else []
    known = {str(entry["id"]) for entry in entries if isinstance(entry, Mapping) and "id" in entry}
    told: set[str] = set()
    for note in _FOOTNOTE.finditer(prose):
        if note[1] not in known and note[1] not in told:
            told.add(note[1])
            line = first_line + prose.count("\n", 0, note.start())
            message = f"the footnote {note[1]!r} is not the `id` of a source"
            yield Finding(path, line, "footnote", WARNING, message, "add it to `sources`")


def check_conflicts(path: str, text: str, first_line: int = 1) -> Iterator[Finding]:
    """A conflict that was committed: its three marks, in order, each at the beginning of a line."""
    if "<<<<<<< " not in text:
        return
    stage, begin = 0, 0
    for number, line in enumerate(text.splitlines(), first_line):
        if _MERGE[0].match(line):
            stage, begin = 1, number
        elif stage and _MERGE[stage].match(line):
            stage += 1
        if stage == len(_MERGE):
            yield Finding(path, begin, "conflict-marker", ERROR, "an unfinished merge stands here", "resolve it")
            stage = 0


def prose_of(body: str) -> str:
    """The body with code blanked out, line for line and character for character."""
    if "`" not in body and "~~~" not in body:
        return body
    lines = body.split("\n")
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            lines[at] = ""
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark and not ("`" in mark[2] and mark[1][0] == "`"):
            fence, lines[at] = mark[1], ""
    return _without_spans("\n".join(lines))


def _without_spans(text: str) -> str:
    """The text with its code spans blanked out: a run of backticks up to the next one of the same length."""
    runs = [run.span() for run in re.finditer("`+", text)]
    later: dict[int, list[int]] = {}
    for at in reversed(range(len(runs))):
        later.setdefault(runs[at][1] - runs[at][0], []).append(at)
    parts, end, after = [], 0, -1
    for at, (begin, stop) in enumerate(runs):
        alike = later[stop - begin]
        alike.pop()
        if at <= after or not alike:
            continue
        after = alike[-1]
        parts += [text[end:begin], _blank(text[begin : runs[after][1]])]
        end = runs[after][1]
    return "".join([*parts, text[end:]])


def _blank(text: str) -> str:
    return " " * len(text) if "\n" not in text else re.sub(r"[^\n]", " ", text)
