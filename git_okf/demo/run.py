"""`git okf demo`: a throw-away repository, a site in two versions, two runs, and what git shows of them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from git_okf.demo.server import serve
from git_okf.errors import EXIT_PARTIAL, GitRefused, UsageError

BUNDLE = "docs"
LISTED_FILES = 30
"""Files of a commit that `git log` lists; a real site has more."""
Echo = Callable[[str], None]

# What leads git into another repository (`git rev-parse --local-env-vars`) or another program.
_ELSEWHERE = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DEFAULT_HASH",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)


def show(url: str | None, directory: Path | None, echo: Echo) -> int:
    """Run the demonstration and say each step; the exit code of the first command that failed, else 0.

    With a URL the same is done to a real site: it is built, and synced once more.
    """
    root = _repository(directory, echo)
    if url is not None:
        echo("# The site becomes a bundle in git.")
        code = _session(root, url, echo, between=lambda: echo("# Once more: what did not change is not written."))
    else:
        echo("# A small documentation site is served on this machine. It becomes a bundle in git.")
        with _demo_site() as (site_url, change):
            code = _session(root, site_url, echo, between=lambda: _say_change(echo, change))
    _say_where(root, echo, built=code == 0, served=url is not None)
    return code


def _session(root: Path, url: str, echo: Echo, between: Callable[[], None]) -> int:
    code = _okf(root, echo, "build", url, "-o", BUNDLE)
    if code not in (0, EXIT_PARTIAL):
        return code
    between()
    code = _okf(root, echo, "sync")
    if code not in (0, EXIT_PARTIAL):
        return code
    echo("# What git has of it:")
    _step(root, echo, "git", "log", "--oneline", f"--stat-count={LISTED_FILES}")
    page = _updated_page(root)
    if page:
        echo("# One of the pages:")
        _step(root, echo, "git", "diff", "HEAD~1", "--", page)
    echo("# The report of the run, a note on its commit:")
    _step(root, echo, "git", "notes", "--ref=okf", "show")
    return 0


def _repository(directory: Path | None, echo: Echo) -> Path:
    if directory is not None and directory.exists() and not _is_empty(directory):
        raise UsageError(
            f"{directory} is not an empty directory; nothing was changed", "give the demo a new one with -o"
        )
    root = (directory or Path(tempfile.mkdtemp(prefix="git-okf-demo-"))).resolve()
    command = ["git", "init", "--quiet", "--initial-branch=main", str(root)]
    echo(f"# A new repository:\n$ {_as_typed(command)}\n")
    try:
        subprocess.run(command, check=True, env=_environment(), capture_output=True)
        # A demonstration asks for no passphrase.
        subprocess.run(["git", "config", "commit.gpgSign", "false"], check=True, env=_environment(), cwd=root)
    except FileNotFoundError as error:
        raise GitRefused("the git program was not found", "install git and see that it is in PATH") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode("utf-8", "replace").strip() or f"exit {error.returncode}"
        raise GitRefused(f"git could not make a repository in {root}: {said}", "try it with -o DIR") from error
    return root


def _is_empty(directory: Path) -> bool:
    return directory.is_dir() and not any(directory.iterdir())


@contextmanager
def _demo_site() -> Iterator[tuple[str, Callable[[], None]]]:
    with serve() as site:

        def change() -> None:
            site.version = 2

        yield site.url, change


def _say_change(echo: Echo, change: Callable[[], None]) -> None:
    change()
    echo("# The site changes: two pages are new, five edited, one removed, one moved, and one is refused to us.")


def _say_where(root: Path, echo: Echo, *, built: bool, served: bool) -> None:
    echo(f"The repository is {root}")
    if not built:
        return
    echo("Look around in it (git okf status, git okf log, git okf verify), then delete it.")
    if not served:
        echo("Its site is served no longer: `git okf sync` would find nobody to ask.")
    program = Path(sys.executable).with_name("git-okf")
    if shutil.which("git-okf") is None and program.exists():
        echo(f'For `git okf` to be found: export PATH="{program.parent}:$PATH"')


def _okf(root: Path, echo: Echo, *words: str) -> int:
    """A command of git-okf, and what its exit code means where that is not 0."""
    code = _step(root, echo, "git", "okf", *words, blank=False)
    meaning = ": partial, the page that could not be had keeps its text" if code == EXIT_PARTIAL else ""
    echo(f"# exit code {code}{meaning}\n" if code else "")
    return code


def _step(root: Path, echo: Echo, *command: str, blank: bool = True) -> int:
    """Say and run one command, line by line; `git okf` is this very program, wherever it is installed.

    Where standard error is a terminal, warnings and progress go there; else they stand among the rest.
    """
    echo(f"$ {_as_typed(command)}")
    argv = [sys.executable, "-m", "git_okf", *command[2:]] if command[:2] == ("git", "okf") else list(command)
    with subprocess.Popen(
        argv,
        cwd=root,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if sys.stderr.isatty() else subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            echo(line.removesuffix("\n"))
    if blank:
        echo("")
    return process.returncode


def _as_typed(command: Iterable[str]) -> str:
    """The command for a shell, quoted only where a person would."""
    return " ".join(
        word if re.fullmatch(r"[\w@%+=:,./-][\w@%+=:,./~-]*", word) else shlex.quote(word) for word in command
    )


def _updated_page(root: Path) -> str:
    """The page whose text changed most between the two runs, "" where none did."""
    done = subprocess.run(
        ["git", "diff", "--numstat", "--diff-filter=M", "HEAD~1", "--", f"{BUNDLE}/pages"],
        cwd=root, env=_environment(), capture_output=True, check=False,
    )  # fmt: skip
    changed = [line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines()]
    pages = [(int(added) + int(gone), path) for added, gone, path in changed if not path.endswith("/index.md")]
    return max(pages)[1] if pages else ""


def _environment() -> dict[str, str]:
    """Ours, without what would lead git into another repository or through a pager."""
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {**kept, "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "PYTHONIOENCODING": "utf-8"}
