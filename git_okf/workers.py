"""Where extraction runs: in this process for the first few pages, then on all cores.

Most runs extract nothing or a page or two; starting processes would cost more than the work. Two threads would slow
extraction down (measured 0.78x).

A page can be made to take hours (a parser that is quadratic in the attributes of an element), and no exception gets
into a parser written in C. So a worker that takes too long over one call is ended, and what might take long is never
done in this process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from git_okf.errors import UsageError
from git_okf.processes import Processes
from git_okf.worker import can_fork

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

INLINE_CALLS = 24
"""Calls done in this process before workers are started: about what starting two of them costs."""
INLINE_BYTES = 128 * 1024
"""Size of what a call has to read, up to which it may be done in this process."""
LONGEST_CALL = 30.0
"""Seconds of CPU that a call may take in a worker."""
PRELOADED = ("git_okf.source.web.reading", "git_okf.bundle.paths", "selectolax.lexbor", "cssselect")
"""What every worker needs: read once, by the server that they are forked from."""

P = ParamSpec("P")
T = TypeVar("T")


class LazyPool(Executor):
    """An executor that becomes a process pool once it has enough to do.

    A call that takes longer than `longest` seconds of CPU ends its worker and fails with BrokenExecutor; the others
    are answered. While workers are being started, calls are done here; so they are where none can be started, but for
    those that might take long.
    """

    def __init__(self, workers: int, inline_calls: int = INLINE_CALLS, *, longest: float = LONGEST_CALL) -> None:
        self._workers = workers
        self._longest = longest
        self._inline_left = inline_calls if workers > 1 else sys.maxsize
        self._pool: Processes | None = None
        self._loop: AbstractEventLoop | None = None

    def fork(self) -> None:
        """Have workers from the first call on, where this process may still be forked. A single one is for what may
        take long."""
        if self._pool is not None or not can_fork():
            return
        for name in PRELOADED:
            import_module(name)
        self._pool = self._made()
        self._pool.fork()
        if self._workers > 1:
            self._inline_left = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        small = _bytes_to_read(args) <= INLINE_BYTES
        if small and self._inline_left:
            self._inline_left -= 1
            return _done(fn, *args, **kwargs)
        processes = self._processes()
        if small and not processes.ready:
            return _done(fn, *args, **kwargs)
        return processes.submit(fn, *args, **kwargs)

    def expect(self, calls: int) -> None:
        """So many calls are to come: where that is more than are done here, start workers now."""
        if calls > self._inline_left:
            self._inline_left = 0
            self._processes()

    def _processes(self) -> Processes:
        if self._pool is None:
            self._pool = self._made()
            self._pool.start()
        return self._pool

    def _made(self) -> Processes:
        made = Processes(self._workers, longest=self._longest, preloaded=PRELOADED)
        if self._loop is not None:
            made.watch(self._loop)
        return made

    def watch(self, loop: AbstractEventLoop) -> None:
        """Have answers taken by an event loop, by whose thread this is called (`Processes.watch`)."""
        self._loop = loop
        if self._pool is not None:
            self._pool.watch(loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def expect(executor: Executor, calls: int) -> None:
    """Tell an executor how many calls are to come, where it can make use of that."""
    if isinstance(executor, LazyPool):
        executor.expect(calls)


def watch(executor: Executor, loop: AbstractEventLoop) -> None:
    """Tell an executor which event loop, by whose thread this is called, awaits its calls; it may make use of that."""
    if isinstance(executor, LazyPool):
        executor.watch(loop)


@dataclass(frozen=True, slots=True)
class Here:
    """Extraction on this machine: makes pools of so many workers, by default as many as this process may use cores."""

    workers: int | None = None

    def __call__(self) -> LazyPool:
        return LazyPool(self.workers or _cores())


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool_of(said: str | None) -> Callable[[], Executor]:
    """What `--workers` means: so many processes here, or the Dask scheduler at an address. UsageError for neither."""
    if said is None:
        return Here()
    if said.isascii() and said.isdigit() and 1 <= int(said) <= 1024:
        return Here(int(said))
    if "://" in said:
        from git_okf.cluster import DaskExecutor

        return partial(DaskExecutor, said)
    raise UsageError(f"--workers {said}: that is neither a number nor an address", "write 4, or dask://HOST:PORT")


def _bytes_to_read(args: tuple[object, ...]) -> int:
    return max((len(getattr(arg, "data", b"")) for arg in args), default=0)


def _done(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    future: Future[T] = Future()
    try:
        future.set_result(fn(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - an executor hands every error to whoever asks for the result
        future.set_exception(error)
    return future
