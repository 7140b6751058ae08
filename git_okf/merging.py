"""Edits made by hand and a change at the source, merged three ways: against the file as it was last synced.

The whole files are merged, front matter and all: a tag somebody added stays, and the hash is that of the source's text,
so that the concept goes on counting as edited.
"""

from __future__ import annotations

from dataclasses import replace

from git_okf import changes, digest
from git_okf.baseline import Baseline
from git_okf.bundle import concept
from git_okf.model import Change
from git_okf.run import Run
from git_okf.source import Spool
from git_okf.store.merge import merge_files
from git_okf.store.repo import Missing, Repo


def merge(run: Run, base: Baseline, spool: Spool, change: Change) -> Change | None:
    """The change with the merged file. None where both sides changed the same lines, or what was last synced cannot be
    had in this clone."""
    path = f"{run.source.bundle}/{change.path}"
    entry = run.repo.entry(base.tree, path)
    try:
        synced = _last_synced(run.repo, base.head.commit, path, change.old.content_hash) if change.old else None
    except Missing:
        synced = None
    if entry is None or synced is None:
        return None
    theirs = changes.concept_file(change, run.source, spool.get, run.when)
    merged = merge_files(run.repo, run.repo.read(entry[1]), synced, theirs)
    wanted = change.new.content_hash
    if merged is None or _said(merged) != wanted:
        return None
    return replace(change, merged=merged, edited=not _holds(merged, wanted))


def _last_synced(repo: Repo, commit: str | None, path: str, content_hash: str) -> bytes | None:
    """The file as the source had it, from the history of a commit.

    Where the run that synced it merged it, that file was never committed: it is the merged one without the edits that
    went into it, and the hash proves it.
    """
    first: bytes | None = None
    for found in repo.log(commit, path):
        entry = repo.entry(found.tree, path)
        data = repo.read(entry[1]) if entry else b""
        if _said(data) != content_hash:
            return _without_edits(repo, first, data, found.id, path, content_hash) if first else None
        if _holds(data, content_hash):
            return data
        first = data
    return None


def _without_edits(repo: Repo, merged: bytes, before: bytes, commit: str, path: str, content_hash: str) -> bytes | None:
    synced_before = _last_synced(repo, commit, path, _said(before))
    if synced_before is None:
        return None
    found = merge_files(repo, merged, before, synced_before)
    return found if found is not None and _holds(found, content_hash) else None


def _said(data: bytes) -> str:
    """The hash in a concept's front matter: of the text it was made of; "" where it is no concept of ours."""
    try:
        return concept.header(data).content_hash
    except concept.NotAConcept:
        return ""


def _holds(data: bytes, content_hash: str) -> bool:
    return digest.content_hash(concept.body(data)) == content_hash
