"""Whatever happens to a site: nothing that is served and linked is ever removed, and trouble leaves no trace.

A history is a sequence of site states, each with faults, rules, caps and interruptions of its own. After it the faults
end, and every page is as in a first run, but where a link redirected for good: that is believed until the page that
holds the link changes. Once every page has changed, the records are those of a first run and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from observing import Bodies, Docs, advance, document, no_sleep, tools
from site_server import Site, serving

from git_okf import guard
from git_okf.config import Removal
from git_okf.delta import found
from git_okf.errors import SourceUnavailable
from git_okf.model import Fetched, Observation, Record, Status
from git_okf.source import Ask
from git_okf.source.web.site import WebSite

PATHS = ("/", "/a/", "/b", "/c.html", "/d", "/e/f", "/g")
LEAVING: tuple[Mapping[str, object], ...] = (
    {"status": 404},
    {"status": 410},
    {"status": 301, "headers": {"Location": "/b"}},
    {"status": 308, "headers": {"Location": "/elsewhere"}},
    {"status": 301, "headers": {"Location": "https://elsewhere.example/"}},
    {"body": b'<meta http-equiv=refresh content="0; url=/d"><a href=/d>here</a>'},
    {"body": document("Every page at once", ["/"]).encode()},
)
"""What the site says with these, it means: a page is not there, or is another one, and leads elsewhere."""
TROUBLE: tuple[Mapping[str, object], ...] = (
    {"status": 404, "times": 1},
    {"status": 404, "times": 2},
    {"status": 410, "times": 1},
    {"status": 301, "headers": {"Location": "/b"}, "times": 2},
    {"status": 500},
    {"status": 503, "times": 1},
    {"status": 429, "times": 2},
    {"status": 403},
    {"status": 204},
    {"drop": True},
    {"cut": 10},
    {"status": 302, "headers": {"Location": "/login"}},
    {"status": 302, "headers": {"Location": "/b"}},
    {"body": b"<html><body></body></html>"},
    {"body": b"<html><title>Page not found</title><body><main><h1>Page not found</h1></main></body></html>"},
    {"body": b"%PDF-1.7"},
    {"headers": {"Content-Encoding": "gzip"}},
    {"headers": {"X-Robots-Tag": "noindex"}},
)
QUESTIONS = 3
"""How often a page that is linked is asked whether it is gone."""
PATTERNS = (*PATHS, *PATHS, "/[a-g]*", "*")
ROBOTS = ("", "", "", "User-agent: *\nDisallow: /a/\nDisallow: /d\n", "User-agent: *\nDisallow: /\n", "503", "<html>")
SITEMAPS = ("", "", "/b /c.html", "/e/f /g /nowhere", "500", "<urlset><url>", "<!DOCTYPE x><urlset></urlset>")


class Killed(BaseException):
    """The process is no more."""


@dataclass
class Dying(Bodies):
    """A spool that sees so many results and then the end."""

    left: int = 0

    def remember(self, result: Fetched) -> None:
        super().remember(result)
        self.left -= 1
        if self.left <= 0:
            raise Killed


@dataclass(frozen=True)
class Moment:
    """The site at one time, what goes wrong at that time, and what becomes of the run."""

    pages: Mapping[str, int]
    links: Mapping[str, tuple[str, ...]]
    faults: tuple[tuple[str, Mapping[str, object]], ...] = ()
    ask: Ask = field(default_factory=Ask)
    robots: str = ""
    sitemap: str = ""
    killed_after: int | None = None
    """Results after which the run is killed; the next one resumes it."""
    stopped_after: int | None = None
    """Requests after which the run has to stop."""

    def show(self, docs: Docs) -> None:
        site = docs.site
        site.heal()
        for path in [path for path in site.pages if path not in self.pages]:
            site.remove(path)
        for path, version in self.pages.items():
            docs.page(path, *self.links.get(path, ()), version=version)
        for path, fault in self.faults:
            site.fault(path, **fault)
        site.fault("/sitemap.xml", status=404)
        site.fault("/robots.txt", status=404)
        if self.robots:
            wrong = {"status": 503} if self.robots == "503" else {"body": self.robots.encode()}
            site.fault("/robots.txt", **wrong, headers={"Content-Type": "text/plain"})
        if self.sitemap:
            locations = "".join(f"<url><loc>{docs.key(path)}</loc></url>" for path in self.sitemap.split())
            text = self.sitemap if self.sitemap.startswith("<") else f"<urlset>{locations}</urlset>"
            wrong = {"status": 500} if self.sitemap == "500" else {"body": text.encode()}
            site.fault("/sitemap.xml", **wrong, headers={"Content-Type": "text/xml"})

    def safe(self) -> set[str]:
        """What is there, and can be reached by links from the start page over pages that are there."""
        reached, waiting = {"/"}, ["/"]
        while waiting:
            path = waiting.pop()
            if self._is_leaving(path):
                continue
            for link in self.links.get(path, ()):
                if link in self.pages and link not in reached:
                    reached.add(link)
                    waiting.append(link)
        return {path for path in reached if not self._is_leaving(path)}

    def _is_leaving(self, path: str) -> bool:
        """Whether the page says for good that it is not there, or as often in a row as it is asked."""
        wrong = [fault for pattern, fault in self.faults if pattern in (path, "/[a-g]*", "*")]
        times = [
            int(str(fault["times"])) for fault in wrong if fault.get("status") in (404, 410, 301) and "times" in fault
        ]
        return any(fault in LEAVING for fault in wrong) or sum(times) >= QUESTIONS


PATH = st.sampled_from(PATHS)
ASKS = (Ask(), Ask(), Ask(), Ask(), Ask(max_pages=3), Ask(max_depth=1), Ask(deadline=0.0), Ask(afresh=True))
MOMENTS = st.builds(
    Moment,
    pages=st.dictionaries(st.sampled_from(PATHS[1:]), st.integers(1, 2), min_size=3).map(lambda d: {"/": 1, **d}),
    links=st.dictionaries(PATH, st.lists(PATH, max_size=4, unique=True).map(tuple), min_size=3).map(
        lambda d: {**d, "/": (*d.get("/", ()), "/a/", "/b")}
    ),
    faults=st.lists(st.tuples(st.sampled_from(PATTERNS), st.sampled_from(LEAVING + TROUBLE)), max_size=3).map(tuple),
    ask=st.sampled_from((*ASKS, Ask(retry_failed=True))),
    robots=st.sampled_from(ROBOTS),
    sitemap=st.sampled_from(SITEMAPS),
    killed_after=st.sampled_from([None, None, None, 1, 2, 4]),
    stopped_after=st.sampled_from([None, None, None, None, 3, 6, 9]),
)


def observe(docs: Docs, moment: Moment) -> Observation | None:
    """The run of a moment, killed and resumed where it says so."""
    spool = Bodies()
    if moment.killed_after is not None:
        dying = Dying(bodies=spool.bodies, saved=spool.saved, left=moment.killed_after)
        with suppress(Killed, SourceUnavailable):
            look(docs, moment, dying)
    try:
        return look(docs, moment, spool)
    except SourceUnavailable:
        return None


def look(docs: Docs, moment: Moment, spool: Bodies) -> Observation:
    docs.site.forget()
    limit = moment.stopped_after
    source = WebSite(docs.source(), {}, sleep=no_sleep)
    told = tools(spool, stopping=lambda: limit is not None and len(docs.site.log) >= limit)
    return source.observe(docs.known, moment.ask, told)


def is_refused(docs: Docs, seen: Observation) -> bool:
    """What a guard refuses is not taken."""
    delta, _ = advance(docs.known, seen)
    limits = guard.Limits(threshold=0.5, removal=Removal())
    return guard.check(docs.known, seen, delta, found(seen), limits) is not None


def content(records: Mapping[str, Record]) -> dict[str, str]:
    return {key: record.content_hash for key, record in records.items() if record.status is Status.PAGE}


SMALL = Moment(pages={"/": 1, "/a/": 1, "/b": 1}, links={"/": ("/a/", "/b")})
HUB = Moment(pages={"/": 1, "/a/": 1, "/b": 1, "/d": 1, "/g": 1}, links={"/": ("/a/", "/b"), "/a/": ("/d", "/g")})


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.lists(MOMENTS, min_size=1, max_size=5))
@example([HUB, Moment(HUB.pages, HUB.links, (("/a/", {"status": 500}),)), HUB])
@example([HUB, Moment(HUB.pages, HUB.links, (("/a/", {"status": 404, "times": 2}),)), HUB])
@example([HUB, Moment(HUB.pages, HUB.links, (("/a/", {"status": 301, "headers": {"Location": "/b"}, "times": 2}),))])
@example([HUB, Moment(HUB.pages, HUB.links, (("/", {"status": 404, "times": 2}),)), HUB])
@example([HUB, Moment(HUB.pages, {"/": ("/b",)}, robots=ROBOTS[4]), HUB])
@example([HUB, Moment(HUB.pages, {"/": ("/b",)}, sitemap="500"), Moment(HUB.pages, {"/": ("/b",)}, sitemap="500"), HUB])
@example([HUB, Moment({**HUB.pages, "/a/": 2, "/d": 2}, HUB.links, killed_after=2), HUB])
@example([HUB, Moment(HUB.pages, HUB.links, (("/[a-g]*", LEAVING[-1]),)), HUB])
def test_no_history_takes_a_page_that_is_served_and_linked(history: list[Moment]) -> None:
    site = Site()
    with serving(site):
        docs = Docs(site)
        SMALL.show(docs)
        docs.sync()
        for moment in history:
            moment.show(docs)
            seen = observe(docs, moment)
            if seen is None or is_refused(docs, seen):
                continue
            docs.take(seen)
            safe = {docs.key(path) for path in moment.safe()}
            assert not safe & {record.key for record in docs.delta.removed}
        last = history[-1]
        Moment(last.pages, last.links).show(docs)
        for _ in range(3):
            docs.sync(Ask(threshold=0))
        trusted = [record for record in docs.known.values() if record.status is Status.ALIAS]
        have, wanted = content(docs.known), first_run(site)
        assert {key: have[key] for key in have.keys() & wanted.keys()}.items() <= wanted.items()
        assert trusted or have == wanted
        Moment(dict.fromkeys(last.pages, 3), last.links).show(docs)
        for _ in range(3):
            docs.sync(Ask(threshold=0))
        assert content(docs.known) == first_run(site)
        assert docs.sync().counters.extracted == 0


def first_run(site: Site) -> dict[str, str]:
    fresh = Docs(site)
    fresh.sync()
    return content(fresh.known)
