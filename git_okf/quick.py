"""The short way into the hooks: `verify --hook` without the command line's parser, which costs more than the check.

It understands exactly what the hooks say, and says the same as `git okf verify`; everything else is left to cli.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from git_okf import errors


@dataclass(frozen=True, slots=True)
class Answer:
    """An exit code, and what is to be printed."""

    code: int
    out: str = ""
    err: str = ""


def answer(words: Sequence[str], start: Path, environ: Mapping[str, str]) -> Answer | None:
    """What the command with these arguments comes to; None where it is none for this way."""
    asked = _asked(words)
    if asked is None:
        return None
    try:
        from git_okf import hook

        stake = hook.Stake.of_hook(environ)
        judge = hook.check_config if asked.config else hook.check_bundles
        verdicts = judge(start, environ, stake, quiet=True)
        return Answer(verdicts.exit_code, verdicts.said(asked.style))
    except errors.OkfError as error:
        from git_okf import report

        return Answer(error.exit_code, err=report.exception_text(error))
    except Exception as error:  # noqa: BLE001 - whatever is no OkfError is a bug, which is written down
        from git_okf import bug

        return Answer(errors.EXIT_BUG, err=f"error: this is a bug in git-okf: {bug.write(error)}")


@dataclass(frozen=True, slots=True)
class _Asked:
    config: bool
    style: str


def _asked(words: Sequence[str]) -> _Asked | None:
    if list(words[:2]) != ["verify", "--hook"]:
        return None
    rest, config, style = list(words[2:]), False, "text"
    while rest:
        word = rest.pop(0)
        if word == "--config":
            config = True
        elif word == "--format" and rest and rest[0] in ("text", "json", "github"):
            style = rest.pop(0)
        else:
            return None
    return _Asked(config, style)
