"""How long we are patient with a host: the tries of one call, and the pause before each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from git_okf.errors import Interrupted
from git_okf.jsonapi.answers import (
    Answer,
    ApiRefused,
    ApiUnavailable,
    ApiUncertain,
    Limited,
    Refresh,
    Refused,
    Retry,
    Verdict,
    classify_http,
)

BACKOFF_S = 1.0
"""Before the second try, doubled each time, where the host names no time."""
LIMIT_S = 60.0
"""The same after a rate limit: at least a minute, as GitHub asks for."""
SLICE_S = 1.0
"""A pause is slept in slices, so that a signal ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a client does to the world besides sending requests."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    stopping: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a host wants to be asked. Times in seconds, sizes in bytes."""

    classify: Callable[[Answer], Verdict] = classify_http
    headers: Mapping[str, str] = field(default_factory=dict)
    tries: int = 6
    """Of one call, the first included."""
    patience: float = 900.0
    """All pauses of one call together; a longer one ends the call with the time at which to come back."""
    pace: Callable[[str, str], tuple[str, float]] = lambda method, path: ("", 0.0)
    """By method and path: a name for the calls that share a limit, and the time between the starts of two of them."""
    max_bytes: int = 32 * 1024 * 1024
    """Of a JSON answer, decoded."""


class Tries:
    """The tries of one call. `what` names it in errors; `hide` takes secrets out of a text."""

    def __init__(self, what: str, manners: Manners, effects: Effects, hide: Callable[[str], str]) -> None:
        self._what = what
        self._manners = manners
        self._effects = effects
        self._hide = hide
        self._made = 0
        self._limits = 0
        self._waited = 0.0
        self._refreshed = False

    def again(self, verdict: Verdict, answer: Answer | None = None, *, repeatable: bool = True) -> bool:
        """Wait until the call may be tried again; True where it needs a new token. Raises what ends the call."""
        self._made += 1
        if isinstance(verdict, Refresh) and not self._refreshed:
            self._refreshed = True
            return True
        if isinstance(verdict, Retry | Limited):
            if isinstance(verdict, Retry) and not repeatable:
                raise ApiUncertain(
                    self._sentence(f"{verdict.reason}; nobody knows whether it was carried out"), "run the same again"
                )
            self._wait(verdict)
            return False
        raise self.refusal(verdict, answer)

    def refusal(self, verdict: Verdict, answer: Answer | None = None) -> ApiRefused:
        reason = self._hide(getattr(verdict, "reason", ""))
        hint = verdict.hint if isinstance(verdict, Refused) else ""
        return ApiRefused(self._sentence(reason), hint, reason=reason, answer=answer)

    def _wait(self, verdict: Retry | Limited) -> None:
        limited = isinstance(verdict, Limited)
        pause = verdict.after
        if pause is None:
            pause = LIMIT_S * 2**self._limits if limited else BACKOFF_S * 2 ** (self._made - 1)
        self._limits += limited
        pause = max(pause, BACKOFF_S)
        if self._made >= self._manners.tries or self._waited + pause > self._manners.patience:
            at = (self._effects.clock() + timedelta(seconds=min(pause, 10**8))).isoformat(timespec="seconds")
            raise ApiUnavailable(
                self._sentence(f"{verdict.reason}; gave up after {self._made} tries"),
                f"try again after {at}",
                retry_at=at,
                rate_limited=limited,
            )
        self._waited += pause
        rest(pause, self._effects)

    def _sentence(self, reason: str) -> str:
        return self._hide(f"{self._what}: {reason}")


def rest(seconds: float, effects: Effects) -> None:
    """Sleep, in slices; Interrupted where a signal asked the run to end."""
    left = seconds
    while left > 0:
        check(effects)
        effects.sleep(min(left, SLICE_S))
        left -= SLICE_S
    check(effects)


def check(effects: Effects) -> None:
    """Interrupted where a signal asked the run to end."""
    if effects.stopping():
        raise Interrupted("interrupted while waiting for an API; the call was not finished", "run the same again")
