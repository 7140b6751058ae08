"""The tree of the blocks: whatever the list looks like, each block is told of once."""

from __future__ import annotations

import gc
import random

import pytest
from source.feishu.docx.reading import PLACED, converted, markdown, seen
from source.feishu.docx.samples import Document, Json, every_block, run, texts
from timing import growth

from git_okf.source.feishu.docx import convert, media_of
from git_okf.source.feishu.docx.tree import DEEPEST


def test_the_order_of_the_list_means_nothing() -> None:
    made = every_block()
    expected = converted(made)
    for seed in range(20):
        shuffled = made.blocks
        random.Random(seed).shuffle(shuffled)
        assert convert(shuffled, made.id, PLACED) == expected
        assert media_of(shuffled) == expected.media


def test_the_page_is_found_without_its_id() -> None:
    made = Document("doc", "Title")
    made.text("words")
    assert convert(made.blocks, "another", PLACED) == converted(made)


def test_blocks_that_nothing_leads_to_stand_at_the_end() -> None:
    made = Document("doc", "")
    lost = made.bullet("lost")
    made.bullet("with it", into=lost)
    made.text("here")
    made.blocks[0]["children"].remove(lost)
    found = converted(made)
    assert found.markdown == "here\n\n- lost\n  - with it"
    assert found.warnings == ("1 blocks that nothing leads to stand at the end of the document",)


def test_a_list_without_a_page() -> None:
    made = Document("doc", "Title")
    made.text("one")
    made.text("two")
    found = convert(made.blocks[1:], "doc", PLACED)
    assert (found.title, found.markdown) == ("", "one\n\ntwo")
    assert found.warnings == ("the document has no page block",)


def test_a_ring_is_cut() -> None:
    made = Document("doc", "")
    outer = made.bullet("outer")
    inner = made.bullet("inner", into=outer)
    made.blocks[2]["children"] = [outer, "doc", inner]
    found = converted(made)
    assert found.markdown == "- outer\n  - inner"
    assert found.warnings == ("3 blocks are named as children more than once, and stand at their first place",)


def test_a_ring_that_nothing_leads_to() -> None:
    ring: list[Json] = [
        {"block_id": key, "block_type": 2, "text": texts(key), "children": [other]} for key, other in ("ba", "ab")
    ]
    assert convert([*Document("doc", "").blocks, *ring], "doc", PLACED).markdown == "a\n\nb"


def test_a_block_with_two_parents_stands_at_its_first_place() -> None:
    made = Document("doc", "")
    shared = made.text("shared", into=made.text("one"))
    two = made.text("two")
    next(block for block in made.blocks if block["block_id"] == two)["children"] = [shared]
    assert markdown(made) == "one\n\nshared\n\ntwo"


def test_pages_of_a_listing_that_overlap() -> None:
    made = Document("doc", "")
    made.text("words")
    assert convert([*made.blocks, *made.blocks], "doc", PLACED) == converted(made)


def test_a_block_in_two_versions_is_taken_once_whichever_came_first() -> None:
    made = Document("doc", "")
    key = made.text("new")
    other: Json = {"block_id": key, "block_type": 2, "text": texts("old")}
    one = convert([*made.blocks, other], "doc", PLACED)
    assert one == convert([other, *made.blocks], "doc", PLACED)
    assert one.markdown in ("new", "old")
    assert one.warnings == ("1 blocks came in two versions, of which one was taken",)


def test_blocks_without_an_id_and_things_that_are_no_blocks() -> None:
    made = Document("doc", "")
    made.text("words")
    odd: list[object] = [{"block_type": 2, "text": texts("nameless")}, None, 7, "x", [], {}]
    found = convert([*odd, *made.blocks], "doc", PLACED)  # type: ignore[list-item]
    assert found.markdown == "words\n\nnameless\n\n*Not included: undefined*"


def nested(depth: int) -> Document:
    made = Document("doc", "")
    parent = ""
    for level in range(depth):
        parent = made.bullet(f"level{level}", into=parent)
    return made


@pytest.mark.parametrize("depth", [1000, 10_000])
def test_a_deep_document_loses_nothing(depth: int) -> None:
    found = converted(nested(depth))
    lines = found.markdown.split("\n")
    assert [line.strip() for line in lines if line] == [f"- level{level}" for level in range(depth)]
    assert max(len(line) - len(line.lstrip()) for line in lines) == 2 * (DEEPEST - 1)
    [warning] = found.warnings
    assert warning.endswith(f"nested deeper than {DEEPEST} levels follow their parents")


def test_deep_boxes_of_every_kind() -> None:
    for kind in (2, 3, 13, 19, 24, 31, 32, 33, 34, 49, 60):
        made = Document("doc", "")
        parent = ""
        for level in range(200):
            parent = made.add(kind, into=parent)
            made.text(f"w{level}", into=parent)
        words = set(seen(markdown(made)).split())
        assert {f"w{level}" for level in range(200)} <= words


def growing(small: Document, large: Document) -> float:
    """How many times the CPU of a small document a large one takes. Without the collector, which looks at all that the
    tests hold."""

    def once(made: Document) -> object:
        return convert(made.blocks, made.id, PLACED)

    gc.disable()
    try:
        return growth(lambda: once(small), lambda: once(large))
    finally:
        gc.enable()


EIGHT_TIMES = 32
"""What a document eight times as long may take of a small one's time: the square would be 64."""


def wide(count: int) -> Document:
    made = Document("doc", "")
    for number in range(count):
        kind = number % 8
        if kind < 4:
            made.text("words ", run("bold", bold=True), " and more", into="")
        elif kind < 6:
            made.ordered("item")
        else:
            made.add(15, texts("quoted"))
    return made


def test_time_grows_with_the_number_of_blocks_and_no_faster() -> None:
    assert growing(wide(2_500), wide(20_000)) < EIGHT_TIMES


@pytest.mark.parametrize(
    "text", ["[", "*", "_", "`", "$", "<", "~", "&", " ", "\n", "|", "\\", "a ", "- ", "](", "\u3000"]
)
def test_time_grows_with_the_length_of_a_text_and_no_faster(text: str) -> None:
    def document(length: int) -> Document:
        made = Document("doc", "")
        made.text(text * length, run(text * length, bold=True))
        made.code(text * length)
        made.heading(1, text * length)
        made.table([[text * length]])
        return made

    assert growing(document(4_000), document(32_000)) < EIGHT_TIMES
