"""Which page comes next, and what the borders of a run cut off. Pure: no clock, no network.

Pages stand in one queue in breadth-first order: the seed, then what the first page links to in page order, and so on.
They leave it in that order whatever the order in which answers arrive, so a run is the same at any concurrency. Asking
goes ahead of the queue, never by more than there are places left under `max_pages`: nothing is fetched in vain, and
the same pages get the places every time.

Known pages need no place: theirs are reserved, and they have been asked before the first page leaves the queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """How many links a page is away from the seed, and who named it first. Many pages have the same."""

    depth: int
    origin: str


@dataclass(frozen=True, slots=True)
class Node:
    """A page in the queue, with its way."""

    key: str
    depth: int
    origin: str


class Frontier:
    """The queue of one run."""

    def __init__(self, *, max_depth: int, places: int, asks: int, must_ask: Callable[[str], bool]) -> None:
        """`places` is how many new pages may be taken, `asks` how many keys may be asked to find them; `must_ask` says
        whether a key has no answer yet."""
        self._max_depth = max_depth
        self._asks = asks
        self._must_ask = must_ask
        self._queue: deque[str] = deque()
        self._ahead: deque[str] = deque()
        self.places = places
        self._ways: dict[Way, Way] = {}
        self.nodes: dict[str, Way] = {}
        """Every key that something led to, within the depth or not needing to be asked."""
        self.too_deep: set[str] = set()
        """Keys beyond `max_depth` that would have to be asked."""
        self.too_many: set[str] = set()
        """Keys for which there was no place left."""

    def __bool__(self) -> bool:
        return bool(self._queue)

    def reach(self, key: str, depth: int, origin: str) -> None:
        """Something leads to `key`. Only the first time counts, and the first within the depth."""
        if key in self.nodes:
            return
        ask = self._must_ask(key)
        if ask and depth > self._max_depth:
            self.too_deep.add(key)
            return
        self.too_deep.discard(key)
        way = Way(depth, origin)
        self.nodes[key] = self._ways.setdefault(way, way)
        self._queue.append(key)
        if ask:
            self._ahead.append(key)

    def node(self, key: str) -> Node:
        """A key that something led to."""
        way = self.nodes[key]
        return Node(key, way.depth, way.origin)

    def again(self, key: str, *, ask: bool) -> None:
        """Put a key that left the queue back at its end: to be asked after all, or because its answer came late."""
        self._queue.append(key)
        if ask:
            self._ahead.append(key)

    def next_to_ask(self, running: int, window: int) -> str | None:
        """The next key to ask, where `running` are being asked: None if that would go too far ahead."""
        if not self._ahead or self._asks <= 0 or running >= min(window, self.places):
            return None
        self._asks -= 1
        return self._ahead.popleft()

    def pop(self) -> tuple[Node, bool]:
        """The next page in order, and whether its answer is to be had (False: no place was left to ask it)."""
        node = self.node(self._queue.popleft())
        if self._ahead and self._ahead[0] == node.key:
            self._ahead.popleft()
            self.too_many.add(node.key)
            return node, False
        self.too_many.discard(node.key)
        return node, True

    def take_place(self) -> None:
        """A new page was found."""
        self.places -= 1

    def give_place(self) -> None:
        """A page turned out to be another name of one."""
        self.places += 1

    def let_go(self) -> None:
        """Drop the queue and the nodes."""
        for held in (self.nodes, self._queue, self._ahead):
            held.clear()
