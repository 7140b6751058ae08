"""Days of changes, faults and other publishers, drawn at random: the bucket is never wrong about itself."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obstore.store import MemoryStore

from git_okf import config, publishing
from git_okf.publish import claim, plan
from git_okf.publish.bucket import Bucket
from git_okf.publish.manifest import Manifest, Stored, data, parse
from git_okf.publish.outcome import Published
from git_okf.publish.values import Headers, StorageUnavailable
from git_okf.run import World
from git_okf.store.repo import Repo

NAMES = ("a.md", "b.md", "index.md", "sub/c.md", "sub/index.md", "log.md", "d.txt", "e.md")
TEXT = (
    "sources: {docs: {url: 'https://docs.example.org/', bundle: docs}}\n"
    "publish: {url: 's3://bucket/site', threshold: 0}\n"
)
START = datetime(2026, 3, 4, tzinfo=UTC)


class Trouble(Bucket):
    """A bucket in memory, where something may happen at the n-th write."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store, "s3://bucket/site")  # type: ignore[arg-type]
        self.actions: dict[int, Callable[[], object]] = {}
        self.count = 0
        self.lock = threading.Lock()

    def _step(self) -> None:
        with self.lock:
            self.count += 1
            action = self.actions.pop(self.count, None)
        if action:
            action()

    def put(self, key: str, body: bytes, headers: Headers, *, replaces: str | None) -> str:
        self._step()
        etag = super().put(key, body, headers, replaces=replaces)
        self._step()
        return etag

    def delete(self, gone: Sequence[str]) -> None:
        self._step()
        super().delete(gone)
        self._step()


def fail() -> None:
    raise StorageUnavailable("the line was cut")


@dataclass(slots=True)
class Machines:
    """Two clones that share their objects, each with a HEAD of its own, and one bucket."""

    folder: Path
    store: MemoryStore = field(default_factory=MemoryStore)
    commits: list[str] = field(default_factory=list)
    trees: list[dict[str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("one", "other"):
            subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(self.folder / name)], check=True)
        shared = self.folder / "other/.git/objects/info/alternates"
        shared.parent.mkdir(exist_ok=True)
        shared.write_text(f"{self.folder / 'one/.git/objects'}\n")

    def change(self, edits: dict[str, bytes | None]) -> None:
        repo = Repo.open(self.folder / "one")
        files = {**(self.trees[-1] if self.trees else {}), **edits}
        self.trees.append({name: text for name, text in files.items() if text is not None})
        tree = repo.edit(None, {f"docs/{name}": text for name, text in self.trees[-1].items()} | {"x": b"x"})
        when = START + timedelta(days=len(self.commits))
        self.commits.append(repo.commit(tree, self.commits[-1:], "day", when))

    def publish(self, machine: str, commit: int, bucket: Bucket | None = None) -> Published:
        head = self.folder / machine / ".git/refs/heads/main"
        head.write_text(self.commits[commit] + "\n")
        repo, settings_ = Repo.open(self.folder / machine), config.parse(TEXT)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Bucket, "open", lambda s, environ: bucket or Trouble(self.store))
            (found,) = publishing.publish(
                repo, settings_, [], publishing.Options(force=True), World(environ=os.environ)
            )
        return found

    def held(self) -> dict[str, bytes]:
        listed = [meta["path"] for batch in obstore.list(self.store) for meta in batch]
        return {
            path.removeprefix("site/docs/"): bytes(obstore.get(self.store, path).bytes())
            for path in listed
            if "/.okf/" not in path
        }

    def manifest(self) -> Manifest:
        return claim.read(Trouble(self.store), "docs").manifest

    def assert_honest(self) -> None:
        """A manifest that says that it is whole is."""
        said = self.manifest()
        if said.is_settled and said.revision:
            assert self.held() == self.trees[self.commits.index(said.revision.commit)]


Day = tuple[dict[str, bytes | None], int, str, int, int]
EDITS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([b"1", b"2", b"3", None]), max_size=4)
DAYS = st.lists(
    st.tuples(
        EDITS,
        st.integers(0, 2),  # how many commits the publisher is behind
        st.sampled_from(["quiet", "fault", "other"]),
        st.integers(1, 24),  # at which write
        st.integers(0, 2),  # how many commits the other one is behind
    ),
    min_size=1,
    max_size=7,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(days=DAYS)
def test_after_any_days_the_bucket_is_what_the_newest_commit_is(days: list[Day]) -> None:
    with TemporaryDirectory() as folder:
        machines = Machines(Path(folder))
        machines.change({"a.md": b"0", "index.md": b"0"})
        for edits, behind, trouble, at, other_behind in days:
            machines.change(edits)
            bucket, newest = Trouble(machines.store), len(machines.commits) - 1
            if trouble == "fault":
                bucket.actions[at] = fail
            elif trouble == "other":
                bucket.actions[at] = partial(machines.publish, "other", max(0, newest - other_behind))
            machines.publish("one", max(0, newest - behind), bucket)
            machines.assert_honest()
        newest = len(machines.commits) - 1
        assert machines.publish("one", newest).error is None
        assert machines.held() == machines.trees[newest]
        assert machines.manifest().is_settled
        assert machines.publish("other", newest).result == "unchanged"


# --- two ways to one plan ---

FILES = st.dictionaries(
    st.sampled_from([*NAMES, "é.md", "e\u0301.md", "f.md"]), st.sampled_from(["1" * 40, "2" * 40]), max_size=8
)


@given(old=FILES, new=FILES)
def test_the_difference_and_the_whole_tree_come_to_the_same(old: dict[str, str], new: dict[str, str]) -> None:
    if any(len({"é.md", "e\u0301.md"} & each.keys()) == 2 for each in (old, new)):
        return
    keys = plan.wanted(old.items(), "site")
    manifest = Manifest(source="docs", objects={key: Stored(blob, '"e"', {}) for key, blob in keys.items()})
    changed = [
        (path, old.get(path), new.get(path)) for path in old.keys() | new.keys() if old.get(path) != new.get(path)
    ]
    followed = plan.followed(manifest, changed, "site")
    assert followed is None or followed == plan.wanted(new.items(), "site")
    if not {"é.md", "e\u0301.md"} & {path for path, _, _ in changed}:
        assert followed is not None


MANIFESTS = st.builds(
    Manifest,
    source=st.just("docs"),
    revision=st.none(),
    places=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    rules=st.text(max_size=5),
    objects=st.dictionaries(
        st.text(max_size=8),
        st.builds(Stored, st.text(max_size=4), st.text(max_size=4), st.dictionaries(st.text(), st.text(), max_size=2)),
        max_size=4,
    ),
    unsure=st.frozensets(st.text(max_size=4), max_size=3),
    removing=st.frozensets(st.text(max_size=4), max_size=3),
    marks=st.integers(0, 5),
)


@given(MANIFESTS)
def test_a_manifest_is_read_as_it_was_written(manifest: Manifest) -> None:
    written = data(manifest)
    assert parse(written, "docs", "here") == manifest
    assert data(parse(written, "docs", "here")) == written
