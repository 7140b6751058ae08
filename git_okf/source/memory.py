"""A source that is nothing but a dictionary: for the tests of everything that stands after sources.

It passes the contract suite like any other, so what works with it works with a real one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from git_okf.digest import canonical, content_hash, raw_hash
from git_okf.errors import SourceUnavailable
from git_okf.model import (
    Counters,
    Failed,
    Fetched,
    File,
    Gone,
    NotModified,
    Observation,
    Outcome,
    Record,
    Status,
)
from git_okf.source import Ask, Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What the source offers under one key."""

    title: str
    body: str
    description: str = ""
    links: tuple[str, ...] = ()
    name: str = ""
    resource: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Contents by path."""
    parts_failed: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class MemorySource:
    """Offers `items`. What a test puts into the other fields goes wrong."""

    items: dict[str, Item] = field(default_factory=dict)
    troubles: dict[str, Outcome] = field(default_factory=dict)
    """Outcomes that take the place of what asking for the key would come to."""
    unlinked: set[str] = field(default_factory=set)
    incomplete: tuple[str, ...] = ()
    outage: str = ""
    """Why the source cannot be asked at all."""
    fingerprint: str = "memory-1"
    during: Callable[[str], None] = lambda key: None
    """Called before each question; a test can let something happen in the middle of a run."""
    max_pages: int = 1_000_000
    asked: list[str] = field(default_factory=list)

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """Known items first, in the order of their keys, then new ones."""
        if self.outage:
            raise SourceUnavailable(f"the source cannot be asked: {self.outage}; nothing was changed")
        self.asked = []
        pages = {key: record for key, record in sorted(known.items()) if record.status is Status.PAGE}
        pending = {key: record for key, record in sorted(known.items()) if record.status is Status.PENDING}
        wanted = self._wanted(pages, pending, ask)
        room = max(0, (self.max_pages if ask.max_pages is None else ask.max_pages) - len(pages))
        outcomes: dict[str, Outcome] = {}
        side: list[Record] = []
        reasons = [*self.incomplete, *(["only failed items were asked"] if ask.retry_failed else [])]
        for key in wanted:
            if tools.stopping():
                reasons.append("the run was interrupted")
                break
            if key not in pages and room <= 0:
                reasons.append("max_pages reached")
                break
            outcomes[key] = outcome = self._ask(key, pages.get(key), ask, tools)
            room -= key not in pages and isinstance(outcome, Fetched)
            if isinstance(outcome, Failed) and key not in pages:
                side.append(_pending(key, pending.get(key), outcome.reason))
        if any(isinstance(outcome, Failed) for outcome in outcomes.values()):
            reasons.append("items could not be fetched")
        return Observation(
            outcomes=MappingProxyType(outcomes),
            incomplete_reasons=tuple(reasons),
            unlinked=frozenset(self.unlinked & outcomes.keys()),
            side=tuple(side),
            counters=_counters(outcomes),
        )

    def _wanted(self, pages: Mapping[str, Record], pending: Mapping[str, Record], ask: Ask) -> list[str]:
        if ask.retry_failed:
            return [*(key for key, record in pages.items() if record.failure), *pending]
        new = sorted((self.items.keys() | self.troubles.keys()) - pages.keys() - pending.keys())
        return [*pages, *pending, *new]

    def _ask(self, key: str, record: Record | None, ask: Ask, tools: Tools) -> Outcome:
        self.during(key)
        saved = tools.spool.recall(key)
        if saved is not None:
            return saved
        self.asked.append(key)
        if key in self.troubles:
            return self.troubles[key]
        item = self.items.get(key)
        if item is None:
            return Gone(key=key, reason="404, asked twice")
        etag = raw_hash(repr(item).encode())
        if (
            record is not None
            and record.fingerprint == self.fingerprint
            and record.etag == etag
            and not (ask.afresh or item.parts_failed)
        ):
            return NotModified(key=key)
        return self._fetched(key, item, etag, tools)

    def _fetched(self, key: str, item: Item, etag: str, tools: Tools) -> Fetched:
        body = canonical(item.body)
        files = [File(path=p, blob=tools.spool.put_file(data), size=len(data)) for p, data in item.files.items()]
        more = [file.blob for file in sorted(files)]
        compared = content_hash("\n".join([body, *more])) if more else ""
        fetched = Fetched(
            key=key,
            title=item.title,
            description=item.description,
            content_hash=content_hash(body),
            raw_hash=etag,
            fingerprint=self.fingerprint,
            size=len(body),
            etag=etag,
            links=item.links,
            name=item.name,
            resource=item.resource,
            compared_hash=compared,
            meta={**item.meta, **({"fingerprint": compared} if compared else {})},
            files=tuple(sorted(files)),
            parts_failed=item.parts_failed,
        )
        tools.spool.put(fetched.content_hash, body)
        tools.spool.remember(fetched)
        return fetched


def _pending(key: str, before: Record | None, reason: str) -> Record:
    return Record(key=key, status=Status.PENDING, failure=reason, tries=(before.tries if before else 0) + 1)


def _counters(outcomes: Mapping[str, Outcome]) -> Counters:
    fetched = sum(isinstance(outcome, Fetched) for outcome in outcomes.values())
    unmodified = sum(isinstance(outcome, NotModified) for outcome in outcomes.values())
    return Counters(requests=len(outcomes), not_modified=unmodified, fetched=fetched, extracted=fetched)
