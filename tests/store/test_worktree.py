"""Index and work tree after a commit of ours: what git itself would have left, and nothing of the user's changed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo
from landing_steps import OURS, WHEN, land

from git_okf import gitprogram
from git_okf.errors import GitRefused
from git_okf.store import place, worktree
from git_okf.store.repo import RefUpdate, Repo


def sync(repo: Repo, changes: dict[str, bytes | None], message: str = OURS) -> list[str]:
    """Commit and check out, as a run does."""
    old, new = land(repo, changes, message)
    return worktree.update(repo, old, new, ["docs"])


def status(repo: GitRepo) -> str:
    return repo.git("status", "--porcelain", "--untracked-files=all")


def check_place(opened: Repo, prefix: str) -> None:
    head = opened.head().commit
    place.check(opened, prefix, opened.commit_tree(head) if head else None)


def files(repo: GitRepo) -> dict[str, bytes]:
    tree = (p for p in repo.path.rglob("*") if ".git" not in p.relative_to(repo.path).parts)
    return {p.relative_to(repo.path).as_posix(): p.read_bytes() for p in sorted(tree) if p.is_file()}


# --- the usual case ---


def test_first_sync_into_a_repository_without_a_commit(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/index.md": b"i\n", "docs/pages/a.md": b"a\n"}) == []
    assert status(repo) == ""
    assert files(repo) == {"docs/index.md": b"i\n", "docs/pages/a.md": b"a\n"}
    repo.git("fsck", "--strict")


def test_only_what_changed_is_touched_and_empty_directories_go(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"a\n", "docs/b.md": b"b\n", "docs/deep/er/c.md": b"c\n"})
    old = (repo.path / "docs/a.md").stat()
    assert sync(opened, {"docs/b.md": b"B\n", "docs/deep/er/c.md": None, "docs/new/d.md": b"d\n"}) == []
    assert status(repo) == ""
    assert files(repo) == {"docs/a.md": b"a\n", "docs/b.md": b"B\n", "docs/new/d.md": b"d\n"}
    assert not (repo.path / "docs/deep").exists()
    now = (repo.path / "docs/a.md").stat()
    assert (now.st_mtime_ns, now.st_ino, now.st_ctime_ns) == (old.st_mtime_ns, old.st_ino, old.st_ctime_ns)


def test_git_10_nothing_to_do_touches_nothing(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    old, new = land(opened, {"docs/a.md": b"a\n"})
    worktree.update(opened, old, new, ["docs"])
    before, index = repo.snapshot(), (repo.path / ".git/index").stat().st_mtime_ns
    for _ in range(5):
        assert worktree.update(opened, new, new, ["docs"]) == []
        assert worktree.dirty(opened, "docs") == []
        assert worktree.finish(opened, "docs") is False
    assert repo.snapshot() == before
    assert (repo.path / ".git/index").stat().st_mtime_ns == index


def test_what_the_user_staged_and_changed_elsewhere_stays(repo: GitRepo) -> None:
    repo.commit("one", {"mine.txt": "1\n", "other.txt": "1\n", "gone.txt": "1\n"})
    opened = Repo.open(repo.path)
    repo.write("mine.txt", "2\n")
    repo.git("add", "mine.txt")
    repo.write("mine.txt", "3\n")
    repo.write("other.txt", "2\n")
    repo.write("new.txt", "n\n")
    repo.write("later.txt", "l\n")
    repo.git("add", "new.txt")
    repo.git("add", "--intent-to-add", "later.txt")
    repo.git("rm", "--quiet", "gone.txt")
    repo.git("update-index", "--assume-unchanged", "other.txt")
    before = status(repo)
    assert sync(opened, {"docs/a.md": b"a\n"}) == []
    assert status(repo) == before
    assert repo.git("show", ":mine.txt") == "2"
    assert repo.git("ls-files", "-v", "other.txt") == "h other.txt"
    assert sync(opened, {"docs/a.md": None, "docs/b.md": b"b\n"}) == []
    assert status(repo) == before


def test_stage_leaves_the_delta_uncommitted(repo: GitRepo) -> None:
    tip = repo.commit("one", {"docs/a.md": "a\n", "docs/b.md": "b\n"})
    opened = Repo.open(repo.path)
    tree = opened.commit_tree(tip)
    assert worktree.stage(opened, tree, {"docs/a.md": None, "docs/b.md": b"B\n", "docs/c.md": b"c\n"}) == []
    assert status(repo) == "D  docs/a.md\nM  docs/b.md\nA  docs/c.md"
    assert repo.git("rev-parse", "HEAD") == tip


def test_update_refuses_a_path_that_is_not_of_the_source(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    old, new = land(opened, {"docs/a.md": b"a\n", "docs-other/b.md": b"b\n"})
    with pytest.raises(GitRefused, match=r"docs-other/b\.md"):
        worktree.update(opened, old, new, ["docs"])
    assert files(repo) == {}


# --- line ends, attributes, modes ---


@pytest.mark.parametrize(
    ("setting", "attributes", "ending"),
    [
        ("false", "", b"\n"),
        ("input", "", b"\n"),
        ("true", "", b"\r\n"),
        ("false", "*.md text eol=crlf\n", b"\r\n"),
        ("true", "*.md text eol=lf\n", b"\n"),
        ("true", "docs/** -text\n", b"\n"),
        ("false", "* text=auto\n", b"\n"),
    ],
)
def test_hash_06_line_ends_are_those_git_checks_out(
    repo: GitRepo, setting: str, attributes: str, ending: bytes
) -> None:
    repo.git("config", "core.autocrlf", setting)
    repo.commit("one", {".gitattributes": attributes, "README": "r\n"})
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/a.md": b"one\ntwo\n", "docs/b.md": b"b\n"}) == []
    assert files(repo)["docs/a.md"] == b"one" + ending + b"two" + ending
    assert status(repo) == ""
    assert worktree.dirty(opened, "docs") == []
    assert sync(opened, {"docs/a.md": b"three\nfour\n", "docs/b.md": None}) == []
    assert files(repo)["docs/a.md"] == b"three" + ending + b"four" + ending
    assert status(repo) == ""
    (repo.path / "docs/a.md").unlink()
    repo.git("checkout", "--", "docs/a.md")
    assert files(repo)["docs/a.md"] == b"three" + ending + b"four" + ending


def test_git_06_paths_with_a_filter_are_refused_before_the_run(repo: GitRepo) -> None:
    repo.git("config", "filter.fake.clean", "sed s/a/b/")
    repo.git("config", "filter.fake.smudge", "sed s/b/a/")
    repo.commit("one", {".gitattributes": "*.md filter=fake\n"})
    opened = Repo.open(repo.path)
    with pytest.raises(GitRefused, match=r"filter 'fake'") as caught:
        check_place(opened, "docs")
    assert "docs/** -filter" in caught.value.hint
    repo.commit("two", {".gitattributes": "*.md filter=fake\ndocs/** -filter\n"})
    check_place(opened, "docs")
    assert sync(opened, {"docs/a.md": b"a\n"}) == []
    assert status(repo) == ""


def test_executable_files_stay_executable(repo: GitRepo) -> None:
    repo.write("docs/a.md", "a\n").chmod(0o755)
    repo.git("add", "docs")
    repo.commit("one")
    assert sync(Repo.open(repo.path), {"docs/a.md": b"b\n"}) == []
    assert os.access(repo.path / "docs/a.md", os.X_OK)
    assert status(repo) == ""


def test_git_09_paths_beyond_ascii(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/文档/部 署.md": b"x\n", "docs/'\"café*?[a].md": b"y\n"}) == []
    assert status(repo) == ""
    repo.write("docs/文档/部 署.md", "mine\n")
    assert worktree.dirty(opened, "docs") == ["docs/文档/部 署.md"]
    assert sync(opened, {"docs/文档/部 署.md": b"z\n", "docs/'\"café*?[a].md": None}) == ["docs/文档/部 署.md"]
    assert files(repo) == {"docs/文档/部 署.md": b"mine\n"}


# --- dirty ---


def test_dirty_names_everything_that_differs_from_head_below_the_prefix(repo: GitRepo) -> None:
    repo.commit("one", {f"docs/{name}.md": "1\n" for name in "abcd"} | {"docs-too/x.md": "1\n", ".okf.yaml": "1\n"})
    opened = Repo.open(repo.path)
    repo.write("docs/a.md", "2\n")
    repo.write("docs/b.md", "2\n")
    repo.git("add", "docs/b.md")
    (repo.path / "docs/c.md").unlink()
    repo.write("docs/sub/new.md", "n\n")
    repo.write("docs-too/x.md", "2\n")
    repo.write("docs/ignored.log", "n\n")
    repo.write(".git/info/exclude", "*.log\n")
    assert worktree.dirty(opened, "docs") == ["docs/a.md", "docs/b.md", "docs/c.md", "docs/sub/new.md"]
    assert worktree.dirty(opened, ".okf.yaml") == []
    repo.write(".okf.yaml", "2\n")
    assert worktree.dirty(opened, ".okf.yaml") == [".okf.yaml"]
    assert worktree.dirty(opened, "nowhere") == []


def test_dirty_reads_only(repo: GitRepo) -> None:
    repo.commit("one", {"docs/a.md": "1\n"})
    os.utime(repo.path / "docs/a.md", (1, 1))
    opened, index = Repo.open(repo.path), (repo.path / ".git/index").read_bytes()
    assert worktree.dirty(opened, "docs") == []
    assert (repo.path / ".git/index").read_bytes() == index


def test_files_that_were_only_touched_are_no_obstacle(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"a\n", "docs/b.md": b"b\n"})
    os.utime(repo.path / "docs/a.md", (1, 1))
    os.utime(repo.path / "docs/b.md", (1, 1))
    assert sync(opened, {"docs/a.md": b"A\n", "docs/b.md": None}) == []
    assert status(repo) == ""
    assert files(repo) == {"docs/a.md": b"A\n"}


# --- what the user changed while the run was under way ---


def test_a_file_changed_meanwhile_is_left_alone_and_named(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {f"docs/{name}.md": b"1\n" for name in "abcdef"})
    repo.write("docs/a.md", "mine\n")  # changed, upstream too
    repo.write("docs/b.md", "staged\n")
    repo.git("add", "docs/b.md")  # changed and staged, upstream too
    repo.write("docs/c.md", "mine\n")  # changed, upstream gone
    (repo.path / "docs/d.md").unlink()  # deleted, upstream changed
    repo.write("docs/new.md", "mine\n")  # untracked, upstream has another one
    repo.write("docs/same.md", "2\n")  # untracked, upstream has the same
    changes: dict[str, bytes | None] = {f"docs/{name}.md": b"2\n" for name in ("a", "b", "d", "e", "new", "same")}
    left = sync(opened, {**changes, "docs/c.md": None, "docs/f.md": None})
    assert left == ["docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md", "docs/new.md"]
    assert files(repo) == {
        "docs/a.md": b"mine\n",
        "docs/b.md": b"staged\n",
        "docs/c.md": b"mine\n",
        "docs/e.md": b"2\n",
        "docs/new.md": b"mine\n",
        "docs/same.md": b"2\n",
    }
    assert repo.git("show", ":docs/b.md") == "staged"
    assert status(repo) == " M docs/a.md\nM  docs/b.md\n D docs/d.md\n M docs/new.md\n?? docs/c.md"


def test_an_ignored_file_in_the_place_of_a_concept_is_left_alone(repo: GitRepo) -> None:
    repo.commit("one", {".gitignore": "docs/\n"})
    opened = Repo.open(repo.path)
    repo.write("docs/a.md", "mine\n")
    assert sync(opened, {"docs/a.md": b"a\n", "docs/b.md": b"b\n"}) == ["docs/a.md"]
    assert files(repo)["docs/a.md"] == b"mine\n"
    assert files(repo)["docs/b.md"] == b"b\n"
    assert status(repo) == " M docs/a.md"


def test_a_directory_turned_into_a_link_meanwhile_is_not_followed(repo: GitRepo, tmp_path: Path) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/sub/a.md": b"1\n", "docs/b.md": b"1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"1\n")
    (repo.path / "docs/sub/a.md").unlink()
    (repo.path / "docs/sub").rmdir()
    (repo.path / "docs/sub").symlink_to(outside)
    left = sync(opened, {"docs/sub/a.md": b"2\n", "docs/sub/n.md": b"2\n", "docs/b.md": b"2\n"})
    assert left == ["docs/sub/a.md", "docs/sub/n.md"]
    assert [(p.name, p.read_bytes()) for p in outside.iterdir()] == [("a.md", b"1\n")]
    assert files(repo)["docs/b.md"] == b"2\n"


def test_a_file_in_the_place_of_a_directory_is_left_alone(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/b.md": b"1\n"})
    repo.write("docs/sub", "mine\n")
    assert sync(opened, {"docs/sub/a.md": b"2\n", "docs/b.md": b"2\n"}) == ["docs/sub/a.md"]
    assert files(repo) == {"docs/b.md": b"2\n", "docs/sub": b"mine\n"}


def test_another_process_that_holds_the_index_is_waited_for_and_its_entries_stay(repo: GitRepo) -> None:
    """The other process took index.lock before us and writes an index with an entry we have never read."""
    repo.commit("one", {"docs/a.md": "1\n"})
    opened = Repo.open(repo.path)
    old, new = land(opened, {"docs/a.md": b"2\n"})
    git_dir = repo.path / ".git"
    (git_dir / "index.lock").write_bytes((git_dir / "index").read_bytes())

    def user() -> None:
        time.sleep(0.3)
        repo.write("staged.txt", "s\n")
        blob = repo.git("hash-object", "-w", "staged.txt")
        env = {**os.environ, "GIT_INDEX_FILE": str(git_dir / "index.theirs")}
        (git_dir / "index.theirs").write_bytes((git_dir / "index").read_bytes())
        command = ["git", "update-index", "--add", "--cacheinfo", f"100644,{blob},staged.txt"]
        subprocess.run(command, cwd=repo.path, env=env, check=True)
        (git_dir / "index.theirs").replace(git_dir / "index")
        (git_dir / "index.lock").unlink()

    thread = threading.Thread(target=user)
    thread.start()
    assert worktree.update(opened, old, new, ["docs"]) == []
    thread.join()
    assert status(repo) == "A  staged.txt"
    assert files(repo)["docs/a.md"] == b"2\n"


def test_an_index_locked_for_ever_is_a_sentence_and_the_next_run_completes(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("one", {"docs/a.md": "1\n"})
    opened = Repo.open(repo.path)
    old, new = land(opened, {"docs/a.md": b"2\n"})
    lock = repo.path / ".git" / "index.lock"
    lock.touch()
    monkeypatch.setattr(worktree, "INDEX_WAIT_S", 0.2)
    with pytest.raises(GitRefused, match=r"index\.lock") as caught:
        worktree.update(opened, old, new, ["docs"])
    assert f"rm {lock}" in caught.value.hint
    lock.unlink()
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""
    assert files(repo) == {"docs/a.md": b"2\n"}


# --- a run killed between the refs and the work tree ---


def test_finish_completes_a_checkout_that_never_began(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n", "docs/b.md": b"1\n", "docs/c/d.md": b"1\n"})
    repo.write("mine.txt", "m\n")
    repo.git("add", "mine.txt")
    land(opened, {"docs/a.md": b"2\n", "docs/c/d.md": None, "docs/new.md": b"n\n"})
    assert len(worktree.dirty(opened, "docs")) == 3
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == "A  mine.txt"
    assert files(repo) == {"docs/a.md": b"2\n", "docs/b.md": b"1\n", "docs/new.md": b"n\n", "mine.txt": b"m\n"}
    assert not (repo.path / "docs/c").exists()
    assert worktree.finish(opened, "docs") is False


def test_finish_completes_the_very_first_commit(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    land(opened, {"docs/a.md": b"1\n"})
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""


def test_finish_completes_the_configuration_that_came_with_a_build(repo: GitRepo) -> None:
    repo.commit("one", {"README": "r\n"})
    opened = Repo.open(repo.path)
    land(opened, {"docs/a.md": b"1\n", ".okf.yaml": b"version: 1\n"})
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""
    assert files(repo)[".okf.yaml"] == b"version: 1\n"


def test_finish_completes_whichever_source_was_killed(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n"})
    land(opened, {"blog/a.md": b"1\n"})
    assert worktree.finish(opened, "docs") is False
    assert status(repo) == ""
    assert files(repo) == {"blog/a.md": b"1\n", "docs/a.md": b"1\n"}


def test_finish_completes_two_commits_of_one_run(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n", "docs/b.md": b"1\n"})
    base = opened.head().commit
    assert base
    first = opened.edit(opened.commit_tree(base), {"docs/a.md": b"2\n"})
    second = opened.edit(first, {"docs/b.md": b"2\n"})
    rendered = opened.commit(first, [base], "render: =1 (docs)", WHEN)
    synced = opened.commit(second, [rendered], OURS, WHEN)
    opened.update([RefUpdate("refs/heads/main", base, synced, "x")], head="refs/heads/main")
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""
    assert files(repo) == {"docs/a.md": b"2\n", "docs/b.md": b"2\n"}


def test_what_the_user_brought_back_on_purpose_stays_staged(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n"})
    sync(opened, {"docs/a.md": b"2\n"})
    repo.git("checkout", "HEAD~1", "--", "docs")
    assert worktree.finish(opened, "docs") is False
    assert status(repo) == "M  docs/a.md"
    land(opened, {"docs/b.md": b"b\n"})
    repo.commit("the user's, on top of a run that was killed")
    assert worktree.finish(opened, "docs") is False


@pytest.mark.parametrize("data", [b"", b"null", b"[1]", b"[null, 3]", b'["', b"{}", b"\xff"])
def test_a_note_that_cannot_be_read_is_none(repo: GitRepo, data: bytes) -> None:
    opened = Repo.open(repo.path)
    land(opened, {"docs/a.md": b"1\n"})
    (note,) = (opened.scratch / "checkout").iterdir()
    note.write_bytes(data)
    assert worktree.finish(opened, "docs") is False
    assert worktree.dirty(opened, "docs") == ["docs/a.md"]


@pytest.mark.parametrize("setting", ["false", "true"])
def test_finish_completes_a_checkout_cut_short_in_the_middle(repo: GitRepo, setting: str) -> None:
    """Some files are new, one is missing, one is half written; the index, written last, is the old one."""
    repo.git("config", "core.autocrlf", setting)
    opened = Repo.open(repo.path)
    sync(opened, {f"docs/{name}.md": b"1\n" for name in "abcd"})
    land(opened, {f"docs/{name}.md": b"first line\nsecond line\n" for name in "abcd"})
    ending = b"\r\n" if setting == "true" else b"\n"
    repo.write("docs/a.md", b"first line" + ending + b"second line" + ending)
    (repo.path / "docs/b.md").unlink()
    repo.write("docs/c.md", (b"first line" + ending)[:-1])
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""


def test_finish_leaves_what_the_user_wrote_after_the_kill(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n", "docs/b.md": b"1\n"})
    land(opened, {"docs/a.md": b"2\n", "docs/b.md": b"2\n"})
    repo.write("docs/a.md", "mine\n")
    assert worktree.finish(opened, "docs") is True
    assert worktree.dirty(opened, "docs") == ["docs/a.md"]
    assert files(repo) == {"docs/a.md": b"mine\n", "docs/b.md": b"2\n"}


def test_finish_is_not_for_the_users_own_changes(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n", "docs/b.md": b"1\n"})
    sync(opened, {"docs/a.md": b"2\n", "docs/b.md": b"2\n"})
    (repo.path / "docs/a.md").unlink()
    assert worktree.finish(opened, "docs") is False
    repo.write("docs/a.md", "1\n")
    repo.git("add", "docs/a.md")
    assert worktree.finish(opened, "docs") is False
    repo.git("checkout", "HEAD", "--", "docs/a.md")
    repo.commit("the user's", {"docs/c.md": "c\n"})
    repo.git("rm", "--quiet", "--cached", "docs/c.md")
    assert worktree.finish(opened, "docs") is False


KILLED = """
import os, signal, subprocess, sys, threading, time
from pathlib import Path
from git_okf.store import worktree
from git_okf.store.repo import RefUpdate, Repo
path, old, new, delay = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
threading.Thread(target=lambda: (time.sleep(delay), os.killpg(0, signal.SIGKILL)), daemon=True).start()
start = subprocess.Popen  # as if the machine died: git is in our group, and dies with us
subprocess.Popen = lambda *args, start_new_session, **named: start(*args, **named)
worktree.update(Repo.open(Path(path)), old, new, ["docs"])
time.sleep(5)
"""


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.008, 0.012, 0.016, 0.02, 0.03])
def test_state_05_killed_in_the_middle_of_the_checkout_the_next_run_completes_it(repo: GitRepo, delay: float) -> None:
    opened = Repo.open(repo.path)
    body = b"line\n" * 2000
    sync(opened, {f"docs/{number}.md": b"1\n" + body for number in range(300)})
    old, new = land(opened, {f"docs/{number}.md": b"2\n" + body for number in range(200)})
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(repo.path), str(old), new, str(delay)],
        check=False,
        cwd=Path(worktree.__file__).parents[2],
        start_new_session=True,
    )
    assert done.returncode == -9
    (repo.path / ".git" / "index.lock").unlink(missing_ok=True)  # what the hint tells a person to do
    worktree.finish(opened, "docs")
    assert status(repo) == ""
    assert files(repo)["docs/0.md"] == b"2\n" + body


def test_an_interrupted_checkout_leaves_no_lock_behind(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n"})
    repo.write(".git/hooks/post-index-change", "#!/bin/sh\nsleep 30\n").chmod(0o755)
    old, new = land(opened, {"docs/a.md": b"2\n"})
    communicate = subprocess.Popen.communicate

    def interrupted(process: subprocess.Popen[bytes], *args: object) -> tuple[bytes, bytes]:
        if "read-tree" not in str(process.args):
            return communicate(process, *args)  # type: ignore[arg-type]
        time.sleep(0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        worktree.update(opened, old, new, ["docs"])
    monkeypatch.undo()
    assert time.monotonic() - start < 10
    assert not (repo.path / ".git" / "index.lock").exists()
    (repo.path / ".git/hooks/post-index-change").unlink()
    worktree.finish(Repo.open(repo.path), "docs")
    assert status(repo) == ""


# --- where the bundle may be ---


def test_check_place_refuses_links_files_and_repositories_on_the_way(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one", {"file": "f"})
    opened = Repo.open(repo.path)
    check_place(opened, "docs/deep")
    (repo.path / "link").symlink_to(tmp_path)
    (repo.path / "nested").mkdir()
    repo.git("init", "--quiet", "nested/inner")
    for prefix, said in (
        ("link", "symbolic link"),
        ("link/below", "symbolic link"),
        ("file/below", "a file"),
        ("nested/inner/docs", "repository of its own"),
    ):
        with pytest.raises(GitRefused, match=said):
            check_place(opened, prefix)
    for prefix in (".git/docs", "a/../b", "/abs", "a\\b", "C:/x", ".GIT/x", "a/.g\u200cit/b", "git~1/x"):
        with pytest.raises(GitRefused, match="cannot be written"):
            check_place(opened, prefix)


def test_check_place_refuses_a_submodule_and_a_link_that_is_only_in_head(repo: GitRepo) -> None:
    tip = repo.commit("one", {"a": "a"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{tip},sub")
    repo.git("update-index", "--add", "--cacheinfo", f"120000,{repo.git('rev-parse', 'HEAD:a')},link")
    repo.commit("two")
    opened = Repo.open(repo.path)
    with pytest.raises(GitRefused, match="repository of its own"):
        check_place(opened, "sub/docs")
    with pytest.raises(GitRefused, match="symbolic link"):
        check_place(opened, "link/docs")


# --- sparse checkouts, split and sparse indexes ---


@pytest.mark.parametrize("sparse_index", [False, True])
@pytest.mark.parametrize("cone", [False, True])
def test_sparse_checkout_outside_of_the_cone(repo: GitRepo, cone: bool, sparse_index: bool) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n", "docs/b.md": b"1\n", "docs/x/c.md": b"1\n"})
    repo.commit("two", {"src/s.txt": "s\n"})
    if cone:
        repo.git("sparse-checkout", "set", "--cone", "src", *(["--sparse-index"] if sparse_index else []))
    else:
        repo.git("sparse-checkout", "set", "--no-cone", "/src/")
    assert not (repo.path / "docs").exists()
    assert worktree.dirty(opened, "docs") == []
    assert sync(opened, {"docs/a.md": b"2\n", "docs/x/c.md": None, "docs/n.md": b"n\n"}) == []
    assert status(repo) == ""
    assert files(repo) == {"src/s.txt": b"s\n"}
    repo.git("sparse-checkout", "disable")
    assert files(repo) == {"docs/a.md": b"2\n", "docs/b.md": b"1\n", "docs/n.md": b"n\n", "src/s.txt": b"s\n"}
    assert status(repo) == ""


def test_finish_in_a_sparse_checkout_stays_sparse(repo: GitRepo) -> None:
    opened = Repo.open(repo.path)
    sync(opened, {"docs/a.md": b"1\n"})
    repo.commit("two", {"src/s.txt": "s\n"})
    repo.git("sparse-checkout", "set", "--cone", "src")
    land(opened, {"docs/a.md": b"2\n"})
    assert worktree.finish(opened, "docs") is True
    assert status(repo) == ""
    assert files(repo) == {"src/s.txt": b"s\n"}


def test_split_index(repo: GitRepo) -> None:
    repo.commit("one", {f"src/{number}.txt": "s\n" for number in range(30)})
    repo.git("update-index", "--split-index")
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/a.md": b"1\n"}) == []
    repo.write("docs/a.md", "mine\n")
    assert sync(opened, {"docs/a.md": b"2\n", "docs/b.md": b"2\n"}) == ["docs/a.md"]
    assert status(repo) == " M docs/a.md"


def test_case_insensitive_file_systems_are_left_to_git(repo: GitRepo) -> None:
    repo.git("config", "core.ignorecase", "true")
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/Read.md": b"1\n"}) == []
    assert sync(opened, {"docs/Read.md": b"2\n"}) == []
    assert status(repo) == ""


def test_git_12_linked_work_tree_leaves_the_main_one_alone(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one", {"docs/a.md": "1\n"})
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    linked = GitRepo(tmp_path / "side")
    assert sync(Repo.open(linked.path), {"docs/a.md": b"2\n"}) == []
    assert status(linked) == status(repo) == ""
    assert (files(linked)["docs/a.md"], files(repo)["docs/a.md"]) == (b"2\n", b"1\n")


def test_hook_02_variables_of_a_hook_do_not_reach_our_git(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("one", {"docs/a.md": "1\n"})
    index = (repo.path / ".git/index").read_bytes()
    (tmp_path / "other-index").write_bytes(index)
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    monkeypatch.setenv("GIT_PREFIX", "sub/")
    opened = Repo.open(repo.path)
    assert sync(opened, {"docs/a.md": b"2\n"}) == []
    assert (tmp_path / "other-index").read_bytes() == index
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert status(repo) == ""


def test_git_maps_little_of_a_pack_beside_us(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []

    def watched(where: Path, *args: str, **options: Any) -> gitprogram.Done:
        started.append(args)
        return gitprogram.git(where, *args, **options)

    monkeypatch.setattr(worktree, "git", watched)
    opened = Repo.open(repo.path)
    sync(opened, {"docs/pages/a.md": b"a"})
    assert worktree.dirty(opened, "docs") == []
    reading = [args for args in started if {"read-tree", "status"} & set(args)]
    assert len(reading) == 2 and all("core.packedGitLimit=16m" in args for args in reading)
