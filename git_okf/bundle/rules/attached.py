"""The files that belong to an item beside its concept: each is there, and is the one that was synced."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from git_okf import digest
from git_okf.bundle import concept
from git_okf.bundle.rules.finding import ERROR, Finding

WAY_OUT = "`git okf sync --theirs NAME` puts the source's file there, `editable: true` in .okf.yaml allows this one"


def check_attached(path: str, data: bytes, read: Callable[[str], bytes | None], shown: str) -> Iterator[Finding]:
    """The findings on the files that a concept names. `read` gives a file's bytes, or None where there is none; `shown`
    stands before its path."""
    try:
        named = concept.header(data).files
    except concept.NotAConcept:
        return  # said by the rules for concepts
    for file in named:
        there = read(file.path)
        if there is None:
            yield Finding(path, 1, "file-missing", ERROR, f"its file {shown}{file.path} is not there", WAY_OUT)
        elif file.blob not in (digest.blob_id(there), digest.blob_id(digest.lfs_pointer(there))):
            yield Finding(path, 1, "file-edited", ERROR, f"its file {shown}{file.path} is not the one synced", WAY_OUT)
