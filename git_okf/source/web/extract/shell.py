"""Pages that are an empty frame for scripts to fill: they need a browser. A short page is none of them."""

from __future__ import annotations

import re

from lxml import etree

from git_okf.source.web.extract.reasons import NEEDS_BROWSER, NEEDS_SELECTOR
from git_okf.source.web.extract.tree import words

_ROOTS = words(
    "root app __next __nuxt ___gatsby svelte q-app docs-app main-app react-root application swagger-ui redoc-container"
)
"""Ids of the element that an application fills."""
_CUSTOM = ("app-root", "redoc", "rapi-doc", "elements-api", "docs-app")
"""Elements that are such an element by their name."""
_UNREAD = ("script", "style", "noscript", "template", "title")
_LITTLE = 6
"""Words up to which an application's element says no more than that it is loading."""
_WIDE = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}]+")


def count_words(text: str) -> int:
    """Words; of scripts that set no blanks between them, characters."""
    return sum(1 for _ in _WORD.finditer(text))


def needs_browser(root: etree._Element) -> bool:
    """Whether a page, as it came, is only an application's frame, or nothing but scripts.

    An application's element with its content in it (rendered on the server) is no frame.
    """
    body = root.find("body")
    body = root if body is None else body
    frames = [el for el in body.iter() if el.get("id") in _ROOTS or el.tag in _CUSTOM]
    if frames:
        return any(_said(el) <= _LITTLE and next(el.iter("h1", "h2"), None) is None for el in frames)
    return next(root.iter("script"), None) is not None and not _said(body)


def _said(el: etree._Element) -> int:
    """Words outside scripts and the like."""
    texts: list[str] = []
    _collect(el, texts)
    return count_words(" ".join(texts))


def _collect(el: etree._Element, texts: list[str]) -> None:
    """In document order, without recursion: a hostile page may be as deep as its parser lets it."""
    skipping = 0
    for event, part in etree.iterwalk(el, events=("start", "end", "comment", "pi")):
        unread = part.tag in _UNREAD or not isinstance(part.tag, str)
        if event == "start":
            skipping += unread
            if not skipping:
                texts.append(part.text or "")
        else:
            skipping -= unread and event == "end"
            if not skipping and part is not el:
                texts.append(part.tail or "")


def hint(root: etree._Element) -> str:
    """What to do about a page without content."""
    return NEEDS_BROWSER if needs_browser(root) else NEEDS_SELECTOR
