"""What every test has: no user, no system, no network beyond loopback; and a repository, a site and the command."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from scenario import docs as docs
from site_server import Site, serving

IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "A. Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
}
_LOOPBACK = ("127.", "::1", "localhost")

# What is drawn is the same in every run, so that no change is refused for what it did not do. To look for more:
# pytest --hypothesis-profile=search
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("same")


@pytest.fixture(autouse=True)
def hermetic(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private home, no system git configuration, a fixed identity, locale and zone. Returns the home."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if _is_ambient(name):
            monkeypatch.delenv(name)
    settled = {
        **IDENTITY,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(tmp_path_factory.getbasetemp().parent),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    for name, value in settled.items():
        monkeypatch.setenv(name, value)
    (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n")
    return home


def _is_ambient(name: str) -> bool:
    if name in ("OKF_CORPUS", "OKF_VALIDATORS"):
        return False
    return (
        name.startswith(("GIT_", "OKF_", "XDG_", "LC_"))
        or name.lower().endswith(("_proxy", "_token"))
        or name in ("LANG", "LANGUAGE", "PRE_COMMIT")
    )


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reaches beyond this machine: no name is resolved, and a test that tries to connect fails."""
    connect, connect_ex, lookup = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
    tried: list[object] = []

    def check(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(_host(address)):
            tried.append(address)
            raise ConnectionRefusedError(f"tests stay on loopback, not {address!r}")

    def guarded(self: socket.socket, address: object) -> None:
        check(self, address)
        connect(self, address)  # type: ignore[arg-type]

    def guarded_ex(self: socket.socket, address: object) -> int:
        check(self, address)
        return connect_ex(self, address)  # type: ignore[arg-type]

    def guarded_lookup(host: object, *args: object, **named: object) -> object:
        if not _is_local(host) and not _is_address(str(host)):
            raise socket.gaierror(socket.EAI_NONAME, "tests resolve no names")
        return lookup(host, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_lookup)
    yield
    assert not tried, f"the test tried to connect to {tried}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _host(address: object) -> object:
    return address[0] if isinstance(address, tuple) else address


def _is_local(host: object) -> bool:
    text = host.decode() if isinstance(host, bytes) else str(host or "127.0.0.1")
    return text.startswith(_LOOPBACK) or text == "0.0.0.0"


@dataclass(frozen=True, slots=True)
class GitRepo:
    """A repository with a work tree, driven by the git program."""

    path: Path

    def git(self, *args: str, check: bool = True, input: str | None = None) -> str:
        """Standard output of a git command, without the last newline."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, check=False, text=True, encoding="utf-8", input=input, capture_output=True
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.removesuffix("\n")

    def write(self, path: str, text: str | bytes) -> Path:
        """A file of the work tree, its directories made."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self, message: str, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write and add the files, commit, return the commit's id."""
        for path, text in (files or {}).items():
            self.write(path, text)
            self.git("add", "--", path)
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def snapshot(self) -> dict[str, object]:
        """Everything a run could change: refs, HEAD, index, objects, and the work tree with its times."""
        directory = Path(self.git("rev-parse", "--absolute-git-dir"))
        tree = [p for p in sorted(self.path.rglob("*")) if ".git" not in p.relative_to(self.path).parts]
        return {
            "refs": self.git("for-each-ref", "--format=%(refname) %(objectname)"),
            "head": (directory / "HEAD").read_bytes(),
            "index": self.git("ls-files", "--stage"),
            "objects": sorted(p.relative_to(directory).as_posix() for p in (directory / "objects").rglob("*")),
            "files": {p.as_posix(): (p.read_bytes(), p.stat().st_mtime_ns) for p in tree if p.is_file()},
            "folders": [p.as_posix() for p in tree if p.is_dir()],
        }


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> GitRepo:
    """A fresh repository without a commit, on branch main."""
    path = tmp_path / "repo"
    path.mkdir()
    made = GitRepo(path)
    made.git("init", "--quiet")
    return made


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def okf(repo: GitRepo) -> Run:
    """Runs the installed program as a user would: `okf("sync", "docs", cwd=..., env={...})`."""

    def run(*args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 120) -> Ran:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "git_okf", *args],
            cwd=cwd or repo.path,
            env={**os.environ, **(env or {})},
            check=False,
            text=True,
            encoding="utf-8",
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def okf_here(repo: GitRepo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The same in this process: no start-up to pay, the clock and the network in the test's own hands."""

    def run(*args: str, cwd: Path | None = None) -> Ran:
        from git_okf.__main__ import main

        capfd.readouterr()
        with monkeypatch.context() as patch:
            patch.chdir(cwd or repo.path)
            patch.setattr(sys, "argv", ["git-okf", *args])
            code = 0
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def site() -> Iterator[Site]:
    """A site that is being served; it has no pages yet, and `site.url` is its base."""
    served = Site()
    with serving(served):
        yield served


@pytest.fixture
def git_program() -> str:
    """Where git is."""
    found = shutil.which("git")
    assert found, "the tests need the git program"
    return found
