"""How far each content type of an article has been taken: its watermark. Pure.

A mark is the largest modification time a type was stored up to, with the ids that were stored at that very second: the
bound is inclusive, so that what appears later with the same time is seen. Marks of different types are never compared
(seed 004: podcasts are made after their article, and would make every article look new every day).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from git_okf import digest
from git_okf.source.feishu.entries import Entry

RACE_S = 2
"""Seconds around the listing in which an entry may be changed again without its time, in whole seconds, telling."""


@dataclass(frozen=True, slots=True)
class Mark:
    """`at` in seconds since 1970; `done` the ids stored with that time."""

    at: int
    done: frozenset[str] = frozenset()

    def told(self, *, but: frozenset[str] = frozenset()) -> dict[str, Any]:
        """As it stands in the memory; without the ids in `but`, which are told elsewhere."""
        done = sorted(self.done - but)
        return {"at": iso(self.at), **({"done": done} if done else {})}


def mark_of(told: object) -> Mark | None:
    """The mark that was told; None where it cannot be read: the type begins from zero."""
    if not isinstance(told, Mapping):
        return None
    done = told.get("done")
    try:
        at = datetime.fromisoformat(str(told.get("at")))
    except ValueError:
        return None
    if at.tzinfo is None:
        return None
    ids = done if isinstance(done, list) else []
    return Mark(int(at.timestamp()), frozenset(each for each in ids if isinstance(each, str)))


def rises(mark: Mark | None, entries: Iterable[Entry]) -> bool:
    """Whether an entry is above the mark, or has its very time and was not stored. Who has no time always is."""
    return any(
        mark is None
        or entry.modified is None
        or entry.modified > mark.at
        or (entry.modified == mark.at and entry.token not in mark.done)
        for entry in entries
    )


def raised(mark: Mark | None, stored: Iterable[Entry], listed_at: int) -> Mark | None:
    """The mark after these entries were stored as they were when they were listed; it never falls.

    An entry changed within RACE_S of the listing does not count as done: it may have changed again in that second.
    """
    timed = [entry for entry in stored if entry.modified is not None]
    newest = max((entry.modified or 0 for entry in timed), default=None)
    if newest is None or (mark is not None and newest < mark.at):
        return mark
    racing = abs(newest - listed_at) <= RACE_S
    return Mark(newest, frozenset(e.token for e in timed if e.modified == newest and not racing))


def membership(entries: Iterable[Entry]) -> str:
    """16 hex digits for what is there under which name, whatever its time: what came, went or was renamed shows."""
    return digest.fingerprint(sorted([e.token, e.name, e.type] for e in entries))


def standing(entries: Iterable[Entry], *bounds: int) -> str:
    """The same with the times, and the bounds that decide what is taken."""
    return digest.fingerprint(sorted([e.token, e.name, e.type, e.modified or 0] for e in entries), *bounds)


def iso(seconds: int) -> str:
    """`2026-07-01T21:00:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
