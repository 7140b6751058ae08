"""The programs that are measured: git-okf, its peers, and the bare loop that is the limit.

The Python programs among the peers live in environments of their own below `.venvs/`, which are made when they are
first needed. A program that cannot be had is named with the reason, and the others are measured without it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
EVERYTHING = ("--max-depth", "100", "--max-pages", "1000000", "--no-robots")
"""No limit that the site could meet."""

GIT_OKF, OKF_KIT, SCRAPY, WGET2, BARE = "git-okf", "okf-kit", "scrapy", "wget2", "bare aiohttp"
ALL = (GIT_OKF, BARE, WGET2, SCRAPY, OKF_KIT)
SLOW = (OKF_KIT, SCRAPY)
"""Take long and are no close race: run less often."""
BUILD, ONE_CORE, QUIET, NO_VALIDATORS = "build", "build on one core", "quiet", "quiet, no validators"
LOST = "validators lost"
"""The first sync after a site has stopped to send any."""
ONE_CHANGE, ONE_PERCENT = "one page changed", "1 % changed"
HELP, STATUS, LOG, SHOW, VERIFY = "--help", "status", "log -n 1", "show PAGE", "verify PAGE"
LOOKS = (HELP, STATUS, LOG, SHOW, VERIFY)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program works: a directory that only it uses, on one site."""

    directory: Path
    url: str
    page: str
    """URL of a page of the site."""


Command = Callable[[Place], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How to run a program, by step. The first step that writes is `build`; the others find what it has left.

    okf-kit and scrapy are slow and cost the same whether or not the server has validators: they are run with them.
    """

    name: str
    steps: Mapping[str, Command]
    environment: Callable[[Place], Mapping[str, str]] = lambda place: {}
    done: tuple[int, ...] = (0,)
    """Exit codes of a run that did what it was to do."""
    missing: str = ""
    """Why it cannot be run."""


def git_okf(command: Sequence[str]) -> Program:
    """`command`: how git-okf is started."""

    def build(place: Place) -> Sequence[str]:
        return (*command, "build", place.url, "-o", "docs", *EVERYTHING, "--json")

    def sync(place: Place) -> Sequence[str]:
        return (*command, "sync", "--json")

    return Program(
        name=GIT_OKF,
        steps={
            BUILD: build,
            ONE_CORE: build,
            **dict.fromkeys((QUIET, LOST, NO_VALIDATORS, ONE_CHANGE, ONE_PERCENT), sync),
            HELP: lambda place: (*command, "--help"),
            STATUS: lambda place: (*command, "status"),
            LOG: lambda place: (*command, "log", "-n", "1"),
            SHOW: lambda place: (*command, "show", place.page),
            VERIFY: lambda place: (*command, "verify", _concept(place)),
        },
        done=(0, 3),
    )


def _concept(place: Place) -> str:
    """Of the page, as docs/pages/...: what the site calls it, without its extension."""
    path = place.page.removeprefix(place.url).removesuffix(".html")
    return f"docs/pages/{path or 'home'}.md"


def bare() -> Program:
    script = (sys.executable, str(HERE / "bare.py"))

    def mode(name: str) -> Command:
        return lambda place: (*script, name, place.url, str(place.directory / "memory.json"))

    return Program(name=BARE, steps={BUILD: mode("crawl"), QUIET: mode("conditional"), NO_VALIDATORS: mode("hash")})


def okf_kit(install: bool) -> Program:
    python, missing = _environment("bench-okf-kit", ("okf-kit==0.3.3", "selectolax<1"), install)
    okf = str(python.with_name("okf"))

    def sync(place: Place) -> Sequence[str]:
        return (okf, "sync", str(place.directory / "bundle"))

    def build(place: Place) -> Sequence[str]:
        return (okf, "build", place.url, "-o", str(place.directory / "bundle"), "--all-paths", *EVERYTHING)

    return Program(name=OKF_KIT, steps={ONE_CORE: build, QUIET: sync}, missing=missing)


def scrapy(install: bool) -> Program:
    python, missing = _environment("bench-scrapy", ("scrapy==2.19.0",), install)
    script = ("runspider", "-s", "LOG_LEVEL=ERROR", str(HERE / "spider.py"))

    def run(place: Place) -> Sequence[str]:
        return (str(python.with_name("scrapy")), *script)

    return Program(
        name=SCRAPY,
        steps=dict.fromkeys((BUILD, QUIET), run),
        environment=lambda place: {
            "OKF_BENCH_START": place.url,
            "OKF_BENCH_CACHE": str(place.directory / "cache"),
        },
        missing=missing,
    )


def wget2() -> Program:
    # Pages alone, as the others take them; a page that links to a missing one is no failure (exit code 8).
    options = ("--quiet", "--recursive", "--level=0", "--timestamping", "--no-robots", "--max-threads=8")
    bounds = (
        "--ignore-tags=img,link,script,iframe,source,video,audio,embed,object",
        "--domains=127.0.0.1",
        "--timeout=10",
        "--tries=1",
    )

    def run(place: Place) -> Sequence[str]:
        return ("wget2", *options, *bounds, f"--directory-prefix={place.directory}", place.url)

    missing = "" if shutil.which("wget2") else "wget2 is not installed; on Debian: apt-get install wget2"
    return Program(name=WGET2, steps=dict.fromkeys((BUILD, QUIET, NO_VALIDATORS), run), done=(0, 8), missing=missing)


def chosen(names: Sequence[str], command: Sequence[str], *, install: bool) -> list[Program]:
    """The programs of these names. `install`: peers that lack their environment get it, from the package index."""
    made: Mapping[str, Callable[[], Program]] = {
        GIT_OKF: lambda: git_okf(command),
        BARE: bare,
        WGET2: wget2,
        SCRAPY: lambda: scrapy(install),
        OKF_KIT: lambda: okf_kit(install),
    }
    return [made[name]() for name in made if name in names]


def _environment(name: str, requirements: tuple[str, ...], install: bool) -> tuple[Path, str]:
    """The Python of an environment, and why it cannot be used ("" where it can)."""
    directory = ROOT / ".venvs" / name
    python, stamp, wanted = directory / "bin" / "python", directory / ".made-of", " ".join(requirements)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python, ""
    if not install:
        return python, f"{directory} is not there; scripts/bench makes it"
    sys.stderr.write(f"installing {wanted} into {directory}\n")
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(directory)], check=True, capture_output=True)
        pip = [str(python), "-m", "pip", "install", "-qq", *requirements]
        subprocess.run(pip, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        return python, f"{wanted} could not be installed: {error.stderr.decode(errors='replace').strip()[-300:]}"
    stamp.write_text(wanted, encoding="utf-8")
    return python, ""
