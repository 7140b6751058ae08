"""A repository of skills, synced into a repository of ours by the command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from packaged import RESERVED, skill
from skills_here import FIRST, Here, everywhere
from skills_here import here as here
from upstreams import Content, Link


def test_packages_arrive_byte_for_byte_and_a_second_sync_writes_nothing(here: Here) -> None:
    here.sync()
    assert here.listed() == here.theirs("main")
    assert set(here.listed("okf/skills")) == {"index.md", "log.md", "pages/docx.md", "pages/index.md", "pages/pdf.md"}
    before = here.repo.snapshot()
    here.sync()
    assert here.server.kinds() == ["advert", "ls-refs"]
    assert here.repo.snapshot() == before


def test_a_commit_that_touches_no_skill_changes_nothing_in_the_bundle(here: Here) -> None:
    here.sync()
    head = here.repo.git("rev-parse", "HEAD")
    here.upstream.commit({"README.md": "news\n"})
    here.sync()
    assert here.repo.git("rev-parse", "HEAD") == head


@everywhere
def test_skill_02_a_dry_run_says_what_a_run_does_and_does_nothing(here: Here) -> None:
    before = here.repo.snapshot()
    said = here.sync("--dry-run")
    assert here.repo.snapshot() == before
    assert "Added: 2" in said.out
    assert "Added: 2" in here.sync().out


@everywhere
def test_skill_03_files_of_the_users_own_survive_an_update(here: Here) -> None:
    here.sync()
    mine = {"vendor/skills/pdf/templates/mine.md": "mine\n", "vendor/skills/pdf/.env": "KEY=1\n"}
    here.repo.commit("mine", mine)
    here.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# PDF 2\n"), "skills/pdf/scripts": None})
    here.sync()
    assert {path: (here.repo.path / path).read_text() for path in mine} == mine
    assert set(here.listed()) - set(here.theirs("main")) == {"pdf/.env", "pdf/templates/mine.md"}
    assert here.listed().items() >= here.theirs("main").items()


@everywhere
def test_skill_03_an_edit_of_a_package_survives_an_update_elsewhere_and_is_told(here: Here) -> None:
    here.sync()
    edited = skill("pdf", "# PDF\n\nSee [run](scripts/run.sh).\n\nOur own rule.\n")
    here.repo.commit("edit", {"vendor/skills/pdf/SKILL.md": edited})
    here.sync()
    assert (here.repo.path / "vendor/skills/pdf/SKILL.md").read_text() == edited
    here.upstream.commit({"skills/docx/SKILL.md": skill("docx", "# DOCX 2\n")})
    here.sync()
    assert (here.repo.path / "vendor/skills/pdf/SKILL.md").read_text() == edited
    assert "# DOCX 2" in (here.repo.path / "vendor/skills/docx/SKILL.md").read_text()


@everywhere
def test_skill_01_what_is_up_to_date_is_decided_from_the_tree(here: Here) -> None:
    here.sync()
    here.repo.git("rm", "--quiet", "vendor/skills/pdf/scripts/run.sh")
    here.repo.git("commit", "--quiet", "--message", "lose a file")
    said = here.sync()
    assert "vendor/skills/pdf/scripts/run.sh" in said.out + said.err or "scripts/run.sh" in said.out + said.err
    here.sync("--theirs")
    assert here.listed() == here.theirs("main")


def test_one_broken_package_leaves_the_others_going_and_its_old_content_in_place(here: Here) -> None:
    here.sync()
    old = here.listed()
    broken: dict[str, Content] = {"skills/pdf/latest": Link("SKILL.md")}
    here.upstream.commit({**broken, "skills/docx/SKILL.md": skill("docx", "# DOCX 2\n")})
    said = here.sync(code=3)
    assert "latest is a symbolic link" in said.out + said.err
    now = here.listed()
    assert {path: blob for path, blob in now.items() if path.startswith("pdf/")} == {
        path: blob for path, blob in old.items() if path.startswith("pdf/")
    }
    assert now["docx/SKILL.md"] != old["docx/SKILL.md"]


def test_a_package_that_became_proprietary_is_taken_away_and_described(here: Here) -> None:
    here.sync()
    here.upstream.commit({"skills/pdf/LICENSE": RESERVED})
    here.sync()
    assert not [path for path in here.listed() if path.startswith("pdf/")]
    assert "its text is not copied here" in (here.repo.path / "okf/skills/pages/pdf.md").read_text()


def test_a_package_gone_upstream_is_withdrawn_and_kept(here: Here) -> None:
    here.sync()
    concept, packages = here.repo.path / "okf/skills/pages/pdf.md", here.listed()
    text = concept.read_text()
    here.upstream.commit({"skills/pdf": None})
    said = here.sync()
    assert "withdrawn" in said.out
    assert here.repo.git("log", "-1", "--format=%s").strip() == "sync: +0 -0 =1 (skills)"
    assert here.listed() == packages
    marked = concept.read_text().splitlines(keepends=True)
    assert "".join(line for line in marked if not line.startswith(("withdrawn:", "status:"))) == text
    assert [line.split(":")[0] for line in marked if line not in text] == ["withdrawn", "status"]
    before = here.repo.snapshot()
    here.sync()
    assert here.repo.snapshot() == before


def test_a_withdrawn_package_stays_as_it_is_when_the_state_is_lost(here: Here) -> None:
    here.sync()
    here.upstream.commit({"skills/pdf": None})
    here.sync()
    head = here.repo.git("rev-parse", "HEAD")
    here.repo.git("update-ref", "-d", "refs/heads/okf/state")
    here.sync()
    assert here.repo.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("body", ["# PDF\n\nSee [run](scripts/run.sh).\n", "# PDF 2\n"])
def test_the_mark_of_a_withdrawn_package_goes_when_it_is_back(here: Here, body: str) -> None:
    here.sync()
    text = (here.repo.path / "okf/skills/pages/pdf.md").read_text()
    here.upstream.commit({"skills/pdf": None})
    here.sync()
    here.upstream.commit({path: data for path, data in FIRST.items() if "/pdf/" in path})
    here.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", body)})
    here.sync()
    assert here.repo.git("log", "-1", "--format=%s").strip() == "sync: +0 -0 =1 (skills)"
    assert here.listed() == here.theirs("main")
    now = (here.repo.path / "okf/skills/pages/pdf.md").read_text()
    assert "withdrawn" not in now and "status:" not in now
    assert now.split("generated:")[0] == text.split("generated:")[0]
    before = here.repo.snapshot()
    here.sync()
    assert here.repo.snapshot() == before


def test_a_package_that_moved_is_moved_here(here: Here) -> None:
    here.sync()
    files = here.theirs("main")
    there = {path.replace("/pdf/", "/pdf-reader/"): data for path, data in FIRST.items() if "/pdf/" in path}
    changed: dict[str, Content] = {"skills/pdf": None, **there}
    here.upstream.commit(changed)
    here.sync()
    assert here.listed() == here.theirs("main")
    assert len(here.listed()) == len(files)


VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or Path(__file__).parents[3] / ".venvs")


@pytest.mark.validators
@pytest.mark.parametrize(
    "command",
    [
        "vault2okf/bin/vault2okf validate --strict -i OKF031 -i OKF050",
        "okf-cli/bin/okf validate",
        "okf-schema/bin/okf-schema validate --path",
    ],
)
def test_the_bundle_is_accepted_by_other_readers_of_okf(here: Here, command: str) -> None:
    here.upstream.commit({"skills/docx/LICENSE": RESERVED, "skills/x/SKILL.md": skill("x", "[a](../pdf/SKILL.md)\n")})
    here.sync()
    here.upstream.commit({"skills/docx": None})
    here.sync()
    assert "withdrawn:" in (here.repo.path / "okf/skills/pages/docx.md").read_text()
    program, *arguments = command.split()
    assert (VALIDATORS / program).exists(), "scripts/test installs it, -m 'not validators' does without"
    words = [str(VALIDATORS / program), *arguments, str(here.repo.path / "okf/skills")]
    said = subprocess.run(words, check=False, text=True, capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr
