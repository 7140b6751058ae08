"""The git program: whatever the object library cannot do, or git must decide itself. Nothing else starts it.

It never asks: standard input is closed, there is no terminal, prompts are off, and every call has an end. It never sees
the `GIT_*` variables of a hook or a caller that belong to another repository.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from git_okf.errors import GitRefused

if TYPE_CHECKING:
    from git_okf.store.commit import Identity
    from git_okf.store.repo import Repo

TIMEOUT_S = 600.0
SIGNING_TIMEOUT_S = 60.0

# What says how git runs, not where: these stay. All other GIT_* are dropped (`git rev-parse --local-env-vars`).
_KEPT = frozenset(
    {
        "GIT_ALLOW_PROTOCOL",
        "GIT_ASKPASS",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CAINFO",
        "GIT_SSL_NO_VERIFY",
    }
)
_KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_HTTP_", "GIT_PROXY_")


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a git of ours: nothing in it points to another repository or index, or asks."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    kept.pop("GPG_TTY", None)
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def git(
    where: Path,
    *args: str,
    stdin: bytes = b"",
    check: bool = True,
    environ: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT_S,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a directory. GitRefused with git's own words where it fails (unless `check` is off)."""
    env = {**clean_environment(os.environ if environ is None else environ), **(extra or {})}
    try:
        # A session of its own has no terminal, so ssh and gpg cannot ask on it behind our back.
        done = subprocess.run(
            ("git", *args),
            cwd=where,
            env=env,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            start_new_session=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitRefused("the git program was not found", "install git and see that it is in PATH") from error
    except subprocess.TimeoutExpired as error:
        raise GitRefused(
            f"`git {args[0]}` did not end within {timeout:g} seconds", "run it by hand to see what it waits for"
        ) from error
    if check and done.returncode:
        raise failure(args, done)
    return done


def failure(args: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> GitRefused:
    """git's refusal in git's words."""
    said = done.stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in said:
        line = next((part.strip() for part in said.splitlines() if "safe.directory" in part), "")
        return GitRefused("git does not trust the owner of this repository", f"if it is yours to use, run: {line}")
    words = next((part for part in args if not part.startswith("-")), "git")
    return GitRefused(
        f"`git {words}` failed: {said.splitlines()[-1] if said else f'exit {done.returncode}'}",
        said if "\n" in said else "run it by hand to see more",
    )


def trusts(start: Path, environ: Mapping[str, str]) -> bool:
    """Whether git itself would work in this repository, whoever owns it."""
    return git(start, "rev-parse", "--git-dir", check=False, environ=environ).returncode == 0


def signed_commit(
    repo: Repo, tree: str, parents: Sequence[str], message: str, who: tuple[Identity, Identity], when: datetime
) -> str:
    """Write a commit object signed as the user's configuration says (GPG, SSH, X.509). Never a prompt, never a hang."""
    author, committer = who
    date = f"{int(when.timestamp())} {when:%z}"
    identity = {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": committer.name,
        "GIT_COMMITTER_EMAIL": committer.email,
        "GIT_COMMITTER_DATE": date,
    }
    args = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S", tree]
    for parent in parents:
        args += ["-p", parent]
    done = git(repo.root, *args, stdin=message.encode(), check=False, extra=identity, timeout=SIGNING_TIMEOUT_S)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise GitRefused(
            f"commit.gpgsign is set, and the commit could not be signed: {said or f'exit {done.returncode}'}",
            "unlock the key for your agent and run again (nothing is fetched twice), or switch signing off here with"
            " `git config commit.gpgsign false`",
        )
    return done.stdout.decode().strip()
