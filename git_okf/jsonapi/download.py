"""One file from an API, in memory: taken up again with `Range` where the connection broke (RFC 9110 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file as it came. `hash` is `sha256:<hex>`; `disposition` is the `Content-Disposition` header."""

    data: bytes
    content_type: str
    disposition: str
    hash: str


@dataclass(slots=True)
class Part:
    """What has come so far."""

    data: bytearray = field(default_factory=bytearray)
    etag: str = ""

    @property
    def headers(self) -> Mapping[str, str]:
        """What asks for the rest: only of the very same file, which a strong ETag proves."""
        if not self.data or not self.etag:
            return {}
        return {"Range": f"bytes={len(self.data)}-", "If-Range": self.etag}

    def begin(self, status: int, headers: Mapping[str, str]) -> bool:
        """Take up an answer with content: the rest of the file, or all of it anew. False where it is another part."""
        etag = headers.get("etag", "")
        if status == 206:
            start = re.match(r"bytes (\d+)-", headers.get("content-range", ""))
            if start is None or int(start[1]) != len(self.data):
                self.data.clear()
                return False
            return True
        self.data.clear()
        self.etag = "" if etag.startswith("W/") else etag
        return True
