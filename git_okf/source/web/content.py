"""From a 200 to an answer: what kind of thing came, what it says, whether it is the page.

Bytes that are those of last time, made into content by the same extractor, are not extracted again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from functools import lru_cache

from git_okf.config import WebSource
from git_okf.digest import raw_hash
from git_okf.errors import OkfError
from git_okf.linksets import Shelf
from git_okf.model import Fetched, Record, Status
from git_okf.source import Tools
from git_okf.source.web import judge, reading
from git_okf.source.web.answer import NO_URLS, SAME, Again, Answer, Doubt, Elsewhere, Page, Refusal, Trouble, Why
from git_okf.source.web.awaiting import answer
from git_okf.source.web.client import Response
from git_okf.source.web.reading import Job, Reading
from git_okf.source.web.scope import Scope
from git_okf.source.web.tally import Tally
from git_okf.source.web.url import family

KIND = "it is "
"""How the reason begins for what is another kind of thing than a page."""
NOINDEX = "noindex: the page asks not to be taken"
_READ_HEADERS = ("link", "x-robots-tag", "content-language")
_HTML_TYPES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml")
_MARKDOWN_TYPES = ("text/markdown", "text/x-markdown")
_MARKDOWN_NAMES = (".md", ".markdown")


@dataclass(slots=True, kw_only=True)
class Reader:
    """Reads the answers of one run in the workers, a bounded number at a time: their bytes are in memory meanwhile."""

    source: WebSource
    scope: Scope
    tools: Tools
    fingerprint: str
    afresh: bool
    tally: Tally
    at_once: asyncio.Semaphore
    links: Shelf = field(default_factory=Shelf)
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    """A page whose worker died is read again by itself: then it is clear whose fault it was."""

    async def answer(
        self, key: str, url: str, response: Response, record: Record | None, markdown: Response | None = None
    ) -> Answer:
        """What a 200 to `url` comes to; `markdown` is the published Markdown of the page, where there is any."""
        own = raw_hash(response.body)
        raw = own if markdown is None else raw_hash(markdown.body)
        if record is not None and self.has(record, raw):
            return again(markdown or response) if record.status is Status.PAGE else SAME
        refused = Refusal(
            why=Why.KIND,
            reason=kind_of(response),
            etag=response.headers.get("etag", ""),
            last_modified=response.headers.get("last-modified", ""),
            raw_hash=own,
        )
        if refused.reason:
            return refused
        read = await self.read(key, url, response, markdown)
        if isinstance(read, Trouble):
            return read
        before = record.links if record is not None else ()
        return self._judged(key, url, response, refused, read, markdown, before)

    def has(self, record: Record, raw: str) -> bool:
        """Whether these bytes are what the record was made of, by this extractor."""
        if self.afresh or record.raw_hash != raw:
            return False
        return record.status is Status.REFUSED or (
            record.status is Status.PAGE and record.fingerprint == self.fingerprint
        )

    async def read(self, key: str, url: str, response: Response, markdown: Response | None = None) -> Reading | Trouble:
        """Signals, judgement and content of an answer; nothing is saved of it."""
        job = self._job(key, url, response, markdown)
        async with self.at_once:
            self.tally.extracted += 1
            try:
                return await self._in_worker(job)
            except BrokenExecutor:
                reason = "reading it takes too long, or too much memory: its worker died of it"
                return Trouble(reason=reason, retryable=False)
            except OkfError:
                raise
            except Exception as error:  # noqa: BLE001 - a page that breaks the reader ends its own reading, not the run
                return Trouble(reason=f"reading it failed: {type(error).__name__}: {error}"[:300], retryable=False)

    async def _in_worker(self, job: Job) -> Reading:
        """What a worker makes of a page. Raises BrokenExecutor where it died of it, not where it died of another."""
        self.tools.watched(asyncio.get_running_loop())
        try:
            return await answer(self.tools.executor().submit(reading.read, job))
        except BrokenExecutor:
            async with self.alone:
                return await answer(self.tools.executor().submit(reading.read, job))

    def markdown_url(self, key: str, url: str, response: Response) -> str:
        """The Markdown that a page names as its twin, "" if it names none that is in the site."""
        said = response.body if b"text/markdown" in response.body else response.headers.get("link", "").encode()
        if b"text/markdown" not in said:
            return ""
        twin = reading.markdown_of(self._job(key, url, response, None))
        requested = self.scope.request(twin, url) if twin else None
        return requested if requested is not None and requested.startswith(f"{self.scope.origin}/") else ""

    def _job(self, key: str, url: str, response: Response, markdown: Response | None) -> Job:
        return Job(
            source=self.source,
            place=self.tools.place,
            key=key,
            url=url,
            content_type=response.content_type,
            headers=_few(response.headers),
            data=response.body,
            is_markdown=_is_markdown(response),
            markdown=markdown.body if markdown is not None else b"",
            markdown_type=markdown.content_type if markdown is not None else "",
            markdown_url=markdown.url if markdown is not None else "",
        )

    def redirect(self, key: str, url: str, landing: str, *, permanent: bool) -> Answer:
        """What it means that a page leads elsewhere."""
        to = self.scope.identify(landing)
        if to == key:
            return Trouble(reason="it redirects to itself (a cookie or a login may be needed)")
        login = judge.is_login(landing) and not judge.is_login(url) and family(to) != family(key)
        accepted = self.scope.decide(to).accepted
        return Elsewhere(url=landing, to=to if accepted else "", permanent=permanent and not login, login=login)

    def _judged(
        self, key: str, url: str, response: Response, refused: Refusal, read: Reading, markdown: Response | None,
        before: Sequence[str],
    ) -> Answer:  # fmt: skip
        if read.refresh and read.words <= reading.STUB_WORDS:
            landing = self.scope.request(read.refresh, url)
            if landing is not None and self.scope.identify(landing) != key:
                return self.redirect(key, url, landing, permanent=True)
        if read.suspicion:
            return Doubt(read.suspicion)
        if read.noindex or read.body is None:
            why, reason = (Why.NOINDEX, NOINDEX) if read.noindex else (Why.EMPTY, read.empty)
            return Refusal(
                why=why,
                reason=reason,
                etag=refused.etag,
                last_modified=refused.last_modified,
                raw_hash=refused.raw_hash,
                links=self.links.hold(read.links, before),
                urls=read.urls or NO_URLS,
            )
        taken, raw = response, refused.raw_hash
        if markdown is not None and read.form == "markdown":
            taken, raw = markdown, raw_hash(markdown.body)
        return self._page(key, taken, raw, read, read.body, before)

    def _page(self, key: str, taken: Response, raw: str, read: Reading, body: str, before: Sequence[str]) -> Page:
        canonical = read.canonical if read.canonical and read.canonical != key else ""
        if canonical and not self.scope.decide(canonical).accepted:
            canonical = ""
        fetched = Fetched(
            key=key,
            url=taken.url if taken.url != key else "",
            title=read.title,
            description=read.description,
            content_hash=read.content_hash,
            compared_hash=read.compared_hash if read.compared_hash != read.content_hash else "",
            raw_hash=raw,
            fingerprint=self.fingerprint,
            size=read.size,
            etag=taken.headers.get("etag", ""),
            last_modified=sys.intern(taken.headers.get("last-modified", "")),
            links=self.links.hold(read.links, before),
            form=sys.intern(read.form),
            warnings=read.warnings,
            language=sys.intern(read.language),
        )
        self.tools.spool.put(fetched.content_hash, body)
        if not canonical:
            # A claim is part of the answer but not of what is saved: such a page is asked again by a run that resumes.
            self.tools.spool.remember(fetched)
        return Page(fetched=fetched, urls=read.urls or NO_URLS, canonical=canonical, hidden=read.hidden)


def again(response: Response) -> Again:
    """The bytes of last time: what was made of them stands, the validators are the new ones."""
    return _again(response.headers.get("etag", ""), sys.intern(response.headers.get("last-modified", "")))


@lru_cache(maxsize=8)
def _again(etag: str, modified: str) -> Again:
    """One for all pages of a site without validators."""
    return Again(etag, modified)


def kind_of(response: Response) -> str:
    """Why an answer cannot be a page ("" if it may be): its bytes decide first, its label after."""
    label = response.content_type
    kind = judge.binary(response.body, label)
    if kind:
        return f"{KIND}{kind}"
    media = label.partition(";")[0].strip().lower()
    if not media or media in _HTML_TYPES or _is_markdown(response):
        return ""
    start = response.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "" if start.startswith((b"<!doctype html", b"<html")) else f"{KIND}{media}"


def _is_markdown(response: Response) -> bool:
    media = response.content_type.partition(";")[0].strip().lower()
    named = response.url.partition("?")[0].lower().endswith(_MARKDOWN_NAMES)
    return media in _MARKDOWN_TYPES or (media == "text/plain" and named)


def _few(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in _READ_HEADERS if name in headers}
