"""What is about to be committed, or was committed, as a hook must see it: the blobs of the index or of a commit.

Everything is asked of the git program with the environment that was inherited. git tells a hook through
GIT_INDEX_FILE, GIT_DIR and their kin which index a commit is made of (`git commit PATH` and `commit -a` have one of
their own); libgit2 does not read them. Nothing is written, not even the index is refreshed; no file of the work tree is
read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from git_okf.errors import GitRefused
from git_okf.gitprogram import Done, Process, cat_file, git

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_FILES = (b"100644", b"100755")
_NOTHING = "0" * 40
BATCH = 64
"""Blobs asked for at once: their names must fit into a pipe, which holds 4 kB everywhere."""
_LOCAL = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
)
"""What says which repository and which index a hook was started for."""


@dataclass(frozen=True, slots=True)
class Change:
    """The blobs of one path before and after; None where there was or is no file."""

    old: str | None
    new: str | None


class Snapshot:
    """One state of the repository's files. A context: it holds a git process that hands out blobs.

    `rev` is a commit; "" is the index, which a bare repository does not have.
    """

    def __init__(self, start: Path, environ: Mapping[str, str], rev: str = "") -> None:
        self._where = start
        self._environ = dict(environ)
        self._extra = {name: environ[name] for name in _LOCAL if name in environ}
        self._blobs: Process | None = None
        bare = bool(rev) and self._git("rev-parse", "--is-bare-repository").stdout == b"true\n"
        top = self._git("rev-parse", "--absolute-git-dir" if bare else "--show-toplevel").stdout.removesuffix(b"\n")
        self.root = self._where = Path(os.fsdecode(top))
        self.rev = self._commit(rev) if rev else ""

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blobs is not None:
            self._blobs.communicate()
            self._blobs = None

    def files(self, folders: Sequence[str]) -> dict[str, str]:
        """The blob of every regular file in these directories, by path from the root; none at all without one."""
        if not folders:
            return {}
        if self.rev:
            listed = self._git("ls-tree", "-r", "-z", "--full-tree", self.rev, "--", *folders).stdout
            return dict(_tree_entry(line) for line in _records(listed) if line.startswith(_FILES))
        listed = self._git("ls-files", "-z", "-s", "--", *_literal(folders)).stdout
        found = dict(_index_entry(line) for line in _records(listed) if _is_file(line))
        for path in self._intended(found, folders):
            found.pop(path, None)
        return found

    def unmerged(self, folders: Sequence[str]) -> list[str]:
        """The paths of the index in which a merge is not finished."""
        if self.rev or not folders:
            return []
        listed = self._git("ls-files", "-z", "-u", "--", *_literal(folders)).stdout
        return sorted({os.fsdecode(line.partition(b"\t")[2]) for line in _records(listed)})

    def changes(self, paths: Sequence[str], since: str = "HEAD") -> dict[str, Change]:
        """What differs from a commit (of another line of history: from where the two parted), by path from the root.

        Before the first commit `HEAD` has no files.
        """
        if not paths:
            return {}
        old = self._before(since)
        compare = ("diff-tree", "-r", old, self.rev) if self.rev else ("diff-index", "--cached", old)
        options = ("--raw", "-z", "--no-renames", "--no-ext-diff", "--full-index", "--ita-invisible-in-index")
        words = self._git(compare[0], *options, *compare[1:], "--", *_literal(paths)).stdout.split(b"\0")
        pairs = zip(words[0::2], words[1::2], strict=False)
        return {os.fsdecode(path): _change(facts.decode()) for facts, path in pairs}

    def merging(self) -> bool:
        """Whether the commit that is being made ends a merge."""
        return not self.rev and self._git("rev-parse", "-q", "--verify", "MERGE_HEAD", check=False).returncode == 0

    def read(self, *oids: str) -> list[bytes]:
        """The bytes of blobs; not too many at once. GitRefused where this clone does not have one."""
        self._send(oids)
        return [self._found(oid) for oid in oids]

    def file(self, path: str) -> bytes | None:
        """The bytes of one file by its path from the root; None where there is none."""
        return self._one(f"{self.rev}:{path}")

    def before(self, path: str, since: str = "HEAD") -> bytes | None:
        """The same as `file`, in the commit that `changes` compares with."""
        return self._one(f"{self._before(since)}:{path}")

    # --- the git program ---

    def _git(self, *args: str, check: bool = True) -> Done:
        return git(self._where, *args, check=check, environ=self._environ, extra=self._extra)

    def _commit(self, rev: str) -> str:
        found = self._git("rev-parse", "-q", "--verify", "--end-of-options", f"{rev}^{{commit}}", check=False)
        if found.returncode:
            raise GitRefused(f"{rev!r} is no commit of this repository", "see `git log`; fetch it if it is elsewhere")
        return found.stdout.decode().strip()

    def _before(self, since: str) -> str:
        if since == "HEAD":
            found = self._git("rev-parse", "-q", "--verify", "HEAD", check=False)
            return found.stdout.decode().strip() if found.returncode == 0 else EMPTY_TREE
        commit = self._commit(since)
        base = self._git("merge-base", commit, self.rev or "HEAD", check=False)
        return base.stdout.decode().split("\n")[0] if base.returncode == 0 else commit

    def _intended(self, found: Mapping[str, str], folders: Sequence[str]) -> list[str]:
        """What `git add -N` announced and no commit will hold: it looks like an empty file."""
        if _EMPTY_BLOB not in found.values():
            return []
        words = self._git("diff-files", "--raw", "-z", "--diff-filter=A", "--", *_literal(folders)).stdout.split(b"\0")
        return [os.fsdecode(path) for path in words[1::2]]

    def _one(self, name: str) -> bytes | None:
        self._send([name])
        return self._receive()

    def _found(self, oid: str) -> bytes:
        data = self._receive()
        if data is None:
            raise GitRefused(f"object {oid} is not in this clone", "fetch it: `git fetch --refetch`")
        return data

    def _send(self, names: Iterable[str]) -> None:
        """Ask for blobs; each is to be received before the next are asked for."""
        if self._blobs is None:
            self._blobs = cat_file(self._where, environ=self._environ, extra=self._extra)
        assert self._blobs.stdin is not None
        self._blobs.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
        self._blobs.stdin.flush()

    def _receive(self) -> bytes | None:
        """The next answer; None where there is no such blob."""
        assert self._blobs is not None and self._blobs.stdout is not None
        words = self._blobs.stdout.readline().split()
        if len(words) != 3 or not words[2].isdigit():
            return None
        size = int(words[2])
        data = self._blobs.stdout.read(size + 1)
        if len(data) != size + 1:
            raise GitRefused("`git cat-file` ended too early", "run `git fsck` to see whether the repository is whole")
        return data[:-1] if words[1] == b"blob" else None


class Files(Mapping[str, bytes]):
    """Files by path, each read when it is asked for and not kept. In their order they are read in batches."""

    def __init__(self, snapshot: Snapshot, blobs: Mapping[str, str], order: Iterable[str] = ()) -> None:
        self._snapshot = snapshot
        self._blobs = blobs
        self._order = [path for path in order if path in blobs]
        self._place = {path: at for at, path in enumerate(self._order)}
        self._ahead: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._ahead:
            at = self._place.get(path)
            batch = [path] if at is None else self._order[at : at + BATCH]
            self._ahead = dict(zip(batch, self._snapshot.read(*(self._blobs[p] for p in batch)), strict=True))
        return self._ahead.pop(path)

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def _literal(paths: Iterable[str]) -> list[str]:
    return [f":(top,literal){path}" for path in paths]


def _records(listed: bytes) -> Iterator[bytes]:
    return filter(None, listed.split(b"\0"))


def _is_file(line: bytes) -> bool:
    """Whether a line of `ls-files -s` is a regular file in which no merge is unfinished."""
    return line.startswith(_FILES) and line[line.index(b"\t") - 1 : line.index(b"\t")] == b"0"


def _index_entry(line: bytes) -> tuple[str, str]:
    facts, _, path = line.partition(b"\t")
    return os.fsdecode(path), facts.split(b" ")[1].decode()


def _tree_entry(line: bytes) -> tuple[str, str]:
    facts, _, path = line.partition(b"\t")
    return os.fsdecode(path), facts.split(b" ")[2].decode()


def _change(facts: str) -> Change:
    """`:100644 100644 OLD NEW M`; what is no regular file counts as none."""
    old_mode, new_mode, old, new, _ = facts.lstrip(":").split(" ")
    return Change(
        old if old_mode.startswith("100") and old != _NOTHING else None,
        new if new_mode.startswith("100") and new != _NOTHING else None,
    )
