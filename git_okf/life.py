"""When a source is looked at. Pure: what the state says, and the clock -> due or not, and when next.

A source is ACTIVE, PAUSED (by a person, and lifted by one alone) or UNREACHABLE. One that cannot be reached is looked
at again after about 24 hours, then after 3 days, then every 7 days; a host's limit makes nothing unreachable, it only
says when to come back (seed 002, section 1). Whoever names a source wants it looked at now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from git_okf.config import SourceConfig
from git_okf.store.state import ACTIVE, PAUSED, UNREACHABLE, State

RECHECKS = (timedelta(hours=24), timedelta(days=3), timedelta(days=7))
"""After the first, the second and every later failure in a row."""
EARLIER = 0.1
"""The share by which a recheck may come earlier: sources that failed together are not asked together, and a job that
runs once a day does not miss its day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Whether a source is to be looked at now. `at`: when next, where that is known."""

    now: bool
    why: str = ""
    at: datetime | None = None


def recheck_at(failures: int, when: datetime, name: str) -> datetime:
    """When to look again at a source that could not be reached so many times in a row (1 the first)."""
    wait = RECHECKS[min(failures, len(RECHECKS)) - 1]
    digits = hashlib.sha256(f"{name}\0{failures}\0{when.isoformat()}".encode()).digest()
    return when + wait * (1 - EARLIER * int.from_bytes(digits[:4]) / 2**32)


def due(source: SourceConfig, state: State | None, last: Mapping[str, Any], now: datetime) -> Due:
    """Whether a run that names no source takes this one. `last`: how its last run on this machine ended."""
    if state is not None and state.access == PAUSED:
        return Due(now=False, why=f"paused since {state.since}: git okf resume {source.name}")
    if state is not None and (wait := _later(state.retry_at, now)):
        return Due(now=False, why=f"its host limits requests until {state.retry_at}", at=wait)
    if state is not None and state.access == UNREACHABLE and (wait := _later(state.recheck_at, now)):
        return Due(now=False, why=f"it could not be reached since {state.since}; next look {state.recheck_at}", at=wait)
    return _by_interval(source, state, last, now)


def _by_interval(source: SourceConfig, state: State | None, last: Mapping[str, Any], now: datetime) -> Due:
    if source.interval is None or (state is not None and state.access != ACTIVE):
        return Due(now=True)
    here = str(last.get("at", "")) if last.get("result") in ("synced", "unchanged") else ""
    looked = [time for time in (_time(state.last_observed if state else ""), _time(here)) if time is not None]
    if not looked or max(looked) + source.interval <= now:
        return Due(now=True)
    at = max(looked) + source.interval
    return Due(now=False, why=f"it is looked at every {source.every}", at=at)


def _later(text: str, now: datetime) -> datetime | None:
    time = _time(text)
    return time if time is not None and time > now else None


def _time(text: str) -> datetime | None:
    """None for "" and for what no version of ours wrote."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None


def age(text: str, now: datetime) -> str:
    """`3 days ago` for an ISO 8601 time; "" for none."""
    then = _time(text)
    if then is None:
        return ""
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count != 1 else ''} ago"
    return "just now"


def is_later(text: str, than: str) -> bool:
    """Whether one ISO 8601 time is after another; none is after nothing."""
    time, other = _time(text), _time(than)
    return time is not None and (other is None or time > other)
