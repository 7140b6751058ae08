"""The checkpoint of an unfinished run on a remote, so that the next machine resumes it: `refs/okf/checkpoint/<source>`.

The ref points to a tree of the three files that lie in scratch (see `checkpoint`). Whether they are for the run that
finds them is decided where any checkpoint is opened: configuration, base and extractor must be the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from git_okf.gitprogram import git
from git_okf.store import aside
from git_okf.store.checkpoint import FILES
from git_okf.store.push import Move
from git_okf.store.repo import Repo
from git_okf.store.scratch import read_file, replace_file

PREFIX = "refs/okf/checkpoint/"
LIMIT = 90_000_000
"""Bytes of one file. Forges refuse larger ones, and whatever is fetched is held in memory once."""


def saving(repo: Repo, source: str, expected: str | None, extra: Mapping[str, str]) -> Move | None:
    """The move that puts the checkpoint of this machine in the place of the one `expected` on a remote.

    None where there is none to put, or a file of it is too large. `extra`: git's environment, for objects aside.
    """
    folder = repo.scratch / "checkpoint" / source
    if not all((folder / name).exists() and (folder / name).stat().st_size <= LIMIT for name in FILES):
        return None
    lines = []
    for name in FILES:
        oid = aside.write_blob(repo, read_file(folder / name) or b"", extra)
        lines.append(f"100644 blob {oid}\t{name}\n")
    tree = git(repo.root, "mktree", stdin="".join(lines).encode(), extra=extra).stdout.decode().strip()
    return Move(PREFIX + source, tree, expected, follows=False)


def restore(repo: Repo, remote: str, source: str, tree: str) -> None:
    """Take the remote's checkpoint where this machine has none. Whole or not at all: the header comes last."""
    folder: Path = repo.scratch / "checkpoint" / source
    if (folder / "header.json").exists():
        return
    with aside.aside(repo) as extra:
        aside.fetch(repo, remote, [PREFIX + source], extra)
        files = {name: aside.read_blob(repo, f"{tree}:{name}", extra) for name in FILES}
    for name, data in files.items():
        if data is not None and None not in files.values():
            replace_file(folder / name, data)
