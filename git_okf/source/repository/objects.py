"""Objects of a mirror as bytes, each checked against its own id: what is not whole is never handed on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType

from git_okf.gitprogram import Process, cat_file

BATCH = 60
"""Ids asked for at once: they must fit into a pipe, which holds 4 kB everywhere, before the first answer is read."""
CHUNK = 1 << 20
NOWHERE = Path(os.sep)
"""Where git runs: it is told its repository, and finds none by itself."""


class Broken(Exception):
    """What lies in the mirror cannot be read, or is not what its id says: the mirror is good for nothing."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An object: its kind (commit, tree, blob, tag; "" where it is not here), size, and bytes.

    `data` is None where it is not here, or larger than was asked for.
    """

    id: str
    kind: str
    size: int
    data: bytes | None


class Objects:
    """Reads objects one after the other through one `git cat-file --batch`. What is missing stays missing: the mirror
    names no remote, so git cannot fetch it behind our back."""

    def __init__(self, mirror: Path, environ: Mapping[str, str]) -> None:
        self._process: Process = cat_file(NOWHERE, environ=environ, extra={"GIT_DIR": str(mirror)})

    def __enter__(self) -> Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._process.kill()
        self._process.communicate()

    def read(self, ids: Iterable[str], *, limit: int | None = None) -> Iterator[Stored]:
        """Each object of `ids`, in their order. One larger than `limit` bytes comes without its data, and is never in
        memory. Broken where one is not what it should be. Read it to the end before the next call."""
        waiting = iter(ids)
        while batch := list(islice(waiting, BATCH)):
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(b"".join(oid.encode() + b"\n" for oid in batch))
                self._process.stdin.flush()
            except BrokenPipeError as error:
                raise Broken("git cat-file ended") from error
            for oid in batch:
                yield self._one(oid, limit)

    def _one(self, oid: str, limit: int | None) -> Stored:
        assert self._process.stdout is not None
        words = self._process.stdout.readline().split()
        if words[1:] == [b"missing"]:
            return Stored(oid, "", 0, None)
        if len(words) != 3 or words[0] != oid.encode():
            raise Broken(f"{oid} cannot be read")
        kind, size = words[1].decode(), int(words[2])
        made = hashlib.new("sha1" if len(oid) == 40 else "sha256", b"%s %d\0" % (words[1], size))
        kept = bytearray()
        left = size
        while left:
            chunk = self._process.stdout.read(min(left, CHUNK))
            if not chunk:
                raise Broken(f"{oid} ends too early")
            left -= len(chunk)
            made.update(chunk)
            if limit is None or size <= limit:
                kept += chunk
        self._process.stdout.read(1)
        if made.hexdigest() != oid:
            raise Broken(f"{oid} is not what its id says")
        return Stored(oid, kind, size, bytes(kept) if limit is None or size <= limit else None)
