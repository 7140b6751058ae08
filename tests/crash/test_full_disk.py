"""A file system with no space left, wherever and whenever: said in a sentence, nothing half-written, made good later.

The file systems are real (`tmpfs` of four megabytes), in a mount namespace, which root has, and others where the kernel
lets users have namespaces. Where it does not these tests fail and say so: a full disk cannot be pretended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scenario import Docs

HERE = Path(__file__).parent
NAMESPACE = ("unshare", "--map-root-user", "--mount")


def in_namespace(*words: str) -> Any:
    allowed = subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
    assert allowed.returncode == 0, (
        f"no file system can be mounted here, so none can be full: {allowed.stderr.decode()}. Run these tests as root,"
        " outside of a container without the right to (`docker run --privileged`, or `--cap-add SYS_ADMIN`)"
    )
    environ = {**os.environ, "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE.parent}"}
    script = [*NAMESPACE, sys.executable, str(HERE / "full_disk.py"), *words]
    done = subprocess.run(script, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def said_so(said: str) -> bool:
    """git does not always say why it could not write."""
    return "o space left on device" in said or ("unable to write" in said and "the disk is not full" in said)


@pytest.mark.parametrize(
    ("place", "every"), [("repository", 8), ("objects", 17), ("scratch", 17), ("bundle", 23), ("temporary", 23)]
)
def test_a_file_system_that_is_full_from_a_step_on_ends_the_run_with_a_sentence(
    tmp_path: Path, place: str, every: int
) -> None:
    tries = in_namespace("steps", str(tmp_path), "update" if place != "temporary" else "push", place, str(every))
    assert len(tries) >= 5
    for found in tries:
        assert found["code"] in (0, 128), found
        assert bool(found["said"]) is (found["code"] == 128), found
        assert not found["said"] or said_so(found["said"]), found
        assert found["broken"] == ""
        assert found["same"], found["differs"]
    assert place == "bundle" or 128 in {found["code"] for found in tries}


def test_the_program_on_a_full_disk_says_so_and_completes_it_when_there_is_space(docs: Docs, tmp_path: Path) -> None:
    docs.build("a", "b", "c")
    docs.put("a", version=2)
    docs.put("d")
    docs.drop("b")
    tries = in_namespace("levels", str(tmp_path), str(docs.repo.path))
    for found in tries:
        assert found["code"] in (0, 128), found
        assert "Traceback" not in found["said"] and found["broken"] == ""
        if found["code"]:
            assert said_so(found["said"]), found
        assert (found["again"], found["status"]) == (0, ""), found
    assert (tries[0]["code"], tries[-1]["code"]) == (128, 0)
    assert len({found["listed"] for found in tries}) == 1
