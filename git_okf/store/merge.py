"""Three versions of a file made one, by the git program."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from git_okf.gitprogram import failure, git
from git_okf.store.repo import Repo


def merge_files(repo: Repo, ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """What `ours` and `theirs` both changed of `base`; None where they changed the same lines. No object is written."""
    if any(b"\0" in data for data in (ours, base, theirs)):
        return None  # no text: there are no lines to merge
    with TemporaryDirectory(prefix="git-okf-") as folder:
        files = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for file, data in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(data)
        done = git(repo.root, "merge-file", "-p", "--quiet", *map(str, files), check=False)
    if done.returncode == 0:
        return done.stdout
    if 0 < done.returncode < 128:
        return None  # the number of conflicts
    raise failure(("merge-file",), done)
