"""What a run finds of a source's review branch, reviews and record, and the facts that come to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from git_okf.review import marker, people, targets
from git_okf.review.decide import Facts, People
from git_okf.review.forge import Issue, Review, Stage
from git_okf.review.people import Commit
from git_okf.review.targets import Targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The review branch on the remote."""

    head: str
    commits: Sequence[Commit] = ()
    """What it has and the base does not, newest first."""
    behind: bool = False
    """The base has commits that it lacks."""
    applies: bool = True
    """What is wanted applies on top of it; asked only where people committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The facts, and whom they are about."""

    facts: Facts
    review: Review | None
    """The open review of the branch onto the base."""
    others: tuple[Review, ...]
    """Further open ones of the branch, which are closed."""
    record: Targets
    """The targets, as the host's reviews say now."""
    people: tuple[Commit, ...]
    """Commits by people, newest first."""


def assess(
    *,
    source: str,
    base: str,
    wanted: str | None,
    branch: Branch | None,
    reviews: Sequence[Review],
    record: Targets,
    full: bool,
    when: str,
) -> Situation:
    """Put together what is known. `wanted` is None where the run only looked, and "" where the base has it all."""
    found = targets.reconcile(record, reviews, source, when)
    still_open = [review for review in reviews if review.stage is Stage.OPEN]
    ours = next((review for review in still_open if review.base == base), None)
    mark = marker.find(ours.body, source) if ours else None
    theirs = _people(branch, reviews, source) if branch else ()
    applies = branch is None or branch.applies
    facts = Facts(
        wanted=wanted,
        branch=_content(branch, reviews, source) if branch else None,
        behind=branch is not None and branch.behind,
        people=People.NONE if not theirs else People.BELOW if applies else People.IN_THE_WAY,
        open=ours is not None,
        told=mark.fingerprint if mark and not mark.settled else "",
        rejected=targets.rejected(found),
        full=full,
        others=len(still_open) - (ours is not None),
    )
    others = tuple(review for review in still_open if review is not ours)
    return Situation(facts=facts, review=ours, others=others, record=found, people=theirs)


def people_on(branch: Branch, reviews: Sequence[Review], source: str) -> bool:
    """Whether people committed to the branch, so that it has to be found out whether what is wanted applies on top."""
    return bool(_people(branch, reviews, source))


def _people(branch: Branch, reviews: Sequence[Review], source: str) -> tuple[Commit, ...]:
    merged = (review.head for review in reviews if review.stage is Stage.MERGED and review.head)
    return people.by_people(branch.commits, source, reached(branch.commits, merged))


def reached(commits: Iterable[Commit], heads: Iterable[str]) -> frozenset[str]:
    """The commits that heads have among these: what a squash merge took into the base under another id."""
    parents = {commit.id: commit.parents for commit in commits}
    found: set[str] = set()
    waiting = [head for head in heads if head in parents]
    while waiting:
        commit = waiting.pop()
        if commit not in found:
            found.add(commit)
            waiting += [parent for parent in parents[commit] if parent in parents]
    return frozenset(found)


def _content(branch: Branch, reviews: Sequence[Review], source: str) -> str:
    """By the trailer of our newest commit; without one, by a review's marker that names this very head; else ""."""
    said = people.content_of(branch.commits, source)
    if said:
        return said
    marks = (marker.find(review.body, source) for review in reviews)
    return next((mark.fingerprint for mark in marks if mark and mark.head == branch.head), "")


def issue_of(issues: Sequence[Issue], source: str) -> Issue | None:
    """The newest issue about a source's guard, by its marker."""
    return next((issue for issue in issues if marker.find(issue.body, source)), None)
