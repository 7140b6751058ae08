"""`git okf demo`: what it prints is what a newcomer sees first."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from git_okf.demo import serve

PROMPTS = [
    "git init",
    "git okf build",
    "git okf sync",
    "git log",
    "git diff",
    "git notes",
]
BARE = {"PATH": os.environ["PATH"]}


def _demo(
    *args: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "git_okf", "demo", *args],
        env=os.environ if env is None else env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demonstration prints where there is no home, no identity and no terminal; and its repository."""
    root = tmp_path_factory.mktemp("demo") / "repository"
    began = time.monotonic()
    done = _demo("-o", str(root), env={**BARE, "HOME": ""}, cwd=root.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - began < 30
    return done.stdout, root


def _parts(text: str) -> dict[str, str]:
    """What follows each prompt, by command."""
    found = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


def test_it_shows_two_runs_the_log_a_diff_and_the_note_in_that_order(shown: tuple[str, Path]) -> None:
    commands = list(_parts(shown[0]))
    assert len(commands) == len(PROMPTS)
    for command, prompt in zip(commands, PROMPTS, strict=True):
        assert command.startswith(prompt)
    build, sync, log, diff, note = list(_parts(shown[0]).values())[1:]
    assert "sync: +14 -0 =0 (docs))\n  Added: 14\n" in build
    assert "sync: +3 -2 =5 (docs))\n  Added: 3\n  Updated: 5\n  Removed: 2\n  Unchanged: 6\n  Moved: 1 " in sync
    assert "  Retained: 1\n  Why: 403: access was refused (1)\n# exit code 3: partial" in sync
    assert [line for line in log.splitlines() if "sync: " in line and not line.startswith(" ")] == [
        line for line in log.splitlines() if re.match(r"[0-9a-f]{7} ", line)
    ]
    assert "\n+tar -xzf lantern-1.5.0.tar.gz\n" in diff
    report = json.loads(note[: note.rindex("\n}\n") + 3])
    assert report["sources"][0]["moved"] == [["pages/faq.md", "pages/guide/troubleshooting.md"]]


def test_every_command_it_prints_can_be_typed_again_in_its_repository(shown: tuple[str, Path]) -> None:
    text, root = shown
    for command, said in list(_parts(text).items())[3:]:
        again = subprocess.run(["sh", "-c", command], cwd=root, env=BARE, capture_output=True, text=True, check=True)
        assert said.startswith(again.stdout)


def test_it_says_where_the_repository_is_and_leaves_it_clean(shown: tuple[str, Path]) -> None:
    text, root = shown
    assert f"\nThe repository is {root}\n" in text
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    assert status.stdout == ""


def test_nothing_it_prints_is_an_escape_or_a_trailing_blank(shown: tuple[str, Path]) -> None:
    for line in shown[0].splitlines():
        assert line.isprintable(), line
        assert line == line.rstrip() or line == " ", line  # an empty line of context in a diff is one blank


def test_what_leads_git_elsewhere_is_not_followed(tmp_path: Path, hermetic: Path) -> None:
    (hermetic / ".gitconfig").write_text(
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[core]\n\tpager = false\n"
    )
    elsewhere = {"GIT_DIR": str(tmp_path / "other.git"), "GIT_WORK_TREE": str(tmp_path), "GIT_EXTERNAL_DIFF": "false"}
    done = _demo("-o", str(tmp_path / "repository"), env={**os.environ, **elsewhere}, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(_parts(done.stdout))[-1] == "git notes --ref=okf show"
    assert not (tmp_path / "other.git").exists()


def test_a_url_in_place_of_the_built_in_site_is_built_and_synced_once_more(tmp_path: Path) -> None:
    with serve() as site:
        done = _demo(site.url, "-o", str(tmp_path / "repository"))
    assert (done.returncode, done.stderr) == (0, "")
    parts = _parts(done.stdout)
    assert "✓ Up to date: docs (14 unchanged)\n" in parts["git okf sync"]
    assert [command.split()[1] for command in parts] == ["init", "okf", "okf", "log", "notes"]


def test_a_site_that_does_not_answer_ends_it_with_the_exit_code_of_the_build(tmp_path: Path) -> None:
    with serve() as site:
        gone = site.url
    done = _demo(gone, "-o", str(tmp_path / "repository"))
    assert done.returncode == 4
    assert f"\nerror: docs: {gone}" in done.stdout
    assert "# exit code 4\n" in done.stdout
    assert list(_parts(done.stdout))[-1].startswith("git okf build")
    assert done.stdout.endswith(f"\nThe repository is {tmp_path / 'repository'}\n")


@pytest.mark.parametrize("kind", ["directory", "file"])
def test_it_writes_into_nothing_that_is_there_already(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "taken"
    if kind == "directory":
        place.mkdir()
        (place / "mine").write_text("mine")
    else:
        place.write_text("mine")
    done = _demo("-o", str(place))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {place} is not an empty directory; nothing was changed\n")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine" if kind == "directory" else "taken"]


def test_without_git_it_says_so(tmp_path: Path) -> None:
    done = _demo("-o", str(tmp_path / "repository"), env={"PATH": str(tmp_path), "HOME": ""})
    assert done.returncode == 128
    assert "error: the git program was not found" in done.stderr


def test_on_a_terminal_the_progress_makes_way_for_what_is_said(tmp_path: Path) -> None:
    """Every piece of progress is written over before the next line: an erased line is no part of what is read."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "git_okf", "demo", "-o", str(tmp_path / "repository")]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    assert process.returncode == 0
    assert "pages 1" in seen, "progress is shown on a terminal"
    for line in seen.split("\r\n"):
        read = line.rpartition("\r\x1b[K")[2]
        assert re.search(r"\bpages \d+/\d+", read) is None, line
        assert read.isprintable(), line


def _read(terminal: int) -> bytes:
    """What a terminal shows next; b"" at its end, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
