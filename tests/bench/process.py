"""Runs a program and says what it cost; and what a git repository holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .figures import Cost

WATCH = Path(__file__).with_name("watch.py")
TIMEOUT = 7200.0
"""Seconds for one run at most."""


class RunFailed(Exception):
    """A program did not end well; the text has the end of what it said."""


@dataclass(frozen=True, slots=True)
class Store:
    """What `git count-objects -v` says, and the bytes of its files: git counts whole blocks of the disk."""

    objects: int
    kb: float
    loose: int


def environment(home: Path) -> dict[str, str]:
    """What a measured program finds: an identity, an empty home, no proxies, the same language everywhere."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Benchmark" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "benchmark@example.org" for who in ("AUTHOR", "COMMITTER")},
    }


def measure(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *,
    log: Path,
    cores: int,
    beside: Sequence[int] = (),
    done: Sequence[int] = (0,),
) -> Cost:
    """Run a command on so many cores; the CPU of the processes `beside` is not somebody else's.

    What it prints goes to `log`. Raises RunFailed for an exit code that is not one of `done`.
    """
    watch = [sys.executable, str(WATCH), str(log), str(cores), ",".join(map(str, beside)), *command]
    ran = subprocess.run(watch, cwd=cwd, env=env, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if ran.returncode:
        raise RunFailed(f"{command[0]}: {ran.stderr[-2000:]}")
    said = json.loads(ran.stdout)
    if said.pop("code") not in done:
        raise RunFailed(" ".join(log.read_text("utf-8", "replace").split())[-200:] or "it said nothing")
    return Cost(**said)


def git(repo: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(repo), *words], check=True, capture_output=True, text=True).stdout


def stored(repo: Path) -> Store:
    """The objects of a repository; nothing where there is none."""
    if not (repo / ".git").is_dir():
        return Store(0, 0.0, 0)
    files = sum(path.stat().st_size for path in (repo / ".git" / "objects").rglob("*") if path.is_file())
    return counted(git(repo, "count-objects", "-v"), files)


def counted(text: str, files: int) -> Store:
    """Reads `git count-objects -v`; `files` are the bytes of all files of the store."""
    said = {name: int(value) for name, _, value in (line.partition(": ") for line in text.splitlines()) if value}
    return Store(said["count"] + said["in-pack"], files / 1000, said["count"])
