"""Edits made by hand and a change at the source, merged three ways: against the file as it was last synced.

The whole files are merged, front matter and all: a tag somebody added stays, and the hash is that of the source's text,
so that the concept goes on counting as edited.
"""

from __future__ import annotations

from dataclasses import replace

from git_okf import changes, digest
from git_okf.baseline import Baseline
from git_okf.bundle import concept
from git_okf.model import Change, File
from git_okf.run import Run
from git_okf.source import Spool
from git_okf.store.merge import merge_files
from git_okf.store.repo import Missing, Repo


def merge(run: Run, base: Baseline, spool: Spool, change: Change) -> Change | None:
    """The change with the merged files. None where both sides changed the same lines, or what was last synced cannot be
    had in this clone."""
    files = _files(run, base, spool, change)
    if files is None:
        return None
    change = replace(change, merged_files=files)
    return _concept(run, base, spool, change) if change.old and change.old.edited else change


def _concept(run: Run, base: Baseline, spool: Spool, change: Change) -> Change | None:
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


def _files(run: Run, base: Baseline, spool: Spool, change: Change) -> dict[str, bytes | None] | None:
    """What becomes of the item's files that were edited or deleted by hand; None where one is in conflict."""
    merged: dict[str, bytes | None] = {}
    new = {file.path: file for file in change.new.files}
    for old in change.old.files if change.old else ():
        entry = run.repo.entry(base.tree, f"{run.source.files}/{old.path}")
        here, there = entry[1] if entry else None, new.get(old.path)
        if here == old.blob or here == (there.blob if there else None):
            continue
        mine = run.repo.read(here) if here else None
        if there is not None and there.blob == old.blob:
            merged[old.path] = mine
        elif mine is None or there is None:
            return None
        else:
            text = _merged_file(run.repo, spool, mine, old, there)
            if text is None:
                return None
            merged[old.path] = text
    return merged


def _merged_file(repo: Repo, spool: Spool, mine: bytes, old: File, new: File) -> bytes | None:
    try:
        return merge_files(repo, mine, repo.read(old.blob), spool.file(new.blob))
    except Missing:
        return None


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
