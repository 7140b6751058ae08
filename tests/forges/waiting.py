"""A clock that only sleeping moves, for clients whose pauses no test waits for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from git_okf.jsonapi import Effects


class Waiting:
    """`slept` seconds since `start`; a signal comes once `stop_at` seconds were slept."""

    def __init__(self, start: datetime = datetime(2026, 3, 1, tzinfo=UTC)) -> None:
        self.start = start
        self.slept = 0.0
        self.stop_at = float("inf")

    def sleep(self, seconds: float) -> None:
        self.slept += seconds

    @property
    def effects(self) -> Effects:
        return Effects(
            clock=lambda: self.start + timedelta(seconds=self.slept),
            monotonic=lambda: self.slept,
            sleep=self.sleep,
            stopping=lambda: self.slept >= self.stop_at,
        )
