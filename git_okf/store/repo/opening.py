"""Opening a repository: found, of a format that is understood, and trusted. Every refusal names its way out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pygit2

from git_okf.errors import GitRefused
from git_okf.store import preflight, remote

WINDOW, MAPPED = 1 << 20, 1 << 24
"""Bytes of a pack that are mapped at a time, and of all packs together. The library's own limit is gigabytes: whoever
reads the trees of a large bundle would have its whole pack in memory."""


def discover(start: Path, environ: Mapping[str, str]) -> Path:
    try:
        found = pygit2.discover_repository(str(start), False, environ.get("GIT_CEILING_DIRECTORIES", ""))
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        raise GitRefused(f"no repository can be opened at {start}: {error}", "see what `git status` says") from error
    if found is None:
        raise preflight.no_repository(start)
    return Path(found)


def common_dir(git_dir: Path) -> Path:
    """Where objects and refs are: the git directory itself, or for a linked work tree the one it belongs to."""
    pointer = git_dir / "commondir"
    if not pointer.is_file():
        return git_dir
    return Path(os.path.normpath(git_dir / pointer.read_text(encoding="utf-8", errors="surrogateescape").strip()))


def border(common: Path) -> bytes:
    """The commits at which a shallow clone ends; empty where history is whole."""
    file = common / "shallow"
    return file.read_bytes() if file.exists() else b""


def stored_format(common: Path) -> dict[str, str]:
    try:
        config = pygit2.Config(str(common / "config"))
        wanted = ("extensions.", "core.repositoryformatversion")
        return {e.name.lower(): e.value or "true" for e in config if e.name.lower().startswith(wanted)}
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        raise GitRefused(
            f"{common / 'config'} cannot be read: {error}", "correct it; `git config --list` must work"
        ) from error


def open_handle(git_dir: Path, start: Path, environ: Mapping[str, str]) -> pygit2.Repository:
    _allow("partialclone")
    pygit2.settings.mwindow_size, pygit2.settings.mwindow_mapped_limit = WINDOW, MAPPED
    try:
        return pygit2.Repository(str(git_dir))
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        if "not owned" not in str(error):
            raise GitRefused(
                f"the repository at {git_dir} cannot be opened: {error}", "see what `git status` says"
            ) from error
        return _open_foreign(git_dir, start, environ, error)


def _open_foreign(git_dir: Path, start: Path, environ: Mapping[str, str], error: Exception) -> pygit2.Repository:
    """libgit2 distrusts the owner. It does not read `safe.directory` from the environment (GIT_CONFIG_COUNT), git
    does; so git decides, as `git status` would."""
    if not remote.trusts(start, environ):
        work_tree = git_dir.parent if git_dir.name == ".git" else git_dir
        raise preflight.foreign_owner(work_tree) from error
    pygit2.settings.owner_validation = False
    try:
        return pygit2.Repository(str(git_dir))
    finally:
        pygit2.settings.owner_validation = True


def _allow(extension: str) -> None:
    """libgit2 refuses partial clones for their extension; it can read them, and says so where an object is missing."""
    known = pygit2.settings.extensions
    if extension not in known:
        pygit2.settings.set_extensions([*known, extension])


def bad_head(git_dir: Path, reason: str) -> GitRefused:
    return GitRefused(
        f"HEAD of the repository cannot be read: {reason}",
        f"see {git_dir / 'HEAD'}; `git symbolic-ref HEAD refs/heads/BRANCH` or `git switch BRANCH` sets it right",
    )
