"""Links told by sets: exact, in order, small, and stable."""

from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf import linksets
from git_okf.linksets import LinkSet, PackedLinks, Shelf

LINKS = st.lists(
    st.sampled_from([f"l{number}" for number in range(40)]) | st.text(max_size=4), unique=True, max_size=40
)


def same(text: str) -> str:
    return text


@settings(max_examples=300, deadline=None)
@given(LINKS, LINKS)
def test_what_was_encoded_is_decoded_exactly(links: list[str], whole: list[str]) -> None:
    linkset = LinkSet(tuple(whole))
    packed = linksets.encode(tuple(links), "id", linkset, same)
    found = PackedLinks(packed, {"id": linkset}, same)
    assert found == tuple(links) and tuple(found) == tuple(links) and len(found) == len(links)
    assert hash(found) == hash(tuple(links)) and found[1:] == tuple(links)[1:]
    assert found == PackedLinks(linksets.encode(tuple(links), "", None, same), {}, same)
    assert found != (*links, "more") and (not links or found != tuple(links[:-1]))


def test_a_page_with_the_common_navigation_costs_its_own_links_only() -> None:
    navigation = tuple(f"nav{number}" for number in range(200))
    links = (*navigation[:100], "own1", *navigation[100:], "own2")
    assert linksets.encode(links, "id", LinkSet(navigation), same) == ["id", 0, 100, "own1", 100, 100, "own2"]


def test_pages_that_resemble_each_other_share_a_set_and_others_have_none() -> None:
    guide = tuple(f"guide{number}" for number in range(30))
    api = tuple(f"api{number}" for number in range(30))
    sets: dict[str, LinkSet] = {}
    pages = [
        ("a", (*guide, "x")),
        ("b", (*api, "y")),
        ("c", (*guide, "z")),
        ("d", api),
        ("e", tuple(f"alone{number}" for number in range(30))),
        ("f", ("short",)),
    ]
    chosen = linksets.choose(pages, sets, {})
    assert set(chosen) == {"a", "b", "c", "d"}
    assert chosen["a"] == chosen["c"] != chosen["b"] == chosen["d"]
    assert set(sets) == set(chosen.values())


def test_a_page_keeps_its_set_while_it_fits() -> None:
    near = tuple(f"l{number}" for number in range(20))
    sets = {"near": LinkSet(near), "same": LinkSet((*near, "extra"))}
    page = [("a", (*near, "extra"))]
    assert linksets.choose(page, sets, {"a": "near"}) == {"a": "near"}
    assert linksets.choose(page, sets, {"a": "same"}) == {"a": "same"}


def test_the_name_of_a_set_tells_apart_what_joins_to_the_same_text() -> None:
    assert linksets.set_id(("a\nb",)) != linksets.set_id(("a", "b"))


@settings(max_examples=100, deadline=None)
@given(st.lists(LINKS, max_size=8))
def test_what_a_shelf_holds_is_equal_to_what_it_was_given(pages: list[list[str]]) -> None:
    shelf = Shelf()
    assert [shelf.hold(links) for links in pages] == [tuple(links) for links in pages]


def test_a_page_that_links_where_it_did_holds_no_links_of_its_own() -> None:
    shelf, before = Shelf(), tuple(f"{number}" for number in range(20))
    assert shelf.hold([str(link) for link in before], before) is before
    assert shelf.hold([*before, "new"], before) == (*before, "new")


def test_a_shelf_holds_pages_that_resemble_each_other_in_a_fraction_of_their_links() -> None:
    shelf, navigation = Shelf(), [f"nav{number}" for number in range(200)]
    pages = [[f"own{number}", *navigation] for number in range(1000)]
    tracemalloc.start()
    try:
        held = [shelf.hold([str(link) for link in page]) for page in pages]
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 1000 * 200 * 8 / 4, "less than a quarter of what the tuples alone would take"
    assert held[-1] == tuple(pages[-1]) and all(a is b for a, b in zip(held[1][1:], held[2][1:], strict=True))
