"""A process that kills itself at its k-th step that changes something on disk. No test: `test_crash` runs it.

Steps are counted by an audit hook (files opened for writing, renamed, removed, directories made, programs started) and
by wrapping what no audit event tells of: objects and ref transactions of the library, waits for the disk, and the git
program, which may be left running, or die together with its parent.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pygit2

from git_okf import manage
from git_okf.config import SourceConfig
from git_okf.run import Options, Target, World
from git_okf.source.memory import Item, MemorySource
from git_okf.store.repo import Repo
from git_okf.sync import sync

START = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CONFIG = "version: 1\nsources: {docs: {url: 'https://docs.example.org/', bundle: docs}}\n"
REVIEW = "refs/heads/okf/sync/docs"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
AUDITED = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link")


# --- what is run ---


def items(version: int) -> dict[str, Item]:
    """Three pages; of version 2 one is new, one gone and one changed."""
    texts = {"a": "the first page", "b": "the second page", "sub/c": "the third page"}
    if version == 2:
        texts = {"a": "the first page, changed", "b": "the second page", "new/d": "the fourth page"}
    if version == 3:
        texts = {"b": "the second page"}
    return {
        f"https://docs.example.org/{name}": Item(title=name, body=f"# {name}\n\n{text}\n")
        for name, text in texts.items()
    }


def run(folder: Path, version: int, day: int, *, push: bool = False, branch: str = "", review: bool = False) -> str:
    """One sync as the command line does it, at a fixed time; or one for a review, which replaces what is there."""
    world = World(
        environ=os.environ,
        clock=lambda: START + timedelta(days=day),
        monotonic=lambda: 0.0,
        token=lambda: f"{day:08x}",
        open_source=lambda source, environ: opened(source, version),
    )
    repo = Repo.open(folder, bare=bool(branch))
    onto = manage.on_branch(repo, branch) if branch else under_review(folder) if review else None
    if push and not review:
        manage.catch_up(repo, world, onto)
    (result,) = sync(repo, manage.read_config(repo, onto), [], Options(push=push, force=True, onto=onto), world)
    if review and result.error is not None and "somebody moved it" in result.error.message:
        return run(folder, version, day, push=push, review=True)  # by a git that ran on alone
    if result.error is not None:
        raise AssertionError(f"{result.error.message}\n{result.error.hint}")
    return result.result


def under_review(folder: Path) -> Target:
    """The review branch: upon main, in place of what the remote has."""
    told = git(folder, "ls-remote", "origin", REVIEW).split()
    return Target(ref=REVIEW, base=git(folder, "rev-parse", "main").strip(), replaces=told[0] if told else None)


def opened(source: SourceConfig, version: int) -> MemorySource:
    return MemorySource(items=items(version))


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is there before, and the run that is killed."""

    before: Callable[[Path], None]
    version: int
    push: bool = False
    branch: str = ""
    review: bool = False
    day: int = 9

    def go(self, folder: Path) -> None:
        run(folder / "repo", self.version, self.day, push=self.push, branch=self.branch, review=self.review)


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def empty(folder: Path) -> None:
    repo = folder / "repo"
    repo.mkdir()
    git(repo, "init", "--quiet")
    (repo / ".okf.yaml").write_text(CONFIG)
    git(repo, "add", ".")
    git(repo, "commit", "--quiet", "--message", "configuration")


def built(folder: Path) -> None:
    empty(folder)
    run(folder / "repo", 1, 1)


def with_remote(folder: Path) -> None:
    """Built, and a bare remote that has the configuration alone."""
    empty(folder)
    git(folder, "init", "--quiet", "--bare", "remote.git")
    git(folder / "repo", "remote", "add", "origin", "../remote.git")
    git(folder / "repo", "push", "--quiet", "origin", "main")
    run(folder / "repo", 1, 1)


def behind(folder: Path) -> None:
    """Pushed; then a commit of our own that is not, and one of somebody else on the remote."""
    with_remote(folder)
    run(folder / "repo", 1, 2, push=True)
    git(folder, "clone", "--quiet", "remote.git", "other")
    (folder / "other" / "other.txt").write_text("text\n")
    git(folder / "other", "add", ".")
    git(folder / "other", "commit", "--quiet", "--message", "other")
    git(folder / "other", "push", "--quiet")
    shutil.rmtree(folder / "other")
    run(folder / "repo", 2, 3)


def bare(folder: Path) -> None:
    """Built, in a repository without a work tree."""
    built(folder)
    git(folder, "clone", "--quiet", "--mirror", "repo", "bare")
    shutil.rmtree(folder / "repo")
    (folder / "bare").rename(folder / "repo")


def in_review(folder: Path) -> None:
    """Pushed, with an older review on the remote."""
    with_remote(folder)
    run(folder / "repo", 1, 2, push=True)
    run(folder / "repo", 3, 3, push=True, review=True)


SCENARIOS: Mapping[str, Scenario] = {
    "build": Scenario(empty, 1),
    "update": Scenario(built, 2),
    "removal": Scenario(built, 3),
    "push": Scenario(with_remote, 2, push=True),
    "follow": Scenario(behind, 3, push=True),
    "branch": Scenario(bare, 2, branch="main"),
    "review": Scenario(in_review, 2, push=True, review=True),
}


# --- where it is killed ---


def die() -> None:
    """As if the power were cut."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(slots=True)
class Killer:
    """Counts the steps below a folder, and lets something happen at the `at`-th one."""

    folder: str
    at: int
    happens: Callable[[], None] = die
    names: list[str] = field(default_factory=list)

    def step(self, name: str, last: Callable[[], None] = lambda: None) -> None:
        self.names.append(name)
        if len(self.names) == self.at:
            last()
            self.happens()

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & WRITING and self._inside(path):
                self.step(f"open {path}")
        elif event in AUDITED and any(self._inside(arg) for arg in args[:2]):
            self.step(f"{event} {args[0]}")
        elif event == "subprocess.Popen":
            self.step(f"start {args[1][:3]}")

    def _inside(self, path: object) -> bool:
        return isinstance(path, str | bytes | os.PathLike) and os.fsdecode(path).startswith(self.folder)

    def around(self, owner: object, name: str) -> None:
        """A step before and one after each call."""
        original = getattr(owner, name)

        def call(*args: Any, **named: Any) -> Any:
            self.step(f"before {name}")
            result = original(*args, **named)
            self.step(f"after {name}")
            return result

        setattr(owner, name, call)

    def install(self) -> None:
        sys.addaudithook(self.hear)
        for name in ("create_blob", "write"):
            self.around(pygit2.Repository, name)
        for name in ("lock_ref", "set_target", "commit", "__exit__"):
            self.around(pygit2.transaction.ReferenceTransaction, name)
        self.around(os, "fsync")
        original = subprocess.Popen.communicate

        def communicate(process: subprocess.Popen[bytes], *args: Any, **named: Any) -> Any:
            self.step("git runs on alone")
            self.step("git dies too", process.kill)
            self.step("git dies a little later", partial(end_later, process))
            result = original(process, *args, **named)
            self.step("git has ended")
            return result

        subprocess.Popen.communicate = communicate  # type: ignore[method-assign,assignment]


def end_later(process: subprocess.Popen[bytes]) -> None:
    time.sleep(0.002)
    process.kill()


# --- one try ---


def in_child(work: Callable[[], None]) -> int:
    """Do something in a process of its own; how that ended, as `os.waitpid` says it."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - told by the exit code, and in words on standard error
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def count(scenario: Scenario, folder: Path) -> list[str]:
    """The steps of a run that nobody kills."""
    listed = folder.parent / "steps.json"

    def work() -> None:
        killer = Killer(str(folder), at=0)
        killer.install()
        scenario.go(folder)
        listed.write_text(json.dumps(killer.names))

    if in_child(work):
        raise AssertionError("the run that nobody kills failed")
    names: list[str] = json.loads(listed.read_text())
    return names


def facts(folder: Path) -> dict[str, object]:
    """Everything that must be as if nobody had been killed."""
    found: dict[str, object] = {}
    for path in sorted(p for p in folder.iterdir() if p.name in ("repo", "remote.git")):
        found[path.name] = {
            "branches": [git(path, "rev-parse", name) for name in ("main", REVIEW) if has(path, name)],
            "state": git(path, "rev-parse", "okf/state^{tree}") if has(path, "okf/state") else "",
            "notes": notes(path),
            "broken": git(path, "fsck", "--strict", "--no-dangling", "--no-progress"),
        }
    repo = folder / "repo"
    directory = repo / ".git" if (repo / ".git").exists() else repo
    found["status"] = git(repo, "status", "--porcelain") if directory != repo else ""
    found["locks"] = [str(p) for p in directory.glob("**/*.lock") if p.parent.name != "lease"]
    scratch = (p for name in ("locks", "checkout", "checkpoint") for p in directory.glob(f"okf/{name}/*"))
    found["left"] = sorted(p.name for p in scratch if not p.name.startswith("."))
    if (folder / "remote.git").exists():
        leases = git(folder / "remote.git", "for-each-ref", "--format=%(objectname)", "refs/okf/lease").split()
        found["lease"] = [json.loads(git(folder / "remote.git", "cat-file", "blob", oid))["token"] for oid in leases]
    return found


def has(path: Path, ref: str) -> bool:
    done = subprocess.run(["git", "rev-parse", "--verify", "--quiet", ref], cwd=path, capture_output=True, check=False)
    return done.returncode == 0


def notes(path: Path) -> dict[str, object]:
    """The notes by commit; what it cost, and how often the lease was taken, differ where a run is repeated."""
    if not has(path, "refs/notes/okf"):
        return {}
    listed = (line.split() for line in git(path, "notes", "--ref=okf", "list").splitlines())
    reports = {commit: json.loads(git(path, "cat-file", "blob", blob)) for blob, commit in listed}
    for report in reports.values():
        for source in report["sources"]:
            for name in ("generation", "requests", "fetched", "extracted", "not_modified"):
                del source[name]
    return reports


def main(name: str, part: int, parts: int, folder: Path) -> None:
    """Kill the run of a scenario at every step of this part; print how many there were, and what went wrong."""
    scenario = SCENARIOS[name]
    template = folder / "template"
    template.mkdir()
    scenario.before(template)
    clean = folder / "clean"
    shutil.copytree(template, clean, symlinks=True)
    steps = count(scenario, clean)
    wanted = facts(clean)
    wrong, tried = [], 0
    for at in range(1 + part, len(steps) + 1, parts):
        tried += 1
        victim = folder / "victim"
        shutil.copytree(template, victim, symlinks=True)
        said = killed_and_repeated(scenario, victim, at)
        if said == "" and (got := facts(victim)) != wanted:
            said = f"{got} instead of {wanted}"
        if said:
            wrong.append([at, steps[at - 1], said])
        shutil.rmtree(victim)
    sys.stdout.write(json.dumps({"tried": tried, "steps": len(steps), "wrong": wrong}))


def killed_and_repeated(scenario: Scenario, folder: Path, at: int) -> str:
    def work() -> None:
        Killer(str(folder), at).install()
        scenario.go(folder)

    ended = in_child(work)
    if not os.WIFSIGNALED(ended) or os.WTERMSIG(ended) != signal.SIGKILL:
        return f"it was not killed: {ended}"
    return "the next run failed" if in_child(lambda: scenario.go(folder)) else ""


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
