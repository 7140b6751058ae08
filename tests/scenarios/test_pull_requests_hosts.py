"""The same nights at every host, and pushes through `git http-backend`."""

from __future__ import annotations

import shutil

import pytest
from conftest import GitRepo
from git_http import git_server
from nightly import BRANCH, HOSTS, Make, Team

WITH_API = tuple(host for host in HOSTS if host != "none")


@pytest.mark.parametrize("host", WITH_API)
def test_nights_at_a_host(assemble: Make, host: str) -> None:
    """Opened, quiet, superseded, rejected, another content, squashed, quiet."""
    team = assemble(host, more=", labels: [okf-sync]")
    team.hub.page_size = 1
    assert team.decision() == "nothing"
    team.put("a", "Two.")
    report = team.pr()
    assert (report["review"]["decision"], report["review"]["number"]) == ("create", 1)
    assert "/acme/docs/" in report["review"]["url"]
    (pull,) = team.hub.open_pulls()
    assert (pull.title, pull.base, pull.branch, pull.labels) == ("sync: +0 -0 =1 (docs)", "main", BRANCH, ["okf-sync"])
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    assert team.decision() == "update"
    assert "+Three." in team.hub.pulls[1].body
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"
    team.hub.delete_branch(BRANCH)
    team.hub.rename("acme/manual")
    team.night()
    with team.silence():
        assert team.decision() == "leave (rejected)"
    team.put("a", "Four.")
    assert team.decision() == "create"
    assert [p.number for p in team.hub.open_pulls()] == [2]
    team.hub.squash(2)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("SUPERSEDED", 1), ("REJECTED", 1), ("APPROVED", 2)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


@pytest.mark.parametrize("host", WITH_API)
def test_people_at_a_host(assemble: Make, host: str) -> None:
    """A commit on the branch, "Update branch", close and reopen, back to the base."""
    team = assemble(host)
    team.put("a", "Two.")
    team.decision()
    team.hub.edit("main", {"README.md": "By hand.\n"})
    team.hub.update_branch(1)
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    commit = team.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"
    team.hub.reopen(1)
    team.put("b", "Two.")
    team.night()
    assert team.decision() == "update"
    assert team.hub.reaches(commit, BRANCH)
    for page in "ab":
        team.put(page, f"One of {page}.")
    team.night()
    assert team.decision() == "leave (edited by a person)"
    assert team.hub.reaches(commit, BRANCH)
    team.hub.merge(1)
    team.night()
    assert team.hub.git("show", "main:NOTES.md") == "By hand."
    assert team.decision() == "create", "the merge brought what the source took back"


@pytest.mark.parametrize("host", WITH_API)
def test_the_issue_about_a_guard_at_a_host(assemble: Make, host: str) -> None:
    team = assemble(host)
    for name in "defg":
        team.put(name, f"One of {name}.")
    team.decision()
    team.hub.squash(1)
    team.decision()
    kept = dict(team.sources["docs"].items)
    for name in "abcde":
        team.drop(name)
    team.pr("--report-issue", code=1)
    (issue,) = team.hub.issues.values()
    assert issue.open and issue.labels == ["okf-guard"]
    team.night()
    with team.silence():
        team.pr("--report-issue", code=1)
    team.sources["docs"].items = kept
    assert team.decision("--report-issue") == "nothing"
    assert [each.open for each in team.hub.issues.values()] == [False]


# --- no host ---


@pytest.fixture
def alone(assemble: Make) -> Team:
    """No host: the pushed branch is the review."""
    return assemble("none")


def test_without_a_host_the_branch_is_the_review(alone: Team) -> None:
    alone.put("a", "Two.")
    ran = alone.job()
    assert ran.out == f"✓ Pushed: docs  (sync: +0 -0 =1 (docs))\n  {BRANCH}\n"
    alone.night()
    with alone.silence():
        assert alone.decision() == "nothing"
    alone.put("a", "Three.")
    assert alone.decision() == "update"
    assert alone.subjects() == ["sync: +0 -0 =1 (docs)"]
    commit = alone.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    alone.put("b", "Two.")
    alone.night()
    assert alone.decision() == "update"
    assert alone.hub.reaches(commit, BRANCH)
    assert alone.targets() == [("SUPERSEDED", 0), ("SUPERSEDED", 0), ("PENDING", 0)]
    assert alone.server.log == []


@pytest.mark.parametrize("how", ["merge", "squash", "merged and deleted"])
def test_without_a_host_the_base_tells_what_was_merged(alone: Team, how: str) -> None:
    alone.put("a", "Two.")
    alone.decision()
    alone.hub.new_pull("by hand", "", BRANCH, "main", "pat")
    alone.hub.squash(1) if how == "squash" else alone.hub.merge(1)
    if how == "merged and deleted":
        alone.hub.delete_branch(BRANCH)
    alone.night()
    assert alone.decision() == ("close (obsolete)" if how == "squash" else "nothing")
    assert alone.targets() == [("APPROVED", 0)]
    alone.night()
    with alone.silence():
        assert alone.decision() == "nothing"
    alone.put("a", "Three.")
    assert alone.decision() == "create"


def test_without_a_host_a_deleted_branch_is_a_rejection(alone: Team) -> None:
    alone.put("a", "Two.")
    alone.decision()
    alone.hub.delete_branch(BRANCH)
    alone.night()
    assert alone.decision() == "leave (rejected)"
    assert alone.targets() == [("REJECTED", 0)]
    alone.night()
    alone.fresh()
    with alone.silence():
        assert alone.decision() == "leave (rejected)"
    alone.put("a", "Three.")
    assert alone.decision() == "create"


def test_without_a_host_a_source_that_went_back_takes_its_branch_away(alone: Team) -> None:
    alone.put("a", "Two.")
    alone.decision()
    alone.put("a", "One of a.")
    alone.night()
    assert alone.decision() == "close (obsolete)"
    assert alone.hub.branch(BRANCH) is None
    assert alone.targets() == [("SUPERSEDED", 0)]


def test_without_a_host_reviews_count_towards_high_water(assemble: Make) -> None:
    team = assemble("none", names={"docs": "", "blog": ""}, more=", high_water: 1, low_water: 1")
    team.put("a", "Two.")
    team.put("a", "Two.", of="blog")
    assert team.decisions() == {"docs": "create", "blog": "leave (backlog)"}
    team.put("a", "Three.")
    team.night()
    assert team.decisions() == {"docs": "update", "blog": "leave (backlog)"}
    team.hub.delete_branch("okf/sync/docs")
    team.night()
    assert team.decisions() == {"docs": "leave (rejected)", "blog": "create"}


# --- git over HTTP ---


def test_pushes_go_through_git_http_backend_and_credentials_are_shown_nowhere(team: Team) -> None:
    with git_server(team.home / "srv") as server:
        there = server.path("acme/docs")
        there.parent.mkdir(parents=True)
        shutil.move(team.hub.repo, there)
        team.hub.repo = there
        team.hub.git("config", "http.receivepack", "true")
        server.credentials = ("robot", "s3cret-of-the-robot")
        url = server.url("acme/docs").replace("://", "://robot:s3cret-of-the-robot@")
        path = team.home / "over-http"
        team.repo.git("clone", "--quiet", "--depth=1", url, str(path))
        team.repo = GitRepo(path)
        team.put("a", "Two.")
        ran = team.job("--json")
        assert ran.code == 0, ran.err
        assert "s3cret" not in ran.out + ran.err
        assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
        assert [p.number for p in team.hub.open_pulls()] == [1]
        assert "s3cret" not in team.hub.pulls[1].body
        assert "push" in server.kinds()
        commit = team.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
        team.put("b", "Two.")
        team.night()
        assert team.decision() == "update"
        assert team.hub.reaches(commit, BRANCH)
        team.night()
        with team.silence():
            assert team.decision() == "nothing"
        server.forget()
        server.fault("push", status=403, times=None)
        team.put("b", "Three.")
        report = team.pr(code=128)
        assert "s3cret" not in str(report)
