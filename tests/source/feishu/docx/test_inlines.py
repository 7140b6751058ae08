"""Text in a line: styles, code, formulas, mentions, and characters that stay what they are."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from source.feishu.docx.reading import PLACED, converted, line, markdown, rendered, seen, styled
from source.feishu.docx.samples import Document, Json, attached, mention, reminder, run, tex, user

from git_okf.source.feishu.docx import Context

BOLD, ITALIC, STRUCK, UNDER = ({name: True} for name in ("bold", "italic", "strikethrough", "underline"))


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        ([run("a "), run("b", **BOLD), run(" c", **ITALIC)], "a **b** *c*"),
        ([run("b ", **BOLD), run(" c", **BOLD)], "**b  c**"),
        ([run(" padded ", **BOLD), run("text")], "**padded** text"),
        ([run("a", **BOLD), run(" "), run("b", **BOLD)], "**a b**"),
        ([run("all", **BOLD, **ITALIC, **STRUCK, **UNDER)], "***<del><u>all</u></del>***"),
        ([run("a", **BOLD), run("b", **BOLD, **ITALIC)], "**a<em>b</em>**"),
        ([run("a ", **BOLD), run("b", **BOLD, **ITALIC), run(" c", **BOLD)], "**a *b* c**"),
        ([run("a", **BOLD, **ITALIC), run("*", **BOLD), run("b", **BOLD, **ITALIC)], r"***a*\*<em>b</em>**"),
        ([run("a "), run("~b", **STRUCK)], "a <del>~b</del>"),
        ([run("]:", "https://e.org/", inline_code=True)], r"[<code>\]:</code>](https://e.org/)"),
        ([run("a", **ITALIC), run("b", **BOLD)], "*a*<strong>b</strong>"),
        ([run("部门：", **BOLD), run("名称")], "<strong>部门：</strong>名称"),
        ([run(" ", **BOLD), run("x")], "x"),
        ([run("", **BOLD)], ""),
        ([run("x", **BOLD, inline_code=True)], "`x`"),
        ([run("a", inline_code=True), run("b", inline_code=True)], "`ab`"),
        ([run("a  b", inline_code=True)], "`a  b`"),
        ([run("``", inline_code=True)], "``` `` ```"),
        ([run(" a ", inline_code=True)], "`  a  `"),
        ([run("a\nb", **BOLD)], "**a\\\nb**"),
        ([run("a \n b")], "a\\\nb"),
        ([run("\n\na\n\n")], "a"),
        ([run("a\x0bb\u2028c")], "a\\\nb\\\nc"),
        ([run("　　全角")], "　　全角"),
        ([run("a\tb")], "a b"),
        ([run("a\u200bb\u202ec\U000e0041\x07")], "abc"),
    ],
)
def test_styles(elements: list[Json], text: str) -> None:
    assert line(*elements) == text


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        ([run("l", "https://e.org/a b?q=1&r=2")], "[l](https://e.org/a%20b?q=1&r=2)"),
        ([run("l", "https://e.org/%E4%BD%A0")], "[l](https://e.org/%E4%BD%A0)"),
        ([run("a", "https://e.org/"), run("b", "https://e.org/", **BOLD)], "[a**b**](https://e.org/)"),
        (
            [run("a", "https://e.org/1"), run("b", "https://e.org/2")],
            "[a](https://e.org/1)[b](https://e.org/2)",
        ),
        ([run("x", "https://e.org/", inline_code=True)], "[`x`](https://e.org/)"),
        ([run("a]b", "https://e.org/(x)")], r"[a\]b](https://e.org/%28x%29)"),
        ([run("https://e.org/_x_", "https://e.org/_x_")], "<https://e.org/_x_>"),
        ([run("wow!"), run("x", "https://e.org/")], r"wow\![x](https://e.org/)"),
        ([run("m", "mailto:a@b.c")], "[m](mailto:a@b.c)"),
        ([run("h", "www.example.org/x")], "[h](https://www.example.org/x)"),
        ([run("h", "//example.org/x")], "[h](https://example.org/x)"),
        ([run("p", "localhost:8080")], "p"),
        ([run("p", "example.org:8080/x")], "[p](https://example.org:8080/x)"),
        ([run("r", "/docx/abc")], "r"),
        ([run(" ", "https://e.org/"), run("x")], "x"),
    ],
)
def test_links(elements: list[Json], text: str) -> None:
    assert line(*elements) == text


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " jAva\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "lark://client/x",
    ],
)
def test_links_of_other_schemes_are_left_as_text(url: str) -> None:
    made = Document("doc", "")
    made.text(run("click", url), run("there", "%6A%61vascript:x"))
    found = converted(made)
    assert found.markdown == "clickthere"
    assert found.warnings == ("2 links lead to no address and were left as text",)


def test_a_link_given_plain_is_not_decoded() -> None:
    made = Document("doc", "")
    made.add(
        2, {"elements": [{"text_run": {"content": "x", "text_element_style": {"link": {"url": "https://e/a%252Fb"}}}}]}
    )
    assert markdown(made) == "[x](https://e/a%252Fb)"


def test_a_link_into_the_source_is_relative() -> None:
    own = run("x", "https://team.feishu.cn/docx/doxcnInside?from=x#y")
    other = run("y", "https://team.feishu.cn/wiki/wikcnElse")
    foreign = run("z", "https://feishu.cn.evil.org/docx/doxcnInside")
    assert line(own, other, foreign) == (
        "[x](../doxcnInside.md)[y](https://team.feishu.cn/wiki/wikcnElse)[z](https://feishu.cn.evil.org/docx/doxcnInside)"
    )


@pytest.mark.parametrize(
    ("element", "text"),
    [
        (mention("doxcnInside", "另一篇"), "[另一篇](../doxcnInside.md)"),
        (mention("doxcnX", "T\n[x]"), r"[T \[x\]](https://team.feishu.cn/docx/doxcnX)"),
        (
            mention("doxcnX", "T", url="https%3A%2F%2Fteam.feishu.cn%2Fdocx%2FdoxcnX"),
            "[T](https://team.feishu.cn/docx/doxcnX)",
        ),
        (mention("doxcnX", "", url="javascript%3Ax"), "document"),
        (user("ou_secret"), "@user"),
        (reminder(), "⏰ 2022-01-12 06:00+00:00"),
        (reminder("1641967200"), "⏰ 2022-01-12 06:00+00:00"),
        (reminder(whole_day=True), "⏰ 2022-01-12"),
        (reminder("soon"), "⏰"),
        (reminder("9" * 5000), "⏰"),
        (reminder("9" * 30), "⏰"),
        (attached("boxcnFile"), "[file](media/boxcnFile.png)"),
        (attached(""), "*Missing file*"),
        (tex("x_1"), "$x_1$"),
        (tex("a\nb % c\nd"), "$a b  d$"),
        (tex("a<b"), "$`a<b`$"),
        (tex("[a](javascript:alert)"), "$`[a](javascript:alert)`$"),
        (tex("a`b$"), "$``a`b$``$"),
        (tex("\\text{\\$5}"), "$\\text{\\$5}$"),
        (tex("x\\"), "$`x\\`$"),
        (tex(" "), ""),
        ({"undefined": {}}, "*Not included: undefined*"),
        ({"something_new": {"x": 1}}, "*Not included: element*"),
        ({"inline_block": {"block_id": "nowhere"}}, "*Not included: missing*"),
        ({"inline_block": {}}, "*Not included: inline_block*"),
        ({}, ""),
        ({"text_run": None}, ""),
    ],
)
def test_elements(element: Json, text: str) -> None:
    assert line(element) == text


def test_no_open_id_is_published() -> None:
    assert "ou_" not in line(user("ou_18eac85d35a26f989317ad4f02e8bbbb"), run(" hi"))


def test_reminders_are_told_in_the_zone_asked_for() -> None:
    context = Context(media_path=PLACED.media_path, doc_link=PLACED.doc_link, zone=timezone(timedelta(hours=8)))
    assert line(reminder(), context=context) == "⏰ 2022-01-12 14:00+08:00"


def test_a_block_in_a_line_follows_it() -> None:
    made = Document("doc", "")
    inside = made.code("x = 1")
    made.blocks[0]["children"].clear()
    made.text("see ", {"inline_block": {"block_id": inside}})
    assert markdown(made) == "see\n\n```\nx = 1\n```"


def test_a_file_in_a_line_has_the_name_of_its_block() -> None:
    made = Document("doc", "")
    made.file("boxcnFile", "notes.txt")
    source = made.blocks[-1]["block_id"]
    made.text("see ", attached("boxcnFile", source))
    assert markdown(made) == "[notes.txt](media/boxcnFile.png)\n\nsee [notes.txt](media/boxcnFile.png)"


def test_a_formula_in_a_link_does_not_end_it() -> None:
    made = Document("doc", "")
    made.text(run("a", "https://e.org/"), {"equation": {"content": "[0,1)", "text_element_style": {}}})
    assert markdown(made) == "[a](https://e.org/)$[0,1)$"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("costs $5 or $6", r"costs \$5 or \$6"),
        ("costs $5", "costs $5"),
        ("# no heading", r"\# no heading"),
        ("1. no list", r"1\. no list"),
        ("- no list", r"\- no list"),
        ("---", r"\---"),
        ("+++", "+++"),
        ("> no quote", r"\> no quote"),
        ("[ ] no task", r"\[ ] no task"),
        ("| a | b |\n| - | - |", "| a | b |\\\n\\| - | - |"),
        ("a\n===", "a\\\n\\==="),
        ("```", r"\`\`\`"),
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
        ("[a](b) ![c](d) [[w]] [^1]", None),
        ("*a* __b__ ~~c~~ `d` snake_case 3 * 4", None),
        ("\\* \\", None),
    ],
)
def test_literal_characters_stay_literal(said: str, text: str | None) -> None:
    assert text is None or line(said) == text
    assert seen(line(said)) == " ".join(said.split())
    assert not {"<em", "<strong", "<a ", "<img", "<code", "<del", "<s>", "<h1", "<hr", "<ol", "<ul", "<table"} & {
        tag
        for tag in ("<em", "<strong", "<a ", "<img", "<code", "<del", "<s>", "<h1", "<hr", "<ol", "<ul", "<table")
        if tag in rendered(line(said))
    }


def test_a_dollar_beside_a_formula_is_no_formula() -> None:
    assert line("US$ ", tex("x")) == "US\\$ $x$"


PIECES = [*"ab中 *_~`[]()<>!&#|\\$-+.:=\"'1“”（。\n", "&lt;", "<b>", "**", "__", "~~", "](x)", "  ", "\u3000"]
ODD = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)
STYLE = st.fixed_dictionaries(
    {}, optional={name: st.just(True) for name in ("bold", "italic", "strikethrough", "underline", "inline_code")}
)
LINK = st.sampled_from(["", "", "", "https://e.org/a(b)", "https://e.org/*x*?a=_b_"])
RUNS = st.lists(st.builds(lambda said, style, link: run(said, link, **style), ODD, STYLE, LINK), max_size=6)
_TAGS = {"bold": "strong", "italic": "em", "strikethrough": "del", "underline": "u"}


def expected(runs: list[Json]) -> list[tuple[str, frozenset[str]]]:
    out = []
    for each in runs:
        style = each["text_run"]["text_element_style"]
        said = each["text_run"]["content"]
        around = {tag for name, tag in _TAGS.items() if style.get(name)} if not style.get("inline_code") else {"code"}
        around |= {"a"} if "link" in style else set()
        out += [(char, frozenset(around)) for char in said if not char.isspace()]
    return out


@given(RUNS)
@settings(max_examples=300, deadline=None)
@example([run("a", bold=True), run("“b”", bold=True, italic=True), run("c")])
@example([run("*", bold=True), run("a*", italic=True)])
def test_every_character_keeps_its_styles(runs: list[Json]) -> None:
    assert styled(line(*runs)) == expected(runs)


@given(RUNS)
@settings(max_examples=100, deadline=None)
def test_every_character_keeps_its_styles_in_a_heading_and_an_item(runs: list[Json]) -> None:
    made = Document("doc", "")
    made.heading(2, *runs)
    made.bullet(*runs)
    made.todo(*runs, done=True)
    made.text(*runs, into=made.callout("bulb"))
    wanted = expected(runs)
    assert [pair for pair in styled(markdown(made)) if pair[0] not in "[]x!TIP"] == [
        pair for pair in 4 * wanted if pair[0] not in "[]x!TIP"
    ]


@given(RUNS)
@settings(max_examples=150, deadline=None)
def test_every_character_keeps_its_styles_in_a_cell(runs: list[Json]) -> None:
    for block in (2, 12):
        made = Document("doc", "")
        cells = made.table([["", "x"], ["y", "z"]])
        made.add(block, {"elements": runs}, into=cells[0][0])
        assert styled(markdown(made)) == [*expected(runs), *((char, frozenset()) for char in "xyz")]
