"""A blog in Feishu, a repository that follows it, and the command between: what a scenario needs."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Ran, Run
from feishu_drive import Blog, Drive, mp3, page, png
from feishu_observing import ENVIRON
from feishu_server import APP_SECRET, Server, feishu
from scenario import everything

from git_okf.bundle import concept

SETTINGS = """\
version: 1
sources:
  blog:
    kind: feishu
    base_url: {url}
    folder: {folder}
    app_id: "${{FEISHU_APP_ID}}"
    app_secret: "${{FEISHU_APP_SECRET}}"
    bundle: blog
    requests_per_second: 100
"""


class Press:
    """A blog, the repository that follows it, and the command between."""

    def __init__(self, server: Server, repo: GitRepo, okf: Run) -> None:
        self.server, self.drive, self.repo, self.okf = server, server.drive, repo, okf
        self.configure()

    def configure(self, *lines: str) -> None:
        text = SETTINGS.format(url=self.server.url, folder=self.drive.root)
        self.repo.commit("configure", {".okf.yaml": text + "".join(f"    {line}\n" for line in lines)})

    def run(self, *args: str) -> Ran:
        ran = self.okf(*args)
        assert ran.code != 70, ran.err
        assert APP_SECRET not in ran.out + ran.err
        return ran

    def sync(self, *args: str, code: int = 0) -> dict[str, Any]:
        """One sync, which must end with `code`; its report. The bundle is clean afterwards."""
        self.server.forget()
        ran = self.run("sync", "--json", *args)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        assert self.repo.git("status", "--porcelain") == ""
        report: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return report

    def quiet(self) -> dict[str, Any]:
        """A sync that takes nothing and writes nothing."""
        before = everything(self.repo)
        report = self.sync()
        assert (report["result"], report["commit"]) == ("unchanged", None), report
        assert everything(self.repo) == before
        return report

    @property
    def subject(self) -> str:
        return self.repo.git("log", "-1", "--format=%s")

    def file(self, title: str) -> Path:
        return self.repo.path / "blog/pages" / f"{title}.md"

    def front(self, title: str) -> dict[str, Any]:
        return dict(concept.parse(self.file(title).read_bytes()).front)

    def body(self, title: str) -> str:
        return concept.body(self.file(title).read_bytes())

    def bytes_of(self, path: str) -> bytes:
        """A file that the front matter names."""
        return (self.repo.path / "blog" / path).read_bytes()

    def memory(self, key: str) -> dict[str, Any]:
        """What the state branch holds of an article."""
        found = self.repo.git("grep", "-h", "-F", f'"{key}"', "okf/state", "--", "blog/items").splitlines()
        memo: dict[str, Any] = next(line["memo"] for line in map(json.loads, found) if line.get("memo"))
        return memo

    def marks(self, key: str) -> dict[str, str]:
        return {kind: mark["at"] for kind, mark in self.memory(key)["syncCheckpoints"].items()}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    with feishu(Drive()) as made:
        yield made


@pytest.fixture
def program(server: Server, repo: GitRepo, okf: Run) -> Iterator[Press]:
    """With the installed program."""
    yield Press(server, repo, okf)
    whole_repository(repo)


@pytest.fixture
def press(server: Server, repo: GitRepo, okf_here: Run) -> Iterator[Press]:
    """With the command in this process, which starts sooner."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Press(server, repo, okf_here)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    whole_repository(repo)


def whole_repository(repo: GitRepo) -> None:
    said = repo.git("fsck", "--strict", "--no-dangling", "--no-progress")
    assert said == "", said


def whole(drive: Drive, title: str = "水位线") -> Blog:
    """An article that has everything."""
    return drive.blog(
        title,
        "The first text.",
        cover=png(640, 360),
        podcast=mp3(1),
        script="What was said.",
        slides=page("slides", 1),
        html=page("play", 2),
    )
