from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from git_okf import config
from git_okf.config_edit import add_source, remove_source
from git_okf.errors import ConfigError

DOCS = {"url": "https://docs.example.com/guide/", "bundle": "docs/example"}

COMMENTED = """\
# head
version: 1   # one
sources:
    # first
    a: {url: "https://a.example/", bundle: a}   # inline

    # second
    b:
        url: https://b.example/
        bundle: b
        include:
        - 'x'   # last

    # third
    c:
        url: https://c.example/
        bundle: c
    # end
defaults: {threshold: 0.4}
"""


def test_a_new_file_says_its_version() -> None:
    text = add_source(None, "docs", DOCS)
    assert text == (
        "version: 1\n\nsources:\n  docs:\n    url: https://docs.example.com/guide/\n    bundle: docs/example\n"
    )
    assert config.parse(text).source("docs").bundle == "docs/example"


def test_every_value_of_a_source_can_be_written() -> None:
    values = {
        **DOCS,
        "max_depth": 5,
        "max_pages": None,
        "include": ("*/guide/*",),
        "exclude": (),
        "headers": {"Authorization": "${DOCS_TOKEN}"},
        "browser": True,
        "content": 'main > .body[data-x="a #b: c"]',
    }
    read = config.parse(add_source(None, "docs", values)).source("docs")
    assert isinstance(read, config.WebSource)
    assert (read.max_depth, read.max_pages, read.include, read.browser) == (5, 200, ("*/guide/*",), True)
    assert read.headers == (("Authorization", "${DOCS_TOKEN}"),)
    assert read.content == 'main > .body[data-x="a #b: c"]'


def test_a_source_is_added_after_the_others_and_nothing_else_moves() -> None:
    before, after = COMMENTED.split("    # end\n")
    added = "    docs:\n      url: https://docs.example.com/guide/\n      bundle: docs/example\n"
    assert add_source(COMMENTED, "docs", DOCS) == before + added + "    # end\n" + after


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_source_is_removed_and_all_comments_stay(name: str) -> None:
    left = remove_source(COMMENTED, name)
    kept = set(COMMENTED.splitlines()) - set(left.splitlines())
    assert all(line.startswith((f"    {name}:", "        ")) for line in kept)
    for comment in ("# head", "# one", "# first", "# second", "# third", "# end"):
        assert comment in left
    assert list(config.parse(left).sources) == [other for other in "abc" if other != name]


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_adding_and_removing_gives_the_same_bytes_back(name: str) -> None:
    assert remove_source(add_source(COMMENTED, "docs", DOCS), "docs") == COMMENTED


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "# only a comment\n", "version: 1", "version: 1\n\n\n"),
        *("sources:\n", "sources: {}\n", "sources: # none\n"),
        *("sources: {}  # none yet\ndefaults: {}\n", "sources:\ndefaults: {threshold: 0.5}\n", "---\nsources:\n"),
        *("sources: {x: {url: 'https://x.example/', bundle: x}} # c\nversion: 1\n", COMMENTED.rstrip()),
        *("sources:\n  x:\n    url: https://x.example/\n    bundle: x", "\ufeffsources:\n", "sources: null\n"),
    ],
)
def test_whatever_the_file_looks_like_the_source_is_there_and_the_rest_too(text: str) -> None:
    made = add_source(text, "docs", DOCS)
    before = yaml.safe_load(text) or {}
    after = yaml.safe_load(made)
    assert after["sources"].pop("docs") == DOCS
    assert after["sources"] == (before.get("sources") or {})
    assert {k: v for k, v in after.items() if k not in ("sources", "version")} == {
        k: v for k, v in before.items() if k not in ("sources", "version")
    }
    for comment in ("# only a comment", "# none", "# c", "# end"):
        assert (comment in text) == (comment in made)
    assert (yaml.safe_load(remove_source(made, "docs"))["sources"] or {}) == (before.get("sources") or {})


@pytest.mark.parametrize("name", ["a", "b"])
def test_sources_in_braces_are_edited_in_braces(name: str) -> None:
    text = "sources: {a: {url: x}, b: {url: y}}  # both\n"
    other = {"a": "b: {url: y}", "b": "a: {url: x}"}[name]
    assert remove_source(text, name) == f"sources: {{{other}}}  # both\n"


def test_line_endings_stay_as_they_are() -> None:
    made = add_source("version: 1\r\nsources:\r\n  a:\r\n    url: u\r\n    bundle: b\r\n", "docs", DOCS)
    assert made.count("\r\n") == made.count("\n") == 8


def test_a_name_is_added_once() -> None:
    with pytest.raises(ConfigError, match="already a source 'b'"):
        add_source(COMMENTED, "b", DOCS)


def test_a_source_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(ConfigError, match="no source 'bb'") as caught:
        remove_source(COMMENTED, "bb")
    assert "'b'" in caught.value.hint
    with pytest.raises(ConfigError, match="no source 'a'"):
        remove_source("version: 1\n", "a")


@pytest.mark.parametrize("text", ["a: [", "- a\n", "sources: [a]\n", "sources: text\n"])
def test_a_file_that_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        add_source(text, "docs", DOCS)
    with pytest.raises(ConfigError):
        remove_source(text, "docs")


def test_a_layout_that_cannot_be_edited_safely_is_refused_with_what_to_write() -> None:
    text = "base: &s {url: u, bundle: b}\nsources: &all\n  a: &a\n    url: u\n  b: *a\n"
    with pytest.raises(ConfigError, match="cannot be edited safely"):
        remove_source(text, "a")


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.from_regex(r"[a-z0-9][a-z0-9._-]{0,8}", fullmatch=True), st.text(max_size=30), max_size=4),
    st.text(max_size=30),
)
@example({}, "\x85").via("a line break of YAML 1.1")
@example({"a": "x\u2028y"}, "a\n\nb\r\t\x00")
def test_any_value_is_read_back(others: dict[str, str], content: str) -> None:
    content = content.encode("utf-8", "replace").decode()
    text: str | None = None
    for number, (name, value) in enumerate(others.items()):
        value = value.encode("utf-8", "replace").decode()
        text = add_source(text, name, {"url": "https://x.example/", "bundle": f"b{number}", "content": value})
    made = add_source(text, "docs-0-9-x", {**DOCS, "content": content})
    assert yaml.safe_load(made)["sources"]["docs-0-9-x"]["content"] == content
    if text is not None:
        assert remove_source(made, "docs-0-9-x") == text
