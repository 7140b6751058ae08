"""The git server of the tests is a git server, and tells what it was asked."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import GitRepo
from git_http import GitServer, git_server
from upstreams import Content, Exec, Link, Submodule, Upstream, lfs_pointer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    with git_server(tmp_path / "srv") as served:
        yield served


@pytest.fixture
def upstream(server: GitServer) -> Upstream:
    return Upstream.create(server.path("acme/skills"))


def ask(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *args], check=False, text=True, capture_output=True)


@pytest.mark.parametrize(("version", "kinds"), [(0, ["advert"]), (2, ["advert", "ls-refs"])])
def test_refs_are_listed_in_both_protocols(
    server: GitServer, upstream: Upstream, version: int, kinds: list[str]
) -> None:
    server.version = version
    commit = upstream.commit({"a.md": "a\n"})
    assert ask("ls-remote", server.url("acme/skills"), "HEAD").stdout == f"{commit}\tHEAD\n"
    assert server.kinds() == kinds
    assert server.log[0].protocol == "version=2"


@pytest.mark.parametrize("version", [0, 2])
def test_a_clone_holds_what_was_committed(server: GitServer, upstream: Upstream, tmp_path: Path, version: int) -> None:
    server.version = version
    odd = b'caf\xe9 "x".txt'
    files: dict[str | bytes, Content] = {
        "a.md": "a\n",
        "run.sh": Exec("#!/bin/sh\n"),
        "link": Link("a.md"),
        "sub": Submodule(),
        odd: b"\x00\xff",
    }
    commit = upstream.commit({**files, "big.bin": lfs_pointer()})
    assert ask("clone", "--quiet", "--depth=1", server.url("acme/skills"), str(tmp_path / "clone")).returncode == 0
    listed = GitRepo(tmp_path / "clone").git("ls-tree", "-r", commit)
    modes = {line.split("\t")[1]: line.split()[0] for line in listed.split("\n")}
    assert modes == {
        "a.md": "100644",
        "big.bin": "100644",
        '"caf\\351 \\"x\\".txt"': "100644",
        "link": "120000",
        "run.sh": "100755",
        "sub": "160000",
    }
    assert set(server.wants()) == {commit}


def test_a_push_arrives(server: GitServer, upstream: Upstream, repo: GitRepo) -> None:
    commit = repo.commit("one", {"a.md": "x" * 2_000_000})
    repo.git("push", "--quiet", server.url("acme/skills"), "main")
    assert upstream.git("rev-parse", "main") == commit
    assert set(server.kinds()) == {"advert", "push"}


def test_faults_happen_once_each_and_are_logged(server: GitServer, upstream: Upstream) -> None:
    upstream.commit({"a.md": "a\n"})
    server.fault("advert", skip=1, status=503)
    server.fault("ls-refs", skip=1, cut=10)
    assert [ask("ls-remote", server.url("acme/skills")).returncode for _ in range(4)] == [0, 128, 128, 0]
    assert [r.status for r in server.log] == [200, 200, 503, 200, 200, 200, 200]
    server.fault("advert", drop=True)
    assert ask("ls-remote", server.url("acme/skills")).returncode == 128
    assert server.log[-1].status == 0


def test_a_renamed_repository_redirects(server: GitServer, upstream: Upstream) -> None:
    commit = upstream.commit({"a.md": "a\n"})
    server.rename("acme/skills", "umbrella/tools")
    done = ask("ls-remote", server.url("acme/skills"), "HEAD")
    assert done.stdout == f"{commit}\tHEAD\n"
    assert f"redirecting to {server.url('umbrella/tools')}" in done.stderr


def test_credentials_are_asked_for(server: GitServer, upstream: Upstream, hermetic: Path) -> None:
    upstream.commit({"a.md": "a\n"})
    server.credentials = ("reader", "s3cret")
    assert ask("ls-remote", server.url("acme/skills")).returncode == 128
    helper = "!f() { echo username=reader; echo password=s3cret; }; f"
    assert ask("-c", f"credential.helper={helper}", "ls-remote", server.url("acme/skills")).returncode == 0


def test_a_force_push_loses_the_old_history(server: GitServer, upstream: Upstream) -> None:
    old = upstream.commit({"a.md": "a\n"})
    new = upstream.commit({"b.md": "b\n"}, orphan=True)
    assert upstream.git("rev-list", "main") == new
    assert upstream.git("cat-file", "-t", old) == "commit"
    upstream.collect()
    assert upstream.git("cat-file", "-t", old, check=False) == ""
    assert upstream.git("ls-tree", "--name-only", new) == "b.md"


def test_the_same_calls_make_the_same_ids(tmp_path: Path) -> None:
    made = [Upstream.create(tmp_path / name).commit({"a": "1", "b/c": "2"}) for name in ("one.git", "two.git")]
    assert made[0] == made[1]
