"""One source under review: what git and the host say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from git_okf import memory
from git_okf.config import Config, SourceConfig
from git_okf.model import Delta
from git_okf.review import body, decide, people, targets
from git_okf.review.forge import Forge, Review, Stage
from git_okf.run import Options, World
from git_okf.store import review_branch
from git_okf.store import state as states
from git_okf.store.repo import Repo
from git_okf.store.review_branch import Tips


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all sources of one command share."""

    repo: Repo
    settings: Config
    options: Options
    world: World
    forge: Forge
    base: str
    """The branch that reviews go into."""
    report_issue: bool = False

    @property
    def remote(self) -> str:
        return self.settings.review.remote


@dataclass(slots=True)
class Case:
    """One source under review: what git and the host say of it, and what the gate found out."""

    desk: Desk
    source: SourceConfig
    tips: Tips
    reviews: Sequence[Review]
    targets: targets.Targets
    people: tuple[people.Commit, ...]
    standing_for: str | None
    full: bool
    decision: decide.Decision | None = None
    content: str = ""
    delta: Delta = field(default_factory=Delta)
    excerpts: tuple[body.Excerpt, ...] = ()

    @property
    def ref(self) -> str:
        return review_branch.ref_of(self.source.name)

    @property
    def branch(self) -> str:
        return self.ref.removeprefix("refs/heads/")

    @property
    def open(self) -> Review | None:
        """The newest open review of the branch into the base."""
        return next((r for r in self.reviews if r.stage is Stage.OPEN and r.base == self.desk.base), None)

    @property
    def others(self) -> list[Review]:
        return [r for r in self.reviews if r.stage is Stage.OPEN and r is not self.open]


def case_of(desk: Desk, source: SourceConfig) -> Case:
    repo, ref = desk.repo, review_branch.ref_of(source.name)
    tips = review_branch.look(repo, desk.remote, desk.base, ref)
    branch = ref.removeprefix("refs/heads/")
    reviews = desk.forge.reviews(branch)
    merged = review_branch.below(repo, [r.head for r in reviews if r.stage is Stage.MERGED], tips.base)
    commits = [_told(desk, tips, source, each) for each in review_branch.commits(repo, tips)]
    mine = {each.id for each in commits if people.is_ours(each, source.name)}
    review_branch.align(repo, ref, tips.branch, mine | merged | _earlier(repo, ref, source))
    now = memory.stamp(desk.world.clock())
    return Case(
        desk=desk,
        source=source,
        tips=tips,
        reviews=reviews,
        targets=targets.reconcile(_remembered(repo, source), reviews, source.name, now),
        people=people.by_people(commits, source.name, merged),
        standing_for=None if tips.branch is None else people.content_of(commits, source.name),
        full=_is_full(desk),
    )


def _told(desk: Desk, tips: Tips, source: SourceConfig, commit: review_branch.BranchCommit) -> people.Commit:
    return people.Commit(
        id=commit.id,
        message=commit.message,
        parents=commit.parents,
        author=commit.author,
        committer=commit.committer,
        tree=desk.repo.subtree(commit.tree, source.bundle) or "",
        merges_base=review_branch.merges(desk.repo, commit, tips.base),
    )


def _earlier(repo: Repo, ref: str, source: SourceConfig) -> set[str]:
    """Commits of ours that the branch here still has and the remote's no longer."""
    here = repo.ref(ref)
    return {c.id for c in repo.log(here) if people.trailers(c.message).get(people.SOURCE) == source.name}


def _remembered(repo: Repo, source: SourceConfig) -> targets.Targets:
    state = states.facts(repo, source.name)
    return targets.load(list(state.targets)) if state else ()


def _is_full(desk: Desk) -> bool:
    """Whether too many reviews are unresolved. Once that was so, it is until the low water mark is reached."""
    settings, facts = desk.settings.review, {}
    for source in desk.settings.sources.values():
        facts[source.name] = states.facts(desk.repo, source.name)
    known = [(_coordinate(desk, s), targets.load(list(f.targets))) for s in desk.settings.sources.values()
             if (f := facts[s.name])]  # fmt: skip
    was_full = any(state.held for state in facts.values() if state)
    room = targets.has_room(
        targets.backlog(known), high_water=settings.high_water, low_water=settings.low_water, was_full=was_full
    )
    return not room


def _coordinate(desk: Desk, source: SourceConfig) -> targets.Coordinate:
    return desk.forge.repository().id, source.digest(), source.bundle
