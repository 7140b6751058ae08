"""The configuration a command sees: that of the work tree, or of a branch as it is committed.

Light to import: the commands that only look begin here.
"""

from __future__ import annotations

from git_okf import config
from git_okf.config import FILE_NAME, Config
from git_okf.errors import ConfigError
from git_okf.store import target, trees
from git_okf.store.repo import Repo
from git_okf.store.target import Target


def read_config(repo: Repo, onto: Target | None = None) -> Config:
    """The configuration in the work tree, or on a target what is committed there. ConfigError says how to write a first
    one."""
    if onto is not None:
        return _config_on(repo, onto)
    text = config_text(repo)
    if text is None:
        raise ConfigError(f"there is no {FILE_NAME} in {repo.root}", "git okf build URL   writes one and syncs it")
    return config.parse(text)


def _config_on(repo: Repo, onto: Target) -> Config:
    head = target.standing(repo, onto)
    target.check_exists(onto, head)
    entry = repo.entry(repo.commit_tree(head.commit or ""), FILE_NAME)
    if entry is None or entry[0] not in (trees.FILE, trees.EXECUTABLE):
        raise ConfigError(
            f"there is no file {FILE_NAME} on {onto.name}",
            "commit one there: git okf build URL   in a work tree of that branch writes, syncs and commits it",
        )
    try:
        return config.parse(repo.read(entry[1]).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{FILE_NAME} on {onto.name} is not UTF-8", "save it as UTF-8 and commit it") from error


def looked_at(repo: Repo, branch: str | None) -> tuple[Repo, Config]:
    """What a command that only looks is to see: the branch HEAD is on, or with `--branch` another, as committed."""
    found = None if branch is None else target.named(repo, branch)
    settings = read_config(repo, found)
    return from_branch(repo, branch), settings


def from_branch(repo: Repo, branch: str | None) -> Repo:
    """The repository as seen from a branch. GitRefused where there is none of that name."""
    found = None if branch is None else target.named(repo, branch)
    if found is None:
        return repo
    target.check_exists(found, target.standing(repo, found))
    return repo.seen_from(found.ref)


def config_text(repo: Repo) -> str | None:
    """The text of the work tree's configuration; None where there is none. ConfigError where it cannot be read."""
    path = repo.root / FILE_NAME
    if path.is_symlink():
        raise ConfigError(f"{FILE_NAME} is a symbolic link", f"put the file itself into {repo.root}")
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{FILE_NAME} cannot be read: {error}", "correct it; nothing was changed") from error
