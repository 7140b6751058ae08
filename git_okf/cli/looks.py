"""Commands that only look: status, fresh, log, show, explain."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from git_okf.cli.app import (
    LOOK_CODES,
    READ_CODES,
    Branch,
    Json,
    Names,
    app,
    print_data,
    reading,
    reporting,
    tell_workflow,
    world_of,
)
from git_okf.quick import RUNS

if TYPE_CHECKING:
    from git_okf.config import Config
    from git_okf.store.repo import Repo


def looked_at(branch: str | None) -> tuple[Repo, Config]:
    """The repository and the configuration that a command which only looks sees."""
    from git_okf import settings

    return settings.looked_at(reading(branch), branch)


@app.command(epilog=READ_CODES)
def status(
    names: Names = None,
    check: Annotated[bool, typer.Option("--check", help="Fail where a source had no success for too long.")] = False,
    max_age: Annotated[str | None, typer.Option(metavar="TIME", help="For --check: how long; 7d.")] = None,
    branch: Branch = None,
    as_json: Json = False,
) -> None:
    """Say how each source is: state, items, last change, faults."""
    with reporting(as_json):
        from git_okf.lookup import statuses

        age = None
        if check or max_age is not None:
            from git_okf.manage import age_to_check

            age = age_to_check(check, max_age)
        repo, settings = looked_at(branch)
        found = statuses.status(repo, settings, names or [], datetime.now(UTC), age)
        print_data(found, as_json)
        raise typer.Exit(1 if found.late else 0)


@app.command(epilog=READ_CODES)
def plan(names: Names = None, as_json: Json = False) -> None:
    """Say which sources are due, as jobs for a CI matrix.

    Asks no server.
    """
    with reporting(as_json):
        from git_okf import manage, standing

        repo = reading()
        planned = standing.plan(repo, manage.read_config(repo), names or [], datetime.now(UTC))
        print_data(planned, as_json)
        tell_workflow([], planned.outputs())


@app.command(epilog=LOOK_CODES)
def fresh(
    names: Names = None,
    time_budget: Annotated[str | None, typer.Option(metavar="TIME", help="Stop asking after; 10s.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail also where nothing could be learned.")] = False,
    as_json: Json = False,
) -> None:
    """Look whether the bundles are behind their sources."""
    with reporting(as_json):
        from git_okf import fresh as looks
        from git_okf import manage

        repo, budget = reading(), manage.seconds(time_budget)
        world = replace(world_of(quiet=True), warn=lambda sentence: None)
        found = looks.look(repo, manage.read_config(repo), names or [], world, seconds=budget, strict=strict)
        print_data(found, as_json)
        raise typer.Exit(found.exit_code)


@app.command(epilog=READ_CODES)
def log(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A source; without one, all.")] = None,
    number: Annotated[int, typer.Option("-n", min=1, metavar="N", help="Runs to show at most.")] = RUNS,
    branch: Branch = None,
    as_json: Json = False,
) -> None:
    """List the runs that changed something, newest first."""
    with reporting(as_json):
        from git_okf.lookup import runs
        from git_okf.settings import from_branch

        print_data(runs.log(from_branch(reading(branch), branch), name, number), as_json)


@app.command(epilog=READ_CODES)
def show(
    item: Annotated[str, typer.Argument(metavar="URL|PATH", help="A page's URL, or its concept's path.")],
    branch: Branch = None,
    as_json: Json = False,
) -> None:
    """Show one item: its URL, path, hash and commits."""
    with reporting(as_json):
        from git_okf.lookup import items

        repo, settings = looked_at(branch)
        print_data(items.show(repo, settings, Path.cwd(), item), as_json)


@app.command(epilog=READ_CODES)
def explain(
    url: Annotated[str, typer.Argument(metavar="URL", help="Any URL.")],
    branch: Branch = None,
    as_json: Json = False,
) -> None:
    """Say whether a URL is taken, by which rule, and to which path.

    Asks no server.
    """
    with reporting(as_json):
        from git_okf.lookup import explanations

        repo, settings = looked_at(branch)
        print_data(explanations.explain(repo, settings, url), as_json)
