"""What the tests of hosts share: a clock that only sleeping moves, and a host's bare repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from forges.hub import Hub
from forges.waiting import Waiting


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    """A host with a bare repository that has one commit on main."""
    made = Hub(tmp_path / "docs.git")
    made.repo.mkdir()
    made.git("init", "--quiet", "--bare", "--initial-branch=main", str(made.repo))
    made.edit("main", {"docs/a.md": "one\n"}, "Begin")
    return made
