"""What the requests of a run came to; their number and size the client knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """Counts of one run so far."""

    not_modified: int = 0
    fetched: int = 0
    extracted: int = 0
