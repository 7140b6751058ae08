"""The pointers of git-lfs: what is in the commit where the content is elsewhere. Pure.

Source: git-lfs, docs/spec.md. A pointer is shorter than 1024 bytes and its first line names the version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LIMIT = 1024
_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com/spec|hawser\.github\.com/spec)/v\d+\n"
    rb"(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize ([0-9]+)\n?\Z"
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a pointer stands for."""

    sha256: str
    size: int

    @property
    def place(self) -> str:
        """Where git-lfs keeps the content, below its `objects` directory."""
        return f"{self.sha256[:2]}/{self.sha256[2:4]}/{self.sha256}"


def pointer(data: bytes) -> Pointer | None:
    """The pointer these bytes are; None where they are content."""
    found = _POINTER.match(data) if len(data) < _LIMIT else None
    return Pointer(found[1].decode(), int(found[2])) if found else None
