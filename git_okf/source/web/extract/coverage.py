"""What of a content node is missing in its Markdown. A page that lost something is reported, never silently cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from git_okf.source.web.extract.tree import raw_text, texts

MIN_SHARE = 0.97
"""Below this share of the words of the content node, the page is reported."""

_WORD = re.compile(r"\w+")
_WORD_BYTES = bytes(c if c > 0x7F or _WORD.match(chr(c)) else 0x20 for c in range(256))
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?: \"#[^\"\n]*\")?\)|<a id=\"[^\"\n]*\"></a>")
_FENCE = re.compile(r"[ \t>]*(`{3,})[^`\n]*$")
_HEADING = re.compile(r"[ \t>*-]*#{1,6} ")
_TABLE = re.compile(r"[ \t>*-]*(?:\| (?:.* )?:?---|<table>)")

Words = Mapping[bytes, int]
"""Word (UTF-8) -> how often it is there."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a content node holds."""

    texts: tuple[str, ...]
    words: Words
    total: int
    """Of the words."""
    headings: int
    tables: int
    fences: int


def measure(node: etree._Element) -> Measure:
    """Of a cleaned node, before it is converted."""
    pieces = tuple(_texts(node))
    words = words_of("\n".join(pieces))
    return Measure(
        texts=pieces,
        words=words,
        total=sum(words.values()),
        headings=sum(1 for h in node.iter("h1", "h2", "h3", "h4", "h5", "h6") if _has_letters(h)),
        tables=sum(1 for t in node.iter("table") if _has_heads(t)) if any(map(_said, node.iter("th"))) else 0,
        fences=sum(1 for p in node.iter("pre") if _has_letters(p) and next(p.iterdescendants("pre"), None) is None),
    )


def _texts(node: etree._Element) -> list[str]:
    """The pieces of text, formulas apart: their Markdown is TeX and says the same in other words."""
    pieces = texts(node)
    formulas = list(node.iter("script", "math", "mjx-container", "annotation"))
    if not formulas:
        return pieces
    skipped = {text for el in formulas for text in texts(el)}
    return [text for text in pieces if text not in skipped]


def words_of(text: str) -> Words:
    """The words of a text: those of ASCII cut out of its bytes, which is five times faster than by the expression."""
    words = Counter(text.encode("utf-8", "surrogatepass").translate(_WORD_BYTES).split())
    if not text.isascii():
        for mixed in [word for word in words if not word.isascii()]:
            times = words.pop(mixed)
            for word in _WORD.findall(mixed.decode("utf-8", "surrogatepass")):
                words[word.encode("utf-8", "surrogatepass")] += times
    return words


def _said(el: etree._Element) -> bool:
    return bool((el.text or "").strip() or raw_text(el).strip())


def _has_letters(el: etree._Element) -> bool:
    """Numbers alone may be line numbers or the numbers of notes, which are written otherwise.

    The text before the first inner element mostly tells, and to have all of it takes far longer.
    """
    return any(map(str.isalpha, el.text or "")) or any(map(str.isalpha, raw_text(el)))


def _has_heads(table: etree._Element) -> bool:
    return table.get("role") != "presentation" and any(_said(th) for th in table.iterdescendants("th"))


def losses(before: Measure, body: str) -> tuple[tuple[str, ...], int]:
    """Sentences on what is missing, and the number of words the body has."""
    text = _TARGET.sub("]", body) if "](" in body else body
    words = words_of(text)
    have = words.get
    missing = sum([times - have(word, 0) for word, times in before.words.items() if times > have(word, 0)])
    said = []
    if before.total and before.total - missing < before.total * MIN_SHARE:
        share = _lost_share(before.texts, text)
        if share > 1 - MIN_SHARE:
            said.append(f"{100 * share:.0f} % of the text of the content is missing")
    lines = body.split("\n") if before.headings or before.tables or before.fences else []
    for name, wanted, pattern, mark, each in (
        ("headings", before.headings, _HEADING, "# ", 1),
        ("tables", before.tables, _TABLE, "", 1),
        ("code blocks", before.fences, _FENCE, "```", 2),
    ):
        found = _begun(lines, pattern, mark) // each if wanted else 0
        if found < wanted:
            said.append(f"{wanted - found} of {wanted} {name} are missing")
    return tuple(said), sum(words.values())


def _begun(lines: Sequence[str], pattern: re.Pattern[str], mark: str) -> int:
    """The lines that begin so; only those with the mark in them can."""
    return sum(1 for line in lines if mark in line and pattern.match(line))


def _lost_share(texts: tuple[str, ...], body: str) -> float:
    """The share of the pieces of text, by length, that stand nowhere in the body; words may be cut differently."""
    flat = _squeezed(body)
    pieces = [_squeezed(text) for text in texts]
    return sum(len(p) for p in pieces if p not in flat) / max(1, sum(map(len, pieces)))


def _squeezed(text: str) -> str:
    return "".join(_WORD.findall(text))
