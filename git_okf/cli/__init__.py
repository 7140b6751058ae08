"""The command line: each command parses, makes one call, prints, and returns a code. The only printer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from git_okf.cli import checks, ci, looks, publication, runs, sources
from git_okf.cli.app import app

__all__ = ["app", "checks", "ci", "looks", "main", "publication", "runs", "sources"]

ORDER = (
    "build", "init", "add", "sync", "pr", "plan", "status", "fresh", "log", "show", "explain", "verify", "repair",
    "pause", "resume", "remove", "discover", "publish", "hooks", "ci", "demo",
)  # fmt: skip
"""Of the commands in the help: begin, do the main job, look, mend, end."""

app.registered_commands.sort(key=lambda command: ORDER.index(command.name or getattr(command.callback, "__name__", "")))


def main(args: Sequence[str] | None = None) -> None:
    """The program. Exits; usage errors are exit 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(args=args, prog_name="git okf")


def _version(asked: bool) -> None:
    if asked:
        from git_okf import __version__

        typer.echo(f"git-okf {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""
