"""The directory of a mirror: made whole or not at all, cleaned of what a kill left, thrown away when in doubt."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from git_okf.gitprogram import failure, git
from git_okf.source.repository.errors import Capacity, is_full, words_of
from git_okf.source.repository.objects import NOWHERE, Broken, Objects

_MARK = "okf-mirror"
"""A file in it, written last: the version of its make, the kind of its ids, and what was learned of the server. A
directory without it, or with another version's, is none of ours."""
_VERSION = "1"
QUIET = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")
"""No program of the person's takes part in what is done to a mirror."""
WHOLE = "whole"
"""The server leaves blobs out where it is asked to, and does not give them afterwards: nothing is left out."""
LENIENT = "lenient"
"""The repository holds what git's check refuses and we do not mind: it is not checked by git, only by us."""
_LOCKS = ("shallow.lock", "packed-refs.lock", "config.lock", "HEAD.lock")
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """A bare repository of ours at `directory`, read and prepared here; fetching is the mirror's."""

    directory: Path
    environ: Mapping[str, str]

    def open(self, id_length: int, limit: int) -> bool:
        """Have a repository for ids of 40 or 64 digits; True where it is a new one, with nothing in it.

        One that takes more than `limit` bytes, or that is not sound, is replaced.
        """
        kind = "sha1" if id_length == 40 else "sha256"
        if self._marks()[:2] == [_VERSION, kind] and not self._is_locked() and self.used() <= limit:
            for rest in self._pack.glob("tmp_*"):
                rest.unlink(missing_ok=True)
            return False
        learned = [word for word in (WHOLE, LENIENT) if self.knows(word)]
        self.forget()
        with room_for(self.directory):
            self.directory.parent.mkdir(parents=True, exist_ok=True)
            options = ("--quiet", "--bare", "--template=", f"--object-format={kind}")
            args = (*QUIET, "init", *options, str(self.directory))
            done = git(NOWHERE, *args, check=False, environ=self.environ)
            if done.returncode:
                raise failure(args, done) if not is_full(words_of(done.stderr)) else OSError(errno.ENOSPC, "git init")
            self._mark(_VERSION, kind, *learned)
        return True

    def forget(self) -> None:
        """Throw it away: gone at once, however long the removal of its files takes."""
        if self.directory.is_file():
            self.directory.unlink()
        aside = self.directory.with_name(f"{self.directory.name}.old")
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(FileNotFoundError):
            self.directory.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def used(self) -> int:
        """Bytes of its packs, those that are being received included."""
        found = 0
        with suppress(FileNotFoundError):
            for file in self._pack.iterdir():
                with suppress(FileNotFoundError):  # received, and renamed meanwhile
                    found += file.stat().st_size
        return found

    def learn(self, word: str) -> None:
        """Remember something of the server: WHOLE or LENIENT."""
        self._mark(*self._marks(), word)

    def knows(self, word: str) -> bool:
        """Whether it was learned, by this mirror or one that it replaces."""
        return word in self._marks()[2:]

    @property
    def is_shallow(self) -> bool:
        return (self.directory / "shallow").exists()

    def kinds(self, ids: Iterable[str]) -> dict[str, str]:
        """What each id is here: commit, tree, blob or tag; "" where it is not."""
        wanted = list(dict.fromkeys(ids))
        stdin = "".join(f"{oid}\n" for oid in wanted).encode()
        done = self._git("cat-file", "--batch-check=%(objecttype)", stdin=stdin)
        said = done.decode().splitlines()
        if len(said) != len(wanted):
            raise Broken("its objects cannot be read")
        return {oid: "" if words.endswith("missing") else words for oid, words in zip(wanted, said, strict=True)}

    def keep(self, ref: str, commit: str) -> None:
        """Let a ref of ours name a commit."""
        self._git("update-ref", ref, commit)

    def ref(self, name: str) -> str:
        """Where a ref of ours stands, "" where there is none."""
        return self._git("for-each-ref", "--format=%(objectname)", name).decode().strip()

    @contextmanager
    def objects(self) -> Iterator[Objects]:
        with Objects(self.directory, self.environ) as objects:
            yield objects

    def _git(self, *args: str, stdin: bytes = b"") -> bytes:
        where = {"GIT_DIR": str(self.directory)}
        done = git(NOWHERE, *QUIET, *args, stdin=stdin, check=False, environ=self.environ, extra=where)
        if done.returncode:
            raise Broken(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout

    @property
    def _pack(self) -> Path:
        return self.directory / "objects" / "pack"

    def _mark(self, *words: str) -> None:
        (self.directory / _MARK).write_text(" ".join(words) + "\n", encoding="ascii")

    def _marks(self) -> list[str]:
        try:
            return (self.directory / _MARK).read_text(encoding="ascii", errors="replace").split()
        except OSError:
            return []

    def _is_locked(self) -> bool:
        """A git that was killed left a lock: what else it left undone nobody knows."""
        refs = (self.directory / "refs").rglob("*.lock")
        return any((self.directory / name).exists() for name in _LOCKS) or any(True for _ in refs)


@contextmanager
def room_for(directory: Path) -> Iterator[None]:
    """Say in a sentence that the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise Capacity(
            f"no room on the disk for {directory}; nothing was changed", "make some room, and run the sync again"
        ) from error
