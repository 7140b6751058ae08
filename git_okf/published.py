"""What the state remembers of publications: `.published/<source>.json` on the state branch.

The bucket's own manifest decides what is published. This is memory: it tells other clones where a source went, and
notices when a bucket has lost its manifest. No source has a name that begins with a dot, so the folder is nobody's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from git_okf.store import state as states
from git_okf.store.repo import RefMoved, RefUpdate, Repo

FOLDER = ".published"
ATTEMPTS = 5


def read(repo: Repo, source: str) -> Mapping[str, Any]:
    """`commit` and `url` of the last publication that is remembered; empty where none is."""
    commit = repo.ref(states.REF)
    entry = repo.entry(repo.commit_tree(commit), _file(source)) if commit else None
    try:
        facts = json.loads(repo.read(entry[1])) if entry else {}
    except ValueError:  # written by hand or by a fault: as if nothing were remembered
        return {}
    return facts if isinstance(facts, dict) else {}


def note(repo: Repo, source: str, commit: str, url: str, when: datetime) -> None:
    """Remember a publication. Where that is remembered already nothing is written."""
    facts = {"commit": commit, "url": url}
    for attempt in range(ATTEMPTS):
        if read(repo, source) == facts:
            return
        before = repo.ref(states.REF)
        tree = repo.commit_tree(before) if before else None
        _check_format(repo, tree)
        files = {_file(source): (json.dumps(facts, sort_keys=True, indent=1) + "\n").encode()}
        if tree is None:
            files["format"] = b"%d\n" % states.FORMAT
        why = f"published {commit[:7]} ({source})"
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


def _file(source: str) -> str:
    return f"{FOLDER}/{source}.json"
