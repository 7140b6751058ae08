"""Calls of an executor, awaited: by whichever thread they are settled."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from git_okf.source.web.awaiting import answer


def test_what_is_settled_already_is_not_waited_for() -> None:
    future: Future[int] = Future()
    future.set_result(7)
    coroutine = answer(future)
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)
    assert ended.value.value == 7


def test_the_loops_own_thread_settles_it() -> None:
    async def ask() -> int:
        future: Future[int] = Future()
        asyncio.get_running_loop().call_later(0.01, future.set_result, 7)
        return await answer(future)

    assert asyncio.run(ask()) == 7


def test_another_thread_settles_it_and_the_loop_is_woken() -> None:
    async def ask() -> int:
        future: Future[int] = Future()
        threading.Timer(0.05, future.set_result, (7,)).start()
        return await asyncio.wait_for(answer(future), 30)

    assert asyncio.run(ask()) == 7


def test_an_error_is_raised() -> None:
    async def ask() -> int:
        future: Future[int] = Future()
        asyncio.get_running_loop().call_later(0.01, future.set_exception, ValueError("five"))
        return await answer(future)

    with pytest.raises(ValueError, match="five"):
        asyncio.run(ask())


def test_a_call_is_cancelled_with_the_task_that_awaits_it() -> None:
    future: Future[int] = Future()

    async def ask() -> None:
        task = asyncio.create_task(answer(future))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())
    assert future.cancelled()


def test_a_call_that_somebody_else_cancelled_cancels_the_task() -> None:
    async def ask() -> int:
        future: Future[int] = Future()
        asyncio.get_running_loop().call_later(0.01, future.cancel)
        return await answer(future)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask())


def test_a_call_that_was_cancelled_before_cancels_the_task() -> None:
    future: Future[int] = Future()
    future.cancel()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(answer(future))


def test_an_answer_after_the_end_of_the_loop_disturbs_nobody() -> None:
    future: Future[int] = Future()
    future.set_running_or_notify_cancel()

    async def ask() -> None:
        task = asyncio.create_task(answer(future))
        await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(ask())
    settling = threading.Thread(target=future.set_result, args=(7,))
    settling.start()
    settling.join()
    assert future.result() == 7
