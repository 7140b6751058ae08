"""Whether a bundle can be where the configuration wants it. Decided before any request."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from git_okf.errors import GitRefused
from git_okf.gitprogram import git
from git_okf.store import trees
from git_okf.store.repo import Repo

_FILE = "a file"


def check(repo: Repo, prefix: str, tree: str | None, *, checked_out: bool = True) -> None:
    """GitRefused where files below `prefix` could not be written as a commit on top of `tree` holds them.

    That is: where a part of the path is a symbolic link, a file or a submodule (in the tree, or in the work tree if
    the branch is checked out), or where .gitattributes name a `filter` for concepts (git-lfs, git-crypt): the commit
    would hold what the filter never saw.
    """
    parts = trees.check_path(prefix)
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        entry = repo.entry(tree, path)
        there = _committed(entry[0]) if entry else ""
        if checked_out:
            there = _on_disk(repo.root / path, last=depth == len(parts)) or (there if there != _FILE else "")
        if there:
            raise GitRefused(
                f"{path} is {there}; git-okf writes only into directories of this repository",
                "give the source another `bundle`, or move it away; nothing was requested or written",
            )
    _check_filter(repo, prefix, tree, checked_out)


def _committed(mode: int) -> str:
    if mode in (trees.FILE, trees.EXECUTABLE):
        return _FILE
    return {trees.LINK: "a symbolic link", trees.SUBMODULE: "a repository of its own"}.get(mode, "")


def _on_disk(path: Path, *, last: bool) -> str:
    if path.is_symlink():
        return "a symbolic link"
    if (path / ".git").exists():
        return "a repository of its own"
    return _FILE if not last and path.exists() and not path.is_dir() else ""


def _check_filter(repo: Repo, prefix: str, tree: str | None, checked_out: bool) -> None:
    names = (prefix, f"{prefix}/index.md", f"{prefix}/log.md", f"{prefix}/pages/index.md", f"{prefix}/pages/concept.md")
    asked = b"".join(os.fsencode(name) + b"\0" for name in names)
    told = _attributes(repo, asked) if checked_out else _committed_attributes(repo, prefix, tree, asked)
    words = told.decode("utf-8", "replace").split("\0")
    for path, value in zip(words[0::3], words[2::3], strict=False):
        if value not in ("unspecified", "unset", "set"):
            raise GitRefused(
                f".gitattributes send {path} through the filter {value!r}; git-okf would commit what the filter never"
                " saw",
                f"add the line `{prefix}/** -filter` to .gitattributes and commit it; nothing was requested or written",
            )


def _attributes(repo: Repo, asked: bytes) -> bytes:
    return git(repo.root, "check-attr", "-z", "--stdin", "filter", stdin=asked).stdout


def _committed_attributes(repo: Repo, prefix: str, tree: str | None, asked: bytes) -> bytes:
    """What the .gitattributes of a tree say: git reads them from an index that holds nothing else."""
    with TemporaryDirectory(prefix="git-okf-") as folder:
        extra = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        lines = b"".join(_attribute_files(repo, f"{prefix}/pages", tree))
        git(repo.root, "update-index", "-z", "--index-info", stdin=lines, extra=extra)
        return git(repo.root, "check-attr", "--cached", "-z", "--stdin", "filter", stdin=asked, extra=extra).stdout


def _attribute_files(repo: Repo, prefix: str, tree: str | None) -> Iterator[bytes]:
    """Index lines of every .gitattributes from the root down to a directory."""
    parts = prefix.split("/")
    for depth in range(len(parts) + 1):
        path = "/".join((*parts[:depth], ".gitattributes"))
        entry = repo.entry(tree, path)
        if entry and entry[0] in (trees.FILE, trees.EXECUTABLE):
            yield f"{entry[0]:o} {entry[1]}\t{path}".encode() + b"\0"
