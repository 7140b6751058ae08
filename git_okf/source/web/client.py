"""Asking a web server: politely, within limits, telling trouble from an answer.

The only place of source/web, with transport.py, that does network input and output. `Client.get` either hands over what
the server said or raises: `FetchError` for this URL alone, `RateLimited` where the host wants to be left in peace.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Self

from git_okf import __version__
from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web import url as urls
from git_okf.source.web.address import Policy, Refused
from git_okf.source.web.decoding import ACCEPTED, Body, TooLarge, Undecodable
from git_okf.source.web.pace import Lane, Pace, RateLimited, Silent

if TYPE_CHECKING:
    from aiohttp import ClientResponse

    from git_okf.source.web.transport import Resolve, Transport

__all__ = ["Client", "FetchError", "Hop", "RateLimited", "Response", "Stats"]

USER_AGENT = f"git-okf/{__version__} (+https://github.com/git-okf/git-okf)"
ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
MAX_TRIES = 3
MAX_HOPS = 10
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OURS = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"})


class FetchError(Exception):
    """One URL could not be had. `retryable`: the next run should ask again; else it will not until the item changes."""

    def __init__(self, reason: str, *, retryable: bool, status: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.status = status
        """Of the answer that was refused, 0 where there was none."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect: its status, and the URL it leads to."""

    status: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the server said in the end."""

    url: str
    """What was requested."""
    final_url: str
    """What answered."""
    status: int
    headers: Mapping[str, str]
    """By name in any case; repeated lines are joined by newlines."""
    body: bytes = b""
    """Decoded from its Content-Encoding; empty for 304 and HEAD."""
    hops: tuple[Hop, ...] = ()
    wire_bytes: int = 0
    """Of the body as it came."""

    @property
    def permanent(self) -> bool:
        """Whether it was redirected, and for good (301, 308) at each hop."""
        return bool(self.hops) and all(hop.status in (301, 308) for hop in self.hops)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a client has cost so far."""

    requests: int
    wire_bytes: int


class Client:
    """Requests for one source; an asynchronous context manager.

    - `headers` (secrets among them) go to the source's own scheme, host and port, never beyond.
    - The source's host may have any address, other hosts only public ones (address.py).
    - At most `source.concurrency` requests to a host at once, `source.delay` seconds apart; a host that says 429 is
      asked more slowly as a whole (pace.py).
    - A page takes at most `source.page_timeout` seconds over all its tries, waiting for its turn not counted, and at
      most `source.max_bytes` decoded bytes.
    - No cookie is kept. Accept-Language is the configured one.
    """

    def __init__(
        self,
        source: WebSource,
        headers: Mapping[str, str],
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        resolve: Resolve | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> None:
        """`chance` gives numbers from 0 to 1 for the jitter of back-off; `proxies` None: those of the environment."""
        start = urls.clean(source.url, source.url)
        if start is None:
            raise ConfigError(f"{source.url!r} cannot be requested", "write it like https://docs.example.com/")
        self._source = source
        self._origin = urls.origin(start)
        self._policy = Policy.of([urls.host(start)], source.allow_hosts)
        self._foreign = {
            "User-Agent": USER_AGENT,
            "Accept-Language": source.accept_language,
            "Accept-Encoding": ACCEPTED,
        }
        self._own = _merged(self._foreign, headers)
        self._accepts = "accept" in {name.lower() for name in headers}
        self.pace = Pace(source.concurrency, source.delay, monotonic, sleep, clock)
        self._monotonic, self._sleep, self._chance = monotonic, sleep, chance
        self._resolve, self._proxies = resolve, proxies
        self._transport: Transport | None = None
        self._wire_bytes = 0

    async def __aenter__(self) -> Self:
        from git_okf.source.web.transport import Transport

        self._transport = Transport(
            self._policy,
            connections=self._source.concurrency,
            read_timeout=self._source.page_timeout / 2,
            resolve=self._resolve,
            proxies=self._proxies,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._transport is not None:
            await self._transport.close()

    @property
    def stats(self) -> Stats:
        sent = self._transport.requests if self._transport is not None else 0
        return Stats(requests=sent, wire_bytes=self._wire_bytes)

    def keep_delay(self, seconds: float) -> None:
        """At least so many seconds between two requests to the source's host (robots.txt Crawl-delay)."""
        self.pace.keep_delay(self._origin, seconds)

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        accept: str = ACCEPT,
        method: str = "GET",
        follow: bool | Callable[[str], bool] = True,
        max_bytes: int | None = None,
    ) -> Response:
        """Ask for an absolute URL, as it is written; conditionally where validators are given.

        Redirects are followed, at most ten; `follow` may be a question asked of each target, and where it says no the
        redirect itself is the answer, with the target as its last hop. A failed exchange and the statuses of RETRIED
        are tried three times. Any other status is an answer. `max_bytes` is for what is no page (a sitemap) and may be
        larger. Raises FetchError, RateLimited.
        """
        asked = _Asked(method, accept, etag, last_modified, max_bytes or self._source.max_bytes)
        hops: list[Hop] = []
        seen = {url}
        at = url
        clock = _Budget(self._source.page_timeout)
        wire_bytes = 0
        while True:
            reply = await self._try(asked, at, clock)
            wire_bytes += reply.wire_bytes
            target = _target(reply, at) if follow else ""
            if target:
                hops.append(Hop(reply.status, target))
            if not target or not (follow is True or (callable(follow) and follow(target))):
                return Response(
                    url=url,
                    final_url=at,
                    status=reply.status,
                    headers=reply.headers,
                    body=reply.body,
                    hops=tuple(hops),
                    wire_bytes=wire_bytes,
                )
            if target in seen:
                raise FetchError(f"redirects in a circle, back to {target}", retryable=True, status=reply.status)
            if len(hops) > MAX_HOPS:
                raise FetchError(f"redirected more than {MAX_HOPS} times", retryable=True, status=reply.status)
            seen.add(target)
            at = target

    async def _try(self, asked: _Asked, url: str, budget: _Budget) -> _Reply:
        """One URL without its redirects: up to three tries."""
        try:
            lane = self.pace.lane(urls.origin(url))
        except ValueError as error:
            raise FetchError("only http and https URLs can be requested", retryable=False) from error
        tries = 0
        while True:
            started, outcome = await self._exchange(asked, url, lane, budget)
            if isinstance(outcome, _Reply) and outcome.status not in RETRIED and not asked.is_baseless(outcome.status):
                self.pace.good(lane)
                return outcome
            failure = _failure(outcome, asked)
            counts = True
            if failure.status in (429, 503) and isinstance(outcome, _Reply):
                after = outcome.headers.get("retry-after", "")
                counts = self.pace.complain(lane, started, failure.status, after)
            tries += counts
            if tries >= MAX_TRIES or not failure.again or budget.left <= 0:
                raise FetchError(failure.reason, retryable=failure.retryable, status=failure.status)
            if failure.status == 304:
                asked = asked.afresh()
            if failure.status != 429:
                await self._sleep(0.5 * 2 ** (tries - 1) * (0.5 + self._chance()))

    async def _exchange(self, asked: _Asked, url: str, lane: Lane, budget: _Budget) -> tuple[float, _Reply | _Failure]:
        """One request and its answer, in its turn."""
        from git_okf.source.web.transport import TransportError

        try:
            started = await self.pace.enter(lane)
        except Silent as error:
            raise FetchError(error.reason, retryable=True) from error
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout_at(began + budget.left):
                return started, await self._once(asked, url)
        except TimeoutError:
            reason = f"took longer than {self._source.page_timeout:g} s"
            self.pace.unanswered(lane, reason)
            return started, _Failure(reason, again=False)
        except TransportError as error:
            self.pace.unanswered(lane, error.reason)
            return started, _Failure(error.reason, again=error.again)
        except Refused as error:
            return started, _Failure(str(error), again=False, retryable=False)
        except TooLarge:
            return started, _Failure(f"larger than {asked.limit} bytes", again=False, retryable=False)
        except Undecodable as error:
            return started, _Failure(error.reason, again=error.cut, retryable=error.cut)
        finally:
            budget.left -= loop.time() - began
            self.pace.leave(lane)

    async def _once(self, asked: _Asked, url: str) -> _Reply:
        from git_okf.source.web.transport import Headers

        assert self._transport is not None, "used outside `async with`"
        own = urls.origin(url) == self._origin
        headers = asked.headers(self._own if own else self._foreign, keep_accept=own and self._accepts)
        answer = await self._transport.open(asked.method, url, headers)
        try:
            status = answer.status
            if status == 304 or asked.method == "HEAD":
                return _Reply(status, Headers(answer.headers))
            body, wire_bytes = await self._body(answer, asked.limit)
            return _Reply(status, Headers(answer.headers), body, wire_bytes)
        finally:
            answer.release()

    async def _body(self, answer: ClientResponse, limit: int) -> tuple[bytes, int]:
        """The decoded body, refused as soon as it is known to be too large."""
        import aiohttp

        from git_okf.source.web.transport import translate

        if answer.content_length is not None and answer.content_length > limit:
            raise TooLarge
        body = Body(answer.headers.get("Content-Encoding", ""), limit)
        wire_bytes = 0
        try:
            async for chunk in answer.content.iter_any():
                wire_bytes += len(chunk)
                self._wire_bytes += len(chunk)
                body.feed(chunk)
        except (aiohttp.ClientError, OSError) as error:
            raise translate(error) from error
        return body.finish(), wire_bytes


@dataclass(slots=True)
class _Budget:
    """Seconds a page may still take."""

    left: float


@dataclass(frozen=True, slots=True)
class _Asked:
    method: str
    accept: str
    etag: str
    last_modified: str
    limit: int
    no_cache: bool = False

    def headers(self, base: Mapping[str, str], *, keep_accept: bool) -> dict[str, str]:
        headers = dict(base)
        if not keep_accept:
            headers["Accept"] = self.accept
        # Byte for byte as the server gave them; our own clock is never a validator (RFC 9110, section 13.1).
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        if self.no_cache:
            headers["Cache-Control"] = "no-cache"
        return headers

    def is_baseless(self, status: int) -> bool:
        """304 although nothing was named that could be unmodified."""
        return status == 304 and not self.etag and not self.last_modified

    def afresh(self) -> _Asked:
        return _Asked(self.method, self.accept, "", "", self.limit, no_cache=True)


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: str
    again: bool
    """Worth another try in this run."""
    retryable: bool = True
    """Worth another try in the next."""
    status: int = 0


def _failure(outcome: _Reply | _Failure, asked: _Asked) -> _Failure:
    if isinstance(outcome, _Failure):
        return outcome
    if outcome.status == 304:
        return _Failure("304 to a request without validators", again=True, status=304)
    try:
        phrase = HTTPStatus(outcome.status).phrase
    except ValueError:
        phrase = ""
    return _Failure(f"{outcome.status} {phrase}".strip(), again=True, status=outcome.status)


def _target(reply: _Reply, url: str) -> str:
    """Where a redirect leads, "" if it is none. FetchError if it leads to something that cannot be requested."""
    if reply.status not in _REDIRECTS:
        return ""
    location = reply.headers.get("location", "")
    if not location:
        return ""
    # Header bytes outside ASCII were meant to stand in the URL as they are.
    raw = location.encode("utf-8", "surrogateescape")
    target = urls.clean("".join(chr(b) if b < 128 else f"%{b:02X}" for b in raw), url)
    if target is None:
        raise FetchError("redirects to something that is no http or https URL", retryable=False, status=reply.status)
    return target


def _merged(base: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    for name in more:
        if name.lower() in _OURS:
            raise ConfigError(f"the header {name} cannot be set", "it belongs to the connection; leave it out")
    given = {name.lower() for name in more}
    return {**{name: value for name, value in base.items() if name.lower() not in given}, **more}
