"""Where extraction runs: small calls here, others in workers that a hostile page cannot hold for ever."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass

import pytest

from git_okf.workers import INLINE_BYTES, LazyPool


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


def test_the_first_calls_are_done_here_and_later_ones_in_workers(pool: LazyPool) -> None:
    assert pool.submit(where, Work()).result() == os.getpid()
    assert pool.submit(where, Work()).result() != os.getpid()


def test_what_may_take_long_is_never_done_here() -> None:
    for workers in (1, 2):
        pool = LazyPool(workers)
        assert pool.submit(where, Work(bytes(INLINE_BYTES + 1))).result() != os.getpid()
        assert pool.submit(where, Work()).result() == os.getpid()
        pool.shutdown()


@pytest.mark.parametrize("fatal", [for_ever, dying])
def test_http_04_a_call_that_ends_its_worker_ends_nothing_else(pool: LazyPool, fatal: object) -> None:
    pool.submit(where, Work()).result()
    assert callable(fatal)
    with pytest.raises(BrokenExecutor):
        pool.submit(fatal, Work()).result()
    assert pool.submit(where, Work()).result() != os.getpid()


def test_an_error_of_a_call_is_the_callers(pool: LazyPool) -> None:
    for _ in range(2):
        with pytest.raises(TypeError):
            pool.submit(len, 5).result()  # type: ignore[arg-type]
