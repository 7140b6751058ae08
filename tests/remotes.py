"""A bare remote and clones of it, and the clock of several machines."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import GitRepo


def bare_remote(repo: GitRepo, path: Path) -> GitRepo:
    """A bare `origin` of a repository, with its branch; a first commit is made where there is none."""
    repo.git("init", "--quiet", "--bare", str(path))
    repo.git("remote", "add", "origin", str(path))
    if not repo.git("rev-parse", "--verify", "--quiet", "HEAD", check=False):
        repo.commit("one", {"a.md": "a\n"})
    repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    return GitRepo(path)


def clone_of(bare: GitRepo, path: Path, *options: str) -> GitRepo:
    """A clone by URL, so that depth and filters count."""
    subprocess.run(["git", "clone", "--quiet", *options, f"file://{bare.path}", str(path)], check=True)
    return GitRepo(path)


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)
