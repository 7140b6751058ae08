"""What is to be done about the review of one source: facts -> one word. Pure. The first line that applies decides:

| facts                                                        | word                            | branch written  |
|--------------------------------------------------------------|---------------------------------|-----------------|
| the run only looked                                          | leave (backlog)                 | no              |
| settled (nothing wanted, or what was rejected), not open:    |                                 |                 |
|   nothing wanted, and nothing rejected left out of that      | nothing                         | no              |
|   what was rejected                                          | leave (rejected)                | no              |
| settled, open, and people committed                          | leave (edited by a person)      | no              |
| settled, open                                                | close (obsolete)                | no              |
| people's commits that what is wanted does not go on top of   | leave (edited by a person)      | no              |
| not open, no room for one more review                        | leave (backlog)                 | no              |
| not open                                                     | create                          | if it differs   |
| open; branch and text say what is wanted, and not behind     | nothing                         | no              |
| open                                                         | update                          | if it differs   |

"It differs": the branch stands for other content than is wanted, or lacks commits of the base and holds none by people;
a branch with people's commits is only ever added to. Rejected content that stands in an open review is there because a
person opened that again: it counts as wanted. Other open reviews of the source are closed whatever is decided, unless
the run only looked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class People(StrEnum):
    """What people did to the branch. Merges of the base into it ("Update branch") are nothing."""

    NONE = "none"
    BELOW = "below"
    """They committed, and what is wanted applies on top of it."""
    IN_THE_WAY = "in the way"
    """They committed, and what is wanted does not apply on top of it."""


class Word(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    LEAVE_EDITED = "leave (edited by a person)"
    LEAVE_REJECTED = "leave (rejected)"
    LEAVE_BACKLOG = "leave (backlog)"
    CLOSE = "close (obsolete)"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the review branch of one source and its review. Contents are named by their fingerprints."""

    wanted: str | None
    """The content that the base should get; "" where it has it all; None where the run only looked (HEAD_ONLY)."""
    branch: str | None = None
    """The newest content of the source that the branch stands for, people's edits left aside; None: no branch."""
    behind: bool = False
    """The base has commits that the branch lacks."""
    people: People = People.NONE
    open: bool = False
    """A review of the branch is open."""
    told: str = ""
    """The content that the open review's text speaks of; "" where its marker is missing or was tampered with."""
    rejected: frozenset[str] = frozenset()
    """Contents whose last review was closed unmerged by a person."""
    withheld: bool = False
    """The source offers more, which was rejected item by item and is no part of what is wanted."""
    full: bool = False
    """High water: there is no room for one more review."""
    others: int = 0
    """Further open reviews of the source, on other branches or bases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    word: Word
    why: str
    """A sentence for the report."""
    write_branch: bool = False
    """What is wanted goes onto the branch: afresh from the base, or on top where people committed."""
    drop_branch: bool = False
    """The branch has no use any more and holds nobody's work."""
    write_text: bool = False
    """Title and text of the review are to say what is so now."""
    close_others: bool = False


def decide(facts: Facts) -> Decision:
    """The one word, and what it means for branch and text."""
    word, why = _word(facts)
    writes = word in (Word.CREATE, Word.UPDATE)
    return Decision(
        word=word,
        why=why,
        write_branch=writes and _differs(facts),
        drop_branch=word is Word.CLOSE and facts.branch is not None,
        write_text=writes or (word is Word.LEAVE_EDITED and facts.open),
        close_others=facts.others > 0 and facts.wanted is not None,
    )


def _word(facts: Facts) -> tuple[Word, str]:
    if facts.wanted is None:
        return Word.LEAVE_BACKLOG, "too many reviews are unresolved: the source was only looked at"
    if _is_settled(facts):
        return _after_settling(facts)
    if facts.people is People.IN_THE_WAY:
        return Word.LEAVE_EDITED, "people committed to the branch, and what is new does not apply on top of it"
    if not facts.open:
        if facts.full:
            return Word.LEAVE_BACKLOG, "too many reviews are unresolved: this one waits"
        return Word.CREATE, "there is something new and no open review"
    if _differs(facts) or facts.told != facts.wanted:
        return Word.UPDATE, "the open review does not show what is newest, or not on the newest base"
    return Word.NOTHING, "the open review shows what is newest"


def _is_settled(facts: Facts) -> bool:
    """Whether the base has what is wanted, or people do not want it."""
    opened_again = facts.open and facts.branch == facts.wanted
    return not facts.wanted or (facts.wanted in facts.rejected and not opened_again)


def _after_settling(facts: Facts) -> tuple[Word, str]:
    if not facts.open:
        if facts.wanted or facts.withheld:
            return Word.LEAVE_REJECTED, "this very content was rejected: it is not proposed again until it differs"
        return Word.NOTHING, "the base has it all"
    if facts.people is not People.NONE:
        return Word.LEAVE_EDITED, "what was synced is settled; the review stays open for what people committed"
    if facts.wanted or facts.withheld:
        return Word.CLOSE, "the source went back to what was rejected before"
    return Word.CLOSE, "the base has it all"


def _differs(facts: Facts) -> bool:
    return facts.branch != facts.wanted or (facts.behind and facts.people is People.NONE)
