"""What a documentation site answers as a kind of source (`git_okf.source.Kind`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from git_okf.config import SourceConfig, WebSource, check_url
from git_okf.model import Record
from git_okf.source import Explanation, Source


def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
    from git_okf.source.web.site import WebSite

    return WebSite(_web(source), environ)


def check(source: SourceConfig) -> None:
    """The patterns of include and exclude can be read."""
    from git_okf.source.web.scope import Scope

    Scope.of(_web(source))


def may_hold(source: SourceConfig, path: str) -> bool:
    """Whether a URL that the scope takes has its concept there."""
    from git_okf.source.web.scope import Scope

    if not path.startswith("pages/"):
        return False
    scope = Scope.of(_web(source))
    page = quote(path.removeprefix("pages/").removesuffix(".md"))
    urls = (f"{scope.origin}/{'' if page == 'home' else page}{end}" for end in ("", "/", ".html", "/index.html"))
    return any(scope.decide(url).accepted for url in urls)


def explain(
    source: SourceConfig, known: Mapping[str, Record], address: str, place: Callable[[str], str]
) -> Explanation:
    """The explanation of a URL; ConfigError where it is none."""
    from git_okf.source.web import explain as web

    return web.explain(_web(source), known, check_url(address), place)


def _web(source: SourceConfig) -> WebSource:
    assert isinstance(source, WebSource)
    return source
