"""Tables: no cell's text is lost, the number of columns is constant."""

from __future__ import annotations

import re

from extracting import markdown, rendered, seen


def test_ext_05_lists_paragraphs_pipes_and_spans_keep_their_text() -> None:
    html = (
        "<table><tr><th>A</th><th>B</th></tr>"
        "<tr><td><ul><li>one</li><li>two</li></ul></td><td><p>first</p><p>second</p></td></tr>"
        "<tr><td><code>a|b</code> c|d</td><td>x<br>y</td></tr>"
        "<tr><td colspan=2>wide</td></tr></table>"
    )
    assert markdown(html) == (
        "| A | B |\n| --- | --- |\n| • one<br>• two | first<br>second |\n| `a\\|b` c\\|d | x<br>y |\n| wide |  |"
    )
    assert "<code>a|b</code> c|d" in rendered(markdown(html))


def test_rowspan_keeps_the_columns_of_the_rows_below() -> None:
    html = (
        "<table><tr><th>A</th><th>B</th><th>C</th></tr><tr><td rowspan=2>a</td><td>b</td><td>c</td></tr>"
        "<tr><td>d</td><td>e</td></tr></table>"
    )
    assert markdown(html).split("\n")[2:] == ["| a | b | c |", "|  | d | e |"]


def test_absurd_spans_do_not_grow_the_table() -> None:
    text = markdown("<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=99999999 colspan=99999999>a</td></tr></table>")
    assert len(text) < 200
    assert markdown("<table><tr><th colspan=x>A</th><th colspan=-3>B</th></tr></table>").startswith("| A | B |")


def test_table_without_head_gets_an_empty_one() -> None:
    html = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    assert markdown(html) == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"


def test_alignment_and_caption() -> None:
    html = (
        "<table><caption>Table 1. Sizes</caption><thead><tr><th>A</th><th style='text-align:right'>B</th></tr></thead>"
        "<tbody><tr><td>a</td><td>1</td></tr></tbody></table>"
    )
    assert markdown(html) == "**Table 1. Sizes**\n\n| A | B |\n| --- | ---: |\n| a | 1 |"


def test_code_block_in_a_cell_stays_a_fence() -> None:
    html = "<table><tr><th>A</th><th>B</th></tr><tr><td>a</td><td><pre>x\ny</pre></td></tr></table>"
    text = markdown(html)
    assert "\n\n```\nx\ny\n```\n\n" in text
    assert re.search(r"<td>\s*<pre><code>x\ny\n</code></pre>\s*</td>", rendered(text))
    assert seen(text) == "A B a x y"


def test_layout_tables_are_undone() -> None:
    assert markdown("<table><tr><td><h2>T</h2><p>one two</p></td></tr></table>") == "## T\n\none two"
    assert markdown('<table role="presentation"><tr><td>a</td><td>b</td></tr></table>') == "a\n\nb"


def test_tables_made_of_boxes_are_tables() -> None:
    html = (
        '<div class="summary-table two-column-summary"><div class="table-header col-first">Class</div>'
        '<div class="table-header col-last">Description</div><div class="col-first even-row-color">'
        '<a href="A.html">A</a></div>'
        '<div class="col-last even-row-color">The first.</div></div>'
    )
    assert markdown(html) == "| Class | Description |\n| --- | --- |\n| [A](A.md) | The first. |"


def test_headings_between_rows_part_the_table() -> None:
    html = (
        "<table><tr><td colspan=2><h2>Fields</h2></td></tr><tr><td>int</td><td>a</td></tr><tr><td colspan=2></td></tr>"
        "<tr><td colspan=2><h2>Functions</h2></td></tr><tr><td>void</td><td>f</td></tr></table>"
    )
    assert markdown(html) == (
        "## Fields\n\n|  |  |\n| --- | --- |\n| int | a |\n\n## Functions\n\n|  |  |\n| --- | --- |\n| void | f |"
    )


def test_table_inside_of_a_table_keeps_its_text() -> None:
    html = "<table><tr><th>A</th></tr><tr><td>x<table><tr><th>I</th></tr><tr><td>in</td></tr></table></td></tr></table>"
    assert seen(markdown(html)) == "A x I in"
