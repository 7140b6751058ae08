"""Which of two commits is the newer one, for publishers that may not undo each other.

By ancestry. Where it decides nothing (a rewritten history, two branches, a commit that is not in this clone) by the
time of the commits: a rewritten commit is made later than the one it replaces, and a stale clone has an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable

from git_okf.publish.manifest import Revision
from git_okf.store.repo import Repo


def is_older(repo: Repo, ours: Revision, other: Revision) -> bool:
    """Whether `ours`, which is in this clone, is older than `other`. Of two unknown to each other, the same second
    makes ours the older one: what is published stays."""
    if ours.commit == other.commit:
        return False
    if not repo.has(other.commit):
        return ours.made <= other.made
    if repo.is_ancestor(ours.commit, other.commit):
        return True
    return not repo.is_ancestor(other.commit, ours.commit) and ours.made < other.made


def touched_since(repo: Repo, ours: Revision, other: Revision, places: Iterable[str]) -> bool:
    """Whether a commit after `other`, up to `ours`, changed something in these directories, if only to undo it."""
    if ours.commit == other.commit:
        return False
    if not repo.has(other.commit):
        return True
    newest = (next(repo.log(ours.commit, place), None) for place in places)
    return any(commit and not repo.is_ancestor(commit.id, other.commit) for commit in newest)
