"""The git program: whatever the object library cannot do, or git must decide itself. Nothing else starts it.

It never asks: standard input is closed, there is no terminal, prompts are off, and every call has an end. It never sees
the `GIT_*` variables of a hook or a caller that belong to another repository.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from git_okf.errors import GitRefused

if TYPE_CHECKING:
    from git_okf.store.commit import Identity
    from git_okf.store.repo import Repo

TIMEOUT_S = 600.0
NETWORK_TIMEOUT_S = 60.0
SIGNING_TIMEOUT_S = 60.0
ENDING_S = 5.0

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
FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
    "--refmap=",  # nor the user's refs/remotes on the way
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
    inherits: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a directory. GitRefused with git's own words where it fails (unless `check` is off).

    `inherits`: descriptors that stay open in it.
    """
    env = {**clean_environment(os.environ if environ is None else environ), **(extra or {})}
    try:
        # A session of its own has no terminal, so ssh and gpg cannot ask on it behind our back, and no Ctrl-C.
        process = subprocess.Popen(
            ("git", *args),
            cwd=where,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=inherits,
        )
    except FileNotFoundError as error:
        raise GitRefused("the git program was not found", "install git and see that it is in PATH") from error
    with process:
        try:
            out, err = process.communicate(stdin, timeout)
        except BaseException as error:
            _end(process)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise GitRefused(
                f"`git {_command(args)}` did not end within {timeout:g} seconds",
                "run it by hand to see what it waits for",
            ) from error
    done = subprocess.CompletedProcess(("git", *args), process.returncode, out, err)
    if check and done.returncode:
        raise failure(args, done)
    return done


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask git and what it started to end: it takes its lock files with it. Only one that does not is killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _command(args: Sequence[str]) -> str:
    """The name of the command: what follows the options of git itself."""
    rest = list(args)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-c", "-C") else 1]
    return rest[0] if rest else ""


def failure(args: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> GitRefused:
    """git's refusal in git's words."""
    said = done.stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in said:
        line = next((part.strip() for part in said.splitlines() if "safe.directory" in part), "")
        return GitRefused("git does not trust the owner of this repository", f"if it is yours to use, run: {line}")
    ended = f"exit {done.returncode}" if done.returncode >= 0 else f"it was ended by signal {-done.returncode}"
    return GitRefused(
        f"`git {_command(args)}` failed: {said.splitlines()[-1] if said else ended}",
        said if "\n" in said else "run it by hand to see more",
    )


def settings(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """git's configuration, all files and the environment taken together; the last value where there are several."""
    listed = git(root, "config", "--list", "-z", environ=environ).stdout.decode("utf-8", "surrogateescape")
    pairs = (entry.partition("\n") for entry in listed.split("\0") if entry)
    return {name: value if given else "true" for name, given, value in pairs}


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


# --- what other clones remember ---


def remotes(repo: Repo) -> list[str]:
    """The names of the remotes: first the one the current branch follows, then `origin`, then the others."""
    names = git(repo.root, "remote").stdout.decode("utf-8", "replace").split("\n")[:-1]
    branch = repo.head().ref.removeprefix("refs/heads/")
    first = [repo.config(f"branch.{branch}.remote") or "", "origin"]
    return [*dict.fromkeys(name for name in first if name in names), *(n for n in sorted(names) if n not in first)]


def remote_refs(repo: Repo, remote: str, names: Sequence[str]) -> dict[str, str]:
    """Which of some refs a remote has, with their ids. GitRefused where it cannot be asked."""
    done = git(repo.root, "ls-remote", "--refs", remote, *names, timeout=NETWORK_TIMEOUT_S)
    pairs = (line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines())
    return {name: oid for oid, name in pairs if name in names}


def fetch_refs(repo: Repo, remote: str, refspecs: Sequence[str]) -> None:
    """Fetch refs, never by force. A shallow clone stays shallow; of a partial one the tips come whole."""
    depth = ["--depth=1"] if repo.is_shallow() else []
    git(repo.root, *FETCH, *depth, "--", remote, *refspecs)
    if repo.is_partial():
        for refspec in refspecs:
            _fill(repo, remote, refspec.rpartition(":")[2])


def _fill(repo: Repo, remote: str, ref: str) -> None:
    """Fetch at once what a partial clone left out of the tree a ref points to."""
    listed = git(repo.root, "rev-list", "--objects", "--missing=print", "--max-count=1", ref).stdout.splitlines()
    missing = b"".join(line[1:] + b"\n" for line in listed if line.startswith(b"?"))
    if missing:
        # As git itself fetches what it misses: without telling the remote what it has.
        git(repo.root, "-c", "fetch.negotiationAlgorithm=noop", *FETCH, remote, "--stdin", stdin=missing)


def fetch_memory(repo: Repo) -> list[str]:
    """In a clone that lacks the state or the notes, take them from the first remote that has them.

    Returns the refs that were made. A remote that cannot be asked is passed over: what `git clone` brought of it
    (`refs/remotes/...`) is taken instead, and where there is nothing the state is rebuilt from the bundle.
    """
    from git_okf.store import notes, state

    wanted = [name for name in (state.REF, notes.REF) if repo.ref(name) is None]
    for remote in remotes(repo) if wanted else ():
        try:
            there = list(remote_refs(repo, remote, wanted))
            if there:
                fetch_refs(repo, remote, [f"{name}:{name}" for name in there])
                return there
        except GitRefused:
            if taken := _from_clone(repo, remote, state.REF):
                return taken
    return []


def _from_clone(repo: Repo, remote: str, name: str) -> list[str]:
    from git_okf.store.repo import RefUpdate

    there = repo.ref(f"refs/remotes/{remote}/{name.removeprefix('refs/heads/')}")
    if there is None or repo.ref(name) is not None:
        return []
    repo.update([RefUpdate(name, None, there, f"okf: from {remote}")])
    return [name]


def fetch_object(repo: Repo, oid: str) -> bool:
    """Whether git could get an object that a partial clone left out."""
    return git(repo.root, "cat-file", "-e", oid, check=False, timeout=NETWORK_TIMEOUT_S).returncode == 0
