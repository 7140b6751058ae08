"""Where extraction runs: in this process for the first few pages, then on all cores.

Most runs extract nothing or a page or two; starting processes would cost more than the work. Two threads would slow
extraction down (measured 0.78x), two processes give 1.65x. Workers are started by a fork server, never by forking
this process: it has threads and a transport's event loop.

A page can be made to take hours (a parser that is quadratic in the attributes of an element), and no exception gets
into a parser written in C. So a worker that takes too long over one call is ended, and what might take long is never
done in this process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, ParamSpec, TypeVar

from git_okf.errors import UsageError

INLINE_CALLS = 24
"""Calls done in this process before workers are started: about what starting two of them costs."""
INLINE_BYTES = 128 * 1024
"""Size of what a call has to read, up to which it may be done in this process."""
LONGEST_CALL = 30.0
"""Seconds of CPU that a call may take in a worker."""
PRELOADED = "git_okf.source.web.extract"

P = ParamSpec("P")
T = TypeVar("T")


class LazyPool(Executor):
    """An executor that becomes a process pool once it has enough to do.

    A call that takes longer than `longest` seconds of CPU ends its worker: it and those that share the pool with it
    fail with BrokenExecutor, and the next call begins a new pool.
    """

    def __init__(self, workers: int, inline_calls: int = INLINE_CALLS, *, longest: float = LONGEST_CALL) -> None:
        self._workers = workers
        self._longest = longest
        self._inline_left = inline_calls if workers > 1 else -1
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if self._inline_left and _bytes_to_read(args) <= INLINE_BYTES:
            self._inline_left -= 1
            return _done(fn, *args, **kwargs)
        if self._pool is not None:
            try:
                return self._pool.submit(_bounded, self._longest, fn, *args, **kwargs)
            except BrokenProcessPool:
                self._pool.shutdown(wait=False)
        self._pool = _process_pool(self._workers)
        return self._pool.submit(_bounded, self._longest, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def extraction_pool() -> Executor:
    """As many workers as this process may use cores."""
    return LazyPool(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pool_of(said: str | None) -> Callable[[], Executor]:
    """What `--workers` means: so many processes here, or the Dask scheduler at an address. UsageError for neither."""
    if said is None:
        return extraction_pool
    if said.isascii() and said.isdigit() and 1 <= int(said) <= 1024:
        return partial(LazyPool, int(said))
    if "://" in said:
        from git_okf.cluster import DaskExecutor

        return partial(DaskExecutor, said)
    raise UsageError(f"--workers {said}: that is neither a number nor an address", "write 4, or dask://HOST:PORT")


def _process_pool(workers: int) -> ProcessPoolExecutor:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([PRELOADED])
    return ProcessPoolExecutor(workers, mp_context=context)


def _bytes_to_read(args: tuple[object, ...]) -> int:
    return max((len(getattr(arg, "data", b"")) for arg in args), default=0)


def _bounded(longest: float, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """In a worker: the process ends where the call takes too long, as the signal does by default."""
    if not hasattr(signal, "setitimer"):  # Windows
        return fn(*args, **kwargs)
    signal.setitimer(signal.ITIMER_PROF, longest)
    try:
        return fn(*args, **kwargs)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _done(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    future: Future[T] = Future()
    try:
        future.set_result(fn(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - an executor hands every error to whoever asks for the result
        future.set_exception(error)
    return future
