"""A big site on which something is always wrong, run after run: nothing is lost, and in the end all is as it is there.

5,000 pages over 20 runs take some minutes; a smaller site shows the same at each commit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

import pytest
from observing import Docs, document, found
from site_server import Fault, Site, serving

from git_okf.config import Removal
from git_okf.errors import SourceUnavailable
from git_okf.model import Status

SHARE = 0.05
"""Of the pages, each run, that something is wrong with."""
FAN = 12
"""Links of a page to pages below it."""

FLEETING = (
    Fault(pattern="*", status=404),
    Fault(pattern="*", status=410),
    Fault(pattern="*", status=301, headers={"Location": "/p1"}),
    Fault(pattern="*", status=500),
    Fault(pattern="*", status=429, headers={"Retry-After": "1"}),
)
"""Wrong for one request; the next to the same page has luck of its own."""
LASTING = (
    Fault(pattern="*", status=403),
    Fault(pattern="*", status=401),
    Fault(pattern="*", status=451),
    Fault(pattern="*", status=408),
    Fault(pattern="*", status=500),
    Fault(pattern="*", status=502),
    Fault(pattern="*", status=503),
    Fault(pattern="*", status=504),
    Fault(pattern="*", status=204),
    Fault(pattern="*", status=304),
    Fault(pattern="*", status=302, headers={"Location": "/login"}),
    Fault(pattern="*", status=302, headers={"Location": "/p1"}),
    Fault(pattern="*", status=301, headers={"Location": "https://elsewhere.example/"}),
    Fault(pattern="*", status=301, headers={"Location": "file:///etc/passwd"}),
    Fault(pattern="*", drop=True),
    Fault(pattern="*", cut=20),
    Fault(pattern="*", body=b""),
    Fault(pattern="*", body=b"<html><body><div id=root></div><script src=app.js></script></body></html>"),
    Fault(pattern="*", body=b"<title>Just a moment...</title><h1>Just a moment...</h1>"),
    Fault(pattern="*", body=b"<title>Page not found</title><main><h1>Page not found</h1><p>Try the search.</p></main>"),
    Fault(pattern="*", body=b"%PDF-1.7 and so on"),
    Fault(pattern="*", body=bytes(range(256)) * 20),
    Fault(pattern="*", body=b"x" * 2_000_000),
    Fault(pattern="*", headers={"Content-Encoding": "gzip"}),
    Fault(pattern="*", headers={"Content-Encoding": "br"}),
    Fault(pattern="*", headers={"X-Robots-Tag": "noindex"}),
)
"""Wrong for a whole run."""


class Troubled(Site):
    """What is wrong is a matter of the run, the page and how often it was asked, not of the order of requests."""

    def __init__(self) -> None:
        super().__init__()
        self.run, self.healthy = 0, True
        self.asked: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()

    def fault_for(self, method: str, path: str) -> Fault | None:
        if self.healthy or not path.startswith("/p"):
            return None
        with self._lock:
            self.asked[path] += 1
            fault = self._chosen(LASTING, path, 0) or self._chosen(FLEETING, path, self.asked[path])
            if fault is not None:
                self.seen[repr(fault)] += 1
            return fault

    def _chosen(self, faults: tuple[Fault, ...], path: str, time: int) -> Fault | None:
        luck = number(self.run, path, time)
        if luck % 10_000 >= SHARE / 2 * 10_000:
            return None
        return replace(faults[number("which", luck) % len(faults)])

    def begin(self, run: int, *, healthy: bool = False) -> None:
        self.run, self.healthy = run, healthy
        self.asked.clear()


def number(*parts: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest())


def show(docs: Docs, size: int, run: int) -> None:
    """The site at the time of a run: with each run one page in fifty changes, and some leaves come or go."""
    there = [n for n in range(1, size) if n * FAN + 1 < size or present(n, run)]
    standing = set(there)
    for n in range(1, size):
        if n not in standing and f"/p{n}" in docs.site.pages:
            docs.site.remove(f"/p{n}")
    for n in (0, *there):
        below = [f"/p{m}" for m in range(n * FAN + 1, min(size, (n + 1) * FAN + 1)) if m in standing]
        version = 1 + sum(number("changed", n, r) % 50 == 0 for r in range(1, run + 1))
        docs.site.page(f"/p{n}" if n else "/", document(f"Page {n}", below, version=version))


def present(n: int, run: int) -> bool:
    """Leaves come and go, each at most once; what others hang on stays."""
    luck = number("present", n) % 100
    if luck > 3:
        return True
    when = number("when", n) % 20
    return run >= when if luck > 1 else run < when


def soak(size: int, runs: int, removal: Removal) -> dict[str, int]:
    """What it came to, after all is found to be well."""
    site = Troubled()
    told: Counter[str] = Counter()
    with serving(site):
        docs = Docs(site)
        docs.options = {"max_pages": size * 2, "max_depth": 50, "max_bytes": 1_000_000, "removal": removal}
        for run in range(runs):
            show(docs, size, run)
            site.begin(run, healthy=run == 0)
            try:
                seen = docs.look()
            except SourceUnavailable:
                told["unavailable"] += 1
                continue
            known = [r for r in docs.known.values() if r.status is Status.PAGE]
            assert len(found(seen)) > len(known) * 0.9
            docs.take(seen, removal)
            told["removed"] += len(docs.delta.removed)
            told["retained"] += len(docs.delta.retained)
            lost = [r.key for r in docs.delta.removed if "/" + r.key.rpartition("/")[2] in site.pages]
            assert lost == []
            told["requests"] += seen.counters.requests
        site.begin(runs, healthy=True)
        for _ in range(3):
            seen = docs.sync(removal=removal)
        assert seen.counters.extracted == 0
        assert all(r.failure == "" for r in docs.known.values())
        fresh = Docs(site)
        fresh.options = docs.options
        fresh.sync()
        assert pages(docs) == pages(fresh)
        assert len(pages(docs)) == len(site.pages)
    return {**told, "faults": sum(site.seen.values()), "kinds": len(site.seen), "pages": len(pages(docs))}


def pages(docs: Docs) -> dict[str, str]:
    return {key: r.content_hash for key, r in docs.known.items() if r.status is Status.PAGE}


@pytest.mark.parametrize("removal", [Removal(), Removal(gone_runs=2)], ids=["default", "gone_runs=2"])
def test_del_01_a_soak_in_faults_loses_nothing_and_converges(removal: Removal) -> None:
    told = soak(250, 8, removal)
    assert told["kinds"] > 20
