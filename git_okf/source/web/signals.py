"""What a page says about itself and where it leads, read without extracting content. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from git_okf.source.web.charset import decode
from git_okf.source.web.elements import Attribute, Elements, of_bytes
from git_okf.source.web.robots import directives, header_directives
from git_okf.source.web.url import Resolver, host

REFRESH_LIMIT = 10.0
"""Seconds: a meta refresh with a longer delay is a page that reloads or changes later, no redirect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """URLs are absolute, resolved on the page's base, without fragments."""

    links: tuple[str, ...] = ()
    """Where the page leads (a, area, frame, iframe on its own host, link rel=next/prev, Link headers), each once."""
    base: str = ""
    """`<base href>` resolved on the page's URL, or that URL."""
    canonical: str = ""
    """What the page claims to be; "" where header and element disagree (RFC 6596 leaves that open)."""
    refresh: str = ""
    """Target of a meta refresh that is a redirect."""
    alternate_markdown: str = ""
    """`rel=alternate type=text/markdown`."""
    noindex: bool = False
    nofollow: bool = False
    language: str = ""
    frameset: bool = False
    title: str = ""
    heading: str | None = None
    """The first h1 as a parser finds it in the bytes; None where that is not known: they are not plain UTF-8."""


_REFRESH = re.compile(r"(\d+(?:\.\d*)?|\.\d+) ?[;, ] ?(?:url ?= ?)?(?:'([^']*)|\"([^\"]*)|([^;, ].*))", re.IGNORECASE)
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,5}")
_QUOTED = r"\"((?:[^\"\\]|\\.)*)\""
_TOKEN = r"[\w!#$&+\-.^`|~*]+"
_LINK = re.compile(rf"<([^<>]*)>((?:\s*;\s*{_TOKEN}\s*(?:=\s*(?:{_QUOTED}|[^\s;,\"]*))?)*)")
_PARAMETER = re.compile(rf";\s*({_TOKEN})\s*(?:=\s*(?:{_QUOTED}|([^\s;,\"]*)))?")


def read(data: bytes, *, url: str, content_type: str, headers: Mapping[str, str]) -> Signals:
    """The signals of an HTML page whose final URL is `url`. Any bytes are read; what is broken says nothing."""
    encoded = decode(data, content_type).encode("utf-8", "ignore")
    return said(of_bytes(encoded), url=url, headers=headers, is_plain=encoded == data)


def said(elements: Elements, *, url: str, headers: Mapping[str, str], is_plain: bool) -> Signals:
    """What the elements of a page and its headers say. `is_plain`: its bytes are UTF-8 as they came."""
    base = (Resolver(url).resolve(elements.base) if elements.base else None) or url
    found = _Found(Resolver(base), host(url))
    for tag, attribute in elements.speaking:
        found.take(tag, attribute)
    for target, parameters in link_header(headers.get("link", "")):
        found.take_header(target, parameters)
    robots = found.robots | header_directives(headers.get("x-robots-tag", ""))
    return Signals(
        links=tuple(found.links),
        base=base,
        canonical=found.canonical[0] if len(set(found.canonical)) == 1 else "",
        refresh=found.refresh,
        alternate_markdown=found.markdown,
        noindex="noindex" in robots,
        nofollow="nofollow" in robots,
        language=_language(elements.language or headers.get("content-language", "")),
        frameset=elements.frameset,
        title=" ".join(elements.title.split()),
        heading=" ".join(elements.heading.split())[:300] if is_plain else None,
    )


@dataclass(slots=True)
class _Found:
    resolver: Resolver
    host: str
    links: dict[str, None] = field(default_factory=dict)
    hrefs: set[str] = field(default_factory=set)
    canonical: list[str] = field(default_factory=list)
    refresh: str = ""
    markdown: str = ""
    robots: frozenset[str] = frozenset()

    def take(self, tag: str, attribute: Attribute) -> None:
        if tag in ("a", "area"):
            # Pages repeat their navigation: the text of the link is compared before it is resolved.
            href = attribute("href")
            if href and href[0] != "#" and href not in self.hrefs:
                self.hrefs.add(href)
                target = self.resolver.resolve(href)
                if target:
                    self.links[target] = None
        elif tag == "link":
            relations = (attribute("rel") or "").lower().split()
            self._related(relations, attribute("href") or "", attribute("type") or "")
        elif tag == "meta":
            self._meta(attribute)
        else:
            target = self.resolver.resolve(attribute("src") or "")
            if target and (tag == "frame" or host(target) == self.host):
                self.links[target] = None

    def take_header(self, target: str, parameters: Mapping[str, str]) -> None:
        if "anchor" not in parameters:  # with one, it speaks of another resource (RFC 8288, section 3.2)
            self._related(parameters.get("rel", "").lower().split(), target, parameters.get("type", ""))

    def _related(self, relations: list[str], href: str, media_type: str) -> None:
        target = self.resolver.resolve(href) if relations and href else None
        if not target:
            return
        if "canonical" in relations:
            self.canonical.append(target)
        if "next" in relations or "prev" in relations:
            self.links[target] = None
        if "alternate" in relations and media_type.partition(";")[0].strip().lower() == "text/markdown":
            self.markdown = self.markdown or target

    def _meta(self, attribute: Attribute) -> None:
        content = attribute("content") or ""
        name = (attribute("name") or "").strip().lower()
        if name in ("robots", "git-okf"):
            self.robots |= directives(content)
        elif (attribute("http-equiv") or "").strip().lower() == "refresh" and not self.refresh:
            self.refresh = self._refresh(content)

    def _refresh(self, content: str) -> str:
        match = _REFRESH.match(" ".join(content.split()))
        if match is None or float(match[1]) > REFRESH_LIMIT:
            return ""
        return self.resolver.resolve((match[2] or match[3] or match[4] or "").strip()) or ""


def _language(said: str) -> str:
    said = said.strip()
    return said if _LANGUAGE_TAG.fullmatch(said) else ""


def link_header(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Targets and parameters of Link header lines (RFC 8288, section 3); the first of a repeated parameter counts."""
    for match in _LINK.finditer(value):
        parameters: dict[str, str] = {}
        for name, quoted, plain in _PARAMETER.findall(match[2]):
            parameters.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) if quoted else plain)
        yield match[1].strip(), parameters
