"""The git program: whatever the object library cannot do, or git must decide itself. Nothing else starts it.

It never asks: standard input is closed, there is no terminal, prompts are off, and every call has an end. It never sees
the `GIT_*` variables of a hook or a caller that belong to another repository.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from git_okf.errors import GitRefused

Done = subprocess.CompletedProcess[bytes]
Process = subprocess.Popen[bytes]

TIMEOUT_S = 600.0
NETWORK_TIMEOUT_S = 60.0
ENDING_S = 5.0
WATCH_S = 0.2
"""Between two looks at a git that is watched."""

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
NO_PUSH_OPTIONS = "the receiving end does not support push options"
"""What git itself says before it sends anything, in English as it runs here."""
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


class GitTimeout(GitRefused):
    """git did not end in its time."""


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
    watch: Callable[[], None] | None = None,
) -> Done:
    """Run git in a directory. GitRefused with git's own words where it fails (unless `check` is off), GitTimeout where
    it does not end.

    `inherits`: descriptors that stay open in it. `watch` is called every WATCH_S; what it raises ends git.
    """
    env = {**clean_environment(os.environ if environ is None else environ), **(extra or {})}
    with _input(stdin, watch is not None) as source:
        process = _start(where, args, env, source, inherits)
        with process:
            try:
                out, err = _talk(process, stdin, timeout, watch)
            except BaseException as error:
                _end(process, min(ENDING_S, timeout / 4))
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise GitTimeout(
                    f"`git {_command(args)}` did not end within {timeout:g} seconds",
                    "run it by hand to see what it waits for",
                ) from error
    done = subprocess.CompletedProcess(("git", *args), process.returncode, out, err)
    if check and done.returncode:
        raise failure(args, done)
    return done


def _start(
    where: Path, args: Sequence[str], env: Mapping[str, str], stdin: IO[bytes] | int, inherits: Sequence[int]
) -> Process:
    try:
        # A session of its own has no terminal, so ssh and gpg cannot ask on it behind our back, and no Ctrl-C.
        return subprocess.Popen(
            ("git", *args),
            cwd=where,
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=inherits,
        )
    except FileNotFoundError as error:
        raise GitRefused("the git program was not found", "install git and see that it is in PATH") from error


def _talk(process: Process, stdin: bytes, timeout: float, watch: Callable[[], None] | None) -> tuple[bytes, bytes]:
    """What git says until it ends. TimeoutExpired after `timeout` seconds."""
    if watch is None:
        return process.communicate(stdin, timeout)
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        try:
            return process.communicate(timeout=max(0.0, min(left, WATCH_S)))
        except subprocess.TimeoutExpired:
            if left <= WATCH_S:
                raise
        watch()


@contextmanager
def _input(data: bytes, watched: bool) -> Iterator[IO[bytes] | int]:
    """Standard input for git: a pipe, or a file where it is watched: `communicate` called again writes no more."""
    if not watched:
        yield subprocess.PIPE
        return
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def cat_file(
    where: Path, *, environ: Mapping[str, str] | None = None, extra: Mapping[str, str] | None = None
) -> Process:
    """A `git cat-file --batch` that is told names on its standard input for as long as it is wanted."""
    return subprocess.Popen(
        ("git", "cat-file", "--batch"),
        cwd=where,
        env={**clean_environment(os.environ if environ is None else environ), **(extra or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _end(process: Process, seconds: float) -> None:
    """Ask git and what it started to end: it takes its lock files with it. Only one that does not is killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()


def _command(args: Sequence[str]) -> str:
    """The name of the command: what follows the options of git itself."""
    rest = list(args)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-c", "-C") else 1]
    return rest[0] if rest else ""


def failure(args: Sequence[str], done: Done) -> GitRefused:
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
