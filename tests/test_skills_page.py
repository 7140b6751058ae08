"""The page about skills and repositories is run: its configuration, and every command in it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import GitRepo
from git_http import git_server
from packaged import MIT, RESERVED, skill
from test_readme import _alike, _commands
from test_readme import program as program
from upstreams import Content, Exec, Upstream

from git_okf import config
from git_okf.config import SkillsSource

TEXT = (Path(__file__).parents[1] / "docs" / "skills.md").read_text(encoding="utf-8")
HOST = "https://github.com/"
_STEP = re.compile(
    r"^<!-- test: (?P<change>[^\n]*) -->$|^```(?P<language>console|yaml)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
SKILLS: dict[str, Content] = {
    "skills/pdf/SKILL.md": skill("pdf", "# Read PDF files\n\nRun [it](scripts/read.py).\n"),
    "skills/pdf/LICENSE": MIT,
    "skills/pdf/scripts/read.py": Exec("#!/usr/bin/env python3\n"),
    "skills/tables/SKILL.md": skill("tables", "# Make tables\n"),
    "skills/tables/LICENSE": MIT,
    "skills/slides/SKILL.md": skill("slides", "# Make slides\n"),
    "skills/slides/LICENSE": RESERVED,
}
HANDBOOK: dict[str, Content] = {
    "docs/start.md": "# Start\n\nThen [go on](guide/next.md).\n",
    "docs/guide/next.md": "# Next\n\nThat is all.\n",
    "src/main.py": "print(1)\n",
}
CHANGES: dict[str, dict[str, Content]] = {
    "one skill changes and one is gone": {
        "skills/pdf/SKILL.md": skill("pdf", "# Read PDF files\n\nOtherwise.\n"),
        "skills/tables": None,
    }
}


def run_session(repo: GitRepo, directory: Path) -> Iterator[tuple[str, str, str]]:
    """Each command of the page: the command, what the page says it prints, what it prints."""
    with git_server(directory) as server:
        upstreams = {name: Upstream.create(server.path(f"acme/{name}")) for name in ("skills", "handbook")}
        upstreams["skills"].commit(SKILLS)
        upstreams["handbook"].commit(HANDBOOK)
        for step in _STEP.finditer(TEXT):
            if step["change"]:
                upstreams["skills"].commit(CHANGES[step["change"]])
            elif step["language"] == "yaml":
                repo.commit("configure", {".okf.yaml": step["text"].replace(HOST, server.base)})
            else:
                for command, said in _commands(step["text"]):
                    done = subprocess.run(
                        ["sh", "-c", command],
                        cwd=repo.path,
                        check=False,
                        encoding="utf-8",
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT,
                        timeout=120,
                    )
                    yield command, said, done.stdout.replace(server.base, HOST)


def test_every_command_prints_what_the_page_says(repo: GitRepo, tmp_path: Path) -> None:
    ran = 0
    for command, said, printed in run_session(repo, tmp_path / "srv"):
        assert _alike(printed) == _alike(said), command
        ran += 1
    assert ran == 4


def test_the_limits_are_those_of_the_code() -> None:
    source = config.parse("version: 1\nsources: {s: {kind: skills, url: ../s.git, bundle: s}}\n").source("s")
    assert isinstance(source, SkillsSource)
    mib = 1024 * 1024
    told = f"more than {source.max_files} files, a file over {source.max_file_bytes // mib} MiB, or over"
    assert f"{told} {source.max_package_bytes // mib} MiB together" in " ".join(TEXT.split())
    assert source.copy == "permissive" and not source.removal.follow


@pytest.mark.parametrize("place", re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", re.sub(r"```.*?```", "", TEXT, flags=re.S)))
def test_links_lead_somewhere(place: str) -> None:
    assert (Path(__file__).parents[1] / "docs" / place).is_file()
