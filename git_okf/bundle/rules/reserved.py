"""index.md and log.md: what OKF v0.2 (sections 8 and 9) lets stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from git_okf.bundle.concept import NotAConcept, parse
from git_okf.bundle.rules.finding import ERROR, WARNING, Finding

_HEADING = re.compile(r"^# +\S", re.MULTILINE)
_ENTRY = re.compile(r"\s*[*+-] +\[[^\]]*\]\([^)]*(?:\([^)]*\)[^)]*)*\)")
_BULLET = re.compile(r"^\s*[*+-] +\S")
_DAY = re.compile(r"^## +(.*?)\s*$")


def check_index(path: str, data: bytes) -> Iterator[Finding]:
    """Findings on the form of an index.md; whether it lists what is there is another rule."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield Finding(path, 1, "encoding", ERROR, "not UTF-8", "save it as UTF-8")
        return
    body, first = text, 1
    if text.startswith(("---", "\ufeff---")):
        try:
            concept = parse(data)
        except NotAConcept as error:
            yield Finding(path, error.line, "index-front-matter", ERROR, error.reason, "run git okf repair")
            return
        body, first = concept.body, concept.line
        yield from _index_front(path, concept.front, concept.key_lines)
    if not _HEADING.search(body):
        yield Finding(path, first, "index-heading", ERROR, "no section: an index has `# Heading` lines", "add one")
    for number, line in enumerate(body.splitlines(), first):
        if _BULLET.match(line) and not _ENTRY.match(line):
            message = "this entry is not `* [Title](relative-url) - description`"
            yield Finding(path, number, "index-entry", WARNING, message, "")


def _index_front(path: str, front: object, lines: object) -> Iterator[Finding]:
    assert isinstance(front, dict) and isinstance(lines, dict)
    if "/" in path:
        yield Finding(
            path, 1, "index-front-matter", ERROR, "front matter is for the bundle's own index.md", "remove it"
        )
        return
    for key in front:
        if key != "okf_version":
            message = f"`{key}` stands in the front matter; only `okf_version` may"
            yield Finding(path, lines.get(key, 1), "index-front-matter", ERROR, message, "move it into the text")
    version = front.get("okf_version")
    if version is not None and not isinstance(version, str):
        hint = 'write okf_version: "0.2"'
        yield Finding(path, lines["okf_version"], "okf-version", WARNING, "`okf_version` is a number, not text", hint)


def check_log(path: str, data: bytes) -> Iterator[Finding]:
    """Findings on a log.md: days as headings, real ones, newest first."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield Finding(path, 1, "encoding", ERROR, "not UTF-8", "save it as UTF-8")
        return
    if text.startswith("---"):
        message = "front matter in a log.md: the format names none, and some readers refuse it"
        yield Finding(path, 1, "log-front-matter", WARNING, message, "remove it")
        text = re.sub(r"(?ms)\A---.*?^---[ \t]*\r?$", lambda m: "\n" * m.group().count("\n"), text)
    newest: date | None = None
    for number, line in enumerate(text.splitlines(), 1):
        heading = _DAY.match(line)
        if not heading:
            continue
        try:
            day = date.fromisoformat(heading[1]) if re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]) else None
        except ValueError:
            day = None
        if day is None:
            message = "this heading is no day"
            yield Finding(path, number, "log-heading", ERROR, message, "write it like ## 2026-06-30")
        elif newest is not None and day > newest:
            yield Finding(path, number, "log-order", ERROR, "this day is newer than the one above it", "newest first")
        else:
            newest = day
