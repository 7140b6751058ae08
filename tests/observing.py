"""What a test needs to let a source look at something: bodies in memory, work done at once, no waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from site_server import Site

from git_okf import digest
from git_okf.config import Removal, WebSource
from git_okf.delta import Rules, compute
from git_okf.model import Delta, Fetched, NotModified, Observation, Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.web.site import WebSite


class Inline(Executor):
    """Does the work at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass(slots=True)
class Bodies:
    """A spool in memory."""

    bodies: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    saved: dict[str, Fetched] = field(default_factory=dict)

    def put(self, content_hash: str, body: str) -> None:
        self.bodies[content_hash] = body

    def get(self, content_hash: str) -> str:
        return self.bodies[content_hash]

    def put_file(self, data: bytes) -> str:
        blob = digest.blob_id(data)
        self.files[blob] = data
        return blob

    def file(self, blob: str) -> bytes:
        return self.files[blob]

    def remember(self, result: Fetched) -> None:
        self.saved[result.key] = result

    def recall(self, key: str) -> Fetched | None:
        return self.saved.get(key)


def tools(spool: Bodies | None = None, *, stopping: Callable[[], bool] = lambda: False) -> Tools:
    inline = Inline()
    return Tools(
        clock=lambda: datetime(2026, 11, 30, tzinfo=UTC),
        spool=spool or Bodies(),
        place=place,
        executor=lambda: inline,
        stopping=stopping,
    )


def place(url: str) -> str:
    return f"pages/{url.rstrip('/').rpartition('/')[2]}.md"


async def no_sleep(seconds: float) -> None:
    """Waiting is what a test has no time for."""


def page(title: str, text: str) -> str:
    return f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"


def paragraph(name: str, version: int = 1) -> str:
    """Enough text to be content, different for every name and version."""
    return (
        f"This page is about {name}, and here it stands in version {version}. It says what {name} is for, how {name} "
        f"is set up, and where a reader of {name} goes next; {version} sentences more would not change that."
    )


def advance(
    known: Mapping[str, Record], seen: Observation, removal: Removal | None = None
) -> tuple[Delta, dict[str, Record]]:
    """The delta of an observation, and the records after it."""

    def names(staying: object) -> Callable[[str, str], str]:
        return lambda name, key: place(name)

    rules = Rules(removal=removal or Removal(), now="2026-11-30T00:00:00+00:00", names=names)
    delta = compute(known, seen, rules)
    return delta, {record.key: record for record in delta.records}


def document(name: str, links: Iterable[str] = (), *, version: int = 1, head: str = "") -> str:
    """A page of a small site: its own text, and links in its navigation."""
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f"<!doctype html><html><head><title>{name}</title>{head}</head><body><nav><ul>{items}</ul></nav>"
        f"<main><h1>{name}</h1><p>{paragraph(name, version)}</p></main></body></html>"
    )


class Docs:
    """A site under test, and a source that looks at it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.options: dict[str, Any] = {}
        self.known: dict[str, Record] = {}

    def key(self, path: str) -> str:
        return self.site.url + path.removeprefix("/")

    def page(self, path: str, *links: str, version: int = 1, name: str = "", **headers: str) -> None:
        self.site.page(path, document(name or path.strip("/") or "Home", links, version=version), **headers)

    def source(self, **options: Any) -> WebSource:
        given = {"url": self.site.url, **self.options, **options}
        return WebSource(name="docs", bundle="docs", **given)

    def look(self, ask: Ask | None = None, *, spool: Bodies | None = None, **options: Any) -> Observation:
        """One run; nothing is remembered of it."""
        return self.observe(WebSite(self.source(**options), {}, sleep=no_sleep), ask, spool)

    def observe(self, source: WebSite, ask: Ask | None = None, spool: Bodies | None = None) -> Observation:
        self.site.forget()
        return source.observe(self.known, ask or Ask(), tools(spool))

    def sync(self, ask: Ask | None = None, **options: Any) -> Observation:
        """One run whose delta is taken."""
        seen = self.look(ask, **options)
        self.take(seen, options.get("removal"))
        return seen

    def take(self, seen: Observation, removal: Removal | None = None) -> None:
        """Take the delta of an observation."""
        self.delta, self.known = advance(self.known, seen, removal)

    def asked(self, pattern: str = "*", method: str | None = None) -> list[str]:
        """Paths of the pages asked for."""
        listings = ("/robots.txt", "/sitemap.xml", "/llms.txt")
        return [r.path for r in self.site.requests(pattern, method=method) if r.path not in listings]


def small_site(docs: Docs) -> None:
    docs.page("/", "/guide/", "/api/")
    docs.page("/guide/", "/", "/guide/install")
    docs.page("/guide/install", "/guide/")
    docs.page("/api/", "/")


def found(seen: Observation) -> set[str]:
    return {key for key, outcome in seen.outcomes.items() if isinstance(outcome, Fetched | NotModified)}


def paths(docs: Docs, seen: Observation) -> set[str]:
    return {key.removeprefix(docs.site.url.rstrip("/")) for key in found(seen)}


def side(seen: Observation, status: Status) -> dict[str, str]:
    return {record.key: record.target for record in seen.side if record.status is status}
