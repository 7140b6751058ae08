"""What the Markdown files of a repository answer as a kind of source (`git_okf.source.Kind`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from git_okf.config import GitSource, SourceConfig
from git_okf.model import Record, Status
from git_okf.source import Explanation, Source


def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
    from git_okf.source.git.source import MarkdownRepository

    return MarkdownRepository(source=_git(source), environ=environ)


def check(source: SourceConfig) -> None:
    """The patterns of include and exclude can be read."""
    from git_okf.source.git.scope import Scope

    Scope.of(_git(source))


def may_hold(source: SourceConfig, path: str) -> bool:
    """Names are altered where file systems need it, so any concept may stand for a file that is taken."""
    return path.startswith("pages/") and path.endswith(".md")


def explain(
    source: SourceConfig, known: Mapping[str, Record], address: str, place: Callable[[str], str]
) -> Explanation:
    """The explanation of a path in the repository."""
    from git_okf.source.git.scope import Scope

    key = address.strip("/")
    accepted, rule = Scope.of(_git(source)).decide(key)
    record = known.get(key)
    there = record is not None and record.status is Status.PAGE
    path = record.path if record is not None and there else place(key)
    told = f"a concept since it was synced: {path}" if there else ""
    return Explanation(accepted=accepted, rule=rule, key=key, path=path if accepted else "", known=told, links="")


def _git(source: SourceConfig) -> GitSource:
    assert isinstance(source, GitSource)
    return source
