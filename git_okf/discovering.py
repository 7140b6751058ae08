"""`git okf discover`: repositories that may hold skills. Leads, never sources, until a person adds one.

GitHub's code search knows which repositories have a SKILL.md. It answers nine questions a minute and a thousand
results a question, so a search has a budget of pages, and a cursor in the state (`.discovered.json`) from which the
next one goes on. What was found before, is a source, or is ignored is left out (seed 002, sections 1 and 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from git_okf.config import Config, RepositorySource
from git_okf.errors import ConfigError, SourceUnavailable, UsageError
from git_okf.jsonapi import ApiUnavailable, JsonApi
from git_okf.store import memo
from git_okf.store.repo import Repo

FILE = ".discovered.json"
PAGE, LAST_PAGE = 100, 10
"""Results a page, and pages of one question that the search gives."""
PAGES = 3
"""Asked in one search, where nothing else is said."""
_PAGE_OF = re.compile(r"https://[\w.-]+(?::\d+)?/[\w.-]+/[\w.-]+")
_KEPT = 5000
"""Leads that are remembered, so that none is told twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A repository that may be worth adding."""

    repository: str
    """`owner/name` as it is now."""
    id: int
    url: str
    description: str
    paths: tuple[str, ...]
    """Where in it the search saw a SKILL.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """What a search found that is new."""

    query: str
    found: tuple[Lead, ...]
    left_out: int
    """Repositories that were told before, are sources, or are ignored."""
    page: int
    """Where the next search begins; 1 after the last page."""
    incomplete: bool
    """The search itself ran out of time, and says that there may be more."""

    def text(self) -> str:
        lines = [line for lead in self.found for line in _lines(lead)]
        more = f"; the next search goes on with page {self.page}" if self.page > 1 else ""
        lines.append(f"{len(self.found)} new, {self.left_out} known or ignored{more}")
        return "\n".join(lines)

    def data(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self)}


def _lines(lead: Lead) -> Iterator[str]:
    yield f"{lead.repository}  {lead.description}".rstrip()
    yield f"  {', '.join(lead.paths[:5])}{f' and {len(lead.paths) - 5} more' if len(lead.paths) > 5 else ''}"
    yield f"  git okf add {lead.url} --kind skills"


def discover(
    repo: Repo,
    settings: Config,
    api: JsonApi,
    query: str,
    when: datetime,
    *,
    pages: int = PAGES,
    ignore: tuple[str, ...] = (),
    afresh: bool = False,
) -> Leads:
    """Search on from where the last search for the same words ended. Nothing but the cursor is written.

    `ignore`: patterns on `owner/name` or `owner/name/path`. SourceUnavailable where a limit is reached before the first
    page; one reached later ends the search there.
    """
    words = _checked(query)
    before = memo.read(repo, FILE)
    page = 1 if afresh else _page(before, words)
    known = set() if afresh else _told(before)
    mine = {_name(s.url) for s in settings.sources.values() if isinstance(s, RepositorySource)}
    hits: dict[int, Lead] = {}
    incomplete = False
    for _ in range(pages):
        answer = _asked(api, words, page, first=not hits)
        if answer is None:
            break
        incomplete = incomplete or answer.get("incomplete_results") is True
        items = [item for item in answer.get("items", []) if isinstance(item, dict)]
        for item in items:
            _add(hits, item, ignore)
        page = page + 1 if len(items) == PAGE and page < LAST_PAGE else 1
        if page == 1:
            break
    new = [lead for lead in hits.values() if lead.id not in known and lead.repository.lower() not in mine]
    _remember(repo, before, words, page, known | {lead.id for lead in new}, when)
    found = tuple(sorted(new, key=lambda lead: lead.repository.lower()))
    return Leads(query=query, found=found, left_out=len(hits) - len(new), page=page, incomplete=incomplete)


def _checked(query: str) -> str:
    words = " ".join(query.split())
    if not words or len(words) > 200 or not words.isprintable():
        raise UsageError(f"{query!r} is nothing to search for", "git okf discover --query 'pdf forms'")
    return words


def _asked(api: JsonApi, words: str, page: int, *, first: bool) -> Mapping[str, Any] | None:
    """One page of the search; None where a limit ends it after something was found."""
    query = {"q": f"{words} filename:SKILL.md", "per_page": str(PAGE), "page": str(page)}
    try:
        data: Any = api.call("GET", "/search/code", query=query).data
    except ApiUnavailable as error:
        if not first:
            return None
        raise SourceUnavailable(
            f"the search cannot be asked: {error.message}. Nothing was changed",
            "run it again later; it goes on where it ended",
            retry_at=error.retry_at,
            rate_limited=error.rate_limited,
        ) from error
    return data if isinstance(data, dict) else {}


def _add(hits: dict[int, Lead], item: Mapping[str, Any], ignore: tuple[str, ...]) -> None:
    there, path = item.get("repository"), item.get("path")
    if not isinstance(there, dict) or not isinstance(path, str) or path.rpartition("/")[2] != "SKILL.md":
        return
    number, name = there.get("id"), there.get("full_name")
    if type(number) is not int or not isinstance(name, str) or not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        return
    folder = path.rpartition("/")[0] or "."
    if any(fnmatchcase(name, pattern) or fnmatchcase(f"{name}/{folder}", pattern) for pattern in ignore):
        return
    before = hits.get(number)
    paths = tuple(sorted({*(before.paths if before else ()), folder}))
    page = there.get("html_url")
    url = f"{page}.git" if isinstance(page, str) and _PAGE_OF.fullmatch(page) else f"https://github.com/{name}.git"
    about = there.get("description")
    hits[number] = Lead(
        repository=name, id=number, url=url, description=about if isinstance(about, str) else "", paths=paths
    )


def _name(url: str) -> str:
    """`owner/name` of a repository's address, in lower case."""
    parts = re.split(r"[/:]", url.removesuffix("/").removesuffix(".git"))
    return "/".join(parts[-2:]).lower()


def _page(before: Mapping[str, Any], words: str) -> int:
    cursors = before.get("cursors")
    page = cursors.get(words, 1) if isinstance(cursors, dict) else 1
    return page if type(page) is int and 1 <= page <= LAST_PAGE else 1


def _told(before: Mapping[str, Any]) -> set[int]:
    told = before.get("told")
    return {number for number in told if type(number) is int} if isinstance(told, list) else set()


def _remember(repo: Repo, before: Mapping[str, Any], words: str, page: int, told: set[int], when: datetime) -> None:
    old = before.get("cursors")
    cursors = {**(old if isinstance(old, dict) else {}), words: page}
    memo.note(repo, FILE, {"cursors": cursors, "told": sorted(told)[-_KEPT:]}, "discovered", when)


def connect(environ: Mapping[str, str]) -> JsonApi:
    """GitHub's API with the token of the environment. ConfigError without one: its code search answers nobody else."""
    from git_okf.source.repository import github

    found = github.api_of(github.HOST, environ)
    base, token = found if found is not None else (github.API, "")
    token = token or environ.get("GITHUB_TOKEN", "")
    if not token:
        raise ConfigError(
            "GitHub's code search answers only with a token. Nothing was asked", "set GITHUB_TOKEN (no scope is needed)"
        )
    return github.connect(base, token)
