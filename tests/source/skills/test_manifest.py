"""A SKILL.md, read as clients read it, and judged as its own validator does."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaged import skill

from git_okf.source.skills import manifest, strict
from git_okf.source.skills.manifest import Unreadable


def read(text: str | bytes, directory: str = "pdf") -> manifest.Manifest:
    return manifest.read(text.encode() if isinstance(text, str) else text, directory)


def test_what_the_specification_names_is_read() -> None:
    said = read(
        "---\nname: pdf\ndescription: Reads PDF files. Use for PDFs.\nlicense: Apache-2.0\ncompatibility: Needs git\n"
        "metadata:\n  author: acme\n  version: 1.10\nallowed-tools: Bash(git:*) Read\n---\n# Body\n\ntext\n"
    )
    assert said == manifest.Manifest(
        name="pdf",
        description="Reads PDF files. Use for PDFs.",
        license="Apache-2.0",
        compatibility="Needs git",
        allowed_tools="Bash(git:*) Read",
        metadata=(("author", "acme"), ("version", "1.10")),
        body="# Body\n\ntext\n",
    )
    assert (said.said("version"), said.said("author"), said.said("model")) == ("1.10", "acme", "")


@pytest.mark.parametrize(
    ("value", "kept"),
    [("1.10", "1.10"), ("no", "no"), ("0123", "0123"), ("2026-01-02", "2026-01-02"), ("12:30", "12:30")],
)
def test_every_scalar_is_text(value: str, kept: str) -> None:
    said = read(f"---\nname: {value}\ndescription: {value}\nmetadata: {{a: {value}}}\n---\n", kept)
    assert (said.name, said.description, said.metadata) == (kept, kept, (("a", kept),))


def test_keys_nobody_knows_are_kept_and_warned_about() -> None:
    said = read("---\nname: pdf\ndescription: d\nversion: 2.0\nhooks:\n  pre: [a, b]\n---\n")
    assert said.extra == (("version", "2.0"), ("hooks", '{"pre": ["a", "b"]}'))
    assert said.said("version") == "2.0"
    assert said.warnings == ("keys the specification does not know, kept: version, hooks",)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (skill("other"), "the name is 'other', the directory 'pdf'"),
        ("---\ndescription: d\n---\n", "there is no name; the directory's stands for it: pdf"),
        (skill("pdf", description="x" * 1025), "the description has 1025 characters, more than 1024"),
        (skill("pdf", compatibility="x" * 501), "`compatibility` has 501 characters, more than 500"),
        (
            skill("pdf", body="x\n" * 501),
            "the body is long (502 lines): the advice is at most 500 lines or 5,000 tokens",
        ),
        (skill("pdf", metadata="text"), "`metadata` is no mapping of names to texts; it was left out"),
        (
            skill("pdf", allowed_tools="[Read, Write]"),
            "`allowed-tools` is a list, not a text with spaces between the tools",
        ),
        ("\ufeff" + skill("pdf"), "a byte order mark stands before the front matter"),
        (skill("pdf", license_="MIT\nlicense: ISC"), "the key 'license' stands twice; the first counts"),
        (
            skill("pdf", description="Use when: asked"),
            "the front matter is no YAML until values that hold `: ` are quoted",
        ),
    ],
)
def test_what_clients_put_up_with_is_taken_and_warned_about(text: str, warning: str) -> None:
    assert read(text).warnings == (warning,)


def test_a_value_with_colons_is_quoted_for_a_second_try() -> None:
    said = read("---\nname: pdf\ndescription: Use when: a: b # c\nlicense: MIT\n---\n")
    assert (said.description, said.license) == ("Use when: a: b # c", "MIT")


def test_of_a_key_that_stands_twice_the_first_counts() -> None:
    assert read("---\nname: pdf\ndescription: first\ndescription: second\n---\n").description == "first"


def test_line_ends_do_not_matter_and_the_description_may_have_several_lines() -> None:
    said = read("---\r\nname: pdf\r\ndescription: >\r\n  one\r\n  two\r\n---\r\n# B\r\n")
    assert (said.description, said.body) == ("one two", "# B\n")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"# no front matter\n", "has no front matter: the first line is not ---"),
        (b"", "has no front matter: the first line is not ---"),
        (b"---\nname: pdf\ndescription: d\n", "has a front matter that no line --- closes"),
        (b"---\nname: pdf\n---\n", "has no description, without which clients skip a skill"),
        (b"---\nname: pdf\ndescription: '  '\n---\n", "has no description, without which clients skip a skill"),
        (b"---\nname: [pdf\n---\n", "has a front matter that is no YAML"),
        (b"---\n- a\n---\n", "has a front matter that is no mapping of keys to values"),
        (b"---\nname: caf\xe9\ndescription: d\n---\n", "is not UTF-8 (byte 13)"),
        (b"---\na: &a [x]\nb: *a\ndescription: d\n---\n", "has a front matter with YAML aliases"),
        (b"---\ndescription: " + b"x" * 70_000 + b"\n---\n", "has a front matter of more than 32768 bytes"),
        (b"---\ndescription: " + b"[" * 20_000 + b"\n---\n", "has a front matter that is nested too deeply"),
        (b"---\n" + b"- " * 10_000 + b"x\n---\n", "has a front matter that is nested too deeply"),
    ],
)
def test_what_clients_skip_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(data)
    assert reason in str(refused.value)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"---\n{text}\n---\n".encode()))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        said = read(data)
    except Unreadable:
        return
    assert said.description.strip()
    assert said.name


@pytest.mark.parametrize(
    ("text", "directory", "fault"),
    [
        (skill("PDF"), "PDF", "the name is not in lower case"),
        (skill("pdf"), "doc", "the name 'pdf' is not that of the directory, 'doc'"),
        (skill("-pdf"), "-pdf", "the name has a hyphen at its beginning or end, or two in a row"),
        (skill("p_f"), "p_f", "the name has characters other than letters, digits and hyphens"),
        (skill("x" * 65), "x" * 65, "the name is longer than 64 characters"),
        (skill("pdf", version="1"), "pdf", "fields that are not allowed: version"),
        (skill("pdf", metadata="{a: b}"), "pdf", "flow style ({...}, [...]) is not allowed"),
        (skill("pdf", license_="&x y"), "pdf", "anchors and aliases are not allowed"),
        (skill("pdf", license_="!!str y"), "pdf", "tags are not allowed"),
        (skill("pdf", license_="a\nlicense: b"), "pdf", "the key 'license' stands twice"),
        (skill("p---f"), "p---f", "there is no description"),
        ("\ufeff" + skill("pdf"), "pdf", "it does not begin with ---"),
        ("---\nname: pdf\n---\n", "pdf", "there is no description"),
        ("---\ndescription: d\n---\n", "pdf", "there is no name"),
        (skill("pdf", compatibility="x" * 501), "pdf", "`compatibility` is longer than 500 characters"),
    ],
)
def test_the_validators_own_rules_are_told(text: str, directory: str, fault: str) -> None:
    assert any(fault in told for told in strict.faults(text.encode(), directory))


@pytest.mark.parametrize("name", ["pdf", "café", "数据", "no", "1", "x" * 64])
def test_what_the_validator_accepts_is_not_objected_to(name: str) -> None:
    text = skill(name, license_="MIT", metadata="\n  version: 1.0", compatibility="any", allowed_tools="Read")
    assert strict.faults(text.encode(), name) == ()
    assert strict.faults(text.replace("\n", "\r\n").encode(), name) == ()


def test_the_validators_front_matter_ends_at_the_first_three_hyphens_and_ours_at_their_line() -> None:
    text = skill("pdf", description="has --- in it")
    assert strict.faults(text.encode(), "pdf") == ()
    assert read(text).description == "has --- in it"


@pytest.mark.parametrize(
    "front",
    [
        "description: " + "[" * 30_000,
        "- " * 15_000 + "x",
        "? " * 15_000 + "x",
        "a:\n" * 10_000,
        "".join(f"k{n}: v\n" for n in range(3000)),
        "description: x" + " " * 30_000 + ": y",
        "a: b: c\n" * 4000,
        "description: " + "{a: " * 7_000,
    ],
)
def test_no_front_matter_takes_long(front: str) -> None:
    data = f"---\n{front}\n---\n".encode()
    started = time.process_time()
    with contextlib.suppress(Unreadable):
        read(data)
    strict.faults(data, "pdf")
    assert time.process_time() - started < 15, "the square of what such a text can hold would be minutes"
