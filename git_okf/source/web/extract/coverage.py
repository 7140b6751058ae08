"""What of a content node is missing in its Markdown. A page that lost something is reported, never silently cut."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from lxml import etree

MIN_SHARE = 0.97
"""Below this share of the words of the content node, the page is reported."""

_WORD = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*\)")
_FENCE = re.compile(r"^[ \t>]*(`{3,})[^`\n]*$", re.M)
_HEADING = re.compile(r"^[ \t>*-]*#{1,6} ", re.M)
_TABLE = re.compile(r"^[ \t>*-]*(?:\| (?:.* )?:?---|<table>)", re.M)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a content node holds."""

    words: Counter[str]
    headings: int
    tables: int
    fences: int


def measure(node: etree._Element) -> Measure:
    """Of a cleaned node, before it is converted."""
    return Measure(
        words=Counter(_WORD.findall("".join(_texts(node)))),
        headings=sum(1 for h in node.iter("h1", "h2", "h3", "h4", "h5", "h6") if _said(h)),
        tables=sum(1 for t in node.iter("th") if _said(t)) and sum(1 for t in node.iter("table") if _has_heads(t)),
        fences=sum(1 for p in node.iter("pre") if _said(p) and next(p.iterdescendants("pre"), None) is None),
    )


def _texts(node: etree._Element) -> list[str]:
    skipped = {text for el in node.iter("script", "annotation") for text in el.itertext()}
    return [text for text in node.itertext() if text not in skipped]


def _said(el: etree._Element) -> bool:
    return any(text.strip() for text in el.itertext())


def _has_heads(table: etree._Element) -> bool:
    return table.get("role") != "presentation" and any(_said(th) for th in table.iterdescendants("th"))


def losses(before: Measure, body: str) -> tuple[tuple[str, ...], int]:
    """Sentences on what is missing, and the number of words the body has."""
    text = _TARGET.sub("]", body) if "](" in body else body
    words = Counter(_WORD.findall(text))
    total = before.words.total()
    kept = (before.words & words).total()
    said = []
    if total and kept < total * MIN_SHARE:
        said.append(f"{100 * (total - kept) / total:.0f} % of the words of the content are missing")
    fences, headings = len(_FENCE.findall(body)) // 2, len(_HEADING.findall(body))
    for name, wanted, found in (
        ("headings", before.headings, headings),
        ("tables", before.tables, len(_TABLE.findall(body))),
        ("code blocks", before.fences, fences),
    ):
        if found < wanted:
            said.append(f"{wanted - found} of {wanted} {name} are missing")
    return tuple(said), words.total()
