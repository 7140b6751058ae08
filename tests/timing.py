"""What work costs, measured by other work at the same time: a machine's seconds say more about the machine."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from math import inf

LEAST_S = 0.01
"""Of CPU: what takes less is not told apart from nothing."""
STARTING = (sys.executable, "-P", "-c", "import argparse, json, pathlib, subprocess, yaml")
"""A small program of Python's, without its work."""


def in_starts(work: Callable[[], object], turns: int = 5) -> float:
    """How many starts of a small program the CPU of the commands in `work` is worth: the best of each, in turns."""
    least = unit = inf
    for _ in range(turns):
        unit = min(unit, _of_commands(lambda: subprocess.run(STARTING, check=True)))
        least = min(least, _of_commands(work))
    return least / unit


def growth(small: Callable[[], object], large: Callable[[], object], turns: int = 3) -> float:
    """How many times the CPU of `small` this process spends on `large`: the best of each, in turns."""
    best = [inf, inf]
    for _ in range(turns):
        best = [min(before, _of_here(work)) for before, work in zip(best, (small, large), strict=True)]
    return best[1] / max(best[0], LEAST_S)


def _of_here(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def _of_commands(work: Callable[[], object]) -> float:
    """Seconds of CPU of everything that was started and has ended."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = spent()
    work()
    return spent() - before
