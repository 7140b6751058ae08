"""Answers remembered between the pages that a process reads: the pages of a site say the same things over and over."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

LONGEST = 400
"""Characters: no page can make what is remembered large by what it says at length."""


def remembered(size: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Like `lru_cache`, for a pure function whose last argument is a text; a long one is answered anew each time."""

    def of(ask: Callable[..., T]) -> Callable[..., T]:
        known = lru_cache(maxsize=size)(ask)

        @wraps(ask)
        def answer(*said: str) -> T:
            return known(*said) if len(said[-1]) <= LONGEST else ask(*said)

        return answer

    return of
