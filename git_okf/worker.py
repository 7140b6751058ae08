"""One worker process: how it is started, and what it does.

Workers are started by a fork server, since a process that has threads or an event loop must not be forked. Before there
are any it may be, on Linux: then nothing is read again that it has read, and workers are there at once (measured: 0.01
in place of 0.15 s).
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

WANTED_ROOM = 1 << 20
"""Bytes: a few pages."""
UP = b""
"""What a worker says first; no answer is as short."""
Started = tuple[BaseProcess, Connection]
"""A worker, and the pipe for calls (function, arguments, named ones) and answers (whether it went well, what came of
it), each pickled."""


def can_fork() -> bool:
    """Whether this process may be forked: it has a single thread, and the system's own libraries have none either."""
    try:
        return sys.platform == "linux" and sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:  # no /proc
        return False


def forked(count: int, longest: float) -> list[Started]:
    """Workers forked from this process, where `can_fork` allows it; fewer where the system gives no more processes. A
    call takes `longest` seconds of CPU at most."""
    context: Any = multiprocessing.get_context("fork")
    pipes = [context.Pipe() for _ in range(count)]
    ends = [end for pipe in pipes for end in pipe]
    made: list[Started] = []
    with _deaf(), suppress(OSError):
        for ours, theirs in pipes:
            inherited = [end for end in ends if end is not theirs]
            made.append((_started(context, work_forked, theirs, longest, inherited), ours))
    for end in ends:
        if not any(end is ours for _, ours in made):
            end.close()
    return made


class Server:
    """What starts workers beside threads. It reads the modules that all of them need once."""

    def __init__(self, preloaded: Sequence[str]) -> None:
        _deafen()
        self._context = _context(preloaded)

    def start(self, longest: float) -> Started:
        """A worker, once there is a server."""
        ours, theirs = self._context.Pipe()
        process = _started(self._context, work, theirs, longest)
        theirs.close()
        return process, ours


def _started(context: Any, target: Callable[..., None], *args: object) -> BaseProcess:
    process: BaseProcess = context.Process(target=target, args=args, daemon=True)
    process.start()
    return process


@contextmanager
def _deaf() -> Iterator[None]:
    """What is forked meanwhile never hears an interrupt: it is for whoever forked it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _deafen() -> None:
    """Whatever this thread starts from now on is deaf to interrupts from its first moment: they are for whoever started
    it. The resource tracker comes first: when it is started, the standard library listens again."""
    if sys.platform != "win32":
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


_users_lock = threading.Lock()
_users = 0


@contextmanager
def served() -> Iterator[None]:
    """While there are workers there is the server that they are forked from; what comes after them has its memory."""
    global _users
    with _users_lock:
        _users += 1
    try:
        yield
    finally:
        with _users_lock:
            _users -= 1
            if not _users:
                _dismiss_server()


def _dismiss_server() -> None:
    """The library ends its server only with the process, or for its own tests: without that it stays."""
    stop = getattr(getattr(forkserver, "_forkserver", None), "_stop", None)
    if stop is not None:
        with suppress(OSError):
            stop()


def _context(preloaded: Sequence[str]) -> Any:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(list(preloaded))
    return context


def room(pipe: Connection) -> int:
    """Bytes that can be sent though nobody reads, as many as the system allows; it counts more than these. 0 where it
    does not tell."""
    if sys.platform == "win32":
        return 0
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, WANTED_ROOM)
        return end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 3


def work_forked(pipe: Connection, longest: float, inherited: Sequence[Connection]) -> None:
    """In a worker that was forked: it lets go of what is not its own, or nobody would ever see that its owner died."""
    for end in inherited:
        end.close()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    work(pipe, longest)


def work(pipe: Connection, longest: float) -> None:
    """In a worker: answer calls until there is nobody to answer to. An interrupt is for whoever started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what is there now stays: to look through it again and again took a twentieth of a worker's time
    try:
        pipe.send_bytes(UP)
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes(), longest))
    except (EOFError, OSError):
        return


def _answer(data: bytes, longest: float) -> bytes:
    try:
        fn, args, kwargs = pickle.loads(data)
        return pickle.dumps((True, _bounded(longest, fn, *args, **kwargs)), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - every error of a call is its caller's
        try:
            return pickle.dumps((False, error))
        except Exception:  # noqa: BLE001 - an error that cannot travel is told in words
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _bounded(longest: float, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The process ends where the call takes too long, as the signal does by default."""
    if not hasattr(signal, "setitimer"):  # Windows
        return fn(*args, **kwargs)
    signal.setitimer(signal.ITIMER_PROF, longest)
    try:
        return fn(*args, **kwargs)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
