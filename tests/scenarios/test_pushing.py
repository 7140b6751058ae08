"""`sync --push`: several clones of one remote, and none of them loses what another wrote."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import GitRepo
from remotes import bare_remote, clone_of
from scenario import Docs, assert_same, everything, paths

MEMORY = ("refs/notes/okf", "refs/heads/okf/state")


@pytest.fixture
def bare(docs: Docs, tmp_path: Path) -> GitRepo:
    """A remote whose branch has the bundle of pages a and b, and the memory of the run that built it."""
    docs.build("a", "b")
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    docs.sync("--push")
    return bare


def other(docs: Docs, bare: GitRepo, path: Path, *options: str) -> Docs:
    """Another clone, and the command in it."""
    clone = clone_of(bare, path, *options)

    def here(*args: str, cwd: Path | None = None) -> object:
        return docs.here(*args, cwd=cwd or clone.path)

    def program(*args: str, cwd: Path | None = None) -> object:
        return docs.program(*args, cwd=cwd or clone.path)

    return Docs(site=docs.site, repo=clone, here=here, program=program, texts=docs.texts)  # type: ignore[arg-type]


def refs(repo: GitRepo, *names: str) -> list[str]:
    return repo.git("rev-parse", *names).splitlines()


def assert_in_step(docs: Docs, bare: GitRepo) -> None:
    """The clone's branch and memory are those of the remote, and nobody holds the lease."""
    assert refs(docs.repo, "refs/heads/main", *MEMORY) == refs(bare, "refs/heads/main", *MEMORY)
    assert json.loads(bare.git("cat-file", "blob", "refs/okf/lease/docs"))["token"] == ""
    assert bare.git("for-each-ref", "refs/okf/checkpoint") == ""
    assert bare.git("fsck", "--strict", "--no-dangling") == ""
    docs.tidy()


def note(repo: GitRepo, commit: str = "HEAD") -> Mapping[str, object]:
    found = json.loads(repo.git("notes", "--ref=okf", "show", commit))
    assert isinstance(found, dict)
    return found


def test_branch_notes_and_state_arrive_together(docs: Docs, bare: GitRepo) -> None:
    assert_in_step(docs, bare)
    docs.put("a", version=2)
    report = docs.sync("--push")
    assert (report["updated"], report["pushed"], report["generation"]) == (paths("a"), "origin main", 2)
    assert_in_step(docs, bare)
    assert note(bare, "main")["sources"][0]["commit"] == docs.head  # type: ignore[index]
    docs.put("a", version=3)
    ran = docs.ok("sync", "--push")
    assert "  Pushed: origin main\n" in ran.out


def test_a_quiet_push_writes_nothing_here_and_moves_no_ref_but_the_lease(docs: Docs, bare: GitRepo) -> None:
    before, there = everything(docs.repo), bare.git("for-each-ref", "refs/heads", "refs/notes")
    report = docs.sync("--push")
    assert report["result"] == "unchanged"
    assert_same(before, everything(docs.repo))
    assert bare.git("for-each-ref", "refs/heads", "refs/notes") == there


def test_a_first_push_makes_the_branch_on_an_empty_remote(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    docs.repo.git("init", "--quiet", "--bare", str(tmp_path / "empty.git"))
    docs.repo.git("remote", "add", "team", str(tmp_path / "empty.git"))
    docs.sync("--push")
    assert_in_step(docs, GitRepo(tmp_path / "empty.git"))


@pytest.mark.parametrize("options", [[], ["--depth=1"], ["--single-branch"]])
def test_state_03_a_clone_goes_on_where_another_left_off(
    docs: Docs, bare: GitRepo, tmp_path: Path, options: list[str]
) -> None:
    second = other(docs, bare, tmp_path / "second", *options)
    docs.put("a", version=2)
    docs.site.forget()
    assert second.sync("--push")["updated"] == paths("a")
    assert docs.site.bodies("/docs/b") == 0
    assert_in_step(second, bare)
    docs.put("b", version=2)
    assert docs.sync("--push")["updated"] == paths("b")
    assert_in_step(docs, bare)
    docs.put("c")
    assert second.sync("--push")["added"] == paths("c")
    assert_in_step(second, bare)
    assert bare.git("log", "-3", "--format=%s", "main").splitlines() == [
        "sync: +1 -0 =0 (docs)",
        "sync: +0 -0 =1 (docs)",
        "sync: +0 -0 =1 (docs)",
    ]
    if "--depth=1" in options:
        assert second.repo.git("rev-parse", "--is-shallow-repository") == "true"


def test_the_branch_follows_the_remote_and_so_does_the_configuration(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    second = other(docs, bare, tmp_path / "second")
    text = (second.repo.path / ".okf.yaml").read_text()
    second.repo.commit("leave b out", {".okf.yaml": text + "    exclude: ['/docs/b']\n", "new.txt": "n\n"})
    second.repo.git("push", "--quiet")
    report = docs.sync("--push", code=0)
    assert [item["outcome"] for item in report["retained"]] == ["OUT_OF_SCOPE"]
    assert (docs.repo.path / "new.txt").read_text() == "n\n"
    assert docs.repo.git("status", "--porcelain") == ""


def test_changes_of_a_person_are_not_overrun_when_the_branch_follows(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    second = other(docs, bare, tmp_path / "second")
    second.repo.commit("mine", {"a.txt": "theirs\n", "b.txt": "theirs\n"})
    second.repo.git("push", "--quiet")
    docs.repo.write("a.txt", "not committed\n")
    before = everything(docs.repo)
    docs.site.forget()
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "a.txt" in ran.err and "git stash" in ran.err
    assert docs.site.requests() == []
    assert_same({**before, "objects": ()}, {**everything(docs.repo), "objects": ()})
    docs.repo.git("stash", "--include-untracked", "--quiet")
    docs.sync("--push")
    assert (docs.repo.path / "a.txt").read_text() == "theirs\n"


def test_commits_of_a_person_go_along_and_are_never_left_out(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    mine = docs.repo.commit("mine", {"mine.txt": "m\n"})
    docs.sync("--push")
    assert bare.git("rev-parse", "main") == mine
    second = other(docs, bare, tmp_path / "second")
    second.repo.commit("theirs", {"theirs.txt": "t\n"})
    second.repo.git("push", "--quiet")
    kept = docs.repo.commit("mine again", {"mine.txt": "n\n"})
    docs.site.forget()
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and f"{kept[:7]} ('mine again')" in ran.err and "git pull --rebase" in ran.err
    assert docs.head == kept
    assert docs.site.requests() == []
    docs.repo.git("pull", "--quiet", "--rebase")
    docs.sync("--push")
    assert_in_step(docs, bare)


@pytest.mark.parametrize("amended", [False, True])
def test_a_sync_commit_that_was_not_pushed_is_made_anew_on_what_the_remote_has(
    docs: Docs, bare: GitRepo, tmp_path: Path, amended: bool
) -> None:
    docs.put("a", version=2)
    docs.sync()
    second = other(docs, bare, tmp_path / "second")
    second.repo.commit("theirs", {"theirs.txt": "t\n"})
    second.repo.git("push", "--quiet")
    if amended:  # then it is a person's, also with the note carried along
        docs.repo.git("config", "notes.rewriteRef", "refs/notes/okf")
        docs.repo.write("mine.txt", "m\n")
        docs.repo.git("add", "mine.txt")
        docs.repo.git("commit", "--quiet", "--amend", "--no-edit")
        assert note(docs.repo)
        assert docs.run("sync", "--push").code == 128
        assert (docs.repo.path / "mine.txt").exists()
        return
    report = docs.sync("--push")
    assert report["updated"] == paths("a")
    assert_in_step(docs, bare)
    assert bare.git("log", "-3", "--format=%s", "main").splitlines() == [
        "sync: +0 -0 =1 (docs)",
        "theirs",
        "sync: +3 -0 =0 (docs)",
    ]
    assert (docs.repo.path / "theirs.txt").exists()


def test_what_another_clone_pushed_already_takes_the_place_of_the_same_commit_here(
    docs: Docs, bare: GitRepo, tmp_path: Path
) -> None:
    second = other(docs, bare, tmp_path / "second")
    docs.put("a", version=2)
    docs.sync()
    second.sync("--push")
    assert docs.sync("--push")["result"] == "unchanged"
    assert_in_step(docs, bare)
    assert len(bare.git("log", "--format=%s", "main").splitlines()) == 2


def test_state_02_a_branch_that_moves_during_the_run_costs_no_second_crawl(
    docs: Docs, bare: GitRepo, tmp_path: Path
) -> None:
    second = other(docs, bare, tmp_path / "second")

    def meanwhile() -> None:
        second.repo.commit("theirs", {"theirs.txt": "t\n"})
        second.repo.git("push", "--quiet")

    docs.put("a", version=2)
    docs.site.forget()
    docs.site.when_asked("/docs/a", meanwhile)
    report = docs.sync("--push")
    assert report["updated"] == paths("a")
    assert len(docs.site.requests("/docs/a")) == 1
    assert_in_step(docs, bare)
    assert bare.git("log", "-2", "--format=%s", "main") == "sync: +0 -0 =1 (docs)\ntheirs"


@pytest.mark.parametrize("words", ["policy says no", "non-fast-forward, fetch first"])
def test_state_02_a_refusal_of_the_remote_is_told_at_once_in_its_words(docs: Docs, bare: GitRepo, words: str) -> None:
    hook = bare.path / "hooks" / "update"
    hook.write_text(f"#!/bin/sh\ncase $1 in refs/heads/*) echo '{words}' >&2; exit 1;; esac\n")
    hook.chmod(0o755)
    docs.put("a", version=2)
    before = everything(docs.repo)
    docs.site.forget()
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and words in ran.err
    assert_same({**before, "objects": ()}, {**everything(docs.repo), "objects": ()})
    assert len(docs.site.requests("/docs/a")) == 1
    hook.unlink()
    docs.site.forget()
    assert docs.sync("--push")["updated"] == paths("a")
    assert docs.site.bodies("/docs/a") == 0
    assert_in_step(docs, bare)


def test_a_run_elsewhere_that_holds_the_lease_is_named(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    second = other(docs, bare, tmp_path / "second")
    docs.put("a", version=2)
    ran = []
    docs.site.when_asked("/docs/b", lambda: ran.append(second.program("sync", "--push", "--json")))
    docs.sync("--push")
    assert ran[0].code == 5
    assert f"process {os.getpid()} on " in ran[0].err and " since 20" in ran[0].err
    assert second.sync("--push")["result"] == "unchanged"
    assert_in_step(second, bare)


def test_state_06_a_run_whose_lease_was_taken_over_elsewhere_pushes_and_writes_nothing(
    docs: Docs, bare: GitRepo, tmp_path: Path
) -> None:
    second = other(docs, bare, tmp_path / "second")
    docs.put("a", version=2)

    def take_over() -> None:
        bare.git("update-ref", "-d", "refs/okf/lease/docs")
        ran = second.program("sync", "--push")
        assert ran.code == 0, ran.err

    docs.site.when_asked("/docs/b", take_over)
    before = docs.head
    assert docs.run("sync", "--push").code == 5
    assert docs.head == before
    docs.sync("--push")
    assert_in_step(docs, bare)
    assert bare.git("log", "--format=%s", "main").splitlines() == ["sync: +0 -0 =1 (docs)", "sync: +3 -0 =0 (docs)"]


def test_http_03_an_interrupted_run_is_resumed_by_another_clone(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    names = [f"p{i:02}" for i in range(20)]
    docs.repo.commit("slowly", {".okf.yaml": (docs.repo.path / ".okf.yaml").read_text() + "    concurrency: 1\n"})
    docs.repo.git("push", "--quiet")
    second = other(docs, bare, tmp_path / "second")
    docs.put(*names)
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync", "--push"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    )
    docs.site.forget()
    docs.site.when_asked("/docs/p10", lambda: process.send_signal(signal.SIGTERM))
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert bare.git("ls-tree", "--name-only", "refs/okf/checkpoint/docs").splitlines() == [
        "bodies",
        "header.json",
        "results.jsonl",
    ]
    asked = {r.path for r in docs.site.requests("/docs/p*")}
    docs.site.forget()
    assert len(second.sync("--push")["added"]) == 20
    again = {r.path for r in docs.site.requests("/docs/p*") if r.status == 200}
    assert len(asked) + len(again) <= 21 and len(asked) >= 8
    assert_in_step(second, bare)


def test_an_outage_is_pushed_once(docs: Docs, bare: GitRepo) -> None:
    down = docs.site.fault("*", status=503)
    before = bare.git("rev-parse", "okf/state")
    docs.sync("--push", code=4)
    told = bare.git("rev-parse", "okf/state")
    assert told != before and told == docs.repo.git("rev-parse", "okf/state")
    docs.sync("docs", "--push", code=4)
    assert bare.git("rev-parse", "okf/state") == told
    docs.site.heal(down)
    docs.sync("docs", "--push")
    assert_in_step(docs, bare)


@pytest.mark.parametrize("option", ["--dry-run", "--stage"])
def test_push_excludes_what_commits_nothing(docs: Docs, bare: GitRepo, option: str) -> None:
    ran = docs.run("sync", "--push", option)
    assert ran.code == 2 and option in ran.err


def test_without_a_branch_or_a_remote_there_is_nothing_to_push_to(docs: Docs) -> None:
    docs.build("a")
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "git remote add origin URL" in ran.err
    docs.repo.git("switch", "--quiet", "--detach")
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "git switch BRANCH" in ran.err


def test_the_branch_git_has_configured_is_the_one_that_is_pushed(docs: Docs, bare: GitRepo) -> None:
    docs.repo.git("switch", "--quiet", "--create", "work", "--track", "origin/main")
    docs.put("a", version=2)
    assert docs.sync("--push")["pushed"] == "origin main"
    assert bare.git("rev-parse", "main") == docs.head
    assert bare.git("for-each-ref", "--format=%(refname)", "refs/heads/work") == ""


def test_two_sources_are_pushed_one_after_the_other(docs: Docs, bare: GitRepo) -> None:
    docs.site.page("/other/", docs.site.pages["/docs/a"].body)
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    docs.put("a", version=2)
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    ran = docs.ok("sync", "--push")
    assert ran.out.count("Pushed") == 2
    assert refs(docs.repo, "refs/heads/main", *MEMORY) == refs(bare, "refs/heads/main", *MEMORY)


def test_a_remote_that_hangs_does_not_keep_a_run_that_is_to_end(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    """The lease cannot be let go and what was fetched stays here; that is said, and the run ends in time."""
    docs.put("c")
    hook = bare.path / "hooks" / "pre-receive"
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync", "--push"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    )
    sent: list[float] = []

    def hang_and_signal() -> None:
        hook.write_text("#!/bin/sh\nsleep 30\n")
        hook.chmod(0o755)
        process.send_signal(signal.SIGTERM)
        sent.append(time.monotonic())

    docs.site.fault("/docs/c", delay=20.0)
    docs.site.when_asked("/docs/c", hang_and_signal)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - sent[0] < 6
    assert process.returncode == 130, said
    assert "what was fetched is kept on this machine only" in said
    hook.unlink()
    docs.site.heal()
    assert docs.sync("--push")["added"] == paths("c")


def test_a_run_whose_time_was_up_is_continued_by_another_clone(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    docs.repo.commit("slowly", {".okf.yaml": (docs.repo.path / ".okf.yaml").read_text() + "    concurrency: 1\n"})
    docs.put(*(f"p{number}" for number in range(8)))
    slow = docs.site.fault("/docs/p*", delay=0.15)
    first = docs.sync("--push", "--time-budget", "0.6s", code=3)
    assert 1 <= len(first["added"]) < 8
    assert_in_step(docs, bare)
    docs.site.heal(slow)
    second = other(docs, bare, tmp_path / "second")
    time.sleep(0.5)  # what the first run still asked when its time was up is answered by then, to nobody
    docs.site.forget()
    assert len(second.sync("--push")["added"]) == 8 - len(first["added"])
    assert docs.site.bodies("/docs/p*") == 8 - len(first["added"])
    assert_in_step(second, bare)


def test_a_build_is_pushed_with_its_configuration(docs: Docs, tmp_path: Path) -> None:
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    second = clone_of(bare, tmp_path / "second")
    second.commit("somebody's", {"mine.txt": "1\n"})
    second.git("push", "--quiet")
    docs.put("a")
    ran = docs.ok("build", docs.url, "-o", "docs", "--push")
    assert "Pushed" in ran.out
    assert bare.git("log", "--format=%s", "main").splitlines()[:2] == ["sync: +2 -0 =0 (docs)", "somebody's"]
    assert bare.git("show", "main:.okf.yaml").startswith("version: 1")
    assert bare.git("rev-parse", "main", "okf/state") == docs.repo.git("rev-parse", "main", "okf/state")
    assert (docs.repo.path / "mine.txt").exists()
    docs.tidy()
    assert docs.sync("--push")["result"] == "unchanged"
    ran = docs.run("build", docs.url, "-o", "more", "--push", "--dry-run")
    assert ran.code == 2 and "--dry-run" in ran.err


def test_a_build_that_the_remote_refuses_leaves_nothing(docs: Docs, tmp_path: Path) -> None:
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    hook = bare.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\ngrep -q refs/heads/main && echo 'no builds here' && exit 1\nexit 0\n")
    hook.chmod(0o755)
    docs.put("a")
    before = everything(docs.repo)
    ran = docs.run("build", docs.url, "-o", "docs", "--push")
    assert ran.code == 128 and "no builds here" in ran.err
    assert_same({**before, "objects": ()}, {**everything(docs.repo), "objects": ()})
    hook.unlink()
    docs.site.forget()
    docs.ok("build", docs.url, "-o", "docs", "--push")
    assert docs.site.bodies("/docs/a") == 0


def test_where_it_is_pushed_to_is_where_it_looks(docs: Docs, bare: GitRepo, tmp_path: Path) -> None:
    """Fetched from one repository, pushed to another: lease, state and branch are those of the one pushed to."""
    docs.repo.git("clone", "--quiet", "--bare", str(bare.path), str(tmp_path / "fork.git"))
    fork = GitRepo(tmp_path / "fork.git")
    docs.repo.git("remote", "set-url", "--push", "origin", f"file://{fork.path}")
    refs = bare.git("for-each-ref")
    for version in (2, 3):
        docs.put("a", version=version)
        assert docs.sync("--push")["pushed"] == "origin main"
        assert_in_step(docs, fork)
    second = clone_of(fork, tmp_path / "second")
    second.commit("somebody's", {"mine.txt": "1\n"})
    second.git("push", "--quiet")
    docs.put("a", version=4)
    docs.sync("--push")
    assert fork.git("log", "--format=%s", "-2", "main").splitlines()[1] == "somebody's"
    assert bare.git("for-each-ref") == refs


def test_sec_an_address_to_push_to_is_told_without_its_password(docs: Docs, bare: GitRepo) -> None:
    docs.repo.git("remote", "set-url", "--push", "origin", "http://someone:hunter2@127.0.0.1:9/none.git")
    asked = docs.site.requests()
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "hunter2" not in ran.err + ran.out and "127.0.0.1:9/none.git" in ran.err
    assert docs.site.requests() == asked


def test_a_remote_that_is_two_repositories_is_refused_before_any_request(docs: Docs, bare: GitRepo) -> None:
    docs.repo.git("remote", "set-url", "--add", "--push", "origin", str(bare.path))
    docs.sync("--push")
    docs.repo.git("remote", "set-url", "--add", "--push", "origin", "/elsewhere.git")
    asked = docs.site.requests()
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "pushed to 2 repositories at once" in ran.err and "remote of its own" in ran.err
    assert docs.site.requests() == asked
