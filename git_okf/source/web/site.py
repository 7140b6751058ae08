"""A documentation site as a source."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any

from git_okf import digest
from git_okf.config import WebSource, header_values
from git_okf.errors import SourceUnavailable, UsageError
from git_okf.model import Counters, Observation, Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.web import published
from git_okf.source.web.answer import Answer, Barred, Denied, Doubt, Elsewhere, Missing, Refusal, Trouble, Why
from git_okf.source.web.browser import Rendering
from git_okf.source.web.client import Client, RateLimited
from git_okf.source.web.conclusion import conclude
from git_okf.source.web.content import Reader
from git_okf.source.web.crawl import Crawl
from git_okf.source.web.discovery import Discovery
from git_okf.source.web.extract import fingerprint
from git_okf.source.web.gate import Gate
from git_okf.source.web.inquiry import Getter, Inquirer
from git_okf.source.web.reading import options, scope_of
from git_okf.source.web.tally import Tally
from git_okf.source.web.walk import cancelled

STOPPING_S = 0.25
"""How soon a signal is heard, whatever is being waited for."""
ONLY_FAILED = "only failed items were asked"


class WebSite:
    """The pages of one site below one path."""

    def __init__(
        self,
        source: WebSource,
        environ: Mapping[str, str],
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """ConfigError where a pattern, a host alias or a header's variable cannot be used."""
        self._sleep = sleep
        self._source = source
        self._scope = scope_of(source)
        self._headers = header_values(source, environ)
        self._environ = environ

    @property
    def fingerprint(self) -> str:
        """Of all that makes a body of bytes: the extractor, its options, and what decides which links stay inside.

        Records made by another one are extracted again.
        """
        source = self._source
        scope = (source.include, source.exclude, source.host_alias, source.strip_query)
        return digest.fingerprint(fingerprint(options(self._scope, source, _nowhere)), *scope)

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """Ask the site for everything it has.

        SourceUnavailable where nothing can be said: robots.txt or the seed cannot be had, or the site asks to be left
        alone for a while. UsageError where the seed is there but is no page of this source. ConfigError where
        `browser: true` needs what is not installed.
        """
        return asyncio.run(self._observe(known, ask, tools))

    async def _observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        try:
            async with Client(self._source, self._headers, clock=tools.clock, sleep=self._sleep) as client:
                if not self._source.browser:
                    return await _unless_stopping(self._run(client, client, known, ask, tools), tools)
                async with Rendering(client, self._source, self._environ) as browser:
                    return await _unless_stopping(self._run(client, browser, known, ask, tools), tools)
        except RateLimited as error:
            raise SourceUnavailable(
                f"{self._source.url} asks to be left alone for a while ({error.reason}); nothing was changed",
                "run again later; what was fetched is kept",
                retry_at=error.retry_at.isoformat(timespec="seconds"),
                rate_limited=True,
            ) from error

    async def _run(
        self, client: Client, pages: Getter, known: Mapping[str, Record], ask: Ask, tools: Tools
    ) -> Observation:
        """One run; `pages` gets the pages, `client` everything else."""
        tally = Tally()
        discovery = Discovery(scope=self._scope, client=client, known=known, afresh=ask.afresh, tally=tally)
        gate = Gate(self._source, self._scope, known)
        inquirer = self._inquirer(pages, known, ask, tools, tally)
        crawl = Crawl(self._source, gate, ask, tools, known, discovery, inquirer, self._sleep)
        try:
            return await self._crawled(crawl, client, discovery, inquirer, ask, tally)
        finally:
            crawl.let_go()

    async def _crawled(
        self, crawl: Crawl, client: Client, discovery: Discovery, inquirer: Inquirer, ask: Ask, tally: Tally
    ) -> Observation:
        if self._source.robots:
            await self._obey(discovery, client, crawl)
        if ask.retry_failed:
            await crawl.failed_only()
            return conclude(crawl, _counters(client, tally), partly=ONLY_FAILED)
        seed = await self._seed(crawl, inquirer, again=ask.again)
        await discovery.read_listings()
        inquirer.twins = {page: discovery.urls.get(markdown, markdown) for page, markdown in discovery.instead.items()}
        await crawl.everything(seed)
        return conclude(crawl, _counters(client, tally))

    def _inquirer(self, pages: Getter, known: Mapping[str, Record], ask: Ask, tools: Tools, tally: Tally) -> Inquirer:
        reader = Reader(
            source=self._source,
            scope=self._scope,
            tools=tools,
            fingerprint=self.fingerprint,
            afresh=ask.afresh,
            tally=tally,
            at_once=asyncio.Semaphore(self._source.concurrency),
        )
        return Inquirer(
            scope=self._scope,
            client=pages,
            reader=reader,
            tools=tools,
            tally=tally,
            afresh=ask.afresh,
            prefer=self._source.prefer,
            take_markdown=published.wanted(self._source, known.values(), afresh=ask.afresh),
        )

    async def _obey(self, discovery: Discovery, client: Client, crawl: Crawl) -> None:
        rules = await discovery.read_robots()
        crawl.gate.robots = rules
        client.keep_delay(rules.crawl_delay)
        if not crawl.pages and not rules.allowed(crawl.gate.url(self._scope.start)):
            raise UsageError(
                f"robots.txt of {self._scope.origin} disallows {self._source.url}; nothing was fetched",
                "`--no-robots` (or `robots: false` in the configuration) if you may read it anyway",
            )

    async def _seed(self, crawl: Crawl, inquirer: Inquirer, *, again: bool) -> Answer:
        """The answer of the first page, where it is one to begin with."""
        key = self._scope.start
        decision = crawl.gate.decide(key)
        if not decision.accepted:
            if crawl.pages:
                return Barred(decision.rule)
            raise UsageError(
                f"{self._source.url} is {decision.rule}", "change `path_prefix` or `exclude`, or begin at another page"
            )
        answer = await inquirer.ask_first(key, crawl.gate.url(key), crawl.known.get(key))
        if isinstance(answer, Trouble) and answer.retryable:
            raise SourceUnavailable(
                f"{self._source.url} cannot be reached: {answer.reason}; nothing was changed",
                f"curl -I {self._source.url}",
            )
        record = crawl.known.get(key)
        if record is None or record.status is not Status.PAGE:
            self._fit_to_begin(answer, known=bool(crawl.pages) or again)
        return answer

    def _fit_to_begin(self, answer: Answer, *, known: bool) -> None:
        """A first run needs a seed that is a page or leads to pages."""
        if known:
            return
        url = self._source.url
        match answer:
            case Missing(status=status):
                raise UsageError(f"{url} is not there: the server answered {status}", "begin at a page that exists")
            case Denied(status=status):
                raise SourceUnavailable(
                    f"{url} may not be read: the server answered {status} {HTTPStatus(status).phrase}",
                    'a token is given by `headers: {Authorization: "${TOKEN}"}`',
                )
            case Elsewhere(to="", url=landing):
                raise UsageError(f"{url} leads to {landing}, which is outside the source", f"begin at {landing}")
            case Elsewhere(login=True, url=landing):
                raise SourceUnavailable(
                    f"{url} leads to a login page, {landing}", 'log in by `headers: {Cookie: "${COOKIE}"}`'
                )
            case Doubt(reason=reason):
                raise SourceUnavailable(f"{url} {reason}; nothing was written", "look at it in a browser")
            case Refusal(why=Why.KIND | Why.LIMIT, reason=reason):
                raise UsageError(f"{url} is no page to begin at: {reason}", "begin at an HTML or Markdown page")
            case Refusal(reason=reason, links=links) if not links:
                raise UsageError(f"{url} has nothing to take: {reason}", "begin at another page")
            case Trouble(reason=reason):
                raise UsageError(f"{url} cannot be read: {reason}", "begin at another page")
            case _:
                return


async def _unless_stopping(run: Coroutine[Any, Any, Observation], tools: Tools) -> Observation:
    """The observation, or one of nothing soon after a signal, whatever the site does: what was fetched is spooled."""
    task = asyncio.ensure_future(run)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=STOPPING_S)
            if not task.done() and tools.stopping():
                return Observation(outcomes={}, incomplete_reasons=("the run was interrupted",))
        return task.result()
    finally:
        await cancelled([task])


def _counters(client: Client, tally: Tally) -> Counters:
    return Counters(
        requests=client.stats.requests,
        not_modified=tally.not_modified,
        fetched=tally.fetched,
        extracted=tally.extracted,
        bytes=client.stats.wire_bytes,
    )


def _nowhere(url: str) -> str:
    """The place of links does not change how content is extracted."""
    return url
