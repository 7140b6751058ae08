"""Several runs of one source at once: no work is lost, nothing is committed twice, and who comes second says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROUNDS = 50


def race(folder: Path, kind: str, racers: int) -> dict[str, Any]:
    words = [sys.executable, str(HERE / "racing.py"), kind, str(racers), str(ROUNDS), str(folder)]
    environ = {**os.environ, "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE.parent}"}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert {code for codes in told["codes"] for code in codes} <= {0, 5}, done.stderr
    assert all(0 in codes for codes in told["codes"]), told["codes"]
    assert told["codes"][-1] == [0]
    return told


def assert_nothing_lost_or_doubled(told: dict[str, Any]) -> None:
    ours = [subject for subject in told["subjects"] if subject.startswith("sync: ")]
    assert ours == ["sync: +0 -0 =1 (docs)"] * (ROUNDS - 1) + ["sync: +4 -0 =0 (docs)"]
    assert told["pages"] == ["48.", "49.", "50.", "47."]
    assert set(told["commits"]) <= set(told["noted"])
    assert len(told["states"]) == len(told["heads"]) == 1
    assert (told["status"], told["broken"]) == ("", "")


@pytest.mark.parametrize("racers", [2, 8])
def test_state_06_processes_that_sync_one_source_at_once(tmp_path: Path, racers: int) -> None:
    told = race(tmp_path, "one", racers)
    assert_nothing_lost_or_doubled(told)
    assert len(told["subjects"]) == ROUNDS + 1
    assert any(5 in codes for codes in told["codes"])


def test_state_02_two_clones_and_a_person_that_push_to_one_remote_at_once(tmp_path: Path) -> None:
    told = race(tmp_path, "clones", 2)
    assert_nothing_lost_or_doubled(told)
    persons = [subject for subject in told["subjects"] if subject.startswith("person ")]
    assert sorted(persons) == sorted(f"person {version}" for version in range(1, ROUNDS + 1))
    assert len(told["subjects"]) == 2 * ROUNDS + 1
