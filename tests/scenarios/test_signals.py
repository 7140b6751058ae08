"""SIGINT and SIGTERM: a clean end within seconds, whatever the site does; a second signal ends at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hanging import behind_ssh, wait_for_git, wait_for_program
from remotes import bare_remote
from scenario import Docs, assert_same, everything, paths

from git_okf.store.checkpoint import Checkpoint

PATIENCE_S = 5.0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["/docs/p1", "/docs/", "/robots.txt"])
def test_a_site_that_does_not_answer_does_not_keep_a_run_that_is_to_end(
    docs: Docs, number: signal.Signals, where: str
) -> None:
    docs.put("p0", "p1", "p2")
    docs.repo.commit(
        "configuration", {".okf.yaml": f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs}}}}\n"}
    )
    before = everything(docs.repo)
    docs.site.fault(where, delay=20.0)
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    )
    sent: list[float] = []

    def signalled() -> None:
        process.send_signal(number)
        sent.append(time.monotonic())

    docs.site.when_asked(where, signalled)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - sent[0] < PATIENCE_S
    assert process.returncode == 130, said
    assert "interrupted; nothing was committed" in said and "Traceback" not in said
    assert_same(before, everything(docs.repo))


def interrupted_at_a_terminal(docs: Docs, *command: str, when: Callable[[int], object]) -> None:
    """An interrupt reaches everybody there, the program and its workers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", *command],
        cwd=docs.repo.path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    when(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert "interrupted; nothing was committed" in said and "Traceback" not in said


def test_an_interrupt_at_a_terminal_is_not_for_workers_that_are_being_started(docs: Docs) -> None:
    docs.build("p")
    docs.put(*(f"p{number}" for number in range(40)))
    docs.site.fault("/docs/p1", delay=20.0)
    interrupted_at_a_terminal(docs, "sync", when=lambda pid: wait_for_program(pid, "multiprocessing.forkserver"))


def test_an_interrupt_at_a_terminal_is_not_for_workers_that_were_forked(docs: Docs) -> None:
    docs.put("p0", "p1")
    docs.site.fault("/docs/p1", delay=20.0)
    asked = threading.Event()
    docs.site.when_asked("/docs/p1", asked.set)
    interrupted_at_a_terminal(docs, "build", docs.url, "-o", "docs", when=lambda _: asked.wait(30))


@pytest.mark.parametrize("hangs_at", ["before the run", "/docs/p1", "the push"])
def test_a_remote_that_does_not_answer_does_not_keep_a_run_that_is_to_end(
    docs: Docs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hangs_at: str
) -> None:
    docs.build("p0", "p1", "p2")
    bare = bare_remote(docs.repo, tmp_path / "bare.git")
    remote = behind_ssh(docs.repo, bare, tmp_path)
    monkeypatch.setenv("GIT_SSH_COMMAND", remote.ssh)
    docs.sync("--push")
    docs.put("p0", "p1", version=2)
    before = everything(docs.repo)
    if hangs_at == "before the run":
        remote.hang()
    else:
        docs.site.when_asked("/docs/p1", remote.hang)
    process = subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync", "--push"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    )
    sent: list[float] = []

    def signalled() -> None:
        process.send_signal(signal.SIGTERM)
        sent.append(time.monotonic())

    if hangs_at == "/docs/p1":
        docs.site.when_asked("/docs/p2", signalled)
    else:
        wait_for_git(process.pid, remote.ssh)
        signalled()
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - sent[0] < PATIENCE_S
    assert process.returncode == 130, said
    assert "interrupted; nothing was" in said and "Traceback" not in said
    assert_same({**before, "objects": ()}, {**everything(docs.repo), "objects": ()})
    remote.heal()
    bare.git("update-ref", "-d", "refs/okf/lease/docs")  # it would expire
    docs.site.forget()
    assert docs.sync("--push")["updated"] == paths("p0", "p1")
    if hangs_at == "the push":
        assert docs.site.bodies("/docs/p?") == 0
    assert bare.git("rev-parse", "main") == docs.head


def test_a_second_signal_ends_at_once() -> None:
    code = (
        "import time\n"
        "from git_okf import interrupt\n"
        "stopping = interrupt.watch()\n"
        "print('ready', flush=True)\n"
        "while not stopping():\n    time.sleep(0.01)\n"
        "print('stopping', flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopping\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == -signal.SIGTERM
    process.stdout.close()


def test_http_02_a_source_says_after_how_many_items_a_run_is_saved(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.put("a", "b", "c", "d", "e")
    source = f"{{url: '{docs.url}', bundle: docs, checkpoint: 2}}"
    docs.repo.commit("configuration", {".okf.yaml": f"version: 1\nsources: {{docs: {source}}}\n"})
    saved: list[int] = []
    save = Checkpoint._save

    def counted(spool: Checkpoint, now: float) -> None:
        saved.append(len(spool))
        save(spool, now)

    monkeypatch.setattr(Checkpoint, "_save", counted)
    docs.sync()
    assert saved[:3] == [2, 4, 6]


@pytest.mark.parametrize("after", [3, 17, 38])
def test_http_03_killed_after_some_pages_and_resumed_comes_to_what_an_uninterrupted_run_comes_to(
    docs: Docs, after: int
) -> None:
    names = [f"p{number:02}" for number in range(50)]
    docs.put(*names)
    text = f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs, concurrency: 1}}}}\n"
    docs.repo.commit("configuration", {".okf.yaml": text})
    process = subprocess.Popen([sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path)
    docs.site.when_asked(f"/docs/p{after:02}", process.kill)
    assert process.wait(30) == -signal.SIGKILL
    docs.site.forget()
    assert len(docs.sync()["added"]) == 51
    again = {r.path for r in docs.site.requests("/docs/p*") if r.status == 200}
    assert len(again) <= 50 - after + 10  # the results are saved ten at a time
    resumed = {path: docs.repo.git("show", f"HEAD:docs/{path}").split("---", 2)[2] for path in docs.concepts()}
    docs.quiet()
    docs.sync("--rebuild")
    assert docs.subject == "sync: +51 -0 =0 (docs)"
    whole = {path: docs.repo.git("show", f"HEAD:docs/{path}").split("---", 2)[2] for path in docs.concepts()}
    assert resumed == whole
