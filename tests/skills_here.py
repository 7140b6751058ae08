"""A repository of skills, and one of ours that follows it by the command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import GitRepo, Ran, Run
from git_http import GitServer, git_server
from packaged import MIT, skill
from upstreams import Content, Exec, Upstream

CONFIG = """version: 1
sources:
  skills:
    kind: skills
    url: {url}
    paths: ["skills/*"]
    packages: vendor/skills
    bundle: okf/skills
"""

FIRST: dict[str, Content] = {
    "skills/pdf/SKILL.md": skill("pdf", "# PDF\n\nSee [run](scripts/run.sh).\n"),
    "skills/pdf/scripts/run.sh": Exec("#!/bin/sh\n"),
    "skills/pdf/LICENSE": MIT,
    "skills/docx/SKILL.md": skill("docx", "# DOCX\n"),
    "skills/docx/LICENSE": MIT,
}


@dataclass
class Here:
    """Our repository, theirs, and the command."""

    repo: GitRepo
    server: GitServer
    upstream: Upstream
    okf: Run

    def sync(self, *args: str, code: int = 0) -> Ran:
        self.server.forget()
        ran = self.okf("sync", *args)
        assert ran.code == code, ran.out + ran.err
        return ran

    def listed(self, where: str = "vendor/skills") -> dict[str, str]:
        """Modes and blob ids below a directory, in the last commit."""
        lines = self.repo.git("ls-tree", "-r", "HEAD", f"{where}/").split("\n")
        return {
            line.split("\t")[1].removeprefix(f"{where}/"): " ".join(line.split("\t")[0].split()[::2])
            for line in lines
            if line
        }

    def theirs(self, commit: str) -> dict[str, str]:
        """The same of the upstream's packages."""
        lines = self.upstream.git("ls-tree", "-r", commit, "skills/").split("\n")
        return {
            line.split("\t")[1].removeprefix("skills/"): " ".join(line.split("\t")[0].split()[::2]) for line in lines
        }


SERVERS = {"v2": (2, True), "v2-whole": (2, False), "v0": (0, True), "v0-whole": (0, False)}
"""Protocol, and whether blobs may be left out."""
everywhere = pytest.mark.parametrize("here", SERVERS.values(), ids=SERVERS, indirect=True)
"""A test that is to hold for every kind of server."""


@pytest.fixture
def here(repo: GitRepo, okf_here: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Here]:
    version, filters = getattr(request, "param", SERVERS["v2"])
    with git_server(tmp_path / "srv") as server:
        server.version = version
        upstream = Upstream.create(server.path("acme/skills"), filters=filters)
        upstream.commit(FIRST)
        repo.commit("configure", {".okf.yaml": CONFIG.format(url=server.url("acme/skills"))})
        yield Here(repo, server, upstream, okf_here)
