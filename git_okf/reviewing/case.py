"""One source under review: what git, the host and the state say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from git_okf import memory, report
from git_okf.config import Config, SourceConfig
from git_okf.model import Delta, RunResult, Trip
from git_okf.review import body, decide, marker, people, situation, targets
from git_okf.review.forge import Forge, Review, Stage
from git_okf.review.situation import Situation
from git_okf.run import Options, World
from git_okf.store import review_branch
from git_okf.store import state as states
from git_okf.store.repo import Repo
from git_okf.store.review_branch import BranchCommit, Tips
from git_okf.store.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all sources of one command share."""

    repo: Repo
    settings: Config
    options: Options
    world: World
    forge: Forge
    address: str
    """What git is given for the remote (`remote.address`)."""
    base: str
    """The branch that reviews go into."""
    report_issue: bool = False
    asked: dict[str, Sequence[Review]] = field(default_factory=dict)
    """The reviews of sources, as the host told them to this command."""
    records: dict[tuple[str, str], targets.Targets] = field(default_factory=dict)
    """By state commit and source."""

    @property
    def remote(self) -> str:
        """The name of the remote that reviews are pushed to."""
        return self.settings.review.remote

    @property
    def now(self) -> str:
        return memory.stamp(self.world.clock())

    def reviews(self, source: SourceConfig, *, afresh: bool = False) -> Sequence[Review]:
        """What the host says of a source's branch."""
        if afresh or source.name not in self.asked:
            self.asked[source.name] = self.forge.reviews(branch_of(source))
        return self.asked[source.name]

    def record(self, source: SourceConfig) -> targets.Targets:
        """What the state says became of each content. Read once for as long as the state does not move: every source
        that is not under review asks for those of all."""
        at = self.repo.ref(states.REF) or "", source.name
        if at not in self.records:
            if self.records and next(iter(self.records))[0] != at[0]:
                self.records.clear()
            state = states.facts(self.repo, source.name)
            self.records[at] = targets.load(list(state.targets)) if state else ()
        return self.records[at]


@dataclass(slots=True)
class Case:
    """One source under review: what is known of it, and what the gate found out."""

    desk: Desk
    source: SourceConfig
    tips: Tips
    branch: situation.Branch | None
    reviews: Sequence[Review]
    found: Situation
    full: bool = False
    decision: decide.Decision | None = None
    content: str = ""
    items: int = 1
    """How many decisions a review of that content asks for."""
    delta: Delta = field(default_factory=Delta)
    excerpts: tuple[body.Excerpt, ...] = ()
    overridden: Trip | None = None
    """The guard that a person overrode."""

    @property
    def ref(self) -> str:
        return review_branch.ref_of(self.source.name)

    @property
    def as_it_is(self) -> Target:
        """The branch, to be built upon."""
        return Target(ref=self.ref, remote=self.desk.remote)

    @property
    def anew(self) -> Target:
        """The branch, to be made again from the base."""
        return replace(self.as_it_is, base=self.tips.base, replaces=self.tips.branch)

    @property
    def open(self) -> Review | None:
        """The open review of the branch into the base."""
        return self.found.review

    @property
    def looks_only(self) -> bool:
        """There is no room for a review, and none that newer content could go into."""
        return self.full and self.open is None


def branch_of(source: SourceConfig) -> str:
    return review_branch.ref_of(source.name).removeprefix("refs/heads/")


def case_of(desk: Desk, source: SourceConfig) -> Case:
    repo, ref = desk.repo, review_branch.ref_of(source.name)
    tips = review_branch.look(repo, desk.address, desk.base, ref, desk.world.clock())
    reviews = desk.reviews(source, afresh=True)
    heads = [review.head for review in reviews]

    def is_nobodys(commit: BranchCommit) -> bool:
        return _is_nobodys(_told(repo, source, tips, commit), source)

    review_branch.align(repo, desk.remote, ref, tips, is_nobodys, heads)
    branch = _branch(desk, source, tips)
    if not desk.forge.answers:
        reviews = _without_host(desk, source, branch)
    found = _assess(desk, source, branch, reviews, None)
    return Case(desk=desk, source=source, tips=tips, branch=branch, reviews=reviews, found=found)


def assess(case: Case, wanted: str | None, *, full: bool = False) -> Situation:
    """What is known, taken together with what the base is to get."""
    return _assess(case.desk, case.source, case.branch, case.reviews, wanted, full=full)


def _assess(
    desk: Desk,
    source: SourceConfig,
    branch: situation.Branch | None,
    reviews: Sequence[Review],
    wanted: str | None,
    *,
    full: bool = False,
) -> Situation:
    return situation.assess(
        source=source.name,
        base=desk.base,
        wanted=wanted,
        branch=branch,
        reviews=reviews,
        record=desk.record(source),
        full=full,
        when=desk.now,
    )


def _branch(desk: Desk, source: SourceConfig, tips: Tips) -> situation.Branch | None:
    if tips.branch is None:
        return None
    commits = map(partial(_told, desk.repo, source, tips), review_branch.commits(desk.repo, tips))
    return situation.Branch(
        head=tips.branch, commits=tuple(commits), behind=not desk.repo.is_ancestor(tips.base, tips.branch)
    )


def _told(repo: Repo, source: SourceConfig, tips: Tips, commit: BranchCommit) -> people.Commit:
    """A commit as far as it matters whose it is. One that changes anything but the source's own files is not ours,
    whatever its message says."""
    within = review_branch.stays_within(repo, commit, source.places)
    return people.Commit(
        id=commit.id,
        message=commit.message,
        parents=commit.parents,
        author=commit.author,
        committer=commit.committer,
        tree=review_branch.trees(repo, commit.tree, source.places) if within else "elsewhere",
        merges_base=review_branch.merges(repo, commit, tips.base),
    )


def _is_nobodys(commit: people.Commit, source: SourceConfig) -> bool:
    return commit.merges_base or people.is_ours(commit, source.name)


def _without_host(desk: Desk, source: SourceConfig, branch: situation.Branch | None) -> Sequence[Review]:
    """Where there is no host the branch itself is the review, for as long as it has what the base lacks."""
    if branch is None or not branch.commits:
        return ()
    content = people.content_of(branch.commits, source.name)
    text = str(marker.Marker(source=source.name, fingerprint=content, head=branch.head)) if content else ""
    name, pending = branch_of(source), targets.pending(desk.record(source))
    there = Review(number=0, stage=Stage.OPEN, branch=name, base=desk.base, title=name, body=text, head=branch.head)
    return (replace(there, url=pending.url) if pending else there,)


def deleted_without_host(case: Case) -> Sequence[Review]:
    """Where there is no host, somebody who deletes the branch while the base lacks what it had has rejected that."""
    pending = targets.pending(case.found.record)
    if case.desk.forge.answers or case.branch is not None or not pending:
        return ()
    if pending.fingerprint != case.content:
        return ()
    name, text = branch_of(case.source), str(marker.Marker(source=case.source.name, fingerprint=pending.fingerprint))
    return (Review(number=0, stage=Stage.CLOSED, branch=name, base=case.desk.base, title=name, body=text),)


def as_told(case: Case, result: RunResult) -> RunResult:
    """The run as its review tells it: what the base is to get."""
    subject = report.headline(case.delta, case.source.name)
    return replace(result, delta=case.delta, guard=case.overridden, subject=subject)


def remembered(case: Case) -> Mapping[str, object]:
    """The state's own words of targets and backlog, as they are now."""
    state = states.facts(case.desk.repo, case.source.name)
    return {"targets": list(state.targets), "held": bool(state.held)} if state else {"targets": [], "held": False}
