"""What can go wrong with a bucket, and the values that the steps of a publication hand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from git_okf.errors import LeaseBusy, SourceUnavailable, UsageError

Headers = Mapping[str, str]


class StorageRefused(UsageError):
    """The storage says no, and would again: wrong keys, no such bucket, a request it does not know."""

    code = "storage-refused"


class StorageUnavailable(SourceUnavailable):
    """The storage cannot be asked now, after several tries."""

    code = "storage-unavailable"


class LostRace(LeaseBusy):
    """Another publisher was faster, or has published something newer; nothing of it was undone."""

    code = "lost-race"


class Mismatch(Exception):
    """A conditional write found something else than it was to replace. Never leaves the publishing stage."""


class Overtaken(Exception):
    """Another publisher has taken the claim over: look again, and decide anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One object to be written."""

    key: str
    blob: str
    """git's id of the file in the commit; for a file of git-lfs that of its pointer."""
    size: int
    headers: Headers
    file: str = ""
    """Where the bytes are, if not in the blob."""
    replaces: str | None = None
    """The ETag the object has now; None: there is none."""
    sure: bool = True
    """Whether `replaces` is known; else the storage is asked first."""
