"""One run over a site.

1. robots.txt, the seed, sitemaps and llms.txt.
2. Every known page is asked, and every new one that failed last time: before new ones, so that no cap and no time
   limit takes a known page its question.
3. The site is walked (walk.py) from the seed through what these pages and the listings lead to; new pages are asked on
   the way. Known pages have their answers by then, so whether something leads to them is a matter of the walk alone.
4. Pages that answered that they are gone or moved are asked a second time, a while later and past all caches; what
   comes of that is walked too. A page that left twice while something still leads to it contradicts the site: it is
   asked a last time at the very end.

Everything that decides anything is a function of one answer or happens in the walk: the result does not depend on how
many requests run at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import chain

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.web.answer import Answer, Barred, Doubt, Elsewhere, Missing, Page, Same, Trouble
from git_okf.source.web.discovery import Discovery
from git_okf.source.web.findings import Findings
from git_okf.source.web.frontier import Node
from git_okf.source.web.gate import Gate
from git_okf.source.web.identity import copied_prefixes
from git_okf.source.web.inquiry import Inquirer
from git_okf.source.web.walk import ERROR_PAGE, Means, Walk, cancelled

SMALL = 4
"""Known pages up to which no share of missing ones speaks of a broken site (the `page-count` guard's exception)."""
DEAD_AFTER = 25
"""Failures without a single answer in between, after which the seed is asked whether the site is there at all."""
RECHECK_AFTER = 1.0
"""Seconds before a page is asked again whether it is gone: a server that is being restarted has time to come back."""
SHRUNK = 5
"""A known page with less than this fraction of its text is compared with the site's error page."""


class Crawl:
    """One run. Its methods fill `findings`."""

    def __init__(
        self,
        source: WebSource,
        gate: Gate,
        ask: Ask,
        tools: Tools,
        known: Mapping[str, Record],
        discovery: Discovery,
        inquirer: Inquirer,
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self.gate = gate
        self.known = known
        self.discovery = discovery
        self.findings = Findings()
        self.max_depth = source.max_depth if ask.max_depth is None else ask.max_depth
        self.max_pages = source.max_pages if ask.max_pages is None else ask.max_pages
        self._source = source
        self._ask = ask
        self._tools = tools
        self._inquirer = inquirer
        self._sleep = sleep
        self._failures = 0
        means = Means(
            ask=self._one,
            is_error_page=inquirer.is_error_page,
            must_stop=self._must_stop,
            progress=tools.progress,
            concurrency=source.concurrency,
        )
        self.walk = Walk(
            gate,
            means,
            self.findings,
            known,
            max_depth=self.max_depth,
            max_pages=self.max_pages,
            afresh=ask.afresh,
        )
        self.pages = self.walk.pages

    # --- whole runs ---

    async def everything(self, seed: Answer) -> None:
        """All that the site offers; the seed has been asked."""
        start = self.gate.scope.start
        self.findings.answers[start] = seed
        self._announce(seed)
        await self._each(self._known_and_pending(), self._take_answer)
        await self._doubt_known()
        for key in self.pages:
            self.walk.enter_known(key)
        self.walk.listings = self.discovery.side
        self.walk.reach(start, 0, "links")
        self._follow_listings()
        await self.walk.go()
        leaving = [key for key in self.pages if self._is_leaving(key)]
        if self._worth_asking_again():
            await self._ask_later(leaving, self._ask_again)
        await self._ask_later(self._leaving_but_linked(), self._ask_once_more)
        self._merge_copies()

    def _announce(self, seed: Answer) -> None:
        """Let workers be started where the seed and the listings name many pages that have to be read."""
        links = seed.fetched.links if isinstance(seed, Page) else ()
        named = chain(links, self.discovery.sitemap_pages, self.discovery.llms_pages)
        new = sum(key not in self.known for key in named) if self.max_depth > 0 else 0
        if new:
            self._tools.expect(min(new, self.walk.frontier.places))

    async def failed_only(self) -> None:
        """Only what was retained last time; nothing is discovered."""
        failed = [k for k, r in self.pages.items() if r.failure and self.gate.decide(k).accepted]
        pending = [k for k, r in sorted(self.known.items()) if r.status is Status.PENDING]
        await self._each([*failed, *pending], self._take_answer)
        await self._doubt_known()
        for key in pending:
            answer = self.findings.answers.pop(key, None)
            if answer is not None:
                self.walk.settle_new(Node(key, 0, "known"), answer)
        await self._ask_later([k for k in failed if self._is_leaving(k)], self._ask_again, walk=False)
        linked = {link for record in self.pages.values() for link in record.links} | {self.gate.scope.start}
        left = [k for k in failed if k in linked and (k in self.findings.gone or k in self.findings.moved)]
        await self._ask_later(left, self._ask_once_more, walk=False)

    def let_go(self) -> None:
        """Drop what was found, once it is concluded. The parts of a crawl know each other, so they stay in memory until
        the collector comes by; what they hold for each page need not."""
        self.findings.let_go()
        self.walk.let_go()

    def _known_and_pending(self) -> list[str]:
        """What the last run did not come to, or could not have, comes first, new pages before known ones: so a run that
        never has enough time gets to everything all the same."""
        answers = self.findings.answers
        wanted: list[str] = []
        for key in sorted(self.pages, key=lambda key: not self.pages[key].failure):
            decision = self.gate.decide(key)
            if not decision.accepted:
                answers[key] = Barred(decision.rule)
            elif key not in answers:
                wanted.append(key)
        if self.walk.frontier.places > 0:
            pending = (k for k, r in sorted(self.known.items()) if r.status is Status.PENDING and k not in answers)
            wanted[:0] = [key for key in pending if self.gate.decide(key).accepted]
        return wanted

    def _follow_listings(self) -> None:
        """What sitemaps and llms.txt name is one step from the seed."""
        if self.max_depth < 1:
            return
        self.gate.learn(self.discovery.urls)
        self.walk.instead = self.discovery.instead
        self.walk.follow(self.discovery.sitemap_pages, 1, "sitemap")
        self.walk.follow(self.discovery.llms_pages, 1, "llms.txt")

    # --- asking ---

    async def _take_answer(self, key: str) -> None:
        answer = await self._one(key)
        if answer is None:
            self.findings.unasked += 1
        else:
            self.findings.answers[key] = answer
            self._tools.progress("pages", len(self.findings.answers), len(self.pages))

    async def _each(self, keys: Iterable[str], one: Callable[[str], Awaitable[None]]) -> None:
        """Do something for every key, a bounded number at a time. The first error ends all of it."""
        waiting = iter(keys)

        async def worker() -> None:
            for key in waiting:
                await one(key)

        tasks = [asyncio.create_task(worker()) for _ in range(self._source.concurrency * 2)]
        try:
            await asyncio.gather(*tasks)
        finally:
            await cancelled(tasks)

    async def _one(self, key: str) -> Answer | None:
        """The answer for a key; None where the run has to stop."""
        if self._must_stop():
            return None
        answer = await self._in_time(self._inquirer.ask(key, self.gate.url(key), self.known.get(key)))
        if answer is None:
            return None
        if not isinstance(answer, Trouble):
            self._failures = 0
            return answer
        self._failures += 1
        if self._failures >= DEAD_AFTER:
            self._failures = 0
            start = self.gate.scope.start
            if isinstance(await self._inquirer.ask_plainly(start, self.gate.url(start)), Trouble):
                self.findings.stopped = self.findings.stopped or "the site stopped answering"
        return answer

    async def _in_time(self, asking: Awaitable[Answer]) -> Answer | None:
        """An answer, or None where the run's time is over first. Without a limit nothing is set up for each page."""
        if self._ask.deadline is None:
            return await asking
        limit = asyncio.timeout_at(self._ask.deadline)  # the loop's clock is the monotonic one
        try:
            async with limit:
                return await asking
        except TimeoutError:
            if not limit.expired():
                raise
            return None

    def _must_stop(self) -> bool:
        found = self.findings
        if not found.stopped:
            if self._tools.stopping():
                found.stopped = "the run was interrupted"
            elif self._ask.deadline is not None and time.monotonic() >= self._ask.deadline:
                found.stopped = "the time budget is used up"
        return bool(found.stopped)

    # --- looking twice ---

    async def _doubt_known(self) -> None:
        """Known pages that suddenly are alike, or lost most of their text, may be the site's error page."""
        changed = {
            key: answer
            for key in self.pages
            if isinstance(answer := self.findings.answers.get(key), Page)
            and answer.fetched.content_hash != self.pages[key].content_hash
        }
        bodies = Counter(page.fetched.content_hash for page in changed.values())
        odd = [
            key
            for key, page in changed.items()
            if bodies[page.fetched.content_hash] > 1 or page.fetched.size * SHRUNK < self.pages[key].size
        ]
        for key in odd:
            if await self._inquirer.is_error_page(key, changed[key]):
                self.findings.answers[key] = Doubt(ERROR_PAGE)

    async def _ask_later(self, keys: list[str], ask: Callable[[str], Awaitable[None]], *, walk: bool = True) -> None:
        """Another question to pages that are leaving. Where one is there after all, what it leads to is walked."""
        if not keys or self._must_stop():
            return
        await self._sleep(RECHECK_AFTER)
        await self._each(keys, ask)
        if not walk:
            return
        for key in keys:
            if not self._is_leaving(key):
                self.walk.enter_known(key)
                if key in self.walk.frontier.nodes:
                    self.walk.frontier.again(key, ask=False)
        await self.walk.go()

    def _is_leaving(self, key: str) -> bool:
        """Whether a known page answered that it is not there, or not there any more."""
        answer = self.findings.answers.get(key)
        return isinstance(answer, Missing) or (isinstance(answer, Elsewhere) and answer.permanent and answer.to != "")

    def _worth_asking_again(self) -> bool:
        """Not where so many are missing that nothing will be removed in this run anyway: the site is broken."""
        if len(self.pages) <= SMALL:
            return True
        threshold = self._source.threshold if self._ask.threshold is None else self._ask.threshold
        present = sum(isinstance(self.findings.answers.get(key), Page | Same) for key in self.pages)
        return present + len(self.findings.pages) >= len(self.pages) * threshold

    async def _ask_again(self, key: str) -> None:
        """Twice the same answer is evidence. A redirect to what is not there is as good as a 404."""
        found = self.findings
        if self._must_stop():
            return
        first, second = found.answers[key], await self._inquirer.ask_plainly(key, self._page_url(key))
        found.answers[key] = second
        if isinstance(second, Missing) and isinstance(first, Missing):
            found.gone[key] = 410 if first.status == second.status == 410 else 404
        elif isinstance(second, Elsewhere) and isinstance(first, Elsewhere) and second.to == first.to:
            target = found.side.get(second.to)
            if target is None or target.status is not Status.ABSENT:
                found.moved.add(key)
            elif isinstance(await self._inquirer.ask_plainly(second.to, second.url), Missing):
                found.gone[key] = 404

    def _leaving_but_linked(self) -> list[str]:
        """Pages that left twice although the site itself, or for the start page the source, leads to them."""
        found = self.findings
        named = (found.linked, self.discovery.sitemap_pages, (self.gate.scope.start,))
        left = [key for key in self.pages if key in found.gone or key in found.moved]
        return [key for key in left if any(key in each for each in named)]

    async def _ask_once_more(self, key: str) -> None:
        """The last question to a page that left but is linked. Unasked or answered otherwise, it has not left."""
        found = self.findings
        before, status = found.answers[key], found.gone.pop(key, None)
        found.moved.discard(key)
        if self._must_stop():
            return
        found.answers[key] = await self._inquirer.ask_plainly(key, self._page_url(key))
        if not _left_alike(before, found.answers[key]):
            return
        if status is not None:
            found.gone[key] = status
        else:
            found.moved.add(key)

    def _page_url(self, key: str) -> str:
        """The page itself, also where it was taken from its published Markdown: that alone is no page."""
        return key if self.pages[key].form == "markdown" else self.gate.url(key)

    def _merge_copies(self) -> None:
        """Whole path prefixes that show the pages of another one (`/stable/` what `/v2/` shows) are kept once."""
        found = self.findings
        aliases = {k: r.target for k, r in found.side.items() if r.status is Status.ALIAS}
        new = {key: page.content_hash for key, page in found.pages.items()}
        if not new:
            return  # known pages stay what they are
        known = {key: content for key, content in self.walk.names.contents() if key in self.pages}
        for copy in copied_prefixes(new, known, aliases):
            for alias, into in copy.pairs:
                if found.pages.pop(alias, None) is not None:
                    self.walk.remember_alias(alias, into)
            found.copies.append((copy.prefix, copy.into, len(copy.pairs)))


def _left_alike(first: Answer, second: Answer) -> bool:
    """Whether two answers say the same about where a page has gone."""
    if isinstance(first, Missing):
        return isinstance(second, Missing)
    return (
        isinstance(first, Elsewhere)
        and isinstance(second, Elsewhere)
        and first.permanent
        and second.permanent
        and first.to == second.to
    )
