"""A record as one line of JSON, small: what has its default value is left out, what repeats is told once.

Keys and URLs are written relative to the source's base URL, hashes without `sha256:`, the fingerprint as its number in
a table, links by link sets, the path only where it is not what the key suggests, the content of a file only where its
name does not tell it; a name that is the title, and a path made of the name, are `true`. `decode(encode(r)) == r` for
every record; the same record gives the same bytes as long as its set stays the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf import linksets
from git_okf.linksets import Links, LinkSet
from git_okf.model import File, Record, Status

_HASH = re.compile(r"sha256:[0-9a-f]{64}\Z")
_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PLAIN = "="
"""Stands before a value that is written as it is, where the short form would be ambiguous."""

Pairs = tuple[tuple[str, str], ...]

# Name in the file, name in the record; what has its default is left out.
_URLS: Pairs = (("url", "url"), ("target", "target"))
_HASHES: Pairs = (("hash", "content_hash"), ("compared", "compared_hash"), ("raw", "raw_hash"))
_NUMBERS: Pairs = (("size", "size"), ("missing", "missing_runs"), ("tries", "tries"))
_TEXTS: Pairs = (
    ("title", "title"),
    ("about", "description"),
    ("etag", "etag"),
    ("date", "last_modified"),
    ("since", "missing_since"),
    ("failure", "failure"),
    ("lang", "language"),
    ("name", "name"),
)
_FLAGS: Pairs = (("edited", "edited"),)
_SHARED: Pairs = (("about", "description"), ("date", "last_modified"), ("lang", "language"), ("failure", "failure"))
_PLAINS = _NUMBERS + _TEXTS + _FLAGS
_KNOWN = frozenset(
    {"key", "status", "path", "by", "form", "links", "files", "memo"} | {name for name, _ in _URLS + _HASHES + _PLAINS}
)
_STATUS = {str(status): status for status in Status}


@dataclass(slots=True)
class Codec:
    """What the lines of one source have in common."""

    base: str = ""
    """What keys and URLs begin with."""
    fingerprints: list[str] = field(default_factory=list)
    sets: dict[str, LinkSet] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)
    """By key, the name of the set its links are told by."""
    shards: dict[str, list[str]] = field(default_factory=dict)
    """The keys in each shard, as they were read: the others need not be looked at where one shard is written."""
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By key, what a newer version of this program wrote and this one does not know: kept as it is."""

    # --- short forms ---

    def shorten(self, text: str) -> str:
        rest = text.removeprefix(self.base)
        return _PLAIN + text if rest.startswith(_PLAIN) or not text.startswith(self.base) else rest

    def expand(self, text: str) -> str:
        return text[1:] if text.startswith(_PLAIN) else self.base + text

    def _usual_path(self, key: str, status: Status) -> str:
        """The path that most keys have; only another one is written."""
        if status is not Status.PAGE:
            return ""
        rest = key.removeprefix(self.base).removesuffix(".html").strip("/")
        return f"pages/{rest or 'home'}.md"

    @property
    def _forms(self) -> tuple[tuple[Pairs, Callable[[Any], Any]], ...]:
        return (_URLS, self.shorten), (_HASHES, _short_hash), (_PLAINS, lambda value: value)

    # --- lines ---

    def encode(self, record: Record) -> bytes:
        """The line, without its end. Fields in a fixed order."""
        line: dict[str, Any] = {"key": self.shorten(record.key)}
        if record.status is not Status.PAGE:
            line["status"] = str(record.status)
        if record.path != self._usual_path(record.key, record.status):
            line["path"] = True if record.name and record.path == _path_of(record.name) else record.path
        for names, form in self._forms:
            line.update((name, form(value)) for name, attribute in names if (value := getattr(record, attribute)))
        if record.name and record.name == record.title:
            line["name"] = True
        if record.fingerprint:
            line["by"] = self.fingerprints.index(record.fingerprint)
        if record.form != "html":
            line["form"] = record.form
        if record.links:
            name = self.used.get(record.key, linksets.NO_SET)
            line["links"] = linksets.encode(tuple(record.links), name, self.sets.get(name), self.shorten)
        if record.files:
            line["files"] = [_packed(file) for file in record.files]
        if record.memo:
            line["memo"] = dict(record.memo)
        return _json({**line, **self.extra.get(record.key, {})})

    def decode(self, line: Any, memory: dict[str, str]) -> Record:
        """The record of a parsed line. ValueError where it is none. `memory` makes equal strings one string."""
        if not isinstance(line, dict) or not isinstance(line.get("key"), str):
            raise ValueError("a record without a key")
        key = _once(memory, self.expand(line["key"]))
        status = _STATUS.get(line.get("status", "page"))
        if status is None:
            raise ValueError(f"the record {key} has the unknown status {line['status']!r}")
        if line.keys() - _KNOWN:
            self.extra[key] = {name: value for name, value in line.items() if name not in _KNOWN}
        values: dict[str, Any] = {}
        for name, value in _spelled(line).items():
            known = _READ.get(name)
            if known is None:
                continue
            attribute, kind, form = known
            if type(value) is not kind:
                raise ValueError(f"{value!r} stands where {kind.__name__} belongs")
            values[attribute] = value if form is None else form(self, value, memory)
        if "path" not in values:
            values["path"] = self._usual_path(key, status)
        if "links" in line:
            values["links"] = self._links(key, line["links"], memory)
        return Record(key=key, status=status, **values)

    def find(self, data: bytes, key: str) -> Record | None:
        """The record of a key among lines, but for its links; None where it is not there."""
        start = b'{"key":' + _json(self.shorten(key))
        found = next((line for line in data.split(b"\n") if line.startswith((start + b",", start + b"}"))), None)
        if found is None:
            return None
        return self.decode({name: value for name, value in json.loads(found).items() if name != "links"}, {})

    def _links(self, key: str, packed: Any, memory: dict[str, str]) -> Links:
        if type(packed) is not list:
            raise ValueError(f"the record {key} has no list of links")
        links = linksets.PackedLinks(packed, self.sets, lambda text: _once(memory, self.expand(text)))
        if packed and packed[0] in self.sets:
            self.used[key] = _once(memory, packed[0])
        return links


def _path_of(name: str) -> str:
    """The path that most items with a name have."""
    return f"pages/{name}.md"


def _spelled(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line with what other fields of it tell."""
    if line.get("name") is not True and line.get("path") is not True:
        return line
    name = _typed(line.get("title") if line.get("name") is True else line.get("name"), str)
    return {**line, "name": name, **({"path": _path_of(name)} if line.get("path") is True else {})}


def _packed(file: File) -> list[Any]:
    told = [file.path, file.size] if file.blob and file.blob == _named(file.path) else [file.path, file.blob, file.size]
    return [*told, *([True] if file.executable else [])]


def _unpacked(told: Any) -> File:
    if not isinstance(told, list) or [type(value) for value in told] not in _FILE_FORMS:
        raise ValueError(f"{told!r} stands where a file belongs")
    path, blob, size, *rest = told if isinstance(told[1], str) else (told[0], _named(told[0]), *told[1:])
    if not blob and not isinstance(told[1], str):
        raise ValueError(f"neither its name nor anything else tells the content of the file {path!r}")
    return File(path=path, blob=blob, size=size, executable=bool(rest))


def _named(path: str) -> str:
    """The content that a file is named by; "" where it has another name."""
    name = path.rpartition("/")[2].partition(".")[0]
    return name if _BLOB.fullmatch(name) else ""


_FILE_FORMS = ([str, str, int], [str, str, int, bool], [str, int], [str, int, bool])


def _short_hash(text: str) -> str:
    return text[7:] if _HASH.match(text) else _PLAIN + text


def _long_hash(text: str) -> str:
    return text[1:] if text.startswith(_PLAIN) else "sha256:" + text


def successor(old: Codec | None, records: Mapping[str, Record], changed: Iterable[str]) -> Codec:
    """The codec to write `records` with, where those with a key in `changed` differ from what `old` wrote.

    All others are told exactly as before.
    """
    changed = sorted(changed)
    touched = frozenset(changed)
    codec = Codec(
        base=old.base if old else common_base(records),
        fingerprints=_fingerprints(old.fingerprints if old else [], records),
        sets=dict(old.sets) if old else {},
        used={k: v for k, v in old.used.items() if k in records and k not in touched} if old else {},
        extra={k: v for k, v in old.extra.items() if k in records} if old else {},
    )
    pages = ((key, tuple(records[key].links)) for key in changed if key in records)
    codec.used.update(linksets.choose(pages, codec.sets, old.used if old else {}))
    needed = set(codec.used.values())
    codec.sets = {name: codec.sets[name] for name in sorted(needed)}
    return codec


def common_base(records: Mapping[str, Record]) -> str:
    """What all pages' keys begin with, up to a `/`."""
    keys = sorted(key for key, record in records.items() if record.status is Status.PAGE)
    if not keys:
        return ""
    first, last = keys[0], keys[-1]
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[: first.rfind("/", 0, same) + 1]


def _fingerprints(old: list[str], records: Mapping[str, Record]) -> list[str]:
    """The table: numbers in use stay, the tail that nobody uses goes, new ones are added in order."""
    used = {record.fingerprint for record in records.values() if record.fingerprint}
    kept = list(old)
    while kept and kept[-1] not in used:
        kept.pop()
    return kept + sorted(used - set(kept))


def parse_lines(data: bytes) -> list[Any]:
    """The values of JSON lines. ValueError where one is cut short or none."""
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line is cut short")
    text = data.decode()
    return list(json.loads("[" + ",".join(text.split("\n")[:-1]) + "]")) if text else []


def lines(values: Iterable[Any]) -> bytes:
    """JSON lines."""
    return b"".join(_json(value) + b"\n" for value in values)


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, from a broken page: JSON can escape it, UTF-8 cannot hold it
        return json.dumps(value, separators=(",", ":")).encode()


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{value!r} stands where {kind.__name__} belongs")
    return value


def _once(memory: dict[str, str], text: str) -> str:
    return memory.setdefault(text, text)


Form = Callable[[Codec, Any, dict[str, str]], Any]
_READ: Mapping[str, tuple[str, type, Form | None]] = {
    **{name: (attribute, str, None) for name, attribute in _TEXTS},
    **{name: (attribute, int, None) for name, attribute in _NUMBERS},
    **{name: (attribute, bool, None) for name, attribute in _FLAGS},
    **{name: (attribute, str, lambda codec, text, memory: _long_hash(text)) for name, attribute in _HASHES},
    **{
        name: (attribute, str, lambda codec, text, memory: _once(memory, codec.expand(text)))
        for name, attribute in _URLS
    },
    # What many pages share is one string in memory.
    **{name: (attribute, str, lambda codec, text, memory: _once(memory, text)) for name, attribute in _SHARED},
    "path": ("path", str, None),
    "form": ("form", str, lambda codec, text, memory: _once(memory, text)),
    "by": ("fingerprint", int, lambda codec, number, memory: codec.fingerprints[number]),
    "files": ("files", list, lambda codec, told, memory: tuple(map(_unpacked, told))),
    "memo": ("memo", dict, None),
}
"""Name in the file -> name in the record, the type it has there, and what makes the value of it."""
