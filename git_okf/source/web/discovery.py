"""What a site says about itself apart from its pages: robots.txt, sitemaps, llms.txt.

Each is asked for as cheaply as a page: what it said last time is remembered in a side record of its own (the rules in
`description`, the pages in `links`), so that a quiet run transfers none of them; what was not there is asked for with
HEAD. None of them removes anything: a sitemap that cannot be read makes the run incomplete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from git_okf.digest import raw_hash
from git_okf.errors import SourceUnavailable
from git_okf.model import Record, Status
from git_okf.source.web import llmstxt, robots, sitemap
from git_okf.source.web.client import Client, FetchError, Response
from git_okf.source.web.published import page_of
from git_okf.source.web.reading import within
from git_okf.source.web.robots import Robots
from git_okf.source.web.scope import Scope
from git_okf.source.web.tally import Tally

ROBOTS = "robots.txt"
SITEMAP = "sitemap"
SITEMAP_INDEX = "sitemap index"
LLMS = "llms.txt"
KINDS = frozenset({ROBOTS, SITEMAP, SITEMAP_INDEX, LLMS})
"""What `Record.target` says of the side records made here."""

MAX_SITEMAPS = 1000
"""Sitemap files read in one run; more make it incomplete."""
MAX_NESTING = 5
"""Sitemap indexes within sitemap indexes."""
MAX_ROBOTS_KEPT = 65536
"""Bytes of a robots.txt up to which it is remembered; a longer one is transferred every time."""
_ABSENT = (404, 410)


@dataclass(slots=True, kw_only=True)
class Discovery:
    """One run's questions to robots.txt, sitemaps and llms.txt."""

    scope: Scope
    client: Client
    known: Mapping[str, Record]
    afresh: bool
    tally: Tally
    robots: Robots = field(default_factory=Robots)
    sitemap_pages: dict[str, None] = field(default_factory=dict)
    """Keys, in the order of the sitemaps."""
    llms_pages: dict[str, None] = field(default_factory=dict)
    instead: dict[str, str] = field(default_factory=dict)
    """By key of a page, the key of the Markdown that llms.txt names for it."""
    urls: dict[str, str] = field(default_factory=dict)
    """By key, what to request where it was written differently."""
    incomplete: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    side: dict[str, Record] = field(default_factory=dict)

    async def read_robots(self) -> Robots:
        """The rules of the source's host. SourceUnavailable where they cannot be had: then nothing may be asked."""
        url = f"{self.scope.origin}/robots.txt"
        try:
            response = await self._get(url)
        except FetchError as error:
            raise _no_robots(url, error.reason) from error
        if response is None:
            record = self.known[url]
            self.side[url] = record
            self.robots = robots.parse(200, "text/plain", record.description.encode())
        else:
            self.robots = robots.parse(response.status, response.content_type, response.body)
            self._remember_robots(url, response)
        if self.robots.unreachable:
            raise _no_robots(url, self.robots.unreachable)
        self.notices.extend(self.robots.notices)
        return self.robots

    async def read_listings(self) -> None:
        """Sitemaps and llms.txt, one after another: they are few, and their order is that of the pages."""
        listed = [self.scope.request(url, self.scope.start) or "" for url in self.robots.sitemaps]
        roots = [url for url in dict.fromkeys(listed) if url] or self._usual("sitemap.xml")
        seen: set[str] = set()
        for url in roots:
            await self._sitemap(url, listed=bool(listed), depth=0, seen=seen)
        for url in self._usual("llms.txt"):
            await self._llms(url)

    def _usual(self, name: str) -> list[str]:
        """At the root of the host, and at the root of the source."""
        folder = self.scope.prefix[: self.scope.prefix.rindex("/") + 1]
        return list(dict.fromkeys((f"{self.scope.origin}/{name}", f"{self.scope.origin}{folder}{name}")))

    async def _get(self, url: str) -> Response | None:
        """The answer, redirects followed; None where it is that of last time (304)."""
        record = None if self.afresh else self.known.get(url)
        if record is not None and record.status is Status.ABSENT:
            response = await self.client.get(url, method="HEAD", follow=True)
            if response.status in _ABSENT:
                return response
        kept = record is not None and record.status is Status.REFUSED and record.target in KINDS
        etag, modified = (record.etag, record.last_modified) if record is not None and kept else ("", "")
        response = await self.client.get(
            url, etag=etag, last_modified=modified, follow=True, max_bytes=sitemap.MAX_BYTES
        )
        if response.status == 304:
            self.tally.not_modified += 1
            return None
        return response

    def _remember_robots(self, url: str, response: Response) -> None:
        if response.status in _ABSENT:
            self.side[url] = _absent(url, response)
        elif response.status == 200 and len(response.body) <= MAX_ROBOTS_KEPT:
            self._remember(url, response, ROBOTS, (), description=response.body.decode("utf-8", "replace"))

    def _remember(
        self, url: str, response: Response, kind: str, links: tuple[str, ...], *, description: str = ""
    ) -> None:
        """Listings only where the server can validate them: else they have to be transferred again anyway."""
        etag, modified = response.headers.get("etag", ""), response.headers.get("last-modified", "")
        if not etag and not modified and kind != ROBOTS:
            return
        raw = raw_hash(response.body)
        before = self.known.get(url)
        if before is not None and before.target == kind and before.raw_hash == raw and before.links == links:
            self.side[url] = before
            return
        self.side[url] = Record(
            key=url,
            status=Status.REFUSED,
            target=kind,
            etag=etag,
            last_modified=modified,
            raw_hash=raw,
            links=links,
            description=description,
        )

    async def _sitemap(self, url: str, *, listed: bool, depth: int, seen: set[str]) -> None:
        if url in seen:
            return
        seen.add(url)
        if depth > MAX_NESTING or len(seen) > MAX_SITEMAPS:
            self._incomplete(f"sitemap {url} was not read: more than {MAX_SITEMAPS} files or {MAX_NESTING} levels")
            return
        try:
            response = await self._get(url)
        except FetchError as error:
            self._incomplete(f"sitemap {url} could not be read: {error.reason}")
            return
        if response is None:
            await self._remembered_sitemap(self.known[url], depth, seen)
        elif response.status in _ABSENT or (not listed and 400 <= response.status < 500):
            self.side[url] = _absent(url, response)
        elif response.status != 200:
            self._incomplete(f"sitemap {url} could not be read: the server answered {response.status}")
        elif listed or not _is_html(response):
            await self._read_sitemap(url, response, depth, seen)

    async def _remembered_sitemap(self, record: Record, depth: int, seen: set[str]) -> None:
        self.side[record.key] = record
        if record.target == SITEMAP_INDEX:
            for child in record.links:
                await self._sitemap(child, listed=True, depth=depth + 1, seen=seen)
        else:
            self.sitemap_pages.update(dict.fromkeys(record.links))

    async def _read_sitemap(self, url: str, response: Response, depth: int, seen: set[str]) -> None:
        try:
            read = sitemap.read(response.body, url)
        except sitemap.Unreadable as error:
            self._incomplete(f"sitemap {url} could not be read: {error}")
            return
        pages = self._keys(read.pages, url)
        self.sitemap_pages.update(dict.fromkeys(pages))
        children = [c for c in (self.scope.request(child, url) for child in read.children) if c]
        if not children:
            self._remember(url, response, SITEMAP, pages)
        elif not pages:
            self._remember(url, response, SITEMAP_INDEX, tuple(dict.fromkeys(children)))
        for child in children:
            await self._sitemap(child, listed=True, depth=depth + 1, seen=seen)

    async def _llms(self, url: str) -> None:
        try:
            response = await self._get(url)
        except FetchError as error:
            self._incomplete(f"{url} could not be read: {error.reason}")
            return
        if response is None:
            record = self.known[url]
            self.side[url] = record
            self._take_llms(record.links)
        elif 400 <= response.status < 500:
            self.side[url] = _absent(url, response)
        elif response.status != 200:
            self._incomplete(f"{url} could not be read: the server answered {response.status}")
        elif not _is_html(response):
            links = llmstxt.read(response.body.decode("utf-8", "replace"), url)
            pages = self._keys(links, url)
            self._take_llms(pages)
            self._remember(url, response, LLMS, pages)

    def _take_llms(self, keys: Sequence[str]) -> None:
        """Pages, also where their Markdown is named: what that stands for is the page."""
        for key in keys:
            page = page_of(key)
            if page != key:
                self.instead.setdefault(page, key)
            self.llms_pages[page] = None

    def _keys(self, links: tuple[str, ...], base: str) -> tuple[str, ...]:
        """The pages of a listing that lie within the source's borders."""
        keys: dict[str, None] = {}
        for link in links:
            requested = self.scope.request(link, base)
            if requested is None:
                continue
            key = self.scope.identify(requested)
            if within(self.scope, key) and key not in keys:
                keys[key] = None
                if requested != key:
                    self.urls.setdefault(key, requested)
        return tuple(keys)

    def _incomplete(self, reason: str) -> None:
        self.incomplete.append(reason)


def _absent(url: str, response: Response) -> Record:
    return Record(key=url, status=Status.ABSENT, target=str(response.status))


def _is_html(response: Response) -> bool:
    """A site that answers every URL with its start page has no sitemap."""
    start = response.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _no_robots(url: str, reason: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"{url} cannot be read ({reason}), so nothing may be asked for (RFC 9309); nothing was changed",
        "try again later; `--no-robots` (or `robots: false`) if you may ignore it",
    )
