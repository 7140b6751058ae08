"""Every type of block: what it becomes, and that nothing vanishes without a word."""

from __future__ import annotations

import re

import pytest
from source.feishu.docx.reading import PLACED, converted, document, markdown, rendered, seen
from source.feishu.docx.samples import KEYS, MERMAID, OWN, Document, Json, every_block, run, tex, texts

from git_okf.source.feishu.docx import Context
from git_okf.source.feishu.docx.kinds import NAMES

LINKED = Context(
    media_path=PLACED.media_path, doc_link=lambda token, obj_type: f"https://x.feishu.cn/{obj_type}/{token}"
)

TYPES: dict[int, str] = {
    1: "",
    2: "words of text",
    3: "# words of heading1",
    4: "## words of heading2",
    5: "### words of heading3",
    6: "#### words of heading4",
    7: "##### words of heading5",
    8: "###### words of heading6",
    9: "###### words of heading7",
    10: "###### words of heading8",
    11: "###### words of heading9",
    12: "- words of bullet",
    13: "1. words of ordered",
    14: "```\nwords of code\n```",
    15: "> words of quote",
    16: "$$\nwords of equation\n$$",
    17: "- [ ] words of todo",
    18: "[*Not included: bitable*](https://x.feishu.cn/8/bascnBase)",
    19: "> 🎁 inside",
    20: "*Not included: chat_card*",
    21: "*Not included: diagram*",
    22: "***",
    23: "[report (final).pdf](media/boxcnFile.png)",
    24: "inside",
    25: "inside",
    26: "<https://player.example.org/v?id=1&t=2>",
    27: "![](media/boxcnImage.png)",
    28: "*Not included: isv*",
    29: "[*Not included: mindnote*](https://x.feishu.cn/11/bmncnMind)",
    30: "[*Not included: sheet*](https://x.feishu.cn/3/shtcnSheet)",
    31: "",
    32: "inside",
    33: "inside",
    34: "> inside",
    35: "*Not included: task*",
    36: "*Not included: okr*",
    37: "*Not included: okr_objective*\n\nwords of the objective",
    38: "*Not included: okr_key_result*\n\nwords of the key result",
    39: "*Not included: okr_progress*",
    40: "*Not included: add_ons*",
    41: "*Not included: jira_issue OKF-42*",
    42: "[*Not included: wiki_catalog*](https://x.feishu.cn/16/wikcnNode)",
    43: "*Not included: board*",
    44: "*Not included: agenda*\n\ninside",
    45: "inside",
    46: "**words of agenda_item_title**",
    47: "inside",
    48: "[*Not included: link_preview*](https://applink.feishu.cn/client/message?id=1)",
    49: "**words of source_synced**\n\ninside",
    50: "[*Not included: reference_synced*](https://x.feishu.cn/22/doxcnOther)",
    51: "[*Not included: sub_page_list*](https://x.feishu.cn/16/wikcnNode)",
    52: "*Not included: ai_template*",
    53: "*Not included: reference*",
    999: "*Not included: undefined*",
    777: "*Not included: block type 777*",
}
BOXES = (19, 24, 25, 32, 33, 34, 44, 45, 47, 49)
"""Types shown here with a text inside of them."""


@pytest.mark.parametrize("number", TYPES)
def test_each_type_of_block(number: int) -> None:
    made = Document("doc", "")
    key = made.add(number, OWN.get(number))
    if number in BOXES:
        made.text("inside", into=key)
    assert markdown(made, LINKED) == TYPES[number]


def test_the_table_has_every_type_of_the_api() -> None:
    assert set(TYPES) == {*KEYS, 777}
    assert {number: name for number, name in NAMES.items() if number >= 0} == KEYS


def test_lark_09_what_cannot_be_shown_is_told_of_and_counted() -> None:
    found = converted(every_block(), LINKED)
    told = re.findall(r"\*Not included: (?:block type )?(\w+)", found.markdown)
    expected = [number for number, text in TYPES.items() if "*Not included" in text]
    assert sorted(told) == sorted(KEYS.get(number, str(number)) for number in expected)
    assert dict(found.unknown) == dict.fromkeys(told, 1)


def test_keys_of_other_types_say_nothing() -> None:
    made = Document("doc", "", strays=True)
    key = made.text("words")
    made.blocks[1].update({"image": {"token": "t"}, "table": {"cells": [key]}, "code": texts("no")})
    assert markdown(made) == "words"


def test_a_type_we_do_not_know_keeps_the_text_it_holds() -> None:
    made = Document("doc", "")
    key = made.add(60, texts("new words"))
    made.text("inside", into=key)
    found = converted(made)
    assert found.markdown == "*Not included: block type 60*\n\nnew words\n\ninside"
    assert dict(found.unknown) == {"60": 1}


@pytest.mark.parametrize("number", [None, "x", -3, 2.5, True, []])
def test_a_block_without_a_type_is_told_of(number: object) -> None:
    made = Document("doc", "")
    made.text("words")
    made.blocks[1]["block_type"] = number
    assert markdown(made) == "*Not included: undefined*\n\nwords"


def test_what_a_heading_holds_follows_it() -> None:
    made = Document("doc", "")
    head = made.heading(1, "Chapter")
    made.text("under it", into=head)
    made.heading(8, "deep", into=head)
    assert markdown(made) == "# Chapter\n\nunder it\n\n###### deep"


def test_a_heading_is_one_line_and_ends_without_marks() -> None:
    made = Document("doc", "")
    made.heading(2, "two\nlines, C# and F #")
    assert markdown(made) == "## two lines, C# and F \\#"
    assert seen(markdown(made)) == "two lines, C# and F #"


def test_the_title_is_that_of_the_page_and_not_in_the_body() -> None:
    made = Document("doc", "A title\nof two lines")
    made.text("body")
    found = converted(made)
    assert (found.title, found.markdown) == ("A title of two lines", "body")


def test_an_empty_document() -> None:
    found = converted(Document("doc", ""))
    assert (found.title, found.markdown, found.media, found.warnings) == ("", "", (), ())


def test_text_in_a_text_follows_it() -> None:
    made = Document("doc", "")
    made.text("deeper", into=made.text("upper"))
    assert markdown(made) == "upper\n\ndeeper"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a\n\n\tb  \n", "```\na\n\n\tb  \n\n```"),
        ("```\n````", "`````\n```\n````\n`````"),
        ("a\r\nb\x00\x1b[0m", "```\na\nb[0m\n```"),
        ("# <b> | \\", "```\n# <b> | \\\n```"),
        ("~~~\n", "```\n~~~\n\n```"),
        ("\n", ""),
    ],
)
def test_code_is_verbatim(source: str, text: str) -> None:
    assert markdown(document([(14, texts(source))])) == text


def test_code_is_its_text_whatever_its_styles() -> None:
    own = texts(run("a = ", bold=True), run("1", "https://e.org"), "\n", tex("x"), language=49)
    assert markdown(document([(14, own)])) == "```python\na = 1\nx\n\n```"


@pytest.mark.parametrize(
    ("language", "info"),
    [(1, ""), (7, "bash"), (9, "cpp"), (49, "python"), (67, "yaml"), (75, "toml"), (76, ""), ("x", "")],
)
def test_languages(language: object, info: str) -> None:
    assert markdown(document([(14, texts("x", language=language))])) == f"```{info}\nx\n```"


def test_all_languages_of_the_reference() -> None:
    from git_okf.source.feishu.docx.languages import LANGUAGES

    assert len(LANGUAGES) == 75
    known = {10: "c", 22: "go", 28: "json", 30: "javascript", 43: "php", 53: "rust", 56: "sql", 60: "shell", 66: "xml"}
    assert {number: LANGUAGES[number] for number in known} == known


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("x^2\n", "$$\nx^2\n$$"),
        ("a\n\nb", "$$\na\nb\n$$"),
        ("a\n= b", "$$\na\n= b\n$$"),
        ("a\n=", "```math\na\n=\n```"),
        ("- b", "```math\n- b\n```"),
        ("a <b", "```math\na <b\n```"),
        ("[a](x)", "```math\n[a](x)\n```"),
        ("a$b", "```math\na$b\n```"),
        ("\\$5", "$$\n\\$5\n$$"),
        (" \n", ""),
    ],
)
def test_formulas_on_lines_of_their_own(content: str, text: str) -> None:
    assert markdown(document([(16, texts(tex(content)))])) == text


@pytest.mark.parametrize(
    ("emoji", "text"),
    [
        ("bulb", "> [!TIP]\n> note"),
        ("pushpin", "> [!NOTE]\n> note"),
        ("exclamation", "> [!IMPORTANT]\n> note"),
        ("warning", "> [!WARNING]\n> note"),
        ("no_entry", "> [!CAUTION]\n> note"),
        ("gift", "> 🎁 note"),
        ("flag-cn", "> :flag-cn: note"),
        ("", "> note"),
        ("<b>", "> note"),
    ],
)
def test_callouts(emoji: str, text: str) -> None:
    made = Document("doc", "")
    made.text("note", into=made.callout(emoji))
    assert markdown(made) == text


def test_a_callout_that_does_not_begin_with_a_paragraph() -> None:
    made = Document("doc", "")
    made.ordered("three", sequence="3", into=made.callout("bulb"))
    made.code("x", into=made.callout("gift"))
    made.text("===", into=made.callout("warning"))
    assert markdown(made) == "> [!TIP]\n>\n> 3. three\n\n> 🎁\n>\n> ```\n> x\n> ```\n\n> [!WARNING]\n> \\==="
    assert "<ol" in rendered(markdown(made)) and "<h1" not in rendered(markdown(made))


def test_a_callout_inside_of_something_is_no_alert() -> None:
    made = Document("doc", "")
    made.text("note", into=made.callout("bulb", into=made.bullet("item")))
    assert markdown(made) == "- item\n\n  > 💡 note"


def test_text_is_no_alert() -> None:
    made = Document("doc", "")
    made.text("[!NOTE]\nx", into=made.add(34))
    assert markdown(made) == "> \\[!NOTE]\\\n> x"


def test_old_quotes_in_a_row_are_one() -> None:
    made = document([(15, texts("one")), (15, texts("two\nthree")), (2, texts("x")), (15, texts("four"))])
    assert markdown(made) == "> one\n>\n> two\\\n> three\n\nx\n\n> four"


def test_columns_stand_in_their_order_and_their_lists_apart() -> None:
    made = Document("doc", "")
    grid = made.add(24, OWN[24])
    for side in ("left", "right"):
        made.bullet(side, into=made.add(25, OWN[25], into=grid))
    assert markdown(made) == "- left\n\n* right"


def test_a_drawing_made_of_text_is_its_text() -> None:
    own: Json = {"component_type_id": MERMAID, "record": '{"data":"graph TD\\n A-->B\\n","view":"chart"}'}
    found = converted(document([(40, own)]))
    assert found.markdown == "```mermaid\ngraph TD\n A-->B\n```"
    assert not found.unknown


@pytest.mark.parametrize("record", ["{", "[]", '{"data": 1}', None, "[" * 100_000])
def test_a_drawing_without_text_is_told_of(record: object) -> None:
    assert markdown(document([(40, {"component_type_id": MERMAID, "record": record})])) == "*Not included: add_ons*"


def test_a_synced_block_shows_what_it_brings_or_names_its_document() -> None:
    made = Document("doc", "")
    made.add(50, {"source_document_id": "doxcnInside"})
    made.text("brought", into=made.add(50, OWN[50]))
    assert markdown(made) == "[*Not included: reference_synced*](../doxcnInside.md)\n\nbrought"


def test_a_frame_without_an_address_is_told_of() -> None:
    made = document([(26, {"component": {"url": "javascript%3Aalert(1)"}}), (26, {})])
    assert markdown(made) == "*Not included: iframe*\n\n*Not included: iframe*"


def test_a_child_that_did_not_come_is_told_of() -> None:
    made = Document("doc", "")
    made.text("here")
    made.blocks[0]["children"].append("doxcnNowhere")
    found = converted(made)
    assert found.markdown == "here\n\n*Not included: missing*"
    assert dict(found.unknown) == {"missing": 1}
