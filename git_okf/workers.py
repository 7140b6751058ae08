"""Where extraction runs: in this process for the first few pages, then on all cores.

Most runs extract nothing or a page or two; starting processes would cost more than the work. Two threads would slow
extraction down (measured 0.78x), two processes give 1.65x. Workers are started by a fork server, never by forking
this process: it has threads and a transport's event loop.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, ParamSpec, TypeVar

INLINE_CALLS = 24
"""Calls done in this process before workers are started: about what starting two of them costs."""
PRELOADED = "git_okf.source.web.extract"

P = ParamSpec("P")
T = TypeVar("T")


class LazyPool(Executor):
    """An executor that becomes a process pool once it has enough to do."""

    def __init__(self, workers: int, inline_calls: int = INLINE_CALLS) -> None:
        self._workers = workers
        self._inline_left = inline_calls if workers > 1 else -1
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if self._inline_left:
            self._inline_left -= 1
            return _done(fn, *args, **kwargs)
        if self._pool is None:
            self._pool = _process_pool(self._workers)
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def extraction_pool() -> Executor:
    """As many workers as this process may use cores."""
    return LazyPool(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _process_pool(workers: int) -> ProcessPoolExecutor:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([PRELOADED])
    return ProcessPoolExecutor(workers, mp_context=context)


def _done(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    future: Future[T] = Future()
    try:
        future.set_result(fn(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - an executor hands every error to whoever asks for the result
        future.set_exception(error)
    return future
