"""The lease: one holder, never two; a dead or expired one is taken over; one taken over writes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from git_okf.errors import GitRefused, LeaseBusy
from git_okf.store import lease as leases
from git_okf.store.lease import Lease, LeaseLost

START = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
ROOT = Path(leases.__file__).parents[2]


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)


def take(scratch: Path, clock: Clock, **environ: str) -> Lease:
    return Lease.acquire(scratch, "docs", clock=clock, environ=environ, renewing=False)


def content(scratch: Path) -> dict[str, object]:
    found = json.loads((scratch / "lease" / "docs.json").read_bytes())
    assert isinstance(found, dict)
    return found


def test_a_second_run_is_told_who_holds_it_and_since_when(tmp_path: Path) -> None:
    clock = Clock()
    with take(tmp_path, clock) as held:
        clock.pass_by(seconds=30)
        with pytest.raises(LeaseBusy) as caught:
            take(tmp_path, clock)
        assert caught.value.exit_code == 5
        assert f"process {os.getpid()} on " in caught.value.message
        assert "since 2026-03-04T12:00:00Z" in caught.value.message
        assert "2026-03-04T12:02:00Z" in caught.value.hint
        assert held.generation == 1
        assert Lease.acquire(tmp_path, "other", clock=clock, environ={}, renewing=False).generation == 1


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        (
            {"GITHUB_RUN_ID": "7", "GITHUB_REPOSITORY": "a/b", "GITHUB_SERVER_URL": "https://git.example"},
            "https://git.example/a/b/actions/runs/7",
        ),
        ({"CI_JOB_URL": "https://gitlab.example/a/-/jobs/3"}, "https://gitlab.example/a/-/jobs/3"),
    ],
)
def test_the_holder_is_named_by_its_ci_run(tmp_path: Path, environ: dict[str, str], url: str) -> None:
    clock = Clock()
    with take(tmp_path, clock, **environ), pytest.raises(LeaseBusy, match=url):
        take(tmp_path, clock)


def test_the_generation_only_grows(tmp_path: Path) -> None:
    clock = Clock()
    seen = []
    for _ in range(3):
        with take(tmp_path, clock) as held:
            seen.append(held.generation)
    assert seen == [1, 2, 3]
    assert leases.holder(tmp_path, "docs", clock) is None


def test_it_is_released_when_the_run_fails(tmp_path: Path) -> None:
    clock = Clock()
    with pytest.raises(ZeroDivisionError), take(tmp_path, clock):
        raise ZeroDivisionError
    assert take(tmp_path, clock).generation == 2


def test_state_06_an_expired_lease_is_taken_over_and_its_holder_cannot_write(tmp_path: Path) -> None:
    clock = Clock()
    first = take(tmp_path, clock)
    clock.pass_by(minutes=1, seconds=59)
    with pytest.raises(LeaseBusy):
        take(tmp_path, clock)
    clock.pass_by(seconds=1)
    second = take(tmp_path, clock)
    assert second.generation == 2
    with pytest.raises(LeaseLost) as caught:
        first.check()
    assert caught.value.exit_code == 5
    assert "taken over" in caught.value.message
    first.release()
    second.check()
    second.release()
    with pytest.raises(LeaseLost):
        second.check()


def test_state_06_a_long_run_that_renews_keeps_its_lease(tmp_path: Path) -> None:
    clock = Clock()
    held = take(tmp_path, clock)
    for _ in range(10):
        clock.pass_by(seconds=90)
        held.check()
        with pytest.raises(LeaseBusy):
            take(tmp_path, clock)
    assert content(tmp_path)["generation"] == 1


def test_expired_but_not_taken_over_it_is_still_ours(tmp_path: Path) -> None:
    clock = Clock()
    held = take(tmp_path, clock)
    clock.pass_by(hours=1)
    held.check()
    with pytest.raises(LeaseBusy):
        take(tmp_path, clock)


def test_it_is_renewed_in_the_background(tmp_path: Path) -> None:
    lifetime = timedelta(seconds=0.6)

    def now() -> datetime:
        return datetime.now(UTC)

    with Lease.acquire(tmp_path, "docs", clock=now, environ={}, lifetime=lifetime):
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            with pytest.raises(LeaseBusy):
                Lease.acquire(tmp_path, "docs", clock=now, environ={}, lifetime=lifetime, renewing=False)
            time.sleep(0.1)
    assert leases.holder(tmp_path, "docs", now) is None


def test_a_removed_lease_file_is_a_lost_lease(tmp_path: Path) -> None:
    held = take(tmp_path, Clock())
    (tmp_path / "lease" / "docs.json").unlink()
    with pytest.raises(LeaseLost):
        held.check()
    held.release()
    assert not (tmp_path / "lease" / "docs.json").exists()


@pytest.mark.parametrize("data", [b"", b"null", b"{}", b'{"generation": 1', b"\xff"])
def test_a_file_that_is_no_lease_is_nobodys(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "lease").mkdir()
    (tmp_path / "lease" / "docs.json").write_bytes(data)
    assert take(tmp_path, Clock()).generation == 1


HOLD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from git_okf.store.lease import Lease, LeaseLost
now = lambda: datetime(2026, 3, 4, 12, tzinfo=UTC)
lease = Lease.acquire(Path(sys.argv[1]), "docs", clock=now, environ={}, renewing=False)
print("held", flush=True)
sys.stdin.readline()
try:
    lease.check()
    print("writes", flush=True)
except LeaseLost:
    print("stops", flush=True)
"""


def holder_process(scratch: Path) -> subprocess.Popen[str]:
    """A process that takes the lease, waits for a line, checks the lease, and says what it does then."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(scratch)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_state_06_the_lease_of_a_dead_process_of_this_machine_is_free(tmp_path: Path) -> None:
    process = holder_process(tmp_path)
    with pytest.raises(LeaseBusy, match=f"process {process.pid}"):
        take(tmp_path, Clock())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert take(tmp_path, Clock()).generation == 2


def test_state_06_a_reused_pid_is_not_its_holder(tmp_path: Path) -> None:
    held = take(tmp_path, Clock())
    facts = content(tmp_path)
    holder = facts["holder"]
    assert isinstance(holder, dict)
    facts["holder"] = {**holder, "started": str(int(holder["started"]) - 1)}
    (tmp_path / "lease" / "docs.json").write_text(json.dumps(facts))
    assert take(tmp_path, Clock()).generation == held.generation + 1


def test_state_06_a_process_of_another_machine_is_taken_for_alive(tmp_path: Path) -> None:
    take(tmp_path, Clock())
    facts = content(tmp_path)
    holder = facts["holder"]
    assert isinstance(holder, dict)
    facts["holder"] = {**holder, "host": "elsewhere", "place": "elsewhere", "pid": 2**22 + 1}
    (tmp_path / "lease" / "docs.json").write_text(json.dumps(facts))
    with pytest.raises(LeaseBusy, match="on elsewhere"):
        take(tmp_path, Clock())


RACE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from git_okf.errors import LeaseBusy
from git_okf.store.lease import Lease
now = lambda: datetime(2026, 3, 4, 12, tzinfo=UTC)
log = Path(sys.argv[1]) / "log"
for _ in range(25):
    try:
        with Lease.acquire(Path(sys.argv[1]), "docs", clock=now, environ={}, renewing=False) as lease:
            with log.open("a") as file: file.write(f"in {lease.generation}\\n")
            lease.check()
            with log.open("a") as file: file.write(f"out {lease.generation}\\n")
    except LeaseBusy:
        pass
"""


def test_state_06_four_processes_never_hold_it_at_once(tmp_path: Path) -> None:
    crowd = [subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path)], cwd=ROOT) for _ in range(4)]
    assert [process.wait() for process in crowd] == [0, 0, 0, 0]
    lines = (tmp_path / "log").read_text().splitlines()
    generations = [int(line.split()[1]) for line in lines]
    assert lines == [f"{word} {number}" for number in generations[::2] for word in ("in", "out")]
    assert generations[::2] == sorted(set(generations))


def test_state_06_a_stopped_holder_that_wakes_after_a_takeover_writes_nothing(tmp_path: Path) -> None:
    process = holder_process(tmp_path)
    process.send_signal(signal.SIGSTOP)
    later = Clock()
    later.pass_by(minutes=3)
    successor = take(tmp_path, later)
    process.send_signal(signal.SIGCONT)
    assert process.communicate("go on\n")[0] == "stops\n"
    successor.check()
    assert content(tmp_path)["generation"] == 2


def test_a_stopped_holder_that_nobody_took_over_goes_on(tmp_path: Path) -> None:
    process = holder_process(tmp_path)
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGCONT)
    assert process.communicate("go on\n")[0] == "writes\n"


def test_a_scratch_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "lease").write_text("a file")
    with pytest.raises(GitRefused, match="cannot be used"):
        take(tmp_path, Clock())
