"""Repositories that want credentials: git's own helpers have them, and nothing here ever does."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Ran, Run
from git_http import GitServer, git_server
from offered import FIRST
from packaged import skill
from upstreams import Upstream

USER, SECRET = "reader", "pw-7f3a9c51e0d24b68"
HIDDEN = (SECRET, base64.b64encode(f"{USER}:{SECRET}".encode()).decode())
KINDS: dict[str, dict[str, Any]] = {
    "git": {"kind": "git", "include": ["skills/**/*.md"]},
    "skills": {"kind": "skills", "packages": "vendor/skills"},
}


@dataclass
class Private:
    """A repository of ours that follows one which wants a password."""

    repo: GitRepo
    server: GitServer
    upstream: Upstream
    okf: Run
    home: Path
    said: list[str] = field(default_factory=list)

    def run(self, *args: str, code: int = 0) -> Ran:
        ran = self.okf(*args)
        assert ran.code == code, ran.out + ran.err
        self.said += [ran.out, ran.err]
        return ran

    def helper(self, password: str) -> None:
        """A credential helper of the person's own, a script in their home."""
        script = self.home / "helper.sh"
        script.write_text(f"#!/bin/sh\necho username={USER}\necho password={password}\n")
        script.chmod(0o755)
        (self.home / ".gitconfig").write_text(f"[credential]\n\thelper = {script}\n")

    def traces(self) -> list[str]:
        """Everything here that holds what must not be known: files, git objects, what was printed."""
        found = [str(path) for path in self.repo.path.rglob("*") if path.is_file() and _tells(path.read_bytes())]
        for directory in (self.repo.path / ".git", *(self.repo.path / ".git/okf").rglob("mirror.git")):
            objects = subprocess.run(
                ["git", "--git-dir", str(directory), "cat-file", "--batch-all-objects", "--batch", "--unordered"],
                check=True,
                capture_output=True,
            )
            assert objects.stdout
            found += [f"objects of {directory}"] if _tells(objects.stdout) else []
        return found + [text for text in self.said if _tells(text.encode())]


def _tells(data: bytes) -> bool:
    return any(word.encode() in data for word in HIDDEN)


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def private(
    repo: GitRepo, okf: Run, tmp_path: Path, hermetic: Path, request: pytest.FixtureRequest
) -> Iterator[Private]:
    with git_server(tmp_path / "srv") as server:
        upstream = Upstream.create(server.path("acme/it"))
        upstream.commit(FIRST)
        server.credentials = (USER, SECRET)
        source = {**request.param, "url": server.url("acme/it"), "bundle": "okf"}
        repo.commit("configure", {".okf.yaml": json.dumps({"version": 1, "sources": {"it": source}})})
        yield Private(repo, server, upstream, okf, hermetic)


def test_credentials_come_from_gits_helpers_and_are_nowhere_afterwards(private: Private) -> None:
    denied = private.run("sync", "it", code=4)
    assert "wants credentials" in denied.err and "git ls-remote" in denied.err
    private.helper(SECRET)
    private.run("sync", "it", "-v")
    assert (private.repo.path / "okf/index.md").is_file()
    private.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    private.run("sync", "it", "--head-only", "--json")
    private.run("sync", "it", "--json")
    for question in (("status",), ("log",), ("verify",), ("plan",), ("explain", "skills/pdf/SKILL.md")):
        private.run(*question)
    private.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# 3\n")})
    private.server.fault("fetch", status=500, times=None)
    private.run("sync", "it", "-v", code=4)
    private.server.heal()
    private.server.credentials = (USER, "another")
    private.run("sync", "it", code=4)
    assert len(private.server.log) > 8
    assert private.traces() == []


def test_an_address_with_a_password_in_it_is_refused_and_not_repeated(private: Private) -> None:
    base = private.server.url("acme/it").replace("http://", f"http://{USER}:{SECRET}@")
    for command in (("add", base, "--kind", "git", "-o", "more"), ("add", base, "--kind", "skills", "-o", "more")):
        private.run(*command, code=2)
    assert private.traces() == []
