"""A repository of skills as they are in the wild: licences of all kinds, none at its root, and a marketplace file.

Followed through five revisions by the command. What lands is checked by `git okf verify`, and by the validator of
skills.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import GitRepo, Ran, Run
from git_http import GitServer, git_server
from packaged import RESERVED, skill
from upstreams import Content, Exec, Upstream

APACHE = (Path(__file__).parents[1] / "source/skills/licences/Apache-2.0.txt").read_text(encoding="utf-8")
VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or Path(__file__).parents[2] / ".venvs")
FREE = ("algorithmic-art", "brand-guidelines", "mcp-builder", "webapp-testing")
OFFICE = ("docx", "pdf", "pptx", "xlsx")
MARKETPLACE = {
    "name": "example-skills",
    "owner": {"name": "Example Ltd", "email": "skills@example.com"},
    "metadata": {"description": "Example skills", "version": "1.0.0"},
    "plugins": [
        {
            "name": "document-skills",
            "description": "Documents",
            "source": "./",
            "strict": False,
            "skills": [f"./skills/{name}" for name in OFFICE],
        },
        {
            "name": "example-skills",
            "description": "Examples",
            "source": "./",
            "strict": False,
            "skills": [f"./skills/{name}" for name in (*FREE, "doc-coauthoring")],
        },
    ],
}
CONFIG = """version: 1
sources:
  skills:
    kind: skills
    url: {url}
    paths: ["skills/*"]
    packages: vendor/skills
    bundle: okf/skills
"""


def upstream_files() -> dict[str, Content]:
    """Nine skills: four free, four proprietary, one that says nothing."""
    files: dict[str, Content] = {
        "README.md": "# Example skills\n",
        "THIRD_PARTY_NOTICES.md": "# Third-party notices\n\nSome fonts are by others.\n",
        ".claude-plugin/marketplace.json": json.dumps(MARKETPLACE, indent=2) + "\n",
        "template/SKILL.md": skill("template-skill", "# Insert instructions below\n"),
        "skills/doc-coauthoring/SKILL.md": skill("doc-coauthoring", "# Write together\n"),
    }
    for name in FREE:
        files |= free(name, f"# {name}\n\nSee [the guide](reference/guide.md), then run `scripts/run.py`.\n")
        files[f"skills/{name}/reference/guide.md"] = f"# Guide to {name}\n"
        files[f"skills/{name}/scripts/run.py"] = Exec("#!/usr/bin/env python3\nprint('done')\n")
    for name in OFFICE:
        said = "Proprietary. LICENSE.txt has complete terms"
        files[f"skills/{name}/SKILL.md"] = skill(name, f"# {name.upper()}\n", f"Work with {name} files", license_=said)
        files[f"skills/{name}/LICENSE.txt"] = RESERVED
    return files


def free(name: str, body: str) -> dict[str, Content]:
    said = skill(name, body, f"Everything about {name}, when it is asked for", license_="Complete terms in LICENSE.txt")
    return {f"skills/{name}/SKILL.md": said, f"skills/{name}/LICENSE.txt": APACHE}


class Team:
    """Our repository, and theirs."""

    def __init__(self, repo: GitRepo, server: GitServer, okf: Run) -> None:
        self.repo, self.okf, self.server = repo, okf, server
        self.upstream = Upstream.create(server.path("acme/skills"))
        self.upstream.commit(upstream_files())
        repo.commit("configure", {".okf.yaml": CONFIG.format(url=server.url("acme/skills"))})

    def sync(self, *args: str) -> Ran:
        self.server.forget()
        ran = self.okf("sync", *args)
        assert ran.code == 0, ran.out + ran.err
        return ran

    def subjects(self) -> list[str]:
        return self.repo.git("log", "--reverse", "--format=%s", "HEAD").splitlines()[1:]

    def packages(self) -> list[str]:
        listed = self.repo.git("ls-tree", "--name-only", "HEAD", "vendor/skills/").splitlines()
        return [path.removeprefix("vendor/skills/") for path in listed]

    def concept(self, name: str) -> str:
        return (self.repo.path / f"okf/skills/pages/{name}.md").read_text(encoding="utf-8")

    def same(self, name: str, there: str = "") -> bool:
        """Whether a package here is byte for byte, mode for mode, that of the upstream: git's own word."""
        mine = self.repo.git("rev-parse", f"HEAD:vendor/skills/{name}")
        return mine == self.upstream.git("rev-parse", f"main:skills/{there or name}")


@pytest.fixture
def team(repo: GitRepo, okf_here: Run, tmp_path: Path) -> Iterator[Team]:
    with git_server(tmp_path / "srv") as server:
        yield Team(repo, server, okf_here)


def five_revisions(team: Team) -> None:
    """Synced, and again after each change."""
    team.sync()
    build = free("mcp-builder", "# mcp-builder\n\nOtherwise.\n")
    team.upstream.commit({**build, "README.md": "# News\n"}, message="Edit one")
    team.sync()
    team.upstream.commit({"skills/webapp-testing/LICENSE.txt": APACHE + "\nCopyright 2026 Example Ltd\n"})
    team.sync()
    moved = {
        path.replace("/algorithmic-art/", "/generative-art/"): data
        for path, data in upstream_files().items()
        if "/algorithmic-art/" in path
    }
    team.upstream.commit({"skills/algorithmic-art": None, **moved}, message="Rename one")
    team.sync()
    team.upstream.commit({**free("theme-factory", "# Themes\n"), "skills/brand-guidelines": None})
    team.sync()
    team.upstream.commit({"skills/mcp-builder/LICENSE.txt": RESERVED}, message="Close one")
    team.sync()


def test_what_may_be_copied_is_and_the_rest_is_described(team: Team) -> None:
    said = team.sync()
    assert team.packages() == ["_licences", *FREE]
    assert all(team.same(name) for name in FREE)
    assert "Added: 9" in said.out
    for name in (*OFFICE, "doc-coauthoring"):
        assert "its text is not copied here" in team.concept(name)
        assert f"# {name.upper()}" not in team.concept(name)
    assert 'license: "Apache-2.0"' in team.concept("mcp-builder")
    assert 'license: "NONE"' in team.concept("doc-coauthoring")
    notices = team.repo.git("ls-tree", "-r", "--name-only", "HEAD", "vendor/skills/_licences").splitlines()
    assert notices == [f"vendor/skills/_licences/{name}/THIRD_PARTY_NOTICES.md" for name in FREE]
    assert team.okf("verify").code == 0


def test_five_revisions_are_followed_and_each_is_one_commit(team: Team) -> None:
    five_revisions(team)
    assert team.subjects() == [
        "sync: +9 -0 =0 (skills)",
        "sync: +0 -0 =1 (skills)",
        "sync: +0 -0 =1 (skills)",
        "sync: +1 -1 =0 (skills)",
        "sync: +1 -0 =1 (skills)",
        "sync: +0 -0 =1 (skills)",
    ]
    assert team.same("generative-art") and team.same("theme-factory") and team.same("webapp-testing")
    assert "brand-guidelines" in team.packages(), "withdrawn, and kept"
    assert "withdrawn:" in team.concept("brand-guidelines")
    assert "mcp-builder" not in team.packages(), "its licence allows no copy any more"
    assert team.okf("verify").code == 0
    before = team.repo.snapshot()
    assert "unchanged" in team.sync().out
    assert (team.repo.snapshot(), team.server.kinds()) == (before, ["advert", "ls-refs"])


@pytest.mark.validators
def test_the_validator_of_skills_accepts_what_it_accepted_upstream(team: Team, tmp_path: Path) -> None:
    program = VALIDATORS / "skills-ref/bin/agentskills"
    assert program.exists(), f"{program} is not there: scripts/test installs it, -m 'not validators' does without"
    five_revisions(team)
    team.repo.git("clone", "--quiet", str(team.upstream.path), str(tmp_path / "theirs"))
    verdicts = {}
    for name in set(team.packages()) - {"_licences", "brand-guidelines"}:
        places = (tmp_path / "theirs/skills" / name, team.repo.path / "vendor/skills" / name)
        told = [subprocess.run([program, "validate", place], check=False, capture_output=True) for place in places]
        verdicts[name] = [done.returncode for done in told]
    assert verdicts == {"generative-art": [1, 1], "theme-factory": [0, 0], "webapp-testing": [0, 0]}, "of a new name"
