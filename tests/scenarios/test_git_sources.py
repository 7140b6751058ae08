"""`kind: git`: the Markdown of somebody's repository, through the command, against `git http-backend`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Run
from git_http import GitServer, git_server
from upstreams import Content, Link, Upstream

NAME = "acme/handbook"
FILES: dict[str, Content] = {
    "README.md": "# Handbook\n\nBegin with the [guide](docs/guide.md).\n",
    "docs/guide.md": "---\ntitle: The guide\ntags: [a, b]\n---\n\n# Guide\n\nSee [install](./install.md#steps).\n",
    "docs/install.md": "# Install\n\n## Steps\n\n```sh\nmake [install](x.md)\n```\n",
    "docs/logo.png": b"\x89PNG",
    "src/main.py": "print(1)\n",
}


class Reader:
    """A repository that follows a handbook somewhere else."""

    def __init__(self, repo: GitRepo, okf: Run, server: GitServer) -> None:
        self.repo, self.okf, self.server = repo, okf, server
        self.upstream = Upstream.create(server.path(NAME))
        self.upstream.commit(FILES)
        self.configure()

    def configure(self, **more: object) -> None:
        source = {"kind": "git", "url": self.server.url(NAME), "bundle": "docs/handbook", **more}
        text = json.dumps({"version": 1, "sources": {"handbook": source}})
        self.repo.commit("configure", {".okf.yaml": text})

    def sync(self, *args: str, code: int = 0) -> dict[str, Any]:
        self.server.forget()
        ran = self.okf("sync", "--json", *args)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        report: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return report

    def text(self, path: str) -> str:
        return (self.repo.path / "docs/handbook/pages" / path).read_text(encoding="utf-8")


@pytest.fixture(params=[0, 2], ids=["v0", "v2"])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def reader(repo: GitRepo, okf_here: Run, tmp_path: Path, version: int) -> Iterator[Reader]:
    with git_server(tmp_path / "srv") as server:
        server.version = version
        yield Reader(repo, okf_here, server)


def test_each_markdown_file_is_a_concept_with_its_own_front_matter_below_ours(reader: Reader) -> None:
    report = reader.sync()
    assert report["added"] == ["pages/README.md", "pages/docs/guide.md", "pages/docs/install.md"]
    guide = reader.text("docs/guide.md")
    assert guide.index('title: "The guide"') < guide.index("content_hash:") < guide.index("tags:\n")
    assert 'key: "docs/guide.md"' in guide and "[install](install.md#steps)" in guide
    assert "[guide](docs/guide.md)" in reader.text("README.md")
    assert "make [install](x.md)" in reader.text("docs/install.md")
    assert reader.okf("verify").code == 0


def test_nothing_moved_is_one_look_and_writes_nothing(reader: Reader) -> None:
    reader.sync()
    before = reader.repo.snapshot()
    report = reader.sync()
    assert (report["result"], report["requests"], report["unchanged"]) == ("unchanged", 1, 3)
    assert reader.server.kinds() == (["advert"] if reader.server.version == 0 else ["advert", "ls-refs"])
    assert reader.repo.snapshot() == before


def test_one_changed_file_brings_its_blob_and_no_other(reader: Reader) -> None:
    reader.sync()
    new = reader.upstream.commit({"docs/install.md": "# Install\n\nOtherwise.\n", "src/main.py": "print(2)\n"})
    report = reader.sync()
    assert (report["updated"], report["fetched"], report["not_modified"]) == (["pages/docs/install.md"], 1, 2)
    blobs = {reader.upstream.blob(new, path) for path in FILES}
    assert blobs & set(reader.server.wants()) <= {reader.upstream.blob(new, "docs/install.md")}


def test_a_commit_that_touches_no_file_of_ours_changes_no_concept(reader: Reader) -> None:
    reader.sync()
    head = reader.repo.git("rev-parse", "HEAD")
    reader.upstream.commit({"src/main.py": "print(2)\n"})
    assert reader.sync()["result"] == "unchanged"
    assert reader.repo.git("rev-parse", "HEAD") == head


def test_a_changed_tag_alone_is_an_update(reader: Reader) -> None:
    reader.sync()
    reader.upstream.commit({"docs/guide.md": str(FILES["docs/guide.md"]).replace("[a, b]", "[a, c]")})
    assert reader.sync()["updated"] == ["pages/docs/guide.md"]


def test_a_file_that_is_gone_is_removed_and_one_that_moved_is_a_rename(reader: Reader) -> None:
    reader.sync()
    moved: dict[str, Content] = {"docs/guide.md": None, "docs/book.md": FILES["docs/guide.md"], "README.md": None}
    reader.upstream.commit(moved)
    report = reader.sync()
    assert report["moved"] == [["pages/docs/guide.md", "pages/docs/book.md"]]
    assert sorted(report["removed"]) == ["pages/README.md", "pages/docs/guide.md"]


def test_files_that_cannot_be_taken_are_said_and_never_taken_for_gone(reader: Reader) -> None:
    reader.sync()
    odd: dict[str, Content] = {"docs/install.md": b"\xff\xfe no text", "docs/link.md": Link("guide.md"), "a.md": ""}
    reader.upstream.commit(odd)
    report = reader.sync(code=3)
    assert [(r["path"], r["outcome"]) for r in report["retained"]] == [("pages/docs/install.md", "TERMINAL_FAILURE")]
    assert "Steps" in reader.text("docs/install.md")
    assert any("docs/link.md is a symbolic link" in notice for notice in report["notices"])


def test_a_file_that_is_too_large_is_said_and_not_taken(reader: Reader) -> None:
    reader.configure(max_bytes=2000)
    reader.upstream.commit({"docs/large.md": "word " * 2000})
    report = reader.sync()
    assert "pages/docs/large.md" not in report["added"]


def test_skill_04_a_moved_tag_is_reported_and_not_followed(reader: Reader) -> None:
    first = reader.upstream.git("rev-parse", "main")
    reader.upstream.tag("v1", first)
    reader.configure(ref="v1")
    reader.sync()
    reader.upstream.tag("v1", reader.upstream.commit({"README.md": "# Other\n"}))
    report = reader.sync()
    assert report["updated"] == [] and any("tag v1" in notice for notice in report["notices"])


def test_skill_06_a_rewritten_history_is_followed_on_a_branch(reader: Reader) -> None:
    reader.sync()
    reader.upstream.ref("refs/heads/main", reader.upstream.git("commit-tree", "-m", "anew", "main^{tree}"))
    reader.upstream.collect()
    assert reader.sync()["result"] == "unchanged"


def test_what_the_configuration_leaves_out_now_is_kept_until_it_is_pruned(reader: Reader) -> None:
    reader.sync()
    reader.configure(exclude=["README.md"])
    report = reader.sync()
    assert [r["outcome"] for r in report["retained"]] == ["OUT_OF_SCOPE"]
    assert reader.sync("--prune")["removed"] == ["pages/README.md"]


def test_a_server_that_is_away_changes_nothing(reader: Reader) -> None:
    reader.sync()
    before = reader.repo.git("rev-parse", "HEAD")
    reader.server.fault(status=503)
    assert reader.sync("handbook", code=4)["result"] == "unavailable"
    assert reader.repo.git("rev-parse", "HEAD") == before


def test_a_look_takes_nothing(reader: Reader) -> None:
    reader.sync()
    reader.upstream.commit({"README.md": "# New\n"})
    report = reader.sync("--head-only")
    assert (report["result"], report["requests"]) == ("skipped", 1)
    assert reader.sync()["updated"] == ["pages/README.md"]


def test_a_renamed_repository_is_followed_and_said(reader: Reader) -> None:
    reader.sync()
    reader.server.rename(NAME, "acme/manual")
    report = reader.sync()
    assert report["result"] == "unchanged"
    assert any("acme/manual" in notice for notice in report["notices"])


def test_a_local_path_begins_at_the_root_of_the_repository(repo: GitRepo, okf: Run) -> None:
    upstream = Upstream.create(repo.path.parent / "handbook.git")
    upstream.commit(FILES)
    text = "version: 1\nsources:\n  handbook: {kind: git, url: ../handbook.git, bundle: handbook}\n"
    repo.commit("configure", {".okf.yaml": text, "deep/er/x": "x"})
    assert okf("sync", cwd=repo.path / "deep/er").code == 0
    assert (repo.path / "handbook/pages/docs/guide.md").is_file()
