"""Which remote a review is looked for, pushed to and leased at: the one that is configured, and no other."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import GitRepo
from hanging import behind_ssh, wait_for_git
from nightly import BRANCH, Make, Team
from remotes import clone_of

from git_okf import manage
from git_okf.errors import Interrupted
from git_okf.lookup import statuses
from git_okf.store.repo import Repo

PATIENCE_S = 10.0


@pytest.fixture
def fork(assemble: Make) -> Team:
    """The job runs in the clone of a fork, `origin`; reviews go to `upstream`. The branch of the review, where it comes
    to be, would follow the fork's."""
    team = assemble(more=", remote: upstream")
    clone_of(GitRepo(team.hub.repo), team.home / "fork.git", "--bare")
    team.repo.git("remote", "rename", "origin", "upstream")
    team.repo.git("remote", "add", "origin", str(team.home / "fork.git"))
    for branch in ("main", BRANCH):
        team.repo.git("config", f"branch.{branch}.remote", "origin")
        team.repo.git("config", f"branch.{branch}.merge", f"refs/heads/{branch}")
    return team


def refs_of(bare: Path) -> str:
    return GitRepo(bare).git("for-each-ref")


def test_everything_of_a_review_goes_to_the_remote_that_is_configured_and_nothing_to_another(fork: Team) -> None:
    before = refs_of(fork.home / "fork.git")
    held: list[str] = []
    fork.sources["docs"].during = lambda key: held.append(fork.hub.git("for-each-ref", "refs/okf/lease/docs"))
    fork.put("a", "Two.")
    assert fork.decision() == "create"
    assert held[0] and fork.subjects() == ["sync: +0 -0 =1 (docs)"]
    fork.put("a", "Three.")
    fork.night()
    assert fork.decision() == "update"
    commit = fork.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    fork.put("b", "Two.")
    fork.night()
    assert fork.decision() == "update"
    assert fork.hub.reaches(commit, BRANCH)
    fork.hub.close(1)
    fork.night()
    assert fork.decision() == "leave (rejected)"
    assert fork.targets() == [("SUPERSEDED", 1), ("SUPERSEDED", 1), ("REJECTED", 1)]
    assert refs_of(fork.home / "fork.git") == before


def test_what_a_source_took_back_is_dropped_from_the_remote_that_is_configured(fork: Team) -> None:
    before = refs_of(fork.home / "fork.git")
    fork.put("a", "Two.")
    fork.decision()
    fork.put("a", "One of a.")
    fork.night()
    assert fork.decision() == "close (obsolete)"
    assert fork.hub.branch(BRANCH) is None
    assert refs_of(fork.home / "fork.git") == before


def test_what_an_interrupted_run_leaves_is_at_the_remote_that_is_configured(fork: Team) -> None:
    before = refs_of(fork.home / "fork.git")
    fork.put("a", "Two.")

    def interrupt(key: str) -> None:
        if key.endswith("/b"):
            raise Interrupted("interrupted", "run it again")

    fork.sources["docs"].during = interrupt
    assert fork.job().code == 130
    assert fork.hub.git("for-each-ref", "refs/okf/checkpoint/docs")
    fork.sources["docs"].during = lambda key: None
    fork.fresh("--depth=1", "--origin=upstream")
    assert fork.decision() == "create"
    assert fork.hub.git("for-each-ref", "refs/okf/checkpoint") == ""
    assert refs_of(fork.home / "fork.git") == before


def test_the_success_of_a_quiet_run_elsewhere_is_asked_for_where_reviews_are(fork: Team) -> None:
    here = Repo.open(fork.repo.path, reading=True)
    fork.fresh("--depth=1", "--origin=upstream")
    fork.night(days=5)
    with fork.silence():
        assert fork.decision() == "nothing"
    found = statuses.status(here, manage.read_config(here, None), [], fork.clock(), timedelta(days=2))
    assert (found.late, found.sources[0].last_success[:10]) == ((), "2026-03-09")


def test_a_remote_that_is_pushed_elsewhere_than_it_is_fetched_from_is_looked_at_there(team: Team) -> None:
    mirror = clone_of(GitRepo(team.hub.repo), team.home / "mirror.git", "--bare")
    team.repo.git("remote", "set-url", "origin", str(mirror.path))
    team.repo.git("remote", "set-url", "--push", "origin", str(team.hub.repo))
    before = refs_of(mirror.path)
    team.put("a", "Two.")
    assert team.decision() == "create"
    team.hub.squash(1)
    team.night()
    assert team.decision() == "nothing"
    team.put("a", "Three.")
    team.night()
    assert team.decision() == "create"
    assert (team.subjects(), team.on(BRANCH)) == (["sync: +0 -0 =1 (docs)"], "Three.")
    assert refs_of(mirror.path) == before


def test_a_remote_that_is_two_repositories_is_refused_before_the_host_is_asked(team: Team) -> None:
    team.repo.git("remote", "set-url", "--add", "--push", "origin", str(team.hub.repo))
    team.repo.git("remote", "set-url", "--add", "--push", "origin", str(team.home / "other.git"))
    ran = team.job()
    assert ran.code == 128
    assert "origin is pushed to 2 repositories at once" in ran.err
    assert (team.requests(), team.asked) == ([], [])


def test_a_commit_that_only_this_clone_has_is_to_be_pushed_where_reviews_are(fork: Team) -> None:
    fork.put("a", "Two.")
    fork.decision()
    fork.repo.git("switch", "--quiet", BRANCH)
    fork.repo.commit("By hand", {"NOTES.md": "By hand.\n"})
    fork.repo.git("switch", "--quiet", "main")
    fork.put("a", "Three.")
    ran = fork.job()
    assert ran.code == 128
    assert f"git push upstream {BRANCH}" in ran.err


def test_a_remote_that_does_not_answer_does_not_keep_a_job_that_is_to_end(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = behind_ssh(team.repo, GitRepo(team.hub.repo), team.home)
    monkeypatch.setenv("GIT_SSH_COMMAND", remote.ssh)
    remote.hang()
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "pr"], cwd=team.repo.path, stderr=subprocess.PIPE, text=True
    )
    wait_for_git(process.pid, remote.ssh)
    process.send_signal(signal.SIGTERM)
    sent = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - sent < PATIENCE_S
    assert process.returncode == 130, said
    assert "interrupted; the next run" in said and "Traceback" not in said
