"""The remote of `--push`: what it has comes here first, and what a run wrote goes there before any ref here moves.

Notes are merged per commit, states per source. The branch follows the remote by fast-forward. Where both moved on, a
run builds on the remote's commit and leaves out the sync commits of this clone that nobody else has: it makes what they
held anew. Commits of a person are never left out; they stop the run.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from git_okf.errors import GitRefused
from git_okf.gitprogram import git
from git_okf.model import Offer
from git_okf.store import followed, notes, remote_checkpoint, target, worktree
from git_okf.store import state as states
from git_okf.store.push import Move, PushRaced, fetch_objects, push, push_offer
from git_okf.store.remote import address, remotes, shown
from git_okf.store.remote_lease import RemoteLease
from git_okf.store.repo import RefMoved, RefUpdate, Repo
from git_okf.store.target import Target

ATTEMPTS = 5
REPLACED_DEPTH = 4
"""Commits a shallow clone fetches of a branch that is to be replaced: those of one run, and the one they stand upon."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where a branch goes: the remote, the branch's ref there, and its ref here."""

    name: str
    remote: str
    """What git is given for it: the name, or the address it is pushed to."""
    branch: str
    local: str
    onto: Target | None = None
    """Given where the branch is checked out nowhere."""

    def __str__(self) -> str:
        return f"{self.name} {self.branch.removeprefix('refs/heads/')}"


def find(repo: Repo, onto: Target | None = None) -> Upstream:
    """The upstream of the branch HEAD is on, or of the target: as git has it configured, else the branch of the same
    name at the first remote. GitRefused where there is no branch or no remote."""
    head = target.standing(repo, onto)
    if head.detached:
        raise GitRefused(
            "HEAD is on no branch, so there is none to push. Nothing was fetched or changed",
            "git switch BRANCH   then run again",
        )
    names = [onto.remote] if onto is not None and onto.remote else remotes(repo, head.ref)
    if not names:
        raise GitRefused("there is no remote to push to. Nothing was fetched or changed", "git remote add origin URL")
    section = f"branch.{head.ref.removeprefix('refs/heads/')}"
    follows = repo.config(f"{section}.merge") if repo.config(f"{section}.remote") == names[0] else None
    return Upstream(names[0], address(repo, names[0]), follows or head.ref, head.ref, onto)


def catch_up(repo: Repo, when: datetime, onto: Target | None = None) -> None:
    """Bring what the remote has here, the branch by fast-forward, before the configuration is read."""
    if onto is None:
        worktree.finish(repo, "")
    else:
        repo.recover()
        target.check(repo, onto)
    follow(repo, find(repo, onto), when)


def follow(
    repo: Repo, upstream: Upstream, when: datetime, others: Sequence[str] = (), offered: str | None = None
) -> tuple[dict[str, str | None], str | None]:
    """Fetch, and bring memory and branch together. Returns where the remote's refs are (`others` too, unfetched), and
    the commit to build on. `offered`: what this very run has already pushed to the branch. GitRefused where commits of
    a person, or changes in the work tree, are in the way."""
    depths = {upstream.branch: REPLACED_DEPTH} if upstream.onto is not None and upstream.onto.base else {}
    there = fetch_objects(repo, upstream.remote, [upstream.branch, notes.REF, states.REF], others, depths)
    _follow_memory(repo, upstream.remote, there, when)
    return there, _base(repo, upstream, there[upstream.branch], offered)


def catch_up_memory(repo: Repo, remote: str, when: datetime, refs: Sequence[str] = ()) -> dict[str, str | None]:
    """Bring notes and state together with the remote's. Returns where some refs are there (their objects are fetched
    in the same breath)."""
    there = fetch_objects(repo, remote, [*refs, notes.REF, states.REF])
    _follow_memory(repo, remote, there, when)
    return there


def _follow_memory(repo: Repo, remote: str, there: Mapping[str, str | None], when: datetime) -> None:
    for name, merge in ((notes.REF, notes.merge), (states.REF, _merge_states)):
        _bring_together(repo, remote, name, there[name], partial(merge, when=when))


def _bring_together(
    repo: Repo, remote: str, name: str, theirs: str | None, merge: Callable[[Repo, str, str], str]
) -> None:
    for attempt in range(ATTEMPTS):
        ours = repo.ref(name)
        merged = merge(repo, ours, theirs) if ours and theirs else ours or theirs
        if merged is None or merged == ours:
            return
        try:
            repo.update([RefUpdate(name, ours, merged, f"okf: from {shown(remote)}")])
            return
        except RefMoved:
            if attempt == ATTEMPTS - 1:
                raise


def _merge_states(repo: Repo, ours: str, theirs: str, when: datetime) -> str:
    """A state commit with each source as the side that moved it left it; where both did, the remote's is taken: what
    it does not know of our branch is read again from the bundle (design.md, law 8)."""
    if repo.is_ancestor(theirs, ours):
        return ours
    if repo.is_ancestor(ours, theirs):
        return theirs
    common = git(repo.root, "merge-base", ours, theirs, check=False).stdout.decode().strip()
    before = repo.commit_tree(common) if common else None
    mine, yours = repo.commit_tree(ours), repo.commit_tree(theirs)
    changes: dict[str, bytes | None] = {}
    for source in {change.path.partition("/")[0] for change in repo.diff(before, mine)}:
        if repo.entry(before, source) == repo.entry(yours, source):
            for change in repo.diff(repo.subtree(yours, source), repo.subtree(mine, source)):
                changes[f"{source}/{change.path}"] = repo.read(change.new) if change.new else None
    return repo.commit(repo.edit(yours, changes), [theirs, ours], "state: merged", when, sign=False)


# --- the branch ---


def _base(repo: Repo, upstream: Upstream, theirs: str | None, offered: str | None) -> str | None:
    """The commit to build on, the branch brought there where nothing of it would be left out."""
    onto, ours = upstream.onto, repo.ref(upstream.local)
    if onto is not None and onto.base is not None:
        _check_replaced(repo, upstream, onto, ours, None if theirs == offered else theirs)
        return onto.base
    if theirs is None or ours == theirs or (ours and repo.is_ancestor(theirs, ours)):
        return ours
    if ours is None or repo.is_ancestor(ours, theirs):
        _fast_forward(repo, upstream, ours, theirs)
        return theirs
    foreign = _foreign(repo, ours, theirs)
    if foreign:
        info = repo.commit_info(foreign[0])
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise GitRefused(
            f"{upstream.local.removeprefix('refs/heads/')} has {info.id[:7]} ({info.message.partition(chr(10))[0]!r})"
            f"{more}, which {upstream} has not, and {upstream} has moved on. Nothing was requested or changed",
            f"git pull --rebase {upstream}   brings them together; then run again",
        )
    return theirs


def _check_replaced(repo: Repo, upstream: Upstream, onto: Target, ours: str | None, theirs: str | None) -> None:
    """GitRefused where the remote's branch is not the one that may be replaced, or ours holds what nobody else has."""
    if theirs not in (None, onto.replaces):
        raise target.moved(onto, f"{upstream} is at {theirs}")
    known = [commit for commit in (onto.base, onto.replaces) if commit and repo.has(commit)]
    if ours not in (None, onto.replaces) and (foreign := _foreign(repo, ours, *known)):
        raise target.moved(onto, f"{onto.name} has {foreign[0]}, which no run made, and")


def _foreign(repo: Repo, ours: str, *known: str) -> list[str]:
    """The commits of a person that are on `ours` and reachable from none of the others."""
    here = git(repo.root, "rev-list", ours, *(f"^{commit}" for commit in known)).stdout.decode().split()
    return [commit for commit in here if not _is_ours(repo, commit)]


def _is_ours(repo: Repo, commit: str) -> bool:
    """Whether a run made this very commit: its note names it, or the one made right after it. An amended commit may
    carry the note of the one it was, and is somebody's."""
    try:
        sources = json.loads(notes.read(repo, commit) or "{}").get("sources", [])
        made = {source["commit"] for source in sources}
    except (ValueError, TypeError, AttributeError, KeyError):
        return False
    return commit in made or any(repo.has(each) and commit in repo.commit_info(each).parents for each in made)


def _fast_forward(repo: Repo, upstream: Upstream, ours: str | None, theirs: str) -> None:
    move = RefUpdate(upstream.local, ours, theirs, f"okf: follow {upstream}")
    if upstream.onto is not None:
        repo.update([move], first=partial(target.check_free, repo, upstream.onto))
        followed.note(repo, upstream.local)
        return
    old, new = repo.commit_tree(ours) if ours else None, repo.commit_tree(theirs)
    changed = repo.diff(old, new)
    dirty = set(worktree.dirty(repo, ".")) if changed else set()
    in_the_way = [c.path for c in changed if c.path in dirty or (not c.old and os.path.lexists(repo.root / c.path))]
    if in_the_way:
        more = f" and {len(in_the_way) - 1} more" if len(in_the_way) > 1 else ""
        raise GitRefused(
            f"{upstream} has moved on, and uncommitted changes of yours are in the way: {in_the_way[0]}{more}"
            ". Nothing was requested or changed",
            "commit them, or `git stash --include-untracked`; then run again",
        )
    repo.update([move], head=upstream.local)
    worktree.update(repo, old, new)


# --- one run ---


class Publisher:
    """What `--push` adds to the run of one source: it follows the remote, and pushes all of a run or nothing."""

    def __init__(self, repo: Repo, upstream: Upstream, source: str, lease: RemoteLease, when: datetime) -> None:
        self.upstream = upstream
        self._repo, self._source, self._lease, self._when = repo, source, lease, when
        self._checkpoint = remote_checkpoint.PREFIX + source
        self._there: Mapping[str, str | None] = {}
        self._offered: str | None = None

    def follow(self) -> str | None:
        """The commit to build on; see `follow`."""
        self._there, base = follow(self._repo, self.upstream, self._when, [self._checkpoint], self._offered)
        return base

    def publish(self, updates: Sequence[RefUpdate] = (), offer: Offer | None = None) -> None:
        """Push branch, notes and state as they will be after `updates`, and let go of checkpoint and lease with them.

        What is offered goes ahead, with nothing but the lease that is kept by it: a host that takes push options takes
        them for every branch of a push, that of the state too. A run that ends in between leaves a prefix of content,
        notes and state, as a kill here does (design.md, law 5).

        PushRaced where another writer was first, LeaseLost where this run no longer holds the source, PushRefused.
        """
        moves = [*self._moves(updates)]
        if offer is not None:
            moves = self._pushed_ahead(moves, offer)
        if self._there.get(self._checkpoint):
            moves.append(Move(self._checkpoint, None, self._there[self._checkpoint], follows=False))
        if moves:
            with self._lease.releasing(succeeded=True) as (release, extra):
                push(self._repo, self.upstream.remote, [*moves, release], extra=extra)
        else:
            self._lease.succeeded = True

    def _pushed_ahead(self, moves: Sequence[Move], offer: Offer) -> list[Move]:
        """What is left to push once the branch is."""
        content = [move for move in moves if move.ref == self.upstream.branch]
        if content:
            with self._lease.renewing() as (kept, extra):
                push_offer(self._repo, self.upstream.remote, [*content, kept], offer, extra)
            self._offered = content[0].new
        return [move for move in moves if move not in content]

    def _moves(self, updates: Sequence[RefUpdate]) -> Iterator[Move]:
        new = {update.name: update.new for update in updates}
        names = {self.upstream.local: self.upstream.branch, notes.REF: notes.REF, states.REF: states.REF}
        onto = self.upstream.onto
        replaced = self.upstream.branch if onto is not None and onto.base is not None else None
        for here, there in names.items():
            tip = new.get(here) or self._repo.ref(here)
            if tip and tip != self._there[there]:
                yield Move(there, tip, self._there[there], follows=there != replaced)

    def leave(self) -> None:
        """Leave what was fetched for the next run, on whatever machine, and let go of the lease, in the seconds that
        the lease gives. GitRefused where what was fetched is too much for them, or the remote cannot be had: then the
        lease is left to expire."""
        repo, left = self._repo.watched_by(None), self._lease.end()
        until = time.monotonic() + left
        try:
            with self._lease.releasing(within=left) as (release, extra):
                saving, refusal = self._saving(repo, extra, until - left / 2)
                moves = [release, *([saving] if saving else [])]
                push(repo, self.upstream.remote, moves, extra=extra, hooks=False, timeout=until - time.monotonic())
        except PushRaced:
            raise
        except GitRefused:
            self._lease.abandon()
            raise
        if refusal is not None:
            raise refusal

    def _saving(self, repo: Repo, extra: Mapping[str, str], until: float) -> tuple[Move | None, GitRefused | None]:
        """The checkpoint's move; without one the lease is let go all the same."""
        before = self._there.get(self._checkpoint)
        try:
            return remote_checkpoint.saving(repo, self._source, before, extra, until), None
        except GitRefused as error:
            return None, error

    def restore_checkpoint(self) -> None:
        """Take what a run on another machine left."""
        tree = self._there.get(self._checkpoint)
        if tree:
            remote_checkpoint.restore(self._repo, self.upstream.remote, self._source, tree)
