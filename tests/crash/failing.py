"""A run whose files cannot grow, whose git directory becomes read-only, or that is stopped for too long, in the middle.

No test: `test_trouble` runs it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from crash.killing import SCENARIOS, Killer, Scenario, count, facts, git, in_child, items

from git_okf import manage
from git_okf.model import RunResult
from git_okf.run import Options, World
from git_okf.source.memory import MemorySource
from git_okf.store.lease import Lease
from git_okf.store.repo import Repo
from git_okf.sync import sync

SECOND = "https://docs.example.org/b"


def result(folder: Path, scenario: Scenario, during: Callable[[str], None]) -> RunResult:
    """The run of a scenario; `during` is called before each page is asked for."""
    source = MemorySource(items=items(scenario.version), during=during)
    world = World(environ=os.environ, open_source=lambda config, environ: source)
    repo = Repo.open(folder / "repo")
    (made,) = sync(repo, manage.read_config(repo), [], Options(force=True, push=scenario.push), world)
    return made


def told(folder: Path, scenario: Scenario, during: Callable[[str], None], full_at: int = 0) -> dict[str, object]:
    """What came of a run in a process of its own; from the step `full_at` on no byte can be written any more."""
    file = folder.parent / "told.json"

    def fill(limit: int = 0) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    def work() -> None:
        if full_at:
            Killer(str(folder), full_at, fill).install()
        made = result(folder, scenario, during)
        fill(resource.RLIM_INFINITY)
        error = made.error
        file.write_text(json.dumps({"code": made.exit_code, "said": f"{error.message}\n{error.hint}" if error else ""}))

    file.unlink(missing_ok=True)
    ended = in_child(work)
    found: dict[str, object] = json.loads(file.read_text()) if not ended else {"code": "crashed", "said": str(ended)}
    return found


def read_only(folder: Path) -> Callable[[str], None]:
    """From the second page on nothing in the git directory can be written."""

    def during(key: str) -> None:
        if key == SECOND:
            give_up_privileges()
            for path in (folder / "repo" / ".git").rglob("*"):
                path.chmod(path.stat().st_mode & ~0o222)
            (folder / "repo" / ".git").chmod(0o555)

    return during


def give_up_privileges() -> None:
    """Root may write anywhere; without capabilities, here and in programs it starts, it is a user like any other."""
    libc = ctypes.CDLL(None, use_errno=True)
    set_securebits, noroot = 28, 1
    libc.prctl(set_securebits, noroot, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def writable_again(folder: Path) -> None:
    git_dir = folder / "repo" / ".git"
    for path in (git_dir, *git_dir.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)


def stopped_past_expiry(folder: Path) -> dict[str, object]:
    """A run is stopped while it asks; its lease expires; another takes over; then the first goes on."""
    lifetime = 0.4
    defaults = Lease.acquire.__func__.__kwdefaults__  # type: ignore[attr-defined]
    defaults["lifetime"] = timedelta(seconds=lifetime)
    file = folder.parent / "stopped.json"
    asked: list[str] = []

    def during(key: str) -> None:
        asked.append(key)
        if key == SECOND:
            os.kill(os.getpid(), signal.SIGSTOP)

    pid = os.fork()
    if pid == 0:
        made = result(folder, replace(SCENARIOS["update"], version=3), during)
        file.write_text(json.dumps([made.exit_code, made.error.message if made.error else "", asked]))
        os._exit(0)
    os.waitpid(pid, os.WUNTRACED)
    time.sleep(lifetime + 0.1)
    assert result(folder, SCENARIOS["update"], lambda key: None).exit_code == 0
    taken = facts(folder)
    os.kill(pid, signal.SIGCONT)
    os.waitpid(pid, 0)
    code, said, asked = json.loads(file.read_text())
    return {"code": code, "said": said, "asked": asked, "untouched": facts(folder) == taken}


def main(kind: str, folder: Path) -> None:
    """`stopped`, `read-only`, or the name of a scenario whose files cannot grow from a step on (every seventh)."""
    scenario = SCENARIOS.get(kind, SCENARIOS["update"])
    template = folder / "template"
    template.mkdir()
    scenario.before(template)
    if kind == "stopped":
        sys.stdout.write(json.dumps(stopped_past_expiry(template)))
        return
    clean = folder / "clean"
    shutil.copytree(template, clean, symlinks=True)
    steps = count(scenario, clean)
    wanted = facts(clean)
    tries = []
    for step in [0] if kind == "read-only" else range(1, len(steps) + 1, 7):
        victim = folder / "victim"
        shutil.copytree(template, victim, symlinks=True)
        before = git(victim / "repo", "for-each-ref")
        if kind == "read-only":
            found = told(victim, scenario, read_only(victim))
            writable_again(victim)
        else:
            found = told(victim, scenario, lambda key: None, int(step))
        found["moved"] = git(victim / "repo", "for-each-ref") != before
        found["broken"] = git(victim / "repo", "fsck", "--strict", "--no-dangling", "--no-progress")
        scenario.go(victim)
        after = facts(victim)
        found["same"] = contents(after) == contents(wanted)
        found["differs"] = "" if found["same"] else f"{after} instead of {wanted}"
        tries.append(found)
        shutil.rmtree(victim)
    sys.stdout.write(json.dumps(tries))


def contents(found: dict[str, object]) -> dict[str, object]:
    """What does not depend on the time of the run: it is the other one's where it was the first to write."""
    kept = {name: value for name, value in found.items() if name not in ("repo", "remote.git")}
    return {**kept, "broken": [found[name]["broken"] for name in found if name in ("repo", "remote.git")]}  # type: ignore[index]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
