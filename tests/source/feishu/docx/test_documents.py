"""Whole documents: what the API gives for real ones, articles, and any tree at all."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from source.feishu.docx.reading import PLACED, converted, markdown, rendered, seen, tree
from source.feishu.docx.samples import KEYS, Document, Json, article, attached, mention, reminder, run, tex, user

from git_okf import digest
from git_okf.source.feishu.docx import convert, media_of


def test_a_weekly_report_as_the_template_makes_it() -> None:
    made = Document("AJ2pdkQFkok8PfxsF99cgyNGnwe", "📔 工作周报", revision=30, strays=True)
    box = made.add(34)
    made.text(run("部门：", bold=True), "输入部门名称", into=box)
    made.text(run("时间", bold=True), "：11月1日-11月7日", into=box)
    made.heading(1, "本周工作总结")
    grid = made.add(24, {"column_size": 2})
    for name in ("做的好的", "待改进的"):
        column = made.add(25, {"width_ratio": 50}, into=grid)
        made.text(run(name, bold=True), into=column)
        made.ordered("......", into=column)
        made.ordered("......", into=column)
    made.text()
    made.heading(1, "本周工作内容")
    cells = made.table([["", ""], ["文案定稿", ""]], head=False)
    for cell, name in zip(cells[0], ("重点工作", "跟进人"), strict=True):
        made.heading(9, name, into=cell)
    assert converted(made).title == "📔 工作周报"
    assert markdown(made) == (
        "> <strong>部门：</strong>输入部门名称\n>\n> **时间**：11月1日-11月7日\n\n# 本周工作总结\n\n"
        "**做的好的**\n\n1. ......\n2. ......\n\n**待改进的**\n\n1. ......\n2. ......\n\n# 本周工作内容\n\n"
        "<table>\n<tr>\n<td><h6>重点工作</h6></td>\n<td><h6>跟进人</h6></td>\n</tr>\n"
        "<tr>\n<td>文案定稿</td>\n<td></td>\n</tr>\n</table>"
    )


def test_an_article() -> None:
    made = article(6)
    found = converted(made)
    assert found.title.startswith("无服务器博客搭建记（6）：")
    assert "![](media/boxcnImage00000006a.png)" in found.markdown
    assert found.markdown.endswith("@user")
    assert "[原文](https://blog.example.org/post/6?from=feishu&lang=zh)" in found.markdown
    assert not found.unknown
    assert not found.warnings


def test_articles_differ_in_their_number_and_their_revision_alone() -> None:
    bodies = [markdown(article(number)) for number in range(40)]
    assert len(set(bodies)) == 40
    assert bodies == [markdown(article(number)) for number in range(40)]
    assert markdown(article(3, revision=2)) != bodies[3]


@pytest.mark.parametrize("number", range(10))
def test_articles_are_shown_whole(number: int) -> None:
    made = article(number)
    shown = seen(markdown(made))
    for said in _said(made):
        assert said in shown


def _said(made: Document) -> list[str]:
    """What every run of text says, white space folded; the page's own is the title."""
    found = []
    for block in made.blocks[1:]:
        own = block[KEYS.get(block["block_type"], "something_new")]
        runs = (each["text_run"]["content"] for each in own.get("elements", []) if "text_run" in each)
        found += [" ".join(said.split()) for said in runs]
    return [said for said in found if said]


PIECES = [
    *"ab中 *_~`[]()<>!&#|\\$-+.:=\"'\n\t",
    "1. ",
    "- ",
    "# ",
    "> ",
    "```",
    "&lt;",
    "<b>",
    "---",
    "===",
    "| - |",
    "[x]: y",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
ELEMENTS = st.lists(
    st.one_of(
        st.builds(run, WORDS, bold=st.booleans(), italic=st.booleans(), inline_code=st.booleans()),
        st.builds(lambda said: run(said, "https://e.org/"), WORDS),
        st.sampled_from([user(), mention("doxcnIn", "T"), tex("x_1"), attached("f"), reminder(), {"undefined": {}}]),
    ),
    max_size=3,
)
TEXTUAL = [n for n in KEYS if n in range(2, 18) and n != 16]


def grown(data: st.DataObject) -> Document:
    """Any document: blocks of any type, with text where they have some, each inside of any other."""
    made = Document("doc", "Title", strays=data.draw(st.booleans()))
    keys = [""]
    for at in range(data.draw(st.integers(0, 14))):
        kind = data.draw(st.sampled_from([*KEYS, 60, *3 * TEXTUAL, 31, 31, 32, 32, 19]))
        own: Json = {
            "style": {"done": data.draw(st.booleans()), "sequence": data.draw(st.sampled_from(["1", "auto", "3"]))}
        }
        if kind in TEXTUAL or kind == 60:
            own["elements"] = [run(f"w{at}q"), *data.draw(ELEMENTS)]
        if kind == 19:
            own["emoji_id"] = data.draw(st.sampled_from(["bulb", "gift", ""]))
        if kind == 31:
            spans = st.fixed_dictionaries({"row_span": st.integers(0, 3), "col_span": st.integers(0, 3)})
            own["property"] = {
                "column_size": data.draw(st.integers(0, 3)),
                "header_row": data.draw(st.booleans()),
                "merge_info": data.draw(st.lists(spans, max_size=4)) if data.draw(st.booleans()) else None,
            }
        keys.append(made.add(kind, own, into=data.draw(st.sampled_from(keys[-4:]))))
    return made


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_every_text_of_any_document_is_seen(data: st.DataObject) -> None:
    made = grown(data)
    body = markdown(made)
    shown = seen(body)
    for said in _said(made):
        assert said in shown
    marks = re.findall(r"w\d+q", shown)
    assert len(marks) == len(set(marks)), "nothing is told of twice"
    assert body == digest.canonical(body)
    assert not list(tree(body).iter("b", "script"))
    assert "ou_" not in body


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_document_is_the_same_in_any_order(data: st.DataObject) -> None:
    made = grown(data)
    expected = converted(made)
    blocks = made.blocks
    data.draw(st.randoms(use_true_random=False)).shuffle(blocks)
    assert convert(blocks, made.id, PLACED) == expected
    assert media_of(blocks) == expected.media


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_blocks_stay_what_they_are_in_any_document(data: st.DataObject) -> None:
    """Each code block is one in the rendering, verbatim, and each image an image."""
    made = grown(data)
    sources: list[str] = []
    for place in data.draw(st.lists(st.sampled_from([b["block_id"] for b in made.blocks]), max_size=3)):
        source = f"c{len(sources)}z{data.draw(WORDS)}z"
        made.code(source, into=place)
        made.image(f"i{len(sources)}", into=place)
        sources.append(source)
    html = tree(markdown(made))
    shown = ["".join(str(piece) for piece in code.itertext()).removesuffix("\n") for code in html.iter("code")]
    assert sorted(code for code in shown if re.match(r"c\dz", code)) == sources
    assert sorted(str(img.get("src")) for img in html.iter("img")) == [f"media/i{i}.png" for i in range(len(sources))]


INNER = ("elements", "text_run", "content", "style", "cells", "property", "token", "url", "column_size", "merge_info")
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=4),
    max_leaves=8,
)
OWN = dict.fromkeys(("text", "table", "image", "code", "callout", "ordered", "sheet", "iframe", "equation"), ANY)
BLOCK = st.fixed_dictionaries(
    {"block_id": st.sampled_from("abcd"), "block_type": st.sampled_from([*KEYS, 60]) | ANY},
    optional={**OWN, "children": st.lists(st.sampled_from("abcde"), max_size=4) | ANY},
)


@given(st.lists(BLOCK, max_size=5))
@settings(max_examples=100, deadline=None)
def test_whatever_comes_is_converted(blocks: list[dict[str, Any]]) -> None:
    found = convert(blocks, "a", PLACED)
    assert found == convert(blocks[::-1], "a", PLACED)
    etree.fromstring(f"<div>{rendered(found.markdown)}</div>", etree.HTMLParser())
    assert found.media == media_of(blocks, "a")


def test_the_body_is_the_same_in_every_process_and_on_every_day() -> None:
    dice = random.Random(1)
    numbers = dice.sample(range(1000), 5)
    assert digest.content_hash("\n".join(markdown(article(number)) for number in numbers)) == HASH


HASH = "sha256:6c0cda83c273f5b2394b84261d16706c38e207eef650640d97f6c8b26ed4c1fb"
