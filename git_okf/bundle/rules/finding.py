"""What a rule has to say."""

from __future__ import annotations

from dataclasses import dataclass

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong. Sorted by path, then line; `line` is 1 for what concerns the whole file."""

    path: str
    line: int
    rule: str
    severity: str
    message: str
    hint: str = ""
