"""One run of one source: what was asked, what it may touch, and the result it comes to."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from git_okf import delta, guard, report, workers
from git_okf.baseline import Baseline
from git_okf.config import SourceConfig
from git_okf.errors import EXIT_PARTIAL, Interrupted
from git_okf.model import Delta, Observation, Offer, RunResult, Status
from git_okf.source import Source, Spool, open_source
from git_okf.store.repo import RefUpdate, Repo
from git_okf.store.target import Target as Target
from git_okf.store.upstream import Publisher


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person asks of one run, beyond the configuration."""

    force: bool = False
    allow: frozenset[str] = frozenset()
    dry_run: bool = False
    stage: bool = False
    retry_failed: bool = False
    rebuild: bool = False
    theirs: bool = False
    prune: bool = False
    head_only: bool = False
    """Look and take nothing (HEAD_ONLY of seed 002)."""
    max_depth: int | None = None
    max_pages: int | None = None
    threshold: float | None = None
    time_budget: float | None = None
    """Seconds after which the run stops asking and commits what is certain."""
    push: bool = False
    onto: Target | None = None
    """The branch to write onto; None: the one HEAD is on, with its work tree."""

    @property
    def overrides(self) -> frozenset[str]:
        return self.allow | guard.FORCED if self.force else self.allow


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything a run touches that is no value and no repository."""

    environ: Mapping[str, str]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    token: Callable[[], str] = lambda: secrets.token_hex(4)
    open_source: Callable[[SourceConfig, Mapping[str, str]], Source] = open_source
    executor: Callable[[], Executor] = field(default_factory=workers.Here)
    progress: Callable[[str, int, int], None] = lambda what, done, total: None
    stopping: Callable[[], bool] = lambda: False
    warn: Callable[[str], None] = lambda sentence: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a gate says of a plan that no guard refused."""

    write: bool
    why: str
    concluded: bool = False
    """Nothing of what was seen waits to be taken: what the source remembers of itself may be written though the plan is
    not."""
    content: str = ""
    """The fingerprint of the content that the base is to get; it goes into the commit's trailers."""
    plan: Delta | None = None
    """What is to be written in place of the plan."""
    targets: Sequence[Mapping[str, Any]] | None = None
    """What the state is to tell, with that very push, of contents under review; None: what it tells now."""
    offer: Offer | None = None
    """What the push of the content is to tell the remote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One attempt to sync one source: what stays the same from its first step to its last."""

    repo: Repo
    source: SourceConfig
    options: Options
    world: World
    files: Mapping[str, bytes]
    """Files outside the bundle that belong into the same commit (`.okf.yaml` of a build)."""
    id: str
    when: datetime
    started: float
    generation: int = 0
    check_lease: Callable[[], None] = lambda: None
    is_lost: Callable[[], bool] = lambda: False
    """Whether the lease was taken over, so that the run must stop asking."""
    publisher: Publisher | None = None
    gate: Gate | None = None
    """Asked before anything is written."""
    content: str = ""
    targets: Sequence[Mapping[str, Any]] | None = None
    offer: Offer | None = None
    """All three as in `Verdict`."""

    @property
    def again(self) -> str:
        """What to type to run it again."""
        onto = self.options.onto
        return f"git okf sync {self.source.name}" + (f" --branch {onto.name}" if onto and not onto.base else "")

    def heed(self) -> None:
        """Interrupted where a signal asked the run to end."""
        if self.world.stopping():
            raise Interrupted(f"{self.source.name}: interrupted; nothing was committed", f"{self.again}   resumes it")

    def publish(self, updates: Sequence[RefUpdate] = ()) -> None:
        """With `--push`, push what the refs will be after `updates`."""
        if self.publisher is not None:
            self.publisher.publish(updates, self.offer)

    def result(self, base: Baseline, seen: Observation, plan: Delta, *, word: str, exit_code: int) -> RunResult:
        return RunResult(
            name=self.source.name,
            kind=self.source.kind,
            bundle=self.source.bundle,
            result=word,
            exit_code=exit_code,
            run=self.id,
            generation=self.generation,
            base=base.head.commit,
            branch=base.head.ref.removeprefix("refs/heads/"),
            complete=seen.complete,
            incomplete_reasons=seen.incomplete_reasons,
            delta=plan,
            found=delta.found(seen),
            known=sum(record.status is Status.PAGE for record in base.known.values()),
            counters=seen.counters,
            duration_s=self.world.monotonic() - self.started,
            notices=(*base.notices, *seen.notices),
            origins=seen.origins,
            subject=report.headline(plan, self.source.name),
            dry_run=self.options.dry_run,
            staged=self.options.stage,
            pushed=str(self.publisher.upstream) if self.publisher else "",
        )


Gate = Callable[[Run, Baseline, Observation, Delta, Spool], Verdict]


def finished(run: Run, base: Baseline, seen: Observation, plan: Delta, commit: str | None) -> RunResult:
    partly = any(item.outcome not in delta.HARMLESS for item in plan.retained)
    changed = plan.changes_content or plan.rerendered
    word = "partial" if partly else "synced" if changed else "unchanged"
    return replace(run.result(base, seen, plan, word=word, exit_code=EXIT_PARTIAL if partly else 0), commit=commit)
