"""The Markdown files of a repository, as a source.

One look (`ls-remote`) decides whether anything moved. Where something did, the commit is fetched without blobs, and
only files whose blob changed have theirs fetched, all in one request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from git_okf import digest
from git_okf.config import GitSource
from git_okf.model import Counters, Failed, Fetched, Gone, Ignored, NotModified, Observation, Outcome, Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.git import page
from git_okf.source.git.scope import Scope
from git_okf.source.repository import links
from git_okf.source.repository.address import parse
from git_okf.source.repository.identity import identity
from git_okf.source.repository.look import Head, hold, look, notices_of
from git_okf.source.repository.mirror import TOO_LARGE, Blob, Mirror
from git_okf.source.repository.scratch import mirror_place
from git_okf.source.repository.transport import Transport
from git_okf.source.repository.trees import Entry, Tree

ONLY_FAILED = "only failed items were asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownRepository:
    """The source of a configuration."""

    source: GitSource
    environ: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        source = self.source
        patterns = [list(source.include), list(source.exclude)]
        return digest.fingerprint("git", page.VERSION, source.url, source.ref, source.links, patterns)

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """Raises SourceUnavailable where the repository, its ref or the commit cannot be had."""
        if tools.stopping():
            return Observation(outcomes=MappingProxyType({}), incomplete_reasons=("the run was interrupted",))
        transport = Transport(environ=self.environ, stopping=tools.stopping)
        head = look(transport, parse(self.source.url, tools.root), self.source.ref)
        head, moved_tag = hold(head, _text(ask.memory, "ref"), _text(ask.memory, "revision"))
        notices = [*filter(None, [moved_tag]), *notices_of(head, _text(ask.memory, "url"))]
        pages = {key: record for key, record in known.items() if record.status is Status.PAGE}
        if self._is_quiet(head, pages, ask):
            return _looked(head, pages, ask, notices, quiet=True)
        if ask.look_only:
            return _looked(head, pages, ask, notices, quiet=False)
        who = identity(head.address, self.environ, _text(ask.memory, "identity"))
        with mirror_place(tools.scratch) as place:
            mirror = Mirror(place, transport, head.address)
            mirror.fetch(head.commit, head.ref)
            visit = _Visit(
                source=self.source,
                scope=Scope.of(self.source),
                fingerprint=self.fingerprint,
                head=head,
                pages=pages,
                known=known,
                ask=ask,
                tools=tools,
                mirror=mirror,
                tree=mirror.tree(head.commit),
            )
            return visit.observe([*notices, *filter(None, [who.notice])], who.id)

    def _is_quiet(self, head: Head, pages: Mapping[str, Record], ask: Ask) -> bool:
        """Whether the records are those of this very commit, made by this code and configuration."""
        if ask.afresh or ask.retry_failed or _text(ask.memory, "last_fully_processed") != head.commit:
            return False
        made = digest.content_hash("\n".join(sorted(f"{key} {record.raw_hash}" for key, record in pages.items())))
        mine = all(record.fingerprint == self.fingerprint and record.raw_hash for record in pages.values())
        return mine and made == _text(ask.memory, "items")


@dataclass(slots=True, kw_only=True)
class _Visit:
    """One run at one commit."""

    source: GitSource
    scope: Scope
    fingerprint: str
    head: Head
    pages: Mapping[str, Record]
    known: Mapping[str, Record]
    """With those that are pending."""
    ask: Ask
    tools: Tools
    mirror: Mirror
    tree: Tree
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    bytes: int = 0
    extracted: int = 0
    requests: int = 2

    def observe(self, notices: list[str], who: str) -> Observation:
        files = {entry.path: entry for entry in self.tree.entries if self._taken(entry)}
        self.reasons += [f"{path or 'the root'} could not be listed: {why}" for path, why in self.tree.missing]
        self._missing(files)
        wanted = [entry for key, entry in files.items() if not self._settled(key, entry)]
        if self.ask.retry_failed:
            self.reasons.append(ONLY_FAILED)
        self._take(wanted)
        complete = not self.reasons
        settled = complete and not any(isinstance(o, Failed) and o.retryable for o in self.outcomes.values())
        return Observation(
            outcomes=MappingProxyType(self.outcomes),
            incomplete_reasons=tuple(self.reasons),
            side=tuple(self._pending()),
            counters=self._counters(),
            memory=self._memory(who, settled=settled),
            notices=(*notices, *self._refused()),
        )

    def _taken(self, entry: Entry) -> bool:
        return entry.is_file and entry.is_utf8 and self.scope.takes(entry.path)

    def _refused(self) -> Iterator[str]:
        """What the patterns mean and is no file, or has a name that is no text."""
        for entry in self.tree.entries:
            if not entry.is_file and entry.path.lower().endswith(".md") and self.scope.takes(entry.path):
                yield f"{entry.path} is a symbolic link or a submodule: not taken"
            elif entry.is_file and not entry.is_utf8:
                shown = entry.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                if self.scope.takes(shown):
                    yield f"{shown!r} has a name that is not UTF-8: not taken"

    def _missing(self, files: Mapping[str, Entry]) -> None:
        """Known files that the tree has no more; where it could not be listed nothing is said of them."""
        hidden = tuple(f"{path}/" if path else "" for path, _ in self.tree.missing)
        for key in self.pages.keys() - files.keys():
            if not self.scope.takes(key):
                self.outcomes[key] = Ignored(key=key, reason="include and exclude leave it out", out_of_scope=True)
            elif not key.startswith(hidden) or not hidden:
                self.outcomes[key] = Gone(key=key, reason=f"410: not in {self.head.commit[:12]}")

    def _settled(self, key: str, entry: Entry) -> bool:
        """Whether no byte of a file is needed: its blob is that of the record, or of a run that did not finish."""
        record = self.pages.get(key)
        if self.ask.retry_failed and record is not None and not record.failure:
            return True
        saved = self.tools.spool.recall(key)
        if saved is not None and saved.raw_hash == entry.id and saved.fingerprint == self.fingerprint:
            self.outcomes[key] = saved
            return True
        if self.ask.afresh or record is None:
            return False
        if record.raw_hash == entry.id and record.fingerprint == self.fingerprint and not record.failure:
            self.outcomes[key] = NotModified(key=key)
            return True
        return False

    def _take(self, wanted: list[Entry]) -> None:
        wanted = self._within_bounds(wanted)
        by_id: dict[str, list[Entry]] = {}
        for entry in wanted:
            by_id.setdefault(entry.id, []).append(entry)
        self.requests += bool(by_id)
        done = 0
        for blob in self.mirror.blobs(by_id, limit=self.source.max_bytes) if by_id else ():
            for entry in by_id[blob.id]:
                self.outcomes[entry.path] = self._outcome(entry, blob)
                done += 1
                self.tools.progress("files", done, len(wanted))
            if self.tools.stopping():
                self.reasons.append("the run was interrupted")
                return

    def _within_bounds(self, wanted: list[Entry]) -> list[Entry]:
        if self.ask.max_pages is None:
            return wanted
        room = max(0, self.ask.max_pages - len(self.pages))
        new = [entry for entry in wanted if entry.path not in self.pages]
        if len(new) > room:
            self.reasons.append("max_pages reached")
        kept = {entry.path for entry in new[:room]}
        return [entry for entry in wanted if entry.path in self.pages or entry.path in kept]

    def _outcome(self, entry: Entry, blob: Blob) -> Outcome:
        if blob.data is None:
            too_large = blob.problem == TOO_LARGE
            why = f"it is larger than max_bytes ({self.source.max_bytes})" if too_large else "its content did not come"
            return Failed(key=entry.path, reason=why, retryable=not too_large)
        self.bytes += len(blob.data)
        try:
            relative = self.source.links == "relative"
            made = page.read(blob.data, entry.path, self.scope, self.tools.place, relative=relative)
        except page.NotText as error:
            return Failed(key=entry.path, reason=str(error), retryable=False)
        self.extracted += 1
        fetched = self._fetched(entry, made)
        self.tools.spool.put(fetched.content_hash, made.body)
        self.tools.spool.remember(fetched)
        return fetched

    def _fetched(self, entry: Entry, made: page.Page) -> Fetched:
        shown = links.permalink(self.head.address, self.head.commit, entry.path)
        meta = {**made.meta, **({"fingerprint": made.compared} if made.compared else {}), "commit": self.head.commit}
        return Fetched(
            key=entry.path,
            resource=shown or f"{self.source.url}#{entry.path}",
            title=made.title,
            description=made.description,
            content_hash=digest.content_hash(made.body),
            compared_hash=made.compared or digest.compared_hash(made.body, self.source.ignore),
            raw_hash=entry.id,
            fingerprint=self.fingerprint,
            size=len(made.body),
            form="markdown",
            meta=meta,
        )

    def _pending(self) -> Iterable[Record]:
        """New files that did not come: to be asked for first next time."""
        for key, outcome in self.outcomes.items():
            if isinstance(outcome, Failed) and outcome.retryable and key not in self.pages:
                yield Record(key=key, status=Status.PENDING, failure=outcome.reason, tries=self._tries(key) + 1)

    def _tries(self, key: str) -> int:
        return self.known[key].tries if key in self.known else 0

    def _memory(self, who: str, *, settled: bool) -> dict[str, Any]:
        ids = {key: o.raw_hash for key, o in self.outcomes.items() if isinstance(o, Fetched)}
        ids |= {k: self.pages[k].raw_hash for k, o in self.outcomes.items() if isinstance(o, NotModified)}
        items = digest.content_hash("\n".join(sorted(f"{key} {raw}" for key, raw in ids.items())))
        before = _text(self.ask.memory, "last_fully_processed")
        return _told(
            self.head,
            identity=who,
            last_observed=self.head.commit,
            last_fully_processed=self.head.commit if settled else before,
            revision=self.head.commit,
            items=items,
        )

    def _counters(self) -> Counters:
        kinds = [type(outcome) for outcome in self.outcomes.values()]
        return Counters(
            requests=self.requests,
            not_modified=kinds.count(NotModified),
            fetched=kinds.count(Fetched),
            extracted=self.extracted,
            bytes=self.bytes,
        )


def _looked(head: Head, pages: Mapping[str, Record], ask: Ask, notices: list[str], *, quiet: bool) -> Observation:
    """Nothing is fetched: everything stands, or (`quiet` off) something may have moved and is not to be taken."""
    kept = {key: _text(ask.memory, key) for key in ("identity", "last_fully_processed", "revision", "items")}
    reasons = () if quiet else (f"only looked: the repository is at {head.commit[:12]}",)
    return Observation(
        outcomes=MappingProxyType({key: NotModified(key=key) for key in pages}),
        incomplete_reasons=reasons,
        counters=Counters(requests=1, not_modified=len(pages)),
        memory=_told(head, last_observed=head.commit, **kept),
        notices=tuple(notices),
    )


def _told(head: Head, **values: str) -> dict[str, Any]:
    told = {"url": head.address.shown, "ref": head.ref, **values}
    return {name: value for name, value in sorted(told.items()) if value}


def _text(memory: Mapping[str, Any], name: str) -> str:
    value = memory.get(name, "")
    return value if isinstance(value, str) else ""
