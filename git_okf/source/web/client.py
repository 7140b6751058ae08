"""Asking a web server: politely, within limits, telling trouble from an answer.

`Client.get` either hands over what the server said or raises: `FetchError` for this URL alone, `RateLimited` where the
host wants to be left in peace. Below it is transport.py; nothing else of source/web but the browser uses the network.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from git_okf import __version__
from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web import url as urls
from git_okf.source.web.address import Policy, Refused
from git_okf.source.web.decoding import ACCEPTED, TooLarge, Undecodable
from git_okf.source.web.exchange import Asked, Budget, Failure, FetchError, Reply, failure, redirect_target
from git_okf.source.web.pace import Lane, Pace, RateLimited, Silent

if TYPE_CHECKING:
    from git_okf.source.web.transport import Resolve, Transport

__all__ = ["Client", "FetchError", "Hop", "RateLimited", "Response", "Stats"]

USER_AGENT = f"git-okf/{__version__} (+https://github.com/git-okf/git-okf)"
ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
MAX_TRIES = 3
MAX_HOPS = 10
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_OURS = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"})


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
        self._sleep, self._chance = sleep, chance
        self._resolve, self._proxies = resolve, proxies
        self._transport: Transport | None = None

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
        if self._transport is None:
            return Stats(requests=0, wire_bytes=0)
        return Stats(requests=self._transport.requests, wire_bytes=self._transport.wire_bytes)

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
        no_cache: bool = False,
    ) -> Response:
        """Ask for an absolute URL, as it is written; conditionally where validators are given.

        Redirects are followed, at most ten; `follow` may be a question asked of each target, and where it says no the
        redirect itself is the answer, with the target as its last hop. A failed exchange and the statuses of RETRIED
        are tried three times. Any other status is an answer. `max_bytes` is for what is no page (a sitemap) and may be
        larger. `no_cache` asks past the caches on the way. Raises FetchError, RateLimited.
        """
        asked = Asked(method, accept, etag, last_modified, max_bytes or self._source.max_bytes, no_cache)
        hops: list[Hop] = []
        seen = {url}
        at = url
        clock = Budget(self._source.page_timeout)
        wire_bytes = 0
        while True:
            reply = await self._try(asked, at, clock)
            wire_bytes += reply.wire_bytes
            target = redirect_target(reply, at) if follow else ""
            if target:
                hops.append(Hop(reply.status, target))
            if not target or not (follow is True or (callable(follow) and follow(target))):
                return _response(url, at, reply, hops, wire_bytes)
            if target in seen:
                raise FetchError(f"redirects in a circle, back to {target}", retryable=True, status=reply.status)
            if len(hops) > MAX_HOPS:
                raise FetchError(f"redirected more than {MAX_HOPS} times", retryable=True, status=reply.status)
            seen.add(target)
            at = target

    async def _try(self, asked: Asked, url: str, budget: Budget) -> Reply:
        """One URL without its redirects: up to three tries."""
        try:
            lane = self.pace.lane(urls.origin(url))
        except ValueError as error:
            raise FetchError("only http and https URLs can be requested", retryable=False) from error
        tries = 0
        while True:
            started, outcome = await self._exchange(asked, url, lane, budget)
            if isinstance(outcome, Reply) and outcome.status not in RETRIED and not asked.is_baseless(outcome.status):
                self.pace.good(lane)
                return outcome
            failed = failure(outcome)
            counts = True
            if failed.status in (429, 503) and isinstance(outcome, Reply):
                after = outcome.headers.get("retry-after", "")
                counts = self.pace.complain(lane, started, failed.status, after)
            tries += counts
            if tries >= MAX_TRIES or not failed.again or budget.left <= 0:
                raise FetchError(failed.reason, retryable=failed.retryable, status=failed.status)
            if failed.status == 304:
                asked = asked.afresh()
            if failed.status != 429:
                await self._sleep(0.5 * 2 ** (tries - 1) * (0.5 + self._chance()))

    async def _exchange(self, asked: Asked, url: str, lane: Lane, budget: Budget) -> tuple[float, Reply | Failure]:
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
            return started, Failure(reason, again=False)
        except TransportError as error:
            self.pace.unanswered(lane, error.reason)
            return started, Failure(error.reason, again=error.again)
        except Refused as error:
            return started, Failure(str(error), again=False, retryable=False)
        except TooLarge:
            return started, Failure(f"larger than {asked.limit} bytes", again=False, retryable=False)
        except Undecodable as error:
            return started, Failure(error.reason, again=error.cut, retryable=error.cut)
        finally:
            budget.left -= loop.time() - began
            self.pace.leave(lane)

    async def _once(self, asked: Asked, url: str) -> Reply:
        assert self._transport is not None, "used outside `async with`"
        own = urls.origin(url) == self._origin
        headers = asked.headers(self._own if own else self._foreign, keep_accept=own and self._accepts)
        return await self._transport.exchange(asked.method, url, headers, asked.limit)


def _merged(base: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    for name in more:
        if name.lower() in _OURS:
            raise ConfigError(f"the header {name} cannot be set", "it belongs to the connection; leave it out")
    given = {name.lower() for name in more}
    return {**{name: value for name, value in base.items() if name.lower() not in given}, **more}


def _response(url: str, final_url: str, reply: Reply, hops: list[Hop], wire_bytes: int) -> Response:
    return Response(
        url=url,
        final_url=final_url,
        status=reply.status,
        headers=reply.headers,
        body=reply.body,
        hops=tuple(hops),
        wire_bytes=wire_bytes,
    )
