"""From branch, reviews and record to facts; and the whole loop of run after run while people do as they please."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.review import situation, targets
from git_okf.review.decide import Decision, People, Word, decide
from git_okf.review.forge import Issue, Review, Stage
from git_okf.review.marker import OBSOLETE, Marker
from git_okf.review.people import Commit
from git_okf.review.situation import Branch, Situation
from git_okf.review.targets import State, Target, Targets

NAMES = {"F": "f" * 32, "G": "a" * 32, "H": "b" * 32}
F, G = NAMES["F"], NAMES["G"]
NOW = "2026-03-01T00:00:00+00:00"


def ours(number: int, content: str, parent: str = "") -> Commit:
    message = f"sync: +1 -0 =0 (docs)\n\nOkf-Source: docs\nOkf-Content: {content}\n"
    return Commit(id=f"{number:040x}", message=message, parents=(parent,) if parent else ())


def theirs(number: int, parent: str) -> Commit:
    return Commit(id=f"{number:040x}", message="By hand", parents=(parent,), author="pat@example.org")


def review(number: int, content: str, stage: Stage = Stage.OPEN, base: str = "main", head: str = "") -> Review:
    mark = Marker(source="docs", fingerprint=content, head=head)
    return Review(number=number, stage=stage, branch="okf/sync/docs", base=base, title="t", body=str(mark), head=head)


def assess(
    wanted: str | None, branch: Branch | None, *reviews: Review, record: Targets = (), full: bool = False
) -> Situation:
    return situation.assess(
        source="docs",
        base="main",
        wanted=wanted,
        branch=branch,
        reviews=reviews,
        record=record,
        full=full,
        when=NOW,
    )


def test_nothing_there_is_no_fact() -> None:
    facts = assess(F, None).facts
    assert (facts.branch, facts.open, facts.people, facts.told, facts.others) == (None, False, People.NONE, "", 0)


def test_a_branch_stands_for_what_its_newest_commit_of_ours_says() -> None:
    first = ours(1, F)
    branch = Branch(head=f"{2:040x}", commits=(theirs(2, first.id), first))
    found = assess(G, branch, review(7, F))
    assert (found.facts.branch, found.facts.people, found.facts.told) == (F, People.BELOW, F)
    assert [commit.id for commit in found.people] == [f"{2:040x}"]
    assert assess(G, replace(branch, applies=False), review(7, F)).facts.people is People.IN_THE_WAY
    assert situation.people_on(branch, (), "docs")


def test_without_trailers_the_marker_that_names_the_head_says_it() -> None:
    bare = Commit(id="c" * 40, message="sync\n\nOkf-Source: docs\n")
    branch = Branch(head="c" * 40, commits=(bare,))
    assert assess(G, branch, review(7, F, head="c" * 40)).facts.branch == F
    assert assess(G, branch, review(7, F, head="d" * 40)).facts.branch == ""


def test_what_was_squashed_is_nobodys_open_work() -> None:
    first = ours(1, F)
    second = theirs(2, first.id)
    third = theirs(3, second.id)
    merged = review(7, F, Stage.MERGED, head=second.id)
    assert assess(G, Branch(head=second.id, commits=(second, first)), merged).facts.people is People.NONE
    late = assess(G, Branch(head=third.id, commits=(third, second, first)), merged)
    assert [commit.id for commit in late.people] == [third.id]


def test_pr_03_reviews_onto_other_bases_are_others() -> None:
    found = assess(F, None, review(1, F, base="old"), review(2, F), review(3, F, base="older"))
    assert found.review is not None and found.review.number == 2
    assert [other.number for other in found.others] == [1, 3]
    assert found.facts.others == 2
    assert decide(found.facts).close_others


def test_pr_02_a_tampered_marker_tells_nothing_and_the_record_remembers() -> None:
    record = targets.reconcile((), [review(7, F)], "docs", NOW)
    closed = replace(review(7, F, Stage.CLOSED), body="rewritten")
    assert assess(F, None, closed, record=record).facts.rejected == {F}
    assert assess(F, None, replace(review(7, F), body="rewritten")).facts.told == ""


def test_the_issue_of_a_source_is_known_by_its_marker() -> None:
    mark = Marker(source="docs", fingerprint=F)
    issues = [Issue(number=3, open=True, title="x"), Issue(number=2, open=False, title="y", body=f"{mark}\ntext")]
    assert situation.issue_of(issues, "docs") == issues[1]
    assert situation.issue_of(issues, "skills") is None


# --- run after run ---


@dataclass(slots=True)
class Life:
    """A repository, a host and a source in memory, with one content each; runs and people take turns."""

    upstream: str = ""
    base: str = ""
    commits: list[Commit] = field(default_factory=list)
    """Of the branch, newest first; none: there is no branch."""
    behind: bool = False
    clash: bool = False
    reviews: dict[int, Review] = field(default_factory=dict)
    record: Targets = ()
    verdicts: dict[str, str] = field(default_factory=dict)
    """What people last said about a content."""
    work: set[str] = field(default_factory=set)
    """Commits by people that are neither merged nor thrown away by people."""
    count: int = 0

    def next(self) -> int:
        self.count += 1
        return self.count

    @property
    def open(self) -> Review | None:
        return next((r for r in self.reviews.values() if r.stage is Stage.OPEN), None)

    def content(self) -> str:
        return situation._content(Branch(head="", commits=self.commits), (), "docs")

    def see(self) -> Situation:
        wanted = "" if self.upstream == self.base else self.upstream
        head = self.commits[0].id if self.commits else ""
        branch = Branch(head=head, commits=self.commits, behind=self.behind, applies=not self.clash)
        return assess(wanted, branch if self.commits else None, *self.reviews.values(), record=self.record)

    # --- one run; `killed`: after the push ---

    def run(self, killed: bool = False) -> Decision:
        seen = self.see()
        decision = decide(seen.facts)
        self.record = seen.record
        self._push(seen, decision)
        if killed:
            return decision
        self._tell(seen, decision)
        self._check(seen, decision)
        return decision

    def _push(self, seen: Situation, decision: Decision) -> None:
        if decision.write_branch:
            if seen.facts.people is People.NONE:
                self.commits, self.behind = [], False
            parent = self.commits[0].id if self.commits else ""
            self.commits.insert(0, ours(self.next(), self.upstream, parent))

    def _tell(self, seen: Situation, decision: Decision) -> None:
        head = self.commits[0].id if self.commits else ""
        mark = Marker(source="docs", fingerprint=self.upstream or F, head=head)
        if decision.word is Word.CREATE:
            assert self.open is None
            made = replace(review(len(self.reviews) + 1, self.upstream, head=head), body=str(mark))
            self.reviews[made.number] = made
        elif decision.word is Word.UPDATE and seen.review:
            self.reviews[seen.review.number] = replace(seen.review, body=str(mark), head=head)
        elif decision.word is Word.CLOSE and seen.review:
            last = replace(mark, fingerprint=seen.facts.told or mark.fingerprint, settled=OBSOLETE)
            self.reviews[seen.review.number] = replace(seen.review, body=str(last), stage=Stage.CLOSED)
            if decision.drop_branch:
                self.commits = []
        if decision.word in (Word.CREATE, Word.UPDATE) and self.open:
            target = Target(fingerprint=self.upstream, state=State.PENDING, review=self.open.number, since=NOW)
            self.record = targets.offered(self.record, target)

    def _check(self, seen: Situation, decision: Decision) -> None:
        assert sum(r.stage is Stage.OPEN for r in self.reviews.values()) <= 1
        assert sum(t.state is State.PENDING for t in self.record) <= 1
        assert self.work <= {commit.id for commit in self.commits}, "a person's commit was lost"
        if decision.word is Word.CREATE:
            assert self.verdicts.get(self.upstream) != "rejected", "rejected content came back"
        if seen.facts.wanted and self.verdicts.get(self.upstream) != "rejected" and not seen.people:
            assert self.open and str(self.upstream) in self.open.body, "what is wanted is not proposed"
        again = decide(self.see().facts)
        assert again.word not in (Word.CREATE, Word.UPDATE, Word.CLOSE), (seen.facts, decision, again)

    # --- people ---

    def close(self) -> None:
        if self.open:
            told = self.see().facts.told
            self.verdicts[told] = "rejected"
            self.reviews[self.open.number] = replace(self.open, stage=Stage.CLOSED)

    def reopen(self) -> None:
        last = max(self.reviews.values(), key=lambda r: r.number, default=None)
        if last and last.stage is Stage.CLOSED and self.commits and not self.open:
            told = self.see()
            self.reviews[last.number] = replace(last, stage=Stage.OPEN)
            self.verdicts.pop(self.see().facts.told or told.facts.told, None)
            for fingerprint in list(self.verdicts):
                if str(fingerprint) in last.body and fingerprint:
                    self.verdicts.pop(fingerprint)

    def merge(self, squash: bool) -> None:
        if self.open and self.commits:
            told = self.content()
            merged = replace(self.open, stage=Stage.MERGED, head=self.commits[0].id)
            self.reviews[merged.number] = merged
            self.base, self.work = told or self.base, set()
            self.verdicts.pop(self.see().facts.told, None)
            for fingerprint in [f for f in self.verdicts if f in merged.body]:
                self.verdicts.pop(fingerprint)
            self.behind = squash
            if not squash:
                self.commits = []

    def edit(self, clash: bool) -> None:
        if self.commits:
            made = theirs(self.next(), self.commits[0].id)
            self.commits.insert(0, made)
            self.work.add(made.id)
            self.clash = clash

    def delete_branch(self) -> None:
        if self.commits:
            self.close()
            self.commits, self.work = [], set()

    def forget(self) -> None:
        self.record = ()

    def move_base(self) -> None:
        self.behind = bool(self.commits)


STEPS = (
    *(("upstream", name) for name in NAMES),
    *[("upstream", "")] * 2,
    *[("run", "")] * 8,
    ("run", "killed"),
    ("close", ""),
    ("reopen", ""),
    ("merge", ""),
    ("merge", "squash"),
    ("edit", ""),
    ("edit", "clash"),
    ("delete", ""),
    ("forget", ""),
    ("base", ""),
)


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(STEPS), min_size=20, max_size=40))
def test_whatever_people_do_one_review_is_open_no_work_is_lost_and_no_rejected_content_comes_back(
    steps: list[tuple[str, str]],
) -> None:
    life = Life()
    for step, how in steps:
        match step:
            case "upstream":
                life.upstream = NAMES.get(how, life.base)
            case "run":
                life.run(killed=how == "killed")
            case "merge":
                life.merge(squash=how == "squash")
            case "edit":
                life.edit(clash=how == "clash")
            case "delete":
                life.delete_branch()
            case "base":
                life.move_base()
            case "close" | "reopen" | "forget":
                getattr(life, step)()
        if step == "run" and how == "killed":
            life.run()


@pytest.mark.parametrize("squash", [False, True])
def test_the_usual_year_of_a_source(squash: bool) -> None:
    life = Life()
    words = []
    for upstream, then in ((F, "merge"), (G, "close"), (G, ""), (NAMES["H"], "merge"), (NAMES["H"], "")):
        life.upstream = upstream
        words.append(life.run().word)
        if then == "merge":
            life.merge(squash)
        elif then == "close":
            life.close()
    assert words == [Word.CREATE, Word.CREATE, Word.LEAVE_REJECTED, Word.CREATE, Word.NOTHING]
    assert [t.state for t in life.see().record] == [State.APPROVED, State.REJECTED, State.APPROVED]
