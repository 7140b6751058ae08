"""The marker in a review's text: it comes back as it was, and what was tampered with is as if it were not there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from git_okf.review import marker
from git_okf.review.marker import OBSOLETE, Marker

GOOD = Marker(source="docs", fingerprint="9f" * 16, head="3a" * 20, run="5d2c")
names = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True)


@settings(deadline=None)
@given(names, st.from_regex(r"[0-9a-f]{16,64}", fullmatch=True), st.sampled_from(["", "0" * 40, "a" * 64]))
def test_a_marker_comes_back_as_it_was(source: str, fingerprint: str, head: str) -> None:
    made = Marker(source=source, fingerprint=fingerprint, head=head, run="r-1", settled=OBSOLETE)
    assert marker.find(f"before {made} after", source) == made
    assert "--" not in str(made).removeprefix("<!--").removesuffix("-->")


def test_a_marker_is_hidden_and_survives_what_hosts_do_to_line_ends() -> None:
    assert MarkdownIt().render(f"{GOOD}\n\nText").replace(str(GOOD), "").strip() == "<p>Text</p>"
    assert marker.find(f"{GOOD}\r\ntext\r\n", "docs") == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        "text without",
        str(GOOD).replace("docs", "other"),
        str(GOOD).replace("9f9f", "XX"),
        str(GOOD).replace('"run"', '"ran"'),
        str(GOOD).replace("5d2c", "5d2c\\n@here"),
        str(GOOD).replace("5d2c", "x" * 3000),
        str(GOOD).replace('"5d2c"', "7"),
        str(GOOD).replace("{", "["),
        str(GOOD).replace("<!-- ", "<!--"),
        f"{GOOD}\n{GOOD}".replace("5d2c", "aaaa", 1),
        "<!-- git-okf: " + "[" * 1500 + "{} -->",
    ],
)
def test_a_marker_that_cannot_be_believed_is_none(text: str | None) -> None:
    assert marker.find(text, "docs") is None


def test_a_marker_that_was_quoted_is_believed_and_others_beside_it_do_not_matter() -> None:
    other = str(GOOD).replace('"docs"', '"skills"')
    assert marker.find(f"> {GOOD}\n{GOOD}\n{other}", "docs") == GOOD


@settings(deadline=None)
@given(st.text())
def test_any_text_is_searched_without_harm(text: str) -> None:
    assert marker.find(text + str(GOOD), "docs") == GOOD
