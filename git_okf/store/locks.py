"""What a killed run of ours left behind: lock files of git, and refs of which only some had moved.

git never removes a lock it finds: it cannot know whose it is. We can: before locks are taken they are announced in
scratch (`locks/<pid>-<random>.json`: who, when, which locks, to move which refs), and the announcement goes when they
are released. An announcement whose process is dead names locks that nobody will ever release. Of these, those are
removed that were made right after it; one that was made later is somebody else's.

A git that was started under an announcement may outlive the process that started it. It inherits the announcement's
file, which is locked (`flock`) for as long as one of them has it open.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from git_okf.store.process import Holder, is_dead, this_process
from git_okf.store.scratch import read_file, replace_file, unwritable
from git_okf.store.values import RefUpdate

WINDOW_S = 60.0
"""How long after its announcement a lock may have been made, to be the one announced."""


@contextmanager
def announced(
    scratch: Path, locks: Sequence[Path], moves: Sequence[RefUpdate] = (), *, outlived_s: float = 0.0
) -> Iterator[int]:
    """Announce locks, and what is to be moved under them, while they are taken, held and released.

    Gives the descriptor that a child inherits who takes the locks. `outlived_s`: how long such a child may live; after
    that a lock is stale even where something has the descriptor open (a daemon that the child started).
    """
    file = scratch / "locks" / f"{os.getpid()}-{secrets.token_hex(4)}.json"
    facts = {
        "holder": asdict(this_process({})),
        "at": time.time(),
        "outlived_s": outlived_s,
        "locks": [str(lock) for lock in locks],
        "moves": [astuple(move) for move in moves],
    }
    replace_file(file, json.dumps(facts).encode())
    handle = -1
    try:
        handle = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        _remove(file)
        if handle >= 0:
            os.close(handle)


@dataclass(frozen=True, slots=True)
class _Announcement:
    holder: Holder
    at: float
    outlived_s: float
    locks: tuple[Path, ...]
    moves: tuple[RefUpdate, ...]


def clear_stale(scratch: Path) -> list[tuple[RefUpdate, ...]]:
    """Remove the locks of dead processes of ours. Returns what each of them was moving, or was about to."""
    unfinished = []
    for file in sorted((scratch / "locks").glob("*.json")):
        found = _read(file)
        if found is None:
            _remove(file)
            continue
        if not is_dead(found.holder) or (_is_open(file) and any(_is_young(k, found.outlived_s) for k in found.locks)):
            continue
        for lock in found.locks:
            if _is_announced(lock, found.at):
                _remove(lock)
        _remove(file)
        unfinished.append(found.moves)
    return unfinished


def clear_of_child(lock: Path, started_at: float) -> None:
    """Remove the lock of a child of this process that a signal ended, if it was made since the child was started."""
    if _is_announced(lock, started_at):
        _remove(lock)


def _read(file: Path) -> _Announcement | None:
    """The announcement in a file; None where it is none, and nothing can be known from it."""
    try:
        facts = json.loads(read_file(file) or b"{}")
        return _Announcement(
            holder=Holder(**facts["holder"]),
            at=float(facts["at"]),
            outlived_s=float(facts["outlived_s"]),
            locks=tuple(Path(lock) for lock in facts["locks"]),
            moves=tuple(RefUpdate(*move) for move in facts["moves"]),
        )
    except (ValueError, TypeError, KeyError):
        return None


def _is_open(file: Path) -> bool:
    """Whether one of those who were announced still lives."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _is_young(lock: Path, outlived_s: float) -> bool:
    made = _made(lock)
    return made is not None and outlived_s > 0 and time.time() - made < outlived_s


def _is_announced(lock: Path, at: float) -> bool:
    made = _made(lock)
    # File systems keep times more coarsely than clocks: a second of grace.
    return made is not None and at - 1 <= made <= at + WINDOW_S


def _made(lock: Path) -> float | None:
    try:
        return lock.lstat().st_mtime
    except OSError:
        return None


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(file, error) from error
