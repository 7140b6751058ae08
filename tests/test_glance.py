"""What a look needs is read, and nothing else: counts, or one item, however many there are."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from scenario import Docs

from git_okf import baseline, glance, settings
from git_okf.config import SourceConfig
from git_okf.errors import UsageError
from git_okf.lookup import items, statuses
from git_okf.model import File, Record, Status
from git_okf.store import state as states
from git_okf.store.counts import Counts, count, counts_of
from git_okf.store.repo import Repo

A = "docs/pages/docs/a.md"


@pytest.fixture
def built(docs: Docs) -> Docs:
    docs.build("a", "b")
    return docs


def opened(docs: Docs) -> tuple[Repo, SourceConfig]:
    repo = Repo.open(docs.repo.path, os.environ)
    return repo, settings.read_config(repo).source("docs")


def status(docs: Docs) -> statuses.SourceStatus:
    repo, _ = opened(docs)
    return statuses.status(repo, settings.read_config(repo), [], datetime.now(UTC)).sources[0]


def show(docs: Docs, item: str) -> items.Item:
    repo, _ = opened(docs)
    return items.show(repo, settings.read_config(repo), docs.repo.path, item)


def read_nothing_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **named: object) -> None:
        raise AssertionError("all items were read")

    monkeypatch.setattr(states, "read", refuse)


def test_status_reads_no_item(built: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    read_nothing_whole(monkeypatch)
    assert status(built).items == 3


def test_a_page_is_shown_by_its_url_or_its_path_alone(built: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = baseline.as_it_is(*opened(built))
    key = next(key for key, record in whole.pages.items() if record.path == "pages/docs/a.md")
    read_nothing_whole(monkeypatch)
    for item in (key, A, "pages/docs/a.md"):
        found = show(built, item)
        assert (found.url, found.path, found.content_hash) == (key, A, whole.known[key].content_hash)
        assert len(found.commits) == 1


def test_what_is_found_at_a_glance_is_what_all_of_it_says(built: Docs) -> None:
    repo, source = opened(built)
    whole = baseline.as_it_is(repo, source)
    for key, record in whole.known.items():
        assert glance.by_key(repo, source, key) == replace(record, links=())
    for record in whole.pages.values():
        assert glance.by_path(repo, source, record.path) == replace(record, links=())
    assert glance.by_key(repo, source, "https://elsewhere.example.com/") is None
    assert glance.by_path(repo, source, "index.md") is None
    assert glance.by_path(repo, source, "pages") is None


def test_an_edit_by_hand_is_told_although_the_counts_do_not_know_it(built: Docs) -> None:
    built.repo.write(A, (built.repo.path / A).read_bytes() + b"\nMine.\n")
    built.repo.git("commit", "-qam", "mine")
    repo, source = opened(built)
    assert glance.by_path(repo, source, "pages/docs/a.md") is None
    assert status(built).edited == 1
    assert show(built, A).edited


def test_a_state_without_counts_is_counted(built: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = states.facts
    monkeypatch.setattr(states, "facts", lambda *args: replace(facts(*args), counts=None))  # type: ignore[type-var]
    assert status(built).items == 3


def test_what_nobody_has_is_said_after_all_was_read(built: Docs) -> None:
    with pytest.raises(UsageError):
        show(built, "docs/pages/docs/nosuch.md")


def test_counts_are_told_and_read_again() -> None:
    file = File(path="x", blob="0" * 40, size=1)
    records = [
        Record(key="a"),
        Record(key="b", failure="timeout", edited=True),
        Record(key="c", files=(file,)),
        Record(key="d", status=Status.PENDING),
        Record(key="e", status=Status.ABSENT, edited=True),
    ]
    counts = count(records)
    assert counts == Counts(items=3, retained=1, pending=1, edited=1, with_files=1)
    assert counts_of(counts.told()) == counts


@pytest.mark.parametrize(
    "told", [None, [], {}, {"items": 3}, {**Counts().told(), "items": "3"}, {**Counts().told(), "more": 1}]
)
def test_counts_that_make_no_sense_are_none(told: object) -> None:
    assert counts_of(told) is None
