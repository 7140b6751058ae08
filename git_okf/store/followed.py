"""Where branches that follow a remote were last known to stand as they do there: in scratch, one file a branch.

What a branch had then, nobody made here alone: it may be left behind when the remote has gone elsewhere, also where
this clone never saw by which way.
"""

from __future__ import annotations

from pathlib import Path

from git_okf.store.repo import Repo
from git_okf.store.scratch import read_file, replace_file


def note(repo: Repo, ref: str) -> None:
    """The branch is here as it is on the remote."""
    here = repo.ref(ref)
    if here is not None and here != noted(repo, ref):
        replace_file(_file(repo, ref), f"{here}\n".encode())


def noted(repo: Repo, ref: str) -> str:
    """Where it was when that was noted last; "" where it never was, or scratch was lost."""
    return (read_file(_file(repo, ref)) or b"").decode("ascii", "replace").strip()


def _file(repo: Repo, ref: str) -> Path:
    return repo.scratch / "followed" / ref.removeprefix("refs/heads/")
