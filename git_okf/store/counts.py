"""How many items of each sort a source has: written beside the items, so that `status` need not read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from git_okf.model import Record, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Of the records of one source."""

    items: int = 0
    retained: int = 0
    """Items about which nothing was certain in the last run."""
    pending: int = 0
    edited: int = 0
    """Items whose concept was edited by hand."""
    with_files: int = 0
    """Items that have files beside their concept: whether those were edited only the tree can say."""

    def told(self) -> dict[str, int]:
        """As `source.json` has it."""
        return asdict(self)


def count(records: Iterable[Record]) -> Counts:
    items = retained = pending = edited = with_files = 0
    for record in records:
        if record.status is Status.PAGE:
            items += 1
            retained += bool(record.failure)
            edited += record.edited
            with_files += bool(record.files)
        elif record.status is Status.PENDING:
            pending += 1
    return Counts(items=items, retained=retained, pending=pending, edited=edited, with_files=with_files)


def counts_of(told: Any) -> Counts | None:
    """What `source.json` says; None where it says nothing, or nothing this version understands."""
    names = {field.name for field in fields(Counts)}
    if not isinstance(told, dict) or told.keys() != names or any(type(number) is not int for number in told.values()):
        return None
    return Counts(**told)
