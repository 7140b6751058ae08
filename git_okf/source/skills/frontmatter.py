"""The front matter of a SKILL.md as text and as values. Pure.

Every scalar is a string: `version: 1.10` is "1.10", `no` is "no" (the reference parser reads it so). Anchors are not
followed, because a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

FRONT_BYTES = 64 * 1024
"""A longer front matter is refused; the longest one allowed by the specification has a fortieth of that."""

_MARKER = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_SIMPLE = re.compile(r"([A-Za-z0-9_-]+):[ \t]+(?![\"'\[{|>&*!%@`#])(\S.*?)[ \t]*\Z")


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
    simple = _SIMPLE.match(line)
    if not simple or (": " not in simple[2] and not simple[2].endswith(":")):
        return line
    return f"{simple[1]}: {json.dumps(simple[2], ensure_ascii=False)}"


def _load(head: str) -> tuple[dict[str, Any], list[str]]:
    import yaml

    try:
        for event in yaml.parse(head, yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                raise Unreadable("has a front matter with YAML aliases")
        loader = yaml.BaseLoader(head)
        node = loader.get_single_node()
        values = loader.construct_document(node) if node is not None else None
    except RecursionError:
        raise Unreadable("has a front matter that is nested too deeply") from None
    if not isinstance(node, yaml.MappingNode) or not isinstance(values, dict):
        raise Unreadable("has a front matter that is no mapping of keys to values")
    keys = [key.value for key, _ in node.value]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    for key, value in reversed(node.value):
        values[key.value] = _plain(loader, value) if key.value in twice else values[key.value]
    return values, [f"the key {key!r} stands twice; the first counts" for key in twice]


def _plain(loader: Any, node: Any) -> Any:
    return loader.construct_object(node, deep=True)
