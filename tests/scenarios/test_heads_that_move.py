"""A head that moves without touching anything of ours: one commit of the state says that it was seen, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Run
from git_http import GitServer, git_server
from offered import BRANCH, FIRST, Office
from packaged import skill
from upstreams import Content, Upstream

STATE = "refs/heads/okf/state"
KINDS: dict[str, dict[str, Any]] = {
    "git": {"kind": "git", "include": ["skills/**/*.md"]},
    "skills": {"kind": "skills", "packages": "vendor/skills"},
}
ELSEWHERE: dict[str, Content] = {"README.md": "# News\n", "src/main.py": "print(1)\n"}


@dataclass
class Follower:
    """A repository that follows another one."""

    repo: GitRepo
    server: GitServer
    upstream: Upstream
    okf: Run

    def sync(self, *args: str) -> dict[str, Any]:
        self.server.forget()
        ran = self.okf("sync", "--json", *args)
        assert ran.code == 0, ran.out + ran.err
        report: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return report

    def refs(self) -> dict[str, str]:
        lines = self.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)

    def facts(self) -> dict[str, Any]:
        text = self.repo.git("show", f"{STATE}:it/source.json")
        found: dict[str, Any] = json.loads(text)
        return found


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def follower(repo: GitRepo, okf_here: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Follower]:
    with git_server(tmp_path / "srv") as server:
        upstream = Upstream.create(server.path("acme/it"))
        upstream.commit(FIRST)
        source = {**request.param, "url": server.url("acme/it"), "bundle": "okf"}
        repo.commit("configure", {".okf.yaml": json.dumps({"version": 1, "sources": {"it": source}})})
        made = Follower(repo, server, upstream, okf_here)
        made.sync()
        yield made


@pytest.mark.parametrize("args", [(), ("--head-only",)], ids=["sync", "head-only"])
def test_it_costs_one_commit_of_the_state_and_nothing_else(follower: Follower, args: tuple[str, ...]) -> None:
    before, facts, files = follower.refs(), follower.facts(), follower.repo.snapshot()
    head = follower.upstream.commit(ELSEWHERE)
    report = follower.sync(*args)
    assert report["commit"] is None
    after = follower.refs()
    assert {name for name in after if after[name] != before.get(name)} == {STATE}
    assert follower.repo.git("rev-list", f"{before[STATE]}..{after[STATE]}").split() == [after[STATE]]
    changed = follower.repo.git("diff", "--name-only", before[STATE], after[STATE]).split()
    assert changed == ["it/source.json"]
    assert follower.facts()["watermarks"]["last_observed"] == head
    kept = {key: value for key, value in follower.repo.snapshot().items() if files.get(key) != value}
    assert set(kept) == {"refs", "objects"}, "no file, no index"
    if args:
        was = facts["watermarks"]["last_fully_processed"]
        assert follower.facts()["watermarks"]["last_fully_processed"] == was, "to look is not to process"
    else:
        assert follower.facts()["watermarks"]["last_fully_processed"] == head


@pytest.mark.parametrize("args", [(), ("--head-only",)], ids=["sync", "head-only"])
def test_seen_again_it_costs_one_look_and_no_commit(follower: Follower, args: tuple[str, ...]) -> None:
    follower.upstream.commit(ELSEWHERE)
    follower.sync(*args)
    before = follower.repo.snapshot()
    assert follower.sync(*args)["requests"] == 1
    assert follower.server.kinds() == ["advert", "ls-refs"]
    assert follower.repo.snapshot() == before


def test_no_blob_is_asked_for(follower: Follower) -> None:
    follower.upstream.commit(ELSEWHERE)
    report = follower.sync()
    assert (report["requests"], report["bytes"]) == (2, 0)
    assert follower.server.wants() == [follower.upstream.git("rev-parse", "main")]


def test_a_nightly_job_remembers_it_too(office: Office) -> None:
    before = office.refs()
    head = office.commit({"README.md": "news\n"})
    assert office.decision() == "nothing"
    after = office.refs()
    assert {name for name in after if after[name] != before.get(name)} == {STATE}
    assert office.state().watermarks["last_observed"] == head
    assert office.decision() == "nothing"
    assert (office.refs(), office.server.kinds()) == (after, ["advert", "ls-refs"])


def test_while_a_review_is_open_it_is_remembered_and_the_review_left_alone(office: Office) -> None:
    office.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    office.decision()
    before = office.refs()
    office.commit({"README.md": "news\n"})
    assert office.decision() == "nothing"
    after = office.refs()
    assert {name for name in after if after[name] != before.get(name)} == {STATE}
    assert after[f"refs/heads/{BRANCH}"] == before[f"refs/heads/{BRANCH}"]
    assert office.decision() == "nothing"
    assert office.refs() == after
