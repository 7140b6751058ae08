"""Refs of ours on a remote: moved all or none, each only from where we saw it, never by force over somebody's work.

What a push came to is decided by where the remote's refs are afterwards, not by the words it was refused with: those
differ between servers, versions and languages. Refs that stand elsewhere than expected were moved by another writer
(PushRaced: fetch, plan again, push again); refs that stand where they did mean that the remote says no (a hook, a
protected branch, no permission), and trying again would change nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from git_okf.errors import GitRefused
from git_okf.gitprogram import FETCH, NETWORK_TIMEOUT_S, NO_PUSH_OPTIONS, TIMEOUT_S, git
from git_okf.model import Offer
from git_okf.store import notes
from git_okf.store.remote import remote_refs, shown
from git_okf.store.repo import RefUpdate, Repo

ATTEMPTS = 5
LOCKED_PAUSE_S = 0.2
PUSH = ("push", "--porcelain", "--atomic", "--no-follow-tags", "--no-recurse-submodules")


@dataclass(frozen=True, slots=True)
class Move:
    """A ref of the remote: from `expected` (None: it must not exist) to `new` (None: it goes)."""

    ref: str
    new: str | None
    expected: str | None
    follows: bool = True
    """The new commit must descend from the one it replaces; leases and checkpoints are no history."""


class PushRaced(GitRefused):
    """Another writer moved a ref of the remote first; nothing was pushed. `actual` says where they are."""

    code = "push-raced"

    def __init__(self, remote: str, actual: dict[str, str | None]) -> None:
        super().__init__(
            f"{', '.join(actual)} moved on {shown(remote)} meanwhile; nothing was pushed",
            "run the sync again: it starts from what the remote has now",
        )
        self.actual = actual


class PushRefused(GitRefused):
    """The remote says no, and would again."""

    code = "push-refused"


def fetch_objects(
    repo: Repo,
    remote: str,
    names: Sequence[str],
    unfetched: Sequence[str] = (),
    depths: Mapping[str, int] | None = None,
) -> dict[str, str | None]:
    """Where some refs are on a remote (None: nowhere), their objects fetched but of those `unfetched`. No ref here
    moves. Of what was never here a shallow clone gets the tip alone, or as many commits as `depths` says for a ref;
    what it has it follows without a gap."""
    there = remote_refs(repo, remote, [*names, *unfetched])
    missing = [name for name in names if name in there and not repo.has(there[name])]
    new = [name for name in missing if repo.is_shallow() and repo.ref(name) is None]
    depth = {name: (depths or {}).get(name, 1) if name in new else 0 for name in missing}
    for commits in sorted(set(depth.values())):
        wanted = [name for name in missing if depth[name] == commits]
        git(repo.root, *FETCH, *([f"--depth={commits}"] if commits else []), "--", remote, *wanted, watch=repo.watch)
    return {name: there.get(name) for name in (*names, *unfetched)}


def push(
    repo: Repo,
    remote: str,
    moves: Sequence[Move],
    *,
    extra: Mapping[str, str] | None = None,
    hooks: bool = True,
    timeout: float = TIMEOUT_S,
    told: Sequence[str] = (),
) -> str:
    """Move refs of the remote all or none; what was said to it. PushRaced, or PushRefused with the remote's own words.

    Each new commit must descend from the one it replaces: this is checked here, because a lease on a ref
    (`--force-with-lease`) would let a push go backwards. `extra`: environment for git, where objects lie aside;
    without `hooks` the user's pre-push hook is not asked. `timeout`: seconds for all of it. `told`: push options.
    """
    moves = [move for move in moves if move.new != move.expected]
    if not moves:
        return ""
    for move in moves:
        if move.follows and move.expected and move.new and not repo.is_ancestor(move.expected, move.new):
            raise PushRaced(remote, {move.ref: move.expected})
    leases = [f"--force-with-lease={move.ref}:{move.expected or ''}" for move in moves]
    specs = [f"{move.new or ''}:{move.ref}" for move in moves]
    options = (*PUSH, *([] if hooks else ["--no-verify"]), *leases, *(f"--push-option={each}" for each in told))
    until = time.monotonic() + timeout
    for attempt in range(ATTEMPTS):
        left = max(0.0, until - time.monotonic())
        words = (*options, "--", remote, *specs)
        done = git(repo.root, *words, check=False, extra=extra, timeout=left, watch=repo.watch)
        said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
        if done.returncode == 0:
            return said
        left = max(0.0, until - time.monotonic())
        there = remote_refs(repo, remote, [move.ref for move in moves], min(left, NETWORK_TIMEOUT_S))
        if all(there.get(move.ref) == move.new for move in moves):
            return said  # it arrived, and only the answer was lost
        moved = {move.ref: there.get(move.ref) for move in moves if there.get(move.ref) != move.expected}
        if moved:
            raise PushRaced(remote, moved)
        if "lock" not in said.lower() or attempt == ATTEMPTS - 1:
            break
        time.sleep(LOCKED_PAUSE_S)  # another push was just being written; where it went shows in the next attempt
    raise _refused(remote, said)


def push_offer(repo: Repo, remote: str, moves: Sequence[Move], offer: Offer, extra: Mapping[str, str]) -> None:
    """Push with the options of an offer. A remote that takes none gets the moves without them, and then NO_PUSH_OPTIONS
    is what is heard. Raises as `push`."""
    try:
        said = push(repo, remote, moves, extra=extra, told=offer.options)
    except PushRefused as error:
        if NO_PUSH_OPTIONS not in error.hint:
            raise
        push(repo, remote, moves, extra=extra)
        said = NO_PUSH_OPTIONS
    offer.heard(said)


def push_notes(repo: Repo, remote: str, when: datetime) -> None:
    """Bring our notes and the remote's together, on both sides; no writer's note is lost. Raises as `push`."""
    for attempt in range(ATTEMPTS):
        ours = repo.ref(notes.REF)
        theirs = fetch_objects(repo, remote, [notes.REF])[notes.REF]
        merged = notes.merge(repo, ours, theirs, when) if ours and theirs else ours or theirs
        if merged is None:
            return
        if merged != ours:
            repo.update([RefUpdate(notes.REF, ours, merged, f"okf: merge notes of {remote}")])
        try:
            push(repo, remote, [Move(notes.REF, merged, theirs)])
            return
        except PushRaced:
            if attempt == ATTEMPTS - 1:
                raise


def _refused(remote: str, said: str) -> PushRefused:
    lines = [line.strip() for line in said.splitlines() if line.strip() and line.strip() != "Done"]
    reason = next((line.partition("\t")[2] for line in lines if line.startswith("!")), lines[-1] if lines else "")
    return PushRefused(
        f"{shown(remote)} refuses the push: {reason.replace(chr(9), ' ')}",
        "\n".join(lines) or "run `git push` by hand to see more",
    )
