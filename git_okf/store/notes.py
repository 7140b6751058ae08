"""Notes on the sync commits: each run's report, where `git log --notes=okf` and `git notes --ref=okf show` find it.

Written with a two-digit fan-out (`ab/cdef...`), so that a note costs a few kilobytes however many there are. Read with
any fan-out, also a mixed one: git changes its own with the number of notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from git_okf.store import trees
from git_okf.store.repo import Repo

REF = "refs/notes/okf"
DIGITS = 40


def tracking(remote: str) -> str:
    """Where `git fetch` puts a remote's notes in a clone that was set up."""
    return f"refs/notes/remotes/{remote}/okf"


def note(repo: Repo, notes_commit: str | None, target: str, text: str, when: datetime) -> str:
    """A notes commit in which `target` has this note and no other; all others stay. No ref moves."""
    tree = repo.commit_tree(notes_commit) if notes_commit else None
    path = f"{target[:2]}/{target[2:]}"
    stale: dict[str, bytes | None] = {old: None for old, _ in _places(repo, tree, target) if old != path}
    new = repo.edit(tree, {**stale, path: (text.rstrip("\n") + "\n").encode()})
    parents = [notes_commit] if notes_commit else []
    return repo.commit(new, parents, f"Notes added by git-okf for {target[:12]}", when, sign=False)


def read(repo: Repo, target: str, ref: str = REF) -> str | None:
    """The note of a commit; None where it has none."""
    notes_commit = repo.ref(ref)
    tree = repo.commit_tree(notes_commit) if notes_commit else None
    found = [repo.read(oid) for _, oid in _places(repo, tree, target)]
    return b"\n".join(found).decode("utf-8", "replace") if found else None


def read_any(repo: Repo, target: str) -> str | None:
    """The note of a commit, or where there is none here, the one that `git fetch` brought from a remote."""
    fetched = (name for name in repo.refs("refs/notes/remotes/") if name.endswith("/okf"))
    return next((text for ref in (REF, *fetched) if (text := read(repo, target, ref)) is not None), None)


def all_notes(repo: Repo, ref: str = REF) -> Iterator[tuple[str, str]]:
    """Every commit that has a note, with the id of the note's blob, sorted."""
    notes_commit = repo.ref(ref)
    tree = repo.commit_tree(notes_commit) if notes_commit else None
    return iter(sorted(_listed(repo, tree)))


def merge(repo: Repo, ours: str, theirs: str, when: datetime) -> str:
    """A notes commit that holds the notes of both. Where both have one for a commit: the lines of both, each once."""
    if repo.is_ancestor(theirs, ours):
        return ours
    if repo.is_ancestor(ours, theirs):
        return theirs
    tree = repo.commit_tree(ours)
    mine = dict(_listed(repo, tree))
    changes: dict[str, bytes | None] = {}
    for target, oid in _listed(repo, repo.commit_tree(theirs)):
        if mine.get(target) == oid:
            continue
        text = repo.read(oid)
        if target in mine:
            lines = [*repo.read(mine[target]).splitlines(), *text.splitlines()]
            text = b"\n".join(dict.fromkeys(lines)) + b"\n"
        path = f"{target[:2]}/{target[2:]}"
        changes |= {old: None for old, _ in _places(repo, tree, target) if old != path}
        changes[path] = text
    new = repo.edit(tree, changes)
    return repo.commit(new, [ours, theirs], "Notes merged by git-okf", when, sign=False)


def _places(repo: Repo, tree: str | None, target: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Where a commit's note stands, as (path, blob): at most one place, unless writers disagreed about the fan-out."""
    if tree is None or not target:
        return
    entries = trees.parse(repo.tree_data(tree))
    if (here := entries.get(target.encode())) and here[0] != trees.TREE:
        yield prefix + target, here[1]
    below = entries.get(target[:2].encode())
    if below and below[0] == trees.TREE:
        yield from _places(repo, below[1], target[2:], f"{prefix}{target[:2]}/")


def _listed(repo: Repo, tree: str | None) -> Iterator[tuple[str, str]]:
    for path, oid in repo.walk(tree):
        target = path.replace("/", "")
        if len(target) == DIGITS and all(digit in "0123456789abcdef" for digit in target):
            yield target, oid
