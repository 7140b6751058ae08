"""The short way: plain words, answered without the command line's parser, which costs more than most answers.

It understands what the hooks say, and commands that only look, as people and scripts type them most often; it answers
as cli.py does. Everything else is left to cli.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from git_okf import errors

if TYPE_CHECKING:
    from git_okf.store.repo import Repo

RUNS = 20
"""How many runs `log` shows where nobody says how many."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An exit code, and what is to be printed."""

    code: int
    out: str = ""
    err: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What stands after a command."""

    names: tuple[str, ...] = ()
    as_json: bool = False
    number: int | None = None
    style: str = "text"
    config: bool = False

    def said(self, text: Callable[[], str], data: Callable[[], object]) -> str:
        from git_okf import report

        return report.dump(data()) if self.as_json else report.multiline(text())


@dataclass(frozen=True, slots=True)
class _Asker:
    start: Path
    environ: Mapping[str, str]

    def repo(self) -> Repo:
        from git_okf.store.repo import Repo

        return Repo.open(self.start, self.environ, reading=True)


_Look = Callable[[_Asker, _Words], Answer]


def answer(words: Sequence[str], start: Path, environ: Mapping[str, str]) -> Answer | None:
    """What the command with these arguments comes to; None where it is none for this way."""
    found = _hook_words(words) or _plain_words(words)
    if found is None:
        return None
    look, asked = found
    try:
        return look(_Asker(start, environ), asked)
    except errors.OkfError as error:
        from git_okf import report

        said = _lines(report.exception_text(error), environ, error.message, error.hint)
        return Answer(error.exit_code, report.error_json(error) if asked.as_json else "", said)
    except KeyboardInterrupt:
        return Answer(errors.EXIT_INTERRUPTED, err="interrupted")
    except Exception as error:  # noqa: BLE001 - whatever is no OkfError is a bug, which is written down
        from git_okf import bug

        said = f"this is a bug in git-okf: {bug.write(error)}"
        return Answer(errors.EXIT_BUG, err=_lines(f"error: {said}", environ, said))


def _lines(text: str, environ: Mapping[str, str], message: str, hint: str = "") -> str:
    """With the annotation that a CI workflow shows."""
    from git_okf import workflow

    return "\n".join((text, *workflow.fault(environ, message, hint)))


# --- words ---


def _hook_words(words: Sequence[str]) -> tuple[_Look, _Words] | None:
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
    return _hook, _Words(config=config, style=style)


def _plain_words(words: Sequence[str]) -> tuple[_Look, _Words] | None:
    """A command that looks, with names, `--json` and a number alone."""
    if not words or words[0] not in LOOKS:
        return None
    look, least, most = LOOKS[words[0]]
    rest, names, as_json, number = list(words[1:]), [], False, None
    while rest:
        word = rest.pop(0)
        if word == "--json":
            as_json = True
        elif word == "-n" and look is _log and rest and rest[0].isascii() and rest[0].isdigit() and int(rest[0]):
            number = int(rest.pop(0))
        elif word.startswith("-") or not word:
            return None
        else:
            names.append(word)
    if not least <= len(names) <= most:
        return None
    return look, _Words(names=tuple(names), as_json=as_json, number=number)


# --- answers ---


def _hook(asker: _Asker, asked: _Words) -> Answer:
    from git_okf import hook

    stake = hook.Stake.of_hook(asker.environ)
    judge = hook.check_config if asked.config else hook.check_bundles
    verdicts = judge(asker.start, asker.environ, stake, quiet=True)
    return Answer(verdicts.exit_code, verdicts.said(asked.style))


def _status(asker: _Asker, asked: _Words) -> Answer:
    from datetime import UTC, datetime

    from git_okf import settings
    from git_okf.lookup import statuses

    repo = asker.repo()
    found = statuses.status(repo, settings.read_config(repo), asked.names, datetime.now(UTC))
    return Answer(0, asked.said(found.text, found.data))


def _log(asker: _Asker, asked: _Words) -> Answer:
    from git_okf.lookup import runs

    found = runs.log(asker.repo(), asked.names[0] if asked.names else None, asked.number or RUNS)
    return Answer(0, asked.said(found.text, found.data))


def _show(asker: _Asker, asked: _Words) -> Answer:
    from git_okf import settings
    from git_okf.lookup import items

    repo = asker.repo()
    found = items.show(repo, settings.read_config(repo), asker.start, asked.names[0])
    return Answer(0, asked.said(found.text, found.data))


def _verify(asker: _Asker, asked: _Words) -> Answer:
    from git_okf import verify

    found = verify.verify(asker.repo, asker.start, asked.names)
    return Answer(found.exit_code, found.said("json" if asked.as_json else "text"))


_ANY = 1_000_000
LOOKS: Mapping[str, tuple[_Look, int, int]] = {
    "status": (_status, 0, _ANY),
    "log": (_log, 0, 1),
    "show": (_show, 1, 1),
    "verify": (_verify, 0, _ANY),
}
"""By command: what answers, and how many names it takes."""
