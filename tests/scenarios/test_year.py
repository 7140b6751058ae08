"""A year of twelve sources under review: outages, limits, rejections, edits, merges, reopened reviews, two runners.

What happens is drawn at random, from a seed; what must hold is checked after every run. Git, the remote and the state
are real; the host answers in this process (its own behaviour over HTTP is in tests/review). With `-s` the year is told
month by month.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pygit2
import pytest
from conftest import GitRepo
from forges.hub import PERSON, Hub, Pull
from nightly import Upstream, clone
from remotes import Clock

from git_okf import config, reviewing, standing, sync
from git_okf.jsonapi import ApiUnavailable
from git_okf.model import Failed, Offer
from git_okf.review.forge import Forge, Issue, Limits, Repository, Review, Stage
from git_okf.review.marker import find
from git_okf.review.people import CONTENT, SOURCE, Commit, trailers
from git_okf.reviewing.outcome import Reviewed
from git_okf.run import Options, World
from git_okf.source.memory import Item
from git_okf.store import state as states
from git_okf.store.repo import Repo

SEED = 20260101
DAYS = 365
NAMES = tuple(f"s{number:02}" for number in range(12))
EVERY = ("28d", "35d", "42d", "49d")
PAGES = "abcdef"
RECHECKS = (timedelta(hours=24), timedelta(days=3), timedelta(days=7))
EARLIER = 0.1
"""The share of its wait by which a recheck may come earlier."""
LIMITED = "the host limits requests"
DOWN = "no such host"
STAGES = {"open": Stage.OPEN, "merged": Stage.MERGED, "closed": Stage.CLOSED}


class FastHub(Hub):
    """The hub without a process for each question."""

    def __init__(self, repo: Path) -> None:
        super().__init__(repo)
        self._git2 = pygit2.Repository(str(repo))

    def branch(self, name: str) -> str | None:
        found = self._git2.references.get(f"refs/heads/{name}")
        return str(found.target) if found else None

    def reaches(self, ancestor: str, commit: str) -> bool:
        return ancestor == commit or self._git2.descendant_of(commit, ancestor)

    def read(self, branch: str, path: str) -> str | None:
        try:
            entry = self._git2[str(self.branch(branch))].peel(pygit2.Tree)[path]
        except KeyError:
            return None
        assert isinstance(entry, pygit2.Blob)
        return entry.data.decode()

    def messages(self, commit: str) -> Iterator[str]:
        """Of a commit and those below it, newest first."""
        for each in self._git2.walk(pygit2.Oid(hex=commit), pygit2.enums.SortMode.TOPOLOGICAL):
            yield each.message

    def change(self, branch: str, path: str, text: str) -> str:
        """A commit by a person."""
        parent = str(self.branch(branch))
        index = pygit2.Index()
        index.read_tree(self._git2[parent].peel(pygit2.Tree))
        index.add(pygit2.IndexEntry(path, self._git2.create_blob(text.encode()), pygit2.enums.FileMode.BLOB))
        return self._commit(branch, str(index.write_tree(self._git2)), [parent], "By hand", PERSON)

    def _merged_tree(self, one: str, other: str) -> str:
        index = self._git2.merge_commits(one, other)
        assert not index.conflicts, "in conflict"
        return str(index.write_tree(self._git2))

    def _commit(self, branch: str, tree: str, parents: list[str], message: str, who: tuple[str, str]) -> str:
        by = pygit2.Signature(*who, int(self.clock().timestamp()), 0)
        made = self._git2.create_commit(None, by, by, message, tree, parents)
        self._git2.references.create(f"refs/heads/{branch}", made, force=True)
        return str(made)


class HubForge:
    """The host, asked without HTTP; `trouble` is what the next question ends with."""

    kind = "github"
    answers = True
    limits = Limits()

    def __init__(self, hub: FastHub) -> None:
        self.hub = hub
        self.troubles: list[str] = []
        self.calls = Counter[str]()

    def _asked(self, what: str) -> None:
        self.calls[what] += 1
        if what in self.troubles:
            self.troubles.remove(what)
            raise ApiUnavailable(f"{what}: HTTP 502; gave up")

    def repository(self) -> Repository:
        return Repository(id=f"h:{self.hub.number}", name=self.hub.name, url="http://h/acme/docs")

    def reviews(self, branch: str) -> Sequence[Review]:
        self._asked("reviews")
        self.hub.settle()
        return [_review(pull) for pull in reversed(self.hub.pulls.values()) if pull.branch == branch]

    def offer(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Offer | None:
        return None

    def create(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        self._asked("create")
        assert not [p for p in self.hub.open_pulls() if p.branch == branch], "GitHub refuses a second one"
        return _review(self.hub.new_pull(title, body, branch, base, "okf-robot"))

    def update(self, review: Review, *, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        if (review.title, review.body) != (title, body):
            self._asked("update")
            pull = self.hub.pulls[review.number]
            pull.title, pull.body = title, body
        return _review(self.hub.pulls[review.number])

    def close(self, review: Review, *, comment: str, body: str = "") -> Review:
        self._asked("close")
        self.hub.pulls[review.number].body = body or review.body
        self.hub.close(review.number)
        return _review(self.hub.pulls[review.number])

    def commits(self, review: Review) -> Sequence[Commit]:
        return ()

    def issues(self, label: str) -> Sequence[Issue]:
        return ()

    def open_issue(self, *, title: str, body: str, label: str) -> Issue:
        raise AssertionError

    def update_issue(self, issue: Issue, *, title: str, body: str) -> Issue:
        raise AssertionError

    def close_issue(self, issue: Issue, *, comment: str) -> Issue:
        raise AssertionError

    def file_url(self, branch: str, path: str) -> str:
        return f"http://h/{branch}/{path}"

    def hints(self, review: Review) -> Sequence[str]:
        return ()

    def disconnect(self) -> None:
        """There is no connection."""


def _review(pull: Pull) -> Review:
    return Review(
        number=pull.number,
        stage=STAGES[pull.stage],
        branch=pull.branch,
        base=pull.base,
        title=pull.title,
        body=pull.body,
        head=pull.head,
        created_at=pull.created_at,
        settled_at=pull.closed_at or "",
    )


def branch_of(name: str) -> str:
    return f"okf/sync/{name}"


@dataclass(slots=True)
class Year:
    """The world, and what people and hosts do in it."""

    hub: FastHub
    forge: HubForge
    clock: Clock
    chance: random.Random
    home: Path
    runners: list[GitRepo]
    settings: config.Config
    sources: dict[str, Upstream] = field(default_factory=dict)
    rejected: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in NAMES})
    work: dict[str, str] = field(default_factory=dict)
    """Commits by people -> their source."""
    told: dict[str, Counter[str]] = field(default_factory=dict)
    back: set[str] = field(default_factory=set)
    """Sources that went back to what the base has."""
    remote: Repo | None = None
    versions: int = 0
    clones: int = 0
    told_unavailable: int = 0
    """How often the state had to say that a source cannot be asked."""

    def note(self, event: str) -> None:
        self.told.setdefault(f"{self.clock():%m}", Counter())[event] += 1

    # --- upstream ---

    def upstream_changes(self, name: str) -> None:
        source, page = self.sources[name], self.chance.choice(PAGES)
        if name in self.back:
            return
        self.versions += 1
        self.put(name, page, f"Line one, version {self.chance.choice((0, self.versions))}.\n\nThe rest of {page}.")
        if self.chance.random() < 0.15 and len(source.items) > 3:
            del source.items[self.key(name, page)]
            self.note("page dropped")
        else:
            self.note("page changed")

    def upstream_goes_back(self, name: str) -> None:
        """To what the base has, and stays so until it is looked at."""
        self.back.add(name)
        for page in PAGES:
            text = self.hub.read("main", f"{name}/pages/{page}.md")
            if text is None:
                self.sources[name].items.pop(self.key(name, page), None)
            else:
                self.put(name, page, text.split("\n---\n", 1)[1].strip())
        self.note("source went back")

    def outage(self, name: str) -> None:
        """It begins far less often than it ends."""
        source = self.sources[name]
        if not source.outage and self.chance.random() > 0.08:
            return
        source.outage = "" if source.outage else DOWN
        self.note("outage began" if source.outage else "outage ended")

    def limit(self, name: str) -> None:
        self.sources[name].retry_at = (self.clock() + timedelta(days=self.chance.randint(1, 4))).isoformat()
        self.note("limit")

    def page_fails(self, name: str) -> None:
        source = self.sources[name]
        if source.troubles:
            source.troubles.clear()
        else:
            key = self.chance.choice(sorted(source.items))
            source.troubles[key] = Failed(key=key, reason="HTTP 503")
            self.note("page failed")

    def put(self, name: str, page: str, text: str) -> None:
        self.sources[name].items[self.key(name, page)] = Item(title=page, body=text)

    @staticmethod
    def key(name: str, page: str) -> str:
        return f"https://{name}.example.com/{page}"

    # --- people ---

    def opened(self, name: str) -> Pull | None:
        return next((p for p in self.hub.open_pulls() if p.branch == branch_of(name)), None)

    def merged(self, name: str) -> None:
        pull, squash = self.opened(name), self.chance.random() < 0.6
        if pull is None:
            return
        try:
            self.hub.squash(pull.number) if squash else self.hub.merge(pull.number)
        except AssertionError:
            self.note("merge in conflict")
            return
        self.note("squashed" if squash else "merged")
        self.settle(pull, accepted=True)
        if self.chance.random() < 0.5:
            self.hub.delete_branch(pull.branch)

    def closed(self, name: str) -> None:
        pull = self.opened(name)
        if pull is not None:
            self.hub.close(pull.number)
            self.settle(pull, accepted=False)
            self.note("closed")
            if self.chance.random() < 0.4:
                self.hub.delete_branch(pull.branch)

    def reopened(self, name: str) -> None:
        pulls = [p for p in self.hub.pulls.values() if p.branch == branch_of(name)]
        last = pulls[-1] if pulls else None
        if last and last.stage == "closed" and self.hub.branch(last.branch) == last.head:
            self.hub.reopen(last.number)
            self.settle(last, accepted=True)
            self.note("reopened")

    def settle(self, pull: Pull, *, accepted: bool) -> None:
        name = pull.branch.rpartition("/")[2]
        contents = {content for content in (self.offered(pull),) if content}
        self.rejected[name] = self.rejected[name] - contents if accepted else self.rejected[name] | contents

    def offered(self, pull: Pull) -> str:
        """The content that stands in a review: by the newest commit of ours on its branch. Its text may be older."""
        said = (trailers(message) for message in self.hub.messages(pull.head))
        ours = (each for each in said if each.get(SOURCE) == pull.branch.rpartition("/")[2])
        return next((each[CONTENT] for each in ours if CONTENT in each), "")

    def edited(self, name: str) -> None:
        """A commit on the branch: beside the bundle, in a page at another place than the source, or at the same."""
        branch, how = branch_of(name), self.chance.choice(("beside", "below", "same"))
        if self.opened(name) is None:
            return
        path = f"{name}-notes.md" if how == "beside" else f"{name}/pages/{self.chance.choice(PAGES)}.md"
        text = self.hub.read(branch, path)
        if how != "beside" and text is None:
            return
        self.versions += 1
        mine = f"by hand {self.versions}"
        old = {"below": "The rest", "same": "Line one"}.get(how, "")
        made = f"{mine}\n" if text is None or not old else text.replace(old, f"{old}, {mine}")
        if made != text:
            self.work[self.hub.change(branch, path, made)] = name
            self.note("edited")

    def base_edited(self, name: str) -> None:
        self.versions += 1
        path = f"{name}/pages/{self.chance.choice(PAGES)}.md"
        text = self.hub.read("main", path)
        if text is not None and self.chance.random() < 0.2:
            self.hub.change("main", path, text.replace("The rest", f"The rest (by hand {self.versions})"))
            self.note("base page edited")
        else:
            self.hub.change("main", "README.md", f"Version {self.versions}.\n")
            self.note("base moved")

    def branch_updated(self, name: str) -> None:
        pull = self.opened(name)
        if pull is not None and not self.hub.reaches(str(self.hub.branch("main")), pull.head):
            try:
                self.hub.update_branch(pull.number)
            except AssertionError:
                return
            self.note("update branch")

    def host_in_trouble(self, name: str) -> None:
        self.forge.troubles.append(self.chance.choice(("create", "update", "close", "reviews")))
        self.note("host in trouble")

    # --- runs ---

    def world(self) -> World:
        return World(
            environ=os.environ,
            clock=self.clock,
            monotonic=lambda: self.clock().timestamp(),
            sleep=lambda seconds: None,
            open_source=lambda source, environ: self.sources[source.name],
        )

    def job(self, runner: GitRepo, names: Sequence[str] = ()) -> list[Reviewed]:
        """One run of the nightly job, and what must hold after it."""
        repo = Repo.open(runner.path, reading=True)
        done = []
        before = {name: self.state(name) for name in NAMES}
        for each in reviewing.of_repository(repo, names, Options(), self.world()):
            done.append(each)
            self.check(each, before[each.result.name], named=bool(names))
        return done

    def another_runner(self, name: str) -> None:
        """While one run looks at its source, another runner does its job: of the same source, or of another one."""
        source, same = self.sources[name], self.chance.random() < 0.5
        other = name if same else self.chance.choice([n for n in NAMES if n != name])
        began: list[str] = []

        def meanwhile(key: str) -> None:
            if not began:
                began.append(key)
                source.during = lambda key: None
                (second,) = self.job(self.runners[1], [other])
                if same:
                    assert second.result.result in ("busy", "skipped"), second
                self.note("two runners, same source" if same else "two runners")

        source.during = meanwhile

    def night(self) -> None:
        """The job, on a runner of its own at times; where nothing is due it would end at once."""
        runner = self.runner()
        due = standing.plan(Repo.open(runner.path), self.settings, [], self.clock()).names
        if due or runner is not self.runners[0]:
            self.job(runner)

    def runner(self) -> GitRepo:
        if self.chance.random() < 0.015:
            self.clones += 1
            return clone(self.hub.repo, self.home / f"fresh-{self.clones}", "--depth=1")
        return self.runners[0]

    def everything_ends_well(self) -> None:
        """No trouble is left, and a person has all sources looked at: each comes to its word."""
        for source in self.sources.values():
            source.outage, source.retry_at, source.during = "", "", lambda key: None
            source.troubles.clear()
        self.forge.troubles.clear()
        self.clock.pass_by(days=8)
        done = self.job(self.runners[0], NAMES)
        assert [each.result.name for each in done if not each.word or each.result.error] == []

    # --- what must hold ---

    def state(self, name: str) -> states.State:
        if self.remote is None:
            self.remote = Repo.open(self.hub.repo, bare=True)
        found = states.facts(self.remote, name)
        assert found is not None
        return found

    def check(self, done: Reviewed, before: states.State, *, named: bool) -> None:
        result, name = done.result, done.result.name
        if result.result == "skipped" and not done.word:
            return
        self.note(done.word or result.result)
        self.back.discard(name)
        assert result.exit_code in (0, 3, 4, 5) or result.result == "aborted", (done, result.error)
        pulls = [p for p in self.hub.open_pulls() if p.branch == branch_of(name)]
        assert len(pulls) <= 1
        self.check_work()
        now = self.state(name)
        pending = [t for t in now.targets if t["state"] == "PENDING"]
        assert len(pending) <= 1
        if done.word in ("create", "update"):
            assert done.content not in self.rejected[name], f"{name}: rejected content came back"
            assert not {self.offered(pull) for pull in pulls} & self.rejected[name], f"{name}: it is under review again"
        if done.word and result.error is None:
            self.check_record(done, pulls, pending)
        self.check_life(name, done, before, now, named=named)

    def check_work(self) -> None:
        heads = [str(self.hub.branch("main")), *(p.head for p in self.hub.pulls.values())]
        heads += [head for name in NAMES if (head := self.hub.branch(branch_of(name)))]
        for commit, name in self.work.items():
            assert any(self.hub.reaches(commit, head) for head in heads), f"a commit on {name} was lost"

    def check_record(self, done: Reviewed, pulls: list[Pull], pending: Sequence[object]) -> None:
        name = done.result.name
        told = {int(str(t["review"])): str(t["state"]) for t in self.state(name).targets}
        for pull in self.hub.pulls.values():
            if pull.branch == branch_of(name):
                mark = find(pull.body, name)
                allowed = {"open": {"PENDING"}, "merged": {"APPROVED"}, "closed": {"REJECTED", "SUPERSEDED"}}[
                    pull.stage
                ]
                assert told[pull.number] in allowed, (pull.number, pull.stage, told)
                assert pull.stage != "closed" or (told[pull.number] == "SUPERSEDED") == bool(mark and mark.settled)
        assert bool(pulls) == bool(pending)
        if done.word in ("create", "update"):
            assert [find(p.body, name).fingerprint for p in pulls] == [done.content]  # type: ignore[union-attr]

    def check_life(self, name: str, done: Reviewed, before: states.State, now: states.State, *, named: bool) -> None:
        due = all(self.is_past(at) for at in (before.recheck_at, before.retry_at))
        assert due or named, f"{name} was looked at too early"
        said = str(done.result.error)
        if done.result.result == "unavailable" and DOWN in said:
            self.check_outage(before, now)
        elif done.result.result == "unavailable" and LIMITED in said:
            assert (now.access, now.failures) == (before.access, before.failures)
            assert now.retry_at == self.sources[name].retry_at
            self.note("limit met")
            self.told_unavailable += 1
        elif done.word:
            assert (now.access, now.since, now.last_error, now.failures) == ("ACTIVE", "", "", 0)
            assert (now.recheck_at, now.retry_at) == ("", "")
            if before.access == "UNREACHABLE":
                self.note("end of outage told")

    def check_outage(self, before: states.State, now: states.State) -> None:
        """Told when it begins, and at looks that were due; a look before that changes nothing."""
        if before.access == "UNREACHABLE" and not self.is_past(before.recheck_at):
            assert now == before
            return
        began = before.access != "UNREACHABLE"
        full = RECHECKS[min(before.failures, 2)]
        assert (now.access, now.failures) == ("UNREACHABLE", before.failures + 1)
        assert now.since == (self.clock().isoformat(timespec="seconds") if began else before.since)
        assert not (began and before.failures)
        wait = datetime.fromisoformat(now.recheck_at) - self.clock()
        assert full * (1 - EARLIER) - timedelta(seconds=1) <= wait <= full
        self.note(f"recheck after {full.days} d")
        self.told_unavailable += 1
        if began:
            self.note("begin of outage told")

    def is_past(self, at: str) -> bool:
        return not at or datetime.fromisoformat(at) <= self.clock()

    def check_history(self) -> None:
        """The state tells of trouble as often as it was found, and no more."""
        told = list(self.hub.messages(str(self.hub.branch("okf/state"))))
        assert sum("unavailable (" in message for message in told) == self.told_unavailable
        down = sum(self.state(name).access == "UNREACHABLE" for name in NAMES)
        seen = self.all_told()
        assert seen["begin of outage told"] == seen["end of outage told"] + down

    def all_told(self) -> Counter[str]:
        seen = Counter[str]()
        for counts in self.told.values():
            seen += counts
        return seen


CHANCES: Sequence[tuple[float, Callable[[Year, str], None]]] = (
    (0.10, Year.upstream_changes),
    (0.020, Year.upstream_goes_back),
    (0.06, Year.outage),
    (0.005, Year.limit),
    (0.015, Year.page_fails),
    (0.06, Year.merged),
    (0.020, Year.closed),
    (0.025, Year.reopened),
    (0.035, Year.edited),
    (0.010, Year.base_edited),
    (0.006, Year.branch_updated),
    (0.006, Year.host_in_trouble),
    (0.010, Year.another_runner),
)


HAPPENED = (
    *("outage began", "outage ended", "begin of outage told", "end of outage told", "limit met", "page failed"),
    *("recheck after 1 d", "recheck after 3 d", "recheck after 7 d"),
    *("closed", "reopened", "edited", "merged", "squashed", "update branch", "base moved", "base page edited"),
    *("two runners", "two runners, same source", "busy", "host in trouble", "unavailable"),
    *("create", "update", "close (obsolete)", "nothing"),
    *("leave (rejected)", "leave (backlog)", "leave (edited by a person)"),
)


@pytest.fixture
def year(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Year:
    first = GitRepo(tmp_path / "first")
    first.path.mkdir()
    first.git("init", "--quiet")
    lines = "".join(
        f"  {name}: {{url: https://{name}.example.com/, bundle: {name}, every: {EVERY[n % len(EVERY)]}}}\n"
        for n, name in enumerate(NAMES)
    )
    review = "review: {forge: github, repository: acme/docs, base: main, high_water: 7, low_water: 6}\n"
    text = f"version: 1\nsources:\n{lines}{review}"
    first.commit("configure", {".okf.yaml": text})
    clock = Clock()
    clock.now = clock.now.replace(month=1, day=1, hour=3)
    bare = tmp_path / "remote.git"
    first.git("init", "--quiet", "--bare", str(bare))
    hub = FastHub(bare)
    hub.clock = clock
    forge = HubForge(hub)
    made = Year(hub, forge, clock, random.Random(SEED), tmp_path, [first], config.parse(text))
    for name in NAMES:
        made.sources[name] = Upstream()
        for page in PAGES[:4]:
            made.put(name, page, f"Line one, version 0.\n\nThe rest of {page}.")
    done = sync.sync(Repo.open(first.path), made.settings, [], Options(), made.world())
    assert [each.result for each in done] == ["synced"] * len(NAMES)
    first.git("remote", "add", "origin", str(bare))
    first.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
    made.runners.append(clone(bare, tmp_path / "second"))
    answering: Forge = forge
    monkeypatch.setattr(reviewing, "open_forge", lambda *args, **named: answering)
    return made


def test_a_year(year: Year) -> None:
    for _ in range(DAYS):
        for name in NAMES:
            for likely, event in CHANCES:
                if year.chance.random() < likely:
                    event(year, name)
            source = year.sources[name]
            if source.retry_at and datetime.fromisoformat(source.retry_at) <= year.clock():
                source.retry_at = ""
        year.night()
        year.clock.pass_by(days=1, seconds=year.chance.randint(-600, 600))
    sys.stdout.write(timeline(year.told))
    year.check_history()
    seen = year.all_told()
    assert {word for word in HAPPENED if not seen[word]} == set(), "the year was too quiet"
    year.everything_ends_well()


def timeline(told: dict[str, Counter[str]]) -> str:
    months = sorted(told)
    events = sorted({event for counts in told.values() for event in counts})
    width = max(map(len, events))
    lines = [f"{'':{width}} " + " ".join(f"{month:>4}" for month in months) + "  all"]
    for event in events:
        counts = [told[month][event] for month in months]
        lines.append(f"{event:{width}} " + " ".join(f"{n or '.':>4}" for n in counts) + f" {sum(counts):>4}")
    return "\n" + "\n".join(lines) + "\n"
