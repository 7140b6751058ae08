"""Tables: GFM where that can hold them, HTML where it cannot."""

from __future__ import annotations

import pytest
from source.feishu.docx.reading import converted, document, markdown, seen, tree
from source.feishu.docx.samples import Document, Json, run, tex, texts


def table(rows: list[list[str]], *, head: bool = True, **how: object) -> Document:
    made = Document("doc", "")
    made.table(rows, head=head, **how)  # type: ignore[arg-type]
    return made


def test_a_table_with_a_row_of_headings() -> None:
    assert markdown(table([["a", "b"], ["c", ""]])) == "| a | b |\n| --- | --- |\n| c |  |"


def test_a_table_without() -> None:
    assert markdown(table([["a", "b"], ["c", "d"]], head=False)) == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"


def test_a_column_of_headings_is_bold() -> None:
    made = table([["a", "b"], ["c", "d"]])
    made.blocks[1]["table"]["property"]["header_column"] = True
    assert markdown(made) == "| a | b |\n| --- | --- |\n| **c** | d |"


def test_columns_whose_text_is_aligned() -> None:
    made = table([["", ""], ["", ""]])
    cells = made.blocks[1]["table"]["cells"]
    for key, align in zip(cells, (2, 3, 2, 1), strict=True):
        made.text("x", into=key, align=align)
    assert markdown(made) == "| x | x |\n| :---: | --- |\n| x | x |"


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        (["a|b"], r"a\|b"),
        (["a\\|b"], r"a\\\|b"),
        (["a\nb"], "a<br>b"),
        ([run("a|b", inline_code=True)], r"`a\|b`"),
        ([run("x", "https://e.org/a|b")], "[x](https://e.org/a%7Cb)"),
        ([run("b", bold=True)], "**b**"),
        ([tex("|x|")], r"$\|x\|$"),
        (["- no list"], "- no list"),
    ],
)
def test_what_a_cell_says(elements: list[Json | str], text: str) -> None:
    made = table([[""]], head=True)
    made.text(*elements, into=made.blocks[1]["table"]["cells"][0])
    assert markdown(made) == f"| {text} |\n| --- |"
    assert len(list(tree(markdown(made)).iter("th"))) == 1


def test_paragraphs_in_a_cell_are_set_apart_by_breaks() -> None:
    made = table([["one"]])
    made.text("two", into=made.text("and", into=made.blocks[1]["table"]["cells"][0]))
    assert markdown(made) == "| one<br>and<br>two |\n| --- |"


def test_a_backslash_before_a_bar_in_code_is_left_to_html() -> None:
    made = table([["a", "b"]])
    made.text(run("x\\|y", inline_code=True), into=made.blocks[1]["table"]["cells"][0])
    assert markdown(made) == "<table>\n<tr>\n<th><p>a</p><p><code>x\\|y</code></p></th>\n<th>b</th>\n</tr>\n</table>"


def test_merged_cells() -> None:
    made = table([["a", "", "b"], ["c", "d", ""], ["e", "f", ""]], spans={(0, 0): (1, 2), (0, 2): (3, 1)}, head=False)
    assert markdown(made) == (
        '<table>\n<tr>\n<td colspan="2">a</td>\n<td rowspan="3">b</td>\n</tr>\n'
        "<tr>\n<td>c</td>\n<td>d</td>\n</tr>\n<tr>\n<td>e</td>\n<td>f</td>\n</tr>\n</table>"
    )


def test_text_in_a_covered_cell_goes_to_the_covering_one() -> None:
    made = table([["a", "hidden"]], spans={(0, 0): (1, 2)})
    assert markdown(made) == '<table>\n<tr>\n<th colspan="2"><p>a</p><p>hidden</p></th>\n</tr>\n</table>'


@pytest.mark.parametrize("info", [None, [], [None, 1], [{"row_span": 0, "col_span": "x"}], {"row_span": 2}])
def test_spans_that_are_not_given(info: object) -> None:
    made = table([["a", "b"], ["c", "d"]])
    made.blocks[1]["table"]["property"]["merge_info"] = info
    assert markdown(made) == "| a | b |\n| --- | --- |\n| c | d |"


def test_spans_end_where_the_table_or_another_span_does() -> None:
    made = table([["a", "b"], ["c", "d"]], spans={(0, 1): (9, 9), (1, 0): (9, 9)})
    assert "<td>c</td>" in markdown(made)
    assert '<th rowspan="2"><p>b</p><p>d</p></th>' in markdown(made)
    assert seen(markdown(made)) == "a b d c"


def test_lark_09_lists_images_and_code_in_cells() -> None:
    made = table([["a", "b"], ["", ""]])
    left, right = made.blocks[1]["table"]["cells"][2:]
    item = made.bullet("one <b>", run("bold", bold=True), into=left)
    made.ordered("deep", sequence="3", into=item)
    made.todo("done", done=True, into=left)
    made.code("x < y\n\n\n\t- z", 49, into=right)
    made.image("boxcnImage", caption='a "caption"', into=right)
    made.text("note", into=made.callout("bulb", into=right))
    made.add(16, texts(tex("a<b\\\\\nc")), into=right)
    made.heading(9, "h", into=right)
    made.add(22, into=right)
    made.file("boxcnFile", "f.pdf", into=right)
    made.add(30, {"token": "sht"}, into=right)
    found = converted(made)
    assert found.markdown == (
        "<table>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n<tr>\n"
        '<td><ul><li>one &lt;b&gt;<strong>bold</strong><ol start="3"><li>deep</li></ol></li>'
        "<li>[x] done</li></ul></td>\n"
        '<td><pre><code class="language-python">x &lt; y&#10;&#10;&#10;\t- z</code></pre>'
        '<img src="media/boxcnImage.png" alt="a &quot;caption&quot;" width="981" height="800" align="center">'
        '<p><em>a "caption"</em></p><blockquote>💡 note</blockquote><p>$$a&lt;b\\\\&#10;c$$</p><h6>h</h6><hr>'
        '<p><a href="media/boxcnFile.png">f.pdf</a></p><p><em>Not included: sheet</em></p></td>\n</tr>\n</table>'
    )
    assert dict(found.unknown) == {"sheet": 1}
    [code] = tree(found.markdown).iter("code")
    assert code.text == "x < y\n\n\n\t- z"


def test_html_in_a_table_holds_together_inside_of_an_item_and_a_quote() -> None:
    made = Document("doc", "")
    for box in (made.bullet("item"), made.add(34)):
        cells = made.table([["a", "b"]], into=box)
        made.code("x\n\n# y", into=cells[0][0])
    html = tree(markdown(made))
    assert [code.text for code in html.iter("code")] == ["x\n\n# y", "x\n\n# y"]
    assert len(list(html.iter("table"))) == 2
    assert not list(html.iter("h1"))


def test_a_table_in_a_cell() -> None:
    made = table([["a"]])
    made.table([["b"]], into=made.blocks[1]["table"]["cells"][0])
    assert markdown(made) == ("<table>\n<tr>\n<th><p>a</p><table><tr><th>b</th></tr></table></th>\n</tr>\n</table>")


def test_cells_that_are_not_listed() -> None:
    made = table([["a", "b"]])
    del made.blocks[1]["table"]["cells"]
    assert markdown(made) == "| a | b |\n| --- | --- |"


def test_a_row_that_is_not_full_and_a_cell_that_is_not_there() -> None:
    made = table([["a", "b"], ["c", "d"]])
    made.blocks[1]["table"]["cells"][2:] = ["doxcnGone"]
    found = converted(made)
    assert found.markdown == ("| a | b |\n| --- | --- |\n| *Not included: missing* |  |\n\nc\n\nd")


@pytest.mark.parametrize("width", [0, -1, "x", None, 10**9])
def test_a_width_that_is_none(width: object) -> None:
    made = table([["a", "b"], ["c", "d"]])
    made.blocks[1]["table"]["property"]["column_size"] = width
    assert seen(markdown(made)) == "a b c d"


def test_a_table_that_says_nothing_is_none() -> None:
    assert markdown(table([["", ""], ["", ""]])) == ""
    assert markdown(document([(31, {})])) == ""


def test_text_in_html_is_text() -> None:
    made = table([["", ""]], spans={(0, 0): (1, 2)})
    said = "</td></table><script>alert(1)</script> &amp; **no** <!-- x"
    made.text(
        said,
        run('"><img src=x onerror=alert(1)>', 'https://e.org/"><script>'),
        into=made.blocks[1]["table"]["cells"][0],
    )
    html = tree(markdown(made))
    assert not list(html.iter("script", "img"))
    assert said in "".join(str(piece) for piece in html.itertext())
    [link] = html.iter("a")
    assert link.get("href") == "https://e.org/%22%3E%3Cscript%3E"
    assert link.text == '"><img src=x onerror=alert(1)>'
