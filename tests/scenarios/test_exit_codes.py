"""Each exit code of a run, from the installed program in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from scenario import Docs


def code(docs: Docs, *args: str) -> int:
    return docs.program(*args).code


def test_0_done_and_0_nothing_to_do(docs: Docs) -> None:
    docs.put("a")
    assert code(docs, "build", docs.url, "-o", "docs") == 0
    assert code(docs, "sync") == 0


def test_1_a_guard_aborted(docs: Docs) -> None:
    docs.build(*"abcdef")
    docs.drop(*"abcde")
    assert code(docs, "sync") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["sync", "nosuch"],
        ["sync", "--nosuch"],
        ["sync", "--allow", "nosuch"],
        ["sync", "--threshold", "2"],
        ["sync", "--time-budget", "soon"],
        ["nosuch"],
        ["build"],
    ],
)
def test_2_usage_or_configuration(docs: Docs, words: list[str]) -> None:
    docs.repo.write(".okf.yaml", "version: 1\nsources: {}\n")
    ran = docs.program(*words)
    assert ran.code == 2
    assert ran.err


def test_3_some_items_are_retained(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/a", status=500)
    assert code(docs, "sync") == 3


def test_4_the_source_is_unavailable(docs: Docs) -> None:
    docs.build("a")
    docs.site.fault("/docs/", status=401)
    docs.site.fault("/robots.txt", status=500)
    ran = docs.program("sync")
    assert ran.code == 4
    assert "robots.txt" in ran.err


def test_5_another_run_holds_the_lease(docs: Docs) -> None:
    docs.build("a")
    ran = []
    docs.site.when_asked("/docs/a", lambda: ran.append(docs.program("sync")))
    docs.sync()
    assert [r.code for r in ran] == [5]
    assert f"process {os.getpid()} on " in ran[0].err


def test_128_git_says_no(docs: Docs) -> None:
    docs.build("a")
    (docs.repo.path / ".git/MERGE_HEAD").write_text(docs.head + "\n")
    assert code(docs, "sync") == 128


def test_130_interrupted(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/*", delay=0.3)
    docs.site.forget()
    with subprocess.Popen(
        [sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path, stderr=subprocess.PIPE, text=True
    ) as process:
        while not docs.site.requests("/docs/"):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted; nothing was committed" in said


def test_with_several_sources_a_guard_outranks_an_outage_and_that_a_partial_run(docs: Docs) -> None:
    docs.build(*"abcdef")
    for path in ("/other/", "/third/"):
        docs.site.page(path, docs.site.pages["/docs/a"].body.replace(b"about a", path.encode()))
        docs.site.page(path + "x", docs.site.pages["/docs/a"].body.replace(b"about a", b"x of " + path.encode()))
        docs.site.page(path, docs.site.pages[path].body.replace(b'href="/docs/"', b'href="%sx"' % path.encode()))
        docs.ok("build", docs.site.url + path.strip("/") + "/", "-o", path.strip("/"))
    docs.drop(*"abcde")
    docs.site.fault("/other/*", drop=True)
    docs.site.fault("/third/x", status=500)
    assert docs.run("sync", "third").code == 3
    assert docs.run("sync", "third", "other").code == 4
    assert docs.run("sync").code == 1


@pytest.mark.parametrize("command", ["build", "sync", "status", "log", "show", "verify", "repair", "add", "remove"])
def test_every_commands_help_prints_its_codes(docs: Docs, command: str) -> None:
    ran = docs.here(command, "--help")
    assert ran.code == 0
    assert "Exit codes: 0 done" in ran.out
