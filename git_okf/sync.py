"""THE conductor: runs the stages in order, and owns the timing of lease and checkpoint.

    config -> source (enumerate, fetch, extract) -> delta -> guard -> bundle (render) -> store (commit, state, notes)

Values go right, nothing goes left: the stages do not know each other, this module knows them all. Everything that is
not a value (clock, environment, sources, processes) comes in through `World`, so that a test can hand in its own.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from git_okf import baseline, delta, digest, guard, landing, memory, planning, report, standing, workers
from git_okf.baseline import Baseline
from git_okf.bundle import paths
from git_okf.config import FILE_NAME, Config, SourceConfig
from git_okf.errors import (
    EXIT_GUARD,
    GitRefused,
    Interrupted,
    OkfError,
    SourceUnavailable,
)
from git_okf.holding import leased, spooled, staffed
from git_okf.model import Delta, Fault, Fetched, Moved, NotModified, Observation, Record, RunResult, Trip
from git_okf.run import Gate, Options, Run, Verdict, World, finished
from git_okf.source import Ask, Source, Spool, Tools
from git_okf.store import lfs, place, target, worktree
from git_okf.store import state as states
from git_okf.store.checkpoint import Checkpoint
from git_okf.store.push import PushRaced
from git_okf.store.repo import Head, RefMoved, Repo
from git_okf.store.scratch import unwritable
from git_okf.store.target import Target

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""What a disk says that cannot be written to: no bug of ours, wherever it is said."""
REPLANS = 5
"""How often a run plans again because the branch moved under it; it never crawls again."""


def sync(repo: Repo, config: Config, names: Sequence[str], options: Options, world: World) -> Iterator[RunResult]:
    """Sync all sources that are due, or those named, one after another; one source's trouble never stops the next."""
    sources = [config.source(name) for name in names] if names else list(config.sources.values())
    for source in sources:
        waiting = standing.waiting(repo, source, world, named=bool(names))
        yield waiting or sync_source(repo, source, options, world)


def sync_source(
    repo: Repo, source: SourceConfig, options: Options, world: World, files: Mapping[str, bytes] | None = None,
    gate: Gate | None = None,
) -> RunResult:  # fmt: skip
    """One run of one source. Every OkfError becomes the result's error; Interrupted and bugs go up. A gate is asked
    last, before anything is written."""
    when = world.clock()
    run = Run(
        repo=repo,
        source=source,
        options=options,
        world=world,
        files=files or {},
        id=f"{when:%Y%m%dT%H%M%SZ}-{world.token()}",
        when=when,
        started=world.monotonic(),
        gate=gate,
    )
    run = replace(run, repo=repo.watched_by(run.heed))
    try:
        with staffed(run) as ready, leased(ready) as holding:
            return _attempt(holding)
    except Interrupted:
        raise
    except OkfError as error:
        return _failure(run, error)
    except OSError as error:
        if error.errno not in FULL:
            raise
        return _failure(run, unwritable(Path(error.filename or tempfile.gettempdir()), error))


def _attempt(run: Run) -> RunResult:
    base = _prepare(run)
    source = run.world.open_source(run.source, run.world.environ)
    with spooled(run, base, source) as spool:
        try:
            seen = _observe(run, base, source, spool)
        except SourceUnavailable as error:
            if not run.options.dry_run:
                _write_outage(run, base, error)
                memory.note_last(run.repo, run.source.name, run.when, "unavailable")
            raise
        spool.seal()
        return _settle(run, base, seen, spool)


def _write_outage(run: Run, base: Baseline, error: SourceUnavailable) -> None:
    memory.write_outage(run.repo, base, run.source, error, run.when, run.check_lease)
    try:
        run.publish()
    except PushRaced:
        return  # another run wrote meanwhile; the next one finds out anew whether the source can be asked


def _prepare(run: Run, untouched: str = "Nothing was fetched or changed") -> Baseline:
    """Everything that can refuse the run before the first request."""
    onto = run.options.onto
    for role in ("author", "committer") if not run.options.dry_run else ():
        run.repo.identity(role)
    if onto is not None:
        return _prepare_target(run, onto)
    if run.repo.head().ref == states.REF:
        raise GitRefused(
            f"HEAD is on {states.REF}, which holds what git-okf remembers. Nothing was fetched or changed",
            "git switch BRANCH   to the branch that is to have the bundle; then run again",
        )
    if not run.options.dry_run:
        worktree.finish(run.repo, run.source.bundle)
    base = baseline.read(run.repo, run.source, rebuild=run.options.rebuild, at=partial(_base, run))
    for prefix in run.source.places:
        place.check(run.repo, prefix, base.tree)
    if run.source.large_files:
        lfs.check(run.repo, run.source.large_files)
    digest.compared_hash("", run.source.ignore)  # a rule that cannot be used is said now, not at the first page
    if not run.options.dry_run:
        for prefix in run.source.places:
            _check_clean(run, prefix, untouched)
    return base


def _prepare_target(run: Run, onto: Target) -> Baseline:
    """The same for a branch that is checked out nowhere: no files to be finished, to be dirty or in the way."""
    if not run.options.dry_run:
        run.repo.recover()
    target.check(run.repo, onto)
    base = baseline.read(run.repo, run.source, rebuild=run.options.rebuild, onto=onto, at=partial(_base, run))
    target.check_exists(onto, base.head)
    for prefix in run.source.places:
        place.check(run.repo, prefix, base.tree, checked_out=False)
    digest.compared_hash("", run.source.ignore)
    return base


def _check_clean(run: Run, prefix: str, untouched: str) -> None:
    dirty = worktree.dirty(run.repo, prefix)
    if dirty:
        named = ", ".join(dirty[:3]) + (f" and {len(dirty) - 3} more" if len(dirty) > 3 else "")
        raise GitRefused(
            f"uncommitted changes inside the bundle {prefix}: {named}. {untouched}",
            f"commit them, or `git stash push -- {prefix}`, or `git restore --staged --worktree {prefix}` to drop them;"
            " then run again",
        )


def _base(run: Run, head: Head) -> str | None:
    """The commit to build on. With `--push` the branch may have been brought there just now."""
    if run.publisher is not None:
        return run.publisher.follow()
    if run.options.onto is not None:
        target.check_here(run.repo, run.options.onto)
    if not run.options.dry_run:
        memory.fetch_if_missing(run.repo)
    return head.commit


def _observe(run: Run, base: Baseline, source: Source, spool: Spool) -> Observation:
    options, world = run.options, run.world
    ask = Ask(
        max_depth=options.max_depth,
        max_pages=options.max_pages,
        retry_failed=options.retry_failed,
        look_only=options.head_only,
        again=base.state is not None,
        afresh=options.rebuild,
        memory=base.state.watermarks if base.state is not None else {},
        memos=_memos(base),
        deadline=None if options.time_budget is None else run.started + options.time_budget,
        threshold=0.0 if "page-count" in options.overrides else options.threshold,
    )
    pool: list[Executor] = []

    def executor() -> Executor:
        if not pool:
            pool.append(world.executor())
        return pool[0]

    tools = Tools(
        clock=world.clock,
        spool=spool,
        place=paths.place,
        executor=executor,
        expect=lambda calls: workers.expect(executor(), calls),
        watched=lambda loop: workers.watch(executor(), loop),
        root=run.repo.root,
        scratch=None if options.dry_run else run.repo.scratch / "source" / run.source.name,
        sleep=world.sleep,
        progress=world.progress,
        stopping=lambda: world.stopping() or run.is_lost(),
    )
    try:
        seen = source.observe(_asked(run, base), ask, tools)
    finally:
        for made in pool:
            made.shutdown(wait=False, cancel_futures=True)
    run.heed()
    if run.is_lost():
        run.check_lease()
    return seen


def _memos(base: Baseline) -> Mapping[str, Mapping[str, Any]]:
    """What is remembered of items that the base does not have: they stand in a review."""
    records = base.state.records if base.state is not None else {}
    return {key: record.memo for key, record in records.items() if record.memo and key not in base.known}


def _asked(run: Run, base: Baseline) -> Mapping[str, Record]:
    """The records to ask with. To put back what was edited by hand its bytes are needed, not a 304."""
    if not run.options.theirs:
        return base.known
    return {
        key: replace(record, etag="", last_modified="", raw_hash="") if key in base.edited else record
        for key, record in base.known.items()
    }


def _settle(run: Run, base: Baseline, seen: Observation, spool: Checkpoint) -> RunResult:
    """Plan, check, write; plan again where the branch moved meanwhile, from what was already fetched."""
    for _ in range(REPLANS):
        plan = planning.plan(run, base, seen, spool)
        trip = guard.check(base.known, seen, plan, delta.found(seen), limits(run))
        if trip is not None:
            return _aborted(run, base, seen, plan, trip)
        try:
            return _landed(run, base, seen, plan, spool)
        except (RefMoved, PushRaced):
            base = _prepared_again(run, base)
    raise GitRefused(
        f"the branch moved {REPLANS} times while the sync was being committed. Nothing was changed",
        "run it again when nobody else commits; what was fetched is in the checkpoint",
    )


def _landed(run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Checkpoint) -> RunResult:
    """A plan that no guard refused, written, or not: RefMoved or PushRaced where others wrote meanwhile."""
    if run.options.head_only:
        return _looked(run, base, seen, plan, spool)
    taken = plan.added or any(item.outcome == delta.CONFLICT for item in plan.retained)
    if not base.known and not taken and base.state is None:
        raise _nothing_found(run, seen)
    if run.gate is not None:
        verdict = run.gate(run, base, seen, plan, spool)
        run = replace(run, content=verdict.content, targets=verdict.targets, offer=verdict.offer)
        before, plan = plan, verdict.plan or plan
        if not verdict.write:
            left = _left(run, base, seen, (before, plan), verdict)
            spool.discard()
            return left
    else:
        base, plan = planning.held(run, base, seen, spool) or (base, plan)
    if run.options.dry_run:
        return finished(run, base, seen, plan, None)
    return landing.write(run, base, seen, plan, spool)


def _looked(run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Checkpoint) -> RunResult:
    """What was fetched is for the run that takes it; not where that is to find the newest, whenever it comes."""
    result = landing.looked(run, base, seen, plan)
    if run.gate is not None:
        spool.discard()
    return result


def _left(run: Run, base: Baseline, seen: Observation, plans: tuple[Delta, Delta], verdict: Verdict) -> RunResult:
    """The result where the gate keeps the plan from being written: it is made again by the next run. What a run learned
    besides is remembered. `plans`: as it was made, and as it would have been written."""
    result = finished(run, base, seen, plans[1], None)
    news = memory.Aside(records=plans[0].records, watermarks=seen.memory if verdict.concluded else None)
    memory.write_aside(run.repo, base, run.source, news, run.when, run.check_lease)
    run.publish()
    memory.note_last(run.repo, run.source.name, run.when, result.result)
    word = "skipped" if result.result == "synced" else result.result
    return replace(result, result=word, notices=(verdict.why, *result.notices))


def _prepared_again(run: Run, before: Baseline) -> Baseline:
    """The baseline where the branch is now. Another branch is not what the run was asked for."""
    base = _prepare(run, "Nothing was committed")
    if base.head.ref != before.head.ref:
        raise GitRefused(
            f"HEAD went from {before.head.ref} to {base.head.ref} while the sync ran. Nothing was committed",
            f"git okf sync {run.source.name}   on the branch that is to have it; what was fetched is in the checkpoint",
        )
    for path in (*run.files, FILE_NAME):
        if run.repo.entry(before.tree, path) != run.repo.entry(base.tree, path):
            raise GitRefused(
                f"{path} was committed by somebody else while the sync ran. Nothing was committed",
                "run it again: it begins with the new one; what was fetched is in the checkpoint",
            )
    return base


def limits(run: Run) -> guard.Limits:
    threshold = run.source.threshold if run.options.threshold is None else run.options.threshold
    return guard.Limits(threshold=threshold, removal=run.source.removal, allowed=run.options.overrides)


def _aborted(run: Run, base: Baseline, seen: Observation, plan: Delta, trip: Trip) -> RunResult:
    """The checkpoint stays, so that `--force` need not crawl again; nothing else was written."""
    if not run.options.dry_run:
        memory.note_last(run.repo, run.source.name, run.when, "aborted")
    fault = Fault(
        code="guard",
        message=report.abort_message(trip),
        hint=report.abort_hint(trip, run.source.name, run.source.url, run.source.kind),
    )
    result = run.result(base, seen, plan, word="aborted", exit_code=EXIT_GUARD)
    return replace(result, guard=trip, error=fault)


def _nothing_found(run: Run, seen: Observation) -> SourceUnavailable:
    reasons = [o.reason for o in seen.outcomes.values() if not isinstance(o, Fetched | NotModified | Moved)]
    is_site = run.source.kind == "web"
    last = "the start page has no content that could be taken" if is_site else "there is nothing that could be taken"
    why = (*reasons, *seen.incomplete_reasons, *seen.notices, last)[0]
    ask = f"curl -I {run.source.url}   shows what the server says; " if is_site else ""
    return SourceUnavailable(
        f"no {'page' if is_site else 'item'} of {run.source.url} could be taken: {why}. Nothing was written",
        f"{ask}git okf explain {'URL' if is_site else 'PATH'}   which rule decides",
    )


def _failure(run: Run, error: OkfError) -> RunResult:
    result = report.failed(run.source.name, run.source.kind, run.source.bundle, error)
    return replace(result, run=run.id, duration_s=run.world.monotonic() - run.started)
