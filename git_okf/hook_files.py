"""The files in git's hooks directory: put there, with whatever hook was there before chained, and taken away again.

The scripts themselves are in hooks/; what is added is which Python has git-okf. A hook that was there is kept beside
ours as `NAME.before-okf`, where it runs first; uninstalling puts it back as it was.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_okf.errors import GitRefused
from git_okf.gitprogram import git

NAMES = ("pre-commit", "pre-merge-commit", "pre-push", "post-rewrite")
BEFORE = ".before-okf"
LEGACY = ".legacy"
"""What `pre-commit install` makes of a hook that it finds; it goes on calling it."""
_MARK = b"# git-okf: "
_PYTHON = "python=\n"


@dataclass(frozen=True, slots=True)
class Hooks:
    """What was done in a hooks directory."""

    folder: str
    verb: str
    names: tuple[str, ...]
    chained: tuple[str, ...] = ()
    """Hooks that were there before."""
    hint: str = ""

    def text(self) -> str:
        if not self.names:
            return f"✓ Nothing to do in {self.folder}"
        lines = [f"✓ {self.verb} in {self.folder}: {', '.join(self.names)}"]
        if self.chained:
            what = "run before ours" if self.verb == "Installed" else "put back"
            lines.append(f"  {what}: {', '.join(self.chained)}")
        return "\n".join([*lines, *([f"  {self.hint}"] if self.hint else [])])

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "folder": self.folder, "hooks": list(self.names), "chained": list(self.chained)}


def install(start: Path, environ: Mapping[str, str]) -> Hooks:
    """Put the hooks where git looks for them (`core.hooksPath`). What is as it should be is left as it is.

    GitRefused where a hook cannot be kept, or the directory not be written.
    """
    folder, shown = _folder(start, environ)
    done, chained = [], []
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _check(folder)
        for name in NAMES:
            hook, before = folder / name, folder / f"{name}{BEFORE}"
            script = _script(name)
            if _is_ours(folder / f"{name}{LEGACY}"):
                hook = folder / f"{name}{LEGACY}"
            elif os.path.lexists(hook) and not _is_ours(hook):
                hook.rename(before)
            if not _is_ours(hook) or hook.read_bytes() != script:
                _write(hook, script)
                done.append(name)
            if os.path.lexists(before):
                chained.append(name)
    return Hooks(shown, "Installed", tuple(done), tuple(chained), _shared(folder, start, environ))


def uninstall(start: Path, environ: Mapping[str, str]) -> Hooks:
    """Take the hooks away, and put back what was there before. Hooks of others stay as they are."""
    folder, shown = _folder(start, environ)
    done, chained = [], []
    with _writing(folder):
        for name in NAMES:
            for hook in (folder / name, folder / f"{name}{LEGACY}"):
                before = folder / f"{name}{BEFORE}"
                if not _is_ours(hook):
                    continue
                done.append(name)
                if os.path.lexists(before):
                    chained.append(name)
                    before.replace(hook)
                else:
                    hook.unlink()
        if done and not any(folder.iterdir()):
            folder.rmdir()
    return Hooks(shown, "Uninstalled", tuple(done), tuple(chained))


def _folder(start: Path, environ: Mapping[str, str]) -> tuple[Path, str]:
    """The hooks directory, and how to name it."""
    top = Path(_line(start, environ, "rev-parse", "--show-toplevel"))
    named = _line(top, environ, "rev-parse", "--git-path", "hooks")
    return top / named, named


def _shared(folder: Path, start: Path, environ: Mapping[str, str]) -> str:
    """What to know of a directory that is not this repository's own."""
    top = Path(_line(start, environ, "rev-parse", "--show-toplevel")).resolve()
    common = (start / _line(start, environ, "rev-parse", "--git-common-dir")).resolve()
    if common in (place := folder.resolve()).parents:
        return ""
    whose = "is part of the work tree: others get it with the files" if top in place.parents else "serves others too"
    return f"core.hooksPath says so; this directory {whose}"


def _line(where: Path, environ: Mapping[str, str], *args: str) -> str:
    return os.fsdecode(git(where, *args, environ=environ).stdout.removesuffix(b"\n"))


def _script(name: str) -> bytes:
    """The hook as it is installed, with the Python that runs now."""
    places = (Path(__file__).with_name("hooks"), Path(__file__).parents[1] / "hooks")
    text = next(place for place in places if (place / name).is_file()).joinpath(name).read_text(encoding="utf-8")
    return text.replace(_PYTHON, f"python={shlex.quote(sys.executable)}\n", 1).encode()


def _is_ours(hook: Path) -> bool:
    return hook.is_file() and _MARK in hook.read_bytes()


def _check(folder: Path) -> None:
    """GitRefused, before anything is touched, where a hook would have no place to be kept."""
    for name in NAMES:
        hook, before = folder / name, folder / f"{name}{BEFORE}"
        if os.path.lexists(hook) and not _calls_ours(folder, name) and os.path.lexists(before):
            raise GitRefused(
                f"{hook} is not from git-okf, and {before.name} is there already; nothing was changed",
                "remove the one that is not needed, and run this again",
            )


def _calls_ours(folder: Path, name: str) -> bool:
    return _is_ours(folder / name) or _is_ours(folder / f"{name}{LEGACY}")


def _write(hook: Path, script: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{hook.name}.", dir=hook.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(script)
    Path(name).chmod(0o755)
    Path(name).replace(hook)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """What the file system refuses becomes an error that says where."""
    try:
        yield
    except OSError as error:
        raise GitRefused(
            f"the hooks in {folder} cannot be changed: {error.strerror or error}", "see that you may write there"
        ) from error
