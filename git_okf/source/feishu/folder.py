"""A folder of the drive as a source: every article in it, asked one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from git_okf import digest
from git_okf.config import FeishuSource
from git_okf.errors import Interrupted, SourceUnavailable
from git_okf.jsonapi import ApiRefused, ApiUnavailable, Effects
from git_okf.model import (
    Counters,
    Failed,
    Fetched,
    Gone,
    NotModified,
    Observation,
    Outcome,
    Record,
    Status,
)
from git_okf.source import Ask, Tools
from git_okf.source.feishu import api as apis
from git_okf.source.feishu import thumbnail
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.article import Article, due, looked_at
from git_okf.source.feishu.drive import Broken, Drive
from git_okf.source.feishu.entries import DOCX, FOLDER, Entry, Listing
from git_okf.source.feishu.memo import Memo, Prior, prior_of
from git_okf.source.feishu.summary import Tally, some
from git_okf.source.feishu.taking import Taking
from git_okf.source.feishu.trouble import NotTaken

EXTRACTOR = 1
"""Rises when the same blocks become another text; every article is read once more then."""


class FeishuFolder:
    """The articles of one folder (`git_okf.source.Source`)."""

    def __init__(
        self, source: FeishuSource, environ: Mapping[str, str], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._source, self._environ, self._monotonic = source, environ, monotonic

    @property
    def fingerprint(self) -> str:
        return digest.fingerprint("feishu", EXTRACTOR, self._source.thumbnails)

    def observe(self, known: Mapping[str, Record], ask: Ask, tools: Tools) -> Observation:
        """Ask for every article of the folder: what rose above its watermark is taken, all else is as it was."""
        effects = Effects(clock=tools.clock, monotonic=self._monotonic, sleep=tools.sleep, stopping=tools.stopping)
        api = Feishu(self._source, self._environ, tools, effects)
        try:
            return _Run(self, api, known, ask, tools, self._source, self._monotonic).observation()
        finally:
            api.close()


class _Run:
    """One run: what it found so far."""

    def __init__(
        self,
        folder: FeishuFolder,
        api: Feishu,
        known: Mapping[str, Record],
        ask: Ask,
        tools: Tools,
        source: FeishuSource,
        monotonic: Callable[[], float],
    ) -> None:
        self._fingerprint = folder.fingerprint
        self._api, self._drive = api, Drive(api)
        self._known, self._ask, self._tools, self._source = known, ask, tools, source
        self._monotonic, self._began = monotonic, monotonic()
        self._outcomes: dict[str, Outcome] = {}
        self._side: list[Record] = []
        self._reasons: list[str] = []
        self._notices: list[str] = []
        self._moved: list[str] = []
        """Titles of what may have changed, where a run only looks."""
        self._tally = Tally()
        self._no_articles: list[str] = []
        self._strange: list[str] = []
        self._left: list[str] = []
        self._covered = False

    def observation(self) -> Observation:
        root = Listing(entries=(), listed_at=0)
        try:
            root = self._root()
            self._each(root)
        except Interrupted:
            self._reasons.append("the run was interrupted")
        stopped = self._api.stopped(apis.DOCX)
        if stopped is not None and not any(isinstance(o, Fetched | NotModified) for o in self._outcomes.values()):
            raise self._unavailable(stopped)
        self._conclude()
        self._gone(root)
        return Observation(
            outcomes=MappingProxyType(self._outcomes),
            incomplete_reasons=tuple(dict.fromkeys(self._reasons)),
            side=tuple(self._side),
            counters=Counters(
                requests=self._api.requests,
                not_modified=self._tally.skipped,
                fetched=self._tally.read,
                extracted=self._tally.read,
                bytes=self._api.bytes,
            ),
            origins=MappingProxyType(self._tally.origins),
            notices=tuple(self._notices),
        )

    def _each(self, root: Listing) -> None:
        """Every article, one after another, until there is a reason to stop."""
        candidates = self._candidates(root)
        known = {key for key, record in self._known.items() if record.status is Status.PAGE}
        room = None if self._ask.max_pages is None else self._ask.max_pages - len(known)
        for done, entry in enumerate(candidates):
            if self._ends():
                break
            if entry.token not in known and room is not None:
                if room <= 0:
                    self._reasons.append("max_pages reached")
                    continue
                room -= 1
            self._tools.progress("articles", done, len(candidates))
            self._one(entry, root.listed_at)

    # --- the folder ---

    def _root(self) -> Listing:
        """What the folder holds. SourceUnavailable where even that cannot be said."""
        try:
            root = self._drive.listing(self._source.folder)
        except (ApiRefused, ApiUnavailable, Broken) as error:
            raise self._unavailable(error) from None
        if root.broken:
            self._reasons.append(f"the folder could not be listed to its end: {root.broken}")
        return root

    def _unavailable(self, error: ApiRefused | ApiUnavailable | Broken) -> SourceUnavailable:
        said = error.message if isinstance(error, ApiRefused | ApiUnavailable) else str(error)
        hint = "share the folder with the app (a group that the app's bot is in), and see that `folder` is its token"
        if isinstance(error, ApiUnavailable):
            hint = error.hint
        return SourceUnavailable(
            f"the folder {self._source.folder} of {self._source.name} cannot be read: {said}; nothing was changed",
            hint,
            retry_at=error.retry_at if isinstance(error, ApiUnavailable) else None,
            rate_limited=isinstance(error, ApiUnavailable) and error.rate_limited,
        )

    def _candidates(self, root: Listing) -> list[Entry]:
        """Documents and folders, those that failed last time first."""
        taken = [entry for entry in root.of_type(DOCX, FOLDER) if entry.token != self._source.folder]
        others = [entry.type for entry in root.entries if entry not in taken]
        if others:
            kinds = ", ".join(f"{kind} {others.count(kind)}" for kind in sorted(set(others)))
            self._notices.append(f"not taken, because they are neither documents nor folders: {kinds}")
        self._tally.documents = sum(entry.type == DOCX for entry in taken)
        self._tally.shortcuts = sum(entry.by_shortcut for entry in taken)
        failed = {key for key, r in self._known.items() if r.failure or r.status is Status.PENDING}
        if self._ask.retry_failed:
            return [entry for entry in taken if entry.token in failed]
        return sorted(taken, key=lambda entry: entry.token not in failed)

    def _ends(self) -> bool:
        """Whether the run stops asking; then what was not asked is retained."""
        stopped = self._api.stopped()
        if self._tools.stopping():
            self._reasons.append("the run was interrupted")
        elif self._ask.deadline is not None and self._monotonic() >= self._ask.deadline:
            self._reasons.append("the time budget ran out")
        elif stopped is not None:
            self._reasons.append(f"the API could not be asked any more: {stopped.message}")
        else:
            return False
        return True

    # --- one article ---

    def _one(self, entry: Entry, listed_at: int) -> None:
        record, outcome = self._known.get(entry.token), None
        page = record if record is not None and record.status is Status.PAGE else None
        try:
            article = looked_at(self._drive, self._source, entry, listed_at)
            if article is None:
                self._no_article(entry, page)
                return
            self._count(article)
            outcome = self._outcome(article, page)
        except NotTaken as trouble:
            outcome = self._failure(entry, trouble)
            self._tally.asked += 1
        if isinstance(outcome, Failed):
            self._tally.failed += 1
            if page is None and outcome.retryable:
                tries = (record.tries if record else 0) + 1
                pending = Record(key=entry.token, status=Status.PENDING, failure=outcome.reason, tries=tries)
                self._side.append(pending)
            elif page is None:
                self._notices.append(f"{entry.title or entry.token}: not taken: {outcome.reason}")
        if outcome is not None:
            self._outcomes[entry.token] = outcome

    def _count(self, article: Article) -> None:
        self._tally.folders += not article.is_document
        if article.strange:
            self._strange.append(article.entry.title)

    def _no_article(self, entry: Entry, page: Record | None) -> None:
        """A folder without a sub-folder for the article. One that was an article is kept: it is there, only unlike."""
        if page is None:
            self._no_articles.append(entry.title or entry.token)
            return
        self._tally.asked += 1
        self._tally.failed += 1
        reason = f"its folder has no sub-folder {self._source.types.article} any more"
        self._outcomes[entry.token] = Failed(key=entry.token, reason=reason)

    def _failure(self, entry: Entry, trouble: NotTaken) -> Failed | Gone:
        if trouble.gone and entry.type == DOCX:
            return Gone(key=entry.token, reason=trouble.reason)
        return Failed(key=entry.token, reason=trouble.reason, retryable=trouble.retryable or trouble.gone)

    def _outcome(self, article: Article, page: Record | None) -> Outcome | None:
        key = article.entry.token
        prior = self._prior(key, page)
        wanted = due(article, prior, self._fingerprint, self._source.max_file_bytes)
        if self._ask.look_only:
            return self._looked(article, page, bool(wanted or article.failed))
        if not wanted and not article.failed:
            self._tally.asked += 1
            if prior is not None and prior.saved is not None:
                self._tally.taken += 1
                return prior.saved
            self._tally.skipped += 1
            self._remembered(article, prior)
            return NotModified(key=key)
        taking = Taking(self._api, self._source, self._tools, article, prior, self._fingerprint)
        try:
            fetched = taking.fetched(wanted)
        finally:
            self._tally.read += taking.read
        self._taken(article, fetched, taking.taken)
        return fetched

    def _prior(self, key: str, page: Record | None) -> Prior | None:
        """What an unfinished run saved stands for what was known before. A run that asks afresh remembers nothing but
        which files are there."""
        saved = self._tools.spool.recall(key)
        if saved is not None:
            return prior_of(saved)
        if page is None:
            return None
        prior = prior_of(page)
        return replace(prior, memo=Memo(), raw_hash="") if self._ask.afresh else prior

    def _looked(self, article: Article, page: Record | None, moved: bool) -> NotModified | None:
        """Nothing is taken; what may have changed is remembered for the end."""
        self._tally.asked += 1
        self._tally.skipped += 1
        if moved:
            self._moved.append(article.entry.title)
        return NotModified(key=article.entry.token) if page is not None else None

    def _taken(self, article: Article, fetched: Fetched, types: Iterable[str]) -> None:
        tally = self._tally
        tally.asked += 1
        types = list(types)
        tally.taken += bool(types)
        tally.skipped += not types
        tally.by_type.update(types)
        tally.parts_failed.update(part.partition(":")[0] for part in fetched.parts_failed)
        self._notices += [f"{article.entry.title}: {warning}" for warning in fetched.warnings if types]
        self._covered = self._covered or ("cover" in fetched.meta and "thumbnail" not in fetched.meta)
        self._tools.spool.remember(fetched)
        self._remembered(article, prior_of(fetched))

    def _remembered(self, article: Article, prior: Prior | None) -> None:
        """What is said of an article on every run."""
        if prior is None:
            return
        marks = (part.mark.at for part in prior.memo.parts.values() if part.mark is not None)
        self._tally.newest = max(self._tally.newest, *marks, 0)
        self._left += [f"{article.entry.title} ({kind}): {each.why}" for kind, each in prior.memo.left.items()]

    # --- the end ---

    def _gone(self, root: Listing) -> None:
        """What a folder listed to its end no longer has; only where the whole run knows what it says."""
        if self._ask.retry_failed:
            self._reasons.append("only failed items were asked")
        if any(isinstance(outcome, Failed) and outcome.retryable for outcome in self._outcomes.values()):
            self._reasons.append("articles could not be taken")
        if self._reasons:
            return
        here = {entry.token for entry in root.entries}
        for key, record in self._known.items():
            if record.status is Status.PAGE and key not in here:
                self._outcomes[key] = Gone(key=key, reason="it is no longer in the folder")

    def _conclude(self) -> None:
        if self._no_articles:
            self._notices.append(
                f"{len(self._no_articles)} folders are no articles, since they have no sub-folder "
                f"{self._source.types.article}: {some(self._no_articles)}"
            )
        if self._strange:
            self._notices.append(
                f"{len(self._strange)} articles hold things that are none of the sub-folders in `types`, which were "
                f"not taken: {some(self._strange)}"
            )
        if self._left:
            self._notices.append(f"not taken until they change: {some(self._left)}")
        if self._covered and self._source.thumbnails and not thumbnail.is_possible():
            self._notices.append("covers have no thumbnails: pip install 'git-okf[images]'")
        if self._moved:
            self._reasons.append(f"{len(self._moved)} articles may have changed: {some(self._moved)}")
        self._notices.insert(0, self._tally.sentence(self._api.requests, self._monotonic() - self._began))
