"""What can be wrong with somebody else's repository, told from git's words.

    SourceUnavailable
    ├── Unreachable          no connection, a server in trouble, no such repository
    │   ├── AccessDenied     it wants credentials that nobody gave, or says no to those it got
    │   └── RateLimited      it asks us to come back later
    ├── RefMissing           the repository is there; the branch or tag is not, or it stands for two things
    ├── RevisionGone         a commit we know is no longer served
    │   └── HistoryRewritten the branch it was on goes on without it
    ├── Unsound              git's own check refuses the objects that came
    └── DiskBudget           LOCAL_DISK_BUDGET: cleaned up and taken in parts it would fit
        └── Capacity         CAPACITY: it does not even fit alone

Each says which repository it is about, and that what was there is kept. git speaks English to us (LC_ALL=C); what we do
not understand is Unreachable with git's last words.
"""

from __future__ import annotations

import re
from shlex import quote

from git_okf.errors import SourceUnavailable

KEPT = "what was synced before is kept"


class Unreachable(SourceUnavailable):
    """The repository cannot be asked now."""

    code = "unreachable"


class AccessDenied(Unreachable):
    """It is private, or does not exist: hosts do not tell which."""

    code = "access-denied"


class RateLimited(Unreachable):
    """The host asks for a pause."""

    code = "rate-limited"


class RefMissing(SourceUnavailable):
    """There is no such branch or tag, or more than one thing of that name."""

    code = "ref-missing"


class RevisionGone(SourceUnavailable):
    """The commit is not on the server any more."""

    code = "revision-gone"


class HistoryRewritten(RevisionGone):
    """The branch was pushed anew without the commit; `tip` is where it stands."""

    code = "history-rewritten"

    def __init__(self, message: str, hint: str = "", *, tip: str = "") -> None:
        super().__init__(message, hint)
        self.tip = tip


class Unsound(SourceUnavailable):
    """Objects that came are not what they have to be."""

    code = "unsound"


class DiskBudget(SourceUnavailable):
    """No room for what was asked for; after `Mirror.forget` there may be. The source is not to blame."""

    code = "LOCAL_DISK_BUDGET"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, rate_limited=True)  # so that the source is not taken for unreachable


class Capacity(DiskBudget):
    """No room for it even in an empty mirror: a person has to make some."""

    code = "CAPACITY"


_DISK = ("No space left on device", "Disk quota exceeded", "File too large")
_DENIED = (
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Permission denied",
    "Host key verification failed",
    "The requested URL returned error: 401",
    "The requested URL returned error: 403",
)
_ABSENT = (
    "not found",
    "does not appear to be a git repository",
    "The requested URL returned error: 404",
    "The requested URL returned error: 410",
)
_LIMITED = ("The requested URL returned error: 429", "rate limit", "Too Many Requests")
_FARAWAY = (
    *_DENIED,
    *_ABSENT,
    *_LIMITED,
    "unable to access",
    "RPC failed",
    "early EOF",
    "the remote end hung up",
    "unexpected disconnect",
    "Could not read from remote repository",
    "expected flush",
    "Connection ",
    "transport '",
    "dubious ownership",
    "fsck error",
)
NOT_OUR_REF = "not our ref"
UNADVERTISED = "Server does not allow request for unadvertised object"
NO_SUCH_REF = "couldn't find remote ref"
HARMLESS = (
    "badTimezone",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
    "gitmodulesBlob",
    "gitmodulesLarge",
    "gitmodulesMissing",
    "gitmodulesName",
    "gitmodulesParse",
    "gitmodulesPath",
    "gitmodulesSymlink",
    "gitmodulesUpdate",
    "gitmodulesUrl",
)
"""Findings of git's check that say nothing of names and bytes: odd dates, submodules we never enter."""
_FINDING = re.compile(r"^(?:error|fatal|warning): (?:object [0-9a-f]+|in [^:]*): (\w+):", re.MULTILINE)
_USERINFO = re.compile(r"(?<=://)[^/@\s'\"]+@")


def is_full(said: str) -> bool:
    """Whether git ended because the disk was full."""
    return any(words in said for words in _DISK)


def is_faraway(said: str) -> bool:
    """Whether the trouble is certainly with the server or the way to it, not with what lies here."""
    return any(words in said for words in _FARAWAY)


def is_harmless(said: str) -> bool:
    """Whether git's check refuses what came for nothing but what we do not mind.

    git 2.39, for one, cannot be told to let that pass where blobs are left out (it drops `fetch.fsck.*` then).
    """
    found = set(_FINDING.findall(said))
    return "fsck error" in said and bool(found) and found <= set(HARMLESS)


def words_of(stderr: bytes) -> str:
    """git's words, without user names and passwords in URLs."""
    return _USERINFO.sub("", stderr.decode("utf-8", "replace"))


def trouble(said: str, shown: str) -> SourceUnavailable:
    """The error that git's words about a repository mean."""
    last = _last(said)
    if any(words in said for words in _LIMITED):
        return RateLimited(f"{shown}: the host asks for a pause ({last}); {KEPT}", rate_limited=True)
    if any(words in said for words in _DENIED):
        return AccessDenied(
            f"{shown} does not exist, or wants credentials that it did not get ({last}); {KEPT}",
            f"see that `git ls-remote {quote(shown)}` works without a question: git help credentials",
        )
    if "dubious ownership" in said:
        line = next((part.strip() for part in said.splitlines() if "safe.directory" in part), "")
        return AccessDenied(f"{shown}: git does not trust its owner; {KEPT}", f"if it is yours to use, run: {line}")
    if "fsck error" in said:
        return Unsound(
            f"{shown}: git refuses what it sent: {_finding(said)}; {KEPT}",
            "its owner has to repair the history; `git fsck` there says more",
        )
    if any(words in said for words in _ABSENT):
        return Unreachable(f"{shown}: no repository is there ({last}); {KEPT}", "was it moved or deleted?")
    return Unreachable(f"{shown} cannot be read now: {last}; {KEPT}", f"try `git ls-remote {quote(shown)}`")


def _finding(said: str) -> str:
    return next((line for line in said.splitlines() if line.startswith("error: object")), _last(said))


def _last(said: str) -> str:
    """The line that says most: git's `fatal:` before the advice that ssh's trouble is followed by."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if "fatal: Could not read from remote repository." in lines:
        lines = lines[: lines.index("fatal: Could not read from remote repository.")] or lines
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else "git said nothing"
