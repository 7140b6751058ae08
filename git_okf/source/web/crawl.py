"""One run over a site.

1. robots.txt, the seed, sitemaps and llms.txt.
2. Every known page is asked, and every new one that failed last time: before new ones, so that no cap and no time
   limit takes a known page its question.
3. The site is walked from the seed through what these pages and the listings link to; new pages are asked on the way.
   Known pages have their answers by then, so whether something leads to them is a matter of the walk alone.
4. Names that were merged last time are asked again where something about them changed; pages that answered 404 are
   asked a second time. What comes of that is walked too.

The walk goes page by page in one order (frontier.py), and everything that decides anything happens in the walk or is
a function of one answer: the result does not depend on how many requests run at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.web.answer import Answer, Barred, Doubt, Elsewhere, Missing, Page, Refusal, Same, Trouble, for_new
from git_okf.source.web.discovery import KINDS, Discovery
from git_okf.source.web.frontier import Frontier, Node
from git_okf.source.web.identity import Names
from git_okf.source.web.inquiry import Inquirer
from git_okf.source.web.scope import Decision, Scope

AHEAD = 4
"""Answers that may wait to be walked, for each request at a time."""
SMALL = 4
"""Known pages up to which no share of missing ones speaks of a broken site (the `page-count` guard's exception)."""
DEAD_AFTER = 25
"""Failures without a single answer in between, after which the seed is asked whether the site is there at all."""


@dataclass(slots=True)
class Findings:
    """What a run found, as facts; conclusion.py says what they mean."""

    answers: dict[str, Answer] = field(default_factory=dict)
    """Of known and pending pages."""
    pages: dict[str, Page] = field(default_factory=dict)
    """New pages, in the order of the walk."""
    side: dict[str, Record] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    """Known pages that answered 404 or 410 twice, with the status."""
    once: set[str] = field(default_factory=set)
    """Known pages that answered 404 or 410 and were not asked again."""
    linked: set[str] = field(default_factory=set)
    """Keys that a page links to."""
    doubts: dict[str, str] = field(default_factory=dict)
    """New links that came to something suspicious."""
    barred: dict[str, str] = field(default_factory=dict)
    """New links that a rule forbids to ask, with the rule."""
    unasked: int = 0
    """Pages that were not asked because the run had to stop."""
    stopped: str = ""
    """Why the run stopped before it was done."""


class Crawl:
    """One run. `walk` fills `findings`."""

    def __init__(
        self,
        source: WebSource,
        scope: Scope,
        ask: Ask,
        tools: Tools,
        known: Mapping[str, Record],
        discovery: Discovery,
        inquirer: Inquirer,
    ) -> None:
        self.source = source
        self.scope = scope
        self.discovery = discovery
        self.findings = Findings()
        self.names = Names()
        self.known = known
        self.pages = {key: record for key, record in sorted(known.items()) if record.status is Status.PAGE}
        self._ask = ask
        self._tools = tools
        self._inquirer = inquirer
        self._decisions: dict[str, Decision] = {}
        self._urls: dict[str, str] = {}
        self._resting: dict[str, None] = {}
        self._stirred: set[str] = set()
        self._failures = 0
        cap = source.max_pages if ask.max_pages is None else ask.max_pages
        self.max_pages = cap
        self.max_depth = source.max_depth if ask.max_depth is None else ask.max_depth
        self.frontier = Frontier(
            max_depth=self.max_depth, places=max(0, cap - len(self.pages)), must_ask=self._must_ask
        )

    # --- the phases ---

    async def everything(self, seed: Answer) -> None:
        """A whole run; the seed has been asked."""
        found = self.findings
        found.answers[self.scope.start] = seed
        await self._ask_all(self._known_and_pending())
        for key, record in self.pages.items():
            self._enter_known(key, record)
        self.frontier.reach(self.scope.start, 0, "links")
        await self._walk_listings()
        await self._walk()
        while self._wake():
            await self._walk()
        if await self._ask_missing_again():
            await self._walk()
            while self._wake():
                await self._walk()

    async def failed_only(self) -> None:
        """Only what was retained last time; nothing is discovered."""
        failed = [k for k, r in self.pages.items() if r.failure and self.permitted(k).accepted]
        pending = [k for k, r in sorted(self.known.items()) if r.status is Status.PENDING]
        await self._ask_all([*failed, *pending])
        for key in pending:
            self._settle_new(Node(key, 0, "known"), self.findings.answers.pop(key, Barred("not asked")))
        again = [k for k in failed if isinstance(self.findings.answers.get(k), Missing)]
        await self._each(again, self._ask_again)

    def _known_and_pending(self) -> list[str]:
        answers = self.findings.answers
        wanted = []
        for key in self.pages:
            decision = self.permitted(key)
            if not decision.accepted:
                answers[key] = Barred(decision.rule)
            elif key not in answers:
                wanted.append(key)
        pending = (k for k, r in sorted(self.known.items()) if r.status is Status.PENDING and k not in answers)
        return [*wanted, *(key for key in pending if self.permitted(key).accepted and self.frontier.places > 0)]

    async def _walk_listings(self) -> None:
        if self.max_depth < 1:
            return
        discovery = self.discovery
        for key, requested in discovery.urls.items():
            self._urls.setdefault(key, requested)
        for origin, keys in (("sitemap", discovery.sitemap_pages), ("llms.txt", discovery.llms_pages)):
            self._follow(keys, 1, origin)

    # --- asking ---

    async def _ask_all(self, keys: list[str]) -> None:
        async def one(key: str) -> None:
            answer = await self._one(key)
            if answer is None:
                self.findings.unasked += 1
            else:
                self.findings.answers[key] = answer
                self._tools.progress("pages", len(self.findings.answers), len(self.pages))

        await self._each(keys, one)

    async def _each(self, keys: Iterable[str], one: Callable[[str], Awaitable[None]]) -> None:
        """Do something for every key, a bounded number at a time. The first error ends all of it."""
        waiting = iter(keys)

        async def worker() -> None:
            for key in waiting:
                await one(key)

        tasks = [asyncio.create_task(worker()) for _ in range(self.source.concurrency * 2)]
        try:
            await asyncio.gather(*tasks)
        finally:
            await _cancelled(tasks)

    async def _one(self, key: str) -> Answer | None:
        """The answer for a key; None where the run has to stop."""
        if self._must_stop():
            return None
        record = self.known.get(key)
        answer = await self._inquirer.ask(key, self.request_url(key), record)
        if not isinstance(answer, Trouble):
            self._failures = 0
            return answer
        self._failures += 1
        if self._failures >= DEAD_AFTER:
            self._failures = 0
            if isinstance(await self._inquirer.gone(self.scope.start, self.request_url(self.scope.start)), Trouble):
                self.findings.stopped = self.findings.stopped or "the site stopped answering"
        return answer

    def _must_stop(self) -> bool:
        found = self.findings
        if not found.stopped:
            if self._tools.stopping():
                found.stopped = "the run was interrupted"
            elif self._ask.deadline is not None and time.monotonic() >= self._ask.deadline:
                found.stopped = "the time budget is used up"
        return bool(found.stopped)

    def request_url(self, key: str) -> str:
        """What is requested for a key: as a page or listing of this run wrote it, else as last time."""
        record = self.known.get(key)
        if record is not None and record.status is Status.PAGE:
            return record.request_url
        if key == self.scope.start:
            return self.scope.request(self.source.url, self.source.url) or key
        return self._urls.get(key) or (record.request_url if record is not None else key)

    def permitted(self, key: str) -> Decision:
        """Whether a key may be asked, by the source's rules and the site's."""
        decision = self._decisions.get(key)
        if decision is None:
            decision = self.scope.decide(key)
            if not decision.accepted:
                decision = Decision(False, f"out of scope: {decision.rule}")
            elif not self.discovery.robots.allowed(self.request_url(key)):
                decision = Decision(False, "robots.txt disallows it")
            self._decisions[key] = decision
        return decision

    # --- the walk ---

    def _must_ask(self, key: str) -> bool:
        return key not in self.findings.answers and key not in self._resting

    async def _walk(self) -> None:
        """Walk until nothing is left in the queue. Requests run ahead of it."""
        tasks: dict[str, asyncio.Task[Answer | None]] = {}
        window = self.source.concurrency * AHEAD
        try:
            while self.frontier:
                while not self._must_stop():
                    key = self.frontier.next_to_ask(len(tasks), window)
                    if key is None:
                        break
                    tasks[key] = asyncio.create_task(self._one(key))
                node, has_answer = self.frontier.pop()
                if node.key in tasks:
                    answer = await tasks.pop(node.key)
                else:
                    answer = self.findings.answers.get(node.key) if has_answer else None
                self._settle(node, answer)
        finally:
            await _cancelled(tasks.values())

    def _settle(self, node: Node, answer: Answer | None) -> None:
        key = node.key
        if key in self.pages:
            self._settle_known(node, answer)
        elif answer is not None:
            self._settle_new(node, answer)
        elif key in self._resting:
            record = self.known[key]
            if record.status is Status.ALIAS:
                self._reach(record.target, node.depth, node.origin)
        elif self.findings.stopped:
            self.findings.unasked += 1
        else:
            self.frontier.too_many.add(key)
        if key not in self.pages:
            self._tools.progress("new pages", len(self.findings.pages), self.max_pages)

    def _settle_known(self, node: Node, answer: Answer | None) -> None:
        record = self.pages[node.key]
        match answer:
            case Page(fetched=fetched, urls=urls):
                self._urls.update(urls)
                if fetched.content_hash != record.content_hash or fetched.links != record.links:
                    self._stirred.update(fetched.links)
                self._follow(fetched.links, node.depth + 1, "links")
            case Refusal(links=links, urls=urls) if links:
                self._urls.update(urls)
                self._follow(links, node.depth + 1, "links")
            case Missing():
                return  # asked again at the end; what it linked to is followed if it is there after all
            case Elsewhere(to=to, login=False, permanent=permanent) if to:
                if permanent:
                    self.frontier.give_place()  # the page it became takes the place of this one
                self._reach(to, node.depth, node.origin)
                self._follow(record.links, node.depth + 1, "links")
            case _:
                self._follow(record.links, node.depth + 1, "links")

    def _settle_new(self, node: Node, answer: Answer) -> None:
        key, found = node.key, self.findings
        before = self.known.get(key)
        if isinstance(answer, Page):
            self._add(node, answer)
            return
        found.side.pop(key, None)
        side = for_new(key, self.request_url(key), answer, before)
        if side is not None:
            found.side[key] = side
        match answer:
            case Elsewhere(to=to) if to:
                self._reach(to, node.depth, node.origin)
                return
            case Refusal(links=links, urls=urls):
                self._urls.update(urls)
                self._stirred.update(links)
                self._follow(links, node.depth + 1, "links")
            case Same() if before is not None:
                self._follow(before.links, node.depth + 1, "links")
            case Doubt(reason=reason):
                found.doubts[key] = reason
        self.names.claim_was_broken(key)

    def _add(self, node: Node, page: Page) -> None:
        """A new page: unless it is another name of one, it takes a place and its links are followed."""
        key, fetched, found = node.key, page.fetched, self.findings
        if self.frontier.places <= 0:
            self.frontier.too_many.add(key)
            return
        canonical = page.canonical if page.canonical and self.permitted(page.canonical).accepted else ""
        merges = self.names.new(key, fetched.content_hash, fetched.raw_hash, canonical)
        taken = True
        for merge in merges:
            if merge.alias == key:
                taken = False
            elif found.pages.pop(merge.alias, None) is not None:
                self.frontier.give_place()
            url = self.request_url(merge.alias)
            found.side[merge.alias] = Record(
                key=merge.alias, url=url if url != merge.alias else "", status=Status.ALIAS, target=merge.into
            )
            self._reach(merge.into, node.depth, node.origin)
        if not taken:
            return
        found.side.pop(key, None)
        found.pages[key] = page
        self.frontier.take_place()
        self._urls.update(page.urls)
        self._stirred.update(fetched.links)
        if canonical and self.names.worth_asking(canonical):
            self._reach(canonical, node.depth, "canonical")
        self._follow(fetched.links, node.depth + 1, "links")

    def _follow(self, links: Iterable[str], depth: int, origin: str) -> None:
        if origin == "links":
            self.findings.linked.update(links)
        nodes = self.frontier.nodes
        for key in links:
            if key not in nodes:
                self._reach(key, depth, origin)

    def _reach(self, key: str, depth: int, origin: str) -> None:
        """Something leads to a key: it is put into the queue, unless a rule keeps it out."""
        if key in self.frontier.nodes or key in self.discovery.side:
            return
        if key not in self.findings.answers:
            decision = self.permitted(key)
            if not decision.accepted:
                self.findings.barred[key] = decision.rule
                return
            if self._rests(key):
                self._resting[key] = None
                self.findings.side[key] = self.known[key]
        self.frontier.reach(key, depth, origin)

    # --- asking again ---

    def _rests(self, key: str) -> bool:
        """Whether what is remembered of a key stands unless something around it changes."""
        record = self.known.get(key)
        return record is not None and record.status is Status.ALIAS and not self._ask.afresh

    def _wake(self) -> bool:
        """Put aliases back into the queue whose linking page or target changed. True if there are any."""
        woken = [key for key in self._resting if key in self._stirred or self._target_changed(key)]
        for key in woken:
            del self._resting[key]
            if self.frontier.places > 0:
                self.frontier.again(key, ask=True)
        return bool(woken) and bool(self.frontier)

    def _target_changed(self, key: str) -> bool:
        target = self.known[key].target
        record = self.pages.get(target)
        if record is None:
            return target not in self._resting and target not in self.findings.pages
        answer = self.findings.answers.get(target)
        if isinstance(answer, Page):
            return answer.fetched.content_hash != record.content_hash
        return isinstance(answer, Missing | Elsewhere)

    async def _ask_missing_again(self) -> bool:
        """The second question. True if a page is there after all and something leads to it."""
        found = self.findings
        missing = [key for key in self.pages if self._is_missing(found.answers.get(key))]
        if not self._worth_asking_again(len(missing)):
            found.once.update(missing)
            return False
        await self._each(missing, self._ask_again)
        back = [key for key in missing if key not in found.gone and key not in found.once]
        for key in back:
            self._enter_known(key, self.pages[key])
            if key in self.frontier.nodes:
                self.frontier.again(key, ask=False)
        return bool(self.frontier)

    def _is_missing(self, answer: Answer | None) -> bool:
        if isinstance(answer, Elsewhere) and answer.permanent and answer.to:
            side = self.findings.side.get(answer.to)
            return side is not None and side.status is Status.ABSENT
        return isinstance(answer, Missing)

    def _worth_asking_again(self, missing: int) -> bool:
        """Not where so many are missing that nothing will be removed in this run anyway: the site is broken."""
        if len(self.pages) <= SMALL:
            return True
        threshold = self.source.threshold if self._ask.threshold is None else self._ask.threshold
        present = sum(isinstance(self.findings.answers.get(key), Page | Same) for key in self.pages)
        return present + len(self.findings.pages) >= len(self.pages) * threshold

    async def _ask_again(self, key: str) -> None:
        found = self.findings
        if self._must_stop():
            found.once.add(key)
            return
        first = found.answers[key]
        answer = await self._inquirer.gone(key, self.request_url(key))
        if isinstance(answer, Missing):
            status = 410 if isinstance(first, Missing) and first.status == answer.status == 410 else 404
            found.gone[key] = status
        elif isinstance(answer, Elsewhere) and isinstance(first, Elsewhere) and answer.to == first.to:
            target = await self._inquirer.gone(answer.to, answer.url)
            if isinstance(target, Missing):
                found.gone[key] = 404
        else:
            found.answers[key] = answer

    def _enter_known(self, key: str, record: Record) -> None:
        """Tell the names about a known page that is there."""
        answer = self.findings.answers.get(key)
        if isinstance(answer, Page):
            self.names.known(key, answer.fetched.content_hash, answer.fetched.raw_hash)
        elif isinstance(answer, Same):
            self.names.known(key, record.content_hash, record.raw_hash)


def is_listing(record: Record) -> bool:
    """Whether a side record stands for robots.txt, a sitemap or llms.txt."""
    return record.target in KINDS and record.status in (Status.REFUSED, Status.ABSENT)


async def _cancelled(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """End what still runs and wait for it: nothing may outlive the run."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
