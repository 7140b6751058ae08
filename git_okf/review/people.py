"""Which commits on a review branch are people's work. Pure: the caller says what is on the branch and not in the base.

A commit is ours if its message has our trailers and its content is what we committed: where there is an `Okf-Tree`
trailer, it names the bundle's tree, and an amended or rebased commit with another tree is a person's. A merge of the
base into the branch ("Update branch") is nobody's work as long as its tree is what git itself makes of the two.
Whoever wrote it as author or committer decides nothing: a run on a person's machine has that person's name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

SOURCE = "Okf-Source"
TREE = "Okf-Tree"
"""Trailer: id of the bundle's tree in this very commit."""
CONTENT = "Okf-Content"
"""Trailer: fingerprint of the content that the commit brings the base to."""
_TRAILER = re.compile(r"([A-Za-z0-9-]+): *(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit on the branch that the base does not have. `tree` is the bundle's ("" where it is not known)."""

    id: str
    message: str
    parents: tuple[str, ...] = ()
    author: str = ""
    """E-mail addresses, for reports."""
    committer: str = ""
    tree: str = ""
    merges_base: bool = False
    """A merge of the base whose tree is what git makes of its parents."""


def trailers(message: str) -> dict[str, str]:
    """The trailers of a message: the lines of its last paragraph, which is no trailer block unless all are."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", message.strip()) if part.strip()]
    lines = paragraphs[-1].splitlines() if len(paragraphs) > 1 else []
    matches = [_TRAILER.fullmatch(line.strip()) for line in lines]
    return {match[1]: match[2].strip() for match in matches if match} if all(matches) else {}


def is_ours(commit: Commit, source: str) -> bool:
    said = trailers(commit.message)
    if said.get(SOURCE) != source:
        return False
    return not said.get(TREE) or not commit.tree or said[TREE] == commit.tree


def by_people(commits: Iterable[Commit], source: str, merged: Collection[str] = ()) -> tuple[Commit, ...]:
    """The commits that are people's work and not in the base yet.

    `merged` are ids of commits that reached the base another way: the ancestors of a head that was squashed.
    """
    return tuple(
        commit
        for commit in commits
        if commit.id not in merged and not commit.merges_base and not is_ours(commit, source)
    )


def content_of(commits: Iterable[Commit], source: str) -> str:
    """The content the branch stands for, by the newest commit of ours (newest first); "" where none says it."""
    said = (trailers(commit.message) for commit in commits if is_ours(commit, source))
    return next((each[CONTENT] for each in said if each.get(CONTENT)), "")
