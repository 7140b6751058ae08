"""The links of a SKILL.md, and where its repository is seen on the web."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.repository import web
from git_okf.source.skills import links

TEXT = """# T

See [the guide](references/guide.md#top "Guide"), [`x`](scripts/x.py), ![shot](<assets/a b.png>),
[site](https://example.com/a), [mail](mailto:a@example.com), [here](#here), [up](../docx/SKILL.md), [out](../../../x).
`[code](no.md)` and [escaped\\](no.md).

```
[no](no.md)
```

[ref]: references/ref.md
"""


def test_relative_links_outside_of_code_are_found_each_once() -> None:
    assert list(links.relative(TEXT + "[again](scripts/x.py)")) == [
        "references/guide.md",
        "scripts/x.py",
        "assets/a b.png",
        "../docx/SKILL.md",
        "../../../x",
        "references/ref.md",
    ]


def test_skill_05_links_to_missing_files_are_told_and_directories_count_as_there() -> None:
    files = ["skills/pdf/SKILL.md", "skills/pdf/references/guide.md", "skills/pdf/assets/a b.png"]
    assert links.missing("[d](references/) " + TEXT, "skills/pdf", files) == (
        "scripts/x.py",
        "../docx/SKILL.md",
        "../../../x",
        "references/ref.md",
    )


def test_links_are_made_absolute_and_nothing_else_changes() -> None:
    seen = web.of("git@github.com:acme/skills.git")
    made = links.rewritten(TEXT, "skills/pdf", lambda path: seen.file("main", path))
    base = "https://github.com/acme/skills/blob/main/skills"
    expected = TEXT
    for old, new in (
        ('(references/guide.md#top "Guide")', f'({base}/pdf/references/guide.md#top "Guide")'),
        ("(scripts/x.py)", f"({base}/pdf/scripts/x.py)"),
        ("(<assets/a b.png>)", f"({base}/pdf/assets/a%20b.png)"),
        ("(../docx/SKILL.md)", f"({base}/docx/SKILL.md)"),
        ("[out](../../../x)", "out (`../../../x`)"),
        ("[ref]: references/ref.md", f"[ref]: {base}/pdf/references/ref.md"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert made == expected


def test_where_nobody_shows_the_repository_a_link_becomes_its_text_and_its_path() -> None:
    made = links.rewritten("[the guide](a/b.md), [`x.py`](x.py), ![](i.png), [s](https://e.example)", ".", lambda _: "")
    assert made == "the guide (`a/b.md`), `x.py`, `i.png`, [s](https://e.example)"


def test_an_image_inside_a_link_is_rewritten_too() -> None:
    made = links.rewritten(
        "[![a](i.png)](https://e.example) [![b](j.png)](x.md)", "p", lambda path: f"https://w/{path}"
    )
    assert made == "[![a](https://w/p/i.png)](https://e.example) [![b](https://w/p/j.png)](https://w/p/x.md)"


@given(st.text(alphabet="[]()!`<>ab/.#\n \\", max_size=60))
def test_a_text_without_relative_links_stays_as_it_is(text: str) -> None:
    made = links.rewritten(text, "p", lambda path: "https://w.example/x")
    if not list(links.relative(text)):
        assert made == text
    assert made.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("url", "revision", "address"),
    [
        ("https://github.com/acme/skills.git", "main", "https://github.com/acme/skills/blob/main/a/b%20c.md"),
        ("https://user:pass@github.com/acme/skills", "main", ""),
        ("git@github.com:acme/skills.git", "HEAD", "https://github.com/acme/skills/blob/HEAD/a/b%20c.md"),
        ("ssh://git@gitlab.com:22/g/s/p.git", "v1", "https://gitlab.com/g/s/p/-/blob/v1/a/b%20c.md"),
        ("https://codeberg.org/acme/s.git", "main", "https://codeberg.org/acme/s/src/branch/main/a/b%20c.md"),
        ("https://codeberg.org/acme/s.git", "a" * 40, f"https://codeberg.org/acme/s/src/commit/{'a' * 40}/a/b%20c.md"),
        ("https://codeberg.org/acme/s.git", "HEAD", ""),
        ("https://bitbucket.org/acme/s", "main", "https://bitbucket.org/acme/s/src/main/a/b%20c.md"),
        ("https://git.example.com:8443/acme/s.git", "main", ""),
        ("../skills.git", "main", ""),
        ("/srv/skills.git", "main", ""),
        ("file:///srv/skills.git", "main", ""),
        ("https://[bad", "main", ""),
    ],
)
def test_the_address_of_a_file_is_that_of_its_host(url: str, revision: str, address: str) -> None:
    assert web.of(url).file(revision, "a/b c.md") == address


def test_a_package_that_no_host_is_known_to_show_is_named_by_its_repository() -> None:
    assert (
        web.of("https://git.example.com/acme/s.git").resource("1" * 40, "a b") == "https://git.example.com/acme/s#a%20b"
    )
    assert web.of("git@git.example.com:acme/s.git").resource("1" * 40, ".") == "https://git.example.com/acme/s#."
    assert web.of("../s.git").resource("1" * 40, "a") == ""


def test_a_directory_and_the_root_have_addresses_too() -> None:
    seen = web.of("https://github.com/acme/skills")
    assert seen.directory("main", "a") == "https://github.com/acme/skills/tree/main/a"
    assert seen.directory("main", ".") == "https://github.com/acme/skills/tree/main"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/acme/skills.git", "skills"),
        ("git@github.com:skills.git", "skills"),
        ("/srv/a/skills/.git", "skills"),
        ("../skills/", "skills"),
        ("", "repository"),
    ],
)
def test_a_repository_is_named_like_its_clone(url: str, name: str) -> None:
    assert web.repository_name(url) == name


@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        '[a](b "' * 50_000,
        "".join("`" * n + " " for n in range(1, 1000)),
        "[a](" * 100_000,
        "![[a]" * 60_000,
        "[a]: " * 60_000,
        "\\" * 300_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    links.rewritten(text, "p", lambda path: "https://w.example/x")
    assert time.process_time() - started < 10, "the square of its length would be minutes"
