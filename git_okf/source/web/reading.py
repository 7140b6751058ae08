"""From the bytes of an answer to what is kept of it. Runs in the extraction workers: pure, and everything that goes in
or comes out can be pickled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from git_okf.config import WebSource
from git_okf.source.web import judge, llmstxt, published, signals
from git_okf.source.web import url as urls
from git_okf.source.web.elements import of_tree
from git_okf.source.web.extract import Extracted, NoContent, Options, Parsed, extract_parsed, extract_published, parse
from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.robots import header_directives
from git_okf.source.web.scope import Scope, asset_extension

STUB_WORDS = 40
"""Words up to which a page that sends its reader on is taken for a redirect."""
REMEMBERED = 1 << 13
"""URLs of which a process remembers what they come to: a few megabytes."""
_LOCATION = re.compile(
    rb"<script[^>]*>\s*(?:window\.|document\.|self\.|top\.)?location(?:\.href\s*=|\s*=|\.(?:replace|assign)\()"
    rb"\s*[\"']([^\"'\s]{1,2000})[\"']"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One answer to read. `headers` are those that `signals` reads, with names in small letters."""

    source: WebSource
    place: Callable[[str], str]
    key: str
    url: str
    content_type: str
    headers: Mapping[str, str]
    data: bytes
    is_markdown: bool = False
    """The answer itself is Markdown."""
    markdown: bytes = b""
    """Published Markdown of the page, to be taken for its content if it is that."""
    markdown_type: str = ""
    markdown_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an answer says. `body` is None where there is no content; `empty` then says why."""

    title: str = ""
    description: str = ""
    body: str | None = None
    content_hash: str = ""
    compared_hash: str = ""
    size: int = 0
    words: int = 0
    hidden: int = 0
    warnings: tuple[str, ...] = ()
    empty: str = ""
    suspicion: str = ""
    links: tuple[str, ...] = ()
    """Keys within the borders of the source (its patterns are applied when they are followed), in page order."""
    urls: Mapping[str, str] = field(default_factory=dict)
    canonical: str = ""
    refresh: str = ""
    """Where the page sends its reader on, by a meta refresh or, on a page with hardly a word, by a script."""
    noindex: bool = False
    form: str = "html"
    language: str = ""
    """As the page declares it."""


def markdown_of(job: Job) -> str:
    """The URL of the Markdown that a page names as its twin, "" if it names none."""
    return signals.read(job.data, url=job.url, content_type=job.content_type, headers=job.headers).alternate_markdown


def read(job: Job) -> Reading:
    """Signals, judgement and content of one answer."""
    scope = scope_of(job.source)
    if job.is_markdown:
        return _read_markdown(job, scope)
    page = _parsed(job)
    said = _said(job, page)
    links, requests = _links(scope, said, job.key)
    reading = Reading(
        title=said.title,
        links=() if said.nofollow else links,
        urls=requests,
        canonical=_key_within(scope, said.canonical, said.base),
        refresh=said.refresh,
        noindex=said.noindex,
        language=said.language,
    )
    if said.noindex:
        return reading
    if job.markdown and not published.refusal(job.markdown, job.markdown_type, job.data):
        taken = _with_markdown(job, scope, reading)
        if taken is not None:
            return taken
    return _with_content(job, scope, reading, page, said.heading)


def _read_markdown(job: Job, scope: Scope) -> Reading:
    """A page that is nothing but Markdown."""
    said = signals.Signals(links=llmstxt.read(job.data.decode("utf-8", "replace"), job.url), base=job.url)
    links, requests = _links(scope, said, job.key)
    directives = header_directives(job.headers.get("x-robots-tag", ""))
    reading = Reading(
        links=() if "nofollow" in directives else links, urls=requests, noindex="noindex" in directives, form="markdown"
    )
    if reading.noindex:
        return reading
    try:
        return _with(reading, extract_published(job.data, url=job.url, options=options(scope, job.source, job.place)))
    except NoContent as error:
        return replace(reading, empty=error.reason)


def _with_markdown(job: Job, scope: Scope, reading: Reading) -> Reading | None:
    try:
        content = extract_published(job.markdown, url=job.markdown_url, options=options(scope, job.source, job.place))
    except NoContent:
        return None
    return replace(_with(reading, content), title=content.title or reading.title, form="markdown")


def _parsed(job: Job) -> Parsed | NoContent:
    """The page as content is extracted from it, or why there is none in it."""
    try:
        return parse(job.data, job.content_type)
    except NoContent as error:
        return error


def _said(job: Job, page: Parsed | NoContent) -> signals.Signals:
    """The signals of a page, from the tree that it was parsed to where there is one: every page comes by here."""
    if isinstance(page, NoContent):
        return signals.read(job.data, url=job.url, content_type=job.content_type, headers=job.headers)
    return signals.said(of_tree(page.root), url=job.url, headers=job.headers, is_plain=page.is_plain)


def _with_content(job: Job, scope: Scope, reading: Reading, page: Parsed | NoContent, heading: str | None) -> Reading:
    try:
        if isinstance(page, NoContent):
            raise page
        content = extract_parsed(page, url=job.url, options=options(scope, job.source, job.place))
    except NoContent as error:
        suspicion = _suspicion(job, reading.title, heading, words=0)
        refresh = reading.refresh or _script_redirect(job)
        return replace(reading, empty=error.reason, suspicion=suspicion, refresh=refresh)
    return replace(
        _with(reading, content),
        refresh=reading.refresh or (_script_redirect(job) if content.words <= STUB_WORDS else ""),
        suspicion=_suspicion(job, reading.title, heading, words=content.words),
    )


def _suspicion(job: Job, title: str, heading: str | None, *, words: int) -> str:
    """Why this is not the page ("" if nothing speaks against it).

    To look at it parses it once more. A page with much to say is not looked at where nothing that might be found would
    make it suspect under this title and heading.
    """
    if words >= judge.LITTLE and heading is not None:
        worst = judge.Marks(heading=heading, block_script=True, cloudflare_script=True, password=True)
        if not judge.suspicion(worst, title=title, words=words):
            return ""
    return judge.suspicion(judge.look(job.data), title=title, words=words)


def _with(reading: Reading, content: Extracted) -> Reading:
    return replace(
        reading,
        title=content.title,
        description=content.description,
        body=content.body,
        content_hash=content.content_hash,
        compared_hash=content.compared_hash,
        size=content.size,
        words=content.words,
        hidden=content.hidden,
        warnings=content.warnings,
    )


def _links(scope: Scope, said: signals.Signals, own: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The keys a page leads to, and what to request for those that are written differently."""
    keys: dict[str, None] = {}
    requests: dict[str, str] = {}
    lead = _leads(scope)
    for link in said.links:
        found = lead(link)
        if found is None or found[0] == own or found[0] in keys:
            continue
        key, requested = found
        keys[key] = None
        if requested != key:
            requests[key] = requested
    return tuple(keys), requests


@lru_cache(maxsize=8)
def _leads(scope: Scope) -> Callable[[str], tuple[str, str] | None]:
    """Absolute URL -> key and what to request, None outside the borders. The pages of a site share most links."""

    @remembered(REMEMBERED)
    def lead(link: str) -> tuple[str, str] | None:
        requested = scope.request(link, scope.start)
        if requested is None:
            return None
        key = scope.identify(requested)
        return (key, requested) if within(scope, key) else None

    return lead


def _script_redirect(job: Job) -> str:
    match = _LOCATION.search(job.data[:65536])
    return urls.clean(match[1].decode("utf-8", "replace"), job.url) or "" if match else ""


def _key_within(scope: Scope, link: str, base: str) -> str:
    key = scope.key(link, base) if link else None
    return key if key is not None and within(scope, key) else ""


def options(scope: Scope, source: WebSource, place: Callable[[str], str]) -> Options:
    """The extractor's options that a configuration means."""
    owns, key = _judgement(scope)
    return Options(
        content=source.content,
        drop=source.drop,
        ignore=source.ignore,
        links=source.links,
        owns=owns,
        place=place,
        key=key,
    )


@lru_cache(maxsize=8)
def _judgement(scope: Scope) -> tuple[Callable[[str], bool], Callable[[str], str]]:
    """Whether a URL is a page of the source, and its key, as the scope says; remembered, since pages repeat links."""
    return remembered(REMEMBERED)(scope.owns), remembered(REMEMBERED)(scope.identify)


@lru_cache(maxsize=8)
def scope_of(source: WebSource) -> Scope:
    """The scope of a source, made once a process."""
    return Scope.of(source)


def within(scope: Scope, key: str) -> bool:
    """Whether a key lies within the borders that do not change with the patterns: host, prefix, no asset."""
    parts = urls.split(key)
    return (
        key.startswith(scope.origin)
        and f"{parts.scheme}://{parts.netloc}" == scope.origin
        and scope.within_prefix(parts.path)
        and not asset_extension(parts.path)
    )
