"""A repository of skills, as a source.

One look (`ls-remote`) decides whether anything moved; where nothing did and every package has its conclusion, nothing
else is asked. Else the commit is fetched without blobs, and only packages whose part of the tree changed have theirs
fetched, all in one request. Each package is taken or fails alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from git_okf.config import SkillsSource
from git_okf.model import Counters, Failed, Gone, Ignored, NotModified, Observation, Outcome, Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.repository.address import Address, parse
from git_okf.source.repository.identity import Identity, identity
from git_okf.source.repository.look import Head, hold, look, notices_of
from git_okf.source.repository.mirror import Mirror
from git_okf.source.repository.scratch import mirror_place
from git_okf.source.repository.transport import Transport
from git_okf.source.skills import remembered, rules
from git_okf.source.skills.outcomes import WITHDRAWN, offer_of
from git_okf.source.skills.remembered import Conclusion, Remembered, Result
from git_okf.source.skills.rules import Rules
from git_okf.source.skills.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsRepository:
    """The source of a configuration."""

    source: SkillsSource
    environ: Mapping[str, str]
    monotonic: Callable[[], float] = time.monotonic
    identify: Callable[[Address, Mapping[str, str], str], Identity] = identity

    @property
    def fingerprint(self) -> str:
        return self._rules().fingerprint

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """One look, and where something moved the packages that changed.

        Raises SourceUnavailable where the repository, its ref, or the commit cannot be had: nothing is concluded then,
        and what is here stays. A package that cannot be taken is an outcome, and no reason for another.
        """
        made = self._rules()
        if tools.stopping():
            return Observation(outcomes=MappingProxyType({}), incomplete_reasons=("the run was interrupted",))
        transport = Transport(environ=self.environ, stopping=tools.stopping)
        head = look(transport, parse(self.source.url, tools.root), self.source.ref)
        before = remembered.read(ask.memory)
        head, moved_tag = hold(head, before.ref, before.revision)
        notices = [*filter(None, [moved_tag]), *notices_of(head, before.url)]
        pages = {key: record for key, record in known.items() if record.status is Status.PAGE}
        if _is_quiet(made, head, before, pages, ask):
            return _quiet(made, head, before, pages, notices)
        if ask.look_only:
            return _looked(head, before, pages, notices)
        who = self.identify(head.address, self.environ, before.identity)
        notices += filter(None, [who.notice])
        commit = before.revision if ask.retry_failed and before.revision else head.commit
        with mirror_place(tools.scratch) as place:
            mirror = Mirror(place, transport, head.address)
            mirror.fetch(commit, head.ref)
            visit = Visit(
                rules=made,
                head=head,
                commit=commit,
                before=before,
                known=known,
                ask=ask,
                tools=tools,
                mirror=mirror,
                identity=who.id,
                monotonic=self.monotonic,
            )
            return visit.observe(notices)

    def _rules(self) -> Rules:
        return rules.of(self.source)


def _is_quiet(made: Rules, head: Head, before: Remembered, pages: Mapping[str, Record], ask: Ask) -> bool:
    """Whether the records are those of this very commit, made by this code and configuration, and all concluded."""
    if ask.afresh or ask.retry_failed or not before.settled:
        return False
    taken = _taken(before, pages)
    return (
        head.commit == before.revision
        and before.rules == made.all
        and all(record.fingerprint == made.fingerprint for record in taken.values())
        and before.offer == offer_of({key: record.raw_hash for key, record in taken.items()})
    )


def _taken(before: Remembered, pages: Mapping[str, Record]) -> dict[str, Record]:
    """The records of packages that are here as they are there: not of those withdrawn, nor of those not taken."""
    return {key: record for key, record in pages.items() if not record.missing_since and key not in before.not_taken}


def _quiet(made: Rules, head: Head, before: Remembered, pages: Mapping[str, Record], notices: list[str]) -> Observation:
    taken = _taken(before, pages)
    outcomes: dict[str, Outcome] = {key: NotModified(key=key) for key in taken}
    outcomes |= {key: _again(made, key, each) for key, each in before.not_taken.items()}
    withdrawn = (key for key, record in pages.items() if key not in outcomes and record.missing_since)
    outcomes |= {key: Gone(key=key, reason=WITHDRAWN) for key in withdrawn}
    return Observation(
        outcomes=MappingProxyType(dict(sorted(outcomes.items()))),
        counters=Counters(requests=1, not_modified=len(taken)),
        memory=remembered.told(_seen(before, head)),
        notices=tuple(notices),
    )


def _again(made: Rules, key: str, each: Conclusion) -> Outcome:
    if each.result is Result.IGNORED:
        return Ignored(key=key, reason=each.reason, out_of_scope=not made.means(key))
    return Failed(key=key, reason=each.reason, retryable=each.result is Result.RETRYABLE)


def _looked(head: Head, before: Remembered, pages: Mapping[str, Record], notices: list[str]) -> Observation:
    """Something may have moved, and nothing is to be taken: only `last_observed` goes on."""
    now = f"the repository is at {head.commit[:12]}"
    reason = f"{now}, and was at {before.revision[:12]} when it was taken" if before.revision else now
    return Observation(
        outcomes=MappingProxyType({key: NotModified(key=key) for key in pages}),
        incomplete_reasons=(f"only looked: {reason}",),
        counters=Counters(requests=1, not_modified=len(pages)),
        memory=remembered.told(_seen(before, head)),
        notices=tuple(notices),
    )


def _seen(before: Remembered, head: Head) -> Remembered:
    return replace(before, url=head.address.shown, last_observed=head.commit)
