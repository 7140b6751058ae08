"""The pages of the demo site: fragments in `pages/`, wrapped in one theme. Pure."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

VERSIONS = (1, 2)
MOVED = {"/faq.html": "/guide/troubleshooting.html"}
"""In version 2, by old path: permanent redirects."""
FAILING = frozenset({"/reference/http-api.html"})
"""In version 2: pages that the server refuses with 403; that is no trouble worth waiting for, so nothing is retried."""
_REMOVED = frozenset({"/guide/upgrade.html", *MOVED})
_RELEASES = {1: "1.4.0", 2: "1.5.0"}

_THEME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} - Lantern {release}</title>
<meta name="description" content="{description}">
<meta name="viewport" content="width=device-width">
</head>
<body>
<header><a href="/">Lantern</a> <span class="release">{release}</span></header>
<nav aria-label="Documentation">
<ul>
{navigation}
</ul>
</nav>
<main>
<article>
{content}
</article>
</main>
<footer><p>Lantern {release}. Built by the people who walk around at night.</p></footer>
</body>
</html>
"""


@lru_cache(maxsize=len(VERSIONS))
def pages(version: int) -> dict[str, bytes]:
    """The site's pages by URL path, as they are served."""
    fragments = _fragments(1)
    if version == 2:
        kept = {path: text for path, text in fragments.items() if path not in _REMOVED}
        fragments = {**kept, **_fragments(2)}
    navigation = _navigation(fragments)
    return {path: _page(fragment, version, navigation) for path, fragment in sorted(fragments.items())}


def _navigation(fragments: dict[str, str]) -> str:
    """A list of links, with a list inside it for each section."""
    sections: dict[str, list[str]] = {}
    for path in sorted(fragments):
        link = f'<li><a href="{path}">{_heading(fragments[path])}</a></li>'
        sections.setdefault(path.rpartition("/")[0].strip("/"), []).append(link)
    top = sections.pop("")
    nested = [f"<li>{name.title()}\n<ul>\n{chr(10).join(links)}\n</ul></li>" for name, links in sections.items()]
    return "\n".join([*top, *nested])


def _fragments(version: int) -> dict[str, str]:
    return dict(_read(files("git_okf.demo").joinpath("pages", f"v{version}"), "/"))


def _read(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".html"):
            path = prefix if entry.name == "index.html" else prefix + entry.name
            found.append((path, entry.read_text(encoding="utf-8").strip()))
    return found


def _page(fragment: str, version: int, navigation: str) -> bytes:
    lead = re.search(r'<p class="lead">(.*?)</p>', fragment, re.DOTALL)
    description = html.unescape(re.sub(r"<[^>]+>", "", lead[1])) if lead else ""
    return _THEME.format(
        title=_heading(fragment),
        release=_RELEASES[version],
        description=html.escape(description),
        navigation=navigation,
        content=fragment,
    ).encode()


def _heading(fragment: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", fragment)
    return found[1] if found else ""
