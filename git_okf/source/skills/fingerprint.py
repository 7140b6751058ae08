"""What makes two packages the same: SHA-256 over parts with their lengths, so that no two lists read alike. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from git_okf.source.skills.tree import EXECUTABLE, FILE


def content(files: Iterable[tuple[str, bool, bytes]]) -> str:
    """`sha256:<hex>` of a package's files: path relative to it, whether executable, bytes. Any order."""
    return _of(
        (path.encode(), b"%o" % (EXECUTABLE if executable else FILE), hashlib.sha256(data).digest())
        for path, executable, data in sorted(files)
    )


def compliance(texts: Iterable[tuple[str, bytes]]) -> str:
    """`sha256:<hex>` of the licence and notice texts that apply to a package, by file name."""
    return _of((path.encode(), hashlib.sha256(data).digest()) for path, data in sorted(texts))


def target(content_fingerprint: str, compliance_fingerprint: str) -> str:
    """Of both together: what one review decides upon."""
    return _of([(content_fingerprint.encode(), compliance_fingerprint.encode())])


def _of(records: Iterable[tuple[bytes, ...]]) -> str:
    made = hashlib.sha256()
    for record in records:
        for part in record:
            made.update(len(part).to_bytes(8, "big") + part)
    return f"sha256:{made.hexdigest()}"
