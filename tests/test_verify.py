"""`git okf verify PATH`: one concept, without reading the others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import GitRepo
from scenario import Docs

A, B = "docs/pages/docs/a.md", "docs/pages/docs/b.md"


@pytest.fixture
def built(docs: Docs) -> Docs:
    docs.build("a", "b")
    return docs


def edit(repo: GitRepo, path: str) -> None:
    repo.write(path, (repo.path / path).read_bytes() + b"\nMine.\n")


def test_a_concept_is_checked_alone(built: Docs) -> None:
    edit(built.repo, B)
    ran = built.here("verify", A)
    assert (ran.code, ran.out) == (0, f"✓ Whole: {A}\n")
    ran = built.here("verify", B)
    assert ran.code == 1
    assert f"{B}:" in ran.out and "[edited]" in ran.out and "Whole" not in ran.out


def test_its_links_lead_to_files_that_are_read_when_they_are_needed(built: Docs) -> None:
    built.repo.write(
        "docs/pages/docs/mine.md",
        "---\ntype: Note\n---\n\n[a](a.md), [the folder](../docs/), [top](../../index.md), [none](nosuch.md)\n",
    )
    ran = built.here("verify", "docs/pages/docs/mine.md")
    assert [line for line in ran.out.splitlines() if "nosuch.md" in line]
    assert "a.md'" not in ran.out and "index.md" not in ran.out and "../docs/" not in ran.out


def test_a_name_that_differs_in_case_alone_is_seen(built: Docs) -> None:
    built.repo.write("docs/pages/docs/A.md", (built.repo.path / A).read_bytes())
    assert "[case-collision]" in built.here("verify", A).out


def test_from_inside_the_bundle_and_without_a_repository(built: Docs, tmp_path: Path) -> None:
    inside = built.repo.path / "docs/pages/docs"
    assert built.here("verify", "a.md", cwd=inside).code == 0
    shutil.copytree(built.repo.path, tmp_path / "copy", ignore=shutil.ignore_patterns(".git"))
    assert built.here("verify", A, cwd=tmp_path / "copy").code == 0


def test_a_file_in_no_bundle_is_a_usage_error(built: Docs) -> None:
    built.repo.write("notes/x.md", "x")
    ran = built.here("verify", "notes/x.md")
    assert (ran.code, ran.out) == (2, "")
