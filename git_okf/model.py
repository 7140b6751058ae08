"""Frozen values shared by all stages. Imports nothing of ours, does nothing.

An *item* is one thing a source offers (a page). A *record* is what we know of it from last time. An *outcome* is
what came of asking for it now; the set of outcomes is closed. An *observation* is all outcomes of one run, with the
reasons why it may be incomplete. A *delta* is what the outcomes mean for the records.

Paths are POSIX paths inside the bundle (`pages/guide/install.md`). Hashes are `sha256:<64 hex digits>`. Times are
ISO 8601 with an offset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    """One empty mapping for all values that have none: there may be a hundred thousand of them."""
    return _NOTHING


class Status(StrEnum):
    """What a record stands for. Only `PAGE` has a concept; the others save requests and are never part of a delta."""

    PAGE = "page"
    ALIAS = "alias"  # another name of the page `target`: a variant or a redirect, merged on evidence
    ABSENT = "absent"  # linked, answered 404/410: asked with HEAD until it exists
    REFUSED = "refused"  # linked, answered something that is no page (type, noindex, soft 404)
    PENDING = "pending"  # new, failed retryably: asked first next time


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class File:
    """A file that belongs to an item beside its concept, byte for byte."""

    path: str
    """POSIX path below the source's directory for files (the bundle, or the `packages` of skills)."""
    blob: str
    """The name git has for the content (`digest.blob_id`)."""
    size: int
    executable: bool = False
    content: str = field(default="", compare=False)
    """Where `blob` is a pointer of git-lfs: the name of the content that it stands for, which lies in the spool too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What we know of an item from the last time."""

    key: str
    """Identity of the item: canonical URL, path in the repository, drive token."""
    status: Status = Status.PAGE
    url: str = ""
    """What is requested, where it differs from `key` ("" means the key)."""
    path: str = ""
    title: str = ""
    description: str = ""
    content_hash: str = ""
    """Of the body in the file; what the delta compares unless `compared_hash` is set."""
    compared_hash: str = ""
    """Of the compared form (the body with what `ignore` matches left out); "" where it equals `content_hash`."""
    raw_hash: str = ""
    """Of the bytes the body was made from."""
    fingerprint: str = ""
    """Of the extractor, its versions and options, that made the body."""
    size: int = 0
    """Characters of the body."""
    etag: str = ""
    last_modified: str = ""
    links: Sequence[str] = ()
    """In-scope keys the page links to, in page order, each once; equal to the tuple of them."""
    form: str = "html"
    """`html`, or `markdown` where the site publishes Markdown and it was taken."""
    target: str = ""
    """ALIAS: the key it stands for. REFUSED: the reason."""
    missing_runs: int = 0
    """Complete runs in a row in which the page answered but nothing linked to it."""
    missing_since: str = ""
    failure: str = ""
    """Why the item was retained last time; "" where nothing was wrong."""
    tries: int = 0
    """Failed runs in a row."""
    edited: bool = False
    """The file was edited by hand; `content_hash` is that of what was last synced."""
    language: str = ""
    """What the item declares its language to be, as it writes it; "" where it says nothing."""
    name: str = ""
    """What the path was made of, where that is not the key; "" where it is, or where it is not known any more."""
    files: tuple[File, ...] = ()
    """The files of the item, sorted by path: these, and no others, are ours to change or remove."""
    memo: Mapping[str, Any] = field(default_factory=_nothing)
    """What the source itself remembers of the item: JSON values, durable."""

    @property
    def request_url(self) -> str:
        return self.url or self.key

    @property
    def identity_hash(self) -> str:
        """The hash that decides whether the content changed."""
        return self.compared_hash or self.content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Bytes arrived and content was extracted; the body itself lies in the spool under `content_hash`.

    Where the raw bytes and the fingerprint are those of the record, extraction was left out and the hashes are the
    record's: a source never says "unchanged", the delta sees that the hashes are equal.
    """

    key: str
    url: str = ""
    title: str
    description: str
    content_hash: str
    compared_hash: str = ""
    raw_hash: str
    fingerprint: str
    size: int
    etag: str = ""
    last_modified: str = ""
    links: Sequence[str] = ()
    """As in `Record`."""
    form: str = "html"
    warnings: tuple[str, ...] = ()
    """What extraction could not keep, for the report (coverage check)."""
    language: str = ""
    """As in `Record`."""
    name: str = ""
    """A `/`-separated name that the path is to be made of; "" where it is the key. Another name than last time is a
    rename: the concept moves."""
    resource: str = ""
    """Where people find the item; "" where that is the key."""
    type: str = ""
    """The concept's type; "" for the one of pages."""
    meta: Mapping[str, Any] = field(default_factory=_nothing)
    """More front matter, below ours: JSON values. `fingerprint` there is `compared_hash`, where the source made it over
    more than the body."""
    files: tuple[File, ...] = ()
    """As in `Record`. The bytes of those that the record does not have lie in the spool."""
    memo: Mapping[str, Any] = field(default_factory=_nothing)
    """As in `Record`."""
    parts_failed: tuple[str, ...] = ()
    """What of the item could not be had this time and is as it was: it makes the run partial."""

    @property
    def identity_hash(self) -> str:
        return self.compared_hash or self.content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """304 to our validators: the record stands."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """404/410, asked twice in this run."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Permanent redirect to another in-scope item `to`."""

    key: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Nothing certain is known; retained. `retryable` failures are asked again next run."""

    key: str
    reason: str
    retryable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Not taken by rule: robots, exclude, noindex."""

    key: str
    reason: str
    out_of_scope: bool = False
    """The configuration does not take it any more: kept all the same, removed where a person says `--prune`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """Looks like a block page, a login page, a soft 404 or another page's body."""

    key: str
    reason: str


Outcome = Fetched | NotModified | Gone | Moved | Failed | Ignored | Suspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What a run cost. `bytes` are body bytes as they came over the wire."""

    requests: int = 0
    not_modified: int = 0
    fetched: int = 0
    extracted: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The enumeration of one run."""

    outcomes: Mapping[str, Outcome]
    """By key: every item found, and every known item that was asked for."""
    incomplete_reasons: tuple[str, ...] = ()
    """Why items may exist that are not in `outcomes`; empty means complete."""
    unlinked: frozenset[str] = frozenset()
    """Known keys that answered when asked directly although nothing found links to them."""
    side: tuple[Record, ...] = ()
    """Aliases, absent and refused links, to be remembered."""
    counters: Counters = Counters()
    final_urls: Mapping[str, str] = field(default_factory=_nothing)
    """By key, the URL that answered, where it is not the key's own; the `lookalike` guard reads it."""
    origins: Mapping[str, int] = field(default_factory=_nothing)
    """How many items each way of discovery found: links, sitemap, llms.txt, known."""
    memory: Mapping[str, Any] | None = None
    """What the source wants remembered of itself, JSON values (revision, cursors); None: as it was."""
    notices: tuple[str, ...] = ()
    """Sentences for the report: broken links, merged variants, patterns that never matched."""

    @property
    def complete(self) -> bool:
        return not self.incomplete_reasons


WITHDRAWN = "withdrawn"
"""The key in front matter, `Fetched.meta` too, that says since when the source has the item no more."""
OUT_OF_SCOPE = "OUT_OF_SCOPE"
"""`Retained.outcome` of a known item that the configuration does not take any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """A known item about which nothing is certain, or a pending new one (`path` is "")."""

    key: str
    path: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One concept to be written: `old` is the record it replaces (None for a new one)."""

    key: str
    path: str
    new: Fetched
    old: Record | None = None
    merged_files: Mapping[str, bytes | None] = field(default_factory=_nothing)
    """The item's other files, by path, where edits made by hand and the source's new text were merged (None: it was
    deleted by hand)."""
    merged: bytes | None = None
    """The file where it is not made of `new` alone: with edits made by hand, with what stands on a branch under review,
    or as it was but for the mark of a withdrawn item."""
    edited: bool = False
    """The text of the merged file is not the source's."""

    @property
    def has_edits(self) -> bool:
        """Whether edits made by hand are in the file."""
        return self.merged is not None and self.old is not None and self.old.edited


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What the outcomes mean. Sorted by path; pure data, nothing has been written."""

    added: tuple[Change, ...] = ()
    updated: tuple[Change, ...] = ()
    rerendered: tuple[Change, ...] = ()
    removed: tuple[Record, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    """Pairs of old and new path; each old path is also in `removed`, each new one in `added`."""
    unchanged: int = 0
    retained: tuple[Retained, ...] = ()
    edited: tuple[str, ...] = ()
    """Paths of concepts edited by hand whose source did not change: kept, reported."""
    merged: tuple[str, ...] = ()
    """Paths of concepts edited by hand whose source changed elsewhere in the text: both are in the file."""
    records: tuple[Record, ...] = ()
    """The records as they will be once the delta is committed."""

    @property
    def changes_content(self) -> bool:
        return bool(self.added or self.updated or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A guard that refuses the plan: `actual` of `total` against `limit`."""

    name: str
    limit: float
    actual: float
    total: int
    what: str
    """What was seen, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the push of a content tells the remote besides its commits, and who hears what the remote says to it."""

    options: tuple[str, ...]
    """Of `git push --push-option`, one line each."""
    heard: Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An error as part of a result."""

    code: str
    message: str
    hint: str = ""


QUEUED, LEASED, RETRY_WAIT, PARTIAL = "QUEUED", "LEASED", "RETRY_WAIT", "PARTIAL"
ACQUISITION_COMPLETE, FAILED = "ACQUISITION_COMPLETE", "FAILED"
_TASKS = {"partial": PARTIAL, "unavailable": RETRY_WAIT, "busy": LEASED, "skipped": QUEUED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What one run of one source came to; the report and the note are made of it."""

    name: str
    kind: str
    result: str
    """synced, unchanged, partial, aborted, unavailable, busy, skipped or failed."""
    exit_code: int
    bundle: str = ""
    run: str = ""
    generation: int = 0
    base: str | None = None
    commit: str | None = None
    subject: str = ""
    branch: str = ""
    complete: bool = False
    incomplete_reasons: tuple[str, ...] = ()
    delta: Delta = Delta()
    found: int = 0
    known: int = 0
    counters: Counters = Counters()
    duration_s: float = 0.0
    guard: Trip | None = None
    error: Fault | None = None
    retry_at: str | None = None
    notices: tuple[str, ...] = ()
    origins: Mapping[str, int] = field(default_factory=_nothing)
    dry_run: bool = False
    staged: bool = False
    spared: tuple[float, float] | None = None
    """Shares of the pages found that needed no body, and no extraction, but for those that changed."""
    pushed: str = ""
    """The remote and its branch that a `--push` went to."""

    @property
    def task(self) -> str:
        """The run as a task: how far its acquisition came, nothing of review or publication (seed 002, section 1)."""
        if self.result in ("synced", "unchanged"):
            return ACQUISITION_COMPLETE if self.complete else PARTIAL
        return _TASKS.get(self.result, FAILED)
