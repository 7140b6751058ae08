"""The front matter of a concept: which fields, of which types (OKF v0.2, sections 4, 5 and 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from git_okf.bundle.concept import Concept
from git_okf.bundle.rules.finding import ERROR, WARNING, Finding

STATUSES = ("draft", "stable", "deprecated")
_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)\Z")

Say = Callable[..., Finding]


def check_fields(path: str, concept: Concept) -> Iterator[Finding]:
    """Findings on the values of the front matter. Unknown keys are fine, and so are absent optional ones."""

    def say(key: str, rule: str, message: str, hint: str = "", severity: str = ERROR) -> Finding:
        return Finding(path, concept.key_lines.get(key, 1), rule, severity, message, hint)

    front = concept.front
    for key, line in concept.duplicates:
        yield Finding(path, line, "duplicate-key", ERROR, f"the key {key!r} stands twice", "keep one of them")
    yield from _kind(front, say)
    yield from _texts(front, say)
    yield from _provenance(front, say)
    yield from _lifecycle(front, say)


def _kind(front: Mapping[str, object], say: Say) -> Iterator[Finding]:
    kind = front.get("type")
    if kind is None:
        yield say("type", "type", "there is no `type`", 'add one, like type: "Documentation Page"')
    elif not isinstance(kind, str):
        yield say("type", "type", f"`type` is {_name(kind)}, not text", "put it in quotes")
    elif not kind.strip():
        yield say("type", "type", "`type` is empty", 'write one, like type: "Documentation Page"')
    elif kind == "Attested Computation" and not front.get("runtime"):
        yield say("type", "runtime", "an Attested Computation needs `runtime`", "say what runs it")


def _texts(front: Mapping[str, object], say: Say) -> Iterator[Finding]:
    for key in ("title", "description", "resource"):
        if front.get(key) is not None and not isinstance(front[key], str):
            yield say(key, "field-type", f"`{key}` is {_name(front[key])}, not text", "put it in quotes")
    tags = front.get("tags")
    if tags is not None and (not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags)):
        yield say("tags", "tags", "`tags` is not a list of texts", "write it like tags: [guide, install]")


def _provenance(front: Mapping[str, object], say: Say) -> Iterator[Finding]:
    if "generated" in front:
        generated = front["generated"]
        if not isinstance(generated, dict) or not _said(generated.get("by")):
            yield say("generated", "generated", "`generated` does not say by whom", "add `by: NAME/VERSION` to it")
        if isinstance(generated, dict):
            yield from _timestamp(generated, "at", "generated", say)
    sources = front.get("sources")
    if sources is not None and not isinstance(sources, list):
        yield say("sources", "sources", "`sources` is not a list", "write each source as an entry with `resource`")
    for number, entry in enumerate(sources if isinstance(sources, list) else (), 1):
        if not isinstance(entry, dict) or not _said(entry.get("resource")):
            yield say("sources", "sources", f"source {number} has no `resource`", "say where it is")
        if isinstance(entry, dict):
            yield from _timestamp(entry, "last_modified", "sources", say)
            yield from _window(entry, "sources", say)
    yield from _window(front, "usage_window", say)
    yield from _verified(front.get("verified"), say)


def _verified(verified: object, say: Say) -> Iterator[Finding]:
    """A bare mapping is read as a list of one."""
    if verified is None:
        return
    for entry in verified if isinstance(verified, list) else [verified]:
        if not isinstance(entry, dict) or not _said(entry.get("by")):
            yield say("verified", "verified", "an entry of `verified` does not say by whom", "add `by: human:NAME`")
        if isinstance(entry, dict):
            yield from _timestamp(entry, "at", "verified", say)


def _window(holder: Mapping[str, object], key: str, say: Say) -> Iterator[Finding]:
    window = holder.get("usage_window")
    if isinstance(window, dict):
        yield from _timestamp(window, "from", key, say)
        yield from _timestamp(window, "to", key, say)
    elif window is not None:
        yield say(key, "timestamp", "`usage_window` is not a mapping of `from` and `to`", "write both as timestamps")


def _lifecycle(front: Mapping[str, object], say: Say) -> Iterator[Finding]:
    status = front.get("status")
    if status is not None and status not in STATUSES:
        yield say("status", "status", f"`status` is not one of {', '.join(STATUSES)}", "leave it out for stable")
    yield from _timestamp(front, "stale_after", "stale_after", say)
    if front.get("crawled_at") is not None:
        for found in _timestamp(front, "crawled_at", "crawled_at", say):
            yield Finding(found.path, found.line, found.rule, WARNING, found.message, found.hint)


def _timestamp(holder: Mapping[str, object], key: str, top: str, say: Say) -> Iterator[Finding]:
    value = holder.get(key)
    if value is None and key not in holder:
        return
    if not isinstance(value, str) or not is_timestamp(value):
        where = key if key == top else f"{top}.{key}"
        yield say(top, "timestamp", f"`{where}` is no timestamp with an offset", 'write it like "2026-06-30T14:00:00Z"')


def is_timestamp(text: str) -> bool:
    """Whether it is an ISO 8601 time of a day that exists, with an offset."""
    if not _OFFSET.match(text):
        return False
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _name(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a mapping"}
    return names.get(type(value), "empty")
