"""How fast a host is asked: concurrency, delay, and slowing down when it says so.

A 429 is a word about the host, not about a URL, so every request to it waits. Requests that were already under way when
the host was slowed down count as the same word, not as further ones.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

FIRST_INTERVAL = 0.5
"""Seconds between two requests after the first 429; each further one doubles it."""
LONGEST_INTERVAL = 60.0
RECOVERY = 10
"""Good answers in a row after which the interval shrinks by a third."""
LONGEST_WAIT = 120.0
"""Seconds a run waits because a host says so; longer ends it as rate-limited."""
LONGEST_RETRY_AFTER = 24 * 3600.0
MAX_STRIKES = 8
"""Slow-downs in a row without one good answer: then the host has said no."""
FAULTS = 4
"""503 without Retry-After in a row, no good answer between: then it is the host, not the page."""


SILENCE = 16
"""Exchanges in a row without any answer after which, and SILENT_SECONDS, a host counts as gone for this run."""
SILENT_SECONDS = 60.0


class Silent(Exception):
    """The host has not answered for so long that it is not asked again in this run."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RateLimited(Exception):
    """The host wants no requests until `retry_at` (with an offset)."""

    def __init__(self, reason: str, retry_at: datetime) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_at = retry_at


@dataclass(slots=True)
class Lane:
    """What is known of one host's patience."""

    gate: asyncio.Semaphore
    base: float
    interval: float
    next_start: float = 0.0
    paused_until: float = 0.0
    slowed_at: float = -1.0
    changes: int = 0
    strikes: int = 0
    good: int = 0
    faults: int = 0
    unanswered: int = 0
    silent_since: float = 0.0
    closed: RateLimited | Silent | None = None


@dataclass(slots=True)
class Pace:
    """Turns for all hosts of one run. Seconds are those of `monotonic`."""

    concurrency: int
    delay: float
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]
    clock: Callable[[], datetime]
    _lanes: dict[str, Lane] = field(default_factory=dict)

    def lane(self, host: str) -> Lane:
        lane = self._lanes.get(host)
        if lane is None:
            lane = Lane(asyncio.Semaphore(self.concurrency), self.delay, self.delay)
            self._lanes[host] = lane
        return lane

    def keep_delay(self, host: str, seconds: float) -> None:
        """At least so many seconds between the starts of two requests (Crawl-delay)."""
        lane = self.lane(host)
        lane.base = max(lane.base, seconds)
        lane.interval = max(lane.interval, seconds)

    async def enter(self, lane: Lane) -> float:
        """Wait for a turn; the time it began. Each `enter` needs one `leave`.

        Raises RateLimited or Silent if there will be no turn in this run.
        """
        await lane.gate.acquire()
        try:
            while True:
                if isinstance(lane.closed, RateLimited):
                    raise RateLimited(lane.closed.reason, lane.closed.retry_at)
                if lane.closed is not None:
                    raise Silent(lane.closed.reason)
                now = self.monotonic()
                start = max(now, lane.next_start, lane.paused_until)
                lane.next_start = start + lane.interval
                if start <= now:
                    return now
                changes = lane.changes
                await self.sleep(start - now)
                if lane.changes == changes:
                    return start
        except BaseException:
            lane.gate.release()
            raise

    def leave(self, lane: Lane) -> None:
        lane.gate.release()

    def good(self, lane: Lane) -> None:
        """An answer that is no complaint: the host is well."""
        lane.strikes = lane.faults = lane.unanswered = 0
        if lane.interval > lane.base:
            lane.good += 1
            if lane.good >= RECOVERY:
                lane.good = 0
                shorter = lane.interval * 2 / 3
                lane.interval = max(lane.base, shorter if shorter > 0.05 else 0.0)

    def complain(self, lane: Lane, started: float, status: int, retry_after: str) -> bool:
        """A 429 or 503: slow the host down. False if the request was under way when that had already been done.

        RateLimited if the host wants a longer pause than a run waits, or does not stop complaining.
        """
        lane.unanswered = 0
        now = self.monotonic()
        wait = seconds_to_wait(retry_after, self.clock())
        lane.good = 0
        if status == 503 and wait is None:
            lane.faults += 1
            if lane.faults < FAULTS:
                return True  # one page's trouble so far: its own back-off is enough
            lane.faults = 0
        news = started >= lane.slowed_at
        if news:
            lane.strikes += 1
            lane.slowed_at = now
            lane.interval = min(LONGEST_INTERVAL, max(FIRST_INTERVAL, lane.interval * 2))
        pause = wait if wait is not None else min(LONGEST_INTERVAL, 0.5 * 2**lane.strikes)
        if pause > LONGEST_WAIT or lane.strikes >= MAX_STRIKES:
            self._close(lane, status, max(pause, LONGEST_WAIT))
        self._pause(lane, now + pause)
        return news

    def unanswered(self, lane: Lane, reason: str) -> None:
        """No connection, no answer, or half of one. A host that is silent for a while is given time, then given up."""
        now = self.monotonic()
        if lane.unanswered == 0:
            lane.silent_since = now
        lane.unanswered += 1
        if lane.unanswered >= SILENCE and now - lane.silent_since >= SILENT_SECONDS:
            lane.closed = Silent(f"the host does not answer any more ({reason})")
            lane.changes += 1
        elif lane.unanswered % (SILENCE // 2) == 0:
            self._pause(lane, now + min(16.0, 2.0 ** (lane.unanswered * 2 // SILENCE - 1)))

    def _pause(self, lane: Lane, until: float) -> None:
        if until > lane.paused_until:
            lane.paused_until = until
            # Turns given out before are given out anew, one interval apart.
            lane.next_start = until
            lane.changes += 1

    def _close(self, lane: Lane, status: int, seconds: float) -> None:
        retry_at = self.clock() + timedelta(seconds=min(seconds, LONGEST_RETRY_AFTER))
        reason = f"it answers {status} and asks to come back later"
        lane.closed = RateLimited(reason, retry_at)
        lane.changes += 1
        raise RateLimited(reason, retry_at)


def seconds_to_wait(retry_after: str, now: datetime) -> float | None:
    """Of a Retry-After header: seconds, or any HTTP-date (RFC 9110, 10.2.3 and 5.6.7); None if it says nothing.

    A date in the past is 0. The result may be long; what to do about that is the caller's matter.
    """
    text = retry_after.strip()
    if re.fullmatch(r"\d{1,12}(?:\.\d+)?", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if date.tzinfo is None:  # the asctime form has no zone; HTTP dates are UTC
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
