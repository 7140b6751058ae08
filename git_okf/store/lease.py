"""One writer per source on this machine: a file in scratch, `lease/<source>.json`.

The lease holds a generation that only grows, a random token, who holds it since when, and when it expires. Every step
(take, renew, check, release) is a compare-and-swap: read, decide and replace under a file lock held for no longer than
that. It is stale when it has expired, or when its holder was a process of this very machine that no longer runs; a
process of another machine is taken for alive. A holder that was stopped past its expiry and wakes finds its token
gone: `check`, called right before the refs move, raises, and the run writes nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType

from git_okf.errors import GitRefused, LeaseBusy
from git_okf.store.process import Holder, is_dead, this_process
from git_okf.store.scratch import read_file, replace_file, unwritable

LIFETIME = timedelta(minutes=2)
LOCK_WAIT_S = 5.0
_NEVER = datetime.fromtimestamp(0, UTC)

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the lease file says. Without a token nobody holds it."""

    generation: int
    token: str
    holder: Holder
    acquired: str
    expires: str


class LeaseLost(LeaseBusy):
    """The lease was taken over while this run held it: it must stop and cannot write."""

    code = "lease-lost"


class Lease:
    """A lease that is held. Use as a context manager: released at the end, whatever happens."""

    def __init__(self, file: Path, source: str, grant: Grant, clock: Clock, lifetime: timedelta) -> None:
        self._file, self._source, self._clock, self._lifetime = file, source, clock, lifetime
        self._grant = grant
        self._ending = threading.Event()
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
            if before and not _is_free(before, now):
                raise _busy(source, before)
            grant = Grant(
                generation=before.generation + 1 if before else 1,
                token=secrets.token_hex(16),
                holder=this_process(environ),
                acquired=_text(now),
                expires=_text(now + lifetime),
            )
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
            if there is None or (there.generation, there.token) != (self._grant.generation, self._grant.token):
                raise _lost(self._source, there)
            self._grant = replace(self._grant, expires=_text(self._clock() + self._lifetime))
            _write(self._file, self._grant)

    def release(self) -> None:
        """Let go. The generation stays in the file; a lease that was taken over is left to its new holder."""
        self._ending.set()
        if self._renewer:
            self._renewer.join()
            self._renewer = None
        with _locked(self._file):
            there = _read(self._file)
            if there and there.token == self._grant.token:
                _write(self._file, replace(self._grant, token="", expires=_text(_NEVER)))

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.release()

    def _start_renewing(self) -> None:
        self._renewer = threading.Thread(target=self._keep, name=f"lease {self._source}", daemon=True)
        self._renewer.start()

    def _keep(self) -> None:
        while not self._ending.wait(self._lifetime.total_seconds() / 3):
            try:
                self.check()
            except LeaseLost:
                return  # the run learns it from its own check, before it writes
            except (LeaseBusy, GitRefused):
                continue  # could not be renewed now; if nobody takes it, the next try or the check itself renews it


def holder(scratch: Path, source: str, clock: Clock) -> Grant | None:
    """The grant of the run that holds a source now; None where it is free."""
    there = _read(scratch / "lease" / f"{source}.json")
    return None if there is None or _is_free(there, clock()) else there


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
    data = read_file(file)
    if not data:
        return None
    try:
        facts = json.loads(data)
        grant = Grant(**{**facts, "holder": Holder(**facts["holder"])})
        _time(grant.expires)
        return grant if isinstance(grant.generation, int) else None
    except (ValueError, TypeError, KeyError):
        return None  # no version of ours wrote this: nobody can prove to hold it


def _write(file: Path, grant: Grant) -> None:
    replace_file(file, (json.dumps(asdict(grant), sort_keys=True) + "\n").encode(), durable=True)


def _is_free(grant: Grant, now: datetime) -> bool:
    return not grant.token or now >= _time(grant.expires) or is_dead(grant.holder)


def _text(when: datetime) -> str:
    return when.astimezone(UTC).isoformat()


def _time(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _busy(source: str, grant: Grant) -> LeaseBusy:
    return LeaseBusy(
        f"{source} is being synced by {grant.holder} since {grant.acquired[:19]}Z",
        f"wait for it; should it have died, its lease ends at {grant.expires[:19]}Z",
    )


def _lost(source: str, there: Grant | None) -> LeaseLost:
    by = f"by {there.holder} since {there.acquired[:19]}Z" if there and there.token else "or removed"
    return LeaseLost(
        f"the lease of {source} was taken over {by}, because this run did not renew it in time; nothing was written",
        "run the sync again when the other run has ended",
    )
