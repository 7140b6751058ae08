"""A branch that is written onto without being checked out: no work tree and no index belongs to it.

Where a run has no such target it writes onto the branch that HEAD is on, and files and index follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from git_okf.errors import GitRefused
from git_okf.store import state as states
from git_okf.store.repo import Repo
from git_okf.store.values import Head

BRANCHES = "refs/heads/"
_UNDER_WAY = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
"""Files of a git directory that name a branch which HEAD has left for a while and will come back to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The branch a run writes onto, whichever is checked out.

    With `ref` alone the run builds on the branch's tip, like on that of HEAD. With `base` it builds on that commit,
    whatever the branch holds: in the end the branch is `base` with what the run made on it, and what it was before is
    left out. That may only be `replaces` (None: it must not exist), here and on the remote of a `--push`: every move is
    a compare-and-swap, and a branch that stands elsewhere was moved by somebody, which refuses the run. A branch that
    does not exist is made. Where a run finds nothing that differs from `base`, the branch stays as it is.
    """

    ref: str
    """The full name: `refs/heads/...`."""
    base: str | None = None
    replaces: str | None = None
    remote: str = ""
    """Where a `--push` goes; "": as git has it configured for the branch."""

    @property
    def name(self) -> str:
        return self.ref.removeprefix(BRANCHES)


def named(repo: Repo, name: str) -> Target | None:
    """What `--branch NAME` means; None where that is the branch HEAD is on, with its work tree."""
    ref = repo.branch(BRANCHES + name.removeprefix(BRANCHES)).ref
    return None if not repo.is_bare and repo.head().ref == ref else Target(ref=ref)


def standing(repo: Repo, onto: Target | None) -> Head:
    """What a run builds on: the tip of HEAD's branch or of the target, or the commit that the target names."""
    if onto is None:
        return repo.head()
    here = repo.branch(onto.ref)
    return here if onto.base is None else replace(here, commit=onto.base)


def tip(repo: Repo, onto: Target | None) -> str | None:
    """Where the branch is here now."""
    return (repo.head() if onto is None else repo.branch(onto.ref)).commit


def check(repo: Repo, onto: Target) -> None:
    """GitRefused where the target is checked out somewhere, is none of the user's branches, or is no branch at all."""
    if not onto.ref.startswith(BRANCHES) or onto.ref == states.REF:
        raise GitRefused(
            f"{onto.ref} is no branch for content. Nothing was requested or changed",
            "name the branch that is to have the bundle",
        )
    check_free(repo, onto)


def check_exists(onto: Target, head: Head) -> None:
    """GitRefused where there is no commit to build on."""
    if head.commit is None:
        raise GitRefused(
            f"there is no branch {onto.name}. Nothing was requested or changed",
            f"git branch {onto.name} COMMIT   makes it; `git branch --all` lists those there are",
        )


def check_here(repo: Repo, onto: Target) -> None:
    """GitRefused where a branch that is to be replaced is not the one that may be."""
    here = tip(repo, onto)
    if onto.base is not None and here not in (None, onto.replaces):
        raise moved(onto, f"{onto.name} is at {here}")


def moved(onto: Target, where: str) -> GitRefused:
    """The refusal for a branch that would have been replaced and is not what it was."""
    return GitRefused(
        f"{where}, not at {onto.replaces or 'no commit'}: somebody moved it, and it is not replaced. Nothing was"
        " committed",
        f"git log {onto.name}   shows what was added; run again to start from it",
    )


def check_free(repo: Repo, onto: Target) -> None:
    """GitRefused where a work tree has the branch checked out, or will come back to it: its files would not follow."""
    ref = repo.branch(onto.ref).ref
    for git_dir, place in _work_trees(repo):
        if ref in _held(git_dir):
            raise GitRefused(
                f"{onto.name} is checked out in {place}, whose files would not follow. Nothing was changed",
                f"git -C {place} okf sync   syncs it there; `git -C {place} switch --detach` lets the branch go, and"
                " `git worktree prune` forgets a work tree that no longer exists",
            )


def _work_trees(repo: Repo) -> Iterator[tuple[Path, Path]]:
    """The git directory of each work tree, and where its files are."""
    main = repo.common_dir
    if not repo.is_bare and not repo.flag("core.bare"):
        yield main, repo.root if repo.git_dir == main else main.parent
    for git_dir in sorted((main / "worktrees").glob("*")):
        yield git_dir, Path(_line(git_dir / "gitdir") or git_dir).parent


def _held(git_dir: Path) -> Iterator[str]:
    """The branches a work tree is on, by their full names."""
    yield _line(git_dir / "HEAD").removeprefix("ref:").strip()
    for name in _UNDER_WAY:
        branch = _line(git_dir / name)
        yield branch if branch.startswith("refs/") else BRANCHES + branch


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
