"""Title, description and language of a page, each one line of plain text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from git_okf.source.markdown.invisible import without_invisible
from git_okf.source.web.extract.tree import raw_text

MAX_TITLE = 300
MAX_DESCRIPTION = 500
"""Characters."""

_SEPARATOR = re.compile(r"\s+(?:[|·•»«–—-]|::|/)\s+|\s*[|»«]\s*|\s+—\s*")
_SENTENCE = re.compile(r"(.{20,}?[.!?。！？])(?:\s|$|(?<=[。！？]))", re.S)
_GENERAL_NAMES = frozenset(("home", "index", "documentation", "docs", "untitled"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What the page says of itself in its head."""

    title: str
    """Of `<title>`, with the site's name."""
    og_title: str
    site: str
    """`og:site_name`, or ""."""
    description: str
    language: str


def read(root: etree._Element) -> Metadata:
    """What the head of a page says."""
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name and meta.get("content"):
            metas.setdefault(name, meta.get("content") or "")
    title = next((line(raw_text(t)) for t in root.iter("title") if not _in_svg(t)), "")
    return Metadata(
        title=title,
        og_title=line(metas.get("og:title", "")),
        site=line(metas.get("og:site_name", "") or metas.get("application-name", "")),
        description=line(metas.get("description", "") or metas.get("og:description", "")),
        language=line(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")[:35],
    )


def _in_svg(el: etree._Element) -> bool:
    return any(parent.tag == "svg" for parent in el.iterancestors())


def line(text: str) -> str:
    """One line without control, bidirectional and invisible characters."""
    return " ".join(without_invisible(" ".join(text.split()))[0].split())


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, ending at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at = head.rfind(" ")
    return f"{head[:at] if at > limit // 2 else head}…"


def title(meta: Metadata, heading: str, first_heading: str) -> str:
    """The page's own title: its h1, or what the head says without the site's name."""
    if heading and heading.lower() not in _GENERAL_NAMES:
        return cut(heading, MAX_TITLE)
    own = _own_part(meta, first_heading)
    return cut(own or heading or first_heading, MAX_TITLE)


def _own_part(meta: Metadata, heading: str) -> str:
    text = meta.og_title or meta.title
    if meta.site and text.lower().endswith(meta.site.lower()) and len(text) > len(meta.site):
        own = _trimmed(text[: -len(meta.site)])
        return own or text
    parts = [part for part in _SEPARATOR.split(text) if part]
    if len(parts) < 2:
        return text
    for part in parts:
        if heading and part.lower() == heading.lower():
            return part
    return text[: text.rindex(parts[-1])].rstrip(" |·•»«–—-:/") or text


def _trimmed(text: str) -> str:
    return text.strip(" |·•»«–—-:/")


def is_page_heading(meta: Metadata, heading: str) -> bool:
    """Whether a heading outside of the content is the page's own and not the site's: `<title>` begins like it."""
    first, text = _squeezed(_own_part(meta, "")), _squeezed(heading)
    return bool(first and text) and (text.startswith(first) or first.startswith(text))


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def description(meta: Metadata, page_title: str, first_paragraph: Callable[[], str]) -> str:
    """The description the page gives of itself, or the first sentence of its text."""
    said = meta.description
    suffix = meta.title.removeprefix(page_title).strip(" |·•»«–—-:/")
    site_wide = bool(suffix) and suffix != meta.title and _squeezed(said).startswith(_squeezed(suffix))
    if said and not site_wide and _squeezed(said) != _squeezed(page_title):
        return cut(said, MAX_DESCRIPTION)
    text = line(first_paragraph())
    match = _SENTENCE.match(text)
    return cut(match[1] if match else text, MAX_DESCRIPTION)
