"""Small facts on the state branch that belong to no source's items: one JSON file each, in a folder of their own.

No source has a name that begins with a dot, so `.published/docs.json` is nobody's state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from git_okf.store import state as states
from git_okf.store.repo import RefMoved, RefUpdate, Repo

ATTEMPTS = 5


def read(repo: Repo, path: str) -> Mapping[str, Any]:
    """What is remembered at a path; empty where nothing is."""
    commit = repo.ref(states.REF)
    entry = repo.entry(repo.commit_tree(commit), path) if commit else None
    try:
        facts = json.loads(repo.read(entry[1])) if entry else {}
    except ValueError:  # written by hand or by a fault: as if nothing were remembered
        return {}
    return facts if isinstance(facts, dict) else {}


def note(repo: Repo, path: str, facts: Mapping[str, Any], why: str, when: datetime) -> None:
    """Remember something. Where that is remembered already nothing is written; FormatTooNew as for any state."""
    for attempt in range(ATTEMPTS):
        if read(repo, path) == facts:
            return
        before = repo.ref(states.REF)
        tree = repo.commit_tree(before) if before else None
        _check_format(repo, tree)
        files = {path: (json.dumps(dict(facts), sort_keys=True, indent=1) + "\n").encode()}
        if tree is None:
            files["format"] = b"%d\n" % states.FORMAT
        new = repo.commit(repo.edit(tree, files), [before] if before else [], f"state: {why}", when, sign=False)
        try:
            repo.update([RefUpdate(states.REF, before, new, f"okf: {why}")])
            return
        except RefMoved:
            if attempt == ATTEMPTS - 1:
                raise


def _check_format(repo: Repo, tree: str | None) -> None:
    entry = repo.entry(tree, "format")
    text = repo.read(entry[1]).decode("utf-8", "replace").strip() if entry else ""
    if text.isdecimal() and int(text) > states.FORMAT:
        raise states.FormatTooNew(text)
