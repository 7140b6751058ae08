"""What extraction is told and what it gives back: values that travel between processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How pages of one source become Markdown. Picklable as long as its three functions are."""

    content: str | None = None
    """CSS selector of the content, or the name of a theme; None: found by the page's theme."""
    drop: tuple[str, ...] = ()
    """CSS selectors of what to leave out."""
    ignore: tuple[str, ...] = ()
    """Patterns not counted as change; see git_okf.digest.compared_hash."""
    links: str = "relative"
    """`relative`: links to pages of the source are relative to the page's file; `absolute`: they stay URLs."""
    owns: Callable[[str], bool]
    """Whether an absolute URL is a page of the source."""
    place: Callable[[str], str]
    """URL -> path in the bundle."""
    key: Callable[[str], str]
    """URL -> its canonical form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A page as Markdown, and what is to be known of it. Everything follows from the bytes, the URL and the options."""

    title: str
    description: str
    body: str
    """Canonical Markdown (git_okf.digest.canonical)."""
    content_hash: str
    compared_hash: str
    """Of the compared form; "" where it is the body."""
    size: int
    """Characters of the body."""
    language: str
    """As the page declares it (BCP 47), or ""."""
    warnings: tuple[str, ...]
    """Sentences on what could not be kept."""
    hidden: int
    """Fragments no reader sees, which were removed."""
    words: int
