"""What became of each content, and since when a source waits: what a review leaves in the state.

What is offered is written with the very push that offers it, so that it counts as unresolved from then on, whoever else
looks. What became of it on the host is written after that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from git_okf import standing
from git_okf.errors import LeaseBusy
from git_okf.review import targets
from git_okf.review.decide import Word
from git_okf.review.forge import Review
from git_okf.review.targets import State, Target, Targets
from git_okf.reviewing import settling
from git_okf.reviewing.case import Case, remembered
from git_okf.store import review_branch
from git_okf.store import state as states
from git_okf.store.push import PushRaced
from git_okf.store.repo import RefMoved

ATTEMPTS = 3


def offered(case: Case, done: Review | None = None) -> Targets:
    """The record once the content stands on the branch; `done`: the review that offers it."""
    review = done or case.open
    number = review.number if review else 0
    found, pending = case.found.record, targets.pending(case.found.record)
    if not case.content or (pending and (pending.fingerprint, pending.review) == (case.content, number)):
        return found
    url = review.url if review else ""
    new = Target(
        fingerprint=case.content, state=State.PENDING, review=number, url=url, since=case.desk.now, items=case.items
    )
    return targets.offered(found, new)


def settled(case: Case, word: Word, done: Review | None) -> Targets:
    """The record once everything is done."""
    found, now = case.found.record, case.desk.now
    if word in (Word.CREATE, Word.UPDATE) and done is not None:
        return offered(case, done)
    if word is Word.CLOSE or (word in (Word.NOTHING, Word.LEAVE_REJECTED) and not case.content):
        return targets.settled(found, _came_to(case), now)
    return found


def _came_to(case: Case) -> State:
    """What became of a content that stands in no review and is no longer wanted: without a host the base tells."""
    if case.desk.forge.answers:
        return State.SUPERSEDED
    repo, tips = case.desk.repo, case.tips
    if tips.branch is None:
        return State.APPROVED
    base, branch = (repo.commit_tree(tip) for tip in (tips.base, tips.branch))
    same = review_branch.trees(repo, base, case.source.places) == review_branch.trees(repo, branch, case.source.places)
    return State.APPROVED if same else State.SUPERSEDED


def remember(case: Case, record: Targets, *, held: bool) -> None:
    """Tell the state, where that is something new. Where another run has the source, or is always faster, that one
    finds it out from the host."""
    told: list[Mapping[str, object]] = list(targets.dump(record))
    if remembered(case) == {"targets": told, "held": held}:
        return

    def after(before: states.State, when: datetime) -> states.State:
        since = (before.held or case.desk.now) if held else ""
        return replace(settling.settled(case.source, before, record), targets=tuple(told), held=since)

    _write(case, after)


def take_notice(case: Case) -> None:
    """Tell the items of a source what became of their review, before the source is asked again: what was refused is not
    to be offered in another one."""
    found = case.found.record

    def after(before: states.State, when: datetime) -> states.State:
        return replace(settling.settled(case.source, before, found), targets=tuple(targets.dump(found)))

    if settling.news(case.source, targets.load(remembered(case)["targets"]), found) and not case.desk.options.dry_run:
        _write(case, after)


def _write(case: Case, after: Callable[[states.State, datetime], states.State]) -> None:
    desk = case.desk
    options = replace(desk.options, push=True, onto=case.as_it_is)
    for attempt in range(ATTEMPTS):
        try:
            standing.remember(desk.repo, case.source, options, desk.world, after, "reviewed")
        except (PushRaced, RefMoved, LeaseBusy) as error:
            if isinstance(error, LeaseBusy) or attempt == ATTEMPTS - 1:
                desk.world.warn(
                    f"{case.source.name}: what became of its review is told by the next run: {error.message}"
                )
                return
        else:
            return
