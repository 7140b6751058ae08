"""How a repository grows: the history of a real site, replayed as one sync a day, with git's housekeeping and without.

The versions are served one after another and over again, a sync each. Where a year is longer than the history, most
days change what an earlier day had changed back: this is more change than a site has, and what git can pack.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import run

from .nginx import Server
from .process import environment, git, stored
from .programs import EVERYTHING

LOOKS = (1, 7, 30, 90, 180, 365)
"""Days after which the repository is looked at."""
REFS = {"branch": "HEAD", "notes": "refs/notes/okf", "state": "refs/heads/okf/state"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A repository after so many days."""

    day: int
    housekeeping: bool
    commits: int
    """On the branch: days that changed something."""
    git_kb: float
    """The whole of .git."""
    objects: int
    loose: int
    branch_kb: float
    notes_kb: float
    state_kb: float


def replay(
    server: Server, versions: Sequence[Path], work: Path, command: Sequence[str], days: int, *, housekeeping: bool
) -> Iterator[Size]:
    """Sync once a day; yields sizes. `housekeeping`: `git gc --auto` after each sync, as other git commands start it,
    and `git gc` before each look, as `git maintenance` would have run it some time.

    Raises CalledProcessError where a sync neither ends well nor is partial.
    """
    repo = work / f"replay-{'gc' if housekeeping else 'no-gc'}"
    repo.mkdir(parents=True)
    env = {
        **environment(work / "home"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "gc.autoDetach",
        "GIT_CONFIG_VALUE_0": "false",
    }
    git(repo, "init", "--quiet")
    for day in range(1, days + 1):
        server.show(versions[(day - 1) % len(versions)])
        step = ("sync", "--force") if day > 1 else ("build", server.url, "-o", "docs", *EVERYTHING)
        ran = run([*command, *step], cwd=repo, env=env, capture_output=True, text=True, check=False)
        if ran.returncode not in (0, 3):
            sys.stderr.write(ran.stderr)
            ran.check_returncode()
        looked_at = day in LOOKS or day == days
        if housekeeping:
            gc = ["git", "gc", "--quiet", *([] if looked_at else ["--auto"])]
            run(gc, cwd=repo, env=env, check=True, capture_output=True)
        if looked_at:
            yield size(repo, day, housekeeping)


def size(repo: Path, day: int, housekeeping: bool) -> Size:
    held = stored(repo)
    used = {name: int(git(repo, "rev-list", "--objects", "--disk-usage", ref)) / 1000 for name, ref in REFS.items()}
    whole = sum(path.stat().st_blocks * 512 for path in (repo / ".git").rglob("*") if path.is_file())
    return Size(
        day=day,
        housekeeping=housekeeping,
        commits=int(git(repo, "rev-list", "--count", "HEAD")),
        git_kb=whole / 1000,
        objects=held.objects,
        loose=held.loose,
        branch_kb=used["branch"],
        notes_kb=used["notes"],
        state_kb=used["state"],
    )


def rows(sizes: Sequence[Size]) -> list[list[str]]:
    """For a table, under `heading`."""
    return [
        [f"{value:,.0f}" if not isinstance(value, bool) else ("on" if value else "off") for value in asdict(s).values()]
        for s in sizes
    ]


def heading() -> list[str]:
    return ["day", "git gc", "commits", ".git kB", "objects", "loose", "branch kB", "notes kB", "state kB"]
