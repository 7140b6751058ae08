"""What all commands share: the program, its options, its exit codes, and the one way to print.

Results go to standard output, everything else to standard error; nothing is imported before the command that needs it
runs. Every command's help prints its exit codes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from git_okf import errors

if TYPE_CHECKING:
    from git_okf.model import RunResult
    from git_okf.run import World
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
Branch = Annotated[str | None, typer.Option(metavar="NAME", help="A branch, in place of the one checked out.")]
MaxDepth = Annotated[int | None, typer.Option(min=0, metavar="N", help="Links to follow from the start page at most.")]
MaxPages = Annotated[int | None, typer.Option(min=1, metavar="N", help="Pages to take at most.")]
Workers = Annotated[
    str | None, typer.Option(metavar="WORKERS", help="Extract with so many processes, or on dask://HOST:PORT.")
]
Threshold = Annotated[
    float | None, typer.Option(min=0, max=1, metavar="X", help="Share of the known pages that must be found.")
]


@contextmanager
def reporting(as_json: bool) -> Iterator[None]:
    """Errors become one clear sentence and an exit code; whatever is no OkfError is a bug and is written down."""
    try:
        yield
    except errors.OkfError as error:
        print_error(error, as_json)
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

        said = f"this is a bug in git-okf: {bug.write(error)}"
        typer.echo(f"error: {said}", err=True)
        annotate(said)
        raise typer.Exit(errors.EXIT_BUG) from error


def print_error(error: errors.OkfError, as_json: bool) -> None:
    from git_okf import report

    clear_progress()
    typer.echo(report.exception_text(error), err=True)
    annotate(error.message, error.hint)
    if as_json:
        typer.echo(report.error_json(error))


def annotate(message: str, hint: str = "") -> None:
    """Where a CI workflow shows annotations, the error as one: the log is the last place where people look."""
    from git_okf import workflow

    for line in workflow.fault(os.environ, message, hint):
        typer.echo(line, err=True)


def repository(*, reading: bool = False, bare: bool = False) -> Repo:
    from git_okf.store.repo import Repo

    return Repo.open(Path.cwd(), reading=reading, bare=bare)


def reading(branch: str | None = None) -> Repo:
    """For commands that only look: a merge under way is no obstacle to them. A branch needs no work tree."""
    return repository(reading=True, bare=branch is not None)


def world_of(quiet: bool, workers: str | None = None) -> World:
    from git_okf import interrupt
    from git_okf.run import World
    from git_okf.workers import pool_of

    return World(
        environ=os.environ,
        stopping=interrupt.watch(),
        progress=progress(quiet),
        warn=warn,
        executor=pool_of(workers),
    )


def warn(sentence: str) -> None:
    from git_okf import report

    clear_progress()
    typer.echo(f"warning: {report.printable(sentence)}", err=True)


def progress(quiet: bool) -> Any:
    """A line that is written over, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        return lambda what, done, total: None

    def show(what: str, done: int, total: int) -> None:
        sys.stderr.write(f"\r\x1b[K{what} {done}/{total}" if done < total else "\r\x1b[K")
        sys.stderr.flush()

    return show


def clear_progress() -> None:
    """What comes next begins at the beginning of a line: a crawl may end before its last count."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def print_run(result: RunResult, as_json: bool, quiet: bool, *, text: str | None = None) -> None:
    """Warnings, the error, and the result; `text` says it otherwise."""
    from git_okf import report

    clear_progress()
    if not quiet:
        echo(report.notices_text(result), err=True)
    echo(report.error_text(result), err=True)
    if not quiet and not as_json:
        echo(report.as_text(result) if text is None else text)


def echo(text: str, *, err: bool = False) -> None:
    if text:
        typer.echo(text, err=err)


def finish(results: Sequence[RunResult], as_json: bool) -> None:
    from git_okf import report, workflow

    if as_json:
        typer.echo(report.as_json(results))
    tell_workflow(results, workflow.outputs(results))
    raise typer.Exit(report.exit_code(results))


def tell_workflow(
    results: Sequence[RunResult], outputs: Mapping[str, str], reviews: Mapping[str, str] | None = None
) -> None:
    """Outputs, summary and annotations, where a CI workflow offers a place for them."""
    from git_okf import workflow

    for line in workflow.notes(os.environ, results):
        typer.echo(line, err=True)
    workflow.tell(os.environ, outputs, workflow.summary(results, reviews))


def print_data(value: Any, as_json: bool) -> None:
    """A value that can say itself as text and as data."""
    from git_okf import report

    typer.echo(report.dump(value.data()) if as_json else report.multiline(value.text()))
