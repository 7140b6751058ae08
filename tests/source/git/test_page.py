"""What a Markdown file becomes: pure, from its bytes, its path and the patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.config import GitSource
from git_okf.errors import ConfigError
from git_okf.source.git import page
from git_okf.source.git.scope import Scope

SOURCE = GitSource(name="h", url="https://github.com/acme/handbook.git", bundle="h", ref="main")
SCOPE = Scope.of(SOURCE)
NOWHERE = Scope.of(GitSource(name="h", url="../handbook.git", bundle="h"))


def place(path: str) -> str:
    return f"pages/{path.rpartition('.')[0]}.md"


def read(text: str | bytes, path: str = "docs/a.md", scope: Scope = SCOPE) -> page.Page:
    return page.read(text.encode() if isinstance(text, str) else text, path, scope, place)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("b.md", "b.md"),
        ("./b.md#x", "b.md#x"),
        ("../README.md", "../README.md"),
        ("/docs/deep/c.md", "deep/c.md"),
        ("../src/main.py", "https://github.com/acme/handbook/blob/main/src/main.py"),
        ("../src/main.py#L3", "https://github.com/acme/handbook/blob/main/src/main.py#L3"),
        ("img", "https://github.com/acme/handbook/tree/main/docs/img"),
        ("https://example.org/x.md", "https://example.org/x.md"),
        ("#own", "#own"),
        ("../../outside.md", "../../outside.md"),
        ("mailto:a@example.org", "mailto:a@example.org"),
    ],
)
def test_a_link_leads_to_the_concept_or_to_the_repository(said: str, written: str) -> None:
    assert read(f"# T\n\n[x]({said})\n").body.endswith(f"[x]({written})")


def test_images_stay_at_the_repository() -> None:
    body = read("# T\n\n![p](img/p.png)\n").body
    assert body.endswith("![p](https://github.com/acme/handbook/raw/main/docs/img/p.png)")


def test_links_stay_as_they_are_where_nobody_is_known_to_show_the_repository() -> None:
    assert read("# T\n\n[x](../src/main.py) ![p](p.png)\n", scope=NOWHERE).body.endswith(
        "[x](../src/main.py) ![p](p.png)"
    )


def test_code_is_left_alone() -> None:
    text = "# T\n\n```\n[x](b.md)\n```\n\n`[x](../src/a.py)`\n"
    assert read(text).body == text.rstrip("\n")


@pytest.mark.parametrize(
    ("text", "title", "description"),
    [
        ("---\ntitle: Said\ndescription: So.\n---\n# Other\n\nText.\n", "Said", "So."),
        ("# The *guide* to [x](y.md)\n\nFirst\nwords.\n\nMore.\n", "The guide to x", "First words."),
        ("Intro.\n\n```\n# no\n```\n\n## Second level\n", "Second level", "Intro."),
        ("Title\n=====\n\n- a list\n\nProse.\n", "Title", "Prose."),
        ("just text\n", "a", "just text"),
    ],
)
def test_title_and_description_come_from_the_front_matter_or_the_text(text: str, title: str, description: str) -> None:
    found = read(text)
    assert (found.title, found.description) == (title, description)


def test_the_front_matter_is_kept_and_what_is_ours_stands_aside() -> None:
    found = read("---\ntype: howto\nresource: x\ntags: [a, 2]\nwhen: 2024-01-02\nnested: {a: {b: 1.5}}\n---\nText.\n")
    assert found.meta == {
        "tags": ["a", 2], "when": "2024-01-02", "nested": {"a": {"b": 1.5}},
        "upstream": {"type": "howto", "resource": "x"},
    }  # fmt: skip


def test_front_matter_counts_as_content_and_its_order_does_not() -> None:
    one, two = read("---\na: 1\nb: 2\n---\nText.\n"), read("---\nb: 2\na: 1\n---\nText.\n")
    assert one.compared == two.compared != read("---\na: 1\nb: 3\n---\nText.\n").compared
    assert read("Text.\n").compared == ""


@pytest.mark.parametrize("data", [b"\xff\xfe", b"", b"\n \n"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(page.NotText):
        read(data)


def test_a_pattern_that_cannot_be_read_is_said() -> None:
    with pytest.raises(ConfigError):
        Scope.of(GitSource(name="h", url="../h.git", bundle="h", include=("../*.md",)))


@pytest.mark.parametrize(
    ("path", "accepted"), [("a.md", True), ("docs/deep/a.md", True), ("a.txt", False), ("docs/old/a.md", False)]
)
def test_patterns_decide(path: str, accepted: bool) -> None:
    scope = Scope.of(GitSource(name="h", url="../h.git", bundle="h", exclude=("docs/old",)))
    assert scope.decide(path)[0] is accepted


@given(st.binary(max_size=400))
def test_whatever_a_file_holds_it_is_a_page_or_refused(data: bytes) -> None:
    try:
        first = read(data)
    except page.NotText:
        return
    assert first == read(data)
    first.body.encode()
