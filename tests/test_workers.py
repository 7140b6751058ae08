"""Where extraction runs: small calls here, others in workers that a hostile page cannot hold for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from git_okf.workers import INLINE_BYTES, LazyPool, expect


@dataclass(frozen=True)
class Work:
    data: bytes = b""


def where(work: Work) -> int:
    return os.getpid()


def for_ever(work: Work) -> int:
    return sum(1 for _ in iter(int, 1))


def dying(work: Work) -> int:
    os._exit(9)


@pytest.fixture
def pool() -> Iterator[LazyPool]:
    made = LazyPool(2, inline_calls=1, longest=0.3)
    yield made
    made.shutdown()


def in_worker(pool: LazyPool) -> None:
    """Until the workers have been started, calls are done here."""
    deadline = time.monotonic() + 60
    while pool.submit(where, Work()).result() == os.getpid():
        assert time.monotonic() < deadline


def test_the_first_calls_are_done_here_and_later_ones_in_workers(pool: LazyPool) -> None:
    assert pool.submit(where, Work()).result() == os.getpid()
    in_worker(pool)
    assert pool.submit(where, Work()).result() != os.getpid()


def test_where_more_is_expected_than_is_done_here_workers_start_at_once() -> None:
    pool = LazyPool(2, inline_calls=1_000_000)
    expect(pool, 1_000_001)
    in_worker(pool)
    pool.shutdown()


def test_with_one_worker_nothing_that_is_expected_starts_it() -> None:
    pool = LazyPool(1)
    expect(pool, 1_000_000)
    assert pool.submit(where, Work()).result() == os.getpid()
    pool.shutdown()


def test_where_no_worker_can_be_started_only_what_may_take_long_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_okf.worker.work", _die_at_birth)
    pool = LazyPool(2, inline_calls=0)
    assert pool.submit(where, Work()).result() == os.getpid()
    with pytest.raises(RuntimeError, match="no workers"):
        pool.submit(where, Work(bytes(INLINE_BYTES + 1))).result()
    assert pool.submit(where, Work()).result() == os.getpid()
    pool.shutdown()


def _die_at_birth(pipe: object, longest: float) -> None:
    os._exit(4)


def test_what_may_take_long_is_never_done_here() -> None:
    for workers in (1, 2):
        pool = LazyPool(workers)
        assert pool.submit(where, Work(bytes(INLINE_BYTES + 1))).result() != os.getpid()
        assert pool.submit(where, Work()).result() == os.getpid()
        pool.shutdown()


@pytest.mark.parametrize("fatal", [for_ever, dying])
def test_http_04_a_call_that_ends_its_worker_ends_nothing_else(pool: LazyPool, fatal: object) -> None:
    in_worker(pool)
    assert callable(fatal)
    calls = [pool.submit(fatal if n == 3 else where, Work()) for n in range(12)]
    with pytest.raises(BrokenExecutor):
        calls[3].result()
    assert all(call.result() != os.getpid() for call in calls[:3] + calls[4:])


def test_an_error_of_a_call_is_the_callers(pool: LazyPool) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        pool.submit(int, "five").result()
    in_worker(pool)
    with pytest.raises(ValueError, match="invalid literal"):
        pool.submit(int, "five").result()


def test_where_no_process_is_to_be_had_calls_are_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(process: BaseProcess) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("git_okf.workers.can_fork", lambda: True)
    monkeypatch.setattr(BaseProcess, "start", refused)
    pool = LazyPool(2)
    pool.fork()
    assert pool.submit(where, Work()).result() == os.getpid()
    pool.shutdown()


def test_beside_threads_nothing_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_okf.processes.Processes.fork", lambda pool: pytest.fail("forked"))
    started = threading.Event()
    beside = threading.Thread(target=started.wait)
    beside.start()
    LazyPool(2).fork()
    started.set()
    beside.join()


def test_a_single_worker_that_was_forked_is_for_what_may_take_long() -> None:
    script = """
import os
from git_okf.workers import INLINE_BYTES, LazyPool
from test_workers import Work, where
pool = LazyPool(1)
pool.fork()
assert pool.submit(where, Work()).result() == os.getpid()
assert pool.submit(where, Work(bytes(INLINE_BYTES + 1))).result() != os.getpid()
assert pool.submit(where, Work()).result() == os.getpid()
pool.shutdown()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
