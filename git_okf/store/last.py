"""How the last run of a source ended here: in scratch, so that a quiet run leaves no trace in the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from git_okf.store.scratch import read_file, replace_file


def read(scratch: Path, source: str) -> Mapping[str, Any]:
    """What was written last; empty where nothing was, or nothing that can be read."""
    data = read_file(_file(scratch, source))
    try:
        facts = json.loads(data) if data else {}
    except ValueError:  # cut short by a crash: as if it had never been written
        return {}
    return facts if isinstance(facts, dict) else {}


def write(scratch: Path, source: str, facts: Mapping[str, Any]) -> None:
    """Replace what was written."""
    replace_file(_file(scratch, source), (json.dumps(dict(facts), sort_keys=True) + "\n").encode())


def _file(scratch: Path, source: str) -> Path:
    return scratch / "last" / f"{source}.json"
