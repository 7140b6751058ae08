"""One concept file: front matter, one blank line, body, final newline.

`content_hash` is the SHA-256 of the body's bytes as they stand after the front matter and one blank line, without the
final newline. Values are written as double-quoted scalars on one line each, so no title can add a key or end the block,
and every reader gets back the string that was given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import yaml

from git_okf import digest
from git_okf.bundle.front_matter import front_matter
from git_okf.model import WITHDRAWN, File

TYPE = "Documentation Page"

# libyaml's parser reads the same as the one in Python, twenty times faster (tests compare them).
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotAConcept(ValueError):
    """The bytes are no concept; `reason` says why, `line` where (1 is the first)."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept as read. Lines are those of the file, 1 the first."""

    front: Mapping[str, object]
    body: str
    line: int
    """On which the body begins."""
    key_lines: Mapping[str, int]
    """Of the front matter's own keys."""
    duplicates: tuple[tuple[str, int], ...]
    """Keys that stand twice in one mapping, at any depth: YAML readers disagree on which counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the bundle itself remembers of an item ("" where it does not)."""

    resource: str = ""
    title: str = ""
    description: str = ""
    content_hash: str = ""
    crawled_at: str = ""
    key: str = ""
    """Of the item, where that is not the resource."""
    fingerprint: str = ""
    """Of all that counts as the item's content, where that is more than the body."""
    files: tuple[File, ...] = ()
    """The item's other files; their sizes are not told."""


class FrontMatterLoader(_Loader):  # type: ignore[misc]
    """YAML 1.2's core schema: `no`, `12:30`, `0123` and timestamps stay strings; numbers, true, false, null do not."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own protocol


for _tag, _pattern, _first in (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)\Z", "-+0123456789"),
    ("float", r"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)\Z", "-+.0123456789"),
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
):
    FrontMatterLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def render(
    *,
    title: str,
    description: str,
    resource: str,
    body: str,
    content_hash: str,
    when: datetime,
    version: str,
    source: str,
    kind_type: str = TYPE,
    key: str = "",
    meta: Mapping[str, Any] = MappingProxyType({}),
    files: Sequence[File] = (),
) -> bytes:
    """The file's bytes: a function of the arguments alone. `when` must have an offset; `source` is the source's name.

    An empty title or description is left out. Lone surrogates, which UTF-8 cannot hold, become U+FFFD. `key` is told
    where it is not the resource; `meta` comes below our own keys, of which it can replace none.
    """
    at = timestamp(when)
    front: dict[str, Any] = {"type": kind_type}
    front |= {key: text for key, text in (("title", title), ("description", description)) if text}
    front |= {
        "resource": resource,
        "generated": {"by": f"git-okf/{version}", "at": at},
        "sources": [{"id": source, "resource": resource, **({"key": key} if key not in ("", resource) else {})}],
        "content_hash": content_hash,
        "crawled_at": at,
    }
    front |= {name: value for name, value in meta.items() if name not in front}
    if files:
        front["files"] = [_told(file) for file in files]
    return b"---\n" + front_matter(front) + b"---\n\n" + body.encode() + b"\n"


def _told(file: File) -> dict[str, Any]:
    return {"path": file.path, "blob": file.blob, **({"executable": True} if file.executable else {})}


def timestamp(when: datetime) -> str:
    """`2026-06-30T14:00:00Z`. ValueError without an offset."""
    if when.tzinfo is None:
        raise ValueError("a time without an offset is no timestamp")
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse(data: bytes) -> Concept:
    """Front matter and body. Raises NotAConcept; tolerates CRLF and a missing blank line, which `check` reports."""
    text, body, line = split(data)
    try:
        node, front = _read(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise NotAConcept(f"front matter is not readable YAML: {problem}", (mark.line if mark else 0) + 2) from error
    except (RecursionError, ValueError, TypeError) as error:
        raise NotAConcept(f"front matter is not readable YAML: {error}", 2) from error
    if not isinstance(node, yaml.MappingNode) or not isinstance(front, dict):
        raise NotAConcept("front matter is not a mapping of keys to values", 2)
    lines = {str(key.value): key.start_mark.line + 2 for key, _ in node.value}
    return Concept(front=front, body=body, line=line, key_lines=lines, duplicates=tuple(_duplicates(node)))


def _read(text: str) -> tuple[yaml.Node | None, object]:
    loader = FrontMatterLoader(text)
    try:
        node = loader.get_single_node()
        return node, loader.construct_document(node) if node is not None else None
    finally:
        loader.dispose()


def _duplicates(root: yaml.Node) -> Iterator[tuple[str, int]]:
    """Each node once: aliases may make a graph of it."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            names: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in names:
                        yield str(key.value), key.start_mark.line + 2
                    names.add(key.value)
                stack.append(value)
        elif isinstance(node, yaml.SequenceNode):
            stack += node.value


def split(data: bytes) -> tuple[str, str, int]:
    """(YAML text, body, line on which the body begins), split by hand. Raises NotAConcept.

    A BOM is refused: OKF's own reader does not see the front matter behind it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotAConcept("not UTF-8", data.count(b"\n", 0, error.start) + 1) from error
    if text.startswith("\ufeff"):
        raise NotAConcept("a byte order mark stands before the front matter")
    opening = _MARKER.match(text)
    if not opening:
        raise NotAConcept("no front matter: the first line is not ---")
    closing = _MARKER.search(text, opening.end())
    if not closing:
        raise NotAConcept("front matter is not closed by a line ---")
    blank = _BLANK.match(text, closing.end())
    start = blank.end() if blank else closing.end()
    body = text[start:]
    return text[opening.end() : closing.start()], body.removesuffix("\n"), text.count("\n", 0, start) + 1


_MARKER = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_MARK = re.compile(rb'\nwithdrawn: "[^"\n]*"(?:\nstatus: "deprecated")?(?=\n|\Z)')
_STATUS = re.compile(rb"^status:", re.MULTILINE)
_BLANK = re.compile(r"[ \t]*\r?\n")

_SCALAR = rb'"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"'
_OWN_FORM = re.compile(
    rb"---\ntype: (?P<type>" + _SCALAR + rb")\n(?:title: (?P<title>" + _SCALAR + rb")\n)?"
    rb"(?:description: (?P<description>" + _SCALAR + rb")\n)?resource: (?P<resource>" + _SCALAR + rb")\n"
    rb"generated:\n  by: (?P<by>" + _SCALAR + rb")\n  at: (?P<at>" + _SCALAR + rb")\nsources:\n"
    rb"- id: " + _SCALAR + rb"\n  resource: " + _SCALAR + rb"\n"
    rb'content_hash: "(?P<content_hash>sha256:[0-9a-f]{64})"\ncrawled_at: (?P<crawled_at>' + _SCALAR + rb")\n---\n\n"
)


def own_form(data: bytes) -> re.Match[bytes] | None:
    """The front matter as `render` writes it, matched without a YAML parser; its end is where the body begins."""
    return _OWN_FORM.match(data)


def header(data: bytes) -> Header:
    """Resource, title, description and content hash; by hand where the file is in our form, else through YAML.

    Values that are no strings are "". Raises NotAConcept.
    """
    match = own_form(data)
    if match:
        try:
            return Header(
                resource=scalar(match["resource"]),
                title=scalar(match["title"]),
                description=scalar(match["description"]),
                content_hash=match["content_hash"].decode(),
                crawled_at=scalar(match["crawled_at"]),
            )
        except UnicodeDecodeError:
            pass  # `parse` says where
    front = parse(data).front
    texts = {name: value for name in _TEXTS if isinstance(value := front.get(name), str)}
    return Header(**texts, key=_key(front.get("sources")), files=tuple(_files(front.get("files"))))


_TEXTS = ("resource", "title", "description", "content_hash", "crawled_at", "fingerprint")


def _key(sources: object) -> str:
    first = sources[0] if isinstance(sources, list) and sources else None
    key = first.get("key") if isinstance(first, dict) else None
    return key if isinstance(key, str) else ""


def _files(told: object) -> Iterator[File]:
    for each in told if isinstance(told, list) else ():
        if isinstance(each, dict) and isinstance(each.get("path"), str) and isinstance(each.get("blob"), str):
            yield File(path=each["path"], blob=each["blob"], size=0, executable=each.get("executable") is True)


def scalar(quoted: bytes | None) -> str:
    """The string of a double-quoted scalar; "" for None. JSON reads the escapes that both know."""
    if not quoted:
        return ""
    text = quoted.decode()
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return str(yaml.load(text, Loader=FrontMatterLoader))


def body(data: bytes) -> str:
    """The body as it stands in the file, without the final newline. Raises NotAConcept."""
    match = own_form(data)
    if match:
        try:
            return data[match.end() :].removesuffix(b"\n").decode()
        except UnicodeDecodeError:
            pass  # `split` says where
    return split(data)[1]


def body_hash(data: bytes) -> str:
    """The hash of the body as it stands in the file. Raises NotAConcept."""
    return digest.content_hash(body(data))


def withdrawn(data: bytes, since: str) -> bytes:
    """The file with the mark of an item that its source has no more since then, or with "" without it.

    The mark is the key `withdrawn`, and OKF's own `status: deprecated` where the concept has no status yet. Everything
    else stays as it is, byte for byte; so does a file that has the mark, or no front matter.
    """
    front, closing, rest = data.partition(b"\n---\n")
    if not closing or (since and _MARK.search(front)):
        return data
    front = _MARK.sub(b"", front)
    if since:
        status = b"" if _STATUS.search(front) else b'\nstatus: "deprecated"'
        front += f'\n{WITHDRAWN}: "{since}"'.encode() + status
    return front + closing + rest


def edited(data: bytes) -> bool:
    """Whether the body is another than the one `content_hash` was written for. Raises NotAConcept."""
    return body_hash(data) != header(data).content_hash
