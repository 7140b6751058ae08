"""Which process it was: told so that another process can know whether it still runs."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that holds something. `place` tells machines and containers apart, `started` processes with one pid."""

    host: str
    place: str
    pid: int
    started: str
    run_url: str = ""

    def __str__(self) -> str:
        return self.run_url or f"process {self.pid} on {self.host}"


def this_process(environ: Mapping[str, str]) -> Holder:
    """This very process, as another one will find it described."""
    pid = os.getpid()
    return Holder(host=socket.gethostname(), place=_place(), pid=pid, started=_started(pid), run_url=_run_url(environ))


def is_dead(holder: Holder) -> bool:
    """Whether the holder certainly no longer runs: only a process of this machine can be known to be dead."""
    if holder.place != _place():
        return False
    started = _started(holder.pid)
    if started or holder.started:
        return started != holder.started
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _place() -> str:
    """This machine since it was started, and on it this container: where a pid means something."""
    return "/".join((socket.gethostname(), _boot_id(), _pid_namespace()))


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # no Linux: host name and pid have to do
        return ""


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process was started, in the kernel's ticks; "" where there is none, or no /proc to ask."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def _run_url(environ: Mapping[str, str]) -> str:
    """The page of the CI run, as GitHub and Gitea, GitLab, or Jenkins tell it."""
    if environ.get("GITHUB_RUN_ID"):
        host, name = environ.get("GITHUB_SERVER_URL", "https://github.com"), environ.get("GITHUB_REPOSITORY", "")
        return f"{host}/{name}/actions/runs/{environ['GITHUB_RUN_ID']}"
    return environ.get("CI_JOB_URL") or environ.get("BUILD_URL") or ""
