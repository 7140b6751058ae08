"""Where a Markdown link may lead, and how that is written."""

from __future__ import annotations

import re

KEPT_SCHEMES = frozenset(("http", "https", "mailto", "tel", "ftp", "ftps", "sftp", "ssh", "git", "irc", "ircs", "news"))
"""Schemes of addresses. Links of others (scripts, data, an application's own) are not written."""

_UNSAFE = re.compile(r"[\s()<>\\\"'`|*\[\]{}^\x00-\x1f\x7f]")


def safe(url: str) -> str:
    """Percent-encode what would end or change a Markdown link destination."""
    return _UNSAFE.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), url)
