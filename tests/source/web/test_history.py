"""Whatever happens to a site: nothing that is served and linked is ever removed, and trouble leaves no trace.

A history is a sequence of site states, each with faults, caps and interruptions of its own. After it the faults end,
and the records must be those of a first run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from observing import Docs, found
from site_server import Site, serving

from git_okf.errors import SourceUnavailable
from git_okf.model import Observation, Record, Status
from git_okf.source import Ask

PATHS = ("/", "/a/", "/b", "/c.html", "/d", "/e/f", "/g")
FAULTS: tuple[Mapping[str, object], ...] = (
    {"status": 404},
    {"status": 404, "times": 1},
    {"status": 410},
    {"status": 500},
    {"status": 403},
    {"drop": True},
    {"cut": 10},
    {"status": 302, "headers": {"Location": "/login"}},
    {"body": b"<html><body></body></html>"},
    {"body": b"<html><title>Page not found</title><body><main><h1>Page not found</h1></main></body></html>"},
    {"body": b"%PDF-1.7"},
    {"headers": {"X-Robots-Tag": "noindex"}},
)


@dataclass(frozen=True)
class Moment:
    """The site at one time, and what goes wrong at that time."""

    pages: Mapping[str, int]
    links: Mapping[str, tuple[str, ...]]
    faults: tuple[tuple[str, Mapping[str, object]], ...]
    ask: Ask

    def show(self, docs: Docs) -> None:
        docs.site.heal()
        for path in [path for path in docs.site.pages if path not in self.pages]:
            docs.site.remove(path)
        for path, version in self.pages.items():
            docs.page(path, *self.links.get(path, ()), version=version)
        for path, fault in self.faults:
            docs.site.fault(path, **fault)

    def linked(self) -> set[str]:
        """What is there and can be reached from the start page by links."""
        reached, waiting = {"/"}, ["/"]
        while waiting:
            for link in self.links.get(waiting.pop(), ()):
                if link in self.pages and link not in reached:
                    reached.add(link)
                    waiting.append(link)
        return reached


PATH = st.sampled_from(PATHS)
MOMENTS = st.builds(
    Moment,
    pages=st.dictionaries(st.sampled_from(PATHS[1:]), st.integers(1, 2), min_size=3).map(lambda d: {"/": 1, **d}),
    links=st.dictionaries(PATH, st.lists(PATH, max_size=4, unique=True).map(tuple), min_size=3).map(
        lambda d: {**d, "/": (*d.get("/", ()), "/a/", "/b")}
    ),
    faults=st.lists(st.tuples(PATH, st.sampled_from(FAULTS)), max_size=3).map(tuple),
    ask=st.sampled_from([Ask(), Ask(), Ask(), Ask(max_pages=3), Ask(max_depth=1), Ask(deadline=0.0), Ask(afresh=True)]),
)


def observe(docs: Docs, moment: Moment) -> Observation | None:
    try:
        return docs.look(moment.ask)
    except SourceUnavailable:
        return None


def is_refused(docs: Docs, seen: Observation) -> bool:
    """What the `page-count` guard refuses is not taken."""
    known = [record for record in docs.known.values() if record.status is Status.PAGE]
    return len(known) > 4 and len(found(seen)) < len(known) * 0.5


def content(records: Mapping[str, Record]) -> dict[str, str]:
    return {key: record.content_hash for key, record in records.items() if record.status is Status.PAGE}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.lists(MOMENTS, min_size=1, max_size=5))
def test_no_history_takes_a_page_that_is_served_and_linked(history: list[Moment]) -> None:
    site = Site()
    with serving(site):
        docs = Docs(site)
        Moment(pages={"/": 1, "/a/": 1, "/b": 1}, links={"/": ("/a/", "/b")}, faults=(), ask=Ask()).show(docs)
        docs.sync()
        for moment in history:
            moment.show(docs)
            seen = observe(docs, moment)
            if seen is None or is_refused(docs, seen):
                continue
            docs.take(seen)
            broken = {path for path, _ in moment.faults}
            safe = {docs.key(path) for path in moment.linked() - broken}
            assert not safe & {record.key for record in docs.delta.removed}
        last = history[-1]
        Moment(pages=last.pages, links=last.links, faults=(), ask=Ask()).show(docs)
        for _ in range(3):
            docs.sync(Ask(threshold=0))
        fresh = Docs(site)
        fresh.sync()
        assert content(docs.known) == content(fresh.known)
        assert docs.sync().counters.extracted == 0
