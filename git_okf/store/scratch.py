"""Plain files below `<git common dir>/okf/`: what a run may lose without losing anything.

Each file is replaced whole, so a reader meets the old or the new one and never half of one.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from git_okf.errors import GitRefused


def replace_file(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Put `data` into a file at once. `durable` waits until the disk has it."""
    replace_lines(path, (data,), durable=durable)


def replace_lines(path: Path, lines: Iterable[bytes], *, durable: bool = False) -> None:
    """The same with what comes in parts, so that not all of it need be in memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(lines)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unwritable(path, error) from error


def read_file(path: Path) -> bytes | None:
    """What a file holds; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(path, error) from error


def open_file(path: Path) -> IO[bytes]:
    """What a file holds, to be read in parts; as if it were empty where there is none."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        return io.BytesIO()
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> GitRefused:
    """The sentence for a git directory that cannot be used: full, read-only, no permission."""
    return GitRefused(
        f"{path} cannot be used: {error.strerror or error}",
        "see that the disk is not full and that you may write to the git directory; the next run goes on from here",
    )
