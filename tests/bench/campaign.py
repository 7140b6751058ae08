"""A site, all programs, in turn: who does what in which order, and what it cost."""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from . import cores, programs, real_sites
from .figures import Cost, Results, Sample
from .generated import Site
from .nginx import Server
from .process import RunFailed, environment, git, measure, stored
from .programs import (
    BUILD,
    GIT_OKF,
    LOOKS,
    LOST,
    NO_VALIDATORS,
    ONE_CHANGE,
    ONE_CORE,
    ONE_PERCENT,
    QUIET,
    Place,
    Program,
)

GENERATED = "generated-"
QUIET_ROUNDS = 3
"""Of quiet runs at the least: they are short, and what a page costs in them is a small difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured on a site, and how often."""

    site: str
    builds: int = 3
    looks: int = 5
    """Rounds of quiet syncs, of changes, and of commands that only look."""
    slow: int = 1
    """Rounds of the programs that take long and are no close race: okf-kit and scrapy."""
    peers: bool = True
    one_core: bool = True
    """Whether git-okf also builds on a single core."""
    changes: bool = True


@dataclass(slots=True)
class Campaign:
    """Measures; `results` grows."""

    server: Server
    work: Path
    corpus: str
    everyone: Sequence[Program]
    cores: int
    enough: float = math.inf
    """When (`time.monotonic`) nothing is repeated any more: what was not measured yet still is."""
    results: Results = field(default_factory=Results)
    _run: int = 0

    def __post_init__(self) -> None:
        self.results.missing = {p.name: p.missing for p in self.everyone if p.missing}

    def run(self, large: Plan, small: Plan) -> None:
        """Measure a site, and in turns with it one that costs little but the start. Raises real_sites.NoSuchSite."""
        races = [self._race(plan, beside=other.site) for plan, other in ((small, large), (large, small))]
        in_turns(race.builds() for race in races)
        in_turns(race.quiet(QUIET) for race in races)
        in_turns(race.changes() for race in races)
        in_turns(race.looks() for race in races)
        self.server.validators(False)
        in_turns(race.quiet(NO_VALIDATORS) for race in races)
        self.server.validators(True)
        for race in races:
            race.clear()

    def _race(self, plan: Plan, beside: str) -> _Race:
        root, site = self._root(plan.site), _generated(plan.site)
        if site is not None:
            site.write(root)
        measured = [p for p in self.everyone if not p.missing and (plan.peers or p.name == GIT_OKF)]
        url = self.server.url
        place = Place(self.work / "runs" / plan.site, url, url + (site.path(0) if site else ""))
        return _Race(self, plan, beside, root, site, self.pages(plan.site), place, measured)

    def rounds(self, wanted: int, least: int = 1) -> Iterator[int]:
        """Counts rounds, of which the first are always run."""
        for turn in range(wanted):
            if turn < least or time.monotonic() < self.enough:
                yield turn

    def pages(self, site: str) -> int:
        """How many pages a site has. Raises real_sites.NoSuchSite."""
        generated = _generated(site)
        return generated.pages if generated else len(real_sites.pages(self._root(site)))

    def _root(self, site: str) -> Path:
        generated = self.work / "sites" / site
        return generated if _generated(site) else real_sites.versions(site, self.corpus, self.work)[-1]

    def cost(self, program: Program, step: str, place: Place, cores: int) -> Cost:
        """Run a step. Raises RunFailed."""
        self._run += 1
        log = self.work / "logs" / f"{self._run:04}"
        log.parent.mkdir(exist_ok=True)
        env = {**environment(self.work / "home"), **program.environment(place)}
        before = stored(place.directory)
        self.server.traffic()
        beside = (self.server.pid, *self.server.workers())
        command = program.steps[step](place)
        cost = measure(command, place.directory, env, log=log, cores=cores, beside=beside, done=program.done)
        seen, after = self.server.traffic(), stored(place.directory)
        return replace(
            cost,
            requests=seen.requests,
            bodies=seen.bodies,
            body_kb=seen.body_bytes / 1000,
            objects=after.objects - before.objects,
            git_kb=after.kb - before.kb,
            extracted=extracted(log.read_text("utf-8", "replace")),
        )


@dataclass(slots=True)
class _Race:
    """All programs on one site. Its methods yield after each round."""

    campaign: Campaign
    plan: Plan
    beside: str
    root: Path
    site: Site | None
    pages: int
    place: Place
    programs: Sequence[Program]

    def builds(self) -> Iterator[None]:
        """Each program from nothing; the last build of each is what the later steps work on."""
        gains = self.campaign.results.gains.setdefault(self.plan.site, [])
        for programs_of_round in self._turns(BUILD, self.plan.builds):
            for program in programs_of_round:
                if ONE_CORE in program.steps and self.plan.one_core:
                    self._fresh(program, ONE_CORE, cores=1)
                if BUILD in program.steps:
                    self._fresh(program, BUILD, cores=self.campaign.cores)
            gains.append(cores.speedup(self.campaign.cores))
            yield

    def quiet(self, step: str) -> Iterator[None]:
        """Nothing has changed. The first run after the server's change of mind counts by itself."""
        if step == NO_VALIDATORS:
            self._take(self._ours(), LOST)
        for programs_of_round in self._turns(step, self.plan.looks):
            for program in programs_of_round:
                self._take(program, step)
            yield

    def changes(self) -> Iterator[None]:
        """One page, then one in a hundred, each round others."""
        ours, site = self._ours(), self.site
        if site is None or not self.plan.changes:
            return
        for turn in self.campaign.rounds(self.plan.looks):
            site.change(self.root, [(7 * turn + 3) % site.pages])
            self._take(ours, ONE_CHANGE)
            yield
        for turn in self.campaign.rounds(self.plan.builds):
            site.change(self.root, range(turn % site.pages, site.pages, 100))
            self._take(ours, ONE_PERCENT)
            yield

    def looks(self) -> Iterator[None]:
        """What only reads: no server is asked."""
        for _ in self.campaign.rounds(self.plan.looks):
            for step in LOOKS:
                self._take(self._ours(), step)
            yield
        self.campaign.results.facts[f"state bytes a page, {self.plan.site}"] = _state(
            self._place(self._ours()).directory
        )

    def clear(self) -> None:
        shutil.rmtree(self.place.directory)

    def _ours(self) -> Program:
        return next(program for program in self.programs if program.name == GIT_OKF)

    def _turns(self, step: str, rounds: int) -> Iterator[list[Program]]:
        """The programs of every round, in another order each time: what disturbs one disturbs all."""
        for turn in self.campaign.rounds(rounds, 1 if step == BUILD else QUIET_ROUNDS):
            order = self.programs if turn % 2 == 0 else self.programs[::-1]
            yield [
                program
                for program in order
                if (step in program.steps or (step == BUILD and ONE_CORE in program.steps))
                and turn < self._rounds(program, rounds)
            ]

    def _rounds(self, program: Program, rounds: int) -> int:
        return min(rounds, self.plan.slow) if program.name in programs.SLOW else rounds

    def _place(self, program: Program) -> Place:
        return replace(self.place, directory=self.place.directory / program.name.replace(" ", "-"))

    def _fresh(self, program: Program, step: str, cores: int) -> None:
        place = self._place(program)
        shutil.rmtree(place.directory, ignore_errors=True)
        place.directory.mkdir(parents=True)
        if program.name == GIT_OKF:
            git(place.directory, "init", "--quiet")
        self._take(program, step, cores)

    def _take(self, program: Program, step: str, cores: int | None = None) -> None:
        campaign, started = self.campaign, time.monotonic()
        campaign.server.show(self.root)
        try:
            cost = campaign.cost(program, step, self._place(program), cores or campaign.cores)
        except RunFailed as error:
            if program.name == GIT_OKF and step not in LOOKS:
                raise RunFailed(f"git-okf failed at {self.plan.site}, {step}: {error}") from error
            campaign.results.missing[f"{program.name} {step}"] = f"it failed at {self.plan.site}: {error}"
            return
        campaign.results.samples.append(
            Sample(
                program=program.name,
                step=step,
                site=self.plan.site,
                pages=self.pages,
                cost=cost,
                beside=self.beside,
            )
        )
        taken = time.monotonic() - started
        sys.stderr.write(f"{self.plan.site}: {program.name}, {step}: {cost.cpu:.2f} s CPU, {taken:.1f} s\n")


def in_turns(work: Iterable[Iterator[None]]) -> None:
    """Do a round of each, and again, until all have ended."""
    for _ in zip_longest(*work):
        pass


def _generated(name: str) -> Site | None:
    number = name.removeprefix(GENERATED)
    return Site(int(number)) if name.startswith(GENERATED) and number.isdigit() else None


def extracted(said: str) -> int | None:
    """How many pages a run of git-okf says it extracted; None where it is no report of a run."""
    try:
        return sum(int(source["extracted"]) for source in json.loads(said[said.index("{") :])["sources"])
    except (ValueError, KeyError, TypeError):
        return None


def _state(repo: Path) -> float:
    """Bytes of the state branch's files for each concept."""
    tree = git(repo, "ls-tree", "-r", "-l", "refs/heads/okf/state").splitlines()
    names = git(repo, "ls-tree", "-r", "--name-only", "HEAD", "docs/pages").splitlines()
    concepts = sum(not name.endswith("index.md") for name in names)
    return sum(int(line.split(None, 4)[3]) for line in tree) / concepts
