"""A killed run is not paid for twice; nothing else depends on its checkpoint."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.errors import GitRefused
from git_okf.linksets import Shelf
from git_okf.model import Fetched
from git_okf.store import checkpoint as checkpoints
from git_okf.store.checkpoint import Binding, Checkpoint

START = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
BINDING = Binding(config="c", base="b", fingerprint="f")
ROOT = Path(checkpoints.__file__).parents[2]


def now() -> datetime:
    return START


def result(number: int) -> Fetched:
    return Fetched(
        key=f"k{number}",
        title=f"Title {number} é",
        description="",
        content_hash=f"sha256:{number:064x}",
        raw_hash="sha256:" + "0" * 64,
        fingerprint="f",
        size=number,
        links=("a", "b"),
        warnings=("w",),
    )


def fill(spool: Checkpoint, count: int) -> None:
    for number in range(count):
        made = result(number)
        spool.put(made.content_hash, f"body {number} \ud800 é\n")
        spool.remember(made)


def open_at(scratch: Path, binding: Binding = BINDING, when: datetime = START) -> Checkpoint:
    return Checkpoint.open(scratch, "docs", binding, clock=lambda: when)


def test_what_was_put_is_got(tmp_path: Path) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 25)
        assert spool.get(result(7).content_hash) == "body 7 \ud800 é\n"
        assert spool.recall("k7") == result(7)
        assert spool.recall("unknown") is None
        with pytest.raises(KeyError):
            spool.get("sha256:unknown")


def test_nothing_is_on_disk_before_the_first_result(tmp_path: Path) -> None:
    with open_at(tmp_path):
        pass
    open_at(tmp_path).discard()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_resumes_finds_what_was_saved(tmp_path: Path) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 5)
    with open_at(tmp_path) as again:
        assert len(again) == 5
        assert again.recall("k4") == result(4)
        assert again.get(result(4).content_hash) == "body 4 \ud800 é\n"
        again.put("more", "text")
        again.remember(result(9))
    with open_at(tmp_path) as third:
        assert third.get("more") == "text"
        assert len(third) == 6
        third.discard()
    assert not (tmp_path / "checkpoint" / "docs").exists()


@pytest.mark.parametrize(
    "other",
    [
        replace(BINDING, config="x"),
        replace(BINDING, base="x"),
        replace(BINDING, fingerprint="x"),
        replace(BINDING, afresh=True),
    ],
)
def test_it_is_thrown_away_where_configuration_base_or_extractor_differ(tmp_path: Path, other: Binding) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 5)
    with open_at(tmp_path, other) as again:
        assert again.recall("k1") is None
    assert not (tmp_path / "checkpoint" / "docs").exists()


def test_results_are_good_for_the_resume_window(tmp_path: Path) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 1)
    for age, good in ((timedelta(hours=23), True), (timedelta(hours=25), False), (timedelta(hours=-1), False)):
        with open_at(tmp_path, when=START + age) as again:
            assert (again.recall("k0") is not None) is good


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
import test_checkpoint as t
spool = t.open_at(Path(sys.argv[1]))
t.fill(spool, int(sys.argv[2]))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("count", "saved"), [(3, 0), (10, 10), (19, 10), (57, 50)])
def test_http_02_a_killed_run_loses_fewer_than_ten_results(tmp_path: Path, count: int, saved: int) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(count), str(Path(__file__).parent)]
    assert subprocess.run(command, check=False, env=env).returncode == -signal.SIGKILL
    with open_at(tmp_path) as again:
        assert saved <= len(again) <= count
        for number in range(len(again)):
            assert again.recall(f"k{number}") == result(number)
            assert again.get(result(number).content_hash) == f"body {number} \ud800 é\n"


@pytest.mark.parametrize("every", [1, 3, 10])
def test_http_02_results_are_saved_as_often_as_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    monkeypatch.setattr(checkpoints, "SYNC_S", 1e9)
    saved = tmp_path / "checkpoint/docs/results.jsonl"
    with Checkpoint.open(tmp_path, "docs", BINDING, clock=now, every=every) as spool:
        for number in range(20):
            spool.remember(result(number))
            assert saved.read_bytes().count(b"\n") == (number + 1) // every * every
        assert spool.recall("k3") == result(3)
        spool.remember(result(20))
        assert [spool.recall(f"k{number}") for number in (20, 0)] == [result(20), result(0)]
    assert saved.read_bytes().count(b"\n") == 21


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3000), st.integers(0, 3000), st.binary(max_size=20))
def test_files_cut_short_anywhere_lose_their_ends_only(
    tmp_path_factory: pytest.TempPathFactory, bodies: int, results: int, junk: bytes
) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    with open_at(scratch) as spool:
        fill(spool, 8)
    folder = scratch / "checkpoint" / "docs"
    for name, length in (("bodies", bodies), ("results.jsonl", results)):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:length] + (junk if length < len(data) else b""))
    with open_at(scratch) as again:
        for number in range(8):
            recalled = again.recall(f"k{number}")
            if recalled is not None:
                assert recalled == result(number)
                assert again.get(recalled.content_hash) == f"body {number} \ud800 é\n"
        fill(again, 9)
    with open_at(scratch) as third:
        assert [third.recall(f"k{number}") for number in range(9)] == [result(number) for number in range(9)]


def test_a_body_with_a_flipped_bit_is_not_taken(tmp_path: Path) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 3)
    bodies = tmp_path / "checkpoint" / "docs" / "bodies"
    bodies.write_bytes(bodies.read_bytes().replace(b"body 1", b"bodY 1"))
    with open_at(tmp_path) as again:
        assert again.recall("k0") == result(0)
        assert again.recall("k1") is None


def test_a_result_without_a_body_is_recalled(tmp_path: Path) -> None:
    """Extraction was left out because the raw bytes were those of last time: there is no body."""
    with open_at(tmp_path) as spool:
        spool.remember(result(1))
    with open_at(tmp_path) as again:
        assert again.recall("k1") == result(1)


def test_a_temporary_one_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Checkpoint.temporary() as spool:
        fill(spool, 30)
        assert spool.get(result(29).content_hash).startswith("body 29")
        assert spool.recall("k3") == result(3)
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_drop_throws_away(tmp_path: Path) -> None:
    with open_at(tmp_path) as spool:
        fill(spool, 3)
    Checkpoint.drop(tmp_path, "docs")
    Checkpoint.drop(tmp_path, "docs")
    assert not (tmp_path / "checkpoint" / "docs").exists()


def test_memory_does_not_grow_with_the_bodies(tmp_path: Path) -> None:
    body = "x" * 100_000
    with open_at(tmp_path) as spool:
        tracemalloc.start()
        for number in range(200):
            spool.put(f"sha256:{number:064x}", body)
            spool.remember(result(number))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 3_000_000


def test_the_links_of_a_result_come_back_and_are_held_small(tmp_path: Path) -> None:
    navigation = tuple(f"https://docs.example.com/{number}" for number in range(100))
    pages = [replace(result(number), links=Shelf().hold((f"own{number}", *navigation))) for number in range(300)]
    with open_at(tmp_path) as spool:
        for page in pages:
            spool.remember(page)
    with open_at(tmp_path) as spool:
        tracemalloc.start()
        try:
            found = [spool.recall(page.key) for page in pages]
            size, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert found == pages
    assert size < 300 * 2_000, "a fourth of what a hundred links of its own would take a page"


def test_results_of_an_earlier_run_share_what_they_have_in_common(tmp_path: Path) -> None:
    said = "Sun, 15 Jun 2025 15:06:40 GMT"
    with open_at(tmp_path) as spool:
        for number in range(2):
            spool.remember(replace(result(number), last_modified=said, language="en-GB"))
    with open_at(tmp_path) as spool:
        first, second = (spool.recall(result(number).key) for number in range(2))
    assert first is not None and second is not None
    for name in ("last_modified", "language", "fingerprint"):
        assert getattr(first, name) is getattr(second, name)


def test_a_disk_that_refuses_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text("a file")
    with pytest.raises(GitRefused, match="cannot be used"):
        fill(open_at(tmp_path), 1)
