"""Files that cannot grow, a read-only git directory, a run stopped too long: said clearly, and nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def told(folder: Path, kind: str) -> Any:
    environ = {**os.environ, "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE.parent}"}
    words = [sys.executable, str(HERE / "failing.py"), kind, str(folder)]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("scenario", ["update", "push"])
def test_files_that_can_grow_no_further_from_a_step_on_end_the_run_with_a_sentence(
    tmp_path: Path, scenario: str
) -> None:
    """As with a quota (RLIMIT_FSIZE); `test_full_disk` has disks that are full."""
    tries = told(tmp_path, scenario)
    assert len(tries) >= 20
    for found in tries:
        assert found["code"] in (0, 128), found
        assert bool(found["said"]) is (found["code"] == 128)
        assert "Traceback" not in found["said"]
        assert found["broken"] == ""
        assert found["same"], found["differs"]
    assert {found["moved"] for found in tries} == {True, False}


def test_a_git_directory_that_becomes_read_only_changes_nothing_and_is_said(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "read-only")
    assert found["code"] == 128
    assert "ermission denied" in found["said"] and "writable" in found["said"]
    assert (found["moved"], found["broken"], found["same"]) == (False, "", True)


def test_state_06_a_run_that_was_stopped_past_its_lease_asks_nothing_more_and_writes_nothing(tmp_path: Path) -> None:
    found = told(tmp_path, "stopped")
    assert found["code"] == 5
    assert "taken over" in found["said"]
    assert found["asked"][-1] == "https://docs.example.org/b"
    assert found["untouched"]
