"""The repository against the git program as the oracle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from conftest import GitRepo
from landing_steps import WHEN, land

from git_okf.errors import GitRefused
from git_okf.store import locks, preflight, remote, trees
from git_okf.store import repo as repo_module
from git_okf.store.repo import Changed, Head, Missing, RefMoved, RefUpdate, Repo


def commit_by_us(repo: Repo, text: bytes = b"a\n", parent: str | None = None) -> str:
    tree = repo.edit(None, {"a.md": text})
    return repo.commit(tree, [parent] if parent else [], "a commit", WHEN)


# --- opening ---


def test_opens_a_repository_without_a_commit(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert opened.head() == Head("refs/heads/main", None, detached=False)
    assert opened.root == repo.path
    assert opened.scratch == repo.path / ".git" / "okf"


def test_opens_from_a_subfolder(repo: GitRepo) -> None:
    tip = repo.commit("one", {"sub/folder/a.md": "a"})
    opened = Repo.open(repo.path / "sub" / "folder")
    assert opened.root == repo.path
    assert opened.head() == Head("refs/heads/main", tip, detached=False)


def test_git_12_detached_head_is_worked_on_as_such(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    repo.git("switch", "--quiet", "--detach")
    opened = Repo.open(repo.path)
    assert opened.head() == Head("HEAD", tip, detached=True)
    land(opened, {"b.md": b"b\n"})
    assert repo.git("rev-parse", "HEAD~1") == tip
    assert repo.git("rev-parse", "main") == tip
    assert "okf: test" in repo.git("reflog", "show", "HEAD")


def test_git_12_linked_work_tree_writes_to_its_own_branch_and_leaves_the_main_one_alone(
    repo: GitRepo, tmp_path: Path
) -> None:
    repo.commit("one", {"a.md": "a"})
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    before = repo.snapshot()
    linked = GitRepo(tmp_path / "side")
    opened = Repo.open(linked.path)
    assert opened.head().ref == "refs/heads/side"
    assert opened.root == linked.path
    assert opened.common_dir == repo.path / ".git"
    assert opened.scratch == repo.path / ".git" / "okf"
    land(opened, {"b.md": b"b\n"})
    assert linked.git("log", "--format=%s", "side", "main..") == "sync: +1 -0 =0 (docs)"
    assert repo.git("log", "--format=%s", "main") == "one"
    assert {**before, "refs": "", "objects": ""} == {**repo.snapshot(), "refs": "", "objects": ""}


def test_git_12_submodule_is_a_repository_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    inner = GitRepo(other)
    inner.git("init", "--quiet")
    inner.commit("inner", {"x.md": "x"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    repo.commit("with submodule")
    opened = Repo.open(repo.path / "sub")
    assert opened.root == repo.path / "sub"
    assert opened.git_dir == repo.path / ".git" / "modules" / "sub"
    land(opened, {"y.md": b"y\n"})
    assert GitRepo(repo.path / "sub").git("log", "--format=%s", "-1") == "sync: +1 -0 =0 (docs)"


def test_follows_a_branch_that_is_a_symbolic_ref(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert Repo.open(repo.path).head() == Head("refs/heads/main", tip, detached=False)


def refusal(start: Path, environ: dict[str, str] | None = None) -> GitRefused:
    with pytest.raises(GitRefused) as caught:
        Repo.open(start, environ)
    assert caught.value.exit_code == 128
    assert caught.value.hint
    return caught.value


def test_refuses_a_directory_that_is_no_repository(tmp_path: Path) -> None:
    assert "not inside a git repository" in refusal(tmp_path).message


def test_git_12_refuses_a_bare_repository_and_names_the_way_out(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    error = refusal(tmp_path / "bare.git")
    assert "git okf sync --branch BRANCH" in error.hint
    assert "worktree add" in error.hint


def test_git_04_refuses_sha256_before_anything_else(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("init", "--quiet", "--object-format=sha256", str(tmp_path / "new"))
    error = refusal(tmp_path / "new")
    assert "SHA256" in error.message
    assert "--object-format=sha1" in error.hint


def test_git_04_refuses_reftable(repo: GitRepo) -> None:
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    error = refusal(repo.path)
    assert "reftable" in error.message
    assert "git refs migrate" in error.hint


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"core.repositoryformatversion": "1", "extensions.fooBar": "1"}, "extension foobar"),
        ({"core.repositoryformatversion": "7"}, "format version 7"),
    ],
)
def test_git_04_refuses_formats_of_the_future(repo: GitRepo, settings: dict[str, str], said: str) -> None:
    for name, value in settings.items():
        repo.git("config", name, value)
    assert said in refusal(repo.path).message


def test_git_04_broken_configuration_is_a_sentence(repo: GitRepo) -> None:
    (repo.path / ".git" / "config").write_text("[core\n")
    assert "config" in refusal(repo.path).message


def given_away(path: Path) -> dict[str, str]:
    """Make a repository somebody else's: by owner where we are root, else by how git is told to look at it."""
    if os.geteuid() == 0:
        for file in (path, *path.rglob("*")):
            os.chown(file, 12345, 12345, follow_symlinks=False)
        return dict(os.environ)
    return {**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}


def test_git_05_foreign_owner_is_refused_with_the_line_to_type(repo: GitRepo) -> None:
    repo.commit("one", {"a.md": "a"})
    if os.geteuid() != 0:
        # Only root can give a file away; what the refusal says is the same sentence, made in one place.
        error = preflight.foreign_owner(repo.path)
    else:
        given_away(repo.path)
        error = refusal(repo.path)
    assert error.hint.endswith(f"git config --global --add safe.directory {repo.path}")


@pytest.mark.parametrize("where", ["global", "environment"])
@pytest.mark.parametrize("what", ["path", "*"])
def test_git_05_safe_directory_is_honoured_as_git_does(repo: GitRepo, where: str, what: str) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    if os.geteuid() == 0:
        given_away(repo.path)
    value = str(repo.path) if what == "path" else "*"
    environ = dict(os.environ)
    if where == "global":
        subprocess.run(["git", "config", "--global", "--add", "safe.directory", value], check=True)
    else:
        environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": value}
    assert Repo.open(repo.path, environ).head().commit == tip


def conflict(repo: GitRepo) -> None:
    repo.commit("base", {"a.md": "base\n"})
    repo.git("switch", "--quiet", "-c", "side")
    repo.commit("side", {"a.md": "side\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit("main", {"a.md": "main\n"})


@pytest.mark.parametrize(
    ("command", "what", "remedy"),
    [
        (["merge", "side"], "a merge", "git merge --abort"),
        (["cherry-pick", "side"], "a cherry-pick", "git cherry-pick --abort"),
        (["revert", "HEAD~1"], "a revert", "git revert --abort"),
        (["rebase", "side"], "a rebase", "git rebase --abort"),
        (["bisect", "start"], "a bisect", "git bisect reset"),
    ],
)
def test_git_12_refuses_while_an_operation_is_under_way(
    repo: GitRepo, command: list[str], what: str, remedy: str
) -> None:
    conflict(repo)
    if command[0] == "revert":
        repo.commit("newer", {"a.md": "newer\n"})
    repo.git(*command, check=False)
    error = refusal(repo.path)
    assert what in error.message
    assert remedy in error.hint
    assert Repo.open(repo.path, reading=True).head().commit


@pytest.mark.parametrize("content", ["", "garbage\n", "ref: \n"])
def test_git_12_unreadable_head_is_refused(repo: GitRepo, content: str) -> None:
    repo.commit("one", {"a.md": "a"})
    (repo.path / ".git" / "HEAD").write_text(content)
    refusal(repo.path)


def test_broken_branch_is_refused(repo: GitRepo) -> None:
    repo.commit("one", {"a.md": "a"})
    (repo.path / ".git" / "refs" / "heads" / "main").write_text("nonsense\n")
    assert "HEAD" in refusal(repo.path).message


def test_refuses_a_git_dir_of_the_environment_that_means_another_repository(repo: GitRepo, tmp_path: Path) -> None:
    error = refusal(repo.path, {**os.environ, "GIT_DIR": str(tmp_path / "other.git")})
    assert "GIT_DIR" in error.message
    assert Repo.open(repo.path, {**os.environ, "GIT_DIR": ".git"}).root == repo.path


# --- trees ---


def test_edit_gives_the_tree_that_git_gives(repo: GitRepo) -> None:
    repo.commit("one", {"a.md": "a\n", "docs/b.md": "b\n", "docs/deep/er/c.md": "c\n", "docs-x/d.md": "d\n"})
    opened = Repo.open(repo.path)
    tree = opened.commit_tree(repo.git("rev-parse", "HEAD"))
    new = opened.edit(tree, {"docs/deep/er/c.md": None, "docs/new/e.md": "é\n".encode(), "a.md": b"changed\n"})
    (repo.path / "docs/deep/er/c.md").unlink()
    repo.write("docs/new/e.md", "é\n")
    repo.write("a.md", "changed\n")
    repo.git("add", "--all")
    assert new == repo.git("write-tree")
    assert opened.subtree(new, "docs/deep") is None
    repo.git("fsck", "--strict")


def test_git_10_edit_writes_nothing_where_nothing_changes(repo: GitRepo) -> None:
    repo.commit("one", {"docs/a.md": "a\n"})
    opened = Repo.open(repo.path)
    tree = opened.commit_tree(repo.git("rev-parse", "HEAD"))
    before = repo.snapshot()
    assert opened.edit(tree, {"docs/a.md": b"a\n", "docs/none.md": None, "none/at/all.md": None}) == tree
    assert repo.snapshot() == before


def test_edit_of_nothing_is_the_empty_tree(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert opened.edit(None, {}) == trees.EMPTY_TREE
    tree = opened.edit(None, {"a/b.md": b"b"})
    assert opened.edit(tree, {"a/b.md": None}) == trees.EMPTY_TREE
    repo.git("fsck", "--strict")


def test_edit_keeps_the_executable_bit(repo: GitRepo) -> None:
    repo.write("run.md", "x")
    (repo.path / "run.md").chmod(0o755)
    repo.git("add", "run.md")
    repo.commit("one")
    opened = Repo.open(repo.path)
    new = opened.edit(opened.commit_tree(repo.git("rev-parse", "HEAD")), {"run.md": b"y"})
    assert repo.git("ls-tree", new).startswith("100755 ")


@pytest.mark.parametrize("path", ["link/x.md", "link", "file.md/x.md", "folder"])
def test_edit_refuses_what_stands_in_the_way_before_it_writes(repo: GitRepo, path: str) -> None:
    (repo.path / "link").symlink_to("folder")
    repo.commit("one", {"file.md": "f", "folder/y.md": "y"})
    repo.git("add", "link")
    repo.commit("two")
    opened = Repo.open(repo.path)
    tree = opened.commit_tree(repo.git("rev-parse", "HEAD"))
    before = repo.snapshot()
    with pytest.raises(GitRefused, match="cannot be written"):
        opened.edit(tree, {"another.md": b"x", path: b"x"})
    assert repo.snapshot() == before
    assert opened.edit(tree, {path: None}) == tree


def test_edit_refuses_a_path_below_a_submodule(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{tip},sub")
    repo.commit("two")
    opened = Repo.open(repo.path)
    with pytest.raises(GitRefused, match="a submodule"):
        opened.edit(opened.commit_tree(repo.git("rev-parse", "HEAD")), {"sub/x.md": b"x"})


def test_a_file_can_make_way_for_a_directory_in_one_edit(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {"a": b"file"})
    new = opened.edit(tree, {"a": None, "a/b.md": b"b"})
    assert list(opened.walk(new)) == [("a/b.md", trees.blob_id(b"b"))]


def test_values_of_an_edit_are_made_one_by_one_when_they_are_written(repo: GitRepo) -> None:
    asked: list[str] = []

    class Making(dict[str, bytes | None]):
        def __getitem__(self, path: str) -> bytes | None:
            asked.append(path)
            return path.encode()

    paths = ["b/2.md", "b/1.md", "a.md"]
    tree = Repo.open(repo.path).edit(None, Making.fromkeys(paths))
    assert sorted(asked) == sorted(paths)
    assert repo.git("show", f"{tree}:b/1.md") == "b/1.md"


def test_reading_a_large_pack_does_not_take_all_of_it_into_memory(repo: GitRepo) -> None:
    def mapped() -> int:
        """Bytes of files in this process's memory."""
        said = Path("/proc/self/status").read_text(encoding="ascii")
        return 1024 * int(said.partition("RssFile:")[2].split()[0])

    random = Random(1)
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {f"{number}.bin": random.randbytes(1 << 18) for number in range(repo_module.BULK)})
    pack = next((repo.path / ".git" / "objects" / "pack").glob("*.pack"))
    before = mapped()
    assert sum(len(opened.read(oid)) for _, oid in opened.walk(tree)) == repo_module.BULK << 18 < pack.stat().st_size
    assert mapped() - before < pack.stat().st_size / 2


def test_diff_names_what_differs_and_raises_missing_for_what_is_not_here(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    one = opened.edit(None, {"a.md": b"a", "d/b.md": b"b", "d/e/c.md": b"c"})
    two = opened.edit(one, {"a.md": None, "d/b.md": b"B", "n.md": b"n"})
    assert opened.diff(one, two) == [
        Changed("a.md", trees.blob_id(b"a"), None),
        Changed("d/b.md", trees.blob_id(b"b"), trees.blob_id(b"B")),
        Changed("n.md", None, trees.blob_id(b"n")),
    ]
    assert [c.path for c in opened.diff(None, one)] == ["a.md", "d/b.md", "d/e/c.md"]
    assert opened.diff(one, one) == []
    with pytest.raises(Missing) as caught:
        opened.diff("1" * 40, one)
    assert caught.value.oid == "1" * 40
    assert "unshallow" in caught.value.hint


def test_git_09_paths_beyond_ascii_are_what_git_says(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    _, tree = land(opened, {"文档/部署.md": b"x\n", "café.md": b"y\n"})
    assert repo.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD") == "café.md\n文档/部署.md"
    assert [path for path, _ in opened.walk(tree)] == ["café.md", "文档/部署.md"]


# --- commits ---


def test_commit_says_who_when_and_a_clean_message(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {"a.md": b"a"})
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=-3, minutes=-30)))
    commit = opened.commit(tree, [], "subject  \n\n\n\nbody \x1b[2J é\r\n\n", when)
    assert repo.git("log", "-1", "--format=%an <%ae>|%cn|%ai|%B", commit) == (
        "A. Tester <tester@example.org>|A. Tester|2026-01-02 03:04:05 -0330|subject\n\nbody \ufffd[2J é\n"
    )
    assert opened.commit_info(commit).time == when
    repo.git("fsck", "--strict")


def test_commit_takes_the_identity_from_environment_then_configuration_then_its_own(repo: GitRepo) -> None:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
    assert Repo.open(repo.path, environ).identity("author").name == "git-okf"
    repo.git("config", "user.name", "Configured <X>\n.")
    repo.git("config", "user.email", "c@example.org")
    repo.git("config", "committer.name", "Committer")
    opened = Repo.open(repo.path, environ)
    assert (opened.identity("author").name, opened.identity("author").email) == ("Configured X", "c@example.org")
    assert opened.identity("committer").name == "Committer"
    assert Repo.open(repo.path, {**environ, "GIT_AUTHOR_NAME": "E"}).identity("author").name == "E"


def test_commit_is_utf8_whatever_i18n_says(repo: GitRepo) -> None:
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    land(Repo.open(repo.path), {"a.md": b"a"}, "sync: é 文\n")
    raw = subprocess.run(["git", "cat-file", "commit", "HEAD"], cwd=repo.path, capture_output=True, check=True).stdout
    assert "sync: é 文".encode() in raw


def signer(repo: GitRepo, tmp_path: Path, script: str) -> Path:
    program, log = tmp_path / "gpg-dummy", tmp_path / "signed"
    program.write_text(f"#!/bin/sh\n{script}\n".replace("LOG", str(log)))
    program.chmod(0o755)
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", str(program))
    repo.git("config", "user.signingkey", "0xKEY")
    return log


SIGNS = r"""echo "$@" >> LOG
cat > /dev/null
printf '\n[GNUPG:] SIG_CREATED D 1 8 00 1 KEY\n' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n'"""


def test_git_07_gpgsign_makes_a_signed_commit(repo: GitRepo, tmp_path: Path) -> None:
    log = signer(repo, tmp_path, SIGNS)
    opened = Repo.open(repo.path)
    assert opened.signs()
    tree = opened.edit(None, {"a.md": b"a"})
    commit = opened.commit(tree, [], "sync: é\n\nOkf-Source: docs", WHEN)
    assert "0xKEY" in log.read_text()
    raw = repo.git("cat-file", "commit", commit)
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in raw
    assert raw.endswith("sync: é\n\nOkf-Source: docs")
    plain = opened.commit(tree, [], "sync: é\n\nOkf-Source: docs", WHEN, sign=False)
    said = "%an %ae %aI %cn %ce %cI %T %B"
    assert repo.git("log", "-1", f"--format={said}", commit) == repo.git("log", "-1", f"--format={said}", plain)
    child = opened.commit(tree, [commit], "second", WHEN)
    assert repo.git("rev-parse", f"{child}^") == commit


def test_git_07_what_cannot_be_signed_is_refused_without_a_prompt(repo: GitRepo, tmp_path: Path) -> None:
    log = signer(repo, tmp_path, "test -t 0 && echo stdin > LOG; (: < /dev/tty) 2>/dev/null && echo tty > LOG; exit 2")
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {"a.md": b"a"})
    with pytest.raises(GitRefused, match="could not be signed") as caught:
        opened.commit(tree, [], "sync", WHEN)
    assert not log.exists()
    assert "commit.gpgsign false" in caught.value.hint


def test_git_07_a_signer_that_waits_for_ever_is_ended(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer(repo, tmp_path, "exec sleep 30")
    monkeypatch.setattr(remote, "SIGNING_TIMEOUT_S", 0.5)
    opened = Repo.open(repo.path)
    tree = opened.edit(None, {"a.md": b"a"})
    start = time.monotonic()
    with pytest.raises(GitRefused, match="did not end"):
        opened.commit(tree, [], "sync", WHEN)
    assert time.monotonic() - start < 10


# --- refs ---


def test_update_moves_all_refs_with_a_reason_in_the_reflog(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    one = commit_by_us(opened)
    opened.update(
        [
            RefUpdate("refs/heads/main", None, one, "okf: sync: +1 -0 =0 (docs)"),
            RefUpdate("refs/notes/okf", None, one, "okf: note"),
            RefUpdate("refs/heads/okf/state", None, one, "okf: state"),
        ],
        head="refs/heads/main",
    )
    assert opened.refs("refs/") == dict.fromkeys(("refs/heads/main", "refs/heads/okf/state", "refs/notes/okf"), one)
    assert repo.git("log", "--format=%H") == one
    assert repo.git("reflog", "show", "--format=%gs", "HEAD") == "okf: sync: +1 -0 =0 (docs)"
    assert repo.git("reflog", "show", "--format=%gs", "main") == "okf: sync: +1 -0 =0 (docs)"
    assert repo.git("reflog", "show", "--format=%gn", "main") == "A. Tester"
    assert not list((repo.path / ".git").rglob("*.lock"))


@pytest.mark.parametrize("packed", [False, True])
def test_update_changes_nothing_where_one_ref_moved(repo: GitRepo, packed: bool) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    repo.git("update-ref", "refs/notes/okf", tip)
    if packed:
        repo.git("pack-refs", "--all")
    opened = Repo.open(repo.path)
    new = commit_by_us(opened, parent=tip)
    before = repo.git("for-each-ref")
    for stale in (None, new):
        with pytest.raises(RefMoved) as caught:
            opened.update(
                [
                    RefUpdate("refs/heads/main", tip, new, "x"),
                    RefUpdate("refs/notes/okf", stale, new, "x"),
                    RefUpdate("refs/heads/okf/state", None, new, "x"),
                ]
            )
        assert (caught.value.name, caught.value.expected, caught.value.actual) == ("refs/notes/okf", stale, tip)
    with pytest.raises(RefMoved):
        opened.update([RefUpdate("refs/heads/gone", tip, new, "x")])
    assert repo.git("for-each-ref") == before
    assert not list((repo.path / ".git").rglob("*.lock"))
    opened.update([RefUpdate("refs/heads/main", tip, new, "x"), RefUpdate("refs/notes/okf", tip, new, "x")])
    assert repo.git("rev-parse", "main", "refs/notes/okf") == f"{new}\n{new}"


def test_update_refuses_where_the_user_switched_branches(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    repo.git("switch", "--quiet", "-c", "other")
    new = commit_by_us(opened, parent=tip)
    with pytest.raises(RefMoved) as caught:
        opened.update([RefUpdate("refs/heads/main", tip, new, "x")], head="refs/heads/main")
    assert caught.value.name == "HEAD"
    assert repo.git("rev-parse", "main") == tip


def test_update_of_a_directory_file_conflict_changes_nothing(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    repo.git("update-ref", "refs/heads/okf", tip)
    opened = Repo.open(repo.path)
    before = repo.git("for-each-ref")
    with pytest.raises(GitRefused):
        opened.update([RefUpdate("refs/heads/main", tip, tip, "x"), RefUpdate("refs/heads/okf/state", None, tip, "x")])
    assert repo.git("for-each-ref") == before
    assert not list((repo.path / ".git").rglob("*.lock"))


def test_update_waits_for_a_lock_and_gives_up_with_a_sentence(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    new = commit_by_us(opened, parent=tip)
    lock = repo.path / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    monkeypatch.setattr(repo_module, "LOCK_WAIT_S", 0.1)
    with pytest.raises(GitRefused, match="lock"):
        opened.update([RefUpdate("refs/heads/main", tip, new, "x")])
    monkeypatch.setattr(repo_module, "LOCK_WAIT_S", 10.0)
    timer = threading.Timer(0.2, lock.unlink)
    timer.start()
    opened.update([RefUpdate("refs/heads/main", tip, new, "x")])
    timer.join()
    assert repo.git("rev-parse", "main") == new


KILLED_AFTER = """
import json, os, signal, sys
from pathlib import Path
from pygit2.transaction import ReferenceTransaction
from git_okf.store.repo import RefUpdate, Repo

path, count, updates = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
commit, done = ReferenceTransaction.commit, []

def counting(self):
    if len(done) == count:
        os.kill(os.getpid(), signal.SIGKILL)
    commit(self)
    done.append(self)

ReferenceTransaction.commit = counting
Repo.open(Path(path)).update([RefUpdate(*update) for update in updates], head="refs/heads/main")
"""


@pytest.mark.parametrize("count", range(4))
def test_state_05_a_kill_between_the_renames_leaves_a_prefix_of_the_given_order(repo: GitRepo, count: int) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    new = commit_by_us(opened, parent=tip)
    names = ["refs/heads/main", "refs/notes/okf", "refs/heads/okf/state"]
    updates = [[name, tip if name == names[0] else None, new, "okf: x"] for name in names]
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AFTER, str(repo.path), str(count), json.dumps(updates)],
        check=False,
        cwd=Path(repo_module.__file__).parents[2],
    )
    assert done.returncode == (-9 if count < 3 else 0)
    moved = [name for name in names if repo.git("rev-parse", "--verify", "--quiet", name, check=False) == new]
    assert moved == names[:count]
    again = Repo.open(repo.path)
    again.recover()
    assert not list((repo.path / ".git").rglob("*.lock"))
    moved = [name for name in names if repo.git("rev-parse", "--verify", "--quiet", name, check=False) == new]
    assert moved == (names if count else [])
    if not count:
        again.update([RefUpdate("refs/heads/main", tip, new, "okf: x")], head="refs/heads/main")


def test_state_05_what_the_user_did_after_a_kill_is_not_overrun(repo: GitRepo) -> None:
    """The branch was reset, or the notes have moved on: the refs left behind stay where they are."""
    tip = repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    new, other = commit_by_us(opened, parent=tip), commit_by_us(opened, b"other", parent=tip)
    moves = [RefUpdate("refs/heads/main", tip, new, "x"), RefUpdate("refs/notes/okf", None, new, "x")]
    with dead_announcement(opened, [], moves):
        opened.recover()
    assert opened.ref("refs/notes/okf") is None
    opened.update([moves[0]])
    repo.git("update-ref", "refs/notes/okf", other)
    with dead_announcement(opened, [], moves):
        opened.recover()
    assert opened.ref("refs/notes/okf") == other


def test_locks_of_a_dead_run_are_taken_away_and_those_of_others_are_not(repo: GitRepo) -> None:
    repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    ours, later, unknown, child = (
        repo.path / ".git" / f"{name}.lock" for name in ("HEAD", "later", "unknown", "index")
    )
    for lock in (ours, later, unknown, child):
        lock.touch()
    os.utime(later, (time.time() + 1000, time.time() + 1000))
    with dead_announcement(opened, [ours, later], []):
        opened.recover()
    assert [lock.exists() for lock in (ours, later, unknown, child)] == [False, True, True, True]


@pytest.mark.parametrize("how", ["died", "old"])
def test_the_lock_of_a_child_stays_while_the_child_lives_or_is_young(repo: GitRepo, how: str) -> None:
    repo.commit("one", {"a.md": "a"})
    opened = Repo.open(repo.path)
    lock = repo.path / ".git" / "index.lock"
    lock.touch()
    with dead_announcement(opened, [lock], [], outlived_s=600.0):
        (file,) = (opened.scratch / "locks").glob("*.json")
        child = subprocess.Popen(["flock", "--exclusive", str(file), "cat"], stdin=subprocess.PIPE)
        while subprocess.run(["flock", "--nonblock", str(file), "true"], check=False).returncode == 0:
            time.sleep(0.01)
        opened.recover()
        assert lock.exists()
        if how == "old":
            old = time.time() - 700
            os.utime(lock, (old, old))
            file.write_text(json.dumps({**json.loads(file.read_bytes()), "at": old}))
            opened.recover()
            assert not lock.exists()
        child.communicate()
        opened.recover()
    assert not lock.exists()
    assert list((opened.scratch / "locks").iterdir()) == []


def test_locks_of_a_run_that_lives_stay(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    lock = repo.path / ".git" / "HEAD.lock"
    with locks.announced(opened.scratch, [lock]):
        lock.touch()
        opened.recover()
        assert lock.exists()
    assert list((opened.scratch / "locks").iterdir()) == []


@contextmanager
def dead_announcement(repo: Repo, held: list[Path], moves: list[RefUpdate], outlived_s: float = 0.0) -> Iterator[None]:
    """What a process that is no more had announced."""
    before = set((repo.scratch / "locks").glob("*.json"))
    with locks.announced(repo.scratch, held, moves, outlived_s=outlived_s):
        (file,) = set((repo.scratch / "locks").glob("*.json")) - before
        facts = json.loads(file.read_bytes())
        facts["holder"]["started"] = "1"
        data = json.dumps(facts)
    file.write_text(data)
    yield


def test_eight_writers_lose_no_update(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a.md": "a"})
    wins: list[str] = []

    def write(number: int) -> None:
        mine = Repo.open(repo.path)
        while True:
            old = mine.ref("refs/heads/main")
            assert old
            new = mine.commit(mine.commit_tree(old), [old], f"by {number}", WHEN + timedelta(seconds=number))
            try:
                mine.update([RefUpdate("refs/heads/main", old, new, "x")])
            except RefMoved:
                continue
            wins.append(new)
            return

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 8
    assert set(repo.git("rev-list", "main").split()) == {*wins, tip}


# --- history ---


def test_log_and_ancestors_are_those_of_git(repo: GitRepo) -> None:
    first = repo.commit("first", {"a.md": "a"})
    second = repo.commit("second", {"d/b.md": "b"})
    third = repo.commit("third", {"a.md": "A"})
    opened = Repo.open(repo.path)
    assert [info.id for info in opened.log(third)] == [third, second, first]
    assert [info.id for info in opened.log(third, "a.md")] == [third, first]
    assert [info.id for info in opened.log(third, "d")] == [second]
    assert list(opened.ancestors(second)) == [second, first]
    assert list(opened.log(None)) == []
    assert opened.is_ancestor(first, third)
    assert not opened.is_ancestor(third, first)


def test_log_ends_at_the_border_of_a_shallow_clone(repo: GitRepo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(f"number {number}", {"a.md": str(number)})
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Repo.open(tmp_path / "shallow")
    assert shallow.is_shallow()
    assert [info.message for info in shallow.log(shallow.head().commit)] == ["number 3\n", "number 2\n"]
    assert len(list(shallow.log(shallow.head().commit, "a.md"))) == 2
    with pytest.raises(Missing):
        shallow.commit_tree(repo.git("rev-parse", "HEAD~3"))


def test_partial_clone_fetches_what_it_needs(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one", {"a.md": "text\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repo.git(
        "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(tmp_path / "partial")
    )
    partial = Repo.open(tmp_path / "partial")
    assert partial.is_partial()
    entry = partial.entry(partial.commit_tree(str(partial.head().commit)), "a.md")
    assert entry
    assert partial.read(entry[1]) == b"text\n"
    with pytest.raises(Missing):
        partial.read("2" * 40)


def test_a_full_or_read_only_git_directory_is_a_sentence(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Repo.open(repo.path)
    objects = repo.path / ".git" / "objects"
    for folder in [p for p in objects.iterdir() if p.is_dir()]:
        folder.rmdir() if not list(folder.iterdir()) else None
    blob = trees.blob_id(b"x")
    (objects / blob[:2]).write_text("a file where a directory must be")
    with pytest.raises(GitRefused, match="git could not write an object"):
        opened.write_blob(b"x")


def test_times_need_an_offset(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    with pytest.raises(ValueError, match="offset"):
        opened.commit(opened.edit(None, {"a.md": b""}), [], "x", datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None))
