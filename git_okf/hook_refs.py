"""What the hooks do to refs: a push takes notes and state along, a rewritten commit keeps its note.

Neither may ever stand in the way of what the user does: a push goes on where the remote will not have our refs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from git_okf import report
from git_okf.errors import GitRefused, UsageError
from git_okf.run import World
from git_okf.store import notes
from git_okf.store import state as states
from git_okf.store.push import ATTEMPTS, Move, PushRaced, fetch_objects, push
from git_okf.store.remote import address, remotes
from git_okf.store.repo import RefUpdate, Repo

ACTIONS = ("pre-push", "post-rewrite")
_NOTHING = "0" * 40


def check_action(action: str) -> None:
    """UsageError where it is no hook that works on refs."""
    if action not in ACTIONS:
        raise UsageError(f"hooks can be installed and uninstalled, not {action!r}", "git okf hooks install")


def run(repo: Repo, action: str, lines: Sequence[str], remote: str, world: World) -> None:
    """What a hook does. Where the remote or the repository says no, that is a warning: git goes on."""
    try:
        if action == "pre-push":
            push_along(repo, remote, lines, world.clock())
        else:
            carry_notes(repo, lines, world.clock())
    except GitRefused as error:
        world.warn(f"{error.message}. {error.hint}")


def push_along(repo: Repo, remote: str, lines: Iterable[str], when: datetime) -> tuple[str, ...]:
    """Push notes and state with a branch; the refs that were moved there. `lines` are what git tells a pre-push hook.

    Each ref is moved only from where it was seen, the notes of both sides are merged before. GitRefused where the
    remote says no, or where its state goes another way. A ref that is being pushed anyway is left to that push.
    """
    pushed = [words for line in lines if len(words := line.split()) == 4]
    branches = [words for words in pushed if words[2].startswith("refs/heads/") and words[1] != _NOTHING]
    asked = {words[2] for words in pushed}
    wanted = [name for name in (notes.REF, states.REF) if name not in asked and repo.ref(name)]
    if not wanted or not branches or remote not in remotes(repo):
        return ()
    where = address(repo, remote)
    for attempt in range(ATTEMPTS):
        there = fetch_objects(repo, where, wanted)
        moves = [move for name in wanted if (move := _move(repo, remote, name, there[name], when))]
        try:
            push(repo, where, moves, hooks=False)
            return tuple(move.ref for move in moves)
        except PushRaced:
            if attempt == ATTEMPTS - 1:
                raise
    return ()


def _move(repo: Repo, remote: str, name: str, theirs: str | None, when: datetime) -> Move | None:
    """How a ref of the remote is to move; None where it has all that we have."""
    ours = repo.ref(name)
    if ours is None or ours == theirs or (theirs and repo.is_ancestor(ours, theirs)):
        return None
    if theirs and name == notes.REF:
        merged = notes.merge(repo, ours, theirs, when)
        if merged != ours:
            repo.update([RefUpdate(name, ours, merged, f"okf: merge notes of {remote}")])
        return Move(name, merged, theirs)
    if theirs and not repo.is_ancestor(theirs, ours):
        raise GitRefused(
            f"{name} of {remote} and of this clone went different ways; neither it nor the notes were pushed",
            "your own push goes on. `git okf sync --push` brings them together",
        )
    return Move(name, ours, theirs)


def carry_notes(repo: Repo, lines: Iterable[str], when: datetime) -> int:
    """Give rewritten commits the notes they had; how many. `lines` are what git tells a post-rewrite hook: old and new.

    A commit that has a note already (`notes.rewriteRef`) keeps that one. One made of several gets the runs of all.
    """
    before: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        old, _, rest = line.strip().partition(" ")
        if rest:
            before[rest.split(" ")[0]].append(old)
    start = tip = repo.ref(notes.REF)
    carried = 0
    for new, olds in before.items():
        texts = [text for old in olds if (text := notes.read(repo, old)) is not None]
        if texts and notes.read(repo, new) is None:
            tip = notes.note(repo, tip, new, _together(texts), when)
            carried += 1
    if tip is not None and tip != start:
        repo.update([RefUpdate(notes.REF, start, tip, "okf: notes of rewritten commits")])
    return carried


def _together(texts: Sequence[str]) -> str:
    """One report of the runs of several; where one of them is none, the lines of all."""
    runs = [_runs(text) for text in texts]
    if len(texts) == 1 or any(found is None for found in runs):
        return "\n".join(texts)
    return report.dump({"schema": report.SCHEMA, "sources": [run for found in runs if found for run in found]})


def _runs(text: str) -> list[Mapping[str, object]] | None:
    try:
        found = json.loads(text)["sources"]
    except (ValueError, TypeError, KeyError):
        return None
    return found if isinstance(found, list) else None
