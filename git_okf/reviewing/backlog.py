"""How many reviews are unresolved, and whether there is room for one more (seed 002, section 1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from git_okf.config import SourceConfig
from git_okf.review import targets
from git_okf.review.targets import Targets
from git_okf.reviewing import settling
from git_okf.reviewing.case import Case, Desk

Histories = list[tuple[targets.Coordinate, Targets]]


def is_full(case: Case) -> bool:
    """Whether there is no room for another review besides those of other sources.

    The states tell. What they call unresolved is asked after before it stands in anybody's way: a source that is
    paused, or not due, does not tell that its review was merged.
    """
    desk = case.desk
    mine = tuple(t for t in case.found.record if t.review or t.state is not targets.State.PENDING)

    def told(other: SourceConfig, read: Callable[[SourceConfig], Targets]) -> Targets:
        return mine if other.name == case.source.name else read(other)

    def histories(read: Callable[[SourceConfig], Targets]) -> Histories:
        return [(_coordinate(desk, each), told(each, read)) for each in desk.settings.sources.values()]

    return not _has_room(desk, histories(desk.record)) and not _has_room(desk, histories(partial(_settled, desk)))


def _conflicts(desk: Desk) -> int:
    """Items that no review can settle: a person has to say first which of two it is to be."""
    return sum(len(settling.conflicts(desk.repo, each)) for each in desk.settings.sources.values())


def _has_room(desk: Desk, known: Histories) -> bool:
    unresolved = targets.backlog(known) + _conflicts(desk)
    marks = {"high_water": desk.settings.review.high_water, "low_water": desk.settings.review.low_water}
    return targets.has_room(unresolved, was_full=targets.was_full(known, **marks), **marks)


def _settled(desk: Desk, source: SourceConfig) -> Targets:
    """A source's record, as the host says now where something in it is unresolved."""
    record = desk.record(source)
    if not desk.forge.answers or targets.pending(record) is None:
        return record
    return targets.reconcile(record, desk.reviews(source), source.name, desk.now)


def _coordinate(desk: Desk, source: SourceConfig) -> targets.Coordinate:
    return desk.forge.repository().id, source.digest(), source.bundle
