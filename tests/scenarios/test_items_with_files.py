"""Items that have files beside their concept: written byte for byte, and only those are ever changed or removed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import GitRepo, Run

from git_okf import config, sync
from git_okf.model import RunResult
from git_okf.run import Options, World
from git_okf.source.memory import Item, MemorySource
from git_okf.store.repo import Repo

SETTINGS = """\
version: 1
sources:
  tools: {kind: skills, url: ../upstream.git, bundle: okf/tools, packages: vendor/tools, removal: follow}
"""
SCRIPT = b"#!/bin/sh\necho one\n"
PICTURE = bytes(range(256))


def item(text: str = "What it is for.", **files: bytes) -> Item:
    inside = {f"pdf/{name}": data for name, data in files.items()}
    return Item(title="pdf", body=text, resource="https://example.org/tools/pdf", files=inside)


class Desk:
    """A repository, and a source whose items a test changes."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.root = Path(repo.path)
        self.source = MemorySource(items={"skills/pdf": item(run=SCRIPT, picture=PICTURE)})
        (self.root / ".okf.yaml").write_text(SETTINGS)
        repo.git("add", ".okf.yaml")
        repo.git("commit", "-qm", "configure")

    def sync(self, *, theirs: bool = False) -> RunResult:
        world = World(environ=os.environ, open_source=lambda source, environ: self.source)
        repo = Repo.open(self.root, os.environ)
        (result,) = sync.sync(repo, config.parse(SETTINGS), ["tools"], Options(theirs=theirs), world)
        assert result.error is None, result.error
        assert self.repo.git("status", "--porcelain") == ""
        return result

    def file(self, name: str) -> bytes:
        return (self.root / "vendor/tools/pdf" / name).read_bytes()

    def names(self) -> list[str]:
        return sorted(path.name for path in (self.root / "vendor/tools/pdf").iterdir())

    def edit(self, name: str, data: bytes | None) -> None:
        path = self.root / "vendor/tools/pdf" / name
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)
        self.repo.git("add", "-A")
        self.repo.git("commit", "-qm", "by hand")


@pytest.fixture
def desk(repo: GitRepo) -> Desk:
    return Desk(repo)


def test_files_are_written_byte_for_byte_and_a_second_run_is_quiet(desk: Desk) -> None:
    assert desk.sync().subject == "sync: +1 -0 =0 (tools)"
    assert (desk.file("run"), desk.file("picture")) == (SCRIPT, PICTURE)
    before = desk.repo.git("rev-parse", "HEAD", "okf/state")
    assert desk.sync().result == "unchanged"
    assert desk.repo.git("rev-parse", "HEAD", "okf/state") == before


def test_a_changed_file_alone_is_an_update(desk: Desk) -> None:
    desk.sync()
    desk.source.items["skills/pdf"] = item(run=SCRIPT + b"echo two\n", picture=PICTURE)
    assert desk.sync().subject == "sync: +0 -0 =1 (tools)"
    changed = desk.repo.git("show", "--format=", "--name-only").split()
    assert [name for name in changed if not name.endswith(("log.md", "index.md"))] == [
        "okf/tools/pages/skills/pdf.md",
        "vendor/tools/pdf/run",
    ]


def test_only_our_own_files_go_with_an_update_and_a_removal(desk: Desk) -> None:
    desk.sync()
    desk.edit("mine.md", b"my own")
    desk.source.items["skills/pdf"] = item(run=SCRIPT)
    desk.sync()
    assert desk.names() == ["mine.md", "run"]
    desk.source.items = {"skills/new": Item(title="new", body="Another.")}
    assert desk.sync().subject == "sync: +1 -1 =0 (tools)"
    assert desk.names() == ["mine.md"]


def test_an_edited_file_is_kept_and_said_while_the_source_stays(desk: Desk) -> None:
    desk.sync()
    desk.edit("run", b"mine\n")
    result = desk.sync()
    assert (result.result, result.delta.edited) == ("unchanged", ("vendor/tools/pdf/run",))
    assert desk.file("run") == b"mine\n"


def test_an_edited_file_is_merged_with_what_changed_at_the_source(desk: Desk) -> None:
    lines = [b"%d\n" % number for number in range(9)]
    desk.source.items["skills/pdf"] = item(run=b"".join(lines))
    desk.sync()
    desk.edit("run", b"".join([b"mine\n", *lines]))
    desk.source.items["skills/pdf"] = item(run=b"".join([*lines, b"theirs\n"]))
    assert desk.sync().result == "synced"
    assert desk.file("run") == b"".join([b"mine\n", *lines, b"theirs\n"])
    assert desk.sync().delta.edited == ("vendor/tools/pdf/run",)


def test_a_conflict_keeps_the_whole_item_as_it_is_and_theirs_takes_the_source(desk: Desk) -> None:
    desk.sync()
    desk.edit("run", b"mine\n")
    desk.source.items["skills/pdf"] = item("Another text.", run=b"theirs\n", picture=PICTURE)
    result = desk.sync()
    assert (result.exit_code, [r.outcome for r in result.delta.retained]) == (3, ["CONFLICT"])
    assert desk.file("run") == b"mine\n"
    assert desk.sync(theirs=True).subject == "sync: +0 -0 =1 (tools)"
    assert desk.file("run") == b"theirs\n"
    assert desk.sync().result == "unchanged"


def test_a_deleted_file_is_said_and_put_back_on_demand(desk: Desk) -> None:
    desk.sync()
    desk.edit("picture", None)
    assert desk.sync().delta.edited == ("vendor/tools/pdf/picture",)
    assert desk.sync(theirs=True).result == "synced"
    assert desk.file("picture") == PICTURE


def test_a_file_of_the_users_own_is_not_overwritten_by_a_new_item(desk: Desk) -> None:
    (desk.root / "vendor/tools/pdf").mkdir(parents=True)
    desk.edit("run", b"was here before\n")
    result = desk.sync()
    assert result.exit_code == 3 and desk.file("run") == b"was here before\n"
    assert "a file of yours stands where pdf/run belongs" in result.delta.retained[0].reason


def test_the_files_are_known_again_when_the_state_is_lost(desk: Desk) -> None:
    desk.sync()
    desk.repo.git("branch", "-D", "okf/state")
    assert desk.sync().result == "unchanged"
    desk.source.items = {"skills/new": Item(title="new", body="Another.")}
    desk.sync()
    assert not (desk.root / "vendor/tools/pdf").exists()


def test_a_renamed_item_moves_and_its_files_stay(desk: Desk) -> None:
    first = item(run=SCRIPT)
    desk.source.items["skills/pdf"] = replace(first, name="PDF tool")
    desk.sync()
    desk.source.items["skills/pdf"] = replace(first, name="Portable documents")
    result = desk.sync()
    assert result.delta.moved == (("pages/PDF tool.md", "pages/Portable documents.md"),)
    assert desk.file("run") == SCRIPT


def test_what_the_source_adds_to_the_front_matter_stands_below_ours(desk: Desk) -> None:
    desk.source.items["skills/pdf"] = replace(item(run=SCRIPT), meta={"license": "MIT", "type": "mine", "tags": ["a"]})
    desk.sync()
    text = (desk.root / "okf/tools/pages/skills/pdf.md").read_text()
    assert text.index("content_hash:") < text.index('license: "MIT"') < text.index("files:")
    assert 'type: "mine"' not in text and 'key: "skills/pdf"' in text


def test_verify_finds_a_file_that_was_edited_or_is_missing(desk: Desk, okf_here: Run) -> None:
    desk.sync()
    assert okf_here("verify").code == 0
    desk.edit("run", b"mine\n")
    desk.edit("picture", None)
    ran = okf_here("verify")
    assert ran.code == 1
    assert "its file vendor/tools/pdf/run is not the one synced [file-edited]" in ran.out
    assert "its file vendor/tools/pdf/picture is not there [file-missing]" in ran.out
    assert "git okf sync --theirs tools" in ran.out
