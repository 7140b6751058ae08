"""The rules a bundle is checked by; each module judges one kind of file or relation and yields findings.

OKF v0.2 at its strictest reading: whatever any reader of the format refuses is an error; what the format allows but
somebody should know is a warning.
"""

from __future__ import annotations

from git_okf.bundle.rules.finding import ERROR, WARNING, Finding

__all__ = ["ERROR", "WARNING", "Finding"]
