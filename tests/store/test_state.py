"""The state branch: small, stable, readable or refused, never silently empty."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from conftest import GitRepo
from landing_steps import WHEN

from git_okf.model import Record, Status
from git_okf.store import state
from git_okf.store.repo import RefUpdate, Repo
from git_okf.store.state import FormatTooNew, State, StateUnreadable
from git_okf.store.trees import Made

BASE = "https://docs.example.com/guide/"
IDENTITY = {"kind": "web", "url": BASE, "bundle": "docs"}


def page(number: int, version: int = 0) -> Record:
    digest = "sha256:" + hashlib.sha256(f"{number} {version}".encode()).hexdigest()
    navigation = tuple(f"{BASE}section-{number % 3}/page-{other}.html" for other in range(60))
    return Record(
        key=f"{BASE}section-{number % 3}/page-{number}.html",
        path=f"pages/section-{number % 3}/page-{number}.md",
        title=f"Page {number}",
        description="What this page is about, in about a hundred characters, as sites have it in their meta data.",
        content_hash=digest,
        raw_hash=digest,
        fingerprint="0123456789abcdef",
        size=4000,
        etag=f'"{digest[7:39]}"',
        last_modified="Mon, 30 Nov 2026 18:00:00 GMT",
        links=(*navigation, f"{BASE}elsewhere/{number}.html"),
    )


def known(*records: Record) -> dict[str, Record]:
    return {record.key: record for record in records}


def write(repo: Repo, old: State | None, new: State, source: str = "docs") -> State:
    """Commit the change, read it back."""
    before = repo.ref(state.REF)
    tree = repo.edit(repo.commit_tree(before) if before else None, state.changes(old, new, source))
    commit = repo.commit(tree, [before] if before else [], "state", WHEN)
    repo.update([RefUpdate(state.REF, before, commit, "state")])
    found = state.read(repo, source)
    assert found is not None
    return found


def test_a_source_never_heard_of_is_none(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert state.read(opened, "docs") is None
    write(opened, None, State(identity=IDENTITY), "other")
    assert state.read(opened, "docs") is None


def test_what_was_written_is_read(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    side = Record(key=BASE + "old.html", status=Status.ALIAS, target=BASE + "section-0/page-0.html")
    pending = Record(key=BASE + "new.html", status=Status.PENDING, tries=2, failure="timeout")
    wanted = State(
        identity=IDENTITY,
        access=state.UNREACHABLE,
        last_error="connection refused",
        bundle_tree="1" * 40,
        last_observed="2026-03-04T05:06:07+00:00",
        last_fully_processed="2026-03-03T05:06:07+00:00",
        failures=2,
        recheck_at="2026-03-05T05:06:07+00:00",
        retry_at="2026-03-04T06:06:07+00:00",
        watermarks={"docx": "2026"},
        records=known(*map(page, range(50)), side, pending),
        extra={"novel": {"x": [1]}},
    )
    found = write(opened, None, wanted)
    assert found == replace(wanted, records=found.records)
    assert dict(found.records) == dict(wanted.records)
    repo.git("fsck", "--strict")
    listed = repo.git("ls-tree", "-r", "--name-only", state.REF).splitlines()
    assert listed[:1] == ["docs/items/" + min(state.shard(key) for key in wanted.records) + ".jsonl"]
    assert {"format", "docs/source.json"} <= set(listed)
    assert repo.git("show", f"{state.REF}:format") == "1"


def test_a_page_costs_less_than_a_kilobyte(repo: GitRepo) -> None:
    records = known(*map(page, range(300)))
    raw = sum(len("".join(record.links)) for record in records.values()) / 300
    files = state.changes(None, State(identity=IDENTITY, records=records), "docs")
    assert raw > 2000
    assert sum(len(data or b"") for data in files.values()) / 300 < 600


def test_a_change_of_one_page_touches_its_shard_alone_and_keeps_the_other_lines(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    old = write(opened, None, State(identity=IDENTITY, records=known(*map(page, range(900)))))
    changed = page(5, 1)
    new = replace(old, records={**old.records, changed.key: changed})
    files = state.changes(old, new, "docs")
    shard = f"docs/items/{state.shard(changed.key)}.jsonl"
    assert set(files) == {"format", "docs/source.json", shard}
    before = repo.git("show", f"{state.REF}:{shard}").splitlines()
    after = (files[shard] or b"").decode().splitlines()
    assert len(before) > 1
    assert len(set(before) ^ set(after)) == 2
    found = write(opened, old, new)
    assert dict(found.records) == dict(new.records)
    changed_paths = repo.git("diff", "--name-only", f"{state.REF}~1", state.REF).splitlines()
    assert changed_paths == [shard]


def test_changes_do_not_depend_on_the_order_of_the_records(repo: GitRepo) -> None:
    records = known(*map(page, range(100)))
    backwards = dict(reversed(records.items()))
    assert state.changes(None, State(identity=IDENTITY, records=records), "docs") == state.changes(
        None, State(identity=IDENTITY, records=backwards), "docs"
    )


def test_a_state_that_is_not_as_it_was_read_loses_nothing(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    records = known(*(page(number) for number in range(300)))
    old = write(opened, None, State(identity=IDENTITY, records=records))
    changed = {**records, page(7).key: page(7, 1)}
    new = State(identity=IDENTITY, records=changed)
    expected = state.changes(old, new, "docs")
    assert old.codec is not None
    old.codec.shards.clear()
    assert state.changes(old, new, "docs") == expected


def test_shards_are_put_into_words_one_after_another(repo: GitRepo) -> None:
    records = known(*(page(number) for number in range(300)))
    new = State(identity=IDENTITY, records=records)
    made = {path: data.make() for path, data in state.files(None, new, "docs").items() if isinstance(data, Made)}
    assert {path.split("/")[1] for path in made} == {"items", "links"}
    assert {**state.changes(None, new, "docs"), **made} == state.changes(None, new, "docs")


def test_a_removed_page_leaves_its_shard_and_an_unused_set_goes(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    old = write(opened, None, State(identity=IDENTITY, records=known(*map(page, range(30)))))
    assert len(repo.git("ls-tree", "--name-only", f"{state.REF}:docs/links").splitlines()) == 3
    kept = known(*(page(number) for number in range(30) if number % 3))
    found = write(opened, old, replace(old, records=kept))
    assert dict(found.records) == kept
    assert len(repo.git("ls-tree", "--name-only", f"{state.REF}:docs/links").splitlines()) == 2
    empty = write(opened, found, replace(found, records={}))
    assert dict(empty.records) == {}
    assert repo.git("ls-tree", "-r", "--name-only", state.REF) == "docs/source.json\nformat"


def test_a_site_whose_navigation_changes_is_told_by_new_sets(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    records = known(*map(page, range(60)))
    old = write(opened, None, State(identity=IDENTITY, records=records))
    moved = {k: replace(r, links=tuple(f"{link}?v=2" for link in r.links)) for k, r in records.items()}
    found = write(opened, old, replace(old, records=moved))
    assert dict(found.records) == moved
    size = sum(
        len(repo.git("show", f"{state.REF}:{p}")) for p in repo.git("ls-tree", "-r", "--name-only", state.REF).split()
    )
    assert size / 60 < 900


def test_many_steps_give_what_one_step_gives_to_a_reader(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    current: State | None = None
    for step, following in pairwise(range(12)):
        records = known(*(page(number, number % following) for number in range(step * 7, step * 7 + 40)))
        new = State(identity=IDENTITY, records=records, bundle_tree=str(step))
        current = write(opened, current, new)
        assert dict(current.records) == records


def test_two_sources_do_not_touch_each_other(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    docs = write(opened, None, State(identity=IDENTITY, records=known(page(1))))
    blog = write(opened, None, State(identity={"kind": "web"}, records=known(page(2))), "blog")
    assert state.read(opened, "docs") == docs
    assert state.read(opened, "blog") == blog
    tip = opened.ref(state.REF)
    assert tip
    tree = opened.edit(opened.commit_tree(tip), state.forget(opened, "docs"))
    assert opened.subtree(tree, "docs") is None
    assert opened.subtree(tree, "blog") is not None


def broken(repo: GitRepo, changes: Mapping[str, bytes | None]) -> Repo:
    opened = Repo.open(repo.path)
    write(opened, None, State(identity=IDENTITY, records=known(*map(page, range(10)))))
    tip = opened.ref(state.REF)
    assert tip
    tree = opened.edit(opened.commit_tree(tip), changes)
    opened.update([RefUpdate(state.REF, tip, opened.commit(tree, [tip], "broken", WHEN), "x")])
    return opened


SHARD = f"docs/items/{state.shard(page(3).key)}.jsonl"


@pytest.mark.parametrize(
    "changes",
    [
        {"format": b"null"},
        {"format": b""},
        {"format": None},
        {"docs/source.json": b"null"},
        {"docs/source.json": b'{"identity": {}'},
        {"docs/source.json": b"{}"},
        {"docs/source.json": b'{"identity": [], "base": "", "fingerprints": []}'},
        {"docs/source.json": b'{"identity": {}, "base": 3, "fingerprints": []}'},
        {"docs/source.json": b'{"identity": {}, "base": "", "fingerprints": [], "access": null}'},
        {"docs/source.json": None},
        {SHARD: b"null\n"},
        {SHARD: b'{"key":"a","title":"cut sho'},
        {SHARD: b'{"key":"a","links":["no such set",0,9]}\n'},
        {SHARD: b'{"key":"a","by":7}\n'},
        {SHARD: b"\xff\xfe\n"},
        {SHARD: b"[" * 100_000 + b"\n"},
        {"docs/links/0000000000.jsonl": b"3\n"},
    ],
    ids=lambda changes: f"{next(iter(changes))}={str(next(iter(changes.values())))[:24]}",
)
def test_law_8_a_broken_state_is_never_taken_for_empty(repo: GitRepo, changes: dict[str, bytes | None]) -> None:
    with pytest.raises(StateUnreadable) as caught:
        state.read(broken(repo, changes), "docs")
    assert "repair docs" in caught.value.hint
    assert caught.value.exit_code == 128


def test_law_8_a_format_of_the_future_is_refused(repo: GitRepo) -> None:
    with pytest.raises(FormatTooNew, match="format 2"):
        state.read(broken(repo, {"format": b"2\n"}), "docs")


def test_state_03_objects_that_are_not_here_are_no_empty_state(repo: GitRepo) -> None:
    opened = broken(repo, {})
    oid = repo.git("rev-parse", f"{state.REF}:{SHARD}")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(StateUnreadable, match="not in this clone"):
        state.read(Repo.open(repo.path), "docs")
    assert opened.ref(state.REF)


def test_what_a_newer_minor_version_wrote_survives_a_rewrite(repo: GitRepo) -> None:
    line = json.dumps({"key": "section-0/page-3.html", "novel": 7}).encode()
    opened = broken(repo, {SHARD: line + b"\n"})
    old = state.read(opened, "docs")
    assert old
    record = replace(old.records[page(3).key], title="changed")
    write(opened, old, replace(old, records={**old.records, record.key: record}))
    assert json.loads(repo.git("show", f"{state.REF}:{SHARD}").splitlines()[-1])["novel"] == 7


def test_durable_is_what_a_person_would_miss() -> None:
    record = page(1)
    for volatile in (
        {"etag": "x"},
        {"last_modified": "x"},
        {"raw_hash": "x"},
        {"links": ()},
        {"title": "x"},
        {"description": "x"},
        {"tries": 5},
    ):
        assert state.durable_equal(record, replace(record, **volatile))
    for durable in (
        {"content_hash": "x"},
        {"path": "x"},
        {"missing_runs": 1},
        {"failure": "x"},
        {"fingerprint": "x"},
        {"status": Status.PENDING},
    ):
        assert not state.durable_equal(record, replace(record, **durable))
    assert not state.durable_equal(record, None)
    side = Record(key="a", status=Status.ABSENT)
    assert state.durable_equal(side, None)
    assert state.durable_equal(side, Record(key="a", status=Status.ALIAS, target="b"))
    assert not state.durable_equal(None, Record(key="a", status=Status.PENDING))
    pending = [Record(key="a", status=Status.PENDING, tries=tries) for tries in (3, 4, 5)]
    assert not state.durable_equal(pending[0], pending[1])
    assert state.durable_equal(pending[1], pending[2])


def test_worth_writing_is_a_durable_change_alone() -> None:
    old = State(identity=IDENTITY, records=known(page(1), Record(key="s", status=Status.ABSENT)))
    assert state.worth_writing(None, old)
    assert not state.worth_writing(old, replace(old, last_observed="2026", records=known(replace(page(1), etag="e"))))
    assert state.worth_writing(old, replace(old, access=state.PAUSED))
    assert state.worth_writing(old, replace(old, records=known(page(1, 1))))
    assert state.worth_writing(old, replace(old, records={}))
