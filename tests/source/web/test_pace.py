"""How fast a host is asked."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from git_okf.source.web.pace import LONGEST_WAIT, MAX_STRIKES, Lane, Pace, RateLimited, Silent, seconds_to_wait

NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
HOST = "https://docs.example.com"


class FakeTime:
    """Time that passes only when everybody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def clock(self) -> datetime:
        return NOW + timedelta(seconds=self.now - 1000.0)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self.sleepers, (self.now + seconds, len(self.slept), woken))
        await woken

    async def run(self, *jobs: Awaitable[object]) -> None:
        tasks = [asyncio.ensure_future(job) for job in jobs]
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await asyncio.sleep(0)
            if self.sleepers and not all(task.done() for task in tasks):
                self.now, _, woken = heapq.heappop(self.sleepers)
                woken.set_result(None)
        for task in tasks:
            task.result()

    def pace(self, *, concurrency: int = 8, delay: float = 0.0) -> Pace:
        return Pace(concurrency, delay, self.monotonic, self.sleep, self.clock)


def play(time: FakeTime, jobs: Callable[[], list[Awaitable[object]]]) -> None:
    async def main() -> None:
        await time.run(*jobs())

    asyncio.run(main())


async def visit(pace: Pace, time: FakeTime, starts: list[float], seconds: float = 0.0) -> None:
    lane = pace.lane(HOST)
    starts.append(await pace.enter(lane))
    if seconds:
        await time.sleep(seconds)
    pace.leave(lane)


def test_turns_are_limited_and_spaced() -> None:
    time = FakeTime()
    pace = time.pace(concurrency=2, delay=3.0)
    starts: list[float] = []
    play(time, lambda: [visit(pace, time, starts) for _ in range(4)])
    assert starts == [1000.0, 1003.0, 1006.0, 1009.0]


def test_at_most_so_many_at_once() -> None:
    time = FakeTime()
    pace = time.pace(concurrency=2)
    starts: list[float] = []
    play(time, lambda: [visit(pace, time, starts, seconds=5.0) for _ in range(5)])
    assert starts == [1000.0, 1000.0, 1005.0, 1005.0, 1010.0]


def test_crawl_delay_widens_the_gap_and_never_narrows_it() -> None:
    time = FakeTime()
    pace = time.pace(delay=2.0)
    pace.keep_delay(HOST, 1.0)
    assert pace.lane(HOST).interval == 2.0
    pace.keep_delay(HOST, 7.0)
    starts: list[float] = []
    play(time, lambda: [visit(pace, time, starts) for _ in range(3)])
    assert starts == [1000.0, 1007.0, 1014.0]
    assert pace.lane("https://other.example").interval == 2.0


def test_http_01_one_complaint_pauses_everyone_and_turns_are_given_out_anew() -> None:
    time = FakeTime()
    pace = time.pace(concurrency=4, delay=1.0)
    starts: list[float] = []

    async def complain() -> None:
        lane = pace.lane(HOST)
        started = await pace.enter(lane)
        assert pace.complain(lane, started, 429, "30")
        pace.leave(lane)

    play(time, lambda: [complain(), *(visit(pace, time, starts) for _ in range(3))])
    assert starts[0] == 1030.0
    assert [b - a for a, b in pairwise(starts)] == [2.0, 2.0]


def slowed(pace: Pace, lane: Lane, status: int = 429, retry_after: str = "") -> bool:
    return pace.complain(lane, pace.monotonic(), status, retry_after)


def test_requests_under_way_are_the_same_complaint() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    time.now += 1
    assert pace.complain(lane, 1000.0, 429, "")
    interval = lane.interval
    assert not pace.complain(lane, 1000.5, 429, "")
    assert (lane.interval, lane.strikes) == (interval, 1)
    assert not pace.complain(lane, 1000.6, 429, "60")
    assert lane.paused_until == time.now + 60


def test_interval_doubles_and_recovers() -> None:
    time = FakeTime()
    pace = time.pace(delay=0.1)
    lane = pace.lane(HOST)
    seen = []
    for _ in range(3):
        slowed(pace, lane)
        seen.append(lane.interval)
        time.now += 100
    assert seen == [0.5, 1.0, 2.0]
    for _ in range(200):
        pace.good(lane)
    assert lane.interval == 0.1
    assert lane.strikes == 0


def test_single_503_is_one_pages_trouble() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    for _ in range(20):
        assert slowed(pace, lane, 503)
        pace.good(lane)
    assert (lane.interval, lane.paused_until) == (0.0, 0.0)
    for _ in range(4):
        slowed(pace, lane, 503)
    assert lane.interval > 0


def test_503_with_retry_after_is_the_hosts() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    slowed(pace, lane, 503, "7")
    assert lane.paused_until == time.now + 7


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [("3600", 3600), ("Mon, 06 May 2024 08:08:09 GMT", 3600), ("999999999", 24 * 3600)],
)
def test_a_longer_pause_than_a_run_waits_ends_it(retry_after: str, seconds: int) -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    with pytest.raises(RateLimited, match="429") as raised:
        slowed(pace, lane, 429, retry_after)
    assert raised.value.retry_at == NOW + timedelta(seconds=seconds)

    async def next_one() -> None:
        with pytest.raises(RateLimited) as again:
            await pace.enter(lane)
        assert again.value.retry_at == NOW + timedelta(seconds=seconds)

    play(time, lambda: [next_one(), next_one()])


def test_waiting_turns_end_with_the_host() -> None:
    time = FakeTime()
    pace = time.pace(delay=50.0)
    ended: list[str] = []

    async def wait() -> None:
        try:
            await visit(pace, time, [])
        except RateLimited as error:
            ended.append(error.reason)

    async def close() -> None:
        await asyncio.sleep(0)
        lane = pace.lane(HOST)
        with pytest.raises(RateLimited):
            slowed(pace, lane, 429, str(LONGEST_WAIT + 1))

    play(time, lambda: [*(wait() for _ in range(3)), close()])
    assert len(ended) == 2


def test_a_host_that_never_stops_complaining_has_said_no() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    for _ in range(MAX_STRIKES - 1):
        slowed(pace, lane)
        time.now += 1000
    with pytest.raises(RateLimited):
        slowed(pace, lane)


def test_silent_host_is_given_time_and_then_given_up() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    pauses = []
    for _ in range(200):
        if lane.closed is not None:
            break
        pace.unanswered(lane, "timeout")
        if lane.paused_until > time.now:
            pauses.append(lane.paused_until - time.now)
            time.now = lane.paused_until
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 16.0, 16.0]

    async def next_one() -> None:
        with pytest.raises(Silent, match="timeout"):
            await pace.enter(lane)

    play(time, lambda: [next_one()])


def test_any_answer_ends_the_silence() -> None:
    time = FakeTime()
    pace = time.pace()
    lane = pace.lane(HOST)
    for n in range(300):
        pace.unanswered(lane, "timeout")
        time.now += 30
        if n % 10 == 0:
            pace.good(lane)
    assert lane.closed is None


def test_cancelled_wait_gives_its_place_back() -> None:
    time = FakeTime()
    pace = time.pace(concurrency=1, delay=10.0)

    async def main() -> None:
        lane = pace.lane(HOST)
        await pace.enter(lane)
        pace.leave(lane)
        waiting = asyncio.ensure_future(pace.enter(lane))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert not lane.gate.locked()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Mon, 06 May 2024 07:08:19 GMT", 10.0),
        ("Monday, 06-May-24 07:08:19 GMT", 10.0),
        ("Mon May  6 07:08:19 2024", 10.0),
        ("Mon, 06 May 2024 09:08:19 +0200", 10.0),
        ("Mon, 06 May 2023 07:08:19 GMT", 0.0),
        ("-5", None),
        ("", None),
        ("soon", None),
        ("2024-05-06T07:08:19Z", None),
        ("Mon, 99 May 2024 07:08:19 GMT", None),
        ("9" * 400, None),
    ],
)
def test_http_01_retry_after_in_every_form(text: str, seconds: float | None) -> None:
    assert seconds_to_wait(text, NOW) == seconds
