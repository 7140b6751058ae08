"""Sources come and go: build, init, add, repair, remove."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from git_okf.cli.app import (
    CODES,
    READ_CODES,
    Json,
    MaxDepth,
    MaxPages,
    Name,
    Names,
    Quiet,
    Threshold,
    app,
    finish,
    print_data,
    print_run,
    reading,
    reporting,
    repository,
    world_of,
)


@app.command(epilog=CODES)
def build(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the crawl begins.")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="DIR", help="The bundle's directory.")] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The source's name; without it the directory's.")
    ] = None,
    max_depth: MaxDepth = None,
    max_pages: MaxPages = None,
    path_prefix: Annotated[str | None, typer.Option(metavar="PATH", help="Take only pages below it.")] = None,
    all_paths: Annotated[bool, typer.Option("--all-paths", help="Take the whole host.")] = False,
    include: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Take only these URLs.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Leave these URLs out.")] = None,
    content: Annotated[str | None, typer.Option(metavar="CSS", help="The content's selector, or a preset.")] = None,
    drop: Annotated[list[str] | None, typer.Option(metavar="CSS", help="What to leave out of the content.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="Text whose change does not count.")] = None,
    threshold: Threshold = None,
    browser: Annotated[bool, typer.Option("--browser", help="Render pages with a browser.")] = False,
    no_robots: Annotated[bool, typer.Option("--no-robots", help="Do not ask robots.txt.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only look; write nothing.")] = False,
    push: Annotated[bool, typer.Option("--push", help="Fetch first, and push all that was written.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add a source and sync it for the first time."""
    with reporting(as_json):
        from git_okf import manage
        from git_okf.run import Options

        values = manage.web_values(
            max_depth=max_depth, max_pages=max_pages, path_prefix="/" if all_paths else path_prefix,
            include=include, exclude=exclude, content=content, drop=drop, ignore=ignore, threshold=threshold,
            browser=browser, robots=not no_robots,
        )  # fmt: skip
        options = Options(dry_run=dry_run, push=manage.can_push(push, dry_run=dry_run, stage=False))
        result = manage.build(repository(), Path.cwd(), url, output, name, values, options, world_of(quiet))
        print_run(result, as_json, quiet)
        finish([result], as_json)


@app.command(epilog=READ_CODES)
def init(as_json: Json = False) -> None:
    """Set a clone up to fetch what git-okf remembers, and keep it."""
    with reporting(as_json):
        from git_okf import manage

        print_data(manage.init(reading()), as_json)


@app.command(epilog=CODES)
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the crawl begins.")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="DIR", help="The bundle's directory.")] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The source's name; without it the directory's.")
    ] = None,
    kind: Annotated[str, typer.Option(metavar="KIND", help="What kind of source it is.")] = "web",
    as_json: Json = False,
) -> None:
    """Write a source into .okf.yaml, and nothing else."""
    with reporting(as_json):
        from git_okf import manage

        print_data(manage.add(repository(), Path.cwd(), url, output, name, kind), as_json)


@app.command(epilog=CODES)
def repair(names: Names = None, as_json: Json = False) -> None:
    """Rebuild the state from the bundle."""
    with reporting(as_json):
        from git_okf import manage

        repo = repository()
        print_data(manage.repair(repo, manage.read_config(repo), names or [], world_of(quiet=True)), as_json)


@app.command(epilog=CODES)
def remove(name: Name, as_json: Json = False) -> None:
    """Take a source out of .okf.yaml; its bundle stays."""
    with reporting(as_json):
        from git_okf import manage

        print_data(manage.remove(repository(), name, world_of(quiet=True)), as_json)


Push = Annotated[bool, typer.Option("--push", help="Tell the remote, so that runs elsewhere know.")]


@app.command(epilog=CODES)
def pause(name: Name, push: Push = False, as_json: Json = False) -> None:
    """Leave a source out of all runs until it is resumed."""
    with reporting(as_json):
        from git_okf import standing
        from git_okf.manage import read_config
        from git_okf.run import Options

        repo = repository()
        source = read_config(repo).source(name)
        print_data(standing.pause(repo, source, Options(push=push), world_of(quiet=True)), as_json)


@app.command(epilog=CODES)
def resume(name: Name, push: Push = False, as_json: Json = False) -> None:
    """Let runs take a source again that was paused or waits."""
    with reporting(as_json):
        from git_okf import standing
        from git_okf.manage import read_config
        from git_okf.run import Options

        repo = repository()
        source = read_config(repo).source(name)
        print_data(standing.resume(repo, source, Options(push=push), world_of(quiet=True)), as_json)


@app.command(epilog=CODES)
def discover(
    query: Annotated[str, typer.Option(metavar="WORDS", help="What the skills are about.")],
    pages: Annotated[int, typer.Option(min=1, max=9, metavar="N", help="Pages of the search to ask for.")] = 3,
    ignore: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Leave out OWNER/NAME or a path.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="From the beginning, and what was told before.")] = False,
    as_json: Json = False,
) -> None:
    """List repositories that may hold skills, to be added by hand."""
    with reporting(as_json):
        from git_okf import discovering
        from git_okf.manage import read_config

        repo = repository()
        with discovering.connect(os.environ) as api:
            found = discovering.discover(
                repo, read_config(repo), api, query, datetime.now(UTC),
                pages=pages, ignore=tuple(ignore or ()), afresh=everything,
            )  # fmt: skip
        print_data(found, as_json)
