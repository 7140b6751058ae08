"""What independent readers of OKF say of our bundles, and whether we see whatever they see.

scripts/test gives each of them an environment of its own below .venvs/ (or OKF_VALIDATORS); without them these tests
fail. `pytest -m "not validators"` leaves them out.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from planted import DEFECTS, Bundle, page

from git_okf.bundle import concept, index, log
from git_okf.bundle.check import check
from git_okf.bundle.paths import Names, place

pytestmark = pytest.mark.validators

VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or Path(__file__).parents[2] / ".venvs")
COMMANDS: Mapping[str, tuple[str, ...]] = {
    # OKF031 (an orphan) and OKF050 (a time that has passed) are matters of opinion and of the clock
    "vault2okf": ("vault2okf", "validate", "--strict", "-i", "OKF031", "-i", "OKF050"),
    "okf-cli": ("okf", "validate"),
    "okf-schema": ("okf-schema", "validate", "--path"),
    "okf-kit": ("okf", "validate"),
}
JUDGES = ("vault2okf", "okf-cli", "okf-schema")


def run(tool: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    program = VALIDATORS / tool / "bin" / COMMANDS[tool][0]
    assert program.exists(), f"{program} is not there: scripts/test installs it, -m 'not validators' does without"
    command = [str(program), *(str(arg) for arg in args)]
    return subprocess.run(command, check=False, text=True, encoding="utf-8", capture_output=True)


def judge(tool: str, bundle: Path) -> subprocess.CompletedProcess[str]:
    return run(tool, *COMMANDS[tool][1:], bundle)


def write(files: Bundle, root: Path) -> Path:
    for path, data in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return root


HOSTILE = {
    "/": "no",
    "/guide": "1.10",
    "/guide/a%20b": "2024-01-02",
    "/guide/foo_(x)": "a: b",
    "/文档/部署": "x\n---\ntype: evil",
    "/con": "!!python/object",
    "/log": "\"'`",
    "/index.md/x": "[red] _x_ (y) ](z)",
    "/API/a": "100%d {0} [bold]x[/bold] $HOME",
    "/x?q=1": "\x1b[2J\u202e\x85",
    "/2.2.9.html": "🚀 `code` <!-- x",
    "/caf%C3%A9": "~",
    "/a/b/c/d": "# h #",
    "/%2e%2e/x": "x" * 3000,
}


def hostile() -> Bundle:
    names, entries, files = Names(), [], {}
    for url, title in HOSTILE.items():
        path = names.claim(place("https://docs.example.com" + url), url)
        home = "../" * path.count("/") + "pages/home.md"
        files[path] = page(title, f"# T\n\n[home]({home})\n\n---\nkey: v\n---\n\n```\n[no](link.md)\n```", url)
        header = concept.header(files[path])
        entries.append(index.Entry(path, header.title, header.description))
    when = datetime(2026, 6, 30, 14, 0, tzinfo=UTC)
    made = index.indexes(
        entries, name="docs", source_url="https://docs.example.com/", changed_at=concept.timestamp(when)
    )
    files |= {path: data for path, data in made.items() if data is not None}
    first = log.prepend(None, when=when, added=[entry.path for entry in entries])
    files["log.md"] = log.prepend(first, when=when.replace(month=7), updated=["pages/home.md"])
    return files


@pytest.mark.parametrize("tool", COMMANDS)
def test_a_bundle_of_hostile_pages_is_accepted(tool: str, tmp_path: Path) -> None:
    assert check(hostile()) == []
    said = judge(tool, write(hostile(), tmp_path / "bundle"))
    assert said.returncode == 0, said.stdout + said.stderr


def test_okf_kit_can_work_with_a_bundle_of_ours(tmp_path: Path) -> None:
    bundle = write(hostile(), tmp_path / "bundle")
    for command, output in (("visualize", tmp_path / "graph.html"), ("zip", tmp_path / "bundle.zip")):
        said = run("okf-kit", command, bundle, "-o", output)
        assert said.returncode == 0, said.stdout + said.stderr
        assert output.stat().st_size > 1000


_MANY = """
import contextlib, importlib.metadata, io, sys
(script,) = importlib.metadata.entry_points(group="console_scripts", name=sys.argv[1])
program, arguments, bundles = script.load(), sys.argv[2].split(), sys.stdin.read().split()
for bundle in bundles:
    sys.argv = [script.name, *arguments, bundle]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            code = program()
        except SystemExit as end:
            code = end.code
        except Exception:
            code = 1
    sys.__stdout__.write("refused\\n" if code else "accepted\\n")
"""
"""Runs a tool's own console script on one bundle after another: sixty starts of Python saved."""


@pytest.mark.parametrize("tool", JUDGES)
def test_whatever_another_reader_refuses_we_see(tool: str, tmp_path: Path) -> None:
    bundles = {name: write(files, tmp_path / str(number)) for number, (name, files, _) in enumerate(DEFECTS)}
    script, *arguments = COMMANDS[tool]
    program = VALIDATORS / tool / "bin" / "python"
    assert program.exists(), f"{program} is not there: scripts/test installs it, -m 'not validators' does without"
    said = subprocess.run(
        [str(program), "-c", _MANY, script, " ".join(arguments)],
        input="\n".join(map(str, bundles.values())),
        check=True,
        text=True,
        capture_output=True,
    )
    refused = {name for name, code in zip(bundles, said.stdout.split(), strict=True) if code == "refused"}
    assert len(refused) > 10
    assert refused - {name for name, files, _ in DEFECTS if check(files)} == set()
