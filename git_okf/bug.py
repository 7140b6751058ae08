"""Writes down a fault of ours where the user can find it and send it."""

from __future__ import annotations

import platform
import tempfile
import traceback
from pathlib import Path

from git_okf import __version__


def write(error: BaseException) -> str:
    """The error's last line and where its report was written; the report names versions, never the environment."""
    lines = traceback.format_exception(error)
    head = f"git-okf {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
    with tempfile.NamedTemporaryFile("w", prefix="git-okf-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(head + "".join(lines))
    return f"{type(error).__name__}: {error}. Report: {Path(file.name)}"
