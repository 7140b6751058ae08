"""A checkout that a run owes: noted right before its branch moves, struck out when files and index have followed.

In scratch, `checkout/<work tree>.json`. Should the run die in between, the note tells the next one apart from a person
who brought old versions back on purpose. Without it (scratch was lost) the files count as that person's.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from git_okf.store.scratch import read_file, replace_file, unwritable


@dataclass(frozen=True, slots=True)
class Owed:
    """Files and index are those of the commit `old` (None: of no commit), HEAD is at `new`."""

    old: str | None
    new: str


def begin(scratch: Path, git_dir: Path, owed: Owed) -> None:
    """Note a checkout, before HEAD moves."""
    replace_file(_file(scratch, git_dir), json.dumps([owed.old, owed.new]).encode())


def read(scratch: Path, git_dir: Path) -> Owed | None:
    """The checkout that is owed in a work tree."""
    try:
        old, new = json.loads(read_file(_file(scratch, git_dir)) or b"[]")
    except (ValueError, TypeError):
        return None
    return Owed(old, new) if isinstance(new, str) and isinstance(old, str | None) else None


def end(scratch: Path, git_dir: Path) -> None:
    """Strike it out."""
    file = _file(scratch, git_dir)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(file, error) from error


def _file(scratch: Path, git_dir: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.relpath(git_dir, scratch.parent))).hexdigest()[:16]
    return scratch / "checkout" / f"{name}.json"
