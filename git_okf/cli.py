"""The command line: each command parses, makes one call, prints, and returns a code. The only printer.

Results go to standard output, everything else to standard error; nothing is imported before the command that needs it
runs. Every command's help prints its exit codes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from git_okf import errors

if TYPE_CHECKING:
    from git_okf.model import RunResult
    from git_okf.run import Options, World
    from git_okf.store.repo import Repo

CODES = (
    "Exit codes: 0 done or nothing to do; 1 a guard aborted, nothing was written; 2 usage or configuration; "
    "3 partial: some items are retained; 4 source unavailable; 5 another run holds the lease; "
    "70 a bug; 128 git says no; 130 interrupted."
)
READ_CODES = "Exit codes: 0 done; 1 something was found wrong; 2 usage or configuration; 70 a bug; 128 git says no."
LOOK_CODES = (
    "Exit codes: 0 up to date, or not known; 1 behind; 2 usage or configuration; 4 not known, with --strict; "
    "70 a bug; 128 git says no."
)

app = typer.Typer(
    name="git-okf",
    help="Keep documentation that lives elsewhere in step inside this repository, as an Open Knowledge Format bundle.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Name every path and what came of it, on standard error.")
]
Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Sources; without any, all.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A source.")]
MaxDepth = Annotated[int | None, typer.Option(min=0, metavar="N", help="Links to follow from the start page at most.")]
MaxPages = Annotated[int | None, typer.Option(min=1, metavar="N", help="Pages to take at most.")]
Threshold = Annotated[
    float | None, typer.Option(min=0, max=1, metavar="X", help="Share of the known pages that must be found.")
]


def main(args: Sequence[str] | None = None) -> None:
    """The program. Exits; usage errors are exit 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(args=args, prog_name="git okf")


@contextmanager
def _errors(as_json: bool) -> Iterator[None]:
    """Errors become one clear sentence and an exit code; whatever is no OkfError is a bug and is written down."""
    try:
        yield
    except errors.OkfError as error:
        _print_error(error, as_json)
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(errors.EXIT_INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except typer.Exit:
        raise
    except Exception as error:
        from git_okf import bug

        typer.echo(f"error: this is a bug in git-okf: {bug.write(error)}", err=True)
        raise typer.Exit(errors.EXIT_BUG) from error


def _print_error(error: errors.OkfError, as_json: bool) -> None:
    from git_okf import report

    _clear_progress()
    typer.echo(report.exception_text(error), err=True)
    if as_json:
        typer.echo(report.error_json(error))


def _repo(*, reading: bool = False, bare: bool = False) -> Repo:
    from git_okf.store.repo import Repo

    return Repo.open(Path.cwd(), reading=reading, bare=bare)


def _reading(branch: str | None = None) -> Repo:
    """For commands that only look: a merge under way is no obstacle to them. A branch needs no work tree."""
    return _repo(reading=True, bare=branch is not None)


def _world(quiet: bool) -> World:
    from git_okf import interrupt
    from git_okf.run import World

    return World(environ=os.environ, stopping=interrupt.watch(), progress=_progress(quiet), warn=_warn)


def _warn(sentence: str) -> None:
    from git_okf import report

    _clear_progress()
    typer.echo(f"warning: {report.printable(sentence)}", err=True)


def _progress(quiet: bool) -> Any:
    """A line that is written over, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        return lambda what, done, total: None

    def show(what: str, done: int, total: int) -> None:
        sys.stderr.write(f"\r\x1b[K{what} {done}/{total}" if done < total else "\r\x1b[K")
        sys.stderr.flush()

    return show


def _clear_progress() -> None:
    """What comes next begins at the beginning of a line: a crawl may end before its last count."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _print_run(result: RunResult, as_json: bool, quiet: bool) -> None:
    from git_okf import report

    _clear_progress()
    if not quiet:
        _echo(report.notices_text(result), err=True)
    _echo(report.error_text(result), err=True)
    if not quiet and not as_json:
        _echo(report.as_text(result))


def _echo(text: str, *, err: bool = False) -> None:
    if text:
        typer.echo(text, err=err)


def _finish(results: Sequence[RunResult], as_json: bool) -> None:
    from git_okf import report

    if as_json:
        typer.echo(report.as_json(results))
    raise typer.Exit(report.exit_code(results))


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
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add a source and sync it for the first time."""
    with _errors(as_json):
        from git_okf import manage

        values = manage.web_values(
            max_depth=max_depth, max_pages=max_pages, path_prefix="/" if all_paths else path_prefix,
            include=include, exclude=exclude, content=content, drop=drop, ignore=ignore, threshold=threshold,
            browser=browser, robots=not no_robots,
        )  # fmt: skip
        result = manage.build(_repo(), Path.cwd(), url, output, name, values, dry_run, _world(quiet))
        _print_run(result, as_json, quiet)
        _finish([result], as_json)


@app.command(epilog=READ_CODES)
def init(as_json: Json = False) -> None:
    """Set a clone up to fetch what git-okf remembers, and keep it."""
    with _errors(as_json):
        from git_okf import manage

        _print_data(manage.init(_reading()), as_json)


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
    with _errors(as_json):
        from git_okf import manage

        _print_data(manage.add(_repo(), Path.cwd(), url, output, name, kind), as_json)


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
    max_depth: MaxDepth = None,
    max_pages: MaxPages = None,
    threshold: Threshold = None,
    time_budget: Annotated[str | None, typer.Option(metavar="TIME", help="Stop asking after, say, 50m.")] = None,
    push: Annotated[bool, typer.Option("--push", help="Fetch first, and push all that was written.")] = False,
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sync onto this branch, which is checked out nowhere.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Look at the sources and commit exactly what changed there."""
    with _errors(as_json):
        from git_okf import manage
        from git_okf.run import Options

        options = Options(
            force=force, allow=manage.guard_names(allow), dry_run=dry_run, stage=stage, retry_failed=retry_failed,
            rebuild=rebuild, prune=prune, theirs=theirs, max_depth=max_depth, max_pages=max_pages, threshold=threshold,
            time_budget=manage.seconds(time_budget), push=manage.can_push(push, dry_run=dry_run, stage=stage),
        )  # fmt: skip
        repo = _repo() if branch is None else _reading(branch)
        _sync(
            repo,
            names or [],
            replace(options, onto=manage.on_branch(repo, branch, stage=stage)),
            as_json,
            quiet,
            verbose,
        )


def _sync(repo: Repo, names: Sequence[str], options: Options, as_json: bool, quiet: bool, verbose: bool) -> None:
    from git_okf import manage, report
    from git_okf.sync import sync as run

    world = _world(quiet)
    if options.push:
        manage.catch_up(repo, world, options.onto)
    results = []
    for result in run(repo, manage.read_config(repo, options.onto), names, options, world):
        _print_run(result, as_json, quiet)
        if verbose:
            _echo(report.details(result), err=True)
        results.append(result)
    if not results and not as_json and not quiet:
        _echo("no sources in .okf.yaml: git okf build URL   adds one")
    _finish(results, as_json)


def _print_data(value: Any, as_json: bool) -> None:
    """A value that can say itself as text and as data."""
    from git_okf import report

    typer.echo(report.dump(value.data()) if as_json else report.multiline(value.text()))


@app.command(epilog=READ_CODES)
def status(names: Names = None, as_json: Json = False) -> None:
    """Say how each source is: its state, items, last change and faults."""
    with _errors(as_json):
        from git_okf import lookup, manage

        repo = _reading()
        _print_data(lookup.status(repo, manage.read_config(repo), names or []), as_json)


@app.command(epilog=LOOK_CODES)
def fresh(
    names: Names = None,
    time_budget: Annotated[str | None, typer.Option(metavar="TIME", help="Stop asking after; 10s.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail also where nothing could be learned.")] = False,
    as_json: Json = False,
) -> None:
    """Look whether the bundles are behind their sources."""
    with _errors(as_json):
        from git_okf import fresh as looks
        from git_okf import manage

        repo, budget = _reading(), manage.seconds(time_budget)
        world = replace(_world(quiet=True), warn=lambda sentence: None)
        found = looks.look(repo, manage.read_config(repo), names or [], world, seconds=budget, strict=strict)
        _print_data(found, as_json)
        raise typer.Exit(found.exit_code)


@app.command(epilog=READ_CODES)
def log(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A source; without one, all.")] = None,
    number: Annotated[int, typer.Option("-n", min=1, metavar="N", help="Runs to show at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List the runs that changed something, newest first."""
    with _errors(as_json):
        from git_okf import lookup

        _print_data(lookup.log(_reading(), name, number), as_json)


@app.command(epilog=READ_CODES)
def show(
    item: Annotated[str, typer.Argument(metavar="URL|PATH", help="A page's URL, or its concept's path.")],
    as_json: Json = False,
) -> None:
    """Show one item: its URL, path, hash and commits."""
    with _errors(as_json):
        from git_okf import lookup, manage

        repo = _reading()
        _print_data(lookup.show(repo, manage.read_config(repo), Path.cwd(), item), as_json)


@app.command(epilog=READ_CODES)
def explain(
    url: Annotated[str, typer.Argument(metavar="URL", help="Any URL.")],
    as_json: Json = False,
) -> None:
    """Say whether a URL is taken, by which rule, and to which path.

    Asks no server.
    """
    with _errors(as_json):
        from git_okf import lookup, manage

        repo = _reading()
        _print_data(lookup.explain(repo, manage.read_config(repo), url), as_json)


@app.command(epilog=READ_CODES)
def verify(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Bundles' directories; without any, all of .okf.yaml.")
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
    with _errors(as_json):
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
            from git_okf import manage
            from git_okf import verify as bundles

            findings = bundles.verify(_reading, manage.read_config, Path.cwd(), paths or [])
        _echo(findings.said(style))
        raise typer.Exit(findings.exit_code)


@app.command(epilog=CODES)
def repair(names: Names = None, as_json: Json = False) -> None:
    """Rebuild the state from the bundle."""
    with _errors(as_json):
        from git_okf import manage

        repo = _repo()
        _print_data(manage.repair(repo, manage.read_config(repo), names or [], _world(quiet=True)), as_json)


@app.command(epilog=CODES)
def remove(name: Name, as_json: Json = False) -> None:
    """Take a source out of .okf.yaml; its bundle stays."""
    with _errors(as_json):
        from git_okf import manage

        _print_data(manage.remove(_repo(), name, _world(quiet=True)), as_json)


@app.command(epilog=READ_CODES)
def hooks(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="install or uninstall.")],
    remote: Annotated[str, typer.Option(metavar="NAME", help="For pre-push: where the push goes.")] = "",
    as_json: Json = False,
) -> None:
    """Put the git hooks in place, or take them away."""
    with _errors(as_json):
        from git_okf import hook_files

        if action == "install":
            _print_data(hook_files.install(Path.cwd(), os.environ), as_json)
        elif action == "uninstall":
            _print_data(hook_files.uninstall(Path.cwd(), os.environ), as_json)
        else:
            from git_okf import hook_refs

            hook_refs.check_action(action)
            hook_refs.run(_reading(), action, sys.stdin.read().splitlines(), remote, _world(quiet=True))


@app.command(epilog=CODES)
def demo(
    url: Annotated[str | None, typer.Argument(metavar="URL", help="A real site in place of the built-in one.")] = None,
    directory: Annotated[Path | None, typer.Option("-o", metavar="DIR", help="Where the repository is made.")] = None,
) -> None:
    """Show it at work: a small site and a throw-away repository."""
    with _errors(False):
        from git_okf.demo import run

        raise typer.Exit(run.show(url, directory, echo=typer.echo))


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
