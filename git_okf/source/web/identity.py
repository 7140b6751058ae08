"""Which of the pages found are one page under several names. Pure; merges on evidence only.

Evidence is an equal body together with a reason to compare: the URLs are spellings of each other (slash, index,
`.html`, case: `url.family`), or one page names the other as its canonical URL. A claim alone is none: a template that
gives every page the same canonical URL must not cost a site its pages.

A known page keeps its key. Of new ones the canonical name wins, else the one that was linked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from git_okf.source.web.url import family, split

BROKEN_CLAIMS = 5
"""Canonical URLs that led nowhere, with none that led anywhere, after which no more are asked for."""

COPY_LEAST = 3
"""Equal pages that two prefixes must have to be taken for one."""
COPY_SHARE = 0.9
"""Share of all their pages that must be equal."""
_MOVING = frozenset(
    {"stable", "latest", "current", "main", "master", "dev", "develop", "next", "nightly", "edge", "lts"}
)
_VERSION = re.compile(
    rf"v?\d+(?:[._-](?:\d+|x))*(?:(?:a|b|rc|dev|beta|alpha|\.?post)[\d.]*)?|{'|'.join(sorted(_MOVING))}"
)


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


class _Groups:
    """Keys by what they have in common. Nearly all stand alone: a list is made of two."""

    def __init__(self) -> None:
        self._members: dict[str | int, str | list[str]] = {}

    def __getitem__(self, common: str | int) -> Sequence[str]:
        """In the order in which they came; none where nothing has this in common."""
        found = self._members.get(common, ())
        return (found,) if isinstance(found, str) else found

    def add(self, common: str | int, key: str) -> None:
        there = self[common]
        self._members[common] = [*there, key] if there else key

    def remove(self, common: str | int, key: str) -> None:
        left = [other for other in self[common] if other != key]
        self._members[common] = left
        if not left:
            del self._members[common]


class Names:
    """The pages found so far, and their claims.

    Known pages are only compared with new ones: where there are none of these, nothing is made of those.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []
        """Known pages that were found and not entered yet: key, content hash and raw hash of each in turn."""
        self._bodies: dict[str, _Body] = {}
        self._families = _Groups()
        self._by_content = _Groups()
        self._claims: dict[str, str] = {}
        self._claimants: dict[str, list[str]] = {}
        self._good_claims = 0
        self._bad_claims = 0

    def known(self, key: str, content_hash: str, raw_hash: str) -> None:
        """A known page was found."""
        self._waiting += (key, content_hash, raw_hash)

    def new(self, key: str, content_hash: str, raw_hash: str, canonical: str) -> tuple[Merge, ...]:
        """A new page was found: what is merged now. Where `key` is an `alias` of the result, it is no page."""
        self._catch_up()
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

    def is_copy(self, key: str, content_hash: str) -> bool:
        """Whether another page has this body that is no spelling of this key."""
        self._catch_up()
        return any(family(other) != family(key) for other in self._by_content[content_hash])

    def forget(self, key: str) -> None:
        """What was entered as a page is none."""
        self._catch_up()
        self._leave(key)

    def contents(self) -> tuple[tuple[str, str], ...]:
        """Every page found, with its content hash."""
        self._catch_up()
        return tuple((key, body.content) for key, body in self._bodies.items())

    def worth_asking(self, canonical: str) -> bool:
        """Whether a canonical URL that nothing links to should be asked for."""
        self._catch_up()
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

    def _catch_up(self) -> None:
        waiting, self._waiting = iter(self._waiting), []
        for key, content_hash, raw_hash in zip(waiting, waiting, waiting, strict=True):
            self._enter(key, _Body(content_hash, raw_hash, known=True))

    def _same(self, key: str, body: _Body) -> str | None:
        """The page this one is another name of: what it claims to be first, then its relatives, known ones before."""
        claimed = self._claims.get(key)
        if claimed in self._bodies and self._bodies[claimed].equals(body):
            self._good_claims += 1
            return claimed
        relatives = [k for k in self._families[_kin(key)] if family(k) == family(key) and self._bodies[k].equals(body)]
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
        self._families.add(_kin(key), key)
        self._by_content.add(body.content, key)

    def _leave(self, key: str) -> None:
        body = self._bodies.pop(key)
        self._families.remove(_kin(key), key)
        self._by_content.remove(body.content, key)


def _kin(key: str) -> int:
    """The family in a third of its memory; two may share a number."""
    return hash(family(key))


@dataclass(frozen=True, slots=True)
class Copy:
    """A path prefix that shows what another one shows."""

    prefix: str
    into: str
    pairs: tuple[tuple[str, str], ...]
    """(key that is another name, key of the page)."""


def copied_prefixes(new: Mapping[str, str], known: Mapping[str, str], aliases: Mapping[str, str]) -> tuple[Copy, ...]:
    """The prefixes that differ in one version word and show the same pages (`/stable/` what `/v2/` shows).

    `new` and `known` are content hashes by key, `aliases` the pages that names stand for. Nearly all pages of the two
    prefixes must be there under both and be equal: pages that did not change from one version to the next are two
    pages. Known pages stay what they are; of two new prefixes the one whose name moves (`stable`) is kept, so that its
    pages are updated in place when it moves on, else the one that was found first.
    """
    contents = {**known, **new}
    contents |= {alias: contents[page] for alias, page in aliases.items() if page in contents and alias not in contents}
    groups: dict[str, dict[str, dict[str, str]]] = {}
    for key in contents:
        for head, word, tail in _version_words(key):
            groups.setdefault(head, {}).setdefault(word, {})[tail] = key
    found = []
    for head, words in sorted(groups.items()):
        begun = {word for word, tails in words.items() if any(key in known for key in tails.values())}
        order = sorted(words, key=lambda word: (word not in begun, word not in _MOVING))
        for at, word in enumerate(order):
            for other in order[:at]:
                pairs = _pairs(words[word], words[other], contents, new)
                if pairs:
                    found.append(Copy(f"{head}{word}/", f"{head}{other}/", pairs))
                    break
    return tuple(found)


def _version_words(key: str) -> Iterator[tuple[str, str, str]]:
    """Every way to cut a key at a segment that names a version."""
    parts = split(key)
    segments = parts.path.split("/")
    for at, segment in enumerate(segments[1:-1], start=1):
        if _VERSION.fullmatch(segment):
            head = f"{parts.scheme}://{parts.netloc}{'/'.join(segments[:at])}/"
            yield head, segment, "/".join(segments[at + 1 :]) + parts.query


def _pairs(
    copy: Mapping[str, str], original: Mapping[str, str], contents: Mapping[str, str], new: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    equal = [tail for tail in copy if tail in original and contents[copy[tail]] == contents[original[tail]]]
    if len(equal) < COPY_LEAST or len(equal) < COPY_SHARE * len(copy.keys() | original.keys()):
        return ()
    return tuple((copy[tail], original[tail]) for tail in equal if copy[tail] in new)
