"""Runs on a file system that is really full, in a mount namespace of their own. No test: `test_full_disk` runs it.

`steps`: the disk fills up at a step of the run, every so many are tried. `levels`: the installed program runs with so
much space left, from none to enough.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crash.failing import contents, result
from crash.killing import SCENARIOS, Killer, Scenario, count, facts, git, in_child

PAGE = 4096
SIZE = 1024 * PAGE
NAMES = 64
PLACES: Mapping[str, str] = {
    "repository": ".",
    "objects": "repo/.git/objects",
    "scratch": "repo/.git/okf",
    "bundle": "repo/docs",
    "temporary": "tmp",
}
"""What is a file system of its own, and fills up."""


@dataclass(frozen=True, slots=True)
class Ballast:
    """What takes the space of a file system: bytes, or, where it has few of them, names."""

    file: Path

    def fill(self, left: int = 0) -> None:
        """Take all space but so many bytes."""
        with self.file.open("ab", buffering=0) as file, no_space_left():
            for _ in range(2 * SIZE // PAGE):
                file.write(bytes(PAGE))
        os.truncate(self.file, max(0, self.file.stat().st_size - left))
        with no_space_left():
            for number in range(NAMES):
                self.file.with_name(f".ballast{number}").touch()

    def drop(self) -> None:
        for file in self.file.parent.glob(".ballast*"):
            file.unlink()


@contextmanager
def no_space_left() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


@contextmanager
def mounted(place: Path) -> Iterator[Ballast]:
    """A small file system at a directory, with what was in it. One for temporary files has room for few names."""
    place.mkdir(parents=True, exist_ok=True)
    aside = place.parent / f".{place.name}.aside"
    shutil.copytree(place, aside, symlinks=True)
    size = f"size={SIZE},nr_inodes={NAMES if place.name == 'tmp' else 0}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place)], check=True)
    shutil.copytree(aside, place, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(aside)
    try:
        yield Ballast(place / ".ballast")
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# --- at a step of the run ---


def told(folder: Path, scenario: Scenario, at: int, happens: Callable[[], None]) -> dict[str, object]:
    """What came of a run in a process of its own, to which something happened at a step."""
    file = folder.parent / "told.json"
    file.unlink(missing_ok=True)

    def work() -> None:
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
        Killer(str(folder), at, happens).install()
        made = result(folder, scenario, lambda key: None)
        error = made.error
        said = f"{error.message}\n{error.hint}" if error else ""
        file.write_text(json.dumps({"code": made.exit_code, "said": said}))

    ended = in_child(work)
    found: dict[str, object] = json.loads(file.read_text()) if not ended else {"code": "crashed", "said": str(ended)}
    return found


def steps(folder: Path, name: str, place: str, every: int) -> list[dict[str, object]]:
    scenario = SCENARIOS[name]
    template = folder / "template"
    template.mkdir()
    scenario.before(template)
    (template / "tmp").mkdir()
    with (template / "repo/.git/info/exclude").open("a") as file:
        file.write(".ballast*\n")
    clean = folder / "clean"
    shutil.copytree(template, clean, symlinks=True)
    total = len(count(scenario, clean))
    wanted = facts(clean)
    tries = []
    for at in range(1, total + 1, every):
        victim = folder / "victim"
        shutil.copytree(template, victim, symlinks=True)
        before = git(victim / "repo", "for-each-ref")
        with mounted(victim / PLACES[place]) as ballast:
            found = told(victim, scenario, at, ballast.fill)
            ballast.drop()
            found["moved"] = git(victim / "repo", "for-each-ref") != before
            found["broken"] = git(victim / "repo", "fsck", "--strict", "--no-dangling", "--no-progress")
            scenario.go(victim)
            after = facts(victim)
        found["same"] = contents(after) == contents(wanted)
        found["differs"] = "" if found["same"] else f"{after} instead of {wanted}"
        tries.append(found)
        shutil.rmtree(victim)
    return tries


# --- with so much left ---


def levels(folder: Path, template: Path) -> list[dict[str, object]]:
    tries: list[dict[str, object]] = []
    for pages in (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128):
        disk = folder / f"disk{pages}"
        disk.mkdir()
        shutil.copytree(template, disk / "repo", symlinks=True)
        with mounted(disk) as ballast:
            before = git(disk / "repo", "for-each-ref")
            ballast.fill(pages * PAGE)
            ran = command(disk / "repo")
            ballast.drop()
            moved = git(disk / "repo", "for-each-ref") != before
            broken = git(disk / "repo", "fsck", "--strict", "--no-dangling", "--no-progress")
            again = command(disk / "repo")
            listed = git(disk / "repo", "diff", "--name-status", "main~1", "main")
            status = git(disk / "repo", "status", "--porcelain")
        found: dict[str, object] = {"left": pages, "code": ran.returncode, "said": ran.stderr, "moved": moved}
        found.update(broken=broken, again=again.returncode, listed=listed, status=status)
        tries.append(found)
    return tries


def command(repo: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "git_okf", "sync"]
    return subprocess.run(words, cwd=repo, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    kind, where, *rest = sys.argv[1:]
    made = (
        levels(Path(where), Path(rest[0])) if kind == "levels" else steps(Path(where), rest[0], rest[1], int(rest[2]))
    )
    sys.stdout.write(json.dumps(made))
