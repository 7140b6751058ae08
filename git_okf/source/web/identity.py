"""Which of the pages found are one page under several names. Pure; merges on evidence only.

Evidence is an equal body together with a reason to compare: the URLs are spellings of each other (slash, index,
`.html`, case: `url.family`), or one page names the other as its canonical URL. A claim alone is none: a template that
gives every page the same canonical URL must not cost a site its pages.

A known page keeps its key. Of new ones the canonical name wins, else the one that was linked first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from git_okf.source.web.url import family

BROKEN_CLAIMS = 5
"""Canonical URLs that led nowhere, with none that led anywhere, after which no more are asked for."""


@dataclass(frozen=True, slots=True)
class Merge:
    """`alias` is another name of the page `into`."""

    alias: str
    into: str


@dataclass(frozen=True, slots=True)
class _Body:
    content: str
    raw: str
    known: bool

    def equals(self, other: _Body) -> bool:
        # The raw bytes may be equal where the bodies are not: relative links lead elsewhere below another URL.
        return self.content == other.content or (self.raw == other.raw != "")


class Names:
    """The pages found so far, and their claims."""

    def __init__(self) -> None:
        self._bodies: dict[str, _Body] = {}
        self._families: dict[str, list[str]] = {}
        self._claims: dict[str, str] = {}
        self._claimants: dict[str, list[str]] = {}
        self._good_claims = 0
        self._bad_claims = 0

    def known(self, key: str, content_hash: str, raw_hash: str) -> None:
        """A known page was found."""
        self._enter(key, _Body(content_hash, raw_hash, known=True))

    def new(self, key: str, content_hash: str, raw_hash: str, canonical: str) -> tuple[Merge, ...]:
        """A new page was found: what is merged now. Where `key` is an `alias` of the result, it is no page."""
        body = _Body(content_hash, raw_hash, known=False)
        if canonical and canonical != key:
            self._claims[key] = canonical
            self._claimants.setdefault(canonical, []).append(key)
        into = self._same(key, body)
        if into is None:
            self._enter(key, body)
            return self._claimed(key, body)
        if not self._bodies[into].known and self._claims.get(into) == key:
            self._leave(into)
            self._enter(key, body)
            return (Merge(into, key), *self._claimed(key, body))
        return (Merge(key, into),)

    def worth_asking(self, canonical: str) -> bool:
        """Whether a canonical URL that nothing links to should be asked for."""
        return canonical not in self._bodies and (self._good_claims > 0 or self._bad_claims < BROKEN_CLAIMS)

    def claim_was_broken(self, canonical: str) -> None:
        """A claimed URL turned out to be no page."""
        if canonical in self._claimants:
            self._bad_claims += 1

    def conflicts(self) -> tuple[tuple[str, int], ...]:
        """Canonical URLs claimed by several pages with different bodies, and by how many."""
        found = []
        for canonical, claimants in sorted(self._claimants.items()):
            bodies = {self._bodies[key].content for key in claimants if key in self._bodies}
            if len(bodies) > 1:
                found.append((canonical, len(claimants)))
        return tuple(found)

    def _same(self, key: str, body: _Body) -> str | None:
        """The page this one is another name of: what it claims to be first, then its relatives, known ones before."""
        claimed = self._claims.get(key)
        if claimed in self._bodies and self._bodies[claimed].equals(body):
            self._good_claims += 1
            return claimed
        relatives = [k for k in self._families.get(family(key), ()) if self._bodies[k].equals(body)]
        return next((k for k in relatives if self._bodies[k].known), relatives[0] if relatives else None)

    def _claimed(self, key: str, body: _Body) -> tuple[Merge, ...]:
        """New pages found earlier that claim to be this one, and are."""
        merges = []
        for claimant in self._claimants.get(key, ()):
            earlier = self._bodies.get(claimant)
            if earlier is not None and not earlier.known and earlier.equals(body):
                self._leave(claimant)
                self._good_claims += 1
                merges.append(Merge(claimant, key))
        return tuple(merges)

    def _enter(self, key: str, body: _Body) -> None:
        self._bodies[key] = body
        self._families.setdefault(family(key), []).append(key)

    def _leave(self, key: str) -> None:
        del self._bodies[key]
        self._families[family(key)].remove(key)


def shared_bodies(pages: Iterable[tuple[str, str]], least: int) -> frozenset[str]:
    """The content hashes that at least `least` of (key, content hash) share."""
    counts = Counter(content for _, content in pages)
    return frozenset(content for content, count in counts.items() if count >= least)
