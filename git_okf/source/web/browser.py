"""Pages rendered by a real Chromium, for sites whose content exists only once their scripts have run.

The browser never touches the network. Every request it makes, the page itself included, is answered from here through
the same client as everything else: the same address checks, limits, pace and headers. Whatever is not needed for the
text (pictures, fonts, sound, film) is refused, and so is everything that would change something (any method but GET).

A page is done when it has loaded and nothing was asked for during 500 ms, or after SETTLED seconds: the rule is fixed,
so that the same site gives the same page. Each page has a browser context of its own: no cookie, no storage and no
service worker goes from one page to the next.

The answer of the server says nothing about the rendered page, so there are no validators: a page is rendered in every
run, and the bytes of the result decide whether it is read again.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web.client import Client, FetchError, Hop, RateLimited, Response

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Route

VARIABLE = "PLAYWRIGHT_CHROMIUM"
"""The environment variable that names the browser's program."""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SETTLED = 10.0
"""Seconds after loading in which a page may still ask for things."""
PAGES_AT_ONCE = 4
KEPT_BYTES = 32 * 1024 * 1024
"""Of scripts that are kept for the next page."""

_REFUSED = frozenset({"image", "font", "media", "texttrack", "eventsource", "websocket", "manifest", "ping", "other"})
_KEPT = frozenset({"script", "stylesheet"})
_HOP_BY_HOP = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie", "keep-alive"}
    | {"etag", "last-modified", "strict-transport-security", "alt-svc"}
)
_FLAGS = (
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Nothing listens there: a request that were not answered from here would fail.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
)


class Rendering:
    """A client whose HTML pages have been rendered; an asynchronous context manager around a client that is open."""

    def __init__(self, client: Client, source: WebSource, environ: Mapping[str, str]) -> None:
        """`environ` may name the browser's program; nothing is started yet."""
        self._client = client
        self._source = source
        self._environ = environ
        self._gate = asyncio.Semaphore(min(PAGES_AT_ONCE, source.concurrency))
        self._kept: OrderedDict[str, Response] = OrderedDict()
        self._kept_bytes = 0
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def __aenter__(self) -> Self:
        """ConfigError where the extra or the browser is missing, or the browser does not start."""
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise ConfigError(
                f"source {self._source.name} has `browser: true`, and the browser support is not installed",
                "pip install 'git-okf[browser]', and install Chromium (apt-get install chromium)",
            ) from error
        program = self._environ.get(VARIABLE) or next(filter(None, map(shutil.which, PROGRAMS)), None)
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        self._playwright = await async_playwright().start()
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=program, headless=True, chromium_sandbox=not root, args=list(_FLAGS)
            )
        except Error as error:
            await self._playwright.stop()
            raise ConfigError(
                f"source {self._source.name} has `browser: true`, and Chromium does not start: {_first_line(error)}",
                f"apt-get install chromium, or set {VARIABLE} to its program",
            ) from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._browser is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(10):
                    await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        accept: str = "text/html",
        method: str = "GET",
        follow: bool | Callable[[str], bool] = True,
        no_cache: bool = False,
    ) -> Response:
        """As `Client.get`; the body of an HTML page is what its scripts made of it. Validators are not sent."""
        response = await self._client.get(url, accept=accept, method=method, follow=follow, no_cache=no_cache)
        if method != "GET" or response.status != 200 or not _is_html(response):
            return response
        async with self._gate:
            return await self._rendered(url, response)

    async def _rendered(self, url: str, response: Response) -> Response:
        from playwright.async_api import Error

        assert self._browser is not None, "used outside `async with`"
        visit = _Visit(self, url, response)
        try:
            async with asyncio.timeout(self._source.page_timeout):
                context = await self._browser.new_context(
                    service_workers="block", locale=_locale(self._source.accept_language), timezone_id="UTC"
                )
                try:
                    html = await visit.html(context)
                finally:
                    with suppress(TimeoutError, Error):
                        async with asyncio.timeout(5):
                            await context.close()
        except TimeoutError as error:
            raise FetchError(f"rendering took longer than {self._source.page_timeout:g} s", retryable=True) from error
        except Error as error:
            raise FetchError(f"the browser failed: {_first_line(error)}", retryable=True) from error
        if visit.limited is not None:
            raise visit.limited
        if visit.moved:
            return replace(response, status=302, body=b"", hops=(Hop(302, visit.moved),))
        body = html.encode("utf-8", "replace")
        if len(body) > self._source.max_bytes:
            raise FetchError(f"larger than {self._source.max_bytes} bytes once rendered", retryable=False)
        headers = {k: v for k, v in response.headers.items() if k.lower() not in _HOP_BY_HOP}
        return replace(response, body=body, headers={**headers, "content-type": "text/html; charset=utf-8"})

    async def fetch(self, url: str, kind: str) -> Response:
        """What a page asks for, by the client's rules. Scripts are kept for the next page."""
        kept = self._kept.get(url)
        if kept is not None:
            self._kept.move_to_end(url)
            return kept
        response = await self._client.get(url, accept="*/*")
        if kind in _KEPT and response.status == 200:
            self._kept[url] = response
            self._kept_bytes += len(response.body)
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1].body)
        return response


class _Visit:
    """One page in the browser."""

    def __init__(self, rendering: Rendering, url: str, response: Response) -> None:
        self._rendering = rendering
        self._url = url
        self._response = response
        self._begun = False
        self.moved = ""
        """Where a script sent the browser."""
        self.limited: RateLimited | None = None

    async def html(self, context: BrowserContext) -> str:
        from playwright.async_api import TimeoutError as Late

        page = await context.new_page()
        await context.route("**/*", lambda route: self._answer(page, route))
        await page.goto(self._url, wait_until="load", timeout=0)
        with suppress(Late):
            await page.wait_for_load_state("networkidle", timeout=SETTLED * 1000)
        return "" if self.moved else await page.content()

    async def _answer(self, page: Page, route: Route) -> None:
        request = route.request
        kind = request.resource_type
        if kind == "document" and request.frame == page.main_frame:
            if self._begun:
                self.moved = self.moved or request.url
                await route.abort()
                return
            self._begun = True
            await _fulfil(route, self._response)
            return
        if request.method != "GET" or kind in _REFUSED or not request.url.startswith(("http://", "https://")):
            await route.abort()
            return
        try:
            await _fulfil(route, await self._rendering.fetch(request.url, kind))
        except RateLimited as error:
            self.limited = error
            await route.abort()
        except FetchError:
            await route.abort()


async def _fulfil(route: Route, response: Response) -> None:
    headers = {
        name: value.replace("\n", ", ") for name, value in response.headers.items() if name.lower() not in _HOP_BY_HOP
    }
    await route.fulfill(status=response.status, headers=headers, body=response.body)


def _is_html(response: Response) -> bool:
    media = response.content_type.partition(";")[0].strip().lower()
    return media in ("text/html", "application/xhtml+xml", "") and not response.body.startswith(
        (b"%PDF", b"PK\x03\x04")
    )


def _locale(accept_language: str) -> str:
    """The first language of an Accept-Language header."""
    first = accept_language.partition(",")[0].partition(";")[0].strip()
    return first if first and first != "*" else "en"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
