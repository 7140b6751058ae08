"""How each source sees one address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from git_okf import baseline
from git_okf.bundle import paths
from git_okf.config import Config
from git_okf.source import kind_of
from git_okf.store.repo import Repo


@dataclass(frozen=True, slots=True)
class Explanations:
    """How each source sees one URL."""

    url: str
    sources: tuple[Mapping[str, Any], ...]

    def text(self) -> str:
        return "\n".join(line for facts in self.sources for line in _explanation(facts)) or "no sources"

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "url": self.url, "sources": list(self.sources)}


def _explanation(facts: Mapping[str, Any]) -> Iterator[str]:
    yield f"{facts['source']}: {'taken' if facts['accepted'] else 'not taken'}: {facts['rule']}"
    for name in ("key", "path", "known", "links"):
        if facts.get(name):
            yield f"  {name}: {facts[name]}"


def explain(repo: Repo, settings: Config, url: str) -> Explanations:
    """By which rule each source takes or leaves the URL, where it would go, and what is known of it."""
    told: list[Mapping[str, Any]] = []
    for source in settings.sources.values():
        known = baseline.as_it_is(repo, source).known
        told.append({"source": source.name, **kind_of(source).explain(source, known, url, paths.place)})
    return Explanations(url, tuple(told))
