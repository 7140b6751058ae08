"""What of a content node is missing in its Markdown. A page that lost something is reported, never silently cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse

from lxml import etree

from git_okf.source.web.extract.tree import raw_text, texts

MIN_SHARE = 0.97
"""Below this share of the words of the content node, the page is reported."""

_WORD = re.compile(r"\w+")
_WORD_BYTES = bytes(c if c > 0x7F or _WORD.match(chr(c)) else 0x20 for c in range(256))
_LINK = re.compile(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?: \"#[^\"\n]*\")?\)")
_TARGET = re.compile(rf"{_LINK.pattern}|<a id=\"[^\"\n]*\"></a>")
"""With anchors. It is looked for at each character, where the former is looked for by how it begins."""
_AHEAD = 24
"""Words in which two texts may differ and still be followed on."""
_RUN = 32
"""Words that are compared at once."""
_FENCE = re.compile(r"[ \t>]*(`{3,})[^`\n]*$")
_HEADING = re.compile(r"[ \t>*-]*#{1,6} ")
_TABLE = re.compile(r"[ \t>*-]*(?:\| (?:.* )?:?---|<table>)")

Words = Mapping[bytes, int]
"""Word (UTF-8) -> how often it is there."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a content node holds."""

    texts: tuple[str, ...]
    pieces: Sequence[bytes]
    total: int
    """Of the words."""
    headings: int
    tables: int
    fences: int


def measure(node: etree._Element) -> Measure:
    """Of a cleaned node, before it is converted."""
    said = tuple(_texts(node))
    pieces = _pieces("\n".join(said))
    return Measure(
        texts=said,
        pieces=pieces,
        total=_number(pieces),
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
    """The words of a text."""
    return _counted(_pieces(text))


def _pieces(text: str) -> list[bytes]:
    """The words of a text, cut out of its bytes, which is five times faster than by the expression.

    A piece that is not ASCII may be several words, or none.
    """
    return text.encode("utf-8", "surrogatepass").translate(_WORD_BYTES).split()


def _inner(piece: bytes) -> list[str]:
    return _WORD.findall(piece.decode("utf-8", "surrogatepass"))


def _counted(pieces: Iterable[bytes]) -> Words:
    words = Counter(pieces)
    for mixed in [piece for piece in words if not piece.isascii()]:
        times = words.pop(mixed)
        for word in _inner(mixed):
            words[word.encode("utf-8", "surrogatepass")] += times
    return words


def _number(pieces: Sequence[bytes]) -> int:
    """Of the words in pieces."""
    return len(pieces) + sum(len(_inner(piece)) - 1 for piece in filterfalse(bytes.isascii, pieces))


def _missing(wanted: Sequence[bytes], there: Sequence[bytes]) -> int:
    """How many of the words wanted are not there, each counted as often as it is."""
    unmatched, left = _unmatched(wanted, there)
    have = _counted(left).get
    return sum([times - have(word, 0) for word, times in _counted(unmatched).items() if times > have(word, 0)])


def _unmatched(wanted: Sequence[bytes], there: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Both without what is followed in both in the same order, which is nearly all: to count that would change nothing.

    Where it cannot be followed on, all the rest is given back.
    """
    unmatched: list[bytes] = []
    left: list[bytes] = []
    i = j = 0
    while i < len(wanted) and j < len(there):
        if wanted[i : i + _RUN] == there[j : j + _RUN]:
            i, j = i + _RUN, j + _RUN
        elif wanted[i] == there[j]:
            i, j = i + 1, j + 1
        else:
            ahead = _meeting(wanted[i : i + _AHEAD], there[j : j + _AHEAD])
            if ahead is None:
                break
            unmatched += wanted[i : i + ahead[0]]
            left += there[j : j + ahead[1]]
            i, j = i + ahead[0], j + ahead[1]
    return unmatched + list(wanted[i:]), left + list(there[j:])


def _meeting(one: Sequence[bytes], other: Sequence[bytes]) -> tuple[int, int] | None:
    """Where two words in a row, or the last ones, stand in both."""
    for at, piece in enumerate(one):
        if piece in other:
            there = other.index(piece)
            if one[at + 1 : at + 2] == other[there + 1 : there + 2]:
                return at, there
    return None


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
    text = _without_targets(body)
    pieces = _pieces(text)
    missing = _missing(before.pieces, pieces)
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
    return tuple(said), _number(pieces)


def _without_targets(body: str) -> str:
    """Markdown without the destinations of its links and, where it has links, its anchors."""
    if "](" not in body:
        return body
    return (_TARGET if '<a id="' in body else _LINK).sub("]", body)


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
