"""`kind: web`: a documentation site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.config import source, values
from git_okf.config.source import SourceConfig
from git_okf.config.values import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSource(SourceConfig):
    """A documentation site. Sizes in bytes, times in seconds."""

    kind: str = "web"
    path_prefix: str | None = None
    """Only URL paths below it belong to the source; None: the seed's directory; "/": the whole host."""
    max_depth: int = 3
    max_pages: int = 200
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    content: str | None = None
    drop: tuple[str, ...] = ()
    browser: bool = False
    robots: bool = True
    headers: tuple[tuple[str, str], ...] = ()
    prefer: str = "auto"
    links: str = "relative"
    allow_hosts: tuple[str, ...] = ()
    host_alias: tuple[str, ...] = ()
    """Public host names under which the same site writes its own URLs (sitemaps, canonical links)."""
    strip_query: tuple[str, ...] = ()
    """Query parameters that do not name another page (glob patterns: `utm_*`)."""
    concurrency: int = 8
    delay: float = 0.0
    page_timeout: float = 60.0
    max_bytes: int = 10 * 1024 * 1024
    accept_language: str = "en, *;q=0.5"

    def identity(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "url": self.url,
            "bundle": self.bundle,
            "path_prefix": self.path_prefix,
            "browser": self.browser,
        }


CHECKS: Mapping[str, Check] = {
    **source.CHECKS,
    "path_prefix": values.prefix,
    "max_depth": values.count(0, 1000),
    "max_pages": values.count(1, 10_000_000),
    "include": values.texts,
    "exclude": values.texts,
    "content": values.selector,
    "drop": values.selectors,
    "browser": values.flag,
    "robots": values.flag,
    "headers": values.headers,
    "prefer": values.one_of("auto", "html", "markdown"),
    "links": values.one_of("relative", "absolute"),
    "allow_hosts": values.texts,
    "host_alias": values.texts,
    "strip_query": values.texts,
    "concurrency": values.count(1, 64),
    "delay": values.number(0, 3600),
    "page_timeout": values.number(0.1, 3600),
    "max_bytes": values.count(1024, 1024**3),
    "accept_language": values.line,
}
NEEDED = ("url", "bundle")
