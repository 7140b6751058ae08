"""The order of the walk, and its borders."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.frontier import Frontier

GRAPH = st.dictionaries(st.integers(0, 14), st.lists(st.integers(0, 14), max_size=5), max_size=15)


def crawl(
    graph: dict[int, list[int]], *, window: int, places: int, depth: int, known: set[int]
) -> tuple[list[str], int]:
    """Walk a graph with answers that arrive at once; the new pages in order, and how many were asked."""
    asked: list[str] = []
    running: set[str] = set()
    taken: list[str] = []
    frontier = Frontier(max_depth=depth, places=places, asks=99, must_ask=lambda key: int(key) not in known)
    frontier.reach("0", 0, "links")
    while frontier:
        while (key := frontier.next_to_ask(len(running), window)) is not None:
            running.add(key)
            asked.append(key)
        node, _ = frontier.pop()
        if int(node.key) not in known:
            if node.key not in running:
                frontier.too_many.add(node.key)
                continue
            running.remove(node.key)
            frontier.take_place()
            taken.append(node.key)
        for link in graph.get(int(node.key), []):
            frontier.reach(str(link), node.depth + 1, "links")
    assert not running
    return taken, len(asked)


@settings(max_examples=150, deadline=None)
@given(GRAPH, st.integers(0, 10), st.integers(0, 5), st.sets(st.integers(0, 14)))
def test_the_walk_is_the_same_however_far_it_runs_ahead(
    graph: dict[int, list[int]], places: int, depth: int, known: set[int]
) -> None:
    walks = [crawl(graph, window=window, places=places, depth=depth, known=known) for window in (1, 3, 50)]
    assert walks[0] == walks[1] == walks[2]
    taken, asked = walks[0]
    assert len(taken) == asked <= places, "nothing is asked in vain"


def test_breadth_comes_before_depth() -> None:
    graph = {0: [1, 2], 1: [3], 2: [4], 3: [5]}
    assert crawl(graph, window=2, places=9, depth=9, known=set())[0] == ["0", "1", "2", "3", "4", "5"]


def test_a_key_beyond_the_depth_is_taken_when_a_shorter_way_is_found() -> None:
    frontier = Frontier(max_depth=1, places=9, asks=99, must_ask=lambda key: True)
    frontier.reach("deep", 2, "links")
    assert frontier.too_deep == {"deep"}
    frontier.reach("deep", 1, "sitemap")
    assert frontier.too_deep == set()
    assert frontier.nodes["deep"].origin == "sitemap"


def test_known_pages_are_reached_at_any_depth() -> None:
    frontier = Frontier(max_depth=0, places=0, asks=99, must_ask=lambda key: False)
    frontier.reach("known", 7, "links")
    assert frontier.pop()[1]
