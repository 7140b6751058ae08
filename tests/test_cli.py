"""The command line: one program by three names, quick to answer, and clear about every way it can end."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GitRepo, Run
from scenario import Docs

from git_okf import __version__

COMMANDS = ("build", "add", "sync", "status", "log", "show", "explain", "verify", "repair", "remove", "demo")


def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which `git-okf` is this very program, wherever the tests run."""
    script = tmp_path / "bin/git-okf"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_okf "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


def said(*command: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> tuple[int, str]:
    done = subprocess.run(command, env=env, cwd=cwd, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout


def test_git_okf_and_the_module_are_the_same_program(tmp_path: Path, repo: GitRepo) -> None:
    env = program(tmp_path)
    module = said(sys.executable, "-m", "git_okf", "log", "--json", env=env, cwd=repo.path)
    assert said("git", "okf", "log", "--json", env=env, cwd=repo.path) == module == (0, module[1])
    assert said("git-okf", "--version", env=env) == (0, f"git-okf {__version__}\n")
    assert said("git", "okf", "-h", env=env) == said(sys.executable, "-m", "git_okf", "--help", env=env)


def test_help_takes_less_than_three_tenths_of_a_second_of_cpu() -> None:
    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    took = []
    for _ in range(3):
        before = spent()
        assert said(sys.executable, "-m", "git_okf", "--help")[0] == 0
        took.append(spent() - before)
    assert min(took) < 0.3


def test_help_names_every_command(okf_here: Run) -> None:
    ran = okf_here("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert re.search(rf"^ +{command} +[A-Z]", ran.out, re.MULTILINE), command


def test_without_a_command_the_help_is_shown(okf_here: Run) -> None:
    ran = okf_here()
    assert "Usage: git okf" in ran.out + ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_it_does_and_how_it_can_end(okf_here: Run, command: str) -> None:
    ran = okf_here(command, "-h")
    assert ran.code == 0
    assert f"Usage: git okf {command}" in ran.out
    assert "Exit codes: 0 done" in ran.out


def test_a_word_that_is_no_command_is_a_usage_error(okf_here: Run) -> None:
    ran = okf_here("snyc")
    assert (ran.code, ran.out) == (2, "")
    assert "snyc" in ran.err


def test_a_fault_of_ours_is_called_one_and_written_down(
    docs: Docs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    docs.build("a")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def broken(*args: object) -> None:
        raise ZeroDivisionError("one in a million")

    monkeypatch.setattr("git_okf.lookup.statuses.status", broken)
    monkeypatch.setenv("DOCS_TOKEN", "s3cr3t")
    ran = docs.here("status")
    assert (ran.code, ran.out) == (70, "")
    found = re.fullmatch(
        r"error: this is a bug in git-okf: ZeroDivisionError: one in a million\. Report: (\S+)\n", ran.err
    )
    assert found, ran.err
    report = Path(found[1]).read_text()
    assert report.startswith(f"git-okf {__version__}, Python ")
    assert "one in a million" in report and "s3cr3t" not in report


def test_a_reader_that_goes_away_is_no_error(docs: Docs) -> None:
    docs.build(*(f"p{i:02}" for i in range(20)))
    for version in range(2, 5):
        docs.put("p01", version=version)
        docs.sync()
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "git_okf", "log", "--json"], cwd=docs.repo.path, stdout=write, stderr=subprocess.PIPE,
        check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_a_terminal_that_knows_few_letters_gets_them_escaped(docs: Docs, encoding: str) -> None:
    docs.build("a")
    done = subprocess.run(
        [sys.executable, "-m", "git_okf", "sync"], cwd=docs.repo.path, capture_output=True, check=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.stdout.decode(encoding).endswith(" Up to date: docs (2 unchanged)\n")
    assert done.stderr == b""


def test_json_is_one_object_whatever_happens(docs: Docs) -> None:
    docs.build("a", "b")
    for words in (["sync"], ["sync", "--dry-run"], ["status"], ["log"], ["verify"], ["show", "docs/pages/docs/a.md"]):
        ran = docs.ok(*words, "--json")
        assert isinstance(json.loads(ran.out), dict)
        assert ran.err == ""
    docs.site.fault("/robots.txt", status=500)
    ran = docs.run("sync", "--json")
    assert ran.code == 4
    error = json.loads(ran.out)["sources"][0]["error"]
    assert set(error) == {"code", "message", "hint"}
    assert ran.err.startswith(f"error: docs: {error['message']}")


def test_progress_is_shown_on_a_terminal_only(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    ran = docs.program("sync")
    assert "\r" not in ran.err + ran.out and "\x1b" not in ran.err + ran.out
