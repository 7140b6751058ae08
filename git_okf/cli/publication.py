"""Bundles leave the repository: publish."""

from __future__ import annotations

from typing import Annotated

import typer

from git_okf import errors
from git_okf.cli.app import Json, Names, Quiet, Verbose, app, clear_progress, echo, reading, reporting, world_of

PUBLISH_CODES = (
    "Exit codes: 0 done or nothing to do; 1 a guard aborted, nothing was written; 2 usage, configuration, or the "
    "storage refuses it; 4 storage unavailable; 5 another publisher was faster, or published something newer; "
    "70 a bug; 128 git says no; 130 interrupted."
)


@app.command(epilog=PUBLISH_CODES)
def publish(
    names: Names = None,
    force: Annotated[bool, typer.Option("--force", help="Pass the page-count and max-removed guards.")] = False,
    older: Annotated[bool, typer.Option("--older", help="Go back to this commit from a newer one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only look; write nothing anywhere.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Upload what changed since the last time to object storage."""
    with reporting(as_json):
        from git_okf import manage, publishing, report

        repo, options = reading(), publishing.Options(force=force, older=older, dry_run=dry_run)
        done = []
        for each in publishing.publish(repo, manage.read_config(repo), names or [], options, world_of(quiet)):
            clear_progress()
            if each.error:
                fault = errors.OkfError(f"{each.name}: {each.error.message}", each.error.hint)
                echo(report.exception_text(fault), err=True)
            if not quiet and not as_json:
                echo(report.multiline(each.text()))
            if verbose:
                echo("\n".join(f"{each.name}: {report.printable(line)}" for line in each.lines()), err=True)
            done.append(each)
        found = publishing.Publications(tuple(done))
        if as_json:
            echo(report.dump(found.data()))
        raise typer.Exit(found.exit_code)
