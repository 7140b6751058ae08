"""What the state remembers of publications: `.published/<source>.json` on the state branch.

The bucket's own manifest decides what is published. This is memory: it tells other clones where a source went, and
notices when a bucket has lost its manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from git_okf.store import memo
from git_okf.store.repo import Repo

FOLDER = ".published"


def read(repo: Repo, source: str) -> Mapping[str, Any]:
    """`commit` and `url` of the last publication that is remembered; empty where none is."""
    return memo.read(repo, _file(source))


def note(repo: Repo, source: str, commit: str, url: str, when: datetime) -> None:
    """Remember a publication. Where that is remembered already nothing is written."""
    why = f"published {commit[:7]} ({source})"
    memo.note(repo, _file(source), {"commit": commit, "url": url}, why, when)


def _file(source: str) -> str:
    return f"{FOLDER}/{source}.json"
