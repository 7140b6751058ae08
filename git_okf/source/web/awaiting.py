"""Calls of an executor, awaited in an event loop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def answer(future: Future[T]) -> T:
    """What a call comes to; it is cancelled with the task that awaits it.

    As `asyncio.wrap_future`, but where the loop's own thread settles the future nobody is woken by way of the system,
    and what is settled already is not waited for.
    """
    if not future.done():
        await _settled(future)
    if future.cancelled():
        raise asyncio.CancelledError
    return future.result()


async def _settled(future: Future[T]) -> None:
    loop, thread = asyncio.get_running_loop(), threading.get_ident()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def settled(_: Future[T]) -> None:
        if threading.get_ident() == thread:
            wake()
        else:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(wake)

    future.add_done_callback(settled)
    try:
        await waiter
    finally:
        future.cancel()
