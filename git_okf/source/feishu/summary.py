"""What a run did, in numbers: the sentence by which people see in time that it does too much (seed 004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from git_okf.source.feishu.memo import TYPES
from git_okf.source.feishu.watermark import iso

NAMED = 3


@dataclass(slots=True)
class Tally:
    """Counted while a run goes on."""

    documents: int = 0
    folders: int = 0
    shortcuts: int = 0
    asked: int = 0
    skipped: int = 0
    taken: int = 0
    read: int = 0
    """Documents whose text was read."""
    failed: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    parts_failed: Counter[str] = field(default_factory=Counter)
    newest: int = 0
    """The largest watermark of all, in seconds since 1970."""

    @property
    def origins(self) -> dict[str, int]:
        return {"documents": self.documents, "folders": self.folders, "shortcuts": self.shortcuts}

    def sentence(self, requests: int, seconds: float) -> str:
        """The whole run on one line."""
        types = ", ".join(f"{kind} {self.by_type[kind]}" for kind in TYPES if self.by_type[kind])
        parts = ", ".join(f"{kind} {self.parts_failed[kind]}" for kind in TYPES if self.parts_failed[kind])
        taken = f"{self.taken} taken" + (f" ({types})" if types else "")
        failed = f"{self.failed} failed" + (f" (and parts of others: {parts})" if parts else "")
        newest = f", newest change {iso(self.newest)}" if self.newest else ""
        return (
            f"articles: {self.asked} asked, {self.skipped} skipped, {taken}, {failed}; "
            f"{requests} requests in {seconds:.1f} s{newest}"
        )


def some(names: Iterable[str]) -> str:
    """A few of the names, and how many more there are."""
    listed = sorted(names)
    more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return ", ".join(listed[:NAMED]) + more
