"""Volatile facts in scratch: there on top of their state commit, gone without harm."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from conftest import GitRepo

from git_okf.model import Record
from git_okf.store import state
from git_okf.store.repo import Repo

COMMIT = "1" * 40


def records(count: int, etag: str) -> dict[str, Record]:
    links = tuple(f"https://x.example/{other}" for other in range(20))
    made = (Record(key=f"https://x.example/{n}", path=f"pages/{n}.md", etag=etag, links=links) for n in range(count))
    return {record.key: record for record in made}


def test_what_changed_is_there_for_the_same_state_commit_only(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    known, seen = records(5, "old"), records(5, "new")
    seen["https://x.example/0"] = known["https://x.example/0"]
    state.write_overlay(opened, "docs", COMMIT, seen.values(), known)
    found = state.read_overlay(opened, "docs", COMMIT, known)
    assert {record.key: record for record in found} == {k: r for k, r in seen.items() if not k.endswith("/0")}
    assert state.read_overlay(opened, "docs", "2" * 40, known) == []
    assert state.read_overlay(opened, "docs", None, known) == []
    assert state.read_overlay(opened, "other", COMMIT, known) == []


def test_a_second_run_adds_to_the_first(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    known = records(4, "old")
    first = {**known, "https://x.example/1": replace(known["https://x.example/1"], etag="one")}
    state.write_overlay(opened, "docs", None, first.values(), known)
    second = {**first, "https://x.example/2": replace(known["https://x.example/2"], etag="two")}
    second.pop("https://x.example/3")
    state.write_overlay(opened, "docs", None, second.values(), first)
    found = {record.key: record.etag for record in state.read_overlay(opened, "docs", None, known)}
    assert found == {"https://x.example/1": "one", "https://x.example/2": "two"}


def test_nothing_new_writes_nothing(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    state.write_overlay(opened, "docs", None, records(3, "x").values(), records(3, "x"))
    assert not opened.scratch.exists()


@pytest.mark.parametrize("data", [b"", b"null\n", b"{}\n", b'{"format": 1', b"\xff\n", b'{"format":1,"state":""}\n'])
def test_what_cannot_be_read_is_not_there(repo: GitRepo, data: bytes) -> None:
    opened = Repo.open(repo.path)
    repo.write(".git/okf/seen/docs.jsonl", data)
    assert state.read_overlay(opened, "docs", None, {}) == []


def test_drop_forgets(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    state.write_overlay(opened, "docs", None, records(3, "x").values(), {})
    assert len(state.read_overlay(opened, "docs", None, {})) == 3
    state.drop_overlay(opened, "docs")
    state.drop_overlay(opened, "docs")
    assert state.read_overlay(opened, "docs", None, {}) == []


def test_where_every_page_lost_its_validators_the_overlay_takes_little_memory(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    known = {key: replace(record, title=f"The title of {key}") for key, record in records(6_000, "old").items()}
    seen = {key: replace(record, etag="") for key, record in known.items()}
    tracemalloc.start()
    try:
        state.write_overlay(opened, "docs", None, seen.values(), known)
        _, written = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        found = state.read_overlay(opened, "docs", None, known)
        held, read = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {record.key: record for record in found} == seen
    assert written < len(known) * 600, "less than the lines"
    assert held < len(known) * 350, "a record, and no text of its own"
    assert read < len(known) * 600
