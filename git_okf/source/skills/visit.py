"""A repository of skills at one revision: what is listed there, judged against what is known. Everything of a run that
needs more than a look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from git_okf.model import Counters, Fetched, NotModified, Observation, Outcome, Record, Status
from git_okf.source import Ask, Tools
from git_okf.source.repository import paths
from git_okf.source.repository import trees as listings
from git_okf.source.repository.look import Head
from git_okf.source.repository.mirror import Mirror
from git_okf.source.skills import discovery, licence, marketplace, package, remembered, tree
from git_okf.source.skills.discovery import Discovery, Found
from git_okf.source.skills.homes import Homes
from git_okf.source.skills.ingestion import CONFLICTING
from git_okf.source.skills.licence import Legal
from git_okf.source.skills.outcomes import Outcomes, offer_of
from git_okf.source.skills.package import Refused, Wanted
from git_okf.source.skills.remembered import Remembered, Result
from git_okf.source.skills.rules import Rules
from git_okf.source.skills.taking import Taking

ONLY_FAILED = "only failed items were asked"


@dataclass(slots=True, kw_only=True)
class Visit:
    """One run at one commit."""

    rules: Rules
    head: Head
    commit: str
    before: Remembered
    known: Mapping[str, Record]
    ask: Ask
    tools: Tools
    mirror: Mirror
    identity: str
    """Of the repository, as its host tells it."""
    monotonic: Callable[[], float]
    reasons: list[str] = field(default_factory=list)
    """Why something may be there that was not asked for."""
    requests: int = 2
    """The look, and the fetch of the commit."""

    def observe(self, notices: Sequence[str]) -> Observation:
        """The observation, all packages judged."""
        listed = self.mirror.tree(self.commit)
        listing = tree_of(listed)
        found = self.rules.discover(listing)
        self.reasons += found.incomplete_reasons
        pages = {key: record for key, record in self.known.items() if record.status is Status.PAGE}
        out = self._outcomes(pages)
        given = self.rules.homes((each.key for each in found.packages), pages)
        wanted = self._judge(out, listing, found, given)
        taking = self._taking(listed, pages)
        self._take(out, taking, wanted, given)
        roots = frozenset(discovery.roots_of(listing.entries))
        out.gone(roots, complete=not self.reasons)
        out.same_names()
        offers = marketplace.notices(self._offers(listing), roots)
        self.reasons += [ONLY_FAILED] if self.ask.retry_failed else []
        return Observation(
            outcomes=MappingProxyType(self._asked_for(out)),
            incomplete_reasons=tuple(self.reasons),
            side=out.pending(self.known),
            counters=self._counters(out, taking),
            memory=remembered.told(self._remembered(out)),
            notices=(*notices, *found.notices, *offers, *out.notices),
        )

    def _asked_for(self, out: Outcomes) -> dict[str, Outcome]:
        """All outcomes by key; of a run that asks only for what failed, those alone."""
        failed = {key for key, record in self.known.items() if record.failure} | out.not_taken.keys()
        return {
            key: outcome
            for key, outcome in sorted(out.said.items())
            if not (self.ask.retry_failed and isinstance(outcome, NotModified) and key not in failed)
        }

    def _outcomes(self, pages: Mapping[str, Record]) -> Outcomes:
        return Outcomes(
            known=pages,
            before=self.before,
            commit=self.commit,
            fingerprint=self.rules.fingerprint,
            setting=self.rules.setting,
            spool=self.tools.spool,
            memos=self.ask.memos,
        )

    def _taking(self, listed: listings.Tree, pages: Mapping[str, Record]) -> Taking:
        folders = {entry.path: entry.id for entry in listed.entries if entry.mode == listings.FOLDER}
        return Taking(
            mirror=self.mirror,
            commit=self.commit,
            ref=self.head.ref,
            limits=self.rules.limits,
            trees={**folders, paths.ROOT: listed.id},
            known=frozenset(pages),
        )

    # --- what the listing alone decides ---

    def _judge(self, out: Outcomes, listing: tree.Tree, found: Discovery, given: Homes) -> list[Wanted]:
        """Say what can be said without a blob; the packages whose blobs are needed for more."""
        texts = licence.by_directory(listing.entries)
        for key in found.ignored:
            out.ignored(key, "", "stopped by ignore_paths")
        for key in found.outside:
            if key in out.known:
                out.ignored(key, "", "`paths` does not mean it any more", out_of_scope=True)
        wanted = []
        for each in found.packages:
            legal = licence.legal(each.key, texts)
            listed = package.listing(each, listing, legal)
            if each.key in given.blocked:
                out.refused(Refused(key=each.key, reason=CONFLICTING + given.blocked[each.key]), listed)
            elif not self._settled(out, each.key, listed):
                wanted += self._inspect(out, each, listing, legal)
        return wanted

    def _settled(self, out: Outcomes, key: str, listed: str) -> bool:
        """Whether what is known of the package is what there is, so that no byte of it is needed."""
        record = out.known.get(key)
        concluded = self.before.not_taken.get(key)
        if self.ask.afresh:
            return False
        if concluded is not None and concluded.listing == listed and self.before.rules == self.rules.all:
            if concluded.result is Result.RETRYABLE or self.ask.retry_failed:
                return False
            out.again(key, concluded)
            return True
        if record is not None and record.raw_hash == listed and record.fingerprint == self.rules.fingerprint:
            out.unchanged(key, listed)
            return True
        return out.recalled(key, listed)

    def _inspect(self, out: Outcomes, found: Found, listing: tree.Tree, legal: Legal) -> list[Wanted]:
        judged = package.inspect(found, listing, legal, self.rules.limits, self.rules.repository)
        if isinstance(judged, Wanted):
            return [judged]
        out.refused(judged, package.listing(found, listing, legal))
        return []

    # --- what needs bytes ---

    def _take(self, out: Outcomes, taking: Taking, wanted: list[Wanted], given: Homes) -> None:
        asked = self._within_bounds(wanted, out)
        listings_by_key = {each.key: each.listing for each in asked}
        for done, made in enumerate(taking.take(asked, self._go_on), 1):
            if isinstance(made, Refused):
                out.refused(made, listings_by_key[made.key])
            else:
                out.taken(made, given.by_key[made.key])
            self.tools.progress("skills", done, len(asked))

    def _within_bounds(self, wanted: list[Wanted], out: Outcomes) -> list[Wanted]:
        if self.ask.max_pages is None:
            return wanted
        room = max(0, self.ask.max_pages - len(out.known))
        new = [each for each in wanted if each.key not in out.known]
        if len(new) > room:
            self.reasons.append("max_pages reached")
        kept = {each.key for each in new[:room]}
        return [each for each in wanted if each.key in out.known or each.key in kept]

    def _go_on(self) -> bool:
        if self.tools.stopping():
            self.reasons.append("the run was interrupted")
        elif self.ask.deadline is not None and self.monotonic() >= self.ask.deadline:
            self.reasons.append("the time ended before all skills were taken")
        else:
            return True
        return False

    def _offers(self, listing: tree.Tree) -> bytes:
        """The marketplace file, where there is one; it is read once and then lies in the mirror."""
        entry = next((each for each in listing.entries if each.path == marketplace.PATH and each.is_file), None)
        if entry is None:
            return b""
        blob = next(iter(self.mirror.blobs([entry.id], limit=marketplace.MOST_BYTES)))
        return blob.data or b""

    # --- what is remembered ---

    def _remembered(self, out: Outcomes) -> Remembered:
        waiting = any(each.result is Result.RETRYABLE for each in out.not_taken.values())
        whole = not waiting and not [reason for reason in self.reasons if reason != ONLY_FAILED]
        return replace(
            self.before,
            url=self.head.address.shown,
            identity=self.identity,
            ref=self.head.ref,
            last_observed=self.head.commit,
            last_fully_processed=self.commit if whole else self.before.last_fully_processed,
            revision=self.commit,
            rules=self.rules.all,
            offer=offer_of(out.offer),
            not_taken=out.not_taken,
        )

    def _counters(self, out: Outcomes, taking: Taking) -> Counters:
        return Counters(
            requests=self.requests + taking.requests,
            not_modified=sum(isinstance(outcome, NotModified) for outcome in out.said.values()),
            fetched=sum(isinstance(outcome, Fetched) for outcome in out.said.values()),
            extracted=out.extracted,
            bytes=taking.bytes,
        )


def tree_of(listed: listings.Tree) -> tree.Tree:
    """The listing of a repository, without its directories."""
    entries = (
        tree.Entry(path=entry.path, mode=entry.mode, id=entry.id)
        for entry in listed.entries
        if entry.mode != listings.FOLDER
    )
    return tree.of(listed.commit, entries, (path or paths.ROOT for path, _ in listed.missing))
