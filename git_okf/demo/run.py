"""`git okf demo`: a throw-away repository, a site in two versions, two runs, and what git shows of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from git_okf.demo.server import serve
from git_okf.errors import GitRefused, UsageError

BUNDLE = "docs"
Echo = Callable[[str], None]


def show(url: str | None, directory: Path | None, echo: Echo) -> int:
    """Run the demonstration and say each step; the exit code of the first command that failed, else 0.

    With a URL the same is done to a real site: it is built, and synced once more.
    """
    root = _repository(directory)
    echo(f"# A new repository: {root}\n$ git init {root}\n")
    if url is not None:
        code = _session(root, url, echo, between=lambda: None)
    else:
        with _demo_site() as (site_url, change):
            code = _session(root, site_url, echo, between=lambda: _say_change(echo, change))
    echo(f"\nThe repository is {root}; look around, then delete it.")
    return code


def _session(root: Path, url: str, echo: Echo, between: Callable[[], None]) -> int:
    code = _step(root, echo, "git", "okf", "build", url, "-o", BUNDLE)
    if code not in (0, 3):
        return code
    between()
    # The page that is down keeps its old content: a partial run, exit 3, is what the demo shows.
    code = _step(root, echo, "git", "okf", "sync")
    if code not in (0, 3):
        return code
    _step(root, echo, "git", "log", "--oneline", "--stat", "-2")
    page = _updated_page(root)
    if page:
        _step(root, echo, "git", "diff", "HEAD~1", "--", page)
    _step(root, echo, "git", "notes", "--ref=okf", "show")
    return 0


def _repository(directory: Path | None) -> Path:
    if directory is not None and directory.exists() and any(directory.iterdir()):
        raise UsageError(f"{directory} is not empty; nothing was changed", "give the demo a new directory with -o")
    root = directory or Path(tempfile.mkdtemp(prefix="git-okf-demo-"))
    try:
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(root)], check=True, env=_environment())
    except (OSError, subprocess.CalledProcessError) as error:
        raise GitRefused(f"git could not make a repository in {root}: {error}", "is git installed?") from error
    return root.resolve()


@contextmanager
def _demo_site() -> Iterator[tuple[str, Callable[[], None]]]:
    with serve() as site:

        def change() -> None:
            site.version = 2

        yield site.url, change


def _say_change(echo: Echo, change: Callable[[], None]) -> None:
    change()
    echo("# The site changes: pages added, removed, edited, one moved, one down.\n")


def _step(root: Path, echo: Echo, *command: str) -> int:
    """Say and run one command; `git okf` is this very program, wherever it is installed."""
    echo(f"$ {' '.join(command)}")
    argv = [sys.executable, "-m", "git_okf", *command[2:]] if command[:2] == ("git", "okf") else list(command)
    done = subprocess.run(
        argv, cwd=root, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    echo(done.stdout.decode("utf-8", "replace"))
    return done.returncode


def _updated_page(root: Path) -> str:
    done = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=M", "HEAD~1", "--", f"{BUNDLE}/pages"],
        cwd=root, env=_environment(), capture_output=True, check=False,
    )  # fmt: skip
    pages = [p for p in done.stdout.decode().splitlines() if not p.endswith("/index.md")]
    return pages[0] if pages else ""


def _environment() -> dict[str, str]:
    """Ours, without what would lead git into another repository or through a pager."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name == "GIT_EXEC_PATH"}
    return {**kept, "GIT_PAGER": "cat", "PYTHONIOENCODING": "utf-8"}
