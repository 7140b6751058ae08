"""SIGINT and SIGTERM: the first asks the run to end cleanly, the second ends the process at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType


def watch() -> Callable[[], bool]:
    """Catch both signals from now on; the answer says whether one came. Call it from the main thread."""
    came: list[int] = []

    def catch(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, catch)
    return lambda: bool(came)
