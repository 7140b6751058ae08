"""The short way answers as the command line does, and leaves to it what it does not understand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run
from scenario import Docs

from git_okf import quick

AGES = re.compile(r"\(\d+ \w+ ago\)|\(just now\)")

PLAIN = [
    "status",
    "status docs",
    "status docs --json",
    "status nosuch",
    "status nosuch --json",
    "log",
    "log docs -n 1",
    "log --json",
    "log -n 1 --json",
    "show docs/pages/docs/a.md",
    "show docs/pages/docs/a.md --json",
    "show nothing",
    "verify",
    "verify --json",
    "verify docs",
    "verify docs/pages/docs/a.md",
    "verify docs/pages/docs/a.md docs",
    "verify nowhere --json",
]
LEFT = [
    "",
    "sync",
    "status --check",
    "status --branch main",
    "status -h",
    "log -n 0",
    "log -n x",
    "log -n",
    "log a b",
    "show",
    "show a b",
    "show a -n 3",
    "verify --staged",
    "verify --hook docs",
    "statuses",
]


@pytest.fixture
def changed(docs: Docs) -> Docs:
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.sync()
    return docs


@pytest.mark.parametrize("line", PLAIN)
def test_plain_words_are_answered_as_the_command_line_answers_them(
    changed: Docs, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = quick.answer(line.split(), changed.repo.path, os.environ)
    assert found is not None
    monkeypatch.setattr("git_okf.quick.LOOKS", {})
    ran = changed.here(*line.split())
    said = (found.out and found.out + "\n", found.err and found.err + "\n")
    assert (found.code, *(AGES.sub("", text) for text in said)) == (ran.code, AGES.sub("", ran.out), ran.err)


@pytest.mark.parametrize("line", LEFT)
def test_other_words_are_left_to_the_command_line(changed: Docs, line: str) -> None:
    assert quick.answer(line.split(), changed.repo.path, os.environ) is None


def test_a_workflow_gets_its_annotation_on_the_short_way_too(okf_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = okf_here("status")
    assert (ran.code, ran.out) == (2, "")
    assert "::error" in ran.err


def test_an_interrupt_ends_the_short_way_as_the_long_one(changed: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("git_okf.lookup.statuses.status", interrupted)
    ran = changed.here("status")
    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")


@pytest.mark.parametrize("line", ["status", "log", "show docs/pages/docs/a.md", "verify docs/pages/docs/a.md"])
def test_a_look_loads_neither_the_parser_nor_what_syncs(changed: Docs, line: str) -> None:
    heavy = {"typer", "pydantic", "aiohttp", "asyncio", "multiprocessing", "lxml", "git_okf.sync", "git_okf.landing"}
    program = (
        f"import os, sys, pathlib\nfrom git_okf.quick import answer\n"
        f"assert answer({line.split()!r}, pathlib.Path.cwd(), os.environ).code == 0\n"
        f"print(*sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=changed.repo.path,
        env={**os.environ, "PYTHONPATH": str(Path(quick.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("\n", "")
