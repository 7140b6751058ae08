"""What a run holds at work: its workers, its checkpoint, its source's lease, with `--push` on the remote too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from git_okf import memory, workers
from git_okf.baseline import Baseline
from git_okf.errors import GitRefused, Interrupted, LeaseBusy
from git_okf.run import Run
from git_okf.source import Source
from git_okf.store import target, upstream
from git_okf.store.checkpoint import Binding, Checkpoint
from git_okf.store.lease import Lease
from git_okf.store.remote_lease import RemoteLease


@contextmanager
def staffed(run: Run) -> Iterator[Run]:
    """The run, with workers already where every page will be extracted: before a lease there are no threads, and they
    can be forked."""
    make = run.world.executor
    if run.source.kind != "web" or not isinstance(make, workers.Here) or not _reads_everything(run):
        yield run
        return
    pool = make()
    try:
        pool.fork()
        yield replace(run, world=replace(run.world, executor=lambda: pool))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _reads_everything(run: Run) -> bool:
    """Whether nothing of the source is there yet that a page could be compared with."""
    head = target.standing(run.repo, run.options.onto)
    tree = run.repo.commit_tree(head.commit) if head.commit else None
    return run.options.rebuild or run.repo.subtree(tree, run.source.bundle) is None


@contextmanager
def leased(run: Run) -> Iterator[Run]:
    """The run with its lease. A dry run takes none: it writes nothing that another run could meet."""
    if run.options.dry_run:
        yield run
        return
    name, world = run.source.name, run.world
    with Lease.acquire(run.repo.scratch, name, clock=world.clock, environ=world.environ) as lease:
        holding = replace(run, generation=lease.generation, check_lease=lease.check, is_lost=lease.is_lost)
        if not run.options.push:
            yield holding
            return
        there = upstream.find(run.repo, run.options.onto)

        def check() -> None:
            lease.check()
            remote.check()

        with RemoteLease.acquire(run.repo, there.remote, name, clock=world.clock, environ=world.environ) as remote:
            yield replace(
                holding,
                generation=remote.generation,
                check_lease=check,
                is_lost=lambda: lease.is_lost() or remote.is_lost(),
                publisher=upstream.Publisher(run.repo, there, name, remote, run.when),
            )


@contextmanager
def spooled(run: Run, base: Baseline, source: Source) -> Iterator[Checkpoint]:
    """The checkpoint of this run: resumed where the last one was killed, dropped where it was refused by a guard."""
    if run.options.dry_run:
        with Checkpoint.temporary() as spool:
            yield spool
        return
    if memory.last(run.repo, run.source.name).get("result") == "aborted" and not run.options.overrides:
        Checkpoint.drop(run.repo.scratch, run.source.name)
    binding = Binding(
        config=run.source.digest(),
        base=base.bundle_tree or "",
        fingerprint=source.fingerprint,
        afresh=run.options.rebuild,
    )
    if run.publisher is not None:
        run.publisher.restore_checkpoint()
    spool = Checkpoint.open(
        run.repo.scratch, run.source.name, binding, clock=run.world.clock, every=run.source.checkpoint
    )
    try:
        yield spool
    except Interrupted:
        spool.close()
        _save_remotely(run)
        raise
    finally:
        spool.close()


def _save_remotely(run: Run) -> None:
    """What was fetched, for the next machine. A run that is to end does not wait for a remote that does not answer."""
    if run.publisher is not None:
        try:
            run.publisher.leave()
        except (GitRefused, LeaseBusy) as error:
            run.world.warn(f"what was fetched is kept on this machine only: {error.message}")
