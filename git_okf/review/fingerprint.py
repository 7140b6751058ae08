"""Which content a change comes to: the same whenever it is made, and another one when a concept or a file is another.

Made of paths and content hashes alone. So it does not depend on times (`generated.at`, `crawled_at`), on `log.md`, on
the dates of an index, on what the base has instead, or on order; and it depends on licence and notice files, which are
files of their item or part of what its source hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import chain

from git_okf.model import WITHDRAWN, Delta, File

LENGTH = 32
"""Hex digits."""


def of(contents: Mapping[str, str | None]) -> str:
    """Of path -> content hash (None: the path goes); "" where nothing changes."""
    if not contents:
        return ""
    text = json.dumps(sorted(contents.items()), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def of_delta(delta: Delta) -> str:
    """Of what a delta does to the base: added, updated, re-rendered and removed concepts, and their files.

    What counts as a concept's content is what the delta compared (`identity_hash`): a text of which only ignored parts
    change is the same content.
    """
    contents: dict[str, str | None] = {}
    for record in delta.removed:
        contents[f"concept {record.path}"] = None
        contents.update({_file(file): None for file in record.files})
    for change in chain(delta.added, delta.updated, delta.rerendered):
        gone = " withdrawn" if WITHDRAWN in change.new.meta else ""
        contents[f"concept {change.path}"] = f"{change.new.identity_hash}{gone}"
        before = {_file(file): _content(file) for file in change.old.files} if change.old else {}
        after = {_file(file): _content(file) for file in change.new.files}
        contents.update(dict.fromkeys(before.keys() - after.keys()))
        contents.update({path: content for path, content in after.items() if before.get(path) != content})
    return of(contents)


def _file(file: File) -> str:
    return f"file {file.path}"


def _content(file: File) -> str:
    return f"{file.blob}{' executable' if file.executable else ''}"
