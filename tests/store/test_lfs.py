"""Contents that git-lfs keeps, judged by git-lfs."""

from __future__ import annotations

import hashlib

import pytest
from conftest import GitRepo

from git_okf import digest
from git_okf.errors import GitRefused
from git_okf.store import lfs
from git_okf.store.repo import Repo

DATA = bytes(range(256)) * 9000


def test_a_pointer_is_the_one_that_git_lfs_makes(repo: GitRepo) -> None:
    repo.git("lfs", "install", "--local")
    repo.write("a.bin", DATA)
    assert repo.git("lfs", "pointer", "--file=a.bin").endswith(digest.lfs_pointer(DATA).decode().rstrip("\n"))


def test_a_content_is_kept_where_git_lfs_finds_it_and_once(repo: GitRepo) -> None:
    common = repo.path / ".git"
    lfs.keep(common, DATA)
    (path,) = [path for path in (common / "lfs/objects").rglob("*") if path.is_file()]
    assert path.name == hashlib.sha256(DATA).hexdigest() and path.read_bytes() == DATA
    before = path.stat().st_mtime_ns
    lfs.keep(common, DATA)
    assert path.stat().st_mtime_ns == before


def test_a_content_that_was_cut_short_is_kept_anew(repo: GitRepo) -> None:
    lfs.keep(repo.path / ".git", DATA)
    (path,) = [path for path in (repo.path / ".git/lfs/objects").rglob("*") if path.is_file()]
    path.write_bytes(DATA[:9])
    lfs.keep(repo.path / ".git", DATA)
    assert path.read_bytes() == DATA


def test_a_repository_that_would_check_out_pointers_is_refused_with_the_way_out(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    with pytest.raises(GitRefused) as refused:
        lfs.check(opened, "blog/large/**")
    assert refused.value.hint == "git lfs install"
    repo.git("lfs", "install", "--local")
    with pytest.raises(GitRefused) as refused:
        lfs.check(Repo.open(repo.path), "blog/large/**")
    assert refused.value.hint.startswith("git lfs track 'blog/large/**'")
    repo.git("lfs", "track", "blog/large/**")
    lfs.check(Repo.open(repo.path), "blog/large/**")
