"""A Markdown file -> what its concept says. Pure: a function of the file's bytes, its path and the configuration.

The file's own front matter is kept below ours. Title and description are taken from it, else from the first heading and
the first paragraph. Front matter counts as content, so that a changed tag is an update.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from git_okf import digest
from git_okf.source.git.scope import Links, Scope
from git_okf.source.markdown import document
from git_okf.source.markdown.invisible import without_invisible

VERSION = 1
"""Rises with every change of what a file becomes."""
OURS = frozenset(
    {"type", "title", "description", "resource", "generated", "sources", "content_hash", "crawled_at", "files",
     "fingerprint", "commit", "upstream", "withdrawn"}
)  # fmt: skip
"""Keys of a concept that are ours to say; what a file says under them is kept below `upstream`."""
DESCRIPTION_CHARS = 300
_MARKS = re.compile(r"!\[([^\]]*)\]\([^)]*\)|\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|[*_`]+|<[^<>]{0,200}>")
_NO_PROSE = ("#", ">", "|", "```", "~~~", "<", "- ", "* ", "+ ", "![", "[!", "---", "===", "{", "    ", "\t", "1.")


class NotText(ValueError):
    """The file is no Markdown: not UTF-8, or nothing in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a file becomes."""

    title: str
    description: str
    body: str
    meta: Mapping[str, Any]
    compared: str
    """Hash over the body and the file's own front matter; "" where it has none."""


def read(data: bytes, path: str, scope: Scope, place: Callable[[str], str], *, relative: bool = True) -> Page:
    """The page of a file. NotText says why there is none."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText(f"it is not UTF-8 (byte {error.start})") from None
    front, rest = document.split(text.replace("\r\n", "\n").replace("\0", ""))
    linked = document.relink(rest, Links(scope, path, place, relative))
    body = digest.canonical(without_invisible(linked)[0])
    if not body.strip() and not front:
        raise NotText("it is empty")
    said = {str(key): _plain(value) for key, value in front.items()}
    meta = {key: value for key, value in said.items() if key not in OURS}
    kept = {key: value for key, value in said.items() if key in OURS - {"title", "description"}}
    meta |= {"upstream": kept} if kept else {}
    return Page(
        title=_line(said.get("title")) or _heading(rest) or path.rpartition("/")[2].rpartition(".")[0],
        description=_line(said.get("description") or said.get("summary")) or _first_sentences(rest),
        body=body,
        meta=meta,
        compared=_compared(body, said) if said else "",
    )


def _plain(value: Any) -> Any:
    """A value of YAML or TOML as JSON has it: dates as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float) and not -1e300 < value < 1e300:
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _compared(body: str, front: Mapping[str, Any]) -> str:
    return digest.content_hash(json.dumps(front, sort_keys=True, ensure_ascii=True) + "\n" + body)


def _line(value: object) -> str:
    return " ".join(str(value).split())[:DESCRIPTION_CHARS] if isinstance(value, str | int | float) else ""


def _heading(text: str) -> str:
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and (match := re.match(r"#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z", line)):
            return _line(_unmarked(match[1]))
    underlined = re.search(r"^(\S.*)\n=+[ \t]*$", text, re.MULTILINE)
    return _line(_unmarked(underlined[1])) if underlined else ""


def _first_sentences(text: str) -> str:
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n")
        if lines and not lines.startswith(_NO_PROSE) and not re.search(r"\n(?:=+|-+)[ \t]*\Z", lines):
            return _line(_unmarked(lines))
    return ""


def _unmarked(text: str) -> str:
    return _MARKS.sub(lambda m: m[1] or m[2] or "", text)
