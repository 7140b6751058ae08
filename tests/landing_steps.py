"""What the tests of the store do over and over: write a tree, commit it, move the branch."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from git_okf.store.repo import RefUpdate, Repo

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
OURS = "sync: +1 -0 =0 (docs)\n\nOkf-Source: docs\n"


def land(repo: Repo, changes: Mapping[str, bytes | None], message: str = OURS) -> tuple[str | None, str]:
    """A commit of ours on the current branch, without the work tree; the trees before and after."""
    head = repo.head()
    old = repo.commit_tree(head.commit) if head.commit else None
    new = repo.edit(old, changes)
    commit = repo.commit(new, [head.commit] if head.commit else [], message, WHEN)
    repo.update([RefUpdate(head.ref, head.commit, commit, "okf: test")], head=head.ref)
    return old, new
