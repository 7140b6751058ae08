"""What a source remembers of an article between two runs, as JSON values in its record (`Record.memo`).

syncCheckpoints  type -> {at, done}: its watermark (see `watermark`); `done` but for what `stored` tells
parts            type -> {seen, stored, facts}: what was there, what of it was stored where, what it told
  stored         token -> [modification time, path]; the path alone where it is done at the time of the mark
media            token -> path: the images and files in the text
left             type -> {standing, why}: what stays away until it changes
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf.model import Fetched, File, Record
from git_okf.source.feishu.watermark import Mark, mark_of

ARTICLE, PODCAST, SLIDES, HTML = TYPES = ("article", "podcast", "slides", "html")
"""The content types; the first is the article itself, and the only one it must have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One content type of an article as it was stored."""

    mark: Mark | None
    seen: str
    """`Article.seen` of what was listed."""
    stored: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Token -> modification time and path, of each file."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """For the front matter."""

    @property
    def paths(self) -> set[str]:
        """Of all its files, the thumbnail included."""
        made = self.facts.get("thumbnail")
        return {path for _, path in self.stored.values()} | ({made} if isinstance(made, str) else set())

    @property
    def implied(self) -> frozenset[str]:
        """Who is done at the time of the mark, and stored with that very time: told once."""
        mark = self.mark
        if mark is None:
            return frozenset()
        return frozenset(token for token, (when, _) in self.stored.items() if when == mark.at and token in mark.done)

    def told(self) -> dict[str, Any]:
        """As JSON values, but for the mark; what is empty is left out."""
        implied = self.implied
        stored = {
            token: short(path) if token in implied else [when, short(path)]
            for token, (when, path) in sorted(self.stored.items())
        }
        whole = {"seen": self.seen, "stored": stored, "facts": _changed(self.facts, short)}
        return {name: value for name, value in whole.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A part that is not taken while what is listed stays as it is."""

    standing: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    parts: Mapping[str, Part] = field(default_factory=dict)
    media: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, Left] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As JSON values; what is empty is left out."""
        parts = {kind: part.told() for kind, part in self.parts.items()}
        marks = {kind: part.mark.told(but=part.implied) for kind, part in self.parts.items() if part.mark}
        left = {kind: {"standing": each.standing, "why": each.why} for kind, each in self.left.items()}
        whole = {
            "syncCheckpoints": marks,
            "parts": parts,
            "media": _changed(dict(sorted(self.media.items())), short),
            "left": left,
        }
        return {name: value for name, value in whole.items() if value}


_OF_CONTENT = re.compile(r"(?:assets|large)/([0-9a-f]{2})/(\1[0-9a-f]{10})[0-9a-f]{28}([.-][^/]*)\Z")


def short(path: str) -> str:
    """A path that is made of its content, by the first 12 digits of that; any other as it is."""
    found = _OF_CONTENT.match(path)
    return f"{found[2]}{found[3]}" if found else path


def _changed(facts: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    return {name: change(value) if isinstance(value, str) else value for name, value in facts.items()}


def memo_of(told: Mapping[str, Any], files: Iterable[File] = ()) -> Memo:
    """What was told of an item that has these files. Whatever cannot be read is nothing: that part begins from zero."""
    whole = {short(file.path): file.path for file in files}

    def path_of(said: str) -> str:
        return whole.get(said, said)

    marks = _mapping(told.get("syncCheckpoints"))
    parts = {
        kind: _part(each, marks.get(kind), path_of)
        for kind, each in _mapping(told.get("parts")).items()
        if kind in TYPES
    }
    left = {
        kind: Left(standing=str(each.get("standing", "")), why=str(each.get("why", "")))
        for kind, each in _mapping(told.get("left")).items()
        if kind in TYPES and isinstance(each, Mapping)
    }
    media = {token: path_of(path) for token, path in _mapping(told.get("media")).items() if isinstance(path, str)}
    return Memo(parts=parts, media=media, left=left)


def _part(told: object, mark: object, path_of: Callable[[str], str]) -> Part:
    told = _mapping(told)
    seen, stored, last = told.get("seen"), _mapping(told.get("stored")), mark_of(mark)
    if last is not None:
        last = Mark(last.at, last.done | {token for token, each in stored.items() if isinstance(each, str)})
    return Part(
        mark=last,
        seen=seen if isinstance(seen, str) else "",
        stored={token: (when, path_of(path)) for token, (when, path) in _stored(stored, last.at if last else 0)},
        facts=_changed(_mapping(told.get("facts")), path_of),
    )


def _stored(told: Mapping[str, Any], at: int) -> Iterator[tuple[str, tuple[int, str]]]:
    for token, each in told.items():
        if isinstance(each, str):
            yield token, (at, each)
        elif (
            isinstance(each, list | tuple) and len(each) == 2 and isinstance(each[0], int) and isinstance(each[1], str)
        ):
            yield token, (each[0], each[1])


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """An article as it was taken last: what its record says, or what an unfinished run saved."""

    title: str = ""
    description: str = ""
    content_hash: str = ""
    compared_hash: str = ""
    raw_hash: str = ""
    fingerprint: str = ""
    size: int = 0
    name: str = ""
    memo: Memo = field(default_factory=Memo)
    files: Mapping[str, File] = field(default_factory=dict)
    """By path."""
    saved: Fetched | None = None
    """What an unfinished run saved, where that is what it was taken as."""

    def holds(self, part: Part) -> bool:
        """Whether all files of a part are ours to name again."""
        return part.paths <= self.files.keys()


def prior_of(last: Record | Fetched) -> Prior:
    return Prior(
        title=last.title,
        description=last.description,
        content_hash=last.content_hash,
        compared_hash=last.compared_hash,
        raw_hash=last.raw_hash,
        fingerprint=last.fingerprint,
        size=last.size,
        name=last.name,
        memo=memo_of(last.memo, last.files),
        files={file.path: file for file in last.files},
        saved=last if isinstance(last, Fetched) else None,
    )
