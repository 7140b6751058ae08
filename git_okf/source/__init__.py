"""Sources: what git-okf looks at.

source        one configured origin of knowledge
item          one thing the source offers: a page, a Markdown file, a skill package, an article
key           the item's identity, stable over time: canonical URL, path in the repository, drive token
validator     what the server gave to ask cheaply next time (ETag, Last-Modified); never proof of anything
raw hash      of the bytes an item came as
content hash  of the canonical Markdown made of them: the one thing that decides whether an item changed
fingerprint   of the code and the options that turn bytes into Markdown

A source never says "unchanged" and never decides that something is to be removed: it says what came of asking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, cast

from git_okf.config import SourceConfig
from git_okf.model import Fetched, Observation, Outcome, Record

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


def as_fetched(record: Record) -> Fetched:
    """What the record was made of, as far as it is known; its text is in its file alone."""
    return Fetched(
        key=record.key,
        url=record.url,
        title=record.title,
        description=record.description,
        content_hash=record.content_hash,
        compared_hash=record.compared_hash,
        raw_hash=record.raw_hash,
        fingerprint=record.fingerprint,
        size=record.size,
        etag=record.etag,
        last_modified=record.last_modified,
        links=record.links,
        form=record.form,
        language=record.language,
        name=record.name,
        meta={"fingerprint": record.compared_hash} if record.compared_hash else {},
        files=record.files,
        memo=record.memo,
    )


class Spool(Protocol):
    """Where bodies wait for the commit, and results for a run that resumes: on disk, not in memory.

    Content-addressed and append-only. A spool survives a killed run, and is only handed to a run whose
    configuration, base and extractor are those it was made with.
    """

    def put(self, content_hash: str, body: str) -> None:
        """Keep a body. Repeating it costs nothing."""

    def get(self, content_hash: str) -> str:
        """The body, or KeyError."""

    def put_file(self, data: bytes) -> str:
        """Keep a file's bytes; the name git has for them (`digest.blob_id`). Repeating it costs nothing."""

    def file(self, blob: str) -> bytes:
        """The bytes of a file, or KeyError."""

    def remember(self, result: Fetched) -> None:
        """Save the result of one item, so that a resumed run need not ask again."""

    def recall(self, key: str) -> Fetched | None:
        """The result an earlier, unfinished run saved for this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What one run wants of a source, beyond its configuration."""

    max_depth: int | None = None
    max_pages: int | None = None
    retry_failed: bool = False
    """Ask only for what was retained last time; the observation is incomplete."""
    again: bool = False
    """The source was synced before: if it is empty now, that is no mistake in its address."""
    afresh: bool = False
    """Send no validators and trust no remembered alias (`--rebuild`)."""
    deadline: float | None = None
    """Monotonic seconds at which the run must stop asking."""
    look_only: bool = False
    """Find out whether anything moved and take nothing (`--head-only`): known items are NotModified, what may have
    changed is a reason for incompleteness."""
    memory: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What the source wanted remembered of itself last time (`Observation.memory`)."""
    memos: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    """By key, the memos of items that stand in a review and not in the base, so that there is no record of them."""
    threshold: float | None = None
    """Share of the known items that must be found before anything can be removed; None: the source's, 0: no such share
    (`--force`). Below it the source need not prove what is gone, because nothing will be removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a source may use; nothing else reaches it."""

    clock: Callable[[], datetime]
    spool: Spool
    place: Callable[[str], str]
    """URL or name -> the bundle path its concept has or would have (a picklable pure function)."""
    executor: Callable[[], Executor]
    """Made on first use: where extraction runs."""
    expect: Callable[[int], None] = lambda calls: None
    """Say before many calls of `executor` how many are to come: workers take time to start."""
    watched: Callable[[AbstractEventLoop], None] = lambda loop: None
    """Say which event loop awaits the calls of `executor`: it can then take their answers itself."""
    root: Path = Path()
    """Of the repository that is written to: where relative paths in the configuration begin."""
    scratch: Path | None = None
    """A directory of the source's own for what saves work next time; losing it loses nothing. None: keep nothing."""
    sleep: Callable[[float], None] = time.sleep
    progress: Callable[[str, int, int], None] = lambda what, done, total: None
    stopping: Callable[[], bool] = lambda: False
    """True once a signal asked the run to end."""


class Source(Protocol):
    """One kind of origin. Each implementation passes the contract suite in tests/contract."""

    @property
    def fingerprint(self) -> str:
        """Of the extractor and its options; records made by another one are extracted again."""

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """Ask the source for everything it has; `known` holds all records by key.

        Raises SourceUnavailable where nothing can be said (unreachable, rate-limited). Any smaller trouble is an
        outcome or a reason for incompleteness.
        """


class Explanation(TypedDict):
    """What is to be said of one address."""

    accepted: bool
    rule: str
    """The rule that decided, as a sentence."""
    key: str
    """Its identity; "" where it is nothing that could be asked for."""
    path: str
    """Where its concept is, or would be; "" where it is not taken."""
    known: str
    """What the last run learned of it; "" where nothing is known."""
    links: str
    """Which known items lead to it; "" where none does."""


class Kind(Protocol):
    """What each kind's module `kind` answers. All but `open_source` are pure: they ask nobody."""

    def open_source(self, source: SourceConfig, environ: Mapping[str, str]) -> Source: ...

    def check(self, source: SourceConfig) -> None:
        """ConfigError where an option says something that cannot be done, such as a pattern nobody can read."""

    def may_hold(self, source: SourceConfig, path: str) -> bool:
        """Whether the concept of some item could stand at a path of the bundle."""

    def explain(
        self, source: SourceConfig, known: Mapping[str, Record], address: str, place: Callable[[str], str]
    ) -> Explanation:
        """Whether an address (URL, or path at the source) would be taken, by which rule, and what is known of it."""


class Settlement(StrEnum):
    """What became of the content that was offered last."""

    APPROVED = "APPROVED"
    """Merged, or committed without a review."""
    REJECTED = "REJECTED"
    SUPERSEDED = "SUPERSEDED"
    """The review is gone, and nobody decided."""
    PENDING = "PENDING"
    """A rejection was taken back: the review is open again."""


Memos = Mapping[str, Mapping[str, Any]]
"""`Record.memo` by key."""


class Ingesting(Protocol):
    """What the module `settling` of a kind answers each of whose items is reviewed for itself. Pure."""

    def settled(
        self, memory: Mapping[str, Any], memos: Memos, how: Settlement, review: str
    ) -> tuple[Mapping[str, Any], Memos]:
        """What the source remembers of itself and of its items, once that became of what waits for a decision.
        `review` names the review that it was decided in; "" where there was none."""

    def withheld(self, outcomes: Mapping[str, Outcome]) -> bool:
        """Whether something was left out of a run because a review refused it and the source still offers it."""

    def unresolved(self, memory: Mapping[str, Any], memos: Memos) -> frozenset[str]:
        """The keys of items about which a person has to decide: in a review, or because of a conflict."""


def ingesting(source: SourceConfig) -> Ingesting | None:
    """The rules by which the items of a source are settled one by one; None where its review is settled as a whole."""
    return (
        cast(Ingesting, import_module(f"git_okf.source.{source.kind}.settling")) if source.kind in _ITEMWISE else None
    )


_ITEMWISE = frozenset({"skills"})


def kind_of(source: SourceConfig) -> Kind:
    """The code of a source's kind. Imports it, and nothing of the others'."""
    return cast(Kind, import_module(f"git_okf.source.{source.kind}.kind"))


def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
    """The source of a configuration."""
    return kind_of(source).open_source(source, environ)
