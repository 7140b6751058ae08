"""`--branch NAME`: a sync onto a branch that is checked out nowhere, in a bare repository and beside a work tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote
from scenario import Docs, assert_same, everything, paths, to_the_last_byte


@pytest.fixture
def bare(docs: Docs, tmp_path: Path) -> GitRepo:
    """A bare repository whose main has a bundle of three pages; its state and notes are there too."""
    docs.build("a", "b")
    made = bare_remote(docs.repo, tmp_path / "bare.git")
    docs.repo.git("push", "--quiet", "origin", "okf/state", "refs/notes/okf")
    return made


def concepts(repo: GitRepo, branch: str = "main") -> list[str]:
    listed = repo.git("ls-tree", "-r", "--name-only", branch, "--", "docs").splitlines()
    inside = (path.removeprefix("docs/") for path in listed)
    return [path for path in inside if path.rpartition("/")[2] not in ("index.md", "log.md")]


def refs(repo: GitRepo) -> dict[str, str]:
    return dict(line.split() for line in repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines())


# --- bare ---


def test_git_15_a_bare_repository_is_synced_by_the_name_of_its_branch(docs: Docs, bare: GitRepo) -> None:
    before = bare.git("rev-parse", "main")
    docs.put("a", version=2)
    docs.put("c")
    docs.drop("b")
    ran = docs.ok("sync", "--branch", "main", cwd=bare.path)
    assert "sync: +1 -1 =1 (docs)" in ran.out
    assert concepts(bare) == paths("", "a", "c")
    assert bare.git("rev-parse", "main^") == before
    assert "version 2" in bare.git("show", "main:docs/pages/docs/a.md")
    assert bare.git("notes", "--ref=okf", "show", "main")
    made = refs(bare)
    assert docs.ok("sync", "--branch", "main", cwd=bare.path).out == "✓ Up to date: docs (3 unchanged)\n"
    assert refs(bare) == made
    assert not (bare.path / "index").exists()
    assert not (bare.path / "okf" / "checkout").exists()
    bare.git("fsck", "--strict")


def test_a_bare_repository_without_a_branch_to_sync_is_refused_before_any_request(docs: Docs, bare: GitRepo) -> None:
    before = to_the_last_byte(bare.path)
    asked = docs.site.requests()
    for args in (["sync"], ["status"], ["verify"], ["sync", "--branch", "none"], ["sync", "--branch", "okf/state"]):
        ran = docs.run(*args, cwd=bare.path)
        assert ran.code == 128 and "Traceback" not in ran.err, ran
        assert "BRANCH" in ran.err or "branch" in ran.err
    assert "git okf sync --branch BRANCH" in docs.run("sync", cwd=bare.path).err
    ran = docs.run("sync", "--branch", "main", "--stage", cwd=bare.path)
    assert ran.code == 2 and "--stage" in ran.err
    assert docs.site.requests() == asked
    assert_same(before, to_the_last_byte(bare.path))


def test_a_branch_without_a_configuration_says_where_to_make_one(docs: Docs, bare: GitRepo) -> None:
    empty = bare.git("commit-tree", "-m", "none", bare.git("mktree", input=""))
    bare.git("update-ref", "refs/heads/other", empty)
    ran = docs.run("sync", "--branch", "other", cwd=bare.path)
    assert ran.code == 2
    assert "no file .okf.yaml on other" in ran.err


def test_a_dry_run_in_a_bare_repository_writes_nothing(docs: Docs, bare: GitRepo) -> None:
    docs.put("a", version=2)
    before = to_the_last_byte(bare.path)
    ran = docs.ok("sync", "--branch", "main", "--dry-run", cwd=bare.path)
    assert "Updated: 1" in ran.out
    assert_same(before, to_the_last_byte(bare.path))


def test_two_branches_are_each_synced_by_what_they_hold(docs: Docs, bare: GitRepo) -> None:
    bare.git("branch", "old", "main")
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "main", cwd=bare.path)
    docs.put("c")
    report = docs.ok("sync", "--branch", "old", cwd=bare.path).out
    assert "+1 -0 =1" in report
    assert concepts(bare, "old") == paths("", "a", "b", "c")
    assert docs.ok("sync", "--branch", "main", cwd=bare.path).out.count("Added: 1") == 1
    assert "Up to date" in docs.ok("sync", "--branch", "old", cwd=bare.path).out


def test_a_bare_repository_pushes_to_its_remote(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    docs.repo.git("clone", "--quiet", "--bare", str(bare.path), str(tmp_path / "mirror.git"))
    mirror = GitRepo(tmp_path / "mirror.git")
    mirror.git("update-ref", "-d", "refs/notes/okf", check=False)
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "main", "--push", cwd=mirror.path)
    assert bare.git("rev-parse", "main", "okf/state") == mirror.git("rev-parse", "main", "okf/state")
    assert bare.git("notes", "--ref=okf", "show", "main")
    docs.put("a", version=3)
    docs.repo.git("fetch", "--quiet")
    docs.repo.git("merge", "--quiet", "--ff-only", "origin/main")
    docs.ok("sync", "--push")
    docs.put("a", version=4)
    docs.ok("sync", "--branch", "main", "--push", cwd=mirror.path)
    assert bare.git("rev-parse", "main") == mirror.git("rev-parse", "main")
    assert bare.git("rev-list", "--count", "main") == "4"


def test_a_branch_that_only_the_remote_has_is_brought_here_by_a_push(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    here = GitRepo(tmp_path / "here")
    docs.repo.git("init", "--quiet", "--initial-branch=mine", str(here.path))
    here.git("remote", "add", "origin", str(bare.path))
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "main", "--push", cwd=here.path)
    assert here.git("rev-parse", "main") == bare.git("rev-parse", "main")
    assert here.git("symbolic-ref", "HEAD") == "refs/heads/mine"
    assert [p.name for p in here.path.iterdir()] == [".git"]


# --- beside a work tree ---


def test_a_branch_beside_the_one_checked_out_leaves_index_and_files_alone(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("switch", "--quiet", "--orphan", "mine")
    docs.repo.commit("mine", {"mine.txt": "1\n"})
    docs.repo.write("mine.txt", "2\n")
    docs.repo.git("add", "mine.txt")
    docs.repo.write("docs/pages/docs/a.md", "in the way, and not tracked\n")
    docs.put("a", version=2)
    before = everything(docs.repo)
    ran = docs.ok("sync", "--branch", "main")
    assert "=1 (docs)" in ran.out
    after = everything(docs.repo)
    for name in ("head", "index", "files", "folders", "index bytes", "config"):
        assert after[name] == before[name], name
    assert "version 2" in docs.repo.git("show", "main:docs/pages/docs/a.md")
    assert docs.ok("sync", "--branch", "refs/heads/main").out == "✓ Up to date: docs (3 unchanged)\n"


def test_a_merge_under_way_is_no_obstacle_to_another_branch(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("branch", "next")
    (docs.repo.path / ".git" / "MERGE_HEAD").write_text(docs.head + "\n")
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "next")
    assert docs.run("sync", "--branch", "main").code == 128
    assert docs.run("sync").code == 128


def test_the_branch_that_is_checked_out_here_is_synced_with_its_files(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "main")
    assert "version 2" in docs.file("a").read_text()
    docs.tidy()


def test_a_branch_checked_out_in_a_linked_work_tree_is_refused_with_the_way_out(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    linked = tmp_path / "linked"
    docs.repo.git("worktree", "add", "--quiet", str(linked), "-b", "other")
    docs.put("a", version=2)
    asked = docs.site.requests()
    ran = docs.run("sync", "--branch", "other")
    assert ran.code == 128
    assert f"other is checked out in {linked}" in ran.err
    assert f"git -C {linked} okf sync" in ran.err
    assert docs.run("sync", "--branch", "main", cwd=linked).code == 128
    assert docs.site.requests() == asked
    GitRepo(linked).git("switch", "--quiet", "--detach")
    docs.ok("sync", "--branch", "other")


def test_a_branch_that_is_being_rebased_elsewhere_counts_as_checked_out(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    linked = GitRepo(tmp_path / "linked")
    docs.repo.git("worktree", "add", "--quiet", str(linked.path), "-b", "other")
    linked.git("commit", "--quiet", "--allow-empty", "--message", "empty")
    linked.git("-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "--quiet", "-i", "HEAD~1")
    assert linked.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert "other is checked out in" in docs.run("sync", "--branch", "other").err


def test_a_branch_checked_out_while_its_sync_runs_is_left_alone(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("branch", "next")
    docs.put("a", version=2)
    docs.site.when_asked("/docs/a", lambda: docs.repo.git("switch", "--quiet", "next"))
    before = docs.repo.git("rev-parse", "next", "okf/state")
    ran = docs.run("sync", "--branch", "next")
    assert ran.code == 128 and "next is checked out in" in ran.err
    assert docs.repo.git("rev-parse", "next", "okf/state") == before
    assert docs.repo.git("status", "--porcelain") == ""


def test_a_branch_that_moves_while_its_sync_runs_is_built_upon(docs: Docs, bare: GitRepo) -> None:
    docs.put("a", version=2)
    docs.repo.git("commit", "--quiet", "--allow-empty", "--message", "somebody's")
    docs.site.when_asked("/docs/a", lambda: docs.repo.git("push", "--quiet"))
    docs.ok("sync", "--branch", "main", cwd=bare.path)
    assert bare.git("log", "--format=%s", "main").splitlines()[:2] == ["sync: +0 -0 =1 (docs)", "somebody's"]


def test_git_06_a_filter_on_the_branch_refuses_the_sync(docs: Docs, bare: GitRepo) -> None:
    docs.repo.commit("filter", {".gitattributes": "*.md filter=lfs\n"})
    docs.repo.git("push", "--quiet")
    asked = docs.site.requests()
    ran = docs.run("sync", "--branch", "main", cwd=bare.path)
    assert ran.code == 128 and "through the filter 'lfs'" in ran.err
    docs.repo.commit("none", {"docs/.gitattributes": "* -filter\n"})
    docs.repo.git("push", "--quiet")
    assert docs.site.requests() == asked
    assert docs.ok("sync", "--branch", "main", cwd=bare.path)


@pytest.mark.parametrize("what", ["link", "file"])
def test_sec_a_bundle_below_a_link_or_file_of_the_branch_is_refused(docs: Docs, bare: GitRepo, what: str) -> None:
    blob = bare.git("hash-object", "-w", "--stdin", input="elsewhere")
    config = bare.git("rev-parse", "main:.okf.yaml")
    mode = {"link": "120000", "file": "100644"}[what]
    tree = bare.git("mktree", input=f"100644 blob {config}\t.okf.yaml\n{mode} blob {blob}\tdocs\n")
    bare.git("update-ref", "refs/heads/odd", bare.git("commit-tree", "-m", "odd", tree))
    ran = docs.run("sync", "--branch", "odd", cwd=bare.path)
    assert ran.code == 128 and f"docs is a {'symbolic link' if what == 'link' else 'file'}" in ran.err


# --- looking ---


def test_what_only_looks_sees_a_branch_as_it_is_committed(docs: Docs, bare: GitRepo) -> None:
    docs.put("a", version=2)
    docs.ok("sync", "--branch", "main", cwd=bare.path)
    before = to_the_last_byte(bare.path)
    assert "3 items" in docs.ok("status", "--branch", "main", cwd=bare.path).out
    assert len(docs.ok("log", "--branch", "main", cwd=bare.path).out.splitlines()) == 2
    shown = docs.ok("show", "--branch", "main", "docs/pages/docs/a.md", cwd=bare.path).out
    assert shown.splitlines()[0] == f"url: {docs.url}a" and "sync: +0 -0 =1 (docs)" in shown
    assert "docs: taken" in docs.ok("explain", "--branch", "main", docs.url + "a", cwd=bare.path).out
    assert docs.ok("verify", "--to-ref", "main", cwd=bare.path).out
    assert_same(before, to_the_last_byte(bare.path))
    for command in (["status"], ["log"], ["show", "x"], ["explain", docs.url]):
        assert docs.run(command[0], "--branch", "none", *command[1:], cwd=bare.path).code == 128
        assert docs.run(*command, cwd=bare.path).code == 128


def test_beside_a_work_tree_a_branch_is_looked_at_by_what_it_holds(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("branch", "old")
    docs.put("a", version=2)
    docs.sync()
    assert len(docs.ok("log").out.splitlines()) == 2
    assert len(docs.ok("log", "--branch", "old").out.splitlines()) == 1
    assert len(docs.ok("log", "--branch", "main").out.splitlines()) == 2
    assert "=1 (docs)" in docs.ok("show", docs.url + "a").out
    assert "=1 (docs)" not in docs.ok("show", "--branch", "old", docs.url + "a").out
    docs.repo.git("switch", "--quiet", "--orphan", "empty")
    docs.repo.commit("mine", {"mine.txt": "1\n"})
    assert docs.run("status").code == 2
    assert "2 items" in docs.ok("status", "--branch", "main").out
