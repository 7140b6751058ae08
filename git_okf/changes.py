"""Delta -> the files that change, as bytes by path (None: deleted). Only what a delta touches is made.

Where one of a directory's concepts came, went or changed its name, that directory's index.md and those above are made
again; one whose listing stays the same comes out with the same bytes, and the store writes nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from git_okf import __version__
from git_okf.bundle import concept, index, log
from git_okf.config import SourceConfig
from git_okf.model import Change, Delta, File, Record, Status
from git_okf.store.trees import Made

T = TypeVar("T")
Files = dict[str, bytes | Made | None]


@dataclass(frozen=True, slots=True)
class _Making:
    """What all concepts of a run are made with."""

    source: SourceConfig
    body: Callable[[str], str]
    when: datetime


@dataclass(frozen=True, slots=True)
class _Concept:
    """The file of one concept, made when it is written; there are as many of these as changes."""

    change: Change
    making: _Making

    def __call__(self) -> bytes:
        return concept_file(self.change, self.making.source, self.making.body, self.making.when)


def rendered(
    delta: Delta,
    before: Iterable[Record],
    source: SourceConfig,
    body: Callable[[str], str],
    when: datetime,
    old_log: bytes | None,
) -> Files:
    """The files of the `render:` commit: the re-rendered concepts, and what lists them. `before`: the old records."""
    if not delta.rerendered:
        return {}
    making = _Making(source, body, when)
    files: Files = {change.path: Made(_Concept(change, making)) for change in delta.rerendered}
    records = {record.path: record for record in before}
    new = {record.path: record for record in delta.records if record.path}
    records.update({change.path: new[change.path] for change in delta.rerendered})
    files.update(_indexes(records.values(), [c.path for c in delta.rerendered if _renamed(c)], source, when))
    files[log.FILE_NAME] = log.prepend(old_log, when=when, rerendered=[change.path for change in delta.rerendered])
    return files


def synced(
    delta: Delta,
    source: SourceConfig,
    body: Callable[[str], str],
    when: datetime,
    old_log: bytes | None,
) -> Files:
    """The files of the `sync:` commit: concepts, the indexes above them, and the log. Nothing for an empty delta."""
    if not delta.changes_content:
        return {}
    files: Files = {record.path: None for record in delta.removed}
    making = _Making(source, body, when)
    for change in (*delta.added, *delta.updated):
        files[change.path] = Made(_Concept(change, making))
    touched = [
        *(change.path for change in delta.added),
        *(record.path for record in delta.removed),
        *(change.path for change in delta.updated if _renamed(change)),
    ]
    files.update(_indexes(delta.records, touched, source, when))
    files[log.FILE_NAME] = log.prepend(
        old_log,
        when=when,
        added=[change.path for change in delta.added],
        removed=[record.path for record in delta.removed],
        updated=[change.path for change in delta.updated],
        moved=delta.moved,
    )
    return files


def attached(
    changed: Collection[Change], removed: Iterable[Record], records: Iterable[Record]
) -> dict[str, File | bytes | None]:
    """The files beside the concepts, by path below the source's directory for files (None: deleted).

    `records`: all as they will be; a path that one of them has stays. What a merge made of a file comes as bytes.
    """
    was = [*(r.files for r in removed), *(c.old.files for c in changed if c.old is not None)]
    gone = {file.path for files in was for file in files}
    if gone:
        gone -= {file.path for record in records for file in record.files}
    files: dict[str, File | bytes | None] = dict.fromkeys(gone)
    for change in changed:
        files.update((file.path, file) for file in change.new.files)
        files.update(change.merged_files)
    return files


def concept_file(change: Change, source: SourceConfig, body: Callable[[str], str], when: datetime) -> bytes:
    """The file of a concept: as the source has it, or as it was settled before."""
    if change.merged is not None:
        return change.merged
    return concept.render(
        title=change.new.title,
        description=change.new.description,
        resource=change.new.resource or change.key,
        body=body(change.new.content_hash),
        content_hash=change.new.content_hash,
        when=when,
        version=__version__,
        source=source.name,
        kind_type=change.new.type or concept.TYPE,
        key=change.key,
        meta=change.new.meta,
        files=change.new.files,
    )


def _indexes(records: Iterable[Record], touched: list[str], source: SourceConfig, when: datetime) -> Files:
    return dict(
        index.indexes(
            (index.Entry(r.path, r.title, r.description) for r in records if r.status is Status.PAGE),
            name=source.name,
            source_url=source.url,
            changed_at=concept.timestamp(when),
            touched=touched,
        )
    )


def listings(records: Iterable[Record], source: SourceConfig, old_root: bytes | None, when: datetime) -> Files:
    """Every index.md as the concepts make it; the date of the last change stays the one the root index has."""
    said = index.root_facts(old_root or b"") or {}
    return dict(
        index.indexes(
            (index.Entry(r.path, r.title, r.description) for r in records),
            name=source.name,
            source_url=source.url,
            changed_at=said.get("changed_at", concept.timestamp(when)),
        )
    )


def _renamed(change: Change) -> bool:
    old, new = change.old, change.new
    return old is None or (old.title, old.description) != (new.title, new.description)


def in_repository(bundle: str, files: Mapping[str, T]) -> dict[str, T]:
    """The same files with paths from the root of the repository."""
    return {f"{bundle}/{path}": data for path, data in files.items()}
