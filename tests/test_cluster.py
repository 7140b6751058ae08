"""Extraction on a real Dask cluster on loopback: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import GitRepo
from scenario import Docs

from git_okf import cluster
from git_okf.cluster import ClusterError, DaskExecutor
from git_okf.errors import UsageError
from git_okf.workers import LazyPool, pool_of

PAGES = [f"page{number}" for number in range(60)]


@dataclass
class Cluster:
    """What runs, and where."""

    address: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
    environ = {**os.environ, "PYTHONWARNINGS": "ignore"}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=environ)


def awaited(log: Path, pattern: str, number: int = 1) -> list[str]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = re.findall(pattern, log.read_text(errors="replace") if log.exists() else "")
        if len(found) >= number:
            return [str(each) for each in found]
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


@pytest.fixture
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("dask")
    scheduler = start(
        folder, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"
    )
    made = Cluster()
    try:
        (where,) = awaited(folder / "log", r"Scheduler at:\s+tcp://(127\.0\.0\.1:\d+)")
        made.address = f"dask://{where}"
        options = (
            "--host",
            "127.0.0.1",
            "--no-dashboard",
            "--nthreads",
            "1",
            "--no-nanny",
            "--local-directory",
            str(folder),
        )
        made.workers = [start(folder, "dask_worker", f"tcp://{where}", *options) for _ in range(2)]
        awaited(folder / "log", r"Registered to:\s+tcp://", 2)
        yield made
    finally:
        for process in (*made.workers, scheduler):
            process.kill()
            process.wait()


SLOWLY = "(__import__('time').sleep(0.2), {})[1]"


def test_calls_of_a_worker_that_dies_are_done_by_the_other(running: Cluster) -> None:
    executor = DaskExecutor(running.address)
    futures = [executor.submit(eval, SLOWLY.format(number)) for number in range(20)]
    wait(futures[:2])
    running.workers[0].send_signal(signal.SIGKILL)
    assert [future.result(timeout=60) for future in futures] == list(range(20))
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result(timeout=60)
    executor.shutdown()


def test_a_bundle_made_on_a_cluster_that_loses_a_worker_is_the_bundle_made_here(docs: Docs, running: Cluster) -> None:
    docs.put(*PAGES)
    docs.ok("add", docs.url, "-o", "docs")
    docs.repo.git("add", ".okf.yaml")
    docs.repo.git("commit", "-qm", "configure")
    docs.site.when_asked("/docs/page40", lambda: running.workers[0].send_signal(signal.SIGKILL))
    docs.ok("sync", "--workers", running.address)
    there = bodies(docs.repo)
    docs.repo.git("rm", "-rq", "docs")
    docs.repo.git("commit", "-qm", "again")
    docs.repo.git("branch", "-D", "okf/state")
    docs.ok("sync", "--workers", "1")
    assert bodies(docs.repo) == there and len(there) > len(PAGES)


def bodies(repo: GitRepo) -> dict[str, str]:
    """Every concept without its times."""
    found = sorted((repo.path / "docs/pages").rglob("*.md"))
    return {p.name: re.sub(r'(at|crawled_at): "[^"]*"', "", p.read_text()) for p in found}


@pytest.mark.parametrize("said", ["0", "-1", "many", "http://127.0.0.1:1", "dask://nowhere", "dask://h:99999999"])
def test_what_is_no_number_and_no_address_is_refused(said: str) -> None:
    with pytest.raises(UsageError):
        pool_of(said)()


def test_a_scheduler_that_does_not_answer_is_said(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", "1s")
    with pytest.raises(ClusterError, match="no Dask scheduler answers there"):
        DaskExecutor("dask://127.0.0.1:9")


def test_a_number_is_so_many_processes() -> None:
    assert isinstance(pool_of("3")(), LazyPool)


def test_other_versions_on_a_worker_are_refused() -> None:
    wanted = tuple((name, "0" if name == "lxml" else version) for name, version in cluster.versions())
    with pytest.raises(ClusterError, match=r"lxml .* \(here 0\)"):
        cluster.checked(wanted, len, "")
    assert cluster.checked(cluster.versions(), len, "abc") == 3
