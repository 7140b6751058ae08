"""Lists: nesting, numbers, terms and their definitions."""

from __future__ import annotations

import pytest
from extracting import markdown, rendered


def test_ext_06_numbering_goes_on_where_the_page_says() -> None:
    html = "<ol><li>a</li><li>b</li></ol><p>A note.</p><ol start=3><li>c</li><li value=7>d</li><li>e</li></ol>"
    assert markdown(html) == "1. a\n2. b\n\nA note.\n\n3. c\n7. d\n8. e"


def test_ext_06_nested_lists_with_paragraphs() -> None:
    html = "<ul><li><p>a</p><ul><li>b<ol><li>c</li></ol></li></ul></li><li><p>d</p><p>e</p></li></ul>"
    assert markdown(html) == "- a\n\n  - b\n    1. c\n\n- d\n\n  e"


def test_ext_06_definition_list_keeps_terms_and_definitions_together() -> None:
    html = (
        "<dl><dt><code>-v</code></dt><dt><code>--verbose</code></dt><dd>Say more.</dd>"
        "<dt>Term</dt><dd><p>One.</p><p>Two.</p></dd></dl>"
    )
    assert markdown(html) == "- `-v`, `--verbose`: Say more.\n\n- **Term**\n\n  One.\n\n  Two."


def test_definitions_grouped_in_boxes() -> None:
    assert markdown("<dl><div><dt>a</dt><dd>b</dd></div><div><dt>c:</dt><dd>d</dd></div></dl>") == (
        "- **a**: b\n- **c:** d"
    )


def test_terms_without_definitions_stand_for_themselves() -> None:
    html = (
        '<dl class="toc"><dt><a href="a.html">A</a></dt><dd><dl><dt><a href="b.html">B</a></dt></dl></dd>'
        "<dt>C</dt></dl>"
    )
    assert markdown(f"<h1>T</h1>{html}") == "# T\n\n- [A](a.md)\n  - [B](b.md)\n- **C**"


def test_signatures_are_code_and_their_links_stay() -> None:
    html = (
        '<dl class="py function"><dt class="sig sig-object py" id="f"><span class="sig-name descname">'
        '<span class="pre">f</span>'
        '</span><span class="sig-paren">(</span><em class="sig-param">*args</em>, <em>x:</em> <a href="t.html">T</a>'
        '<span class="sig-paren">)</span><a class="headerlink" href="#f">¶</a></dt><dd><p>Does it.</p></dd></dl>'
    )
    assert markdown(html) == "- `f(*args, x:` [`T`](t.md)`)`: Does it."


def test_two_lists_in_a_row_stay_apart_where_numbers_depend_on_it() -> None:
    text = markdown("<ol><li>a</li></ol><ol><li>b</li></ol><ol><li>c</li></ol>")
    assert text == "1. a\n\n1) b\n\n1. c"
    assert rendered(text).count("<ol>") == 3


def test_a_list_inserted_between_others_changes_nothing_else() -> None:
    lists = ["<dl><dt>a</dt><dd>1</dd></dl>", "<dl><dt>b</dt><dd>2</dd></dl>", "<dl><dt>c</dt><dd>3</dd></dl>"]
    without, with_it = markdown(lists[0] + lists[2]).split("\n"), markdown("".join(lists)).split("\n")
    assert [line for line in with_it if line not in without] == ["- **b**: 2"]


def test_sections_laid_out_as_a_list_are_sections() -> None:
    html = "<ul><li><h2>One</h2><p>a</p></li><li><h2>Two</h2><p>b</p></li></ul>"
    assert markdown(html) == "## One\n\na\n\n## Two\n\nb"


def test_task_lists() -> None:
    html = "<ul><li><input type=checkbox checked disabled> done</li><li><input type=checkbox> open</li></ul>"
    assert markdown(html) == "- [x] done\n- [ ] open"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li></li><li>a</li></ul>", "- a"),
        ("<ul>stray<li>a</li><p>p</p></ul>", "stray\n\n- a\n\n  p"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li>a</li>stray</ul>", "- a\n\n  stray"),
        ("<dl>stray<dt>a<dt>b<dd>c<dd>d<dt>e<dd>f</dl>", "stray\n\n- **a**, **b**\n\n  c\n\n  d\n\n- **e**: f"),
        ("<ol reversed><li>a</li><li>b</li></ol>", "2. a\n1. b"),
        ("<ol start=x><li>a</li></ol>", "1. a"),
        ("<ol start=99999999999999><li>a</li></ol>", "999999999. a"),
    ],
)
def test_odd_lists(html: str, text: str) -> None:
    assert markdown(html) == text


def test_ext_07_page_of_links_stays_a_list_of_links() -> None:
    links = "".join(f'<li><a href="p{i}.html">Page {i}</a></li>' for i in range(20))
    lines = markdown(f"<h1>Index</h1><ul>{links}</ul>").split("\n")
    assert lines[:2] == ["# Index", ""]
    assert lines[2:] == [f"- [Page {i}](p{i}.md)" for i in range(20)]
