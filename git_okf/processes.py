"""Worker processes, each at the end of a pipe of its own.

An executor of the standard library passes every call through two more threads, a lock that all workers share and a
pipe that all of them write to; with calls of a few milliseconds that took a tenth of a build. Here a call goes from
whoever submits it straight to a worker, and one thread takes all answers; or the event loop does that itself, which
saves a twentieth more: a thread beside a busy one waits for the interpreter at every step. Each worker has a few calls
waiting beside the one that it works on, so that it need not wait itself; never more than its pipe can hold: whoever
sent them would wait for a worker that waits for its answer to be taken.

A call that takes longer than it may ends its worker, which no exception could do in a parser written in C. Only that
call fails; what waited behind it goes to another worker. A worker that dies before it says that it is up has died of no
call: then there will be none.
"""

from __future__ import annotations

import atexit
import multiprocessing
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from git_okf.worker import UP, Server, Started, forked, room, served

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

P = ParamSpec("P")
T = TypeVar("T")

FORKED = 4
"""Workers that are forked before anybody knows how much there is to do; each costs some milliseconds."""
WAITING = 3
"""Calls in a worker's pipe, at most, beside the one that it works on."""


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
    watched: bool = False
    """Whether an event loop takes its answers, and not the thread."""

    def takes(self, call: _Call) -> bool:
        """Whether the call can be sent without waiting for the worker: it is idle, or its pipe has room."""
        if not self.calls:
            return True
        in_pipe = sum(len(each.data) for each in islice(self.calls, 1, None))
        return len(self.calls) <= WAITING and in_pipe + len(call.data) <= self.room

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
        self._on_demand = False
        """Whether workers are started only where calls wait for them."""
        self._server: Server | None = None
        """What workers are started by, once there was need of it."""
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._workers: list[_Worker] = []
        self._thread: threading.Thread | None = None
        self._closing = False
        self._dropping = False
        """Whether what waits is not answered any more."""
        self._broken: Exception | None = None
        """Why there are no workers any more."""
        self.ready = False
        """Whether there is a worker that answers."""
        self._awake, self._wake = multiprocessing.Pipe(duplex=False)
        self._loop: AbstractEventLoop | None = None
        self._called = False
        """Whether the thread was told that calls wait."""
        self._silent: list[_Worker] = []
        """Workers of which the event loop saw that they have died."""

    def fork(self) -> None:
        """Fork workers from this process, before any other method is called and where `can_fork` allows it: FORKED at
        most, and others are started when there are calls for them."""
        made = forked(min(self._count, FORKED), self._longest)
        self._on_demand = bool(made)
        for started in made:
            self._add(started)
        self.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        call = _Call(future, pickle.dumps((fn, args, kwargs), protocol=pickle.HIGHEST_PROTOCOL))
        with self._lock:
            if self._closing and self._broken is None:
                raise RuntimeError("the workers have been dismissed")
            if self._broken is not None:
                future.set_exception(RuntimeError(*self._broken.args))
                return future
            self._waiting.append(call)
            self._hand_out()
            if self._waiting and self._on_demand and len(self._workers) < self._count and not self._called:
                self._called = True
                self._wake.send_bytes(b"")
        self.start()
        return future

    def start(self) -> None:
        """Start the workers where they are not started yet; returns at once."""
        if self._thread is None:
            thread = threading.Thread(target=self._serve, name="workers", daemon=True)
            atexit.register(self._end)
            thread.start()
            self._thread = thread

    def _end(self) -> None:
        """At the end of the interpreter, before the library's own: a worker that is started beside that would wait for
        ever, and be waited for."""
        self.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._workers):
            worker.process.terminate()
        if self._thread is not None:
            self._thread.join()

    def watch(self, loop: AbstractEventLoop) -> None:
        """Have the answers taken by an event loop, by whose thread this is called, for as long as it runs."""
        if self._loop is loop or sys.platform == "win32":  # whose loop watches no pipes
            return
        with self._lock:
            self._take_back()
            self._loop = loop
        self._wake.send_bytes(b"")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As of any executor. Where an event loop took the answers, it has ended, or this is called by its thread."""
        dropped: list[_Call] = []
        with self._lock:
            self._closing = True
            self._take_back()
            if cancel_futures:
                self._dropping = True
                dropped = list(self._waiting)
                self._waiting.clear()
        _fail([call for call in dropped if not call.future.cancel()], "the workers have been dismissed")
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
        try:
            with served():
                self._run()
        finally:
            atexit.unregister(self._end)

    def _run(self) -> None:
        """The thread that starts workers, takes their answers, and ends them."""
        try:
            while not self._is_done():
                if self._is_short():
                    self._hire()
                    continue
                for worker in self._listen():
                    self._bury(worker)
        except Exception as error:  # noqa: BLE001 - whoever waits for an answer is told why there will be none
            self._give_up(error)
        self.ready = False
        for worker in self._workers:
            if worker.watched:  # there was no shutdown: the loop sees its end, and watches its pipe until then
                worker.process.terminate()
            else:
                worker.pipe.close()
        for worker in self._workers:
            worker.process.join()

    def _is_short(self) -> bool:
        with self._lock:
            self._called = False
            wanted = bool(self._waiting) or not (self._on_demand or self._closing)
            return wanted and len(self._workers) < self._count

    def _listen(self) -> Iterator[_Worker]:
        """Wait for something to happen; the workers that are found to have died."""
        self._hand_over()
        pipes: dict[object, _Worker] = {worker.pipe: worker for worker in self._workers if not worker.watched}
        for pipe in wait([self._awake, *(worker.pipe for worker in pipes.values())]):
            if pipe is self._awake:
                self._awake.recv_bytes()
            elif not self._heard(pipes[pipe]):
                yield pipes[pipe]
        with self._lock:
            silent = list(self._silent)
            self._silent.clear()
        yield from silent

    def _hand_over(self) -> None:
        """Leave the workers to the event loop, where there is one. Only what the thread does not listen to any more."""
        with self._lock:
            for worker in self._workers:
                if self._loop is not None and not worker.watched:
                    with suppress(RuntimeError):  # it has ended
                        self._loop.call_soon_threadsafe(self._begin_watching, self._loop, worker)
                        worker.watched = True

    def _begin_watching(self, loop: AbstractEventLoop, worker: _Worker) -> None:
        with self._lock:
            if self._loop is loop:
                loop.add_reader(worker.pipe.fileno(), self._take, loop, worker)

    def _take(self, loop: AbstractEventLoop, worker: _Worker) -> None:
        """By the event loop, when a worker says something."""
        if not self._heard(worker):
            loop.remove_reader(worker.pipe.fileno())
            with self._lock:
                self._silent.append(worker)
            self._wake.send_bytes(b"")

    def _take_back(self) -> None:
        """From now on the thread listens to all workers. The lock is held."""
        for worker in self._workers:
            if worker.watched and self._loop is not None and not self._loop.is_closed():
                self._loop.remove_reader(worker.pipe.fileno())
            worker.watched = False
        self._silent.clear()  # whoever listens now hears it again
        self._loop = None

    def _is_done(self) -> bool:
        with self._lock:
            return self._closing and not self._waiting and not any(worker.calls for worker in self._workers)

    def _hire(self) -> None:
        if self._server is None:
            self._server = Server(self._preloaded)
        self._add(self._server.start(self._longest))

    def _add(self, started: Started) -> None:
        process, pipe = started
        with self._lock:
            self._workers.append(_Worker(process, pipe, room(pipe)))
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
        with suppress(InvalidStateError):  # it was given up meanwhile
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
        with self._lock:
            self._workers.remove(worker)
            fatal = [worker.calls.popleft()] if worker.calls else []
            if self._dropping:
                fatal += worker.calls
            else:
                self._waiting.extendleft(reversed(worker.calls))
        worker.pipe.close()
        _fail(fatal, died)

    def _give_up(self, cause: Exception) -> None:
        said = f"there are no workers: {cause}"
        with self._lock:
            self._closing, self._broken, self.ready = True, RuntimeError(said), False
            calls = [*(call for worker in self._workers for call in worker.calls), *self._waiting]
            self._waiting.clear()
        _fail(calls, said)


def _fail(calls: Sequence[_Call], said: str) -> None:
    for call in calls:
        with suppress(InvalidStateError):  # it was answered, or cancelled, meanwhile
            call.future.set_exception(BrokenProcessPool(said))


def _read(data: bytes) -> tuple[bool, Any]:
    try:
        good, said = pickle.loads(data)
    except Exception as error:  # noqa: BLE001 - an answer that cannot be read is an error of the call
        return False, error
    return good, said
