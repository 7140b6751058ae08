"""Which files of a repository are taken: globs on paths, and where a link from one of them leads. Pure.

A file is taken if one of `include` matches and none of `exclude` does. That depends on its path alone, so a link to a
file that is taken can be written before anybody knows whether the file exists.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from git_okf.config import GitSource
from git_okf.source.markdown.destination import safe
from git_okf.source.repository import pattern
from git_okf.source.repository.pattern import Pattern
from git_okf.source.repository.web import Web
from git_okf.source.repository.web import of as web_of

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
MARKDOWN = (".md", ".mdx", ".markdown")


@dataclass(frozen=True, slots=True)
class Scope:
    """The patterns of a source, and its repository's place on the web."""

    include: tuple[Pattern, ...]
    exclude: tuple[Pattern, ...]
    web: Web
    ref: str

    @classmethod
    def of(cls, source: GitSource) -> Scope:
        """ConfigError where a pattern cannot be read."""
        return cls(
            tuple(map(pattern.parse, source.include)),
            tuple(map(pattern.parse, source.exclude)),
            web_of(source.url),
            source.ref,
        )

    def decide(self, path: str) -> tuple[bool, str]:
        """Whether a path is taken, and the rule that says so, as a sentence."""
        out = next((each for each in self.exclude if each.matches(path)), None)
        if out is not None:
            return False, f"exclude: {out.text}"
        found = next((each for each in self.include if each.matches(path)), None)
        return (True, f"include: {found.text}") if found else (False, "no pattern of include matches")

    def takes(self, path: str) -> bool:
        return self.decide(path)[0]


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one file (`git_okf.source.markdown.document.Destinations`)."""

    scope: Scope
    path: str
    place: Callable[[str], str]
    relative: bool = True

    def twin(self, href: str) -> str:
        """A file that is taken: its concept, relative to this one's; else the repository's page for it."""
        where, tail = self._inside(href)
        if where is None:
            return safe(href)
        if self.relative and self.scope.takes(where):
            here = posixpath.dirname(self.place(self.path))
            return quote(posixpath.relpath(self.place(where), here or "."), safe="/~!$&'*+,;=:@-._") + tail
        return self._shown(where, tail, href)

    def resource(self, src: str) -> str:
        """Images stay at the repository: the bundle holds text."""
        where, tail = self._inside(src)
        if where is None:
            return safe(src)
        return self._shown(where, tail, src).replace("/blob/", "/raw/", 1)

    def _inside(self, href: str) -> tuple[str | None, str]:
        """The path in the repository that a destination means, and its fragment; None where it means something else."""
        if not href or href.startswith("#") or _SCHEME.match(href):
            return None, ""
        path, mark, fragment = href.partition("#")
        path = unquote(path.partition("?")[0])
        base = "" if path.startswith("/") else posixpath.dirname(self.path)
        clean = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
        inside = clean not in (".", "..") and not clean.startswith("../")
        return (clean if inside else None), mark + quote(unquote(fragment), safe="~!$&'*+,;=:@-._/")

    def _shown(self, where: str, tail: str, said: str) -> str:
        """Where people see it at the ref that is followed; as it was said where nobody is known to show it."""
        name = where.rpartition("/")[2]
        shown = (self.scope.web.file if "." in name else self.scope.web.directory)(self.scope.ref, where)
        return shown + tail if shown else safe(said)
