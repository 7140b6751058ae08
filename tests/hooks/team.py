"""A team whose repository is kept in step by a job: their site, their remote, and the host that the remote is on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from conftest import GitRepo
from forges.gitea import GiteaApi
from forges.github import BUILT_IN, GitHubApi
from forges.gitlab import GitLabApi
from forges.hub import Hub
from forges.server import Handle, Server, serving
from remotes import bare_remote
from scenario import Docs, document

APIS: Mapping[str, tuple[Callable[[Hub], Handle], str]] = {
    "github": (GitHubApi, ""),
    "gitlab": (GitLabApi, "/api/v4"),
    "gitea": (GiteaApi, "/api/v1"),
}


@dataclass(slots=True)
class Team:
    """What a job runs against."""

    docs: Docs
    hub: Hub
    bare: GitRepo
    server: Server
    api_url: str
    folder: Path

    def told(self, host: str, *options: str) -> str:
        """Somebody types `git okf ci HOST` and pushes what it wrote; the file."""
        repo = self.docs.repo
        path = str(json.loads(self.docs.ok("ci", host, "--json", *options).out)["path"])
        repo.git("add", "--all")
        repo.commit("Sync every night")
        repo.git("push", "--quiet", "origin", "main")
        return (repo.path / path).read_text(encoding="utf-8")

    def configure(self, **values: object) -> None:
        """Keys of the source docs, pushed."""
        file = self.docs.repo.path / ".okf.yaml"
        settings = yaml.safe_load(file.read_text())
        settings["sources"]["docs"] |= values
        self.docs.repo.commit("Configure", {".okf.yaml": yaml.safe_dump(settings)})
        self.docs.repo.git("push", "--quiet", "origin", "main")

    def second_source(self) -> None:
        """Another bundle, `other`, of one page."""
        self.put_other(1)
        self.docs.ok("build", f"{self.docs.site.url}other/", "-o", "other")
        self.docs.repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")

    def put_other(self, version: int) -> None:
        self.docs.site.page(
            "/other/", document("Other", f"Version {version} of the other page, long enough to say it.")
        )

    def refs(self) -> dict[str, str]:
        """The remote's refs without leases, which every run moves."""
        listed = self.bare.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return {name: oid for name, oid in (line.split() for line in listed) if "/lease/" not in name}


@contextmanager
def team_at(host: str, docs: Docs, folder: Path) -> Iterator[Team]:
    """A bundle of four pages on a host, with reviews there, pushed with its state."""
    docs.build("a", "b", "c")
    bare = bare_remote(docs.repo, folder / "remote" / "acme" / "docs.git")
    text = docs.repo.path.joinpath(".okf.yaml").read_text()
    docs.repo.commit("Review what is synced", {".okf.yaml": f"{text}review:\n  forge: {host}\n"})
    docs.repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
    hub = Hub(bare.path)
    hub.tokens[BUILT_IN] = "github-actions[bot]"
    api, prefix = APIS[host]
    with serving(api(hub)) as server:
        yield Team(docs, hub, bare, server, server.url + prefix, folder)
