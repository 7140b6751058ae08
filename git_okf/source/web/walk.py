"""The walk through the site: page by page in one order, deciding what each new one is.

Known pages have been asked before; the walk only learns from their answers where they lead. New pages are asked while
it goes. Whatever decides anything happens here, in the order of the frontier, and requests only run ahead of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.model import Record, Status
from git_okf.source.web.answer import FOR_NOW, Answer, Doubt, Elsewhere, Missing, Page, Refusal, Same, for_new
from git_okf.source.web.findings import Findings
from git_okf.source.web.frontier import Frontier, Node
from git_okf.source.web.gate import Gate
from git_okf.source.web.identity import Names
from git_okf.source.web.url import family

MAX_HOPS = 10
"""Redirects in a row that are followed; each leads to another key, so a site could go on for ever."""
ASKS_A_PAGE = 10
SPARE_ASKS = 10_000
"""Links that may be asked beyond ASKS_A_PAGE for each page that may be taken: most traps are no pages."""
AHEAD = 4
"""Answers that may wait for their turn, for each request at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How the walk asks."""

    ask: Callable[[str], Awaitable[Answer | None]]
    """The answer for a key; None where the run has to stop."""
    is_error_page: Callable[[str, Page], Awaitable[bool]]
    """Whether a page is what the site shows for URLs that do not exist."""
    must_stop: Callable[[], bool]
    progress: Callable[[str, int, int], None]
    concurrency: int


class Walk:
    """Fills `findings` with what is new."""

    def __init__(
        self,
        gate: Gate,
        means: Means,
        findings: Findings,
        known: Mapping[str, Record],
        *,
        max_depth: int,
        max_pages: int,
        afresh: bool,
    ) -> None:
        self.gate = gate
        self.findings = findings
        self.names = Names()
        self.pages = {key: record for key, record in sorted(known.items()) if record.status is Status.PAGE}
        self.listings: Mapping[str, Record] = {}
        """Records of robots.txt, sitemaps and llms.txt: links to these are no links to pages."""
        self.instead: dict[str, str] = {}
        """By key, the published Markdown that stands for the page where the page itself is not there."""
        self.frontier = Frontier(
            max_depth=max_depth,
            places=max(0, max_pages - len(self.pages)),
            asks=max_pages * ASKS_A_PAGE + SPARE_ASKS,
            must_ask=self._must_ask,
        )
        self._hops: dict[str, int] = {}
        self._means = means
        self._known = known
        self._afresh = afresh
        self._max_pages = max_pages
        self._resting: dict[str, None] = {}
        self._stirred: set[str] = set()
        self._error_titles: set[str] = set()

    def let_go(self) -> None:
        """Drop what is held for each page."""
        self.names = Names()
        self.frontier.let_go()
        self.gate.let_go()
        self._resting.clear()
        self._stirred.clear()

    # --- going ---

    async def go(self) -> None:
        """Walk until nothing is left, names that have to be looked at again included."""
        await self._go()
        while self._wake() or self._take_instead():
            await self._go()

    async def _go(self) -> None:
        tasks: dict[str, asyncio.Task[Answer | None]] = {}
        try:
            while self.frontier:
                self._run_ahead(tasks)
                node, has_answer = self.frontier.pop()
                if node.key in tasks:
                    answer = await tasks.pop(node.key)
                else:
                    answer = self.findings.answers.get(node.key) if has_answer else None
                if isinstance(answer, Page) and node.key not in self.pages:
                    answer = await self._unless_error_page(node.key, answer)
                self._settle(node, answer)
        finally:
            await cancelled(tasks.values())

    def _run_ahead(self, tasks: dict[str, asyncio.Task[Answer | None]]) -> None:
        while not self._means.must_stop():
            key = self.frontier.next_to_ask(len(tasks), self._means.concurrency * AHEAD)
            if key is None:
                return
            tasks[key] = asyncio.ensure_future(self._means.ask(key))

    async def _unless_error_page(self, key: str, page: Page) -> Answer:
        """A new page with the body of another is looked at twice: sites show one page for all that do not exist."""
        if page.fetched.title not in self._error_titles and not self.names.is_copy(key, page.fetched.content_hash):
            return page
        if not await self._means.is_error_page(key, page):
            return page
        self._error_titles.add(page.fetched.title)
        for other in [k for k, p in self.findings.pages.items() if p.content_hash == page.fetched.content_hash]:
            del self.findings.pages[other]
            self.names.forget(other)
            self.frontier.give_place()
            self.settle_new(self.frontier.node(other), Doubt(ERROR_PAGE))
        return Doubt(ERROR_PAGE)

    # --- deciding ---

    def _settle(self, node: Node, answer: Answer | None) -> None:
        key = node.key
        if key in self.pages:
            self._settle_known(node, answer)
            return
        if answer is not None:
            self.settle_new(node, answer)
        elif key in self._resting:
            record = self._known[key]
            if record.status is Status.ALIAS:
                self._follow_redirect(node, record.target)
        elif self.findings.stopped:
            self.findings.unasked += 1
        else:
            self.frontier.too_many.add(key)
        self._means.progress("new pages", len(self.findings.pages), self._max_pages)

    def _settle_known(self, node: Node, answer: Answer | None) -> None:
        """Where a known page leads: by what it says now, and where nothing came of asking, by what it said before."""
        record = self.pages[node.key]
        match answer:
            case Page(fetched=fetched, urls=urls):
                self.gate.learn(urls)
                if fetched.content_hash != record.content_hash or fetched.links != record.links:
                    self._stirred.update(fetched.links)
                self.follow(fetched.links, node.depth + 1, "links")
            case Refusal(links=links, urls=urls) if links:
                self.gate.learn(urls)
                self.follow(links, node.depth + 1, "links")
            case Missing():
                return  # asked again at the end; what it linked to is followed if it is there after all
            case Elsewhere(to=to, login=False, permanent=permanent) if to:
                if permanent:
                    self.frontier.give_place()  # the page it became takes the place of this one
                self._follow_redirect(node, to)
                self.follow(record.links, node.depth + 1, "links")
            case _:
                self.follow(record.links, node.depth + 1, "links")

    def settle_new(self, node: Node, answer: Answer) -> None:
        """Decide what a new link is."""
        key, found = node.key, self.findings
        if isinstance(answer, Page):
            self._add(node, answer)
            return
        before = self._known.get(key)
        side = for_new(key, self.gate.url(key), answer, before)
        found.side.pop(key, None)
        if side is not None:
            found.side[key] = side
        self.names.claim_was_broken(key)
        match answer:
            case Elsewhere(to=to) if to and not self._follow_redirect(node, to):
                reason = f"redirected more than {MAX_HOPS} times in a row"
                found.side[key] = Record(key=key, status=Status.REFUSED, target=reason)
            case Refusal(links=links, urls=urls):
                self.gate.learn(urls)
                self._stirred.update(links)
                self.follow(links, node.depth + 1, "links")
            case Same() if before is not None:
                self.follow(before.links, node.depth + 1, "links")

    def _add(self, node: Node, page: Page) -> None:
        """A new page: unless it is another name of one, it takes a place and its links are followed."""
        key, fetched, found = node.key, page.fetched, self.findings
        if self.frontier.places <= 0:
            self.frontier.too_many.add(key)
            return
        canonical = page.canonical if page.canonical and self.gate.decide(page.canonical).accepted else ""
        merges = self.names.new(key, fetched.content_hash, fetched.raw_hash, canonical)
        for merge in merges:
            if found.pages.pop(merge.alias, None) is not None:
                self.frontier.give_place()
            self.remember_alias(merge.alias, merge.into)
            self.reach(merge.into, node.depth, node.origin)
        if any(merge.alias == key for merge in merges):
            return
        found.side.pop(key, None)
        found.pages[key] = fetched
        if page.hidden:
            found.hidden.add(key)
        self.frontier.take_place()
        self.gate.learn(page.urls)
        self._stirred.update(fetched.links)
        if canonical and self.names.worth_asking(canonical):
            self.reach(canonical, node.depth, "canonical")
        self.follow(fetched.links, node.depth + 1, "links")

    def remember_alias(self, alias: str, into: str) -> None:
        """From now on `alias` is another name of the page `into`."""
        url = self.gate.url(alias)
        wire = url if url != alias else ""
        self.findings.side[alias] = Record(key=alias, url=wire, status=Status.ALIAS, target=into)

    # --- reaching ---

    def follow(self, links: Iterable[str], depth: int, origin: str) -> None:
        """Everything a page or a listing leads to, in its order."""
        if origin == "links":
            self.findings.linked.update(links)
        nodes = self.frontier.nodes
        for key in links:
            if key not in nodes:
                self.reach(key, depth, origin)

    def _follow_redirect(self, node: Node, to: str) -> bool:
        """Reach what a page redirects to. False where too many redirects led to the page itself."""
        hops = self._hops.get(node.key, 0) + 1
        if hops > MAX_HOPS:
            return False
        self._hops.setdefault(to, hops)
        self.reach(to, node.depth, node.origin)
        return True

    def reach(self, key: str, depth: int, origin: str) -> None:
        """Something leads to a key: it is put into the queue, unless a rule keeps it out."""
        if key in self.frontier.nodes or key in self.listings:
            return
        if key not in self.findings.answers:
            decision = self.gate.decide(key)
            if not decision.accepted:
                self.findings.barred[key] = decision.rule
                return
            record = self._known.get(key)
            rests = record is not None and record.status is Status.ALIAS and record.failure != FOR_NOW
            if record is not None and rests and not self._afresh:
                self._resting[key] = None
                self.findings.side[key] = record
        self.frontier.reach(key, depth, origin)

    def _must_ask(self, key: str) -> bool:
        return key not in self.findings.answers and key not in self._resting

    def enter_known(self, key: str) -> None:
        """Tell the names about a known page that is there."""
        answer, record = self.findings.answers.get(key), self.pages[key]
        if isinstance(answer, Page):
            self.names.known(key, answer.fetched.content_hash, answer.fetched.raw_hash)
        elif isinstance(answer, Same):
            self.names.known(key, record.content_hash, record.raw_hash)

    # --- looking again ---

    def _wake(self) -> bool:
        """Put aliases back into the queue whose linking page or target changed. True if there are any."""
        woken = [key for key in self._resting if key in self._stirred or self._target_changed(key)]
        for key in woken:
            del self._resting[key]
            if self.frontier.places > 0:
                self.frontier.again(key, ask=True)
        return bool(self.frontier)

    def _target_changed(self, key: str) -> bool:
        target = self._known[key].target
        record = self.pages.get(target)
        if record is None:
            return target not in self._resting and target not in self.findings.pages
        answer = self.findings.answers.get(target)
        if isinstance(answer, Page):
            return answer.fetched.content_hash != record.content_hash
        return isinstance(answer, Missing | Elsewhere)

    def _take_instead(self) -> bool:
        """Published Markdown whose page is not there under any spelling is a page itself."""
        absent = [
            key
            for key in self.instead
            if (side := self.findings.side.get(key)) is not None and side.status is Status.ABSENT
        ]
        there = {family(key) for key in (*self.findings.pages, *self.pages)} if absent else set()
        for key in absent:
            if family(key) not in there:
                self.reach(self.instead[key], self.frontier.nodes[key].depth, "llms.txt")
        return bool(self.frontier)


ERROR_PAGE = "it shows what the site shows for addresses that do not exist"


async def cancelled(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """End what still runs and wait for it: nothing may outlive the run."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
