from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from git_okf.bundle import concept
from git_okf.bundle.concept import Header, NotAConcept

WHEN = datetime(2026, 6, 30, 16, 0, 5, 999, tzinfo=timezone(timedelta(hours=2)))


def render(title: str = "Install", description: str = "How to install.", body: str = "# Install\n\nText.") -> bytes:
    return concept.render(
        title=title,
        description=description,
        resource="https://docs.example.com/install",
        body=body,
        content_hash="sha256:" + hashlib.sha256(body.encode()).hexdigest(),
        when=WHEN,
        version="1.2.3",
        source="docs",
    )


def test_a_concept_file_as_it_stands() -> None:
    assert render().decode() == (
        "---\n"
        'type: "Documentation Page"\n'
        'title: "Install"\n'
        'description: "How to install."\n'
        'resource: "https://docs.example.com/install"\n'
        "generated:\n"
        '  by: "git-okf/1.2.3"\n'
        '  at: "2026-06-30T14:00:05Z"\n'
        "sources:\n"
        '- id: "docs"\n'
        '  resource: "https://docs.example.com/install"\n'
        'content_hash: "sha256:b06b62342043daa7cb37327873fa7c824848d9629617cb2f58d53fd3c12afd91"\n'
        'crawled_at: "2026-06-30T14:00:05Z"\n'
        "---\n"
        "\n"
        "# Install\n\nText.\n"
    )


def test_an_empty_title_or_description_is_left_out() -> None:
    assert {"title", "description"}.isdisjoint(concept.parse(render("", "")).front)
    assert concept.header(render("", "")).title == ""


def test_a_time_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="offset"):
        concept.timestamp(datetime(2026, 1, 1))


NASTY = [
    *("no", "1.10", "2024-01-02", "2026-06-30T14:00:00Z", "12:30:45", "0123", "~", "null", "!!python/object:os.system"),
    *("a: b", "- a", "# a", "&a", "*a", "[a", "{a", "\"'", "'", "\\", "\\n", "trailing ", " leading"),
    *("x\n---\ntype: evil", "\u2028", "\u0085", "\ufeff", "\x00\x1b\x7f\x9b", "\ud800"),
    *("🚀 émoji 文档", "100%d {0} [bold]x[/bold] $HOME", "x" * 10_240, "é" * 10_240 + " word" * 500),
]


@pytest.mark.parametrize("title", NASTY, ids=range(len(NASTY)))
def test_sec_06_a_title_is_read_back_as_the_string_it_was(title: str) -> None:
    data = render(title, title)
    wanted = title.replace("\ud800", "\ufffd")
    for read in (yaml.safe_load, lambda text: yaml.load(text, Loader=yaml.CSafeLoader)):
        front = read(data.decode().split("---\n")[1]) if "\n---\n" not in title else concept.parse(data).front
        assert front["title"] == front["description"] == wanted
        assert list(front) == list(concept.parse(render()).front)
    assert concept.header(data) == Header(
        resource="https://docs.example.com/install",
        title=wanted,
        description=wanted,
        content_hash=concept.header(render()).content_hash,
        crawled_at="2026-06-30T14:00:05Z",
    )
    assert data.decode().split("\n").index("---", 1) == 13


@pytest.mark.parametrize(
    "body",
    ["---\nkey: v\n---\n\ntext", "a\n---\nb", "---", "", "\n\nx", "x\n", "x\n\n", "...", "\ufeffx", "a\r\nb", "\tx"],
)
def test_sec_06_a_body_never_becomes_front_matter(body: str) -> None:
    data = render(body=body)
    assert concept.body(data) == concept.parse(data).body == body
    assert concept.header(data).title == "Install"
    assert not concept.edited(data)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
@example("\udc80", "a\u2029b", "\x85\n---\n")
def test_what_is_rendered_is_what_is_read(title: str, description: str, body: str) -> None:
    body = body.encode("utf-8", "replace").decode()
    data = render(title, description, body)
    read = concept.parse(data)
    clean = [text.encode("utf-8", "replace").decode().replace("?", "") for text in (title, description)]
    got = [str(read.front.get(key, "")).replace("?", "").replace("\ufffd", "") for key in ("title", "description")]
    assert got == [text.replace("\ufffd", "") for text in clean]
    assert read.body == body and not read.duplicates
    assert data.decode().splitlines().count("---") >= 2
    assert concept.header(data).title == read.front.get("title", "")
    assert concept.body_hash(data) == concept.header(data).content_hash


def test_front_matter_reads_as_yaml_1_2_does() -> None:
    front = concept.parse(
        b"---\na: no\nb: 12:30\nc: 2026-06-30T14:00:00Z\nd: 0123\ne: 5\nf: true\ng: ~\n---\nx\n"
    ).front
    assert front == {"a": "no", "b": "12:30", "c": "2026-06-30T14:00:00Z", "d": "0123", "e": 5, "f": True, "g": None}


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"", "no front matter", 1),
        (b"# Title\n", "no front matter", 1),
        (b"---\ntype: x\n", "not closed", 1),
        (b"---\ntype: [x\n---\n", "not readable YAML", 3),
        (b"---\na: b\n b: c\n---\n", "not readable YAML", 3),
        (b"---\n- a\n---\n", "not a mapping", 2),
        (b"---\n---\n", "not a mapping", 2),
        (b"---\na: !!python/object:os.system x\n---\n", "not readable YAML", 2),
        (b"---\n" + b"[" * 5000 + b"\n---\n", "not readable YAML", 2),
        (b"\xef\xbb\xbf---\ntype: x\n---\n", "byte order mark", 1),
        (b"---\ntype: x\n---\n\na\n\xff\n", "not UTF-8", 6),
    ],
)
def test_what_is_no_concept_says_why_and_where(data: bytes, reason: str, line: int) -> None:
    with pytest.raises(NotAConcept, match=reason) as caught:
        concept.parse(data)
    assert caught.value.line == line


def test_duplicate_keys_are_found_at_any_depth() -> None:
    data = b"---\ntype: x\ngenerated:\n  by: a\n  by: b\ntype: y\nloop: &l [*l]\n---\n"
    assert sorted(concept.parse(data).duplicates) == [("by", 5), ("type", 6)]


def test_the_header_of_a_foreign_concept_is_read_through_yaml() -> None:
    data = b"---\nresource: https://x.example/\ntitle: 5\ncontent_hash: sha256:ab\n---\nbody"
    assert concept.header(data) == Header(resource="https://x.example/", content_hash="sha256:ab")


def test_a_changed_body_is_seen() -> None:
    data = render()
    assert not concept.edited(data)
    assert concept.edited(data.replace(b"Text.", b"text."))
    assert concept.edited(data + b"\n")
    assert not concept.edited(data.replace(b'"Install"', b'"Installed"'))


def test_hash_02_the_hash_knows_neither_clock_nor_version_nor_host() -> None:
    body = "# Install\n\nText."
    other = concept.render(
        title="Other",
        description="",
        resource="http://mirror.example/install",
        body=body,
        content_hash=concept.header(render()).content_hash,
        when=datetime(2031, 1, 1, tzinfo=UTC),
        version="9.9",
        source="mirror",
    )
    assert (
        concept.body_hash(other) == concept.body_hash(render()) == "sha256:" + hashlib.sha256(body.encode()).hexdigest()
    )


def test_hash_02_the_bytes_are_the_same_in_every_process() -> None:
    program = (
        "import datetime, sys; from git_okf.bundle import concept\n"
        "sys.stdout.buffer.write(concept.render(title='é', description='d', resource='https://x/', body='b', "
        "content_hash='sha256:' + '0' * 64, when=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), "
        "version='1', source='s'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone},
            check=True,
            capture_output=True,
        ).stdout
        for seed, locale, zone in (("0", "C", "UTC"), ("1", "C.UTF-8", "Asia/Tokyo"), ("2", "POSIX", "America/Lima"))
    }
    assert len(outputs) == 1


def test_sec_07_a_title_with_terminal_escapes_is_written_as_text() -> None:
    data = render("\x1b[2Jok\x1b]52;c;AAAA\x07\r+0 -0 =99\u202e\u009b")
    head = data.decode().split("\n---\n")[0]
    assert not any(ord(ch) < 32 and ch != "\n" for ch in head)
    assert "\x9b" not in head


@given(st.dictionaries(st.sampled_from(["status", "tags", "withdrawn_by", "note"]), st.text(max_size=8)), st.text())
@example({"status": "deprecated"}, '---\nwithdrawn: "x"\n---\n')
def test_a_mark_that_goes_leaves_the_file_as_it_was(meta: dict[str, str], body: str) -> None:
    data = concept.render(
        title="T",
        description="",
        resource="r",
        body=body,
        content_hash="h",
        when=WHEN,
        version="1",
        source="s",
        meta=meta,
    )
    marked = concept.withdrawn(data, "2026-11-30T00:00:00+00:00")
    front = concept.parse(marked).front
    assert front["withdrawn"] == "2026-11-30T00:00:00+00:00"
    assert front["status"] == concept.parse(data).front.get("status", "deprecated")
    assert concept.body(marked) == concept.body(data)
    assert concept.withdrawn(marked, "2027-01-01T00:00:00+00:00") == marked
    assert concept.withdrawn(marked, "") == data
    assert concept.withdrawn(data, "") == data


def test_what_has_no_front_matter_gets_no_mark() -> None:
    assert concept.withdrawn(b"# Text\n", "2026-11-30T00:00:00+00:00") == b"# Text\n"
