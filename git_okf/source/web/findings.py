"""What a run found, as facts; conclusion.py says what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from git_okf.model import Fetched, Record
from git_okf.source.web.answer import Answer


@dataclass(slots=True)
class Findings:
    """Filled by the crawl, in an order that does not depend on the order of answers."""

    answers: dict[str, Answer] = field(default_factory=dict)
    """Of known and pending pages, and of the seed."""
    pages: dict[str, Fetched] = field(default_factory=dict)
    """New pages, in the order of the walk."""
    hidden: set[str] = field(default_factory=set)
    """New pages of which text that no reader sees was left out."""
    side: dict[str, Record] = field(default_factory=dict)
    """What is to be remembered of links that are no pages."""
    gone: dict[str, int] = field(default_factory=dict)
    """Known pages that answered 404 or 410 twice, with the status."""
    moved: set[str] = field(default_factory=set)
    """Known pages that redirected permanently to the same page twice."""
    linked: set[str] = field(default_factory=set)
    """Keys that a page links to."""
    barred: dict[str, str] = field(default_factory=dict)
    """New links that a rule forbids to ask, with the rule."""
    copies: list[tuple[str, str, int]] = field(default_factory=list)
    """Path prefixes that show what another one shows: (the other name, the one that is kept, pages)."""
    unasked: int = 0
    """Pages that were not asked because the run had to stop."""
    stopped: str = ""
    """Why the run stopped before it was done."""

    def let_go(self) -> None:
        """Drop what is held for each page."""
        for held in (self.answers, self.pages, self.hidden, self.side, self.linked, self.barred):
            held.clear()
