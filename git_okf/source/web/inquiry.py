"""Asking for one page: which requests it takes, and what comes of them.

Redirects are not followed here: where one leads is another page, with an identity, validators and rules of its own.
What an interrupted run has saved is not asked for again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from git_okf.digest import raw_hash
from git_okf.model import Record, Status
from git_okf.source import Tools
from git_okf.source.web import published
from git_okf.source.web.answer import SAME, Answer, Denied, Missing, Page, Refusal, Trouble, Why
from git_okf.source.web.client import FetchError, Response
from git_okf.source.web.content import KIND, Reader, again, kind_of
from git_okf.source.web.scope import Scope
from git_okf.source.web.tally import Tally

HTML = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
_ABSENT = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_DENIED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS)
_NO_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT)


class Getter(Protocol):
    """What asks: a client, or a browser in front of one."""

    async def get(
        self,
        url: str,
        *,
        etag: str = ...,
        last_modified: str = ...,
        accept: str = ...,
        method: str = ...,
        follow: bool | Callable[[str], bool] = ...,
        no_cache: bool = ...,
    ) -> Response:
        """One request and its answer. Raises FetchError, RateLimited."""


@dataclass(slots=True, kw_only=True)
class Inquirer:
    """Asks for pages, as many at a time as it is called."""

    scope: Scope
    client: Getter
    reader: Reader
    tools: Tools
    tally: Tally
    afresh: bool
    prefer: str
    take_markdown: bool
    """Whether new pages are taken from published Markdown where the site offers it."""
    twins: dict[str, str] = field(default_factory=dict)
    """By key, the URL of the page's Markdown, as llms.txt names it."""
    negotiates: bool = False
    """The site answers `Accept: text/markdown`; known once the first page was asked."""
    _probe: Response | None = None
    _probed: bool = False

    async def ask(self, key: str, url: str, record: Record | None) -> Answer:
        """What comes of asking for one page. Raises RateLimited; everything smaller is an answer."""
        saved = self.tools.spool.recall(key)
        if saved is not None:
            return Page(fetched=saved)
        try:
            if record is not None and not self.afresh and _is_asked_by_head(record):
                return await self._ask_head(key, url, record)
            if record is not None and record.status is Status.PAGE and record.form == "markdown":
                return await self._ask_markdown(key, record)
            return await self._ask(key, url, record)
        except FetchError as error:
            return Trouble(reason=error.reason, retryable=error.retryable)

    async def ask_first(self, key: str, url: str, record: Record | None) -> Answer:
        """The start page: always its HTML. Shows on the way whether the site negotiates."""
        if not self.take_markdown or (record is not None and record.status is Status.PAGE and not self.afresh):
            return await self.ask(key, url, record)
        try:
            response = await self.client.get(url, accept=published.ACCEPT_EITHER, follow=_stay)
            media = response.content_type.partition(";")[0].strip().lower()
            self.negotiates = response.status == HTTPStatus.OK and media in published.TYPES[:2]
            if self.negotiates:
                response = await self._get(url)
            return await self._answer(key, url, response, record)
        except FetchError as error:
            return Trouble(reason=error.reason, retryable=error.retryable)

    async def ask_plainly(self, key: str, url: str) -> Answer:
        """Ask the server itself: without validators, past caches. The second question to a page that answered 404."""
        try:
            response = await self.client.get(url, accept=HTML, follow=_stay, no_cache=True)
            return await self._answer(key, url, response, None)
        except FetchError as error:
            return Trouble(reason=error.reason, retryable=error.retryable)

    async def is_error_page(self, key: str, page: Page) -> bool:
        """Whether a page is what the site shows for an address that cannot exist. One request a run."""
        if not self._probed:
            self._probed = True
            name = hashlib.sha256(self.scope.start.encode()).hexdigest()[:16]
            folder = self.scope.prefix[: self.scope.prefix.rindex("/") + 1]
            try:
                probe = await self._get(f"{self.scope.origin}{folder}okf-{name}")
            except FetchError:
                return False
            self._probe = probe if probe.status == HTTPStatus.OK else None
        if self._probe is None:
            return False
        if raw_hash(self._probe.body) == page.fetched.raw_hash:
            return True
        # Relative links in a body depend on where it stands: the probe is read as if it had come in place of the page.
        read = await self.reader.read(key, page.fetched.url or key, self._probe)
        return not isinstance(read, Trouble) and read.content_hash == page.fetched.content_hash != ""

    # --- requests ---

    async def _get(self, url: str, record: Record | None = None, accept: str = HTML) -> Response:
        """Validators go along where a 304 would mean that what we have is what our extractor would make."""
        etag = modified = ""
        if record is not None and not self.afresh:
            made_by_us = record.status is Status.PAGE and record.fingerprint == self.reader.fingerprint
            if made_by_us or record.status is Status.REFUSED:
                etag, modified = record.etag, record.last_modified
        return await self.client.get(url, etag=etag, last_modified=modified, accept=accept, follow=_stay)

    async def _ask(self, key: str, url: str, record: Record | None) -> Answer:
        response = await self._get(url, record)
        return await self._answer(key, url, response, record)

    async def _ask_head(self, key: str, url: str, record: Record) -> Answer:
        """Has something that was no page become one? Where nothing new is learned, what is remembered stands."""
        try:
            response = await self.client.get(url, method="HEAD", accept=HTML, follow=_stay)
        except FetchError:
            return SAME
        if response.status in _ABSENT:
            return Missing(response.status)
        if response.status in _DENIED:
            return Denied(response.status)
        if 300 <= response.status < 400:
            return self._elsewhere(key, url, response)
        if record.target.startswith(KIND) and response.status == HTTPStatus.OK and kind_of(response):
            return SAME
        return await self._ask(key, url, record)

    async def _ask_markdown(self, key: str, record: Record) -> Answer:
        """A page known by its Markdown. What it leads to is in its HTML, read again where the Markdown changed."""
        if self.prefer == "html":
            return await self._ask(key, key, None)
        markdown = await self._get(record.request_url, record, published.ACCEPT)
        if markdown.status == HTTPStatus.NOT_MODIFIED:
            self.tally.not_modified += 1
            return SAME
        if markdown.status != HTTPStatus.OK:
            return await self._ask(key, key, None)
        self.tally.fetched += 1
        if self.reader.has(record, raw_hash(markdown.body)):
            return again(markdown)
        page = await self._get(key)
        if page.status == HTTPStatus.OK:
            return await self.reader.answer(key, key, page, record, markdown)
        return await self._answer(key, key, page, None)

    # --- answers ---

    async def _answer(self, key: str, url: str, response: Response, record: Record | None) -> Answer:
        status = response.status
        if status == HTTPStatus.NOT_MODIFIED:
            self.tally.not_modified += 1
            return SAME
        if 300 <= status < 400:
            return self._elsewhere(key, url, response)
        if status in _ABSENT:
            return Missing(status)
        if 400 <= status < 500:
            return Denied(status)
        if status in _NO_BODY:
            return Refusal(why=Why.EMPTY, reason=f"{status}: the answer has no content")
        if status != HTTPStatus.OK:
            return Trouble(reason=f"the server answered {status}")
        self.tally.fetched += 1
        markdown = await self._twin(key, url, response, record) if self._takes_markdown(key, record) else None
        return await self.reader.answer(key, url, response, record, markdown)

    def _elsewhere(self, key: str, url: str, response: Response) -> Answer:
        landing = self.scope.request(response.hops[-1].url, url) if response.hops else None
        if landing is None:
            return Trouble(reason=f"{response.status}: a redirect that leads nowhere")
        return self.reader.redirect(key, url, landing, permanent=response.status in (301, 308))

    def _takes_markdown(self, key: str, record: Record | None) -> bool:
        """Not for the start page; for a page known as HTML only where that was asked for (published.py)."""
        if not self.take_markdown or key == self.scope.start:
            return False
        known = record is not None and record.status is Status.PAGE
        return not known or self.afresh or self.prefer == "markdown"

    async def _twin(self, key: str, url: str, response: Response, record: Record | None) -> Response | None:
        """What the site offers as the page's Markdown; the worker that reads it checks that it is."""
        if record is not None and self.reader.has(record, raw_hash(response.body)):
            return None
        twin = self.twins.get(key) or self.reader.markdown_url(key, url, response) or (url if self.negotiates else "")
        if not twin:
            return None
        try:
            markdown = await self._get(twin, accept=published.ACCEPT)
        except FetchError:
            return None  # the page itself is there, and is content enough
        return markdown if markdown.status == HTTPStatus.OK else None


def _stay(target: str) -> bool:
    """Follow no redirect: where it leads is another page."""
    return False


def _is_asked_by_head(record: Record) -> bool:
    """Where a HEAD can show that nothing has changed, and a conditional GET cannot."""
    if record.status is Status.REFUSED:
        unvalidated = record.target.startswith(KIND) and not record.etag and not record.last_modified
        return unvalidated or not record.raw_hash
    return record.status is Status.ABSENT
