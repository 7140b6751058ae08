"""A repository of skills on a real git server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_http import git_server
from skilled import Skills
from upstreams import Upstream


@pytest.fixture
def skills(tmp_path: Path) -> Iterator[Skills]:
    with git_server(tmp_path / "srv") as server:
        upstream = Upstream.create(server.path("acme/skills"))
        yield Skills(server=server, upstream=upstream, scratch=tmp_path / "scratch")
