"""What of a content node is missing in its Markdown. A page that lost something is reported, never silently cut."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from lxml import etree

from git_okf.source.web.extract.tree import raw_text, texts

MIN_SHARE = 0.97
"""Below this share of the words of the content node, the page is reported."""

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*(?: \"#[^\"\n]*\")?\)|<a id=\"[^\"\n]*\"></a>")
_FENCE = re.compile(r"^[ \t>]*(`{3,})[^`\n]*$", re.M)
_HEADING = re.compile(r"^[ \t>*-]*#{1,6} ", re.M)
_TABLE = re.compile(r"^[ \t>*-]*(?:\| (?:.* )?:?---|<table>)", re.M)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a content node holds."""

    texts: tuple[str, ...]
    words: Counter[str]
    headings: int
    tables: int
    fences: int


def measure(node: etree._Element) -> Measure:
    """Of a cleaned node, before it is converted."""
    texts = tuple(_texts(node))
    return Measure(
        texts=texts,
        words=Counter(_WORD.findall("\n".join(texts))),
        headings=sum(1 for h in node.iter("h1", "h2", "h3", "h4", "h5", "h6") if _has_letters(h)),
        tables=sum(1 for t in node.iter("th") if _said(t)) and sum(1 for t in node.iter("table") if _has_heads(t)),
        fences=sum(1 for p in node.iter("pre") if _has_letters(p) and next(p.iterdescendants("pre"), None) is None),
    )


def _texts(node: etree._Element) -> list[str]:
    """The pieces of text, formulas apart: their Markdown is TeX and says the same in other words."""
    formulas = list(node.iter("script", "math", "mjx-container", "annotation"))
    skipped = {str(text) for el in formulas for text in texts(el)} if formulas else frozenset()
    return [str(text) for text in texts(node) if text not in skipped]


def _said(el: etree._Element) -> bool:
    return any(text.strip() for text in texts(el))


def _has_letters(el: etree._Element) -> bool:
    """Numbers alone may be line numbers or the numbers of notes, which are written otherwise."""
    return any(c.isalpha() for c in raw_text(el))


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
        share = _lost_share(before.texts, text)
        if share > 1 - MIN_SHARE:
            said.append(f"{100 * share:.0f} % of the text of the content is missing")
    fences, headings = len(_FENCE.findall(body)) // 2, len(_HEADING.findall(body))
    for name, wanted, found in (
        ("headings", before.headings, headings),
        ("tables", before.tables, len(_TABLE.findall(body))),
        ("code blocks", before.fences, fences),
    ):
        if found < wanted:
            said.append(f"{wanted - found} of {wanted} {name} are missing")
    return tuple(said), words.total()


def _lost_share(texts: tuple[str, ...], body: str) -> float:
    """The share of the pieces of text, by length, that stand nowhere in the body; words may be cut differently."""
    flat = _squeezed(body)
    pieces = [_squeezed(text) for text in texts]
    return sum(len(p) for p in pieces if p not in flat) / max(1, sum(map(len, pieces)))


def _squeezed(text: str) -> str:
    return "".join(_WORD.findall(text))
