"""Whether a key may be asked, and under which URL."""

from __future__ import annotations

from collections.abc import Mapping

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source.web.answer import OUT_OF_SCOPE
from git_okf.source.web.robots import Robots
from git_okf.source.web.scope import Decision, Scope


class Gate:
    """The source's rules and the site's, and how the site itself writes its URLs."""

    def __init__(self, source: WebSource, scope: Scope, known: Mapping[str, Record]) -> None:
        self.scope = scope
        self.robots = Robots()
        self._source = source
        self._known = known
        self._barred: dict[str, Decision] = {}
        """Those of keys that may not be asked: whatever links to one asks for it, and what may be asked is asked once.
        """
        self._shared: dict[Decision, Decision] = {}
        self._urls: dict[str, str] = {}

    def learn(self, urls: Mapping[str, str]) -> None:
        """How a page or a listing writes the URLs of keys. The first to write one is believed."""
        for key, url in urls.items():
            self._urls.setdefault(key, url)

    def url(self, key: str) -> str:
        """What is requested for a key: of a known page what answered last time, else what the site wrote."""
        record = self._known.get(key)
        if record is not None and record.status is Status.PAGE:
            return record.request_url
        if key == self.scope.start:
            return self.scope.request(self._source.url, self._source.url) or key
        return self._urls.get(key) or (record.request_url if record is not None else key)

    def decide(self, key: str) -> Decision:
        """Whether a key may be asked, and why."""
        barred = self._barred.get(key)
        if barred is not None:
            return barred
        decision = self.scope.decide(key)
        if not decision.accepted:
            decision = Decision(False, f"{OUT_OF_SCOPE}{decision.rule}")
        elif not self.robots.allowed(self.url(key)):
            decision = Decision(False, "robots.txt disallows it")
        else:
            return decision
        # The same few decisions for all keys: one object each.
        decision = self._barred[key] = self._shared.setdefault(decision, decision)
        return decision

    def let_go(self) -> None:
        """Drop what was learned and decided of each key."""
        self._barred.clear()
        self._urls.clear()
