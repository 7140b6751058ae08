"""Lists: numbers, nesting by the width of the mark, tasks, and blocks inside of items."""

from __future__ import annotations

import pytest
from lxml import etree
from source.feishu.docx.reading import document, markdown, rendered, tree
from source.feishu.docx.samples import Document, texts


def numbers(*sequences: str | None) -> str:
    """Ordered items with these sequences ("" for none given); None is a paragraph between them."""
    made = Document("doc", "")
    for given in sequences:
        if given is None:
            made.text("p")
        else:
            made.ordered("x", sequence=given)
    return " ".join(part.removesuffix(" x") for part in markdown(made).split("\n") if part)


@pytest.mark.parametrize(
    ("sequences", "text"),
    [
        (("", "", ""), "1. 2. 3."),
        (("", None, ""), "1. p 1."),
        (("1", "auto", "auto"), "1. 2. 3."),
        (("1", None, "auto"), "1. p 2."),
        (("1", None, "1", "auto"), "1. p 1. 2."),
        (("5", "", "auto"), "5. 6. 7."),
        (("1", "1"), "1. 1)"),
        (("1", "1", "1"), "1. 1) 1."),
        (("auto",), "1."),
        (("x", "-1", "9999999999"), "1. 2. 3."),
        (("999999999", ""), "999999999. 999999999)"),
        (("0", ""), "0. 1."),
    ],
)
def test_numbers(sequences: tuple[str | None, ...], text: str) -> None:
    assert numbers(*sequences) == text


def test_numbers_are_those_a_reader_sees() -> None:
    made = Document("doc", "")
    for given in ("3", "auto", "1", "auto", "7"):
        made.ordered("x", sequence=given)
    lists = [(el.get("start") or "1", len(el)) for el in tree(markdown(made)).iter("ol")]
    assert lists == [("3", 2), ("1", 2), ("7", 1)]


def test_other_items_end_a_count() -> None:
    made = document([(13, texts("a")), (12, texts("b")), (13, texts("c")), (17, texts("d")), (13, texts("e"))])
    assert markdown(made) == "1. a\n\n- b\n\n1. c\n\n- [ ] d\n\n1. e"


def test_items_are_nested_by_the_width_of_their_mark() -> None:
    made = Document("doc", "")
    for number in ("9", "auto"):
        top = made.ordered("top", sequence=number)
        middle = made.bullet("middle", into=top)
        made.ordered("low", into=middle)
    assert markdown(made) == ("9. top\n   - middle\n     1. low\n10. top\n    - middle\n      1. low")


def test_tasks() -> None:
    made = Document("doc", "")
    top = made.todo("done", done=True)
    made.todo("open", into=top)
    made.todo()
    assert markdown(made) == "- [x] done\n  - [ ] open\n- [ ]"


def test_a_task_and_a_bullet_are_items_of_one_list() -> None:
    assert markdown(document([(12, texts("a")), (17, texts("b"))])) == "- a\n- [ ] b"


def test_text_that_looks_like_a_task_is_none() -> None:
    assert markdown(document([(12, texts("[ ] a"))])) == "- \\[ ] a"


def test_blocks_in_an_item_are_indented() -> None:
    made = Document("doc", "")
    item = made.ordered("item")
    made.code("a\n\n\tb", 49, into=item)
    made.text("text", into=item)
    made.image("boxcnImage", into=item)
    made.text("q", into=made.add(34, into=item))
    made.table([["a", "b"]], into=item)
    made.ordered("next")
    assert markdown(made) == (
        "1. item\n\n   ```python\n   a\n\n   \tb\n   ```\n\n   text\n\n   ![](media/boxcnImage.png)\n\n   > q\n\n"
        "   | a | b |\n   | --- | --- |\n\n2. next"
    )
    [listing] = tree(markdown(made)).iter("ol")
    assert len(listing) == 2
    [code] = listing.iter("code")
    assert code.text == "a\n\n\tb\n"


def test_a_block_without_text_before_it_begins_below_the_mark() -> None:
    made = Document("doc", "")
    made.code("x", into=made.bullet())
    made.add(22, into=made.bullet())
    made.bullet("deep", into=made.bullet())
    made.bullet()
    assert markdown(made) == "-\n  ```\n  x\n  ```\n\n-\n  ***\n\n-\n  - deep\n\n-"
    html = rendered(markdown(made))
    assert html.count("<pre>") == html.count("<hr") == 1
    assert html.count("<li>") == 5


@pytest.mark.parametrize("first", ["empty", "late", "counted"])
def test_a_nested_list_is_one_whatever_it_begins_with(first: str) -> None:
    """`-` under a paragraph is an underline, and a list that does not begin with 1 does not end a paragraph."""
    made = Document("doc", "")
    top = made.bullet("top")
    if first == "counted":
        made.ordered("x", sequence="4", into=top)
    else:
        item = made.bullet(into=top)
        if first == "late":
            made.code("x", into=item)
    html = rendered(markdown(made))
    assert html.count("<li>") == 2
    assert "<h2>" not in html


def test_lists_beside_each_other_stay_apart() -> None:
    made = Document("doc", "")
    for side in ("left", "right", "last"):
        column = made.add(25, into=made.add(24))
        made.ordered(side, into=column)
    made.text("p")
    made.ordered("new")
    assert markdown(made) == "1. left\n\n1) right\n\n1. last\n\np\n\n1. new"


def test_a_text_of_two_lines_in_an_item() -> None:
    assert markdown(document([(13, texts("a\n- b"))])) == "1. a\\\n   \\- b"


def test_a_list_in_an_empty_document_of_lists() -> None:
    made = Document("doc", "")
    outer = ""
    for _ in range(5):
        outer = made.bullet(into=outer)
    html = rendered(markdown(made))
    assert html.count("<li>") == 5
    assert "<hr" not in html


def test_headings_and_quotes_in_items() -> None:
    made = Document("doc", "")
    item = made.bullet("a")
    made.heading(3, "h", into=item)
    made.add(15, texts("q"), into=item)
    assert markdown(made) == "- a\n\n  ### h\n\n  > q"
    assert isinstance(tree(markdown(made)).find(".//li/h3"), etree._Element)
