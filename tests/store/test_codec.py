"""A record as a line: exact for every record, the same bytes for the same record."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import MutableMapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.model import File, Record, Status
from git_okf.store import codec as codecs
from git_okf.store.codec import Codec

BASE = "https://docs.example.com/guide/"
TEXT = st.text(max_size=12) | st.sampled_from(["=", "=x", BASE, BASE + "a.html", "\ud800", "\u2028\n", "sha256:"])
HASH = st.just("") | st.binary(min_size=32, max_size=32).map(lambda b: "sha256:" + b.hex()) | TEXT
KEY = st.sampled_from([f"{BASE}s/{number}.html" for number in range(30)]) | TEXT.filter(bool)
BLOB = TEXT | st.sampled_from(["0f" * 20, "a1" * 32])
FILE = TEXT | st.sampled_from([f"assets/{'0f' * 20}.png", f"assets/{'a1' * 32}", f"assets/{'0f' * 20}-400w.webp"])
RECORD = st.builds(
    Record,
    key=KEY,
    status=st.sampled_from(Status),
    url=TEXT,
    path=TEXT | st.sampled_from(["pages/s/1.md", "pages/home.md", "pages/install.md"]),
    title=TEXT | st.just("install"),
    description=TEXT,
    content_hash=HASH,
    compared_hash=HASH,
    raw_hash=HASH,
    fingerprint=st.sampled_from(["", "f1", "f2"]),
    size=st.integers(0, 2**40),
    etag=TEXT,
    last_modified=TEXT,
    links=st.lists(KEY, unique=True, max_size=30).map(tuple),
    form=st.sampled_from(["html", "markdown"]),
    target=TEXT,
    missing_runs=st.integers(0, 9),
    missing_since=TEXT,
    failure=TEXT,
    tries=st.integers(0, 9),
    edited=st.booleans(),
    name=TEXT | st.just("install"),
    files=st.lists(
        st.builds(File, path=FILE, blob=BLOB, size=st.integers(0, 2**40), executable=st.booleans()), max_size=3
    ).map(tuple),
    memo=st.dictionaries(st.text(), st.none() | st.integers() | st.lists(st.text(max_size=3)), max_size=3),
)


def records_of(lines: list[bytes], codec: Codec) -> list[Record]:
    memory: dict[str, str] = {}
    return [codec.decode(value, memory) for value in codecs.parse_lines(b"".join(line + b"\n" for line in lines))]


@settings(max_examples=150, deadline=None)
@given(st.lists(RECORD, max_size=12, unique_by=lambda r: r.key))
def test_every_record_comes_back_as_it_was(records: list[Record]) -> None:
    known = {record.key: record for record in records}
    codec = codecs.successor(None, known, known)
    lines = [codec.encode(record) for record in records]
    assert records_of(lines, codec) == records
    assert lines == [codec.encode(record) for record in records_of(lines, codec)]


def test_no_field_of_a_record_is_forgotten() -> None:
    """A field added to the record must be added to the codec; the strategy above names them all."""
    default = Record(key="k")
    for field in dataclasses.fields(Record):
        others: dict[type, Any] = {
            str: "x",
            int: 7,
            bool: True,
            tuple: ("l",),
            MappingProxyType: {"m": [1, {"x": None}]},
            Status: Status.ALIAS,
        }
        files = (File(path="a", blob="1" * 40, size=1), File(path="b", blob="2" * 40, size=0, executable=True))
        other: dict[str, Any] = {field.name: others[type(getattr(default, field.name))]}
        other |= {"files": files} if field.name == "files" else {}
        record = dataclasses.replace(default, **other)
        codec = codecs.successor(None, {record.key: record}, [record.key])
        assert records_of([codec.encode(record)], codec) == [record], field.name


def test_records_without_a_memo_share_one_that_nobody_can_fill() -> None:
    first, second = Record(key="a"), Record(key="b")
    assert first.memo is second.memo == {}
    assert not isinstance(first.memo, MutableMapping)


def test_what_has_its_default_value_is_left_out() -> None:
    record = Record(key=BASE + "install.html", path="pages/install.md")
    assert Codec(base=BASE).encode(record) == b'{"key":"install.html"}'


def test_what_another_field_tells_is_told_once() -> None:
    blob = "0f" * 20
    files = (File(path=f"assets/{blob}.png", blob=blob, size=3), File(path="b.png", blob=blob, size=3))
    record = Record(key="k", path="pages/A note.md", title="A note", name="A note", files=files)
    line = Codec().encode(record)
    assert json.loads(line) == {
        "key": "k",
        "path": True,
        "title": "A note",
        "name": True,
        "files": [[f"assets/{blob}.png", 3], ["b.png", blob, 3]],
    }
    assert records_of([line], Codec()) == [record]
    usual = Record(key="k", path="pages/k.md", title="A note", name="A note")
    assert records_of([Codec().encode(usual)], Codec()) == [usual]


def test_what_was_written_out_is_read_as_well() -> None:
    blob = "0f" * 20
    line = {"key": "k", "path": "pages/a.md", "title": "a", "name": "a", "files": [[f"{blob}.png", blob, 3, True]]}
    files = (File(path=f"{blob}.png", blob=blob, size=3, executable=True),)
    assert Codec().decode(line, {}) == Record(key="k", path="pages/a.md", title="a", name="a", files=files)


def test_the_base_is_what_all_pages_share() -> None:
    pages = {key: Record(key=key) for key in (BASE + "a/x", BASE + "b")}
    aside = Record(key="https://elsewhere.example.com/", status=Status.ALIAS)
    assert codecs.common_base({**pages, aside.key: aside}) == BASE
    assert codecs.common_base({}) == ""
    assert codecs.common_base({"docs/a.md": Record(key="docs/a.md")}) == "docs/"
    assert codecs.common_base({"x": Record(key="x"), "y": Record(key="y")}) == ""


def test_what_a_newer_version_wrote_is_kept() -> None:
    codec = Codec(base=BASE)
    record = codec.decode({"key": "a", "path": "p.md", "novel": [1, {"x": 2}]}, {})
    assert json.loads(codec.encode(record)) == {"key": "a", "path": "p.md", "novel": [1, {"x": 2}]}


@pytest.mark.parametrize(
    "line",
    [
        None,
        [],
        {},
        {"key": 3},
        {"key": "a", "status": "odd"},
        {"key": "a", "size": "7"},
        {"key": "a", "size": True},
        {"key": "a", "edited": 1},
        {"key": "a", "title": 5},
        {"key": "a", "links": "x"},
        {"key": "a", "links": [None]},
        {"key": "a", "links": ["unknown", 0, 3]},
        {"key": "a", "links": ["", 0]},
        {"key": "a", "by": -1.0},
        {"key": "a", "path": True},
        {"key": "a", "name": True},
        {"key": "a", "files": [["b.png", 1]]},
    ],
)
def test_a_line_that_makes_no_sense_is_an_error(line: object) -> None:
    with pytest.raises((ValueError, IndexError)):
        Codec().decode(line, {})


def test_the_table_of_fingerprints_keeps_numbers_in_use() -> None:
    def made_by(*names: str) -> dict[str, Record]:
        return {f"k{number}": Record(key=f"k{number}", fingerprint=name) for number, name in enumerate(names)}

    first = codecs.successor(None, made_by("b", "a"), ["k0", "k1"])
    assert first.fingerprints == ["a", "b"]
    second = codecs.successor(first, made_by("c", "b"), ["k0"])
    assert second.fingerprints == ["a", "b", "c"]
    assert codecs.successor(second, made_by("a", "a"), ["k0", "k1"]).fingerprints == ["a"]


@pytest.mark.parametrize("data", [b'{"key":"a"}', b"null", b'{"key":\n', b"\xff\n"])
def test_lines_cut_short_are_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        codecs.parse_lines(data)
