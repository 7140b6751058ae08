"""What a run found -> what it observed. Pure: facts of the crawl become outcomes, side records and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import MappingProxyType

from git_okf.model import (
    Counters,
    Failed,
    Fetched,
    Gone,
    Ignored,
    Moved,
    NotModified,
    Observation,
    Outcome,
    Record,
    Status,
    Suspect,
)
from git_okf.source.web.answer import Barred, Elsewhere, Missing, Page, Same, for_known
from git_okf.source.web.crawl import Crawl
from git_okf.source.web.discovery import KINDS

EXAMPLES = 3
"""Items named in a notice; the rest is counted."""
HOPS = 10
"""Redirects in a row that are followed to a page."""


def conclude(crawl: Crawl, counters: Counters, *, partly: str = "") -> Observation:
    """The observation of a run; `partly` says why it asked for only a part."""
    unreached = {} if partly else _unreached(crawl)
    outcomes = dict(_outcomes(crawl, unreached))
    reasons = (partly,) if partly else tuple(_incomplete(crawl, outcomes, unreached))
    listed = dict(crawl.discovery.side)
    side = {**crawl.findings.side, **unreached, **_gone_links(crawl), **listed}
    return Observation(
        outcomes=MappingProxyType(outcomes),
        incomplete_reasons=reasons,
        unlinked=_unlinked(crawl, outcomes) if not partly else frozenset(),
        side=tuple(side[key] for key in sorted(side)),
        counters=counters,
        final_urls=MappingProxyType(_landings(crawl)),
        origins=MappingProxyType(_origins(crawl, outcomes)),
        notices=tuple(_notices(crawl)),
    )


def _unreached(crawl: Crawl) -> dict[str, Record]:
    """New links that a run which had to stop did not come to, in the order of the walk: the next one asks them first.

    No more than there are places for: whatever is remembered is asked.
    """
    found, frontier = crawl.findings, crawl.walk.frontier
    if not found.stopped:
        return {}
    settled = (crawl.pages, found.answers, found.pages, found.side)
    waiting = (key for key in frontier.nodes if not any(key in each for each in settled))
    return {
        key: Record(key=key, url=url if (url := crawl.gate.url(key)) != key else "", status=Status.PENDING,
                    failure=found.stopped, tries=_tries(crawl, key))
        for key in islice(waiting, max(0, frontier.places))
    }  # fmt: skip


def _tries(crawl: Crawl, key: str) -> int:
    before = crawl.known.get(key)
    return before.tries if before is not None and before.status is Status.PENDING else 0


def _outcomes(crawl: Crawl, unreached: Mapping[str, Record]) -> Iterator[tuple[str, Outcome]]:
    """Known pages in the order of their keys, then new ones in the order of the walk, then what is pending."""
    found = crawl.findings
    for key in crawl.pages:
        answer = found.answers.get(key)
        if answer is None:
            continue
        outcome = for_known(crawl.pages[key], answer)
        if outcome is None:
            outcome = _gone(crawl, key) if not isinstance(answer, Elsewhere) else _moved(crawl, key, answer)
        yield key, outcome
    yield from found.pages.items()
    for key, record in sorted({**found.side, **unreached}.items()):
        if record.status is Status.PENDING:
            yield key, Failed(key=key, reason=record.failure)


def _gone(crawl: Crawl, key: str) -> Outcome:
    status = crawl.findings.gone.get(key)
    if status is not None:
        return Gone(key=key, reason=f"{status}, asked twice")
    answer = crawl.findings.answers[key]
    status = answer.status if isinstance(answer, Missing) else 404
    return Failed(key=key, reason=f"answered {status}, but not each time it was asked: that is no evidence")


def _moved(crawl: Crawl, key: str, answer: Elsewhere) -> Outcome:
    """A permanent redirect counts, twice, where it ends at a page that was found, or at one that is gone."""
    if key in crawl.findings.gone:
        return _gone(crawl, key)
    if key not in crawl.findings.moved:
        return Failed(key=key, reason=f"redirects to {answer.url}, but not twice: that is no evidence")
    to = end_of(crawl, answer.to)
    if to == key:
        return Failed(key=key, reason=f"redirects in a circle, by {answer.url}")
    there = crawl.findings.answers.get(to) if to in crawl.pages else None
    if to in crawl.findings.pages or isinstance(there, Page | Same):
        return Moved(key=key, to=to)
    return Failed(key=key, reason=f"moved to {answer.url}, which could not be fetched")


def end_of(crawl: Crawl, key: str) -> str:
    """The key at the end of the aliases and moves that begin with this one."""
    for _ in range(HOPS):
        side = crawl.findings.side.get(key)
        answer = crawl.findings.answers.get(key)
        if side is not None and side.status is Status.ALIAS:
            key = side.target
        elif isinstance(answer, Elsewhere) and answer.permanent and answer.to:
            key = answer.to
        else:
            break
    return key


def _gone_links(crawl: Crawl) -> dict[str, Record]:
    """Pages that are gone but still linked: next time a HEAD is enough to see whether they came back."""
    found = crawl.findings
    return {
        key: Record(key=key, url=crawl.pages[key].url, status=Status.ABSENT, target=str(status))
        for key, status in found.gone.items()
        if key in found.linked
    }


def _unlinked(crawl: Crawl, outcomes: dict[str, Outcome]) -> frozenset[str]:
    return frozenset(
        key
        for key in crawl.pages
        if key not in crawl.walk.frontier.nodes and isinstance(outcomes.get(key), Fetched | NotModified)
    )


def _landings(crawl: Crawl) -> dict[str, str]:
    answers = crawl.findings.answers
    return {key: answer.url for key in crawl.pages if isinstance(answer := answers.get(key), Elsewhere)}


def _origins(crawl: Crawl, outcomes: dict[str, Outcome]) -> dict[str, int]:
    """Counted without a set of what is there: there may be a hundred thousand items, and this is when most is held."""
    start, linked, reached = crawl.gate.scope.start, crawl.findings.linked, crawl.walk.frontier.nodes
    ways: Mapping[str, Callable[[str], bool]] = {
        "links": lambda key: key in linked or key == start,
        "sitemap": crawl.discovery.sitemap_pages.__contains__,
        "llms.txt": crawl.discovery.llms_pages.__contains__,
        "known": lambda key: key not in reached,
    }
    there = [key for key, outcome in outcomes.items() if isinstance(outcome, Fetched | NotModified)]
    counts = {name: sum(map(leads, there)) for name, leads in ways.items()}
    return {name: count for name, count in counts.items() if count}


# --- why there may be more than was found ---


def _incomplete(crawl: Crawl, outcomes: Mapping[str, Outcome], unreached: Mapping[str, Record]) -> Iterator[str]:
    found, frontier = crawl.findings, crawl.walk.frontier
    if found.stopped and found.unasked:
        yield f"{found.stopped}: {_count(found.unasked, 'page was', 'pages were')} not asked"
    yield from crawl.discovery.incomplete
    too_many = frontier.too_many - unreached.keys()
    if too_many:
        yield f"max_pages {crawl.max_pages} reached: {_count(len(too_many), 'link', 'links')} not followed"
    too_deep = frontier.too_deep - frontier.nodes.keys()
    if too_deep:
        yield f"max_depth {crawl.max_depth} reached: {_count(len(too_deep), 'link', 'links')} not followed"
    failed = [key for key, outcome in outcomes.items() if isinstance(outcome, Failed) and key not in unreached]
    if failed:
        yield f"{_count(len(failed), 'page', 'pages')} could not be fetched"
    suspect = [key for key, outcome in outcomes.items() if isinstance(outcome, Suspect)]
    if suspect:
        yield f"{_count(len(suspect), 'page looks', 'pages look')} like something else"
    barred = [key for key in crawl.pages if isinstance(outcomes.get(key), Ignored) and _by_robots(crawl, key)]
    if barred:
        yield f"robots.txt disallows {_count(len(barred), 'known page', 'known pages')}"


def _by_robots(crawl: Crawl, key: str) -> bool:
    answer = crawl.findings.answers.get(key)
    return isinstance(answer, Barred) and answer.reason.startswith("robots.txt")


# --- what else there is to say ---


def _notices(crawl: Crawl) -> Iterator[str]:
    found = crawl.findings
    yield from crawl.discovery.notices
    broken = [r.key for r in found.side.values() if r.status is Status.ABSENT and r.key in found.linked]
    yield from _some(broken, "broken link: {} is not there", "{} broken links")
    refused = {r.key: r.target for r in found.side.values() if r.status is Status.REFUSED and r.target not in KINDS}
    yield from _some(
        [f"{key} ({reason})" for key, reason in refused.items()], "not taken: {}", "{} links lead to what is no page"
    )
    answers = (found.answers.get(key) for key in crawl.pages)
    again = [answer for answer in answers if isinstance(answer, Page)]
    hidden = [*(found.hidden & found.pages.keys()), *(page.fetched.key for page in again if page.hidden)]
    yield from _some(hidden, "text no reader sees was left out of {}", "text no reader sees was left out of {} pages")
    taken = chain(found.pages.values(), (page.fetched for page in again))
    lossy = [f"{page.key} ({'; '.join(page.warnings)})" for page in taken if page.warnings]
    yield from _some(lossy, "not all content could be kept of {}", "not all content could be kept of {} pages")
    spoken = (f"{key} ({old} became {new})" for key, old, new in _other_language(crawl))
    yield from _some(spoken, "another language is declared: {}", "{} pages declare another language")
    robots = [key for key, rule in found.barred.items() if rule.startswith("robots.txt")]
    yield from _some(robots, "robots.txt disallows {}", "robots.txt disallows {} links")
    for prefix, into, count in found.copies:
        yield f"{prefix} shows the same pages as {into} ({count}): they are kept once"
    for canonical, count in crawl.walk.names.conflicts():
        yield f"{count} different pages name {canonical} as their canonical URL; that was ignored"
    met = chain(
        found.linked,
        crawl.discovery.sitemap_pages,
        crawl.discovery.llms_pages,
        crawl.pages,
        [crawl.gate.scope.start],
    )
    for text in crawl.gate.scope.unmatched(met):
        yield f"the pattern {text!r} matched nothing"


def _other_language(crawl: Crawl) -> Iterator[tuple[str, str, str]]:
    """Known pages that declare another language than last time, with both: the server may go by what asks (PAGE-04)."""
    for key, record in crawl.pages.items():
        answer = crawl.findings.answers.get(key)
        if record.language and isinstance(answer, Page) and answer.fetched.language:
            old, new = record.language, answer.fetched.language
            if old.lower().replace("_", "-") != new.lower().replace("_", "-"):
                yield key, old, new


def _some(items: Iterable[str], one: str, many: str) -> Iterator[str]:
    items = sorted(items)
    if len(items) == 1:
        yield one.format(items[0])
    elif items:
        more = ", ..." if len(items) > EXAMPLES else ""
        yield f"{many.format(len(items))}: {', '.join(items[:EXAMPLES])}{more}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
