"""What the repository says and is told: frozen values, and the two errors a caller may want to tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from git_okf.errors import GitRefused
from git_okf.store import trees


class Missing(GitRefused):
    """An object is not in this clone (shallow, partial, or damaged)."""

    code = "missing-object"

    def __init__(self, oid: str) -> None:
        super().__init__(
            f"object {oid} is not in this clone",
            "fetch the full history (`git fetch --unshallow`, or `git fetch --refetch` in a partial clone)",
        )
        self.oid = oid


class RefMoved(GitRefused):
    """A ref is not where the run left it: somebody else wrote meanwhile. Nothing was moved."""

    code = "ref-moved"

    def __init__(self, name: str, expected: str | None, actual: str | None) -> None:
        super().__init__(
            f"{name} moved while the run was under way (expected {expected or 'no such ref'},"
            f" found {actual or 'no such ref'}); nothing was written to it",
            "run the sync again",
        )
        self.name, self.expected, self.actual = name, expected, actual


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD points: a branch (`refs/heads/x`, perhaps without a commit yet), or `HEAD` itself when detached."""

    ref: str
    commit: str | None
    detached: bool


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """Move `name` from `old` (None: it must not exist) to `new`; `reason` goes into the reflog."""

    name: str
    old: str | None
    new: str
    reason: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A path whose entry differs between two trees; ids are None where it is not there. `mode` is the newer one."""

    path: str
    old: str | None
    new: str | None
    mode: int = trees.FILE


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as the log shows it."""

    id: str
    tree: str
    parents: tuple[str, ...]
    message: str
    time: datetime
