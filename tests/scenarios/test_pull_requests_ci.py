"""The whole path as a CI job goes it: an empty folder, a clone of one commit, an installation, one command."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from forges.github import GitHubApi
from forges.hub import TOKEN, Hub
from forges.server import serving
from scenario import Docs

ROOT = Path(__file__).parents[2]
JOB = """\
git clone --quiet --depth=1 "$REMOTE" checkout
cd checkout
PATH="$VENV/bin:$PATH" git okf pr
"""


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own with git-okf as `pip` builds and installs it; its dependencies are the tests' own."""
    made = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
    python = made / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", where], check=True, text=True, capture_output=True).stdout.strip()
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = ("install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed", str(ROOT))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", *install],
        check=False,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert Path(site, "git_okf").is_dir()
    return made


class Ci:
    """A runner that begins with nothing every time."""

    def __init__(self, remote: Path, venv: Path, api: str, home: Path) -> None:
        self.home, self.jobs = home, 0
        self.env = {
            **os.environ,
            "REMOTE": f"file://{remote}",
            "VENV": str(venv),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": "acme/docs",
            "GITHUB_TOKEN": TOKEN,
        }

    def job(self) -> dict[str, str]:
        """One job; its step summary and outputs, and what it printed."""
        self.jobs += 1
        folder = self.home / f"job-{self.jobs}"
        folder.mkdir(parents=True)
        files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        env = {**self.env, **{name: str(file) for name, file in files.items()}}
        done = subprocess.run(
            ["bash", "-e", "-c", JOB], cwd=folder, env=env, check=False, text=True, capture_output=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        said = {name: file.read_text() if file.exists() else "" for name, file in files.items()}
        assert TOKEN not in done.stdout + done.stderr + "".join(said.values())
        return {**said, "out": done.stdout}


def test_clone_install_pull_request_squash_and_a_quiet_night(docs: Docs, venv: Path, tmp_path: Path) -> None:
    docs.build("a", "b", "c")
    text = docs.repo.path.joinpath(".okf.yaml").read_text()
    docs.repo.commit("configure reviews", {".okf.yaml": f"{text}review: {{forge: github, base: main}}\n"})
    bare = tmp_path / "remote.git"
    docs.repo.git("clone", "--quiet", "--bare", str(docs.repo.path), str(bare))
    docs.repo.git("push", "--quiet", str(bare), "okf/state", "refs/notes/okf")
    hub = Hub(bare)
    with serving(GitHubApi(hub)) as server:
        ci = Ci(bare, venv, server.url, tmp_path / "runners")
        docs.put("a", version=2)
        docs.put("d")
        first = ci.job()
        assert "✓ Opened: docs  (sync: +1 -0 =1 (docs))" in first["out"]
        assert "create" in first["GITHUB_OUTPUT"]
        assert "docs" in first["GITHUB_STEP_SUMMARY"]
        hub.squash(1)
        assert "version 2" in hub.git("show", "main:docs/pages/docs/a.md")
        second = ci.job()
        assert "✓ Up to date: docs (the base has it all)" in second["out"]
        before, asked = refs(hub), len(server.log)
        docs.site.forget()
        third = ci.job()
        assert "✓ Up to date: docs (the base has it all)" in third["out"]
        assert refs(hub) == before
        assert [each.method for each in server.log[asked:]] == ["GET"] * 3
        assert docs.site.bodies("/docs/?*") == 0, "the server says 304"


def refs(hub: Hub) -> list[str]:
    return [line for line in hub.git("for-each-ref").splitlines() if "refs/okf/lease/" not in line]
