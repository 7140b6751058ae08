"""Upstream repositories behind the servers there are: protocol v0 and v2, with filters and without."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from git_http import GitServer, git_server
from upstreams import Upstream

from git_okf.source.repository.address import Address, parse
from git_okf.source.repository.mirror import Mirror
from git_okf.source.repository.transport import Transport

NAME = "acme/skills"


@dataclass(frozen=True, slots=True)
class Host:
    """A server, the one repository on it, and where its mirror goes."""

    server: GitServer
    upstream: Upstream
    scratch: Path

    @property
    def address(self) -> Address:
        return parse(self.server.url(NAME), Path("/"))

    @property
    def transport(self) -> Transport:
        return Transport(environ=dict(os.environ))

    def mirror(self, **options: int) -> Mirror:
        return Mirror(self.scratch / "mirror.git", self.transport, self.address, **options)


def make_host(tmp_path: Path, server: GitServer, *, version: int = 2, filters: bool = True) -> Host:
    server.version = version
    return Host(server, Upstream.create(server.path(NAME), filters=filters), tmp_path / "scratch")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    with git_server(tmp_path / "srv") as served:
        yield served


@pytest.fixture
def host(tmp_path: Path, server: GitServer) -> Host:
    """Protocol v2, filters: what GitHub, GitLab and Gitea are."""
    return make_host(tmp_path, server)


@pytest.fixture(params=[(2, True), (2, False), (0, True), (0, False)], ids=["v2", "v2-whole", "v0", "v0-whole"])
def any_host(request: pytest.FixtureRequest, tmp_path: Path, server: GitServer) -> Host:
    """Each kind of server. v0 gives no commit that no ref names, and no blob by its id."""
    version, filters = request.param
    return make_host(tmp_path, server, version=version, filters=filters)
