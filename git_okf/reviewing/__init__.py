"""`git okf pr`: each due source is synced onto its review branch, and its review opened, updated, left or closed.

What is to be done is decided by one pure function from the facts (`review.decide`), after the plan and before anything
is written: the branch is then made anew from the base, or the sync goes on top of what people committed there. The
push comes first and the review after it; a run that dies in between leaves a branch whose review the next one opens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_okf import manage, report, standing
from git_okf.config import SourceConfig
from git_okf.errors import EXIT_GIT, GitRefused, Interrupted, OkfError
from git_okf.jsonapi import Effects
from git_okf.review.hosts import open_forge
from git_okf.reviewing import gate, record
from git_okf.reviewing.case import Case, Desk, case_of
from git_okf.reviewing.outcome import Reviewed, settle
from git_okf.run import Options, Target, World
from git_okf.store import followed, review_branch
from git_okf.store.remote import address, remotes
from git_okf.store.repo import Repo
from git_okf.store.upstream import catch_up_memory

ATTEMPTS = 2
"""A branch that moves while its source is looked at is looked at once more."""


def review(desk: Desk, names: Sequence[str]) -> Iterator[Reviewed]:
    """Review all sources that are due, or those named, one after another."""
    sources = [desk.settings.source(name) for name in names] if names else list(desk.settings.sources.values())
    for source in sources:
        waiting = standing.waiting(desk.repo, source, desk.world, named=bool(names))
        yield Reviewed(result=waiting) if waiting else _reviewed(desk, source)


def _reviewed(desk: Desk, source: SourceConfig) -> Reviewed:
    try:
        for attempt in range(ATTEMPTS):
            case = case_of(desk, source)
            record.take_notice(case)
            result = gate.run(case)
            if result.error is None:
                followed.note(desk.repo, case.ref)
            if result.exit_code != EXIT_GIT or attempt == ATTEMPTS - 1 or not _moved(case):
                break
        return settle(case, result)
    except Interrupted:
        raise
    except OkfError as error:
        return Reviewed(result=report.failed(source.name, source.kind, source.bundle, error))


def _moved(case: Case) -> bool:
    desk = case.desk
    return review_branch.look(desk.repo, desk.address, desk.base, case.ref, desk.world.clock()) != case.tips


def of_repository(
    repo: Repo, names: Sequence[str], options: Options, world: World, *, report_issue: bool = False
) -> Iterator[Reviewed]:
    """The command: the configuration is that of the branch HEAD is on."""
    settings = manage.read_config(repo, Target(ref=repo.head().ref) if repo.is_bare else None)
    remote = settings.review.remote
    if remote not in remotes(repo):
        raise GitRefused(
            f"there is no remote {remote}, which reviews are pushed to. Nothing was fetched or changed",
            f"git remote add {remote} URL   or set review.remote in .okf.yaml",
        )
    repo, there = manage.watched(repo, world, "the next run takes up what is left"), address(repo, remote)
    url = repo.config(f"remote.{remote}.url") if there == remote else there
    effects = Effects(clock=world.clock, monotonic=world.monotonic, sleep=world.sleep, stopping=world.stopping)
    forge = open_forge(settings.review, world.environ, remote_url=url or "", effects=effects, warn=world.warn)
    try:
        catch_up_memory(repo, there, world.clock())
        base = settings.review.base or review_branch.default_branch(repo, there)
        yield from review(
            Desk(
                repo=repo,
                settings=settings,
                options=options,
                world=world,
                forge=forge,
                address=there,
                base=base,
                report_issue=report_issue,
            ),
            names,
        )
    finally:
        forge.disconnect()
