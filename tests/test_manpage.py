"""The manual page and the help of the commands say the same, and git shows them."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer.main

from git_okf import cli, errors, guard
from git_okf.store import notes, review_branch, state

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "man" / "git-okf.1"
COMMANDS: Mapping[str, Any] = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
CPU_SECONDS = 0.3
"""What `git okf --help` may cost."""
HELPS = {
    "git okf -h": ("git", "okf", "-h"),
    "git-okf --help": ("git-okf", "--help"),
    "python -m git_okf --help": (sys.executable, "-m", "git_okf", "--help"),
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program and its manual page as a wheel lays them out below a prefix, first in PATH."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git-okf"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_okf "$@"\n')
    program.chmod(0o755)
    for source, target in _shared_data().items():
        (tmp_path / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, tmp_path / target)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MANWIDTH", "80")
    monkeypatch.delenv("MANPATH", raising=False)
    return tmp_path


def _shared_data() -> Mapping[str, str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    data: Mapping[str, str] = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    return data


def _plain(roff: str) -> str:
    """The text of roff without fonts and escapes."""
    return re.sub(r"\\f.", "", roff).replace("\\-", "-")


def _section(name: str) -> str:
    found = re.search(
        rf'^\.SH "?{name}"?\n(.*?)(?=^\.SH |\Z)', PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found, name
    return found[1]


def _described() -> dict[str, str]:
    """The text of each command's part."""
    parts = re.split(r"^\.SS (.*)\n", _section("COMMANDS"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _tags(roff: str) -> list[str]:
    return [_plain(tag) for tag in re.findall(r"^\.TP\n(.*)\n", roff, re.MULTILINE)]


def _parameter(parameter: Any) -> str:
    """An option or argument as a manual page writes it: short name first, then its value."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join(sorted(parameter.opts, key=len))
    return names if parameter.is_flag else f"{names} {parameter.metavar}"


def test_every_command_is_described_in_the_order_of_the_help() -> None:
    assert list(_described()) == list(COMMANDS)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_argument_and_option_of_a_command_is_described_and_no_other(command: str) -> None:
    wanted = [_parameter(parameter) for parameter in COMMANDS[command].params]
    assert sorted(_tags(_described()[command])) == sorted(wanted)


def test_the_synopsis_names_each_command_with_its_arguments() -> None:
    lines = re.findall(r"^git okf (\S+) \[OPTIONS\] ?(.*)$", _plain(_section("SYNOPSIS")), re.MULTILINE)
    wanted = []
    for name, command in COMMANDS.items():
        arguments = []
        for argument in (p for p in command.params if p.param_type_name == "argument"):
            many = f"{argument.metavar}..." if argument.nargs == -1 else argument.metavar
            arguments.append(many if argument.required else f"[{many}]")
        wanted.append((name, " ".join(arguments)))
    assert lines == wanted


def test_every_exit_code_is_described_and_no_other() -> None:
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    assert [int(tag.removeprefix(".B ")) for tag in _tags(_section("EXIT STATUS"))] == sorted(codes)


def test_every_guard_and_ref_is_described() -> None:
    assert [tag.removeprefix(".B ") for tag in _tags(_section("GUARDS"))] == list(guard.NAMES)
    assert [tag.removeprefix(".I ") for tag in _tags(_section("REFS"))] == [
        state.REF,
        notes.REF,
        review_branch.ref_of("NAME"),
    ]


def _help(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main([*words, "-h"])
    assert end.value.code == 0
    return capsys.readouterr().out


def test_the_first_line_of_each_help_is_a_whole_sentence_that_is_not_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = re.findall(r"^  (\w+) +(.*)$", _help(capsys).partition("\nCommands:\n")[2], re.MULTILINE)
    assert listed == [(name, command.help.split("\n")[0]) for name, command in COMMANDS.items()]
    for _, line in listed:
        assert re.fullmatch(r"[A-Z][^.].*[^.]\.", line), line


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_help_ends_with_its_exit_codes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.search(r"\n\n  Exit codes: 0 [^.]*\.\n\Z", _help(capsys, command))


def test_the_three_ways_to_call_it_print_the_same_help(installed: Path) -> None:
    said = [subprocess.run(command, capture_output=True, check=True).stdout for command in HELPS.values()]
    assert said[0].startswith(b"Usage: git okf [OPTIONS] COMMAND")
    assert said[1:] == said[:1] * 2


@pytest.mark.parametrize("way", list(HELPS))
def test_help_takes_little_time(way: str, installed: Path) -> None:
    def spent() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(HELPS[way], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert (
        min(spent() for _ in range(5)) < CPU_SECONDS
    )  # the least of five: other work on the machine is no cost of ours


def test_git_asks_man_for_the_page(installed: Path) -> None:
    man = installed / "bin" / "man"
    man.write_text('#!/bin/sh\nprintf "man %s\\n" "$*"\n')
    man.chmod(0o755)
    done = subprocess.run(["git", "okf", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout == "man git-okf\n"


def test_git_shows_the_page_of_the_wheel_or_says_that_there_is_no_man(installed: Path) -> None:
    done = subprocess.run(
        ["git", "okf", "--help"], capture_output=True, text=True, env={**os.environ, "MANPAGER": "cat"}
    )
    if shutil.which("man"):
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("GIT-OKF(1)")
        assert "       git okf sync [OPTIONS] [NAME...]\n" in done.stdout
    else:
        assert done.returncode != 0
        assert "man" in done.stderr


def test_the_page_is_clean_roff() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.isascii()
    macros = set(re.findall(r"^\.(\S+)", text, re.MULTILINE))
    assert macros <= {'\\"', "TH", "SH", "SS", "TP", "PP", "B", "I", "BR", "IR", "RS", "RE", "nf", "fi", "nh", "ad"}
    assert text.count(".nf\n") == text.count(".fi\n")
    assert text.count(".RS 4\n") == text.count(".RE\n")
    for line in text.splitlines():
        assert line == line.rstrip()
        assert line != ""
        assert not re.search(r"(?<!\\)-", re.sub(r"^\.\\\".*", "", line)), f"a hyphen that cannot be copied: {line}"
        fonts = re.findall(r"\\f(.)", line)
        assert set(fonts) <= {"B", "I", "R"}
        assert not fonts or fonts[-1] == "R", line


def test_man_has_nothing_to_say_against_the_page() -> None:
    if shutil.which("man"):
        command = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(PAGE)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MANROFFSEQ": ""})
        assert (done.returncode, done.stderr) == (0, "")
    assert PAGE.read_text(encoding="utf-8").startswith('.\\"')
