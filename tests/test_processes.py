"""Worker processes: who gets a call, who answers it, and what happens when one dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from pathlib import Path

import pytest

from git_okf.processes import Processes
from git_okf.source.web.awaiting import answer
from git_okf.worker import can_fork


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
    monkeypatch.setattr("git_okf.worker.work", _die_at_birth)
    pool = Processes(2, longest=5)
    with pytest.raises(BrokenExecutor, match=r"no workers: .*exit code 4"):
        pool.submit(own_pid).result()
    with pytest.raises(RuntimeError, match=r"no workers: .*exit code 4") as later:
        pool.submit(own_pid).result()
    assert not isinstance(later.value, BrokenExecutor) and not pool.ready
    pool.shutdown()


def _die_at_birth(pipe: object, longest: float) -> None:
    os._exit(4)


# --- workers that are forked ---

FORKING = """
import os, sys, time
from git_okf.workers import LazyPool
pool = LazyPool(2)
pool.fork()
while pool.submit(os.getpid).result() == os.getpid():
    time.sleep(0.001)
calls = [pool.submit(os.getppid) for _ in range(20)]
assert {call.result() for call in calls} == {os.getpid()}, "not forked from here"
print(*sorted({call.result() for call in [pool.submit(os.getpid) for _ in range(50)]}), flush=True)
"""


def in_a_process_of_its_own(more: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", FORKING + more], stdout=subprocess.PIPE, text=True)


def test_where_there_is_one_thread_workers_are_forked_from_this_process() -> None:
    process = in_a_process_of_its_own("pool.shutdown()\nprint('ended', flush=True)\n")
    said, _ = process.communicate(timeout=60)
    assert said.splitlines()[-1] == "ended"
    assert process.returncode == 0
    for pid in map(int, said.splitlines()[0].split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_forked_workers_end_with_a_process_that_is_killed_and_never_hear_its_interrupt() -> None:
    with in_a_process_of_its_own("time.sleep(60)") as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        time.sleep(0.05)
        assert pids and all(is_alive(pid) for pid in pids)
        process.kill()
    deadline = time.monotonic() + 30
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_forked_worker_that_dies_is_replaced_by_one_of_the_server() -> None:
    more = """
dead = pool.submit(os._exit, 3)
assert dead.exception() is not None
slowly = "__import__('time').sleep(0.02) or __import__('os').getppid()"
others, until = set(), time.monotonic() + 30
while len(others) < 2 and time.monotonic() < until:
    others = {call.result() for call in [pool.submit(eval, slowly) for _ in range(8)]}
assert len(others) == 2 and os.getpid() in others, others
pool.shutdown()
"""
    process = in_a_process_of_its_own(more)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_more_workers_than_a_few_are_started_where_calls_wait_for_them() -> None:
    script = """
import multiprocessing, os, time
from git_okf.workers import LazyPool
pool = LazyPool(6)
pool.fork()
slowly = "__import__('time').sleep(0.05) or __import__('os').getpid()"
for _ in range(20):
    pool.submit(eval, slowly).result()
assert len(multiprocessing.active_children()) == 4, "nobody has to be asked for more"
found, until = set(), time.monotonic() + 60
while len(found) < 6 and time.monotonic() < until:
    found |= {call.result() for call in [pool.submit(eval, slowly) for _ in range(40)]}
assert len(found) == 6, found
pool.shutdown()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def is_alive(pid: int) -> bool:
    """Not where it has ended and nobody has asked yet how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- an event loop takes the answers ---


def test_an_event_loop_takes_the_answers_in_its_own_thread(pool: Processes) -> None:
    async def ask() -> set[int]:
        pool.watch(asyncio.get_running_loop())
        while not pool.ready:
            await answer(pool.submit(own_pid))
        takers: set[int] = set()
        calls = [pool.submit(bytes, b"x" * size) for size in (0, 1000, 60_000, 200_000, 3_000_000) * 5]
        for call in calls:
            call.add_done_callback(lambda _: takers.add(threading.get_ident()))
        answers = [await answer(call) for call in calls]
        assert [len(each) for each in answers] == [0, 1000, 60_000, 200_000, 3_000_000] * 5
        return takers

    assert asyncio.run(ask()) == {threading.get_ident()}


def test_who_dies_takes_one_call_along_in_an_event_loop_too(pool: Processes) -> None:
    async def ask() -> None:
        pool.watch(asyncio.get_running_loop())
        calls = [pool.submit(sleep, 0.01) for _ in range(4)]
        fatal = [pool.submit(die) for _ in range(3)]
        later = [pool.submit(sleep, 0.01) for _ in range(4)]
        for deadly in fatal:
            with pytest.raises(BrokenExecutor, match="exit code 3"):
                await answer(deadly)
        for call in calls + later:
            assert await answer(call)

    asyncio.run(ask())


def test_what_an_event_loop_left_unheard_is_heard_by_the_thread(pool: Processes) -> None:
    async def ask() -> list[Future[int]]:
        pool.watch(asyncio.get_running_loop())
        await answer(pool.submit(own_pid))
        return [pool.submit(sleep, 0.1) for _ in range(3)]

    calls = asyncio.run(ask())
    pool.shutdown()
    assert all(call.result() for call in calls)


def test_one_event_loop_after_another_takes_the_answers(pool: Processes) -> None:
    async def ask() -> int:
        pool.watch(asyncio.get_running_loop())
        return await answer(pool.submit(own_pid))

    assert all(asyncio.run(ask()) != os.getpid() for _ in range(5))


def test_where_no_worker_can_be_started_an_event_loop_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_okf.worker.work", _die_at_birth)
    pool = Processes(2, longest=5)

    async def ask() -> None:
        pool.watch(asyncio.get_running_loop())
        with pytest.raises(BrokenExecutor, match=r"no workers: .*exit code 4"):
            await answer(pool.submit(own_pid))

    asyncio.run(asyncio.wait_for(ask(), 30))
    pool.shutdown()


def test_an_event_loop_watches_nothing_of_a_pool_that_has_come_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Processes(2, longest=5)

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        pool.watch(loop)
        workers = {await answer(pool.submit(own_pid))}
        while len(workers) < 2:
            workers |= {await answer(call) for call in [pool.submit(sleep, 0.02) for _ in range(4)]}
        monkeypatch.setattr("git_okf.worker.work", _die_at_birth)
        with pytest.raises(BrokenExecutor, match="exit code 3"):
            await answer(pool.submit(die))
        while any(is_alive(pid) for pid in workers):
            await asyncio.sleep(0.01)
        with pytest.raises((BrokenExecutor, RuntimeError), match="no workers"):
            await answer(pool.submit(own_pid))
        await asyncio.sleep(0.1)
        pool.shutdown()
        files = [os.pipe() for _ in range(20)]  # some of them by the numbers that the pool's had
        for reading, writing in files:
            loop.add_reader(reading, os.read, reading, 1)
            loop.remove_reader(reading)
            os.close(reading)
            os.close(writing)

    asyncio.run(asyncio.wait_for(ask(), 30))


# --- at the end, and in between ---


@pytest.mark.parametrize("start", ["pool.start()", "pool.fork()", "pool.start(); time.sleep(0.3)"])
def test_a_process_ends_whatever_its_workers_are_at(start: str) -> None:
    """Also while workers are being started, and with calls that nobody waits for any more."""
    script = f"""
import time
from git_okf.processes import Processes
pool = Processes(2, longest=30)
{start}
calls = [pool.submit(time.sleep, 5) for _ in range(8)]
pool.shutdown(wait=False, cancel_futures=True)
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - began < 5, "nobody waits for their calls"


def test_what_a_dead_worker_left_is_settled_too_where_all_is_dropped() -> None:
    pool = Processes(1, longest=5)
    pid = pool.submit(own_pid).result()
    calls = [pool.submit(sleep, 30) for _ in range(4)]
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrokenExecutor):
        calls[0].result()
    pool.shutdown(wait=False, cancel_futures=True)
    for call in calls[1:]:
        with pytest.raises((BrokenExecutor, CancelledError)):
            call.result(timeout=0.1 if call.cancelled() else 20)


def test_a_death_that_one_event_loop_saw_is_buried_once(pool: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    starting = pool._is_short

    async def ask() -> list[Future[int]]:
        pool.watch(asyncio.get_running_loop())
        workers: set[int] = set()
        while len(workers) < 2:
            workers |= {await answer(call) for call in [pool.submit(sleep, 0.02) for _ in range(4)]}
        monkeypatch.setattr(pool, "_is_short", lambda: bool(sleep(0.2)) and starting())
        calls = [pool.submit(sleep, 0.3) for _ in range(8)]
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.05)
        return calls

    calls = asyncio.run(ask())
    pool.shutdown()
    ended = [call.exception() for call in calls]
    assert sum(error is None for error in ended) >= 6, ended


def test_an_answer_that_comes_while_the_pool_is_given_up_harms_nobody(
    pool: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = pool.submit(own_pid).result()

    def refused() -> None:
        time.sleep(0.05)
        raise OSError("no more processes")

    async def ask() -> list[object]:
        pool.watch(asyncio.get_running_loop())
        monkeypatch.setattr(pool, "_hire", refused)
        calls = [pool.submit(sleep, 0.03) for _ in range(8)]
        os.kill(pid, signal.SIGKILL)
        return await asyncio.gather(*(answer(call) for call in calls), return_exceptions=True)

    said = asyncio.run(asyncio.wait_for(ask(), 30))
    assert len(said) == 8 and any(isinstance(each, BrokenExecutor) for each in said)


def test_each_later_call_gets_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all would keep what each of them was about."""
    monkeypatch.setattr("git_okf.worker.work", _die_at_birth)
    pool = Processes(1, longest=5)
    assert pool.submit(own_pid).exception() is not None
    first, second = (pool.submit(own_pid).exception() for _ in range(2))
    assert first is not second
    pool.shutdown()


def test_without_proc_nothing_is_forked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("git_okf.worker.Path", lambda _: tmp_path / "nowhere")
    assert not can_fork()


def test_a_thread_that_cannot_be_started_is_started_by_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    pool = Processes(1, longest=5)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError, match="new thread"):
            pool.submit(own_pid)
    assert pool.submit(own_pid).result() != os.getpid()
    pool.shutdown()
