from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from git_okf.bundle.index import Entry, directory_index, indexes, root_facts, root_index
from git_okf.bundle.prose import inline, one_line

ENTRIES = [
    Entry("pages/home.md", "Welcome", "The start page."),
    Entry("pages/guide.md", "Guide", "All about it."),
    Entry("pages/guide/install.md", "Install", ""),
    Entry("pages/guide/a b (c).md", "Spaces", "Names with spaces."),
    Entry("pages/api/v1/calls.md", "", "Calls."),
]


def made(entries: list[Entry] = ENTRIES, touched: list[str] | None = None) -> dict[str, bytes | None]:
    return indexes(
        entries, name="docs", source_url="https://docs.example.com/", changed_at="2026-06-30T14:00:00Z", touched=touched
    )


def test_every_directory_with_concepts_or_leading_to_some_has_an_index() -> None:
    assert list(made()) == [
        "index.md",
        "pages/index.md",
        "pages/api/index.md",
        "pages/api/v1/index.md",
        "pages/guide/index.md",
    ]


def test_the_root_says_what_the_bundle_is() -> None:
    root = made()["index.md"]
    assert root is not None
    assert root.decode() == (
        '---\nokf_version: "0.2"\n---\n\n# docs\n\nSource: <https://docs.example.com/>\n\n'
        "Last change: 2026-06-30T14:00:00Z\n\n"
        "# Start\n\n* [Welcome](pages/home.md) - The start page.\n\n"
        "# Contents\n\n* [pages/](pages/) - Pages below docs\n"
    )
    assert root_facts(root) == {
        "name": "docs", "source_url": "https://docs.example.com/", "changed_at": "2026-06-30T14:00:00Z"
    }  # fmt: skip


def test_a_directory_lists_its_concepts_then_its_subdirectories() -> None:
    listing = made()["pages/index.md"]
    assert listing is not None
    assert listing.decode() == (
        "# pages\n\n* [Guide](guide.md) - All about it.\n* [Welcome](home.md) - The start page.\n\n"
        "* [api/](api/) - Pages below api\n* [guide/](guide/) - Pages below Guide\n"
    )


def test_links_to_odd_names_are_encoded() -> None:
    listing = directory_index("pages/guide", ENTRIES[2:4], [])
    assert b"* [Spaces](a%20b%20%28c%29.md) - Names with spaces.\n* [Install](install.md)\n" in listing


def test_the_order_of_the_entries_does_not_count() -> None:
    assert made(ENTRIES[::-1]) == made()


def test_a_small_delta_makes_only_the_indexes_above_it() -> None:
    everything = made()
    some = made(touched=["pages/guide/install.md"])
    assert list(some) == ["index.md", "pages/index.md", "pages/guide/index.md"]
    assert all(everything[path] == data for path, data in some.items())


def test_a_change_elsewhere_keeps_the_start_in_the_root_index() -> None:
    everything = made()
    for touched in ([], ["pages/guide/install.md"]):
        assert made(touched=touched)["index.md"] == everything["index.md"]


def test_a_directory_that_lost_its_last_concept_loses_its_index() -> None:
    some = made(ENTRIES[:-1], touched=["pages/api/v1/calls.md"])
    assert some["pages/api/index.md"] is None and some["pages/api/v1/index.md"] is None
    assert b"api" not in (some["pages/index.md"] or b"")


def test_an_empty_bundle_still_has_its_root() -> None:
    assert list(made([])) == ["index.md"]
    assert root_index([], [], name="docs", source_url="https://x/", changed_at="now").count(b"#") == 1


HOSTILE = [
    "x\n\nskip-checks: true\nCo-authored-by: a <a@b>\n[skip ci] @org/team fixes #1 <!--",
    "100%d {0} [bold]x[/bold] $HOME $PATH",
    "[a](javascript:x) ![i](y) <b>bold</b> `code` *em* _em_ ~~gone~~ &amp; \\ C #",
    "\x1b[2Jok\x1b]52;c;AAAA\x07\r+0 -0 =99",
    "a\u202eb\u009bc\u2028d",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_sec_08_a_title_in_a_listing_is_one_line_of_text(title: str) -> None:
    listing = directory_index("pages", [Entry("pages/a.md", title, title)], []).decode()
    assert listing.count("\n") == 3
    assert listing.isprintable() or all(ch.isprintable() for ch in listing.replace("\n", ""))
    shown = one_line(title, 200)
    token = MarkdownIt("commonmark").parse(listing)[-4]
    assert token.children is not None
    kinds = [child.type for child in token.children if child.type not in ("text", "text_special")]
    assert kinds == ["link_open", "link_close"]
    assert "".join(child.content for child in token.children) == f"{shown} - {shown}"


@pytest.mark.parametrize("title", HOSTILE)
def test_sec_07_nothing_in_a_listing_moves_the_cursor(title: str) -> None:
    shown = inline(title)
    assert shown.isprintable()
    assert not {"\x1b", "\x9b", "\u202e", "\u2028", "\r"} & set(shown)


def test_hash_07_formatting_marks_appear_as_they_are() -> None:
    listing = directory_index("pages", [Entry("pages/a.md", "100%d {0} [bold]x[/bold] $HOME", "")], []).decode()
    assert "100%d {0} &#91;bold&#93;x&#91;/bold&#93; $HOME" in listing


def test_titles_and_descriptions_are_bounded() -> None:
    listing = directory_index("pages", [Entry("pages/a.md", "t" * 5000, "d" * 5000)], [])
    assert len(listing) < 600


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.text(st.sampled_from("ab0_*`[]()!&<>~$#\\; é\t"), max_size=30)))
def test_any_title_renders_as_itself(title: str) -> None:
    rendered = MarkdownIt("commonmark").parseInline(f"[{inline(title, 100)}](x.md)")[0].children
    assert rendered is not None
    shown = one_line(title, 100)
    assert "".join(child.content for child in rendered) == shown
    assert rendered[0].type == "link_open"
