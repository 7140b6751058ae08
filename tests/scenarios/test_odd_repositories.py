"""Repositories as people have them: odd names, ignored bundles, other tools' branches and settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote
from scenario import Docs, assert_same, everything, paths, to_the_last_byte


@pytest.mark.parametrize("name", ["with space", "ünï 文档", 'it\'s "quoted" $HOME', "-dash", "a;b&c"])
def test_a_repository_may_have_any_name(docs: Docs, tmp_path: Path, name: str) -> None:
    other = GitRepo(tmp_path / name)
    other.path.mkdir()
    other.git("init", "--quiet")
    docs.put("a")
    docs.ok("build", docs.url, "-o", "docs", cwd=other.path)
    assert docs.ok("sync", cwd=other.path).out == "✓ Up to date: docs (2 unchanged)\n"
    assert other.git("status", "--porcelain") == ""
    docs.ok("verify", cwd=other.path)


@pytest.mark.parametrize(
    "bundle", ["with space/docs", "文档", "a'b", "[x]", "-docs", "docs*", "#docs", "~docs", ".docs"]
)
def test_a_bundle_may_have_any_name(docs: Docs, bundle: str) -> None:
    docs.put("a", "b")
    docs.ok("build", docs.url, "-o", f"./{bundle}", "--name", "docs")
    assert (docs.repo.path / bundle / "pages/docs/a.md").is_file()
    assert docs.repo.git("status", "--porcelain") == ""
    docs.put("a", version=2)
    docs.drop("b")
    assert docs.run("sync").code == 0
    assert docs.repo.git("status", "--porcelain") == ""
    docs.repo.write(f"{bundle}/pages/docs/a.md", "mine\n")
    assert docs.run("sync").code == 128
    docs.repo.git("checkout", "--quiet", "--", ".")
    docs.quiet()
    docs.ok("verify")
    docs.ok("show", f"./{bundle}/pages/docs/a.md")


def test_an_ignored_bundle_is_committed_all_the_same(docs: Docs) -> None:
    docs.repo.commit("ignore", {".gitignore": "docs/\n*.md\n.okf.yaml\n"})
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.drop("b")
    docs.sync()
    assert docs.concepts() == paths("", "a")
    assert "version 2" in docs.file("a").read_text()
    assert not docs.file("b").exists()
    docs.quiet()


def test_a_directory_that_git_does_not_track_is_not_swept_away(docs: Docs) -> None:
    docs.build("a", "sub/b")
    docs.repo.commit("ignore", {".gitignore": "*.tmp\n"})
    docs.repo.write("docs/pages/docs/sub/mine.tmp", "mine\n")
    docs.drop("sub/b")
    docs.sync()
    assert (docs.repo.path / "docs/pages/docs/sub/mine.tmp").read_text() == "mine\n"
    assert not docs.file("sub/b").exists()


def test_the_state_branch_checked_out_is_no_place_for_a_bundle(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("checkout", "--quiet", "okf/state")
    docs.site.forget()
    before = everything(docs.repo)
    ran = docs.run("build", docs.url, "-o", "docs")
    assert ran.code == 128
    assert "okf/state" in ran.err
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()
    docs.repo.git("checkout", "--quiet", "main")
    docs.quiet()


def test_inside_the_git_directory_nothing_is_done(docs: Docs) -> None:
    docs.build("a")
    before = to_the_last_byte(docs.repo.path)
    ran = docs.run("sync", cwd=docs.repo.path / ".git")
    assert ran.code in (0, 2, 128)
    assert ran.err or ran.out
    if ran.code:
        assert_same(before, to_the_last_byte(docs.repo.path))


def test_a_submodule_is_a_repository_of_its_own(docs: Docs, tmp_path: Path) -> None:
    inner = GitRepo(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "--quiet")
    inner.commit("first", {"x": "1\n"})
    docs.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    docs.repo.git("commit", "--quiet", "--message", "submodule")
    head = docs.head
    docs.put("a")
    docs.ok("build", docs.url, "-o", "docs", cwd=docs.repo.path / "sub")
    assert docs.head == head
    assert GitRepo(docs.repo.path / "sub").git("log", "-1", "--format=%s") == "sync: +2 -0 =0 (docs)"
    ran = docs.run("build", docs.url, "-o", "sub/docs")
    assert ran.code == 128
    assert "sub is a repository of its own" in ran.err


def test_a_hook_environment_of_the_same_repository_is_fine(docs: Docs) -> None:
    """git sets GIT_DIR and GIT_INDEX_FILE for a hook or an alias of the repository it stands in."""
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.repo.git("config", "alias.follow", f"!'{sys.executable}' -m git_okf sync")
    done = subprocess.run(["git", "follow"], cwd=docs.repo.path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    docs.tidy()


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE"])
def test_variables_that_mean_another_repository_are_refused(docs: Docs, tmp_path: Path, variable: str) -> None:
    docs.build("a")
    other = GitRepo(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "--quiet")
    meant = other.path / ".git" if variable == "GIT_DIR" else other.path
    before, theirs = everything(docs.repo), to_the_last_byte(other.path)
    ran = docs.program("sync", env={variable: str(meant)})
    assert ran.code == 128
    assert variable in ran.err
    assert_same(before, everything(docs.repo))
    assert_same(theirs, to_the_last_byte(other.path))


def test_where_git_knows_no_identity_the_program_signs_with_its_own_name(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unattended run cannot answer when git asks who it is."""
    for name in list(os.environ):
        if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_")) or name == "EMAIL":
            monkeypatch.delenv(name)
    docs.build("a")
    assert docs.repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>") == (
        "git-okf <git-okf@localhost> git-okf <git-okf@localhost>"
    )
    docs.repo.git("config", "user.name", "Somebody")
    docs.repo.git("config", "user.email", "somebody@example.org")
    docs.put("a", version=2)
    docs.sync()
    assert docs.repo.git("log", "-1", "--format=%an <%ae>") == "Somebody <somebody@example.org>"


@pytest.mark.parametrize("push", [False, True])
def test_who_wants_only_a_configured_identity_is_not_signed_for(
    docs: Docs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, push: bool
) -> None:
    docs.build("a")
    bare_remote(docs.repo, tmp_path / "remote.git")
    for name in list(os.environ):
        if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("EMAIL", "guessed@example.org")  # git counts it as a guess
    docs.repo.git("config", "user.useConfigOnly", "true")
    docs.repo.git("config", "user.name", "Somebody")
    assert "no email was given" in refused_by_git(docs.repo)
    docs.put("a", version=2)
    before, asked = everything(docs.repo), docs.site.requests()
    ran = docs.run("sync", *(["--push"] if push else []))
    assert ran.code == 128
    assert "user.useConfigOnly is set" in ran.err and "git config user.email VALUE" in ran.err
    assert docs.site.requests() == asked
    assert_same(before, everything(docs.repo))
    docs.ok("sync", "--dry-run")
    docs.ok("status")
    docs.repo.git("config", "user.email", "somebody@example.org")
    docs.sync()
    assert docs.repo.git("log", "-1", "--format=%an <%ae>") == "Somebody <somebody@example.org>"


def refused_by_git(repo: GitRepo) -> str:
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-m", "x"], cwd=repo.path, capture_output=True, text=True, check=False
    )
    assert done.returncode
    return done.stderr


def test_an_index_that_another_process_holds_is_said_and_completed_later(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    lock = docs.repo.path / ".git/index.lock"
    monkeypatch.setattr("git_okf.store.worktree.INDEX_WAIT_S", 0.1)
    docs.site.when_asked("/docs/b", lambda: lock.touch())
    ran = docs.run("sync")
    assert ran.code == 128
    assert "index.lock" in ran.err
    lock.unlink()
    docs.sync()
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert "version 2" in docs.file("a").read_text()
    docs.quiet()
