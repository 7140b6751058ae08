"""Several processes that sync one source at once, round after round. No test: `test_races` runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from crash.killing import START, empty, git

from git_okf import manage
from git_okf.errors import OkfError
from git_okf.run import Options, World
from git_okf.source.memory import Item, MemorySource
from git_okf.store.repo import Repo
from git_okf.sync import sync

PAGES = 4


def site(version: int) -> MemorySource:
    """In each version another page has changed."""
    changed = {number: version - (version - number) % PAGES for number in range(PAGES)}
    return MemorySource(
        items={
            f"https://docs.example.org/{number}": Item(title=f"Page {number}", body=f"# {number}\n\nAt {at}.\n")
            for number, at in changed.items()
        }
    )


def run(folder: Path, version: int, *, push: bool) -> int:
    """One sync of the site as it is now; its exit code."""
    world = World(environ=os.environ, clock=lambda: START, open_source=lambda source, environ: site(version))
    try:
        repo = Repo.open(folder)
        if push:
            manage.catch_up(repo, world)
        (result,) = sync(repo, manage.read_config(repo), [], Options(push=push), world)
    except OkfError as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return error.exit_code
    if result.error is not None and result.exit_code != 5:
        sys.stderr.write(f"{result.error.message}\n{result.error.hint}\n")
    return result.exit_code


def commit_and_push(folder: Path, version: int) -> int:
    """What a person does meanwhile in a clone of their own."""
    (folder / f"{version}.txt").write_text("text\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", f"person {version}")
    for _ in range(100):
        if subprocess.run(["git", "push", "--quiet"], cwd=folder, capture_output=True, check=False).returncode == 0:
            return 0
        git(folder, "pull", "--quiet", "--rebase")
    return 1


def at_once(works: list[Callable[[], int]]) -> list[int]:
    """Each in a process of its own, all let go at the same moment; their exit codes."""
    start, gun = os.pipe()
    children = []
    for work in works:
        pid = os.fork()
        if pid == 0:
            os.close(gun)
            os.read(start, 1)  # returns when the parent closes its end
            os._exit(work())
        children.append(pid)
    os.close(start)
    os.close(gun)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]


def main(kind: str, racers: int, rounds: int, folder: Path) -> None:
    """Race; print the exit codes of each round and what the branch has at the end."""
    push = kind == "clones"
    empty(folder)
    repo, person = folder / "repo", folder / "person"
    folders = [repo] * racers
    if push:
        git(folder, "clone", "--quiet", "--bare", "repo", "remote.git")
        folders = [folder / f"clone{number}" for number in range(racers)]
        for clone in (*folders, person):
            git(folder, "clone", "--quiet", "remote.git", clone.name)
    codes = []
    for version in range(1, rounds + 1):
        works: list[Callable[[], int]] = [partial(run, each, version, push=push) for each in folders]
        codes.append(at_once([*works, partial(commit_and_push, person, version)] if push else works))
    for each in dict.fromkeys(folders):
        codes.append([run(each, rounds, push=push)])
    where = folder / "remote.git" if push else repo
    listed = git(where, "notes", "--ref=okf", "list").split()
    told = {
        "codes": codes,
        "subjects": git(where, "log", "--format=%s", "main").splitlines(),
        "noted": sorted(listed[1::2]),
        "commits": sorted(git(where, "log", "--format=%H", "--grep=^Okf-Source: docs", "main").split()),
        "pages": [git(where, "show", f"main:docs/pages/{number}.md").split()[-1] for number in range(PAGES)],
        "states": sorted({git(each, "rev-parse", "okf/state") for each in folders}),
        "heads": sorted({git(each, "rev-parse", "main") for each in (where, *folders)}),
        "status": "".join(git(each, "status", "--porcelain") for each in folders),
        "broken": "".join(git(each, "fsck", "--strict", "--no-dangling") for each in (where, *folders)),
    }
    sys.stdout.write(json.dumps(told))
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
