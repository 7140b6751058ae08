"""How a source stands: whether a run takes it now, and the pause that a person sets and lifts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from git_okf import baseline, life, memory
from git_okf.baseline import Baseline
from git_okf.config import Config, SourceConfig
from git_okf.errors import OkfError
from git_okf.holding import leased
from git_okf.model import RunResult
from git_okf.run import Options, Run, World
from git_okf.said import Said
from git_okf.store import state as states
from git_okf.store.repo import Repo


def due(repo: Repo, source: SourceConfig, now: datetime) -> life.Due:
    """Whether a run that names no source takes this one. A state that cannot be read is a reason to look."""
    try:
        state = states.facts(repo, source.name)
    except OkfError:
        state = None  # the run itself rebuilds it, or refuses with what to do
    return life.due(source, state, memory.last(repo, source.name), now)


def waiting(repo: Repo, source: SourceConfig, world: World, *, named: bool) -> RunResult | None:
    """The result of a source that is left out: paused, or not due and not asked for by its name. Else None."""
    found = due(repo, source, world.clock())
    if found.now or (named and found.at is not None):
        return None
    return RunResult(
        name=source.name,
        kind=source.kind,
        bundle=source.bundle,
        result="skipped",
        exit_code=0,
        notices=(found.why,),
        retry_at=memory.stamp(found.at) if found.at else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One source in a plan. `next_due` is ISO 8601, "" where nothing but a person brings it back, or it is due."""

    name: str
    kind: str
    bundle: str
    due: bool
    why: str
    next_due: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Which sources are due: the jobs of a CI matrix."""

    sources: tuple[Planned, ...]

    @property
    def names(self) -> list[str]:
        return [source.name for source in self.sources if source.due]

    def outputs(self) -> dict[str, str]:
        """For a workflow: `matrix` as `strategy.matrix` takes it through fromJSON, and whether it holds anything."""
        return {"matrix": json.dumps({"source": self.names}), "any": str(bool(self.names)).lower()}

    def text(self) -> str:
        lines = [f"{s.name}  {'due' if s.due else f'not due: {s.why}'}" for s in self.sources]
        return "\n".join(lines) or "no sources"

    def data(self) -> dict[str, Any]:
        """`matrix` is what `strategy.matrix` of a workflow takes; it is empty where nothing is due (`any` says so)."""
        return {
            "schema": 1,
            "any": bool(self.names),
            "matrix": {"source": self.names},
            "sources": [asdict(source) for source in self.sources],
        }


def plan(repo: Repo, settings: Config, names: Sequence[str], now: datetime) -> Plan:
    """The sources named, or all, and whether each is due. Asks nobody."""
    sources = [settings.source(name) for name in names] if names else list(settings.sources.values())
    planned = []
    for source in sources:
        found = due(repo, source, now)
        if names and found.at is not None:
            found = life.Due(now=True)  # whoever names a source wants it looked at now
        at = memory.stamp(found.at) if found.at else ""
        planned.append(
            Planned(name=source.name, kind=source.kind, bundle=source.bundle, due=found.now, why=found.why, next_due=at)
        )
    return Plan(tuple(planned))


def pause(repo: Repo, source: SourceConfig, options: Options, world: World) -> Said:
    """Leave a source out of all runs until `resume`."""
    changed = _set(repo, source, options, world, states.PAUSED)
    words = f"✓ Paused: {source.name}  (git okf resume {source.name})" if changed else f"✓ Paused before: {source.name}"
    return Said(words, {"name": source.name, "state": states.PAUSED, "changed": changed})


def resume(repo: Repo, source: SourceConfig, options: Options, world: World) -> Said:
    """Let runs take a source again, also one that waits for its next look."""
    changed = _set(repo, source, options, world, states.ACTIVE)
    words = f"✓ Resumed: {source.name}" if changed else f"✓ Nothing to do: {source.name} is active"
    return Said(words, {"name": source.name, "state": states.ACTIVE, "changed": changed})


def _set(repo: Repo, source: SourceConfig, options: Options, world: World, access: str) -> bool:
    def after(before: states.State, when: datetime) -> states.State:
        if before.access == access and not (access == states.ACTIVE and before.retry_at):
            return before
        since = memory.stamp(when) if access == states.PAUSED else ""
        return replace(before, access=access, since=since, recheck_at="", retry_at="")

    return remember(repo, source, options, world, after, "paused" if access == states.PAUSED else "resumed")


def remember(
    repo: Repo,
    source: SourceConfig,
    options: Options,
    world: World,
    after: Callable[[states.State, datetime], states.State],
    what: str,
) -> bool:
    """Write what `after` makes of a source's state, under its lease, and with `--push` tell the remote. Whether there
    was anything to write."""
    when = world.clock()
    run = Run(
        repo=repo, source=source, options=options, world=world, files={}, id="", when=when, started=world.monotonic()
    )
    with leased(run) as holding:
        if holding.publisher is not None:
            holding.publisher.follow()
        base = baseline.read(repo, source, onto=options.onto)
        before = base.state or _first(base, source, when)
        state = after(before, when)
        if state != before:
            memory.write_state(repo, base, source, state, when, f"{what} ({source.name})", holding.check_lease)
        holding.publish()
        return state != before


def _first(base: Baseline, source: SourceConfig, when: datetime) -> states.State:
    return memory.next_state(base, source, base.known.values(), base.bundle_tree, when, processed=False)
