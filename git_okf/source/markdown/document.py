"""Markdown that somebody else wrote: its front matter apart, its links written as ours are, code left alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^---|^\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\A\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_DESTINATION = re.compile(
    r"\(\s*(<[^<>\n]{0,2000}>|(?:[^()\s\\]|\\.|\((?:[^()\s\\]|\\.){0,500}\)){0,2000})((?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?)\s*\)"
)
"""What follows the brackets of a link; bounded, so that no text makes it work long."""
_BRACKET = re.compile(r"\\.|!?\[|\]")
_REFERENCE = re.compile(r"^( {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*)(<[^<>\n]*>|\S+)(.*)$")
_ATTRIBUTE = re.compile(
    r"(<(?:a|img|source|video|audio|iframe)\b[^<>]{0,1000}?\b(href|src)\s*=\s*)([\"'])([^\"']*)\3", re.I
)
_HARD_BREAK = re.compile(r"(?<=\S) {2,}$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Destinations(Protocol):
    """Where the links of a document go; "" for one that leads nowhere, whose text stays."""

    def twin(self, href: str) -> str:
        """The destination of a link."""

    def resource(self, src: str) -> str:
        """The destination of an image and the like."""


def split(text: str) -> tuple[Mapping[str, Any], str]:
    """The front matter (YAML or TOML; empty where there is none or it is broken) and the text after it."""
    text = text.lstrip("\ufeff").lstrip("\n")
    match = _FRONT.match(text)
    if match:
        return _yaml(match[1]), text[match.end() :]
    match = _TOML.match(text)
    return (_toml(match[1]), text[match.end() :]) if match else ({}, text)


def _yaml(text: str) -> Mapping[str, Any]:
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return {}
    return data if isinstance(data, dict) else {}


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def relink(text: str, links: Destinations) -> str:
    """The same Markdown with every destination outside of code written anew."""
    out: list[str] = []
    fence = ""
    previous_blank = True
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.strip(" \t>")
        if fence:
            out.append(line)
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence = ""
            continue
        opened = _FENCE.match(line)
        if opened:
            fence = opened[1]
            out.append(line)
        elif previous_blank and (line.startswith(("    ", "\t"))) and not bare.startswith(("-", "*", "+")):
            out.append(line)
            continue
        else:
            out.append(_outside_code(line, lambda part: _relinked(part, links)))
        previous_blank = not bare
    return "\n".join(_with_breaks(out))


def _with_breaks(lines: list[str]) -> list[str]:
    """Two blanks at the end of a line mean a break; the canonical form has none there, so a backslash says it."""
    out, fence = [], ""
    for i, line in enumerate(lines):
        opened = None if fence else _FENCE.match(line)
        bare = line.strip(" \t>")
        if fence and len(bare) >= len(fence) and not bare.strip(fence[0]):
            fence = ""
        elif opened:
            fence = opened[1]
        elif not fence and i + 1 < len(lines) and lines[i + 1].strip(" \t>") and not bare.startswith(("#", "|", "<")):
            line = _HARD_BREAK.sub(r"\\", line)
        out.append(line)
    return out


def _outside_code(line: str, change: Callable[[str], str]) -> str:
    if "`" not in line:
        return change(line)
    spans: list[str] = []

    def put(match: re.Match[str]) -> str:
        spans.append(match[0])
        return f"\0{len(spans) - 1}\0"

    changed = change(_CODE.sub(put, line.replace("\0", "")))
    return re.sub(r"\0(\d+)\0", lambda m: spans[int(m[1])], changed)


def _relinked(line: str, links: Destinations) -> str:
    reference = _REFERENCE.match(line)
    if reference:
        return reference[1] + _destination(reference[2], links.twin) + reference[3]
    if "](" in line:
        line = _with_edits(line, _edits(line, links))
    return _ATTRIBUTE.sub(lambda m: _attribute(m, links), line) if "<" in line else line


Edit = tuple[int, int, str]


def _edits(line: str, links: Destinations) -> list[Edit]:
    """What to replace in a line: the destinations of its links, and the brackets of links that lead nowhere."""
    edits: list[Edit] = []
    opened: list[tuple[int, str]] = []
    for mark in _BRACKET.finditer(line):
        if mark[0] in ("[", "!["):
            opened.append((mark.start(), mark[0]))
        elif mark[0] == "]" and opened:
            start, opener = opened.pop()
            match = _DESTINATION.match(line, mark.end())
            if match is None:
                continue
            target = _destination(match[1], links.resource if opener == "![" else links.twin)
            if target or not match[1].strip("<>"):
                edits.append((match.start(1), match.end(1), target))
            else:
                edits += [(start, start + len(opener), ""), (mark.start(), match.end(), "")]
    return sorted(edits)


def _with_edits(line: str, edits: list[Edit]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, text in edits:
        if start >= at:
            parts += [line[at:start], text]
            at = end
    return "".join([*parts, line[at:]])


def _destination(text: str, resolve: Callable[[str], str]) -> str:
    bare = text[1:-1] if text.startswith("<") and text.endswith(">") else text
    return resolve(_ESCAPED.sub(r"\1", bare))


def _attribute(match: re.Match[str], links: Destinations) -> str:
    start, name, quote, value = match.groups()
    target = links.twin(value) if name.lower() == "href" else links.resource(value)
    return f"{start}{quote}{target}{quote}"
