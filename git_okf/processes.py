"""Worker processes, each at the end of a pipe of its own.

An executor of the standard library passes every call through two more threads, a lock that all workers share and a
pipe that all of them write to; with calls of a few milliseconds that took a tenth of a build. Here a call goes from
whoever submits it straight to a worker, and one thread takes all answers. Each worker has one call waiting beside the
one that it works on, so that it need not wait itself; never one that its pipe cannot hold: whoever sent it would wait
for a worker that waits for its answer to be taken.

Workers are started by a fork server, never by forking this process: it has threads and a transport's event loop. A call
that takes longer than it may ends its worker, which no exception could do in a parser written in C. Only that call
fails; what waited behind it goes to another worker. A worker that dies before it says that it is up has died of no
call: then there will be none.
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
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

UP = b""
"""What a worker says first; no answer is as short."""


@dataclass(frozen=True, slots=True)
class _Call:
    future: Future[Any]
    data: bytes


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    room: int
    """Bytes that its pipe holds for certain."""
    calls: deque[_Call] = field(default_factory=deque)
    """What it was given, the one that it works on first."""
    is_up: bool = False

    def takes(self, call: _Call) -> bool:
        return not self.calls or (len(self.calls) == 1 and len(call.data) <= self.room)

    def give(self, call: _Call) -> None:
        self.calls.append(call)
        with suppress(OSError):  # it has died: whoever takes the answers sees that, and what it had been given
            self.pipe.send_bytes(call.data)


class Processes(Executor):
    """So many workers, started in the background by the first call; a call takes `longest` seconds of CPU at most.

    A call whose worker dies of it fails with BrokenExecutor, and another worker takes the place of the dead one. Where
    none can be started, what waits fails so too, and every later call with RuntimeError.
    """

    def __init__(self, workers: int, *, longest: float, preloaded: Sequence[str] = ()) -> None:
        self._count = workers
        self._longest = longest
        self._preloaded = preloaded
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._workers: list[_Worker] = []
        self._thread: threading.Thread | None = None
        self._closing = False
        self._broken: Exception | None = None
        """Why there are no workers any more."""
        self.ready = False
        """Whether there is a worker that answers."""
        self._awake, self._wake = multiprocessing.Pipe(duplex=False)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        call = _Call(future, pickle.dumps((fn, args, kwargs), protocol=pickle.HIGHEST_PROTOCOL))
        with self._lock:
            if self._closing and self._broken is None:
                raise RuntimeError("the workers have been dismissed")
            if self._broken is not None:
                future.set_exception(self._broken)
                return future
            self._waiting.append(call)
            self._hand_out()
        self.start()
        return future

    def start(self) -> None:
        """Start the workers where they are not started yet; returns at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="workers", daemon=True)
            self._thread.start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._closing = True
            if cancel_futures:
                for call in self._waiting:
                    call.future.cancel()
                self._waiting.clear()
        self._wake.send_bytes(b"")
        if wait and self._thread is not None:
            self._thread.join()

    def _hand_out(self) -> None:
        """Give waiting calls to workers that take them, idle ones first. The lock is held."""
        while self._waiting:
            call = self._waiting[0]
            free = min((w for w in self._workers if w.takes(call)), key=lambda w: len(w.calls), default=None)
            if free is None:
                return
            self._waiting.popleft()
            if call.future.running() or call.future.set_running_or_notify_cancel():
                free.give(call)

    def _serve(self) -> None:
        with _served():
            self._run()

    def _run(self) -> None:
        """The thread that starts workers, takes their answers, and ends them."""
        try:
            _deafen()
            context = _context(self._preloaded)
            while not self._is_done():
                if len(self._workers) < self._count:
                    self._hire(context)
                    continue
                pipes: dict[object, _Worker] = {worker.pipe: worker for worker in self._workers}
                for pipe in wait([self._awake, *(worker.pipe for worker in self._workers)]):
                    if pipe is self._awake:
                        self._awake.recv_bytes()
                    elif not self._heard(pipes[pipe]):
                        self._bury(pipes[pipe])
        except Exception as error:  # noqa: BLE001 - whoever waits for an answer is told why there will be none
            self._give_up(error)
        self.ready = False
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join()

    def _is_done(self) -> bool:
        with self._lock:
            return self._closing and not self._waiting and not any(worker.calls for worker in self._workers)

    def _hire(self, context: Any) -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._longest), daemon=True)
        process.start()
        theirs.close()
        with self._lock:
            self._workers.append(_Worker(process, ours, _room(ours)))
            self._hand_out()

    def _heard(self, worker: _Worker) -> bool:
        """Take what a worker says; False where it will say nothing any more."""
        try:
            data = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            return False
        if data == UP:
            worker.is_up = self.ready = True
            return True
        with self._lock:
            future = worker.calls.popleft().future
            self._hand_out()
        good, said = _read(data)
        if good:
            future.set_result(said)
        else:
            future.set_exception(said)
        return True

    def _bury(self, worker: _Worker) -> None:
        """A worker has died of its first call; what waited behind that goes to others."""
        worker.process.join()
        died = f"a worker died (exit code {worker.process.exitcode})"
        if not worker.is_up:
            raise RuntimeError(f"{died} before it was up")
        worker.pipe.close()
        with self._lock:
            self._workers.remove(worker)
            fatal = worker.calls.popleft() if worker.calls else None
            self._waiting.extendleft(reversed(worker.calls))
        if fatal is not None:
            fatal.future.set_exception(BrokenProcessPool(died))

    def _give_up(self, cause: Exception) -> None:
        said = f"there are no workers: {cause}"
        with self._lock:
            self._closing, self._broken, self.ready = True, RuntimeError(said), False
            calls = [*(call for worker in self._workers for call in worker.calls), *self._waiting]
            self._waiting.clear()
        for call in calls:
            if not call.future.done():
                call.future.set_exception(BrokenProcessPool(said))


def _deafen() -> None:
    """Whatever this thread starts from now on is deaf to interrupts from its first moment: they are for whoever started
    it. The resource tracker comes first: when it is started, the standard library listens again."""
    if sys.platform != "win32":
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


_users_lock = threading.Lock()
_users = 0


@contextmanager
def _served() -> Iterator[None]:
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


def _room(pipe: Connection) -> int:
    """Bytes that can be sent though nobody reads; the system counts more than these. 0 where it does not tell."""
    if sys.platform == "win32":
        return 0
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        return end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 3


def _read(data: bytes) -> tuple[bool, Any]:
    try:
        good, said = pickle.loads(data)
    except Exception as error:  # noqa: BLE001 - an answer that cannot be read is an error of the call
        return False, error
    return good, said


def _work(pipe: Connection, longest: float) -> None:
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
