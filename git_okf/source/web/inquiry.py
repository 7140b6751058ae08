"""Asking for one page: request, reading, answer.

Redirects are not followed here: where one leads is another page, with an identity, validators and rules of its own.
Nothing is read twice: bytes that are those of last time, made into content by the same extractor, are not extracted
again, and what an interrupted run has saved is not asked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from http import HTTPStatus

from git_okf.config import WebSource
from git_okf.digest import raw_hash
from git_okf.errors import OkfError
from git_okf.model import Fetched, Record, Status
from git_okf.source import Tools
from git_okf.source.web import judge, reading
from git_okf.source.web.answer import Answer, Denied, Doubt, Elsewhere, Missing, Page, Refusal, Same, Trouble, Why
from git_okf.source.web.client import Client, FetchError, Response
from git_okf.source.web.reading import Job, Reading
from git_okf.source.web.scope import Scope
from git_okf.source.web.url import family

HTML = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
_READ_HEADERS = ("link", "x-robots-tag", "content-language")
_HTML_TYPES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml")
_MARKDOWN_TYPES = ("text/markdown", "text/x-markdown")
_NO_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT)


@dataclass(slots=True)
class Tally:
    """What became of the requests so far; their number and size the client knows."""

    not_modified: int = 0
    fetched: int = 0
    extracted: int = 0


@dataclass(slots=True, kw_only=True)
class Inquirer:
    """Asks for pages, as many at a time as it is called."""

    source: WebSource
    scope: Scope
    client: Client
    tools: Tools
    fingerprint: str
    afresh: bool
    tally: Tally
    reading_at_once: asyncio.Semaphore
    """Bounds the answers that wait for a worker, and so the memory they take."""

    async def ask(self, key: str, url: str, record: Record | None) -> Answer:
        """What comes of asking for one page. Raises RateLimited; everything smaller is an answer."""
        saved = self.tools.spool.recall(key)
        if saved is not None:
            return Page(fetched=saved)
        if record is not None and not self.afresh and _is_asked_by_head(record):
            answer = await self._exists(url, record)
            if answer is not None:
                return answer
        try:
            response = await self._get(url, record)
        except FetchError as error:
            return Trouble(reason=error.reason, retryable=error.retryable)
        return await self._answer(key, url, response, record)

    async def gone(self, key: str, url: str) -> Answer:
        """The second question to a page that answered 404 or 410: without validators."""
        try:
            response = await self._get(url, None)
        except FetchError as error:
            return Trouble(reason=error.reason, retryable=error.retryable)
        return await self._answer(key, url, response, None)

    async def _get(self, url: str, record: Record | None) -> Response:
        etag, modified = self._validators(record)
        return await self.client.get(url, etag=etag, last_modified=modified, accept=HTML, follow=_stay)

    def _validators(self, record: Record | None) -> tuple[str, str]:
        """Sent only where a 304 would mean that what we have is what our extractor would make (design.md, "Refs")."""
        if record is None or self.afresh:
            return "", ""
        if record.status is Status.REFUSED or (record.status is Status.PAGE and record.fingerprint == self.fingerprint):
            return record.etag, record.last_modified
        return "", ""

    async def _exists(self, url: str, record: Record) -> Answer | None:
        """Ask with HEAD whether something that was no page has become one; None if it has to be looked at."""
        try:
            response = await self.client.get(url, method="HEAD", accept=HTML, follow=_stay)
        except FetchError:
            return Same()  # nothing new is known of it
        if response.status in (404, 410):
            return Missing(response.status)
        if response.status in (401, 403, 451):
            return Denied(response.status)
        return None

    async def _answer(self, key: str, url: str, response: Response, record: Record | None) -> Answer:
        status = response.status
        if status == HTTPStatus.NOT_MODIFIED:
            self.tally.not_modified += 1
            return Same()
        if 300 <= status < 400:
            return self._elsewhere(key, url, response)
        if status in (404, 410):
            return Missing(status)
        if 400 <= status < 500:
            return Denied(status)
        if status in _NO_BODY:
            return Refusal(why=Why.EMPTY, reason=f"{status}: the answer has no content")
        if status != HTTPStatus.OK:
            return Trouble(reason=f"the server answered {status}")
        return await self._content(key, url, response, record)

    def _elsewhere(self, key: str, url: str, response: Response) -> Answer:
        landing = self.scope.request(response.hops[-1].url, url) if response.hops else None
        if landing is None:
            return Trouble(reason=f"{response.status}: a redirect that leads nowhere")
        return self._redirect(key, url, landing, permanent=response.status in (301, 308))

    def _redirect(self, key: str, url: str, landing: str, *, permanent: bool) -> Answer:
        to = self.scope.identify(landing)
        if to == key:
            return Trouble(reason="redirects to itself (cookies or a login may be needed)")
        related = family(to) == family(key)
        login = judge.is_login(landing) and not judge.is_login(url) and not related
        return Elsewhere(
            url=landing, to=to if self.scope.decide(to).accepted else "", permanent=permanent and not login, login=login
        )

    async def _content(self, key: str, url: str, response: Response, record: Record | None) -> Answer:
        self.tally.fetched += 1
        raw = raw_hash(response.body)
        if record is not None and self._is_what_we_have(record, raw):
            return Page(fetched=_again(record, response, raw)) if record.status is Status.PAGE else Same()
        validated = Refusal(
            why=Why.KIND,
            reason=_no_page(response),
            etag=response.headers.get("etag", ""),
            last_modified=response.headers.get("last-modified", ""),
            raw_hash=raw,
        )
        if validated.reason:
            return validated
        read = await self._read(key, url, response)
        return read if isinstance(read, Trouble) else self._judged(key, url, response, validated, read)

    def _is_what_we_have(self, record: Record, raw: str) -> bool:
        if self.afresh or record.raw_hash != raw:
            return False
        return record.status is Status.REFUSED or (
            record.status is Status.PAGE and record.fingerprint == self.fingerprint != ""
        )

    async def _read(self, key: str, url: str, response: Response) -> Reading | Trouble:
        job = Job(
            source=self.source,
            place=self.tools.place,
            key=key,
            url=url,
            content_type=response.content_type,
            headers=_few(response.headers),
            data=response.body,
        )
        async with self.reading_at_once:
            self.tally.extracted += 1
            try:
                return await asyncio.get_running_loop().run_in_executor(self.tools.executor(), reading.read, job)
            except BrokenExecutor:
                return Trouble(reason="the worker that read the page died (out of memory?)")
            except OkfError:
                raise
            except Exception as error:  # noqa: BLE001 - a page that breaks the reader ends its own reading, not the run
                return Trouble(reason=f"reading it failed: {type(error).__name__}: {error}"[:300], retryable=False)

    def _judged(self, key: str, url: str, response: Response, validated: Refusal, read: Reading) -> Answer:
        if read.refresh and read.words <= reading.STUB_WORDS:
            landing = self.scope.request(read.refresh, url)
            if landing is not None and self.scope.identify(landing) != key:
                return self._redirect(key, url, landing, permanent=True)
        if read.suspicion:
            return Doubt(read.suspicion)
        if read.noindex or read.body is None:
            why, reason = (
                (Why.NOINDEX, "noindex: the page asks not to be taken") if read.noindex else (Why.EMPTY, read.empty)
            )
            return Refusal(
                why=why,
                reason=reason,
                etag=validated.etag,
                last_modified=validated.last_modified,
                raw_hash=validated.raw_hash,
                links=read.links,
                urls=read.urls,
            )
        return self._page(key, url, validated, read, read.body)

    def _page(self, key: str, url: str, validated: Refusal, read: Reading, body: str) -> Page:
        canonical = read.canonical if read.canonical != key and self.scope.decide(read.canonical).accepted else ""
        fetched = Fetched(
            key=key,
            url=url if url != key else "",
            title=read.title,
            description=read.description,
            content_hash=read.content_hash,
            compared_hash=read.compared_hash if read.compared_hash != read.content_hash else "",
            raw_hash=validated.raw_hash,
            fingerprint=self.fingerprint,
            size=read.size,
            etag=validated.etag,
            last_modified=validated.last_modified,
            links=read.links,
            warnings=read.warnings,
        )
        self.tools.spool.put(fetched.content_hash, body)
        if not canonical:
            # A claim is part of the answer but not of what is saved: such a page is asked again by a run that resumes.
            self.tools.spool.remember(fetched)
        return Page(fetched=fetched, urls=read.urls, canonical=canonical, hidden=read.hidden)


def _stay(target: str) -> bool:
    """Follow no redirect: where it leads is another page."""
    return False


def _is_asked_by_head(record: Record) -> bool:
    return record.status is Status.ABSENT or (record.status is Status.REFUSED and not record.raw_hash)


def _again(record: Record, response: Response, raw: str) -> Fetched:
    """The bytes of last time: what was made of them stands, the validators are the new ones."""
    return Fetched(
        key=record.key,
        url=record.url,
        title=record.title,
        description=record.description,
        content_hash=record.content_hash,
        compared_hash=record.compared_hash,
        raw_hash=raw,
        fingerprint=record.fingerprint,
        size=record.size,
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
        links=record.links,
        form=record.form,
    )


def _no_page(response: Response) -> str:
    """Why an answer cannot be a page ("" if it may be): its bytes decide first, its label after."""
    label = response.content_type
    kind = judge.binary(response.body, label)
    if kind:
        return f"it is {kind}"
    media = label.partition(";")[0].strip().lower()
    if not media or media in _HTML_TYPES or media in _MARKDOWN_TYPES:
        return ""
    start = response.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return ""
    if media == "text/plain" and response.url.partition("?")[0].lower().endswith((".md", ".markdown")):
        return ""
    return f"it is {media}"


def _few(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in _READ_HEADERS if name in headers}
