"""The checkpoint of an unfinished run on a remote, so that the next machine resumes it: `refs/okf/checkpoint/<source>`.

The ref points to a tree of the files that lie in scratch (see `checkpoint`). Forges refuse blobs over 100 MB, so a
large file stands there in parts: `bodies.0000`, `bodies.0001`, and so on. Whether they are for the run that finds them
is decided where any checkpoint is opened: configuration, base and extractor must be the same.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from git_okf.errors import GitRefused
from git_okf.gitprogram import git
from git_okf.store import aside
from git_okf.store.checkpoint import FILES
from git_okf.store.push import Move
from git_okf.store.repo import Repo
from git_okf.store.scratch import replace_file, unwritable

PREFIX = "refs/okf/checkpoint/"
PART = 32_000_000
"""Bytes of one blob: so much is held in memory at once, here and where it is fetched."""
LIMIT = 1_000_000_000
"""Bytes of all files. A larger checkpoint stays on its machine, and none is taken from a remote."""

HEADER = FILES[-1]
_PART_OF = re.compile(rf"({'|'.join(map(re.escape, FILES[:-1]))})(?:\.(\d{{4}}))?")


def saving(
    repo: Repo, source: str, expected: str | None, extra: Mapping[str, str], until: float = math.inf
) -> Move | None:
    """The move that puts the checkpoint of this machine in the place of the one `expected` on a remote; None where
    there is none to put. `extra`: git's environment, for objects aside. GitRefused where it is larger than LIMIT, or
    cannot be made into objects until then (monotonic seconds)."""
    files = [repo.scratch / "checkpoint" / source / name for name in FILES]
    if not all(file.exists() for file in files):
        return None
    size = sum(file.stat().st_size for file in files)
    if size > LIMIT:
        raise GitRefused(
            f"the checkpoint has {size} bytes, and at most {LIMIT} are left on a remote",
            "the next run on this machine resumes it",
        )
    lines = []
    for file in files:
        blobs = []
        for part in _parts(file):
            if time.monotonic() > until:
                raise GitRefused(
                    f"the checkpoint has {size} bytes, too many to be left on a remote in time",
                    "the next run on this machine resumes it",
                )
            blobs.append(aside.write_blob(repo, part, extra))
        names = [file.name] if len(blobs) == 1 else [f"{file.name}.{number:04}" for number in range(len(blobs))]
        lines += [f"100644 blob {oid}\t{name}\n" for name, oid in zip(names, blobs, strict=True)]
    tree = git(repo.root, "mktree", stdin="".join(lines).encode(), extra=extra).stdout.decode().strip()
    return Move(PREFIX + source, tree, expected, follows=False)


def _parts(file: Path) -> Iterator[bytes]:
    """A file in parts; an empty one is one empty part."""
    with file.open("rb") as stream:
        yield stream.read(PART)
        yield from iter(lambda: stream.read(PART), b"")


def restore(repo: Repo, remote: str, source: str, tree: str) -> None:
    """Take the remote's checkpoint where this machine has none. Whole or not at all: the header comes last."""
    folder = repo.scratch / "checkpoint" / source
    if (folder / HEADER).exists():
        return
    with aside.aside(repo) as extra:
        aside.fetch(repo, remote, [PREFIX + source], extra)
        parts = _listed(repo, tree, extra)
        header = aside.read_blob(repo, f"{tree}:{HEADER}", extra)
        if header is not None and all(_joined(repo, folder / name, parts[name], extra) for name in FILES[:-1]):
            replace_file(folder / HEADER, header)


def _listed(repo: Repo, tree: str, extra: Mapping[str, str]) -> dict[str, list[str]]:
    """The blobs of each file, in order; none where they are more than LIMIT together."""
    parts: dict[str, dict[int, str]] = {name: {} for name in FILES[:-1]}
    size = 0
    for line in git(repo.root, "ls-tree", "-l", tree, extra=extra, check=False).stdout.decode().splitlines():
        facts, _, name = line.partition("\t")
        match, words = _PART_OF.fullmatch(name), facts.split()
        if match and words[0] == "100644":
            parts[match[1]][int(match[2] or 0)] = words[2]
            size += int(words[3])
    if size > LIMIT:
        return {name: [] for name in parts}
    return {name: [blobs[number] for number in sorted(blobs)] for name, blobs in parts.items()}


def _joined(repo: Repo, file: Path, blobs: list[str], extra: Mapping[str, str]) -> bool:
    """Write a file of its parts; whether there were any, and all of them."""
    if not blobs:
        return False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as stream:
            for oid in blobs:
                data = aside.read_blob(repo, oid, extra)
                if data is None:
                    return False
                stream.write(data)
    except OSError as error:
        raise unwritable(file, error) from error
    return True
