"""One writer per source on this machine: a file in scratch, `lease/<source>.json`.

The lease holds a generation that only grows, a random token, who holds it since when, and when it expires. Every step
(take, renew, check, release) is a compare-and-swap: read, decide and replace under a file lock held for no longer than
that. A holder that was stopped past its expiry and wakes finds its token gone: `is_lost` says so while it still asks
the site, and `check`, called right before the refs move, raises, so that the run writes nothing.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import TracebackType

from git_okf.errors import GitRefused, LeaseBusy
from git_okf.store import grant as grants
from git_okf.store.grant import Clock, Grant
from git_okf.store.grant import LeaseLost as LeaseLost
from git_okf.store.scratch import read_file, replace_file, unwritable

LIFETIME = timedelta(minutes=2)
LOCK_WAIT_S = 5.0


class Lease:
    """A lease that is held. Use as a context manager: released at the end, whatever happens."""

    def __init__(self, file: Path, source: str, grant: Grant, clock: Clock, lifetime: timedelta) -> None:
        self._file, self._source, self._clock, self._lifetime = file, source, clock, lifetime
        self._grant = grant
        self._ending = threading.Event()
        self._lost = threading.Event()
        self._renewer: threading.Thread | None = None

    @classmethod
    def acquire(
        cls,
        scratch: Path,
        source: str,
        *,
        clock: Clock,
        environ: Mapping[str, str],
        lifetime: timedelta = LIFETIME,
        renewing: bool = True,
    ) -> Lease:
        """Take the lease of a source, or LeaseBusy, which names who holds it and since when.

        With `renewing` it is renewed in the background three times in its lifetime.
        """
        file = scratch / "lease" / f"{source}.json"
        with _locked(file):
            before = _read(file)
            now = clock()
            if before and not grants.is_free(before, now):
                raise grants.busy(source, before)
            grant = grants.taken(before, now, lifetime, environ)
            _write(file, grant)
        lease = cls(file, source, grant, clock, lifetime)
        if renewing:
            lease._start_renewing()
        return lease

    @property
    def generation(self) -> int:
        return self._grant.generation

    def check(self) -> None:
        """LeaseLost where another run has taken the lease over; otherwise it is good for its whole lifetime again."""
        with _locked(self._file):
            there = _read(self._file)
            if not grants.is_same(there, self._grant):
                raise grants.lost(self._source, there)
            self._grant = grants.renewed(self._grant, self._clock(), self._lifetime)
            _write(self._file, self._grant)

    def is_lost(self) -> bool:
        """Whether the run must stop: the lease was taken over. One that could not be renewed in time is asked after."""
        if not self._lost.is_set() and grants.has_expired(self._grant, self._clock()):
            self._renew()
        return self._lost.is_set()

    def release(self) -> None:
        """Let go. The generation stays in the file; a lease that was taken over is left to its new holder."""
        self._ending.set()
        if self._renewer:
            self._renewer.join()
            self._renewer = None
        with _locked(self._file):
            there = _read(self._file)
            if there and there.token == self._grant.token:
                _write(self._file, grants.released(self._grant))

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self.release()
        except (LeaseBusy, GitRefused):
            # It expires. What the run came to is more worth telling.
            if kind is None:
                raise

    def _start_renewing(self) -> None:
        self._renewer = threading.Thread(target=self._keep, name=f"lease {self._source}", daemon=True)
        self._renewer.start()

    def _keep(self) -> None:
        while not self._ending.wait(self._lifetime.total_seconds() / 3) and not self._lost.is_set():
            self._renew()

    def _renew(self) -> None:
        try:
            self.check()
        except LeaseLost:
            self._lost.set()
        except (LeaseBusy, GitRefused):
            return  # could not be renewed now; if nobody takes it, the next try or the check itself renews it


def holder(scratch: Path, source: str, clock: Clock) -> Grant | None:
    """The grant of the run that holds a source now; None where it is free."""
    there = _read(scratch / "lease" / f"{source}.json")
    return None if there is None or grants.is_free(there, clock()) else there


# --- the file ---


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Alone with the lease file. LeaseBusy where another process keeps the lock (stopped in the middle of a step)."""
    lock = file.with_suffix(".lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise unwritable(lock, error) from error
    try:
        _lock(handle, lock)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, lock: Path) -> None:
    deadline = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise LeaseBusy(
                    f"another process keeps {lock} locked", "see whether one of git-okf is stopped (`ps`), and end it"
                ) from None
            time.sleep(0.01)
        except OSError as error:
            raise unwritable(lock, error) from error


def _read(file: Path) -> Grant | None:
    return grants.parse(read_file(file))


def _write(file: Path, grant: Grant) -> None:
    replace_file(file, grants.data(grant), durable=True)
