"""Real sites with real histories, where there are any: `OKF_CORPUS` names a directory of `NAME.tar.xz` or `NAME/vNN/`.

They are the publishers' own pages and not ours to ship, so these tests are collected only where the variable is set;
everything they prove is proved on small sites of our own too.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

CORPUS = os.environ.get("OKF_CORPUS", "")
collect_ignore_glob = [] if CORPUS else ["test_*.py"]

Unpack = Callable[..., Path]


@pytest.fixture(scope="session")
def unpack(tmp_path_factory: pytest.TempPathFactory) -> Unpack:
    """`unpack("drf", "v01", "v02")`: the directory that holds these versions of a site."""

    def made(name: str, *versions: str) -> Path:
        ready = Path(CORPUS) / name
        if ready.is_dir():
            return ready
        target = tmp_path_factory.mktemp("corpus")
        members = [f"{name}/{version}" for version in versions]
        # GNU tar restores hard links whose other end is in a version left out only if that one is unpacked too.
        subprocess.run(["tar", "-xJf", f"{ready}.tar.xz", "-C", str(target)], check=True)
        assert all((target / member).is_dir() for member in members)
        return target / name

    return made
