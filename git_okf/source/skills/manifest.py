"""What a SKILL.md says of its skill. Pure.

Loading is lenient, as clients load it (agentskills "Adding skills support"): a name that breaks the rules is taken and
warned about, a key nobody knows is kept and warned about, and only a skill without a description, or one whose front
matter cannot be read, is refused. What the specification's own validator would say is in `strict`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.source.repository.paths import shown
from git_okf.source.skills import frontmatter
from git_okf.source.skills.frontmatter import Unreadable

FILE_NAME = "SKILL.md"
OTHER_NAME = "skill.md"
"""What the reference parser takes too, where there is no SKILL.md."""
NAME_LENGTH = 64
DESCRIPTION_LENGTH = 1024
COMPATIBILITY_LENGTH = 500
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
ADVISED_LINES = 500
ADVISED_CHARACTERS = 20_000
"""Of the body: about 5,000 tokens."""

__all__ = ["Manifest", "Unreadable", "read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Front matter and body. All values are text; "" where the skill says nothing."""

    name: str
    description: str
    license: str = ""
    compatibility: str = ""
    allowed_tools: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    """The `metadata` mapping, in its order; what is no text in it is written as JSON."""
    extra: tuple[tuple[str, str], ...] = ()
    """Keys outside of the specification, in their order."""
    body: str = ""
    warnings: tuple[str, ...] = ()

    def said(self, key: str) -> str:
        """A fact that belongs into `metadata` (`version`, `author`) and often stands at the top; "" for none."""
        return dict(self.metadata).get(key) or dict(self.extra).get(key, "")


def read(data: bytes, directory: str) -> Manifest:
    """The manifest of a skill in a directory of this name. Unreadable where clients would skip the skill."""
    front = frontmatter.read(data)
    values, warnings = front.values, list(front.warnings)
    description = _text(values.get("description")).strip()
    if not description:
        raise Unreadable("has no description, without which clients skip a skill")
    metadata, extra = _mappings(values, warnings)
    made = Manifest(
        name=_one_line(_text(values.get("name"))) or directory,
        description=description,
        license=_one_line(_text(values.get("license"))),
        compatibility=_one_line(_text(values.get("compatibility"))),
        allowed_tools=_tools(values.get("allowed-tools"), warnings),
        metadata=metadata,
        extra=extra,
        body=front.body,
    )
    given = _one_line(_text(values.get("name")))
    warnings += _doubts(made, given, directory)
    return Manifest(**{key: getattr(made, key) for key in _OWN}, warnings=tuple(warnings))


_OWN = tuple(key for key in Manifest.__slots__ if key != "warnings")


def _mappings(
    values: Mapping[str, Any], warnings: list[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    said = values.get("metadata")
    metadata: tuple[tuple[str, str], ...] = ()
    if isinstance(said, Mapping):
        metadata = tuple((str(key), _text(value)) for key, value in said.items())
    elif said:
        warnings.append("`metadata` is no mapping of names to texts; it was left out")
    extra = tuple((key, _text(value)) for key, value in values.items() if key not in FIELDS)
    if extra:
        names = ", ".join(shown(key) for key, _ in extra)
        warnings.append(f"keys the specification does not know, kept: {names}")
    return metadata, extra


def _tools(value: Any, warnings: list[str]) -> str:
    if isinstance(value, list):
        warnings.append("`allowed-tools` is a list, not a text with spaces between the tools")
        return " ".join(_one_line(_text(tool)) for tool in value)
    return _one_line(_text(value))


def _doubts(made: Manifest, given: str, directory: str) -> list[str]:
    doubts = []
    if not given:
        doubts.append(f"there is no name; the directory's stands for it: {directory}")
    elif given != directory:
        doubts.append(f"the name is {given!r}, the directory {directory!r}")
    for what, text, limit in (
        ("the name", made.name, NAME_LENGTH),
        ("the description", made.description, DESCRIPTION_LENGTH),
        ("`compatibility`", made.compatibility, COMPATIBILITY_LENGTH),
    ):
        if len(text) > limit:
            doubts.append(f"{what} has {len(text)} characters, more than {limit}")
    lines = made.body.count("\n")
    if lines > ADVISED_LINES or len(made.body) > ADVISED_CHARACTERS:
        doubts.append(f"the body is long ({lines} lines): the advice is at most {ADVISED_LINES} lines or 5,000 tokens")
    return doubts


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())
