"""A run that is interrupted, killed or met by another: the next one completes it, and pays for nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from scenario import Docs, assert_same, everything, paths


def changed(docs: Docs) -> None:
    docs.build("a", "b", "c", "sub/d")
    docs.put("a", version=2)
    docs.put("e")
    docs.drop("b", "sub/d")


def run_killed(docs: Docs, where: str) -> None:
    """A sync in a child process that kills itself, with no chance to clean up, where a function would be called."""
    module, _, name = where.rpartition(".")
    code = (
        "import os, signal, sys, importlib\n"
        f"module = importlib.import_module({module!r})\n"
        f"setattr(module, {name!r}, lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL))\n"
        "from git_okf.cli import main\n"
        "main(['sync'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=docs.repo.path, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def uninterrupted(docs: Docs, before: str) -> str:
    """What the bundle would hold after a run that nobody killed, times left out."""
    return docs.repo.git("diff", "--name-status", before, "HEAD", "--", "docs")


EXPECTED = sorted(
    [
        "M\tdocs/log.md",
        "M\tdocs/pages/docs/a.md",
        "D\tdocs/pages/docs/b.md",
        "A\tdocs/pages/docs/e.md",
        "M\tdocs/pages/docs/index.md",
        "D\tdocs/pages/docs/sub/d.md",
        "D\tdocs/pages/docs/sub/index.md",
    ]
)


def assert_landed_once(docs: Docs, before: str) -> None:
    subjects = docs.repo.git("log", "--format=%s", f"{before}..HEAD").splitlines()
    assert subjects == ["sync: +1 -2 =1 (docs)"]
    moved = [line for line in uninterrupted(docs, before).splitlines() if not line.endswith("\tdocs/index.md")]
    assert sorted(moved) == EXPECTED
    assert docs.repo.git("status", "--porcelain") == ""
    assert not (docs.repo.path / "docs/pages/docs/sub").exists()
    docs.quiet()


@pytest.mark.parametrize(
    "where",
    [
        "git_okf.landing._content",
        "git_okf.store.notes.note",
        "git_okf.memory.update",
        "git_okf.landing._move_refs",
    ],
)
def test_state_05_killed_before_the_refs_moved(docs: Docs, where: str) -> None:
    changed(docs)
    before, whole = docs.head, everything(docs.repo)
    run_killed(docs, where)
    after = everything(docs.repo)
    assert_same({k: v for k, v in whole.items() if k != "objects"}, {k: v for k, v in after.items() if k != "objects"})
    docs.site.forget()
    docs.sync()
    assert docs.site.bodies("/docs/?*") == 0
    assert_landed_once(docs, before)


def test_state_05_killed_between_the_refs_and_the_work_tree(docs: Docs) -> None:
    changed(docs)
    before = docs.head
    run_killed(docs, "git_okf.store.worktree.update")
    assert docs.head != before
    assert "version 1" in docs.file("a").read_text() and docs.file("b").exists()
    assert docs.repo.git("status", "--porcelain") != ""
    docs.sync()
    assert "version 2" in docs.file("a").read_text()
    assert_landed_once(docs, before)


def test_state_05_killed_when_all_but_scratch_was_done(docs: Docs) -> None:
    changed(docs)
    before = docs.head
    run_killed(docs, "git_okf.store.overlay.drop_overlay")
    assert "version 2" in docs.file("a").read_text() and docs.repo.git("status", "--porcelain") == ""
    docs.quiet()
    assert_landed_once(docs, before)


@pytest.mark.parametrize("moved", [1, 2])
def test_state_05_killed_between_two_refs(docs: Docs, moved: int) -> None:
    """Content, notes, state, in this order: a kill leaves the first of them moved, and the next run goes on there."""
    changed(docs)
    before = docs.head
    refs = {name: docs.repo.git("rev-parse", name) for name in ("refs/notes/okf", "refs/heads/okf/state")}
    docs.sync()
    for name in list(refs)[moved - 1 :]:
        docs.repo.git("update-ref", name, refs[name])
    docs.sync()
    assert_landed_once(docs, before)


def test_http_03_a_run_killed_while_it_reads_the_site_is_resumed(docs: Docs) -> None:
    names = [f"p{i:02}" for i in range(40)]
    docs.put(*names)
    docs.repo.commit(
        "configuration",
        {".okf.yaml": f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs, concurrency: 2}}}}\n"},
    )
    process = subprocess.Popen([sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path)
    docs.site.when_asked("/docs/p30", lambda: os.kill(process.pid, signal.SIGKILL))
    assert process.wait(30) == -signal.SIGKILL
    first = len({r.path for r in docs.site.requests("/docs/p*") if r.status == 200})
    assert first < 40
    docs.site.forget()
    report = docs.sync()
    assert len(report["added"]) == 41
    assert docs.site.bodies("/docs/p*") <= 40 - first + 14  # a checkpoint is flushed every ten results
    docs.quiet()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_commits_nothing_and_the_next_asks_only_for_the_rest(
    docs: Docs, number: signal.Signals
) -> None:
    names = [f"p{i:02}" for i in range(20)]
    docs.put(*names)
    text = f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs, concurrency: 1}}}}\n"
    docs.repo.commit("configuration", {".okf.yaml": text})
    before = everything(docs.repo)
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    )
    docs.site.when_asked("/docs/p10", lambda: process.send_signal(number))
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "docs: interrupted; nothing was committed" in said and "git okf sync docs" in said
    assert_same(before, everything(docs.repo))
    asked = {r.path for r in docs.site.requests("/docs/p*")}
    docs.site.forget()
    assert len(docs.sync()["added"]) == 21
    again = {r.path for r in docs.site.requests("/docs/p*")}
    assert len(asked) + len(again) <= 21
    docs.quiet()


def test_http_03_a_checkpoint_made_under_another_configuration_is_not_used(docs: Docs) -> None:
    names = [f"p{i:02}" for i in range(9)]
    docs.build(*names)
    docs.put(*names[:2], version=2)
    docs.drop(*names[3:])
    docs.sync(code=1)
    file = docs.repo.path / ".okf.yaml"
    docs.repo.commit("configure", {".okf.yaml": file.read_text() + "    drop: [.ad]\n"})
    docs.site.forget()
    docs.sync("--force")
    assert docs.site.bodies("/docs/p*") == 3


def test_two_runs_at_once_and_one_of_them_yields(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    second = []
    docs.site.when_asked("/docs/b", lambda: second.append(docs.program("sync", "--json")))
    docs.sync()
    (ran,) = second
    assert ran.code == 5
    assert f"process {os.getpid()} on " in ran.err
    assert '"result": "busy"' in ran.out
    assert docs.repo.git("log", "--format=%s").splitlines() == ["sync: +0 -0 =1 (docs)", "sync: +3 -0 =0 (docs)"]
    docs.quiet()


def test_two_sources_can_be_synced_at_once(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    docs.put("a", version=2)
    docs.site.page("/other/", docs.site.pages["/other/"].body.replace(b"version 1", b"version 2"))
    second = []
    docs.site.when_asked("/docs/b", lambda: second.append(docs.program("sync", "other")))
    docs.site.forget()
    docs.sync("docs")
    assert [ran.code for ran in second] == [0]
    assert docs.repo.git("log", "-2", "--format=%s") == "sync: +0 -0 =1 (docs)\nsync: +0 -0 =1 (other)"
    assert len(docs.site.requests("/docs/a")) == 1
    assert docs.repo.git("status", "--porcelain") == ""
    assert docs.ok("sync").out == "✓ Up to date: docs (3 unchanged)\n✓ Up to date: other (1 unchanged)\n"


def test_a_lease_left_by_a_killed_run_is_taken_over(docs: Docs) -> None:
    docs.build("a", "b")
    process = subprocess.Popen([sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path)
    docs.site.when_asked("/docs/b", lambda: os.kill(process.pid, signal.SIGKILL))
    assert process.wait(30) == -signal.SIGKILL
    docs.put("a", version=2)
    assert docs.sync()["updated"] == paths("a")


def test_state_06_a_run_whose_lease_was_taken_over_cannot_write(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    lease = docs.repo.path / ".git/okf/lease/docs.json"

    def take_over() -> None:
        lease.unlink()
        second = docs.program("sync")
        assert second.code == 0, second.err

    docs.site.when_asked("/docs/b", take_over)
    ran = docs.run("sync")
    assert ran.code == 5, ran.err
    assert docs.repo.git("log", "--format=%s").splitlines() == ["sync: +0 -0 =1 (docs)", "sync: +3 -0 =0 (docs)"]
    docs.tidy()


@pytest.mark.parametrize("command", ["repair", "remove"])
def test_what_writes_the_state_waits_for_no_run_and_disturbs_none(docs: Docs, command: str) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    second = []
    docs.site.when_asked("/docs/b", lambda: second.append(docs.program(command, "docs")))
    docs.sync()
    assert [ran.code for ran in second] == [5]
    assert "docs is being synced by process" in second[0].err
    assert docs.repo.git("status", "--porcelain") == ""
    docs.quiet()
