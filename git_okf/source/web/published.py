"""Markdown that a site publishes of its pages: where it is, and whether it is what it says. Pure.

A site offers it in three ways: it answers `Accept: text/markdown` (Cloudflare's "Markdown for Agents" and others), a
page names its twin (`rel=alternate type=text/markdown`), or llms.txt lists the Markdown of its pages. What a page says
is then taken from the Markdown, where it leads from the HTML: published Markdown has no navigation. The start page
stays HTML, because its navigation is what leads to new pages.

`prefer` decides: `html` takes none. `auto` takes it where the source began with it; a source that began with HTML stays
HTML, so that a site which begins to offer Markdown does not change every page at once. `markdown` takes it for new
pages and for known ones when they change. `--rebuild` decides anew for every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source.web.url import split

ACCEPT = "text/markdown, text/x-markdown;q=0.9, text/plain;q=0.5"
ACCEPT_EITHER = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.8, */*;q=0.1"
"""For the first page: shows whether the site answers to it, at no further request."""
TYPES = ("text/markdown", "text/x-markdown", "text/plain")

SHARED = 0.5
"""Share of the Markdown's longer words that the HTML page must have, too."""
_WORD = re.compile(r"[^\W\d_]{4,}")
_INDEX = re.compile(r"(?:^|(?<=/))index\.md\Z")


def wanted(source: WebSource, records: Iterable[Record], *, afresh: bool) -> bool:
    """Whether this run takes published Markdown for new pages."""
    if source.prefer != "auto" or afresh:
        return source.prefer != "html"
    forms = {record.form for record in records if record.status is Status.PAGE}
    return not forms or "markdown" in forms


def page_of(key: str) -> str:
    """The key of the page that a Markdown URL stands for: `/a.md` is `/a`, `/a/index.html.md` is `/a/index.html`."""
    parts = split(key)
    if not parts.path.endswith(".md"):
        return key
    path = _INDEX.sub("", parts.path)
    return parts._replace(path=path.removesuffix(".md") or "/").text()


def refusal(markdown: bytes, content_type: str, html: bytes) -> str:
    """Why an answer is not the Markdown of a page ("" if it is)."""
    media = content_type.partition(";")[0].strip().lower()
    if media not in TYPES:
        return f"it is {media or 'of no known type'}"
    text = markdown.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if re.match(r"<!doctype|<html", text, re.IGNORECASE):
        return "it is HTML"
    if not text:
        return "it is empty"
    words = set(_WORD.findall(text.lower()))
    there = set(_WORD.findall(html.decode("utf-8", "replace").lower()))
    # A site that answers every unknown address with one text must not give that to all pages.
    if words and len(words & there) < SHARED * len(words):
        return "it does not say what the page says"
    return ""
