"""Links of a site's pages, told once: most pages carry the same navigation.

A *link set* is the ordered tuple of links of one page that others resemble. It is immutable and named by its content.
A page's links are then runs of a set (`start, length`) with the links in between that are its own:

    ["5f3c09ab12", 0, 40, "guide/extra.html", 41, 12]

Exact and in order: `decode(encode(links)) == links` for every tuple. Sets are chosen when many pages are written at
once; a page that changes alone is told by the set it had, so it touches no set. While a run holds its pages, a `Shelf`
tells their links in the same way as they come. Pure; imports nothing of ours.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

Links = Sequence[str]
Packed = Sequence[str | int]

ID_DIGITS = 10
NO_SET = ""
SHORTEST_SET = 8
"""Fewer links than this are cheaper told one by one."""
GOOD_SHARE = 0.9
"""A set that holds this share of a page's links is taken without looking further."""
PROBES, POOR_SHARE = 8, 0.25
"""A set that holds less of so many links of a page is not compared with all: a large site has a set a chapter."""
FAIR_SHARE = 0.5
"""A set that holds less of a page's links than this is no set for it."""


def set_id(links: Links) -> str:
    """The name of a set: of its content alone."""
    return hashlib.sha256(json.dumps(tuple(links)).encode()).hexdigest()[:ID_DIGITS]


@dataclass(slots=True)
class LinkSet:
    """A set and where each link stands in it."""

    links: tuple[str, ...]
    _places: dict[str, int] = field(init=False, default_factory=dict, repr=False, compare=False)

    @property
    def places(self) -> Mapping[str, int]:
        """Found out when it is first asked: most sets are only read."""
        if not self._places:
            self._places = {link: place for place, link in enumerate(self.links)}
        return self._places

    def share(self, links: Links) -> float:
        """The share of `links` that the set holds."""
        places = self.places
        return sum(link in places for link in links) / len(links)


def encode(links: Links, name: str, linkset: LinkSet | None, shorten: Callable[[str], str]) -> Packed:
    """The links as runs of the set and links of their own."""
    packed: list[str | int] = [name if linkset else NO_SET]
    if not linkset:
        return [*packed, *map(shorten, links)]
    at, count = 0, len(links)
    places, whole = linkset.places, linkset.links
    while at < count:
        start = places.get(links[at])
        if start is None:
            packed.append(shorten(links[at]))
            at += 1
            continue
        length = 1
        while at + length < count and start + length < len(whole) and links[at + length] == whole[start + length]:
            length += 1
        packed += (start, length)
        at += length
    return packed


class PackedLinks(Sequence[str]):
    """Links as they are told, put together whenever somebody reads them: a fraction of the memory of a tuple.

    Equal to the tuple of the same links.
    """

    __slots__ = ("_packed", "_set")

    def __init__(self, packed: Packed, sets: Mapping[str, LinkSet], expand: Callable[[str], str]) -> None:
        """ValueError where the packed form makes no sense (unknown set, run outside it)."""
        name = packed[0] if packed else NO_SET
        found = sets.get(name) if isinstance(name, str) else None
        self._set: tuple[str, ...] = found.links if found else ()
        self._packed = tuple(_checked(packed, len(self._set), expand))

    def _all(self) -> list[str]:
        links: list[str] = []
        items = iter(self._packed)
        for item in items:
            if isinstance(item, str):
                links.append(item)
            else:
                links += self._set[item : item + int(next(items))]
        return links

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return tuple(self._all())[at]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedLinks):
            if self is other or (self._packed == other._packed and self._set == other._set):
                return True
            return self._all() == other._all()
        return tuple(self._all()) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._all()))

    def __repr__(self) -> str:
        return repr(tuple(self._all()))


def _checked(packed: Packed, size: int, expand: Callable[[str], str]) -> Iterator[str | int]:
    """Links of a page's own in full, and runs of a set of `size` links."""
    at, count = 1, len(packed)
    if count and type(packed[0]) is not str:
        raise ValueError("links are told by no set")
    while at < count:
        item = packed[at]
        at += 1
        if type(item) is str:
            yield expand(item)
            continue
        length = packed[at] if at < count else 0
        at += 1
        if type(item) is not int or type(length) is not int or length < 1 or not 0 <= item <= size - length:
            raise ValueError(f"links refer to what the set {packed[0]!r} does not hold")
        yield item
        yield length


class Shelf:
    """Holds the links of the pages of one run: those of a page like one of the last by that page's, each text once.

    A page has a hundred links, which as a tuple are most of what is known of it.
    """

    def __init__(self) -> None:
        self._recent: list[LinkSet] = []

    def hold(self, links: Links, before: Links = ()) -> Links:
        """The same links, held small: `before` itself, those of the page the last time, where they are the same."""
        if isinstance(links, PackedLinks):
            return links
        if before == tuple(links):
            return before
        if len(links) < SHORTEST_SET:
            return tuple(map(sys.intern, links))
        return PackedLinks(encode(links, _HELD, linkset := self._like(links), str), {_HELD: linkset}, sys.intern)

    def _like(self, links: Links) -> LinkSet:
        """The set of a page like this one, else a new one; the last used stand first."""
        sets = {str(number): linkset for number, linkset in enumerate(self._recent)}
        name = _best(links, sets, sets)
        found = LinkSet(tuple(map(sys.intern, links))) if name is None else sets[name]
        self._recent = [found, *(linkset for linkset in self._recent if linkset is not found)][:SEEDS]
        return found


_HELD = "held"


def choose(pages: Iterable[tuple[str, Links]], sets: dict[str, LinkSet], had: Mapping[str, str]) -> dict[str, str]:
    """The set for each page, by key; new sets are added to `sets`.

    `pages` come in the order of their keys. `had` names the set a page was told by before: it is kept while it fits.
    A page's links become a set only when a second page resembles them.
    """
    chosen: dict[str, str] = {}
    seeds: list[tuple[str, LinkSet]] = []
    recent = list(sets)
    for key, links in pages:
        if len(links) < SHORTEST_SET:
            continue
        order = [had[key], *recent] if had.get(key) in sets else recent
        name = _best(links, order, sets)
        if name is None:
            name = _promote(key, links, seeds, sets, chosen)
        if name is not None:
            chosen[key] = name
            if not recent or recent[0] != name:
                recent = [name, *(other for other in recent if other != name)]
    return chosen


def _best(links: Links, order: Iterable[str], sets: Mapping[str, LinkSet]) -> str | None:
    best, best_share = None, FAIR_SHARE
    probes = links[:: max(1, len(links) // PROBES)]
    for name in order:
        if sets[name].share(probes) < POOR_SHARE:
            continue
        share = sets[name].share(links)
        if share >= GOOD_SHARE:
            return name
        if share > best_share:
            best, best_share = name, share
    return best


def _promote(
    key: str, links: Links, seeds: list[tuple[str, LinkSet]], sets: dict[str, LinkSet], chosen: dict[str, str]
) -> str | None:
    """The set that an earlier page's links become because this page resembles them; else this page waits for one."""
    for number, (first, seed) in enumerate(seeds):
        if seed.share(links) > FAIR_SHARE:
            del seeds[number]
            name = set_id(seed.links)
            sets[name] = seed
            chosen[first] = name
            return name
    seeds.insert(0, (key, LinkSet(tuple(links))))
    del seeds[SEEDS:]
    return None


SEEDS = 64
"""How many pages wait at most for one that resembles them."""
