"""Can this repository be worked on? Decided from plain files, before any request.

Each function returns nothing when all is well and raises GitRefused with the cause and the remedy when it is not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from git_okf.errors import GitRefused

SUPPORTED_EXTENSIONS = frozenset(
    {"noop", "objectformat", "preciousobjects", "partialclone", "relativeworktrees", "worktreeconfig", "refstorage"}
)

# What git leaves in the git directory while an operation is under way, and how a person ends it.
_OPERATIONS = (
    ("rebase-merge", "a rebase", "git rebase --continue` or `git rebase --abort"),
    ("rebase-apply", "a rebase or `git am`", "git rebase --abort` or `git am --abort"),
    ("MERGE_HEAD", "a merge", "git merge --continue` or `git merge --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue` or `git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue` or `git revert --abort"),
    ("sequencer", "a cherry-pick or revert of several commits", "git cherry-pick --abort` or `git revert --abort"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
)


def check_format(config: Mapping[str, str], where: Path) -> None:
    """`config` holds `core.repositoryformatversion` and `extensions.*` in lower case."""
    objects = config.get("extensions.objectformat", "sha1").lower()
    if objects != "sha1":
        raise GitRefused(
            f"the repository at {where} stores objects by {objects.upper()}; git-okf works with SHA-1 repositories",
            "use a repository made with `git init --object-format=sha1`; nothing was requested or written",
        )
    refs = config.get("extensions.refstorage", "files").lower()
    if refs != "files":
        raise GitRefused(
            f"the repository at {where} stores its refs as {refs}; git-okf works with the files format",
            "run `git refs migrate --ref-format=files` (git 2.46 or newer); nothing was requested or written",
        )
    version = config.get("core.repositoryformatversion", "0")
    if version not in ("0", "1"):
        raise GitRefused(
            f"the repository at {where} has format version {version}; git-okf knows versions 0 and 1",
            "use a newer git-okf, or another clone; nothing was requested or written",
        )
    if version == "1":
        _check_extensions(config, where)


def _check_extensions(config: Mapping[str, str], where: Path) -> None:
    names = (key.partition(".")[2] for key in config if key.startswith("extensions."))
    unknown = sorted(name for name in names if name not in SUPPORTED_EXTENSIONS)
    if unknown:
        raise GitRefused(
            f"the repository at {where} uses the git extension {', '.join(unknown)}, which git-okf does not support",
            "use a clone without it (`git config --get-regexp '^extensions'` lists them)",
        )


def check_operation(git_dir: Path) -> None:
    """No merge, rebase, cherry-pick, revert or bisect may be under way: a commit of ours would become part of it."""
    for name, what, remedy in _OPERATIONS:
        if (git_dir / name).exists():
            raise GitRefused(
                f"{what} is in progress in this work tree; a sync now would get mixed up with it",
                f"finish it first: `{remedy}`; nothing was requested or written",
            )


def check_environment(start: Path, git_dir: Path, root: Path, environ: Mapping[str, str]) -> None:
    """GIT_DIR and GIT_WORK_TREE (`git --git-dir=... okf`) must not mean another repository than the one found."""
    for name, found in (("GIT_DIR", git_dir), ("GIT_WORK_TREE", root)):
        meant = environ.get(name)
        if meant and os.path.realpath(start / meant) != os.path.realpath(found):
            raise GitRefused(
                f"{name} is set to {meant}, which is not the repository here ({found})",
                f"unset {name}, or go there: `git -C PATH okf ...`; nothing was requested or written",
            )


def no_repository(start: Path) -> GitRefused:
    return GitRefused(f"{start} is not inside a git repository", "run `git init` there, or go into a clone")


def bare(git_dir: Path) -> GitRefused:
    return GitRefused(
        f"{git_dir} is a bare repository; without a work tree the branch has to be named",
        "git okf sync --branch BRANCH   syncs onto a branch here; for what needs files make a work tree with"
        f" `git -C {git_dir} worktree add PATH BRANCH`, or use a clone",
    )


def foreign_owner(path: Path) -> GitRefused:
    return GitRefused(
        f"the repository at {path} belongs to another user, so git refuses to trust it",
        f"if it is yours to use, run: git config --global --add safe.directory {path}",
    )
