"""`git okf pr` as a CI job runs it every night: a real remote, a host that behaves like GitHub, people who review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo
from forges.github import API_PREFIX, GitHubApi
from forges.hub import TOKEN, Hub
from forges.server import serving
from scenario import Docs

BRANCH = "okf/sync/docs"


class Team:
    """A repository with a bundle at a host, and the nightly job."""

    def __init__(self, docs: Docs, hub: Hub) -> None:
        self.docs, self.hub = docs, hub

    def pr(self, *args: str, code: int = 0) -> dict[str, Any]:
        """One run of the job; its report."""
        ran = self.docs.run("pr", "--json", *args)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        report: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return report

    def decision(self, *args: str, code: int = 0) -> str:
        return str(self.pr(*args, code=code)["review"]["decision"])

    def on(self, branch: str, path: str = "docs/pages/docs/a.md") -> str:
        return self.hub.git("show", f"{branch}:{path}")


@pytest.fixture
def team(docs: Docs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    docs.build("a", "b", "c")
    bare = tmp_path / "remote.git"
    docs.repo.git("clone", "--quiet", "--bare", str(docs.repo.path), str(bare))
    docs.repo.git("remote", "add", "origin", str(bare))
    hub = Hub(bare)
    with serving(GitHubApi(hub)) as server:
        text = docs.repo.path.joinpath(".okf.yaml").read_text()
        text += f"review: {{forge: github, repository: acme/docs, base: main, api_url: {server.url}{API_PREFIX}}}\n"
        docs.repo.commit("configure reviews", {".okf.yaml": text})
        docs.repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield Team(docs, hub)


def test_a_change_becomes_a_pull_request_and_a_second_run_is_quiet(team: Team) -> None:
    assert team.decision() == "nothing"
    team.docs.put("a", version=2)
    assert team.decision() == "create"
    (pull,) = team.hub.open_pulls()
    assert (pull.title, pull.base, pull.branch) == ("sync: +0 -0 =1 (docs)", "main", BRANCH)
    assert "docs/pages/docs/a.md" in pull.body
    before = team.hub.git("for-each-ref")
    assert team.decision() == "nothing"
    assert [line for line in team.hub.git("for-each-ref").splitlines() if "lease" not in line] == [
        line for line in before.splitlines() if "lease" not in line
    ]
