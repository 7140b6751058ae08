"""Admonitions of every theme -> GitHub alerts (`> [!NOTE]`)."""

from __future__ import annotations

import re

from lxml import etree

from git_okf.source.web.extract.convert.assemble import join, quoted, titled
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.extract.tree import class_names, classes, remove, text_of, words

TAGS = frozenset(("div", "aside", "section", "blockquote", "details", "p", "article", "table"))

_KINDS = {
    "NOTE": "note info seealso todo abstract summary tldr question example quote primary secondary new context rule",
    "TIP": "tip hint success check done advice best-practice",
    "IMPORTANT": "important remember",
    "WARNING": "warning warn attention deprecated caution-light",
    "CAUTION": "caution danger error failure fail bug missing alert-danger",
}
_ALERTS = frozenset(_KINDS)
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_BOXES = words(
    "admonition admonitionblock theme-admonition custom-block alert callout markdown-alert notecard book-hint hint"
    " starlight-aside nextra-callout bs-callout notices notification infobox td-alert doc-alert message callout-box"
    " markdown-callout rdmd-callout block-note confluence-information-macro"
)
"""Classes that say "an admonition", whose kind another word says."""
_BARE = frozenset(("note", "tip", "warning", "caution", "important", "danger", "attention"))
"""Classes that say it all on a box."""
_TITLES = words(
    "admonition-title custom-block-title markdown-alert-title admonition-heading admonitionHeading callout-title"
    " callout-header callout-heading alert-heading alert-title starlight-aside__title hint-title title"
    " admonition__title notification-title"
)


def kind(el: etree._Element) -> str:
    """NOTE, TIP, IMPORTANT, WARNING or CAUTION; "" where an element is no admonition."""
    value = el.get("class")
    return kind_of(str(el.tag), value) if value else ""


@remembered(4096)
def kind_of(tag: str, value: str) -> str:
    """The kind that a tag and a `class` say; see `kind`."""
    names = [name.lower() for name in class_names(value)]
    if not names:
        return ""
    boxed = [n for n in names if n in _BOXES or n.rstrip("0123456789") in _BOXES]
    if not boxed:
        bare = next((n for n in names if n in _BARE), "")
        prefixed = next((n for n in names if n.startswith(("alert-", "callout-", "admonition-"))), "")
        if prefixed and tag in ("div", "aside", "section", "blockquote"):
            return _word(prefixed)
        return _KIND_OF[bare] if bare and tag in ("div", "aside", "section", "blockquote", "details", "dl") else ""
    if tag in ("p", "article", "table"):
        return ""
    for name in names:
        found = _word(name)
        if found and name not in ("hint", "book-hint"):
            return found
    return "TIP" if "hint" in names else "NOTE"


def _word(name: str) -> str:
    for word in (name, *re.split(r"[-_]+", name)):
        if word in _KIND_OF:
            return _KIND_OF[word]
    return ""


def callout(el: etree._Element, page: Page) -> list[Block]:
    """One admonition with its title, unless that only repeats the kind."""
    name = kind(el)
    body, title = _parts(el)
    nested = any(parent.tag in ("li", "dd", "td", "blockquote") for parent in el.iterancestors())
    heading: list[Block] = []
    if title is not None:
        said = text_of(title).strip(" :!.").lower()
        if name == "NOTE" and said.upper() in _ALERTS:
            name = said.upper()
        if said and (said.upper() != name or _heading(title) is not None):
            heading = titled(title, page)
        remove(title)
    blocks = [*heading, *page.flow(body, page)]
    if not blocks:
        return []
    # Alerts inside of lists are plain quotes to GitHub: there a title of its own says more than the marker.
    marker = "" if nested and heading and heading[0].kind == "p" else f"[!{name}]\n"
    return [Block("quote", quoted(f"{marker}{join(blocks)}"))]


def _parts(el: etree._Element) -> tuple[etree._Element, etree._Element | None]:
    """Where the text is, and the title."""
    if el.tag == "dl":  # Doxygen
        return next(el.iter("dd"), el), next(el.iter("dt"), None)
    for cell in el.iterdescendants("td"):
        if "icon" in classes(cell):  # Asciidoctor
            body = cell.getnext()
            return (el if body is None else body), cell
        break
    for depth, child in _near(el):
        if child.tag == "summary" or _TITLES.intersection(classes(child)):
            return el, child
        if child.tag in ("h2", "h3", "h4", "h5", "h6") and depth == 1 and child.getprevious() is None:
            return el, child
    return el, None


def _near(el: etree._Element) -> list[tuple[int, etree._Element]]:
    first = [(1, child) for child in el][:3]
    return first + [(2, grandchild) for _, child in first for grandchild in list(child)[:2]]


def _heading(el: etree._Element) -> etree._Element | None:
    return next(el.iter("h1", "h2", "h3", "h4", "h5", "h6"), None)
