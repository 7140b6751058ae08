"""Which content a change comes to: what makes it another one, and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from git_okf.model import Change, Delta, Fetched, File, Record
from git_okf.review import fingerprint


def fetched(key: str, text: str, **more: Any) -> Fetched:
    values = {"title": "T", "description": "", "raw_hash": "raw", "fingerprint": "x", "size": 1, **more}
    return Fetched(key=key, content_hash=f"sha256:{text}", **values)


def change(path: str, text: str, **more: Any) -> Change:
    return Change(key=path, path=path, new=fetched(path, text, **more))


LICENCE = File(path="a/LICENSE", blob="1" * 40, size=9)
BASE = Delta(
    added=(change("pages/a.md", "a", files=(LICENCE,)), change("pages/b.md", "b")),
    updated=(replace(change("pages/c.md", "c2"), old=Record(key="c", path="pages/c.md", content_hash="sha256:c1")),),
    removed=(Record(key="d", path="pages/d.md"),),
    unchanged=7,
)


def test_the_same_content_is_the_same_whenever_and_however_it_was_found() -> None:
    other: dict[str, Any] = {"etag": "other", "raw_hash": "other", "last_modified": "now", "title": "Other"}
    added = tuple(replace(c, new=replace(c.new, links=("x",), **other)) for c in reversed(BASE.added))
    again = replace(BASE, added=added, unchanged=9, records=(Record(key="z"),))
    assert fingerprint.of_delta(again) == fingerprint.of_delta(BASE)
    assert len(fingerprint.of_delta(BASE)) == fingerprint.LENGTH


def test_it_does_not_depend_on_what_the_base_has_instead() -> None:
    (old,) = BASE.updated
    as_added = replace(BASE, added=(*BASE.added, replace(old, old=None)), updated=())
    assert fingerprint.of_delta(as_added) == fingerprint.of_delta(BASE)


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, added=BASE.added[:1]),
        replace(BASE, added=(BASE.added[0], change("pages/b.md", "b2"))),
        replace(BASE, added=(BASE.added[0], change("pages/b2.md", "b"))),
        replace(BASE, removed=()),
        replace(BASE, removed=(Record(key="b", path="pages/e.md"),)),
        replace(BASE, rerendered=(change("pages/f.md", "f"),)),
    ],
)
def test_other_concepts_are_other_content(other: Delta) -> None:
    assert fingerprint.of_delta(other) != fingerprint.of_delta(BASE)


@pytest.mark.parametrize(
    "files",
    [
        (),
        (replace(LICENCE, blob="2" * 40),),
        (replace(LICENCE, executable=True),),
        (replace(LICENCE, path="a/LICENCE"),),
        (LICENCE, File(path="a/NOTICE", blob="3" * 40, size=1)),
    ],
)
def test_licence_and_notice_files_are_content(files: tuple[File, ...]) -> None:
    other = replace(BASE, added=(change("pages/a.md", "a", files=files), BASE.added[1]))
    assert fingerprint.of_delta(other) != fingerprint.of_delta(BASE)


def test_files_that_stay_as_they_were_are_not_part_of_an_update() -> None:
    old = Record(key="c", path="pages/c.md", files=(LICENCE,))
    kept = replace(change("pages/c.md", "c2", files=(LICENCE,)), old=old)
    dropped = replace(change("pages/c.md", "c2"), old=old)
    bare = Delta(updated=(change("pages/c.md", "c2"),))
    assert fingerprint.of_delta(Delta(updated=(kept,))) == fingerprint.of_delta(bare)
    assert fingerprint.of_delta(Delta(updated=(dropped,))) != fingerprint.of_delta(Delta(updated=(kept,)))


def test_only_ignored_parts_changing_is_the_same_content() -> None:
    one = change("pages/a.md", "a1", compared_hash="sha256:same")
    other = change("pages/a.md", "a2", compared_hash="sha256:same")
    assert fingerprint.of_delta(Delta(updated=(one,))) == fingerprint.of_delta(Delta(updated=(other,)))


def test_no_change_is_no_content() -> None:
    assert fingerprint.of_delta(Delta(unchanged=3)) == ""
    assert fingerprint.of({}) == ""
