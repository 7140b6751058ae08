"""A remote by ssh that answers, until it does not any more."""

from __future__ import annotations

import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from conftest import GitRepo


@dataclass(frozen=True, slots=True)
class HangingRemote:
    """A bare repository behind a program that stands for ssh: it runs git's words here, or waits for ever."""

    ssh: str
    """For GIT_SSH_COMMAND."""
    flag: Path

    def hang(self) -> None:
        """From now on no connection gets an answer."""
        self.flag.touch()

    def heal(self) -> None:
        self.flag.unlink()


def behind_ssh(repo: GitRepo, bare: GitRepo, folder: Path) -> HangingRemote:
    """Let a repository reach its bare `origin` by ssh. The word for it goes into GIT_SSH_COMMAND."""
    flag, script = folder / "hangs", folder / "ssh"
    script.write_text(
        f"#!/bin/sh\nif [ -e {shlex.quote(str(flag))} ]; then exec sleep 600; fi\n"
        'for word; do last=$word; done\nexec sh -c "$last"\n'
    )
    script.chmod(0o755)
    repo.git("remote", "set-url", "origin", f"ssh://host.invalid{bare.path}")
    return HangingRemote(str(script), flag)


def wait_for_git(pid: int, ssh: str) -> None:
    """Until a program below a process waits for an answer that never comes."""
    wait_for_program(pid, "sleep 600", f"nothing waits for {ssh}")


def wait_for_program(pid: int, words: str, otherwise: str = "no such program was started") -> None:
    """Until a program runs below a process whose command line has these words."""
    for _ in range(600):
        told = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
        rows = [line.split(None, 2) for line in told.splitlines()[1:]]
        children = {pid}
        for _ in rows:
            children |= {int(row[0]) for row in rows if int(row[1]) in children}
        if any(int(row[0]) in children and words in row[2] for row in rows):
            return
        time.sleep(0.02)
    raise AssertionError(otherwise)
