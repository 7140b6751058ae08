"""What a command did, as a value that the command line prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """What a command did, in words and as data."""

    words: str
    facts: Mapping[str, Any]

    def text(self) -> str:
        return self.words

    def data(self) -> dict[str, Any]:
        return {"schema": 1, **self.facts}
