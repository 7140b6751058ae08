"""Objects that never enter the user's object store: what is only to be pushed, or was fetched only to be read.

A lease or a checkpoint on a remote is an object. Made in the repository it would lie there for weeks after each run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from git_okf.gitprogram import FETCH, NETWORK_TIMEOUT_S, git
from git_okf.store.repo import Repo

_QUICKLY = {"core.compression": "1", "core.bigFileThreshold": "1m", "gc.auto": "0"}
"""What lies aside is sent once and then thrown away, and an interrupted run has seconds for it."""


@contextmanager
def aside(repo: Repo) -> Iterator[Mapping[str, str]]:
    """The environment for a git that sees all objects, and writes new ones into a directory that goes at the end."""
    objects = str(repo.common_dir / "objects").replace("\\", "\\\\").replace('"', '\\"')
    with TemporaryDirectory(prefix="git-okf-") as folder:
        yield {
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{objects}"',
            **_settings(os.environ, _QUICKLY),
        }


def _settings(environ: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Configuration for one git, behind what the environment has of it already."""
    count = environ.get("GIT_CONFIG_COUNT", "0")
    first = int(count) if count.isdigit() else 0
    settings = {"GIT_CONFIG_COUNT": str(first + len(wanted))}
    for number, (name, value) in enumerate(wanted.items(), first):
        settings |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return settings


def fetch(repo: Repo, remote: str, refs: Sequence[str], extra: Mapping[str, str]) -> None:
    """Fetch the objects of refs, and move none."""
    git(repo.root, *FETCH, "--", remote, *refs, extra=extra, timeout=NETWORK_TIMEOUT_S, watch=repo.watch)


def write_blob(repo: Repo, data: bytes, extra: Mapping[str, str]) -> str:
    return git(repo.root, "hash-object", "-w", "--stdin", stdin=data, extra=extra).stdout.decode().strip()


def read_blob(repo: Repo, name: str, extra: Mapping[str, str]) -> bytes | None:
    """The bytes of a blob; `name` is an id, or `<tree>:<path>`. None where it is not here."""
    done = git(repo.root, "cat-file", "blob", name, extra=extra, check=False)
    return None if done.returncode else done.stdout
