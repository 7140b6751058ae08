"""A repository of skills, a repository that follows it at a host, and the nightly `git okf pr` between them.

office.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\\n")})   # theirs
office.decision()                                                # one night: the word that was decided
office.hub.close(1)                                              # what people do: see forges.hub
office.state_of("skills/pdf")                                    # how far the package has come
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Ran, Run
from forges.github import GitHubApi
from forges.hub import TOKEN, Hub
from forges.server import Server, serving
from git_http import GitServer, git_server
from packaged import MIT, skill
from remotes import Clock
from upstreams import Content, Upstream

from git_okf.run import World
from git_okf.source.skills import ingestion
from git_okf.source.skills.ingestion import History
from git_okf.store import state as states
from git_okf.store.repo import Repo

BRANCH = "okf/sync/skills"
SETTINGS = """version: 1
sources:
  skills:
    kind: skills
    url: {url}
    paths: ["skills/*"]
    packages: vendor/skills
    bundle: okf/skills
{more}review: {{forge: {forge}, {named}base: main{review}}}
"""
FIRST: Mapping[str, Content] = {
    "skills/pdf/SKILL.md": skill("pdf", "# 1\n"),
    "skills/pdf/LICENSE": MIT,
    "skills/docx/SKILL.md": skill("docx", "# 1\n"),
    "skills/docx/LICENSE": MIT,
}


@dataclass(slots=True)
class Office:
    """Both repositories, the host, and the job."""

    repo: GitRepo
    hub: Hub
    api: Server
    server: GitServer
    upstream: Upstream
    clock: Clock
    okf: Run
    home: Path
    clones: int = 0

    def commit(self, files: Mapping[str, Content], **options: Any) -> str:
        return self.upstream.commit(files, **options)

    def pr(self, *args: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """One night; its reports by source."""
        self.clock.pass_by(days=1)
        self.server.forget()
        ran: Ran = self.okf("pr", "--json", *args, cwd=self.repo.path)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        return {report["name"]: report for report in json.loads(ran.out)["sources"]}

    def decision(self, code: int = 0) -> str:
        return str(self.pr("skills", code=code)["skills"]["review"]["decision"])

    def fresh(self) -> None:
        """From now on the job begins with a new clone of one commit, as a CI runner does."""
        self.clones += 1
        path = self.home / f"runner-{self.clones}"
        self.repo.git("clone", "--quiet", "--depth=1", f"file://{self.hub.repo}", str(path))
        self.repo = GitRepo(path)

    def state(self, name: str = "skills") -> states.State:
        found = states.read(Repo.open(self.hub.repo, bare=True), name)
        assert found is not None
        return found

    def history(self, key: str) -> History:
        return ingestion.from_memo(self.state().records[key].memo)

    def state_of(self, key: str) -> str:
        latest = self.history(key).latest
        return str(latest.state) if latest else ""

    def targets(self, name: str = "skills") -> list[tuple[str, int]]:
        return [(str(each["state"]), int(str(each["review"]))) for each in self.state(name).targets]

    def on(self, branch: str, path: str) -> str:
        return self.hub.git("show", f"{branch}:{path}")

    def changed(self, branch: str = BRANCH) -> set[str]:
        """The packages' files that differ between the base and a branch."""
        listed = self.hub.git("diff", "--name-only", "main", branch, "--", "vendor/skills").splitlines()
        return {path.removeprefix("vendor/skills/") for path in listed}

    def refs(self) -> dict[str, str]:
        listed = (
            line.split() for line in self.hub.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n")
        )
        return {name: oid for name, oid in listed if not name.startswith("refs/okf/lease/")}


@pytest.fixture
def office(
    repo: GitRepo, okf_here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Office]:
    """At GitHub, with the first two packages on `main`. A parameter: further options of `.okf.yaml`."""
    given: Mapping[str, str] = getattr(request, "param", {})
    clock, hub = Clock(), Hub(tmp_path / "remote.git")
    hub.clock = clock
    defaults = {**(World.__init__.__kwdefaults__ or {}), "clock": clock, "sleep": lambda s: clock.pass_by(seconds=s)}
    monkeypatch.setattr(World.__init__, "__kwdefaults__", defaults)
    with git_server(tmp_path / "srv") as server, serving(GitHubApi(hub)) as api:
        monkeypatch.setenv("GITHUB_API_URL", api.url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        upstream = Upstream.create(server.path("acme/skills"))
        upstream.commit(FIRST)
        forge = given.get("forge", "github")
        named = "" if forge == "none" else "repository: acme/docs, "
        more, review = given.get("more", "").format(base=server.base), given.get("review", "")
        url = server.url("acme/skills")
        repo.commit(
            "configure", {".okf.yaml": SETTINGS.format(url=url, more=more, forge=forge, named=named, review=review)}
        )
        ran = okf_here("sync", "skills")
        assert ran.code == 0, ran.err
        repo.git("clone", "--quiet", "--bare", str(repo.path), str(hub.repo))
        repo.git("remote", "add", "origin", str(hub.repo))
        repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
        yield Office(repo, hub, api, server, upstream, clock, okf_here, tmp_path)
