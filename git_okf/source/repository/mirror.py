"""What of an upstream was needed so far: a bare repository in scratch. Losing it loses nothing but the next transfer.

It fetches one commit with its trees and without its blobs, and then exactly the blobs that are wanted, in one request.
Its configuration names no remote, and holds no address and no credentials: `origin` is told to git for each fetch anew.
So git cannot fetch what is missing one by one, and there is nothing in it to leak.

Used by one run at a time: the source's lease holds the others off. Whatever is found wrong with it (another version's,
cut off by a kill, damaged) it is thrown away and fetched anew, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from git_okf.errors import OkfError
from git_okf.gitprogram import FETCH
from git_okf.source.repository import errors, trees
from git_okf.source.repository.address import Address
from git_okf.source.repository.bare import LENIENT, WHOLE, Bare
from git_okf.source.repository.errors import (
    KEPT,
    Capacity,
    DiskBudget,
    HistoryRewritten,
    RefMissing,
    RevisionGone,
    Unsound,
)
from git_okf.source.repository.look import look
from git_okf.source.repository.objects import Broken, Stored
from git_okf.source.repository.transport import FETCH_TIMEOUT_S, UNCHECKED, Transport

DISK_LIMIT = 4 * 1024**3
"""Bytes a mirror may take. Over half of it, it is begun anew: what was needed once is seldom needed again."""
DEPTHS = (1, 50, 1000)
"""How deep a branch is fetched, one after the other, to find a commit that the server does not give by its id."""
KEPT_REF = "refs/okf/kept"
"""The commit fetched last: the server need not send again what the next has in common with it."""
TOO_LARGE, MISSING = "too-large", "missing"

_PROMISOR = ("remote.origin.promisor=true", "remote.origin.partialclonefilter=blob:none")
_ALONE = ("fetch.negotiationAlgorithm=noop",)
"""As git itself fetches what it misses: without telling the server what is here."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's bytes; None with the reason where there are none."""

    id: str
    data: bytes | None
    size: int | None
    """None where it was never sent."""
    problem: str = ""
    """TOO_LARGE or MISSING where `data` is None."""


class Mirror:
    """The objects of one upstream, in a directory of its own that it may make, throw away and make again."""

    def __init__(
        self, directory: Path, transport: Transport, address: Address, *, disk_limit: int = DISK_LIMIT
    ) -> None:
        self._bare = Bare(directory=directory, environ=transport.environ)
        self._transport = transport
        self._address = address
        self._disk_limit = disk_limit
        self._wanted: tuple[str, str] | None = None
        self._fresh = False
        """Made by this run, with nothing in it but commits and trees."""

    # --- what a source asks for ---

    def fetch(self, commit: str, ref: str = "") -> None:
        """Have a commit and its trees. `ref` is the full name it was found under, if any: where the server gives no
        commit by its id, it is looked for there, ever deeper; without it in all branches and tags.

        RevisionGone or HistoryRewritten where the server has it no more; Unreachable and its kin, Unsound, Capacity as
        they say. An interrupted or failed fetch leaves what was there.
        """
        self._wanted = (commit, ref)
        try:
            self._open(commit)
            self._have(commit, ref)
        except Capacity:
            raise
        except (Broken, DiskBudget):
            self._renew()

    def tree(self, commit: str) -> trees.Tree:
        """Everything in a commit that was fetched. What cannot be listed even from a new mirror is named in it."""
        try:
            found = self._walk(commit)
            if found.complete:
                return found
        except Broken:
            pass  # what follows is the remedy
        self._renew()
        try:
            return self._walk(commit)
        except Broken as error:
            raise self._unsound(error) from error

    def blobs(self, ids: Iterable[str], *, limit: int | None = None, within: Sequence[str] = ()) -> Iterator[Blob]:
        """The blobs of these ids in their order, each once. All that are missing come in one request.

        One larger than `limit` bytes comes without its data and is never in memory. `within`: trees that hold them all.
        A server that filters then does not even send what is too large, but sends all else below those trees, here or
        not: for packages that are new as a whole. Without it exactly the wanted blobs are sent.

        DiskBudget where they do not fit beside what is here (`forget`, and ask for fewer at once), Capacity where they
        do not fit at all; else as `fetch`.
        """
        left = list(dict.fromkeys(ids))
        for last in (False, True):
            try:
                unsent = self._bring(left, limit, within)
                with self._bare.objects() as objects:
                    for stored in objects.read(list(left), limit=limit):
                        del left[0]
                        yield _blob(stored, TOO_LARGE if stored.id in unsent else MISSING)
                return
            except Broken as error:
                if last:
                    raise self._unsound(error) from error
                self._renew()

    def forget(self) -> None:
        """Throw away what was fetched, and give its room back. What is asked for next is fetched anew."""
        self._bare.forget()

    # --- commits and trees ---

    def _open(self, commit: str) -> None:
        self._fresh = self._bare.open(len(commit), self._disk_limit // 2)

    def _renew(self) -> None:
        """Begin anew with the commit that was asked for."""
        commit, ref = self._asked()
        self._fresh = self._bare.open(len(commit), limit=-1)
        try:
            self._have(commit, ref)
        except Broken as error:
            raise self._unsound(error) from error

    def _asked(self) -> tuple[str, str]:
        if self._wanted is None:
            raise AssertionError("a commit is fetched before anything of it is read")
        return self._wanted

    def _walk(self, commit: str) -> trees.Tree:
        with self._bare.objects() as objects:
            return trees.walk(objects.read, commit)

    def _have(self, commit: str, ref: str) -> None:
        if self._is_here(commit):
            return
        said = self._fetch("--depth=1", "origin", commit)
        if errors.NOT_OUR_REF in said:
            raise self._gone(commit, ref)
        if errors.UNADVERTISED in said:
            self._search(commit, ref)
        elif said:
            raise self._failure(said)
        elif not self._is_here(commit):
            raise Broken(f"{commit} was fetched and is not here")
        self._bare.keep(KEPT_REF, commit)

    def _is_here(self, commit: str) -> bool:
        kind = self._bare.kinds([commit])[commit]
        if kind not in ("", "commit"):
            if not self._fresh:
                raise Broken(f"{commit} is a {kind} here")
            raise RefMissing(f"{commit} is the id of a {kind} of {self._address.shown}, not of a commit; {KEPT}")
        return kind == "commit"

    def _search(self, commit: str, ref: str) -> None:
        """Find a commit that the server does not give by its id: below the ref it was on, or below all."""
        names = [ref] if ref else ["refs/heads/*", "refs/tags/*"]
        specs = [f"+{name}:refs/okf/upstream/{name.removeprefix('refs/')}" for name in names]
        for depth in (*(f"--depth={depth}" for depth in DEPTHS), "--unshallow"):
            said = self._fetch(depth, "origin", *specs)
            if errors.NO_SUCH_REF in said:
                raise self._gone(commit, ref)
            if said:
                raise self._failure(said)
            if self._is_here(commit):
                return
            if not self._bare.is_shallow:
                break
        raise self._gone(commit, ref)

    def _gone(self, commit: str, ref: str) -> OkfError:
        """The error for a commit that is not served; where its branch still is, that goes on without it."""
        shown = self._address.shown
        try:
            tip = look(self._transport, self._address, ref).commit if ref else ""
        except RefMissing:
            tip = ""
        if tip in ("", commit):
            return RevisionGone(
                f"{shown} does not have the commit {commit[:12]} any more; {KEPT}", "set `ref` to what it has now"
            )
        return HistoryRewritten(
            f"{shown}: the history of {ref} was rewritten without {commit[:12]}; it is at {tip[:12]} now; {KEPT}",
            "run the sync again to take what is there now",
            tip=tip,
        )

    # --- blobs ---

    def _bring(self, ids: Sequence[str], limit: int | None, within: Sequence[str]) -> frozenset[str]:
        """Have the blobs; those among them that the server kept back because of their size."""
        if not ids:
            return frozenset()
        if self._bare.open(len(ids[0]), self._disk_limit):
            self._renew()
        missing = self._missing(ids)
        if missing and within and limit is not None and not self._bare.knows(WHOLE):
            wanted = "".join(f"{oid}\n" for oid in within).encode()
            filtered = ("--refetch", f"--filter=blob:limit={limit + 1}", "--stdin", "origin")
            if not self._fetch(*filtered, stdin=wanted, settings=_ALONE):
                self._fresh = False
                return frozenset(self._missing(missing))
        if missing:
            said = self._fetch(
                "--stdin", "origin", stdin="".join(f"{oid}\n" for oid in missing).encode(), settings=_ALONE
            )
            if errors.UNADVERTISED in said and not self._bare.knows(WHOLE):
                self._bare.learn(WHOLE)
                self._renew()
            elif errors.NOT_OUR_REF in said:
                raise self._gone(*self._asked())
            elif said:
                raise self._failure(said)
            self._fresh = False
        return frozenset()

    def _missing(self, ids: Sequence[str]) -> list[str]:
        return [oid for oid, kind in self._bare.kinds(ids).items() if not kind]

    # --- the git program ---

    def _fetch(self, *args: str, stdin: bytes = b"", settings: Sequence[str] = ()) -> str:
        """Fetch; what git said where it failed, "" where it did not. DiskBudget or Capacity where there was no room."""
        filtering = ["--filter=blob:none"] if not any(word.startswith("--filter=") for word in args) else []
        promisor: tuple[str, ...] = _PROMISOR
        if self._bare.knows(WHOLE):
            filtering, promisor = [], ()
        lenient = UNCHECKED if self._bare.knows(LENIENT) else ()
        done = self._transport.run(
            self._address,
            *FETCH,
            *filtering,
            *args,
            mirror=self._bare.directory,
            settings=(f"remote.origin.url={self._address.url}", *promisor, *lenient, *settings),
            stdin=stdin,
            timeout=FETCH_TIMEOUT_S,
            watch=self._watch,
        )
        said = errors.words_of(done.stderr)
        if done.returncode and errors.is_full(said):
            raise self._no_room("the disk is full")
        if done.returncode and not lenient and errors.is_harmless(said):
            self._bare.learn(LENIENT)
            return self._fetch(*args, stdin=stdin, settings=settings)
        self._watch()
        return (said or f"exit {done.returncode}") if done.returncode else ""

    def _watch(self) -> None:
        if self._bare.used() > self._disk_limit:
            raise self._no_room(f"it takes more than {self._disk_limit} bytes")

    def _no_room(self, why: str) -> DiskBudget:
        said = f"no room for what is needed of {self._address.shown}: {why}; {KEPT}"
        if self._fresh:
            return Capacity(said, f"make room for it below {self._bare.directory.parent}, or take less of it")
        return DiskBudget(said, "run the sync again: what was fetched before makes room for it")

    def _failure(self, said: str) -> Exception:
        """Whether somebody else is to blame, or what lies here: a git that chokes on it blames the server, too."""
        if self._fresh or (errors.is_faraway(said) and self._is_sound()):
            return errors.trouble(said, self._address.shown)
        return Broken(said)

    def _is_sound(self) -> bool:
        """Whether what was fetched last can be read."""
        try:
            kept = self._bare.ref(KEPT_REF)
            return bool(kept) and self._walk(kept).complete
        except Broken:
            return False

    def _unsound(self, error: Broken) -> Unsound:
        return Unsound(f"{self._address.shown}: what it sent cannot be read: {error}; {KEPT}")


def _blob(stored: Stored, absent: str) -> Blob:
    if not stored.kind:
        return Blob(stored.id, None, None, absent)
    return Blob(stored.id, stored.data, stored.size, TOO_LARGE if stored.data is None else "")
