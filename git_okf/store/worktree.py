"""The work tree and the index after a commit of ours: exactly our paths, exactly as git would have checked them out.

The files are placed by the git program. It alone knows line ends, encodings, sparse checkouts, split and sparse
indexes, case-insensitive and mode-less file systems, and never follows a symbolic link out of the work tree.
`git read-tree -m -u OLD NEW` touches the paths that differ between the two trees and no other: unchanged files keep
bytes and modification time, and what the user staged elsewhere stays staged, also what they staged a moment ago,
because git reads the index again under its lock.

A path the user changed meanwhile is left alone and named. Should the run die between the refs and the work tree, it
owes a checkout (`pending`), which the next one completes (`finish`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from git_okf.errors import GitRefused
from git_okf.gitprogram import TIMEOUT_S, Done, failure, git
from git_okf.store import locks, pending, trees
from git_okf.store.repo import Changed, Repo

INDEX_WAIT_S = 10.0
_NOTHING = "0" * 40
_FRUGAL = ("-c", "core.packedGitWindowSize=1m", "-c", "core.packedGitLimit=16m")
"""git maps a whole pack where it may: that of a first build of 100,000 pages is 250 MB, in memory beside ours."""


def dirty(repo: Repo, prefix: str) -> list[str]:
    """The paths at or below `prefix` whose index entry or file differs from HEAD, untracked files included.

    Ignored files are not named: they are the user's, and `update` leaves alone one that stands where a concept goes.
    Reads only: not even the index is refreshed.
    """
    done = git(
        repo.root,
        *_FRUGAL,
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=none",
        "--",
        f":(literal,top){prefix}",
    )
    return sorted({os.fsdecode(line[3:]) for line in done.stdout.split(b"\0") if line})


def update(repo: Repo, old_tree: str | None, new_tree: str, prefixes: Sequence[str] = ("",)) -> list[str]:
    """Bring files and index entries of the paths that differ between two root trees from the old to the new.

    Only paths at or below one of `prefixes` may differ. Directories that lose their last file are removed. Returns the
    paths that the user changed meanwhile: their files, and what is staged of them, stay as they are. GitRefused where
    another process holds the index for too long; the commit stands, and `finish` completes it next time.
    """
    kept: list[str] = []
    if old_tree != new_tree:
        free = _is_free(repo, old_tree, new_tree, prefixes)
        if not free or not _read_tree(repo, old_tree or trees.EMPTY_TREE, new_tree):
            kept = _place(repo, repo.diff(old_tree, new_tree))
    pending.end(repo.scratch, repo.git_dir)
    return kept


def _is_free(repo: Repo, old_tree: str | None, new_tree: str, prefixes: Sequence[str]) -> bool:
    """Whether nothing stands where a new path goes. One path after another: a first build has them all."""
    free = True
    for change in repo.differences(old_tree, new_tree):
        if not any(_below(change.path, prefix) for prefix in prefixes):
            raise GitRefused(
                f"{change.path} is not a path of this source", "nothing was checked out; please report this"
            )
        free = free and not (change.old is None and os.path.lexists(repo.root / change.path))
    return free


def stage(repo: Repo, old_tree: str | None, changes: Mapping[str, trees.Content]) -> list[str]:
    """Leave changes to the tree of HEAD in index and work tree, uncommitted; otherwise as `update`."""
    return update(repo, old_tree, repo.edit(old_tree, changes))


def finish(repo: Repo, prefix: str) -> bool:
    """Complete what a killed run left undone: its refs, then its checkout. Whether it was one of files below `prefix`.

    git writes the files first and the index last. So a path is still to be done where the index has the entry it had
    before the run. Its file is completed if it is as it was, as it should be, or cut short in between; one that the
    user changed stays as it is, and stays dirty.
    """
    repo.recover()
    owed = pending.read(repo.scratch, repo.git_dir)
    if owed is None:
        return False
    waiting: list[Changed] = []
    if repo.head().commit == owed.new:
        index = _index(repo)
        old_tree = repo.commit_tree(owed.old) if owed.old else None
        changed = repo.diff(old_tree, repo.commit_tree(owed.new))
        waiting = [c for c in changed if _entry_id(index, c.path) == c.old]
    if waiting:
        _place(repo, waiting, cut_short=True)
    pending.end(repo.scratch, repo.git_dir)
    return any(_below(c.path, prefix) for c in waiting)


def _below(path: str, prefix: str) -> bool:
    return not prefix or path == prefix or path.startswith(prefix + "/")


# --- the usual case: nobody touched our paths ---


def _read_tree(repo: Repo, old: str, new: str) -> bool:
    """Let git move files and index from one tree to the other; False where one of the paths is not as in the old."""
    if _index_command(repo, "read-tree", "-m", "-u", old, new).returncode == 0:
        return True
    # Files that were only touched look changed until the index is refreshed.
    _index_command(repo, "update-index", "-q", "--refresh")
    return _index_command(repo, "read-tree", "-m", "-u", old, new).returncode == 0


def _index_command(repo: Repo, *args: str, stdin: bytes = b"") -> Done:
    """A git command that takes index.lock, repeated while another process holds it, for INDEX_WAIT_S at most."""
    deadline = time.monotonic() + INDEX_WAIT_S
    lock = repo.git_dir / "index.lock"
    while True:
        at = time.time()
        with locks.announced(repo.scratch, [lock], outlived_s=TIMEOUT_S) as announcement:
            done = git(repo.root, *_FRUGAL, *args, stdin=stdin, check=False, inherits=[announcement])
        if done.returncode < 0:
            locks.clear_of_child(lock, at)
        held = b"index.lock" in done.stderr and b"File exists" in done.stderr
        if not held or not done.returncode:
            return done
        if time.monotonic() > deadline:
            raise GitRefused(
                "another git process holds the index of this work tree (index.lock)",
                "when it has ended run the sync again: it completes the checkout. If none is running, a killed one left"
                f" the lock behind: rm {lock}",
            )
        time.sleep(0.05)


# --- the careful case: path by path ---


@dataclass(frozen=True, slots=True)
class _IndexEntry:
    oid: str
    sparse: bool
    """Left out of the work tree by a sparse checkout."""


def _index(repo: Repo) -> dict[str, _IndexEntry]:
    """The entries of the index by path; a path in conflict has an id that no object has."""
    entries: dict[str, _IndexEntry] = {}
    listed = git(repo.root, "ls-files", "-z", "-s", "-t").stdout
    for line in filter(None, listed.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        tag, _, oid, stage_number = facts.decode().split(" ")
        entries[os.fsdecode(path)] = _IndexEntry(oid if stage_number == "0" else "conflict", tag == "S")
    return entries


def _entry_id(index: Mapping[str, _IndexEntry], path: str) -> str | None:
    return index[path].oid if path in index else None


def _place(repo: Repo, changed: Sequence[Changed], *, cut_short: bool = False) -> list[str]:
    """Place each path that is still as it was; files first, the index last. Returns the paths left alone."""
    index = _index(repo)
    ids = _file_ids(repo, changed)
    write: list[Changed] = []
    remove: list[Changed] = []
    entries: list[Changed] = []
    kept: list[str] = []
    for c in changed:
        entry = index.get(c.path)
        staged = entry.oid if entry else None
        if staged not in (c.old, c.new):
            kept.append(c.path)
            continue
        entries.append(c)
        there = ids[c.path]
        if (entry and entry.sparse) or there == c.new:
            continue
        if there == c.old or (cut_short and _is_cut_short(repo, c, there)):
            (write if c.new else remove).append(c)
        else:
            kept.append(c.path)
    _check_out(repo, write)
    for c in remove:
        _remove(repo.root, c.path)
    _set_entries(repo, entries, index)
    return sorted(kept)


def _file_ids(repo: Repo, changed: Sequence[Changed]) -> dict[str, str | None]:
    """The id each file would have in the index, filters and line ends undone; None where nothing stands.

    What is no regular file, or lies beyond a symbolic link, is "other".
    """
    ids: dict[str, str | None] = {}
    regular = []
    for c in changed:
        kind = _kind(repo.root, c.path)
        ids[c.path] = None if kind == "nothing" else "other"
        if kind == "file":
            regular.append(c.path)
    listing = b"".join(os.fsencode(path) + b"\n" for path in regular)
    hashes = git(repo.root, "hash-object", "--stdin-paths", stdin=listing).stdout.decode().split()
    return {**ids, **dict(zip(regular, hashes, strict=True))}


def _kind(root: Path, path: str) -> str:
    parent = root
    for part in path.split("/")[:-1]:
        parent = parent / part
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            return "other"
    file = root / path
    if not os.path.lexists(file):
        return "nothing"
    return "file" if file.is_file() and not file.is_symlink() else "other"


def _is_cut_short(repo: Repo, c: Changed, there: str | None) -> bool:
    """git removes a file before it writes it anew: a kill leaves none, or the beginning of the new one."""
    if there is None:
        return True
    if there == "other" or c.new is None:
        return False
    return repo.read(c.new).startswith((repo.root / c.path).read_bytes().replace(b"\r\n", b"\n").rstrip(b"\r"))


def _check_out(repo: Repo, write: Sequence[Changed]) -> None:
    """Write files as git would, from an index of our own, so that the user's is changed in one step at the end."""
    if not write:
        return
    with TemporaryDirectory(prefix="git-okf-") as folder:
        extra = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git(repo.root, "update-index", "-z", "--index-info", stdin=_index_info(write), extra=extra)
        names = b"".join(os.fsencode(c.path) + b"\0" for c in write)
        done = git(repo.root, *_FRUGAL, "checkout-index", "-f", "-z", "--stdin", stdin=names, extra=extra, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise GitRefused(
            f"not all files could be written ({said.partition(chr(10))[0]}); the commit stands, and the next run writes"
            " the rest",
            "see that the disk is not full, and that you may write to the work tree",
        )


def _remove(root: Path, path: str) -> None:
    file = root / path
    file.unlink(missing_ok=True)
    for parent in file.parents:
        if parent == root:
            return
        try:
            parent.rmdir()
        except OSError:
            return  # not empty, or already gone with all above it


def _set_entries(repo: Repo, entries: Sequence[Changed], index: Mapping[str, _IndexEntry]) -> None:
    if not entries:
        return
    done = _index_command(repo, "update-index", "-z", "--index-info", stdin=_index_info(entries))
    if done.returncode:
        raise failure(("update-index",), done)
    sparse = [c.path for c in entries if c.new and c.path in index and index[c.path].sparse]
    if sparse:
        names = b"".join(os.fsencode(path) + b"\0" for path in sparse)
        _index_command(repo, "update-index", "--skip-worktree", "-z", "--stdin", stdin=names)
    _index_command(repo, "update-index", "-q", "--refresh")


def _index_info(changed: Iterable[Changed]) -> bytes:
    lines = ((f"{c.mode:o} {c.new}" if c.new else f"0 {_NOTHING}", c.path) for c in changed)
    return b"".join(f"{facts}\t".encode() + os.fsencode(path) + b"\0" for facts, path in lines)
