"""The CI file of a host: ci."""

from __future__ import annotations

from typing import Annotated

import typer

from git_okf.cli.app import Json, app, print_data, reading, reporting

CI_CODES = (
    "Exit codes: 0 done or nothing to do; 2 usage or configuration, or another file is in its place; 70 a bug; "
    "128 git says no."
)


@app.command(epilog=CI_CODES)
def ci(
    host: Annotated[str, typer.Argument(metavar="HOST", help="github, gitlab or gitea.")],
    report_issue: Annotated[
        bool, typer.Option("--report-issue", help="Let the job keep one issue open while a guard stops a sync.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that differs.")] = False,
    as_json: Json = False,
) -> None:
    """Write the CI file of a host, and say what to set there."""
    with reporting(as_json):
        from git_okf import ci_files, manage

        repo = reading()
        found = ci_files.host_of(host)
        settings = manage.read_config(repo)
        print_data(ci_files.write(repo.root, settings, found, force=force, report_issue=report_issue), as_json)
