"""What a scenario of `git okf pr` needs: a repository at a host, sources in memory, a clock, and the nightly job.

    team.put("a", "Two.")            # the source of `docs` has a new text for a page
    team.night()                     # a day passes
    team.decision()                  # `git okf pr` in the repository of the job; the word it decided
    team.hub.squash(1)               # what people do: see forges.hub
    team.fresh()                     # from now on the job begins with a new clone, as on a CI runner

The command is the real one, in this process; git, the remote and the host's API are real too, on loopback.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import GitRepo, Ran, Run
from forges import gitea, github, gitlab
from forges.hub import TOKEN, Hub
from forges.server import Handle, Reply, Request, Server, serving
from remotes import Clock

from git_okf.config import SourceConfig
from git_okf.errors import SourceUnavailable
from git_okf.model import Observation, Record
from git_okf.run import World
from git_okf.source import Ask, Source, Tools
from git_okf.source.memory import Item, MemorySource
from git_okf.store import state as states
from git_okf.store.repo import Repo

BRANCH = "okf/sync/docs"
BASE_URL = "https://docs.example.com/"
SETTINGS = """\
version: 1
sources:
{sources}review: {{{review}}}
"""
KILLED = """
import datetime, importlib, json, os, signal, sys
from git_okf.run import World
from git_okf.source.memory import Item, MemorySource
told = json.load(sys.stdin)
when = datetime.datetime.fromisoformat(told["clock"])
World.__init__.__kwdefaults__.update(
    open_source=lambda source, environ: MemorySource(
        items={key: Item(**each) for key, each in told["sources"][source.name].items()}
    ),
    clock=lambda: when,
)
holder = importlib.import_module(told["module"])
for name in told["path"][:-1]:
    holder = getattr(holder, name)
setattr(holder, told["path"][-1], lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL))
from git_okf.cli import main
main(["pr"])
"""
APIS: Mapping[str, Callable[[Hub], Handle]] = {
    "github": github.GitHubApi,
    "github-enterprise": lambda hub: github.GitHubApi(hub, "/api/v3"),
    "gitlab": gitlab.GitLabApi,
    "gitea": gitea.GiteaApi,
    "none": lambda hub: lambda request: Reply(status=404),
}
HOSTS = tuple(APIS)
_PREFIXES = {"github-enterprise": "/api/v3", "gitlab": gitlab.API_PREFIX, "gitea": gitea.API_PREFIX}
_VARIABLES = {"gitlab": ("CI_API_V4_URL", "GITLAB_TOKEN"), "gitea": ("GITHUB_API_URL", "GITEA_TOKEN")}


class Upstream(MemorySource):
    """A source whose host limits requests too."""

    retry_at = ""

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        if self.retry_at:
            raise SourceUnavailable("the host limits requests", retry_at=self.retry_at, rate_limited=True)
        return super().observe(known, ask, tools)


@dataclass(slots=True)
class Team:
    """A team with bundles at a host, and its nightly job."""

    repo: GitRepo
    hub: Hub
    server: Server
    clock: Clock
    run: Run
    home: Path
    sources: dict[str, Upstream]
    asked: list[str] = field(default_factory=list)
    """Sources in the order in which runs opened them."""
    paused: list[float] = field(default_factory=list)
    """Every pause that somebody made, in seconds; no test waits for one."""
    clones: int = 0
    seen: int = 0

    # --- the sources ---

    def put(self, name: str, text: str, *, of: str = "docs", title: str = "", **files: bytes) -> None:
        """A new page, or a new text of a page."""
        inside = {f"{name}/{path}": data for path, data in files.items()}
        self.sources[of].items[f"https://{of}.example.com/{name}"] = Item(title=title or name, body=text, files=inside)

    def drop(self, name: str, *, of: str = "docs") -> None:
        """A page that is gone."""
        del self.sources[of].items[f"https://{of}.example.com/{name}"]

    # --- the job ---

    def night(self, days: float = 1) -> None:
        self.clock.pass_by(days=days)

    def job(self, *args: str) -> Ran:
        """One run of the job, whatever it comes to."""
        self.seen = len(self.server.log)
        ran = self.run("pr", *args, cwd=self.repo.path)
        assert ran.code != 70, ran.err
        return ran

    def reports(self, *args: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """One run of the job; its reports by source."""
        ran = self.job("--json", *args)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        return {report["name"]: report for report in json.loads(ran.out)["sources"]}

    def pr(self, *args: str, code: int = 0) -> dict[str, Any]:
        (report,) = self.reports(*args, code=code).values()
        return report

    def decision(self, *args: str, code: int = 0) -> str:
        return str(self.pr(*args, code=code)["review"]["decision"])

    def decisions(self, *args: str, code: int = 0) -> dict[str, str]:
        return {
            n: r["review"]["decision"] if r["review"] else r["result"]
            for n, r in self.reports(*args, code=code).items()
        }

    def fresh(self, *options: str) -> GitRepo:
        """From now on the job runs in a new clone, as a CI runner makes it: one commit of one branch."""
        self.clones += 1
        path = self.home / f"runner-{self.clones}"
        self.repo = clone(self.hub.repo, path, *(options or ("--depth=1",)))
        return self.repo

    # --- what there is ---

    def requests(self) -> list[tuple[str, str]]:
        """What the last run asked of the host's API."""
        return [(each.method, each.path) for each in self.server.log[self.seen :]]

    def writes(self) -> list[tuple[str, str]]:
        return [each for each in self.requests() if each[0] != "GET"]

    def refs(self) -> dict[str, str]:
        """The refs of the remote, leases left out."""
        listed = (
            line.split() for line in self.hub.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        )
        return {name: oid for name, oid in listed if not name.startswith("refs/okf/lease/")}

    def on(self, branch: str, page: str = "a") -> str:
        """A page as it is on a branch of the remote, without its front matter."""
        text = self.hub.git("show", f"{branch}:docs/pages/{page}.md")
        return text.split("\n---\n", 1)[1].strip()

    def subjects(self, branch: str = BRANCH, base: str = "main") -> list[str]:
        """What is on a branch and not in the base, oldest first."""
        return self.hub.git("log", "--reverse", "--format=%s", f"{base}..{branch}").splitlines()

    def state(self, name: str = "docs") -> states.State:
        """What the remote remembers of a source."""
        found = states.facts(Repo.open(self.hub.repo, bare=True), name)
        assert found is not None
        return found

    def targets(self, name: str = "docs") -> list[tuple[str, int]]:
        """States of the contents that were offered, and in which reviews; oldest first."""
        return [(str(each["state"]), int(str(each["review"]))) for each in self.state(name).targets]

    @contextmanager
    def silence(self, *, but: str = "") -> Iterator[None]:
        """What happens inside writes nothing on the remote or at the host; `but`: a ref that may move."""
        before = self._everything(but)
        seen = len(self.server.log)
        yield
        assert self._everything(but) == before
        assert [r.path for r in self.server.log[seen:] if r.method != "GET"] == []

    def _everything(self, but: str) -> object:
        refs = {name: oid for name, oid in self.refs().items() if name != but}
        return refs, [(p.title, p.body, p.stage) for p in self.hub.pulls.values()], list(self.hub.comments)


def clone(bare: Path, path: Path, *options: str) -> GitRepo:
    subprocess.run(["git", "clone", "--quiet", *options, f"file://{bare}", str(path)], check=True)
    return GitRepo(path)


def settings(names: Mapping[str, str], review: str) -> str:
    """`.okf.yaml` with sources (name -> further options) and a review section."""
    lines = (
        f"  {name}: {{url: https://{name}.example.com/, bundle: {name}{', ' if more else ''}{more}}}\n"
        for name, more in names.items()
    )
    return SETTINGS.format(sources="".join(lines), review=review)


def review_settings(host: str, more: str = "") -> str:
    kind = host.partition("-")[0]
    named = "" if kind == "none" else "repository: acme/docs, "
    return f"forge: {kind}, {named}base: main{more}"


Make = Callable[..., Team]


@pytest.fixture
def assemble(
    tmp_path: Path, okf_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Make]:
    """Makes a team: `assemble("gitlab", names={"docs": "", "blog": "every: 7d"}, more=", high_water: 2")`."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    servers: list[Any] = []

    def make(host: str = "github", *, names: Mapping[str, str] | None = None, more: str = "") -> Team:
        names = names or {"docs": ""}
        yaml = settings(names, review_settings(host, more))
        bare, repo = tmp_path / "remote.git", tmp_path / "job"
        clock = Clock()
        sources = {name: Upstream() for name in names}
        hub = Hub(bare)
        hub.clock = clock
        running = serving(APIS[host](hub))
        server = running.__enter__()
        servers.append(running)
        team = Team(GitRepo(repo), hub, server, clock, okf_here, tmp_path, sources)
        for name in names:
            for page in ("a", "b", "c"):
                team.put(page, f"One of {page}.", of=name)
        _put_in_place(team, monkeypatch)
        _speak_to(host, server, monkeypatch)
        _start(team, yaml, tmp_path_factory.getbasetemp() / f"nightly-{hashlib.sha256(yaml.encode()).hexdigest()[:12]}")
        return team

    yield make
    for running in servers:
        running.__exit__(None, None, None)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def team(assemble: Make) -> Team:
    """At GitHub, with one source, `docs`, whose first bundle is on `main`."""
    return assemble()


def _put_in_place(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """The team's clock and sources are those of every command."""

    def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
        team.asked.append(source.name)
        return team.sources[source.name]

    def sleep(seconds: float) -> None:
        team.paused.append(seconds)
        team.clock.pass_by(seconds=seconds)

    started = team.clock()
    given = {
        "clock": team.clock,
        "monotonic": lambda: (team.clock() - started).total_seconds(),
        "sleep": sleep,
        "open_source": open_source,
    }
    defaults = {**(World.__init__.__kwdefaults__ or {}), **given}
    monkeypatch.setattr(World.__init__, "__kwdefaults__", defaults)


def _speak_to(host: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment as the host's CI sets it."""
    variable, token = _VARIABLES.get(host, ("GITHUB_API_URL", "GITHUB_TOKEN"))
    monkeypatch.setenv(variable, server.url + _PREFIXES.get(host, ""))
    monkeypatch.setenv(token, TOKEN)


def _start(team: Team, yaml: str, template: Path) -> None:
    """The first bundles are on `main` of the remote; made once, and copied for every test."""
    places = (team.repo.path, team.hub.repo)
    if not template.exists():
        team.repo.path.mkdir()
        team.repo.git("init", "--quiet")
        team.repo.commit("configure", {".okf.yaml": yaml})
        ran = team.run("sync", cwd=team.repo.path)
        assert ran.code == 0, ran.err
        team.repo.git("clone", "--quiet", "--bare", str(team.repo.path), str(team.hub.repo))
        team.repo.git("remote", "add", "origin", str(team.hub.repo))
        team.repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
        unfinished = Path(f"{template}-unfinished")
        for place in places:
            shutil.copytree(place, unfinished / place.name)
        unfinished.rename(template)
        return
    for place in places:
        shutil.copytree(template / place.name, place)
    team.repo.git("remote", "set-url", "origin", str(team.hub.repo))


def run_killed(team: Team, module: str, path: str) -> None:
    """A run of the job in a process that kills itself, with no chance to clean up, where a function would be called."""
    told = {
        "clock": team.clock().isoformat(),
        "module": module,
        "path": path.split("."),
        "sources": {
            name: {key: {"title": item.title, "body": item.body} for key, item in source.items.items()}
            for name, source in team.sources.items()
        },
    }
    done = subprocess.run(
        [sys.executable, "-c", KILLED],
        cwd=team.repo.path,
        input=json.dumps(told),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def kept_from(request: Request) -> str:
    """A request as one line, for messages of tests."""
    return f"{request.method} {request.path}"
