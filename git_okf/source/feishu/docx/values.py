"""What conversion needs and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

IMAGE, FILE = "image", "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image or a file that a document shows, to be had with its token."""

    token: str
    kind: str
    """`image` or `file`."""
    name: str = ""
    """What the document calls it: a file's name, an image's caption; "" where it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a document cannot know of the place it is written to. The functions are pure."""

    media_path: Callable[[str], str | None]
    """Token -> the path of the image or file, relative to the document's own file; None where it could not be had."""
    doc_link: Callable[[str, int], str | None]
    """Token and `obj_type` of another object -> the link to write for it, as it stands in Markdown; None where there
    is none to give. A URL that the document itself gives is then taken."""
    zone: tzinfo = UTC
    """In which reminders are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A document as Markdown."""

    markdown: str
    """In canonical form; "" for an empty document. The title is not in it."""
    title: str
    """On one line; plain text, "" where the document has none."""
    media: tuple[Media, ...]
    """In order of appearance, each once."""
    unknown: Mapping[str, int]
    """Block type (its name, or its number where it has none) -> how many placeholders stand for such blocks."""
    warnings: tuple[str, ...]
    """What could not be kept as it was; sentences without anything of the document's in them."""
