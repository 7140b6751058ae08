"""Is the bundle whole: verify, and the git hooks that ask."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from git_okf import errors
from git_okf.cli.app import (
    READ_CODES,
    Json,
    app,
    echo,
    print_data,
    reading,
    reporting,
    world_of,
)


@app.command(epilog=READ_CODES)
def verify(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Bundles, or concepts; without any, all bundles of .okf.yaml."),
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help="What is staged, in place of the work tree.")] = False,
    from_ref: Annotated[str | None, typer.Option(metavar="REF", help="What the commits after it changed.")] = None,
    to_ref: Annotated[str | None, typer.Option(metavar="REF", help="The last of these commits; HEAD.")] = None,
    all_files: Annotated[bool, typer.Option("--all-files", help="All that the index holds.")] = False,
    hook: Annotated[bool, typer.Option("--hook", help="What the commit or push that is under way is about.")] = False,
    config_only: Annotated[bool, typer.Option("--config", help="Check .okf.yaml alone, as it is staged.")] = False,
    style: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text, json, or github.")] = "text",
    as_json: Json = False,
) -> None:
    """Check that bundles are whole and nobody edited them by hand."""
    with reporting(as_json):
        from git_okf.verdicts import FORMATS

        style = "json" if as_json else style
        if style not in FORMATS:
            raise errors.UsageError(f"there is no format {style!r}", f"formats: {', '.join(FORMATS)}")
        if hook or staged or all_files or config_only or from_ref is not None or to_ref is not None:
            from git_okf.hook import Stake, check_bundles, check_config

            stake = Stake.asked(staged=staged, from_ref=from_ref, to_ref=to_ref, all_files=all_files)
            stake = Stake.of_hook(os.environ) if hook else stake
            if config_only:
                findings = check_config(Path.cwd(), os.environ, stake, quiet=hook)
            else:
                findings = check_bundles(Path.cwd(), os.environ, stake, paths or [], quiet=hook)
        else:
            from git_okf import verify as bundles

            findings = bundles.verify(reading, Path.cwd(), paths or [])
        echo(findings.said(style))
        raise typer.Exit(findings.exit_code)


@app.command(epilog=READ_CODES)
def hooks(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="install or uninstall.")],
    remote: Annotated[str, typer.Option(metavar="NAME", help="For pre-push: where the push goes.")] = "",
    as_json: Json = False,
) -> None:
    """Put the git hooks in place, or take them away."""
    with reporting(as_json):
        from git_okf import hook_files

        if action == "install":
            print_data(hook_files.install(Path.cwd(), os.environ), as_json)
        elif action == "uninstall":
            print_data(hook_files.uninstall(Path.cwd(), os.environ), as_json)
        else:
            from git_okf import hook_refs

            hook_refs.check_action(action)
            hook_refs.run(reading(), action, sys.stdin.read().splitlines(), remote, world_of(quiet=True))
