"""Names that some file systems cannot hold, or hold only once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from git_okf.bundle.paths import DEVICES, PART_BYTES, fold
from git_okf.bundle.rules.finding import ERROR, WARNING, Finding

_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\\\x7f]')


def check_names(paths: Iterable[str]) -> Iterator[Finding]:
    """Findings on the names themselves; no file is read."""
    seen: dict[str, str] = {}
    for path in sorted(paths):
        first = seen.setdefault(fold(path), path)
        if first != path:
            message = f"the name differs from {first!r} in case or form alone"
            yield Finding(path, 1, "case-collision", ERROR, message, "rename one of them")
        for part in path.split("/"):
            wrong = _wrong(part)
            if wrong:
                yield Finding(path, 1, "file-name", WARNING, f"the name {part!r} {wrong}", "rename it")


def _wrong(part: str) -> str:
    if part.partition(".")[0].rstrip().casefold() in DEVICES:
        return "is a device on Windows"
    if _FORBIDDEN.search(part):
        return "holds a character that Windows refuses"
    if part.endswith((".", " ")):
        return "ends in a dot or a space, which Windows drops"
    if len(part.encode("utf-8", "surrogateescape")) > PART_BYTES + 55:
        return "is longer than file systems allow"
    if not part.isascii() and unicodedata.normalize("NFC", part) != part:
        return "is not NFC, so another system may see another name"
    return ""
