"""The lease on a remote: one holder across machines, never two; one taken over cannot push."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import GitRepo
from hanging import behind_ssh
from landing_steps import land
from remotes import Clock, bare_remote, clone_of

from git_okf.errors import GitRefused, LeaseBusy
from git_okf.store import grant as grants
from git_okf.store import process
from git_okf.store.push import Move, push
from git_okf.store.remote_lease import RemoteLease
from git_okf.store.repo import Repo

REF = "refs/okf/lease/docs"


@pytest.fixture
def bare(tmp_path: Path, repo: GitRepo) -> GitRepo:
    return bare_remote(repo, tmp_path / "remote.git")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process asked about runs on another machine."""
    monkeypatch.setattr(grants, "is_dead", lambda holder: False)


def take(repo: Repo, clock: Clock, **environ: str) -> RemoteLease:
    return RemoteLease.acquire(repo, "origin", "docs", clock=clock, environ=environ, renewing=False)


def said(bare: GitRepo) -> dict[str, object]:
    found = json.loads(bare.git("cat-file", "blob", REF))
    assert isinstance(found, dict)
    return found


def test_a_second_machine_is_told_who_holds_it_and_since_when(repo: GitRepo, bare: GitRepo, tmp_path: Path) -> None:
    clock, here, there = Clock(), Repo.open(repo.path), Repo.open(clone_of(bare, tmp_path / "there").path)
    with take(here, clock, CI_JOB_URL="https://ci.example/7") as held:
        with pytest.raises(LeaseBusy) as caught:
            take(there, clock)
        assert "docs is being synced by https://ci.example/7 since 2026-03-04T12:00:00Z" in caught.value.message
        assert "2026-03-04T12:10:00Z" in caught.value.hint
        assert held.generation == said(bare)["generation"] == 1
    assert said(bare)["token"] == ""
    with take(there, clock) as second:
        assert second.generation == 2


def test_a_renewal_that_hangs_does_not_keep_a_run_that_is_to_end(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = behind_ssh(repo, bare, tmp_path)
    monkeypatch.setenv("GIT_SSH_COMMAND", remote.ssh)
    lease = RemoteLease.acquire(
        Repo.open(repo.path),
        "origin",
        "docs",
        clock=lambda: datetime.now(UTC),
        environ={},
        lifetime=timedelta(seconds=1.5),
    )
    remote.hang()
    time.sleep(1.0)  # the renewal is under way
    began = time.monotonic()
    with pytest.raises(GitRefused):
        lease.release()
    assert time.monotonic() - began < 4.5
    assert said(bare)["token"] != ""


def test_taking_renewing_and_releasing_leave_no_object_here(repo: GitRepo, bare: GitRepo) -> None:
    clock, here = Clock(), Repo.open(repo.path)
    before = repo.snapshot()
    with take(here, clock) as lease:
        clock.pass_by(minutes=11)
        assert not lease.is_lost()
        assert said(bare)["expires"] == "2026-03-04T12:21:00+00:00"
    assert repo.snapshot() == before
    assert bare.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("step", ["releasing", "renewing"])
def test_state_06_an_expired_lease_is_taken_over_and_its_holder_cannot_push(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, elsewhere: None, step: str
) -> None:
    clock, here, there = Clock(), Repo.open(repo.path), Repo.open(clone_of(bare, tmp_path / "there").path)
    mine = take(here, clock)
    clock.pass_by(minutes=10)
    theirs = take(there, clock, CI_JOB_URL="https://ci.example/8")
    assert theirs.generation == 2
    old = str(here.head().commit)
    land(here, {"docs/a.md": b"a\n"})
    content = Move("refs/heads/main", str(here.head().commit), old)
    before = bare.git("for-each-ref")
    with (
        pytest.raises(LeaseBusy, match=r"taken over by https://ci\.example/8") as caught,
        getattr(mine, step)() as (lease, extra),
    ):
        push(here, "origin", [content, lease], extra=extra)
    assert caught.value.exit_code == 5
    assert mine.is_lost()
    mine.release()
    assert bare.git("for-each-ref") == before
    with theirs.releasing() as (let, extra):
        push(there, "origin", [let], extra=extra)


def test_a_lease_that_is_kept_by_a_push_is_held_for_its_whole_lifetime_again(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, elsewhere: None
) -> None:
    clock, here, there = Clock(), Repo.open(repo.path), Repo.open(clone_of(bare, tmp_path / "there").path)
    with take(here, clock) as held:
        clock.pass_by(minutes=9)
        with held.renewing() as (kept, extra):
            push(here, "origin", [kept], extra=extra)
        clock.pass_by(minutes=9)
        with pytest.raises(LeaseBusy):
            take(there, clock)
        assert not held.is_lost()
    assert said(bare)["token"] == ""


def test_state_06_a_holder_that_was_taken_over_hears_of_it_when_it_wakes(
    repo: GitRepo, bare: GitRepo, tmp_path: Path, elsewhere: None
) -> None:
    clock, here, there = Clock(), Repo.open(repo.path), Repo.open(clone_of(bare, tmp_path / "there").path)
    mine = take(here, clock)
    assert not mine.is_lost()
    clock.pass_by(minutes=10)
    with take(there, clock):
        assert mine.is_lost()
    mine.release()
    assert said(bare)["generation"] == 2


def test_a_holder_on_this_machine_that_died_holds_nothing(
    repo: GitRepo, bare: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, here = Clock(), Repo.open(repo.path)
    take(here, clock)
    monkeypatch.setattr(process, "_started", lambda pid: "" if pid == os.getpid() else "1")
    assert take(here, clock).generation == 2


def test_what_nobody_of_ours_wrote_is_no_lease(repo: GitRepo, bare: GitRepo) -> None:
    bare.git("update-ref", REF, bare.git("hash-object", "-w", "--stdin", input="not a lease"))
    with take(Repo.open(repo.path), Clock()) as lease:
        assert lease.generation == 1
