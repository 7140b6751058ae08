"""What one request came to, before it is known what that means. Pure.

The same answer means different things for a known page and for a link seen for the first time. `for_known` is the one
table that turns answers into outcomes, `for_new` the one that turns them into side records; both are total, and no
branch of either makes an absence out of a trouble.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from git_okf.model import Failed, Fetched, Ignored, NotModified, Outcome, Record, Status, Suspect
from git_okf.source import as_fetched

FOR_NOW = "redirects there for now"
"""`failure` of an alias that is asked again in every run: a temporary redirect says that the page will be there."""
OUT_OF_SCOPE = "out of scope: "
"""What the reason begins with where the configuration does not take a page."""
NO_URLS: Mapping[str, str] = MappingProxyType({})


class Why(StrEnum):
    """Why an answer is no page."""

    KIND = "kind"  # another type of thing: PDF, archive, image
    NOINDEX = "noindex"  # the page asks not to be indexed
    EMPTY = "empty"  # nothing that reads like content
    LIMIT = "limit"  # over a limit, undecodable


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """200 with content."""

    fetched: Fetched
    urls: Mapping[str, str] = field(default_factory=lambda: NO_URLS)
    """By link key, the URL to request, where the page wrote it differently."""
    canonical: str = ""
    """The key the page claims to be, where that is another one in scope."""
    hidden: int = 0
    """Fragments no reader of the page sees, which were left out."""


@dataclass(frozen=True, slots=True)
class Same:
    """304 to our validators."""


SAME = Same()
"""One for all pages: most answers of most runs are this."""


@dataclass(frozen=True, slots=True)
class Again(Same):
    """The bytes of last time, with the validators that they came with. What was made of them is not held twice."""

    etag: str
    last_modified: str


@dataclass(frozen=True, slots=True)
class Missing:
    """404 or 410."""

    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A redirect, by HTTP or by a page that does nothing but refresh."""

    url: str
    to: str
    """The key it leads to; "" where that is out of scope."""
    permanent: bool
    login: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that is no page. What validates it is kept, so that asking again is cheap."""

    why: Why
    reason: str
    etag: str = ""
    last_modified: str = ""
    raw_hash: str = ""
    links: Sequence[str] = ()
    urls: Mapping[str, str] = field(default_factory=lambda: NO_URLS)


@dataclass(frozen=True, slots=True)
class Denied:
    """401, 403, 451 and other refusals by status."""

    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Nothing came, or not all of it."""

    reason: str
    retryable: bool = True


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something came that is not what was asked for: a block page, a login page, a soft 404."""

    reason: str


@dataclass(frozen=True, slots=True)
class Barred:
    """Not asked: a rule says no."""

    reason: str


Answer = Page | Same | Missing | Elsewhere | Refusal | Denied | Trouble | Doubt | Barred


def for_known(record: Record, answer: Answer) -> Outcome | None:
    """The outcome for the page of a record; None where it takes more than this answer: `Missing`, and a move that needs
    its target (`Elsewhere`, permanent and in scope)."""
    match answer:
        case Page(fetched=fetched):
            return fetched
        case Again(etag=etag, last_modified=modified):
            return replace(as_fetched(record), etag=etag, last_modified=modified)
        case Same():
            return NotModified(key=record.key)
        case Missing():
            return None
        case _:
            return _not_there(record.key, answer)


def _not_there(key: str, answer: Elsewhere | Refusal | Denied | Trouble | Doubt | Barred) -> Outcome | None:
    match answer:
        case Elsewhere(login=True, url=url):
            return Suspect(key=key, reason=f"leads to a login page, {url}")
        case Elsewhere(to=to, permanent=permanent, url=url):
            return None if permanent and to else Suspect(key=key, reason=f"redirects to {url}")
        case Refusal(why=why, reason=reason):
            if why is Why.NOINDEX:
                return Ignored(key=key, reason=reason)
            return Failed(key=key, reason=reason, retryable=why is Why.EMPTY)
        case Denied(status=status):
            return Failed(key=key, reason=f"{status}: access was refused")
        case Trouble(reason=reason, retryable=retryable):
            return Failed(key=key, reason=reason, retryable=retryable)
        case Doubt(reason=reason):
            return Suspect(key=key, reason=reason)
        case Barred(reason=reason):
            return Ignored(key=key, reason=reason, out_of_scope=reason.startswith(OUT_OF_SCOPE))


def for_new(key: str, url: str, answer: Answer, before: Record | None) -> Record | None:
    """What to remember of a link that is no page: a side record, or None where there is nothing to remember.

    `before` is what was remembered last time. `Page` is no matter of this table: the frontier adds it.
    """
    wire = url if url != key else ""
    match answer:
        case Missing(status=status):
            return Record(key=key, url=wire, status=Status.ABSENT, target=str(status))
        case Denied(status=status):
            return Record(key=key, url=wire, status=Status.REFUSED, target=f"{status}: access was refused")
        case Elsewhere(to=to, permanent=permanent) if to:
            return Record(key=key, url=wire, status=Status.ALIAS, target=to, failure="" if permanent else FOR_NOW)
        case Elsewhere(url=landing):
            return Record(key=key, url=wire, status=Status.REFUSED, target=f"redirects to {landing}")
        case Refusal():
            return _refused(key, wire, answer, before)
        case Doubt(reason=reason):
            return Record(key=key, url=wire, status=Status.REFUSED, target=reason)
        case Trouble(retryable=True, reason=reason):
            tries = before.tries if before is not None and before.status is Status.PENDING else 0
            return Record(key=key, url=wire, status=Status.PENDING, failure=reason, tries=tries + 1)
        case Trouble(reason=reason):
            return Record(key=key, url=wire, status=Status.REFUSED, target=reason)
        case Same() | Page() | Barred():
            return before


def _refused(key: str, wire: str, answer: Refusal, before: Record | None) -> Record:
    """The same bytes as last time leave the record as it is: a server that rotates its validators makes no noise."""
    record = Record(
        key=key,
        url=wire,
        status=Status.REFUSED,
        target=answer.reason,
        etag=answer.etag,
        last_modified=answer.last_modified,
        raw_hash=answer.raw_hash,
        links=answer.links,
    )
    if before is None or not answer.raw_hash:
        return record
    renewed = replace(before, etag=record.etag, last_modified=record.last_modified)
    return before if renewed == record else record
