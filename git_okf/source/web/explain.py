"""Would this URL be taken, by which rule, under which key and path; and what is known of it. Pure: asks no server."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source import Explanation
from git_okf.source.web.discovery import KINDS, ROBOTS
from git_okf.source.web.reading import scope_of
from git_okf.source.web.robots import parse
from git_okf.source.web.scope import Scope

HOPS = 10
LINKING = 3
"""Pages named that link to the URL."""


def explain(source: WebSource, known: Mapping[str, Record], url: str, place: Callable[[str], str]) -> Explanation:
    """The explanation of a URL for one source. `known` holds the records by key, `place` gives paths.

    The site's robots.txt is judged as of the last run; what it says now only a run can tell.
    """
    scope = scope_of(source)
    requested = scope.request(url, scope.start)
    if requested is None:
        return Explanation(
            accepted=False,
            rule="it is not an http or https URL that can be requested",
            key="",
            path="",
            known="",
            links="",
        )
    key = scope.identify(requested)
    accepted, rule = _decided(source, scope, known, key, requested)
    record = known.get(key)
    return Explanation(
        accepted=accepted,
        rule=rule,
        key=key,
        path=_path(known, key, place) if accepted else "",
        known=_known(known, record) if record is not None else "",
        links=_linking(known, key),
    )


def _decided(
    source: WebSource, scope: Scope, known: Mapping[str, Record], key: str, requested: str
) -> tuple[bool, str]:
    decision = scope.decide(key)
    if not decision.accepted or not source.robots:
        return decision.accepted, decision.rule
    robots = known.get(f"{scope.origin}/robots.txt")
    rules = parse(200, "text/plain", robots.description.encode() if robots and robots.target == ROBOTS else b"")
    if not rules.allowed(requested):
        return False, "robots.txt disallowed it in the last run"
    return True, decision.rule


def _path(known: Mapping[str, Record], key: str, place: Callable[[str], str]) -> str:
    """That of the page it is, also by another name; else the one it would get."""
    for _ in range(HOPS):
        record = known.get(key)
        if record is None or record.status is not Status.ALIAS:
            break
        key = record.target
    return record.path if record is not None and record.path else place(key)


def _known(known: Mapping[str, Record], record: Record) -> str:
    match record.status:
        case Status.PAGE:
            trouble = f"; not taken last time: {record.failure}" if record.failure else ""
            missing = f"; nothing links to it since {record.missing_since}" if record.missing_since else ""
            return f"a page ({record.size} characters, from {record.form}){missing}{trouble}"
        case Status.ALIAS:
            return f"another name of {record.target}"
        case Status.ABSENT:
            return f"not there: the server answered {record.target}"
        case Status.REFUSED:
            return f"read as {record.target}" if record.target in KINDS else f"no page: {record.target}"
        case Status.PENDING:
            times = "once" if record.tries == 1 else f"{record.tries} times"
            return f"new, but failed {times}: {record.failure}"


def _linking(known: Mapping[str, Record], key: str) -> str:
    pages = sorted(k for k, r in known.items() if r.status is Status.PAGE and key in r.links)
    if not pages:
        return ""
    more = f" and {len(pages) - LINKING} more" if len(pages) > LINKING else ""
    return f"from {', '.join(pages[:LINKING])}{more}"
