"""HOOK-03 and HOOK-04: pre-commit itself installs git-okf from a repository and runs its hooks on real commits.

Marked `validators` like the other tools that scripts/test installs beside the project. pre-commit builds one
environment from this checkout, with pip as the machine has it configured, and every test uses that one; only
`try-repo`, whose point is to build its own, makes another.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import hooking
import pytest
import yaml
from conftest import IDENTITY, GitRepo
from hooking import HOME, INSTALL, many, synced, write
from planted import ours

pytestmark = pytest.mark.validators

ROOT = Path(__file__).parents[1]
VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or ROOT / ".venvs")
PRE_COMMIT = VALIDATORS / "pre-commit" / "bin" / "pre-commit"
NEEDED = ("git_okf", "hooks", "man", "README.md", "LICENSE", "pyproject.toml", ".pre-commit-hooks.yaml")


@dataclass(frozen=True, slots=True)
class Framework:
    """pre-commit with git-okf installed: the repository it came from, its commit, and pre-commit's own home."""

    provider: Path
    rev: str
    home: Path

    def config(self, *hooks: Mapping[str, object]) -> str:
        return yaml.safe_dump({"repos": [{"repo": str(self.provider), "rev": self.rev, "hooks": list(hooks)}]})


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def pre_commit(cwd: Path, home: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    assert PRE_COMMIT.exists(), f"{PRE_COMMIT} is not there: scripts/test installs it, -m 'not validators' does without"
    return subprocess.run(
        [str(PRE_COMMIT), *args], cwd=cwd, env={**os.environ, "PRE_COMMIT_HOME": str(home), **env}, check=False,
        text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


@pytest.fixture(scope="session")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Framework:
    """The checkout's own files in a repository of their own, and one environment made of it for all workers."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "framework"
    shared.mkdir(exist_ok=True)
    with locked(shared / "lock"), pytest.MonkeyPatch.context() as patch:
        for name, value in {**IDENTITY, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}.items():
            patch.setenv(name, value)
        made = Framework(shared / "provider", "", shared / "home")
        if not (shared / "ready").exists():
            provide(made)
            (shared / "ready").touch()
        return Framework(made.provider, GitRepo(made.provider).git("rev-parse", "HEAD"), made.home)


def provide(made: Framework) -> None:
    repo = GitRepo(made.provider)
    repo.path.mkdir()
    repo.git("init", "--quiet")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, repo.path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, repo.path / name)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "git-okf")
    consumer = GitRepo(made.provider.with_name("consumer"))
    consumer.path.mkdir()
    consumer.git("init", "--quiet")
    wanted = Framework(made.provider, repo.git("rev-parse", "HEAD"), made.home)
    consumer.write(".pre-commit-config.yaml", wanted.config({"id": "okf-verify"}))
    done = pre_commit(consumer.path, made.home, "install-hooks")
    assert done.returncode == 0, done.stdout


@pytest.fixture
def bundle(repo: GitRepo, framework: Framework, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """A repository with a bundle, and with pre-commit's hooks for a commit, a merge and a push."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(framework.home))
    write(repo.path, hooking.files())
    config = framework.config({"id": "okf-verify"}, {"id": "okf-config"})
    repo.commit("one", {".pre-commit-config.yaml": config})
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "two")
    types = [word for name in ("pre-commit", "pre-merge-commit", "pre-push") for word in ("-t", name)]
    done = pre_commit(repo.path, framework.home, "install", *types)
    assert done.returncode == 0, done.stdout
    return repo


def commit(repo: GitRepo, *args: str) -> tuple[bool, str]:
    """Whether a commit was made, and what was said."""
    done = subprocess.run(
        ["git", "commit", "--message", "more", *args], cwd=repo.path, check=False, text=True, capture_output=True
    )
    return done.returncode == 0, done.stdout + done.stderr


def results(said: str) -> list[str]:
    """How each hook ended, in their order."""
    words = ("Passed", "Failed", "Skipped")
    return [word for line in said.splitlines() for word in words if line.endswith(word) and "..." in line]


def test_hook_03_the_manifest_is_one(framework: Framework) -> None:
    done = pre_commit(ROOT, framework.home, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (done.returncode, done.stdout) == (0, "")


def test_hook_03_try_repo_installs_and_runs_it(repo: GitRepo, framework: Framework) -> None:
    """HOOK-04 as well: the environment is a fresh one, and holds nothing but what git-okf asks for."""
    write(repo.path, {**hooking.files(), INSTALL: hooking.files()[INSTALL] + b"mine\n"})
    repo.git("add", "--all")
    arguments = (str(framework.provider), "okf-verify", "--ref", framework.rev, "--all-files", "--verbose")
    done = pre_commit(repo.path, framework.home, "try-repo", *arguments)
    assert done.returncode == 1, done.stdout
    assert results(done.stdout) == ["Failed"]
    assert f"{INSTALL}:16: error: the body is not the one that was synced [edited]" in done.stdout


def test_hook_03_a_good_commit_passes_and_a_bad_one_does_not(bundle: GitRepo) -> None:
    write(bundle.path, {f"docs/{p}": d for p, d in synced(ours(), "pages/home.md", "Home", "# Home, again").items()})
    made, said = commit(bundle, "--all")
    assert (made, results(said)) == (True, ["Passed", "Skipped"]), said
    bundle.write(INSTALL, b"no front matter")
    bundle.git("add", INSTALL)
    made, said = commit(bundle)
    assert (made, results(said)) == (False, ["Failed", "Skipped"])
    assert f"{INSTALL}:1: error: no front matter" in said


def test_hook_03_it_looks_at_bundles_and_configuration_alone(bundle: GitRepo) -> None:
    bundle.write("other/readme.md", b"# no front matter")
    bundle.git("add", "other")
    assert commit(bundle)[0]
    assert commit(bundle, "--allow-empty")[0]
    bundle.write(".okf.yaml", hooking.CONFIG + "    max_pages: many\n")
    made, said = commit(bundle, "--all")
    assert (made, results(said)) == (False, ["Failed", "Failed"])
    assert ".okf.yaml:5: error: docs.max_pages must be a whole number" in said
    bundle.write(".okf.yaml", hooking.CONFIG + "    max_pages: 7\n")
    assert commit(bundle, "--all")[0]


def test_hook_03_a_deletion_alone_and_a_renaming_are_seen(bundle: GitRepo) -> None:
    bundle.git("rm", "--quiet", INSTALL)
    made, said = commit(bundle)
    assert (made, results(said)) == (False, ["Failed", "Skipped"])
    assert "[index-stale]" in said
    bundle.git("reset", "--quiet", "--hard")
    bundle.git("mv", HOME, "docs/pages/start.md")
    made, said = commit(bundle)
    assert (made, "[index-stale]" in said) == (False, True)


def test_hook_02_03_a_part_of_what_is_staged_beside_unstaged_changes(bundle: GitRepo) -> None:
    bundle.write(INSTALL, b"broken")
    bundle.git("add", INSTALL)
    bundle.write(HOME, b"broken too, and not staged")
    bundle.write("other", "x")
    bundle.git("add", "other")
    assert commit(bundle, "--", "other")[0]
    assert not commit(bundle)[0]
    bundle.git("restore", "--staged", INSTALL)
    bundle.write("other", "y")
    bundle.git("add", "other")
    assert commit(bundle)[0], "what is broken lies about and is not committed"
    assert (bundle.path / HOME).read_bytes() == b"broken too, and not staged"


def test_hook_03_five_thousand_files_are_one_call(bundle: GitRepo) -> None:
    shutil.rmtree(bundle.path / "docs")
    write(bundle.path, {f"docs/{path}": data for path, data in many(5000).items()})
    bundle.git("rm", "--quiet", "-r", "--cached", "docs")
    bundle.git("commit", "--quiet", "--no-verify", "--message", "none")
    bundle.write("docs/pages/d1/p77.md", b"no front matter")
    bundle.git("add", "--all")
    made, said = commit(bundle)
    assert (made, results(said)) == (False, ["Failed", "Skipped"])
    assert said.count("[front-matter]") == said.count("error: ") - said.count("[index-stale]") == 1
    write(bundle.path, {f"docs/{path}": data for path, data in many(5000).items()})
    bundle.git("add", "--all")
    assert commit(bundle)[0]


def test_hook_03_a_push_is_judged_by_what_is_new_in_it(bundle: GitRepo, tmp_path: Path) -> None:
    bundle.git("init", "--quiet", "--bare", str(tmp_path / "remote.git"))
    bundle.git("remote", "add", "origin", str(tmp_path / "remote.git"))

    def push() -> tuple[bool, list[str]]:
        command = ["git", "push", "origin", "main"]
        done = subprocess.run(command, cwd=bundle.path, check=False, text=True, capture_output=True)
        return done.returncode == 0, results(done.stdout + done.stderr)

    assert push() == (True, ["Passed", "Passed"]), "a first push is judged by all that is there"
    bundle.write(INSTALL, b"broken")
    bundle.git("commit", "--quiet", "--all", "--no-verify", "--message", "bad")
    assert push() == (False, ["Failed", "Skipped"])
    bundle.git("revert", "--no-edit", "HEAD")
    assert push()[0]


def test_hook_03_all_files_and_ranges_by_hand(bundle: GitRepo, framework: Framework) -> None:
    bundle.write(INSTALL, b"broken")
    bundle.git("commit", "--quiet", "--all", "--no-verify", "--message", "bad")

    def run(*args: str) -> list[str]:
        return results(pre_commit(bundle.path, framework.home, "run", *args).stdout)

    assert run("--all-files") == ["Failed", "Passed"]
    assert run("--from-ref", "HEAD~1", "--to-ref", "HEAD") == ["Failed", "Skipped"]
    assert run("--from-ref", "HEAD", "--to-ref", "HEAD") == ["Passed", "Skipped"]
    assert run("--hook-stage", "manual", "okf-verify") == ["Failed"]
    before = bundle.snapshot()
    run("--all-files")
    assert bundle.snapshot() == before, "a hook writes nothing"


def test_hook_03_sync_and_fresh_run_by_hand(bundle: GitRepo, framework: Framework) -> None:
    """The source is a port where nothing listens: looking is no failure, syncing is one, and neither writes."""
    settings = hooking.CONFIG.replace("https://docs.example.com/", "http://127.0.0.1:9/") + "    page_timeout: 1\n"
    bundle.write(".okf.yaml", settings)
    config = framework.config({"id": "okf-fresh"}, {"id": "okf-fresh", "args": ["--strict"]}, {"id": "okf-sync"})
    bundle.write(".pre-commit-config.yaml", config)
    bundle.git("commit", "--quiet", "--all", "--no-verify", "--message", "sources")
    head = bundle.git("rev-parse", "HEAD")
    done = pre_commit(bundle.path, framework.home, "run", "--hook-stage", "manual", "--all-files")
    assert results(done.stdout) == ["Passed", "Failed", "Failed"], done.stdout
    assert "? Not known: docs" in done.stdout
    assert bundle.git("rev-parse", "HEAD") == head
    assert bundle.git("status", "--porcelain") == ""
