"""Every error that a user can meet: class -> exit code, sentence, hint.

    OkfError
    ├── UsageError            2    wrong words on the command line
    │   └── ConfigError       2    .okf.yaml does not say something we can do
    ├── GuardAborted          1    a guard refused the plan; nothing was written
    ├── SourceUnavailable     4    the source cannot be asked now
    ├── LeaseBusy             5    another run holds the source
    ├── GitRefused          128    the repository is in a state we must not touch
    └── Interrupted         130    a signal ended the run

A `message` says what happened and to which source or item, and what was not changed; a `hint` says what to type
next. Nothing below the command line raises `SystemExit` or prints. Anything that is no OkfError is a bug (exit 70).
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_GUARD = 1
EXIT_USAGE = 2
EXIT_PARTIAL = 3
EXIT_UNAVAILABLE = 4
EXIT_BUSY = 5
EXIT_BUG = 70
EXIT_GIT = 128
EXIT_INTERRUPTED = 130


class OkfError(Exception):
    """A fault the user can act on."""

    exit_code = EXIT_USAGE
    code = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(OkfError):
    """The command line asks for something that cannot be done."""

    code = "usage"


class ConfigError(UsageError):
    """.okf.yaml is missing, unreadable, or says something we do not understand."""

    code = "config"


class GuardAborted(OkfError):
    """A guard refused the plan before anything was written."""

    exit_code = EXIT_GUARD
    code = "guard"


class SourceUnavailable(OkfError):
    """The source cannot be asked now; `retry_at` (ISO 8601) where the server said when."""

    exit_code = EXIT_UNAVAILABLE
    code = "unavailable"

    def __init__(
        self, message: str, hint: str = "", *, retry_at: str | None = None, rate_limited: bool = False
    ) -> None:
        super().__init__(message, hint)
        self.retry_at = retry_at
        self.rate_limited = rate_limited


class LeaseBusy(OkfError):
    """Another run holds the lease of the source."""

    exit_code = EXIT_BUSY
    code = "busy"


class GitRefused(OkfError):
    """Git, or the state of the repository, says no."""

    exit_code = EXIT_GIT
    code = "git"


class Interrupted(OkfError):
    """A signal ended the run; what was fetched is in the checkpoint."""

    exit_code = EXIT_INTERRUPTED
    code = "interrupted"
