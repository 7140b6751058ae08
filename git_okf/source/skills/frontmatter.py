"""The front matter of a SKILL.md as text and as values. Pure.

Every scalar is a string: `version: 1.10` is "1.10", `no` is "no" (the reference parser reads it so). Anchors are not
followed, because a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

FRONT_BYTES = 32 * 1024
"""A longer front matter is refused; the longest one allowed by the specification has a twentieth of that."""

_MARKER = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY = re.compile(r"[A-Za-z0-9_-]+:[ \t]")
_MARKS = frozenset("\"'[{|>&*!%@`#")
"""How a value begins that is no plain text."""


MOST_LEVELS = 50


class TooDeep(ValueError):
    """A YAML text that nests deeper than MOST_LEVELS."""


class Unreadable(ValueError):
    """The front matter cannot be read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Values by key in the file's order, the text after them, and what had to be put up with."""

    values: dict[str, Any]
    body: str
    warnings: tuple[str, ...] = ()


def read(data: bytes) -> Front:
    """Front matter and body of a SKILL.md, as leniently as clients read it. Unreadable says what is wrong.

    Put up with, each with a warning: a byte order mark, a key that stands twice (the first counts), and values that
    hold `: ` without quotes.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 (byte {error.start})") from None
    warnings = []
    if text.startswith("\ufeff"):
        text = text.removeprefix("\ufeff")
        warnings.append("a byte order mark stands before the front matter")
    head, body = _split(text.replace("\r\n", "\n").replace("\r", "\n"))
    values, more = _values(head)
    return Front(values=values, body=body, warnings=(*warnings, *more))


def _split(text: str) -> tuple[str, str]:
    opening = _MARKER.match(text)
    if not opening:
        raise Unreadable("has no front matter: the first line is not ---")
    closing = _MARKER.search(text, opening.end())
    if not closing:
        raise Unreadable("has a front matter that no line --- closes")
    head = text[opening.end() : closing.start()]
    if len(head.encode()) > FRONT_BYTES:
        raise Unreadable(f"has a front matter of more than {FRONT_BYTES} bytes")
    return head, text[closing.end() :]


def _values(head: str) -> tuple[dict[str, Any], list[str]]:
    import yaml

    try:
        return _load(head)
    except yaml.YAMLError as error:
        quoted = "\n".join(_quoted(line) for line in head.split("\n"))
        if quoted != head:
            try:
                values, warnings = _load(quoted)
            except yaml.YAMLError:
                pass  # what was wrong in the author's own text is what is told
            else:
                return values, [*warnings, "the front matter is no YAML until values that hold `: ` are quoted"]
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark else ""
        problem = getattr(error, "problem", None) or type(error).__name__
        raise Unreadable(f"has a front matter that is no YAML{where}: {problem}") from None


def _quoted(line: str) -> str:
    """A line `key: a: b` with its value in quotes; any other line as it is."""
    key, _, value = line.partition(":")
    value = value.strip(" \t")
    if not _KEY.match(line) or not value or value[0] in _MARKS or (": " not in value and not value.endswith(":")):
        return line
    return f"{key}: {json.dumps(value, ensure_ascii=False)}"


def _load(head: str) -> tuple[dict[str, Any], list[str]]:
    import yaml

    try:
        events = events_of(head)
        if any(isinstance(event, yaml.AliasEvent) for event in events):
            raise Unreadable("has a front matter with YAML aliases")
        loader = yaml.BaseLoader(head)
        node = loader.get_single_node()
        values = loader.construct_document(node) if node is not None else None
    except TooDeep:
        raise Unreadable("has a front matter that is nested too deeply") from None
    if not isinstance(node, yaml.MappingNode) or not isinstance(values, dict):
        raise Unreadable("has a front matter that is no mapping of keys to values")
    counts = Counter(key.value for key, _ in node.value)
    twice = sorted(key for key, count in counts.items() if count > 1)
    for key, value in reversed(node.value):
        values[key.value] = _plain(loader, value) if key.value in twice else values[key.value]
    return values, [f"the key {key!r} stands twice; the first counts" for key in twice]


def events_of(text: str) -> list[Any]:
    """The events of a YAML text. TooDeep where it nests deeper than anybody would: the parser takes the square of the
    depth."""
    import yaml

    depth, events = 0, []
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
            raise TooDeep
        events.append(event)
    return events


def _plain(loader: Any, node: Any) -> Any:
    return loader.construct_object(node, deep=True)
