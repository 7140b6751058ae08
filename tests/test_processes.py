"""Worker processes: who gets a call, who answers it, and what happens when one dies."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError

import pytest

from git_okf.processes import Processes


def own_pid(_: object = None) -> int:
    return os.getpid()


def die() -> None:
    os._exit(3)


def never_read() -> object:
    return lambda: None


class Stubborn(Exception):
    """Cannot be made again from what it is pickled as."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def refuse() -> None:
    raise Stubborn("not ", "this")


class Locked(Exception):
    def __reduce__(self) -> str:
        raise TypeError("it stays here")


def lock() -> None:
    raise Locked("no way out")


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


@pytest.fixture
def pool() -> Iterator[Processes]:
    made = Processes(2, longest=5)
    yield made
    made.shutdown()


def test_every_call_is_answered_by_one_of_so_many_workers(pool: Processes) -> None:
    calls = [pool.submit(own_pid, n) for n in range(50)]
    pids = {call.result() for call in calls}
    assert 1 <= len(pids) <= 2 and os.getpid() not in pids


def test_calls_and_answers_of_any_size_go_through(pool: Processes) -> None:
    texts = [b"x" * size for size in (0, 60_000, 64_000, 70_900, 200_000, 3_000_000, 10)] * 4
    assert [call.result() for call in [pool.submit(bytes, text) for text in texts]] == texts


def test_who_dies_takes_one_call_along(pool: Processes) -> None:
    calls = [pool.submit(sleep, 0.01) for _ in range(4)]
    fatal = [pool.submit(die) for _ in range(3)]
    later = [pool.submit(sleep, 0.01) for _ in range(4)]
    for call in fatal:
        with pytest.raises(BrokenExecutor, match="exit code 3"):
            call.result()
    assert all(call.result() for call in calls + later)


def test_an_answer_that_cannot_travel_is_an_error_of_the_call(pool: Processes) -> None:
    with pytest.raises(Exception, match="pickle"):
        pool.submit(never_read).result()
    with pytest.raises(TypeError, match="two"):
        pool.submit(refuse).result()
    with pytest.raises(RuntimeError, match="Locked: no way out"):
        pool.submit(lock).result()
    assert pool.submit(own_pid).result() != os.getpid()


def test_what_waits_can_be_cancelled(pool: Processes) -> None:
    calls = [pool.submit(sleep, 0.2) for _ in range(8)]
    assert calls[-1].cancel()
    pool.shutdown(cancel_futures=True)
    with pytest.raises(CancelledError):
        calls[-1].result()
    assert all(call.cancelled() or call.result() for call in calls)
    with pytest.raises(RuntimeError, match="dismissed"):
        pool.submit(own_pid)


def test_the_server_that_workers_are_forked_from_ends_with_them_and_begins_again() -> None:
    for _ in range(2):
        pool = Processes(1, longest=9.0)
        server = pool.submit(os.getppid).result()
        pool.shutdown()
        if server != os.getpid():  # where workers are forked from one
            with pytest.raises(ProcessLookupError):
                os.kill(server, 0)


def test_a_pool_that_nobody_called_ends() -> None:
    pool = Processes(2, longest=5)
    assert not pool.ready
    pool.shutdown()


def test_workers_that_die_before_they_are_asked_anything_are_not_replaced_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("git_okf.processes._work", _die_at_birth)
    pool = Processes(2, longest=5)
    with pytest.raises(BrokenExecutor, match=r"no workers: .*exit code 4"):
        pool.submit(own_pid).result()
    with pytest.raises(RuntimeError, match=r"no workers: .*exit code 4") as later:
        pool.submit(own_pid).result()
    assert not isinstance(later.value, BrokenExecutor) and not pool.ready
    pool.shutdown()


def _die_at_birth(pipe: object, longest: float) -> None:
    os._exit(4)
