"""One writer per source across machines: a blob that `refs/okf/lease/<source>` of the remote points to.

It says what the lease on this machine says (see `grant`), and every step is a compare-and-swap by
`git push --force-with-lease`: a holder whose lease was taken over cannot push, because the release of its lease is part
of the push of its content, and all of it arrives or nothing. The ref stays when the lease is let go, so that the
generation only grows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType

from git_okf.errors import GitRefused, Interrupted
from git_okf.gitprogram import NETWORK_TIMEOUT_S
from git_okf.store import aside
from git_okf.store import grant as grants
from git_okf.store.grant import Clock, Grant, LeaseLost
from git_okf.store.push import Move, PushRaced, push
from git_okf.store.remote import address, remote_refs, shown
from git_okf.store.repo import Repo

PREFIX = "refs/okf/lease/"
LIFETIME = timedelta(minutes=10)
"""Longer than on one machine: renewing costs a connection."""
RELEASE_S = 3.0
"""How long letting go may take, all in all: a run that is interrupted must end. A lease that is not let go expires."""
ATTEMPTS = 5


class RemoteLease:
    """A lease that is held on a remote. Use as a context manager: released at the end, whatever happens."""

    def __init__(
        self, repo: Repo, remote: str, source: str, *, clock: Clock, environ: Mapping[str, str], lifetime: timedelta
    ) -> None:
        self._repo, self._remote, self._source = repo, remote, source
        self._clock, self._environ, self._lifetime = clock, environ, lifetime
        self._ref = PREFIX + source
        self._oid: str | None = None
        self._grant: Grant | None = None
        self.succeeded = False
        """The run came to its end, and had nothing to push."""
        self._alone = threading.RLock()
        self._ending = threading.Event()
        self._lost = threading.Event()
        self._renewer: threading.Thread | None = None
        self._until: float | None = None

    @classmethod
    def acquire(
        cls,
        repo: Repo,
        remote: str,
        source: str,
        *,
        clock: Clock,
        environ: Mapping[str, str],
        lifetime: timedelta = LIFETIME,
        renewing: bool = True,
    ) -> RemoteLease:
        """Take the lease, or LeaseBusy, which names who holds it and since when. GitRefused as for any push.

        With `renewing` it is renewed in the background three times in its lifetime.
        """
        lease = cls(repo, remote, source, clock=clock, environ=environ, lifetime=lifetime)
        lease._take()
        if renewing:
            lease._renewer = threading.Thread(target=lease._keep, name=f"remote lease {source}", daemon=True)
            lease._renewer.start()
        return lease

    @property
    def generation(self) -> int:
        return self._grant.generation if self._grant else 0

    def is_lost(self) -> bool:
        """Whether the run must stop: the lease was taken over. One that could not be renewed in time is asked after."""
        if self._grant and not self._lost.is_set() and grants.has_expired(self._grant, self._clock()):
            self._renew()
        return self._lost.is_set()

    def check(self) -> None:
        """LeaseLost where the lease was taken over; the push finds it out too."""
        if self.is_lost():
            raise grants.lost(self._source, self._read())

    @contextmanager
    def releasing(
        self, *, succeeded: bool = False, within: float | None = None
    ) -> Iterator[tuple[Move, Mapping[str, str]]]:
        """The move that lets the lease go, and git's environment to push it with the content. Done if nothing raises.
        With `succeeded` the lease tells when, so that clones without a run of their own know it. `within`: seconds to
        wait for a renewal under way, and then nobody is asked who took the lease over.

        PushRaced becomes LeaseLost where the lease itself had moved.
        """
        with self._moving(lambda held: grants.released(held, self._clock() if succeeded else None), within) as moving:
            yield moving

    @contextmanager
    def renewing(self) -> Iterator[tuple[Move, Mapping[str, str]]]:
        """The move that keeps the lease for its whole lifetime again, to be pushed with what only its holder may push;
        for the rest as `releasing`."""
        with self._moving(lambda held: grants.renewed(held, self._clock(), self._lifetime), None) as moving:
            yield moving

    @contextmanager
    def _moving(
        self, change: Callable[[Grant], Grant], within: float | None
    ) -> Iterator[tuple[Move, Mapping[str, str]]]:
        with self._by_myself(within), aside.aside(self._repo) as extra:
            if self._grant is None:
                raise grants.lost(self._source, self._read() if within is None else None)
            changed = change(self._grant)
            move = self._move(changed, extra)
            try:
                yield move, extra
            except PushRaced as race:
                if self._ref in race.actual:
                    self._lost.set()
                    raise grants.lost(self._source, self._read() if within is None else None) from race
                raise
            self._oid, self._grant = move.new, changed if changed.token else None

    @contextmanager
    def _by_myself(self, within: float | None) -> Iterator[None]:
        if not self._alone.acquire(timeout=-1 if within is None else within):
            raise GitRefused(
                f"the lease of {self._source} is being renewed, and {shown(self._remote)} does not answer", ""
            )
        try:
            yield
        finally:
            self._alone.release()

    def end(self) -> float:
        """No renewal any more, and one under way ends; the seconds that are left to let go, RELEASE_S at first."""
        self._ending.set()
        if self._until is None:
            self._until = time.monotonic() + RELEASE_S
        return max(0.0, self._until - time.monotonic())

    def release(self) -> None:
        """Let go. A lease that was taken over is left to its new holder."""
        left = self.end()
        if self._renewer:
            self._renewer.join(left)
            self._renewer = None
        if self._grant is None or self._lost.is_set():
            return
        try:
            with self.releasing(succeeded=self.succeeded, within=self.end()) as (move, extra):
                repo = self._repo.watched_by(None)
                push(repo, self._remote, [move], extra=extra, hooks=False, timeout=self.end())
        except LeaseLost:
            return

    def abandon(self) -> None:
        """Let it expire: the remote cannot be had now."""
        self._ending.set()
        self._grant = None

    def __enter__(self) -> RemoteLease:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self.release()
        except GitRefused:
            # It expires. What the run came to is more worth telling, and has been told where it raised.
            if kind is None:
                raise

    # --- compare and swap ---

    def _take(self) -> None:
        for attempt in range(ATTEMPTS):
            before = self._read()
            now = self._clock()
            if before and not grants.is_free(before, now):
                raise grants.busy(self._source, before)
            try:
                self._write(grants.taken(before, now, self._lifetime, self._environ))
                return
            except PushRaced:
                if attempt == ATTEMPTS - 1:
                    raise

    def _keep(self) -> None:
        while not self._ending.wait(self._lifetime.total_seconds() / 3) and not self._lost.is_set():
            self._renew()

    def _renew(self) -> None:
        with self._alone:
            if self._grant is None:
                return
            try:
                renewed = grants.renewed(self._grant, self._clock(), self._lifetime)
                self._write(renewed, self._repo.watched_by(self._give_up))
            except PushRaced:
                self._lost.set()
            except GitRefused:
                return  # no connection now; if nobody takes it, the next try or the push itself finds it unchanged

    def _give_up(self) -> None:
        """GitRefused where nobody needs the renewal any more."""
        try:
            if self._repo.watch is not None:
                self._repo.watch()
        except Interrupted as error:
            raise GitRefused(error.message, error.hint) from error
        if self._ending.is_set():
            raise GitRefused("the run has ended", "")

    def _read(self) -> Grant | None:
        """What the remote's ref says now. One that moves on between asking and fetching is asked again."""
        for _ in range(ATTEMPTS):
            self._oid = remote_refs(self._repo, self._remote, [self._ref]).get(self._ref)
            if self._oid is None:
                return None
            with aside.aside(self._repo) as extra:
                aside.fetch(self._repo, self._remote, [self._ref], extra)
                found = aside.read_blob(self._repo, self._oid, extra)
            if found is not None:
                return grants.parse(found)
        raise GitRefused(f"{self._ref} of {shown(self._remote)} does not stand still", "run the sync again")

    def _write(self, grant: Grant, repo: Repo | None = None) -> None:
        with aside.aside(self._repo) as extra:
            move = self._move(grant, extra)
            push(repo or self._repo, self._remote, [move], extra=extra, hooks=False, timeout=NETWORK_TIMEOUT_S)
        self._oid, self._grant = move.new, grant

    def _move(self, grant: Grant, extra: Mapping[str, str]) -> Move:
        oid = aside.write_blob(self._repo, grants.data(grant), extra)
        return Move(self._ref, oid, self._oid, follows=False)


def last_success(repo: Repo, remote: str, source: str) -> str:
    """When a run that pushed to the remote last came to its end, ISO 8601; "" where none did, or none can be asked."""
    ref = PREFIX + source
    try:
        there = address(repo, remote)
        oid = remote_refs(repo, there, [ref]).get(ref)
        if oid is None:
            return ""
        with aside.aside(repo) as extra:
            aside.fetch(repo, there, [ref], extra)
            found = grants.parse(aside.read_blob(repo, oid, extra))
    except GitRefused:
        return ""
    return found.succeeded if found else ""
