"""Extraction on a Dask cluster, where one machine is too small: an executor like any other.

A worker that dies takes its pages with it, and the scheduler gives them to another one. Text must not depend on where
it was made: a worker with other versions of what makes it is refused by the first page it is given.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import cache
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from git_okf.errors import OkfError, UsageError

SCHEME = "dask"
CONNECT_S = "15s"
RETRIES = 3
"""How often a page is given to another worker after one died over it."""
VERSIONED = ("git-okf", "lxml", "trafilatura", "selectolax", "cssselect", "charset-normalizer")
"""Distributions whose versions make a difference for the text."""

P = ParamSpec("P")
T = TypeVar("T")


class ClusterError(OkfError):
    """The cluster cannot be used."""

    code = "cluster"


class DaskExecutor(Executor):
    """Calls go to the workers of a scheduler; their results come back as futures."""

    def __init__(self, address: str) -> None:
        """`dask://HOST:PORT`. UsageError where that is none, ClusterError where nobody answers there."""
        self._client = _connect(_tcp(address), address)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        outer: Future[T] = Future()
        inner = self._client.submit(checked, versions(), fn, *args, **kwargs, pure=False, retries=RETRIES)
        inner.add_done_callback(lambda done: _hand_over(done, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._client.close()


def _tcp(address: str) -> str:
    parts = urlsplit(address)
    try:
        usable = parts.scheme == SCHEME and bool(parts.hostname and parts.port) and not parts.path.strip("/")
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{address!r} is no address of a Dask scheduler", "write it like dask://10.0.0.7:8786")
    return f"tcp://{parts.hostname}:{parts.port}"


def _connect(tcp: str, address: str) -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(f"{address}: Dask is not installed", "pip install 'git-okf[dask]'") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it has to say comes as an error of a page
    try:
        connect: Any = distributed.Client
        return connect(tcp, timeout=CONNECT_S, set_as_default=False)
    except OSError as error:
        raise ClusterError(
            f"{address}: no Dask scheduler answers there. Nothing was fetched or changed",
            "start one with `dask scheduler`, or leave --workers out",
        ) from error


def _hand_over(done: Any, outer: Future[T]) -> None:
    """The result of a finished call. A worker that died over it time and again is told as a pool tells it."""
    from distributed import KilledWorker

    try:
        outer.set_result(done.result())
    except (KilledWorker, CancelledError) as error:
        outer.set_exception(BrokenExecutor(str(error)))
    except Exception as error:  # noqa: BLE001 - an executor hands every error to whoever asks for the result
        outer.set_exception(error)


def checked(wanted: tuple[tuple[str, str], ...], fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """On a worker: the call, if what makes the text is what it is where the run is."""
    other = [f"{name} {have} (here {want})" for (name, have), (_, want) in zip(versions(), wanted, strict=True)
             if have != want]  # fmt: skip
    if other:
        raise ClusterError(
            f"a worker has other versions: {', '.join(other)}", "install the same git-okf on all machines"
        )
    return fn(*args, **kwargs)


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Of everything that makes a difference for the text."""
    from importlib.metadata import version

    return tuple((name, version(name)) for name in VERSIONED)
