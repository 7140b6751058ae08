"""What a source's memory says at a glance: how many items there are, or what is known of one of them.

Only where the state describes the very tree at HEAD; then nothing but its own facts, or the lines of one shard, are
read, however many items there are. Where it does not, `baseline` reads again what differs.
"""

from __future__ import annotations

from dataclasses import replace

from git_okf.config import SourceConfig
from git_okf.model import Record
from git_okf.store import state as states
from git_okf.store import trees
from git_okf.store.counts import Counts, count
from git_okf.store.repo import Repo


def counted(repo: Repo, source: SourceConfig) -> tuple[states.State | None, Counts]:
    """The state of a source itself, and how many items of each sort there are at HEAD.

    Whether files beside the concepts were edited only the tree can say: where there are some, all is read.
    """
    state = _described(repo, source)
    if state is not None and state.counts is not None and not state.counts.with_files:
        return state, state.counts
    from git_okf import baseline

    base = baseline.as_it_is(repo, source)
    return base.state, replace(count(base.known.values()), edited=len(base.edited))


def by_key(repo: Repo, source: SourceConfig, key: str) -> Record | None:
    """What is known of the item of a key; None where that cannot be told at a glance."""
    return states.one(repo, source.name, key) if _described(repo, source) is not None else None


def by_path(repo: Repo, source: SourceConfig, path: str) -> Record | None:
    """What is known of the item whose concept is at a path of the bundle; None as above."""
    from git_okf.bundle import concept

    entry = repo.entry(bundle_tree(repo, source), path)
    if entry is None or entry[0] not in (trees.FILE, trees.EXECUTABLE):
        return None
    try:
        header = concept.header(repo.read(entry[1]))
    except concept.NotAConcept:
        return None
    record = by_key(repo, source, header.key or header.resource)
    return record if record is not None and record.path == path else None


def bundle_tree(repo: Repo, source: SourceConfig) -> str | None:
    """The tree of the bundle at HEAD."""
    commit = repo.head().commit
    return repo.subtree(repo.commit_tree(commit), source.bundle) if commit else None


def _described(repo: Repo, source: SourceConfig) -> states.State | None:
    """The state without its items, where it was made for this identity and describes the tree at HEAD."""
    try:
        state = states.facts(repo, source.name)
    except states.StateUnreadable:
        return None
    if state is None or state.differs_from(source.identity()):
        return None
    return state if state.bundle_tree == (bundle_tree(repo, source) or "") else None
