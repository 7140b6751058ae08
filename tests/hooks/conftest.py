"""Teams on each of the hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hooks.team import Team, team_at
from scenario import Docs


@pytest.fixture
def at_github(docs: Docs, tmp_path: Path) -> Iterator[Team]:
    with team_at("github", docs, tmp_path) as team:
        yield team


@pytest.fixture
def at_gitlab(docs: Docs, tmp_path: Path) -> Iterator[Team]:
    with team_at("gitlab", docs, tmp_path) as team:
        yield team


@pytest.fixture
def at_gitea(docs: Docs, tmp_path: Path) -> Iterator[Team]:
    with team_at("gitea", docs, tmp_path) as team:
        yield team
