"""Killed at every step that changes something on disk, and the next run makes it what it would have been.

The step is any: a file opened for writing, renamed or removed, an object written, a ref locked, set or renamed, git
started, at work or ended (and git itself running on, or dying too). Tree, notes, state and remote are compared with
those of a run that nobody killed; `killing` has the scenarios.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PARTS = {"build": 1, "update": 1, "removal": 1, "push": 3, "follow": 2, "branch": 1, "review": 2}
AT_LEAST = {"build": 100, "update": 100, "removal": 100, "push": 200, "follow": 200, "branch": 80, "review": 150}
"""Steps to be killed at. They change with the code; should they become few, something is no longer counted."""
HALF = ("follow", "review")
"""Of these every second step: most are those of any push."""
TRIED = [(name, part) for name, parts in PARTS.items() for part in range(parts) if name not in HALF or part == 0]
TIME = "2026-03-04T12:00:00Z"


@pytest.mark.parametrize(("name", "part"), TRIED)
def test_state_05_killed_at_every_step_the_next_run_comes_to_the_same(tmp_path: Path, name: str, part: int) -> None:
    parts = PARTS[name]
    environ = {
        **os.environ,
        "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE.parent}",
        "GIT_AUTHOR_DATE": TIME,
        "GIT_COMMITTER_DATE": TIME,
    }
    words = [sys.executable, str(HERE / "killing.py"), name, str(part), str(parts), str(tmp_path)]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["wrong"] == [], done.stderr
    assert told["steps"] >= AT_LEAST[name] and told["tried"] >= told["steps"] // parts
