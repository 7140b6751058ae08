"""The main job: sync, and the demonstration of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from git_okf.cli.app import (
    CODES,
    Json,
    MaxDepth,
    MaxPages,
    Names,
    Quiet,
    Threshold,
    Verbose,
    Workers,
    app,
    echo,
    finish,
    print_run,
    reading,
    reporting,
    repository,
    tell_workflow,
    warn,
    world_of,
)

if TYPE_CHECKING:
    from git_okf.run import Options, World
    from git_okf.store.repo import Repo


@app.command(epilog=CODES)
def sync(
    names: Names = None,
    force: Annotated[bool, typer.Option("--force", help="Pass the page-count and max-removed guards.")] = False,
    allow: Annotated[list[str] | None, typer.Option(metavar="GUARD", help="Pass one guard by its name.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only look; write nothing anywhere.")] = False,
    stage: Annotated[bool, typer.Option("--stage", help="Leave the delta staged, uncommitted.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask only for what was retained.")] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Crawl afresh, without validators.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove pages the configuration leaves out.")] = False,
    theirs: Annotated[bool, typer.Option("--theirs", help="Drop hand edits of concepts.")] = False,
    head_only: Annotated[bool, typer.Option("--head-only", help="Look whether something moved; take nothing.")] = False,
    max_depth: MaxDepth = None,
    max_pages: MaxPages = None,
    threshold: Threshold = None,
    time_budget: Annotated[str | None, typer.Option(metavar="TIME", help="Stop asking after, say, 50m.")] = None,
    push: Annotated[bool, typer.Option("--push", help="Fetch first, and push all that was written.")] = False,
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sync onto this branch, which is checked out nowhere.")
    ] = None,
    workers: Workers = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Look at the sources and commit exactly what changed there."""
    with reporting(as_json):
        from git_okf import manage
        from git_okf.run import Options

        options = Options(
            force=force, allow=manage.guard_names(allow), dry_run=dry_run, stage=stage, retry_failed=retry_failed,
            rebuild=rebuild, prune=prune, head_only=head_only, theirs=theirs,
            max_depth=max_depth, max_pages=max_pages, threshold=threshold,
            time_budget=manage.seconds(time_budget), push=manage.can_push(push, dry_run=dry_run, stage=stage),
        )  # fmt: skip
        repo = repository() if branch is None else reading(branch)
        _sync(
            repo,
            names or [],
            replace(options, onto=manage.on_branch(repo, branch, stage=stage)),
            world_of(quiet, workers),
            as_json,
            quiet,
            verbose,
        )


@app.command(epilog=CODES)
def pr(
    names: Names = None,
    force: Annotated[bool, typer.Option("--force", help="Pass the page-count and max-removed guards.")] = False,
    allow: Annotated[list[str] | None, typer.Option(metavar="GUARD", help="Pass one guard by its name.")] = None,
    report_issue: Annotated[
        bool, typer.Option("--report-issue", help="Keep one issue open for as long as a guard stops a sync.")
    ] = False,
    time_budget: Annotated[str | None, typer.Option(metavar="TIME", help="Stop asking after, say, 50m.")] = None,
    workers: Workers = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Sync onto review branches, push them, open or update reviews."""
    with reporting(as_json):
        from git_okf import manage, report, reviewing
        from git_okf.reviewing import telling
        from git_okf.run import Options

        repo, world = reading(branch=""), world_of(quiet, workers)
        options = Options(force=force, allow=manage.guard_names(allow), time_budget=manage.seconds(time_budget))
        done = []
        for each in reviewing.of_repository(repo, names or [], options, world, report_issue=report_issue):
            print_run(each.result, as_json, quiet, text=telling.text(each))
            for hint in each.hints:
                warn(hint)
            done.append(each)
        if as_json:
            echo(report.dump(telling.data(done)))
        results = [each.result for each in done]
        tell_workflow(results, telling.outputs(done), {each.result.name: telling.summary(each) for each in done})
        raise typer.Exit(report.exit_code(results))


@app.command(epilog=CODES)
def demo(
    url: Annotated[str | None, typer.Argument(metavar="URL", help="A real site in place of the built-in one.")] = None,
    directory: Annotated[Path | None, typer.Option("-o", metavar="DIR", help="Where the repository is made.")] = None,
) -> None:
    """Show it at work: a small site and a throw-away repository."""
    with reporting(False):
        from git_okf.demo import run

        raise typer.Exit(run.show(url, directory, echo=typer.echo))


def _sync(
    repo: Repo, names: Sequence[str], options: Options, world: World, as_json: bool, quiet: bool, verbose: bool
) -> None:
    from git_okf import manage, report
    from git_okf.sync import sync as run

    if options.push:
        manage.catch_up(repo, world, options.onto)
    results = []
    for result in run(repo, manage.read_config(repo, options.onto), names, options, world):
        print_run(result, as_json, quiet)
        if verbose:
            echo(report.details(result), err=True)
        results.append(result)
    if not results and not as_json and not quiet:
        echo("no sources in .okf.yaml: git okf build URL   adds one")
    finish(results, as_json)
