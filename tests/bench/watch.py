"""Runs a command and says what it cost, as JSON on standard output: `watch.py LOG CORES BESIDE COMMAND...`.

A process of its own, because the costs of a tree can be had only by whoever waits for all of it: a fork server is
waited for by nobody, so this process adopts orphans. LOG takes what the command prints, CORES is the number of cores
it may use, BESIDE the ids of processes (`1,2`) whose CPU is not somebody else's. Linux only; standard library only.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
INTERVAL = 0.1
"""Seconds between two looks at the memory."""
LINGER = 15.0
"""Seconds that what the command left behind may still run."""
TICKS = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> Iterator[int]:
    for task in (Path(f"/proc/{pid}/task")).iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            with suppress(OSError):
                yield from descendants(int(child))


def proportional(pid: int) -> int:
    """Memory of a process in kB, pages that it shares divided by how many share them."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


class Peak(threading.Thread):
    """Looks at the memory of this process's descendants until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(INTERVAL):
            now = 0
            for pid in list(descendants(os.getpid())):
                with suppress(OSError):  # it has ended meanwhile
                    now += proportional(pid)
            self.most = max(self.most, now)


def busy() -> float:
    """Seconds that the cores of this machine have worked, all together."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / TICKS


def used_by(pids: list[int]) -> float:
    seconds = 0.0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            seconds += (int(fields[11]) + int(fields[12])) / TICKS
    return seconds


def wait_for(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """The exit code of the command and when it ended, once all its descendants have ended too."""
    code, ended = 0, 0.0
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return code, ended
        if pid == process.pid:
            code, ended = os.waitstatus_to_exitcode(status), time.perf_counter()
            signal.alarm(int(LINGER))


def end_the_rest(_signal: int, _frame: object) -> None:
    for pid in list(descendants(os.getpid())):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def main() -> None:
    log, cores, beside, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGALRM, end_the_rest)
    mine = sorted(os.sched_getaffinity(0))[-int(cores) :]
    servers = [int(pid) for pid in beside.split(",") if pid]
    peak = Peak()
    before, served = busy(), used_by(servers)
    started = time.perf_counter()
    with Path(log).open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=lambda: os.sched_setaffinity(0, mine)
        )
        peak.start()
        code, ended = wait_for(process)
    whole = time.perf_counter() - started
    peak.ended.set()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    others = busy() - before - cpu - (used_by(servers) - served)
    said = {
        "code": code,
        "cpu": cpu,
        "wall": ended - started,
        "memory": max(used.ru_maxrss, peak.most) / 1000,
        "others": max(0.0, others / (whole * (os.cpu_count() or 1))),
    }
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
