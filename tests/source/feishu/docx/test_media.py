"""Images and files: what to fetch, and how the document shows what could be had and what could not."""

from __future__ import annotations

import pytest
from source.feishu.docx.reading import PLACED, converted, document, markdown, rendered
from source.feishu.docx.samples import Document, attached, every_block

from git_okf.source.feishu.docx import FILE, IMAGE, Context, Media, media_of

NOTHING = Context(media_path=lambda token: None, doc_link=lambda token, obj_type: None)


def test_what_to_fetch_in_order_of_appearance_each_once() -> None:
    made = Document("doc", "")
    made.image("boxcnA", caption="first")
    made.file("boxcnB", "b.pdf")
    made.text("see ", attached("boxcnC"), attached("boxcnB"))
    cells = made.table([["", ""]])
    made.image("boxcnD", into=cells[0][1])
    made.image("boxcnE", into=cells[0][0])
    made.image("boxcnA")
    made.image("")
    expected = (
        Media(token="boxcnA", kind=IMAGE, name="first"),
        Media(token="boxcnB", kind=FILE, name="b.pdf"),
        Media(token="boxcnC", kind=FILE),
        Media(token="boxcnE", kind=IMAGE),
        Media(token="boxcnD", kind=IMAGE),
    )
    assert media_of(made.blocks) == media_of(made.blocks, "doc") == converted(made).media == expected


def test_a_file_that_has_its_name_elsewhere_is_known_by_it() -> None:
    made = Document("doc", "")
    made.text(attached("boxcnB"))
    made.file("boxcnB", "b.pdf")
    assert media_of(made.blocks) == (Media(token="boxcnB", kind=FILE, name="b.pdf"),)


def test_what_is_fetched_is_what_is_asked_for() -> None:
    asked: list[str] = []

    def path(token: str) -> str:
        asked.append(token)
        return f"{token}.png"

    made = every_block()
    converted(made, Context(media_path=path, doc_link=lambda token, obj_type: None))
    assert asked == [media.token for media in media_of(made.blocks)] == made.media_tokens


def test_what_could_not_be_had_is_told_of() -> None:
    made = Document("doc", "")
    made.image("boxcnA", caption="A [map]")
    made.image("boxcnB")
    made.image("")
    made.file("boxcnC", "b.pdf")
    made.text("see ", attached("boxcnD"))
    found = converted(made, NOTHING)
    assert found.markdown == (
        "*Missing image: A [map]*\n\n*Missing image: boxcnB*\n\n*Missing image*\n\n"
        "*Missing file: b.pdf*\n\nsee *Missing file: boxcnD*"
    )
    assert found.warnings == ("5 images or files could not be had",)
    assert not found.unknown


def test_an_image_has_its_caption_as_text_and_below_it() -> None:
    made = Document("doc", "")
    made.image("boxcnA", caption="A [map]\nof *it*")
    assert markdown(made) == "![A \\[map\\] of \\*it\\*](media/boxcnA.png)\n\n*A [map] of \\*it\\**"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("media/a b (1).png", "media/a%20b%20%281%29.png"),
        ("媒体/图.png", "媒体/图.png"),
        ("a%20b.png", "a%2520b.png"),
        ("x:y.png", "x%3Ay.png"),
        ("a#b?c.png", "a%23b%3Fc.png"),
        ('"><script>', "%22%3E%3Cscript%3E"),
    ],
)
def test_a_path_is_written_so_that_it_is_found(path: str, written: str) -> None:
    context = Context(media_path=lambda token: path, doc_link=PLACED.doc_link)
    made = Document("doc", "")
    made.image("boxcnA")
    made.file("boxcnB", "f")
    assert markdown(made, context) == f"![]({written})\n\n[f]({written})"


def test_sizes_that_are_none_are_left_out() -> None:
    made = document([])
    cells = made.table([["", ""]])
    for size in (0, -1, "x", None, True, 1e300, 12.7):
        made.add(27, {"token": "t", "width": size}, into=cells[0][0])
    html = rendered(markdown(made))
    assert html.count("<img") == 7
    assert html.count("width=") == html.count('width="12"') == 1
