"""A clone set up for git-okf: what `git okf init` adds to its configuration.

Of the notes a tracking ref is fetched (`refs/notes/remotes/<remote>/okf`), as of branches: were `refs/notes/okf` itself
the target, `git fetch` would fail whenever a sync here has written notes that are not pushed yet. `git okf` merges.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from git_okf.gitprogram import git
from git_okf.store import notes, state
from git_okf.store.remote import fetch_memory, remotes
from git_okf.store.repo import Repo


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of git's configuration. `undo` is what takes exactly this value away again."""

    name: str
    value: str

    @property
    def undo(self) -> str:
        words = ("git", "config", "--local", "--fixed-value", "--unset-all", self.name, self.value)
        return shlex.join(words)


def configure(repo: Repo) -> list[Setting]:
    """Add what is missing to the repository's configuration; what was added."""
    missing = [setting for setting in _wanted(repo) if setting.value not in _values(repo, setting.name)]
    for setting in missing:
        git(repo.root, "config", "--local", "--add", setting.name, setting.value)
    return missing


def fetch(repo: Repo) -> list[str]:
    """Take state and notes from the remote where this clone has none; which were taken."""
    return sorted(fetch_memory(repo))


def _wanted(repo: Repo) -> list[Setting]:
    wanted = [Setting("notes.rewriteRef", notes.REF)]
    for remote in remotes(repo)[:1]:
        branch = state.REF.removeprefix("refs/heads/")
        specs = [f"+{notes.REF}:{notes.tracking(remote)}"]
        if f"+refs/heads/*:refs/remotes/{remote}/*" not in _values(repo, f"remote.{remote}.fetch"):
            specs.append(f"+{state.REF}:refs/remotes/{remote}/{branch}")
        wanted += [Setting(f"remote.{remote}.fetch", spec) for spec in specs]
    return wanted


def _values(repo: Repo, name: str) -> list[str]:
    listed = git(repo.root, "config", "-z", "--get-all", name, check=False).stdout.decode("utf-8", "replace")
    return listed.split("\0")[:-1]
