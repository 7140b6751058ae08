"""What became of a review, told to each item that was in it, for sources whose items are decided one by one."""

from __future__ import annotations

from dataclasses import replace

from git_okf.config import SourceConfig
from git_okf.model import Delta, Observation, Status
from git_okf.review import targets
from git_okf.review.targets import State, Target, Targets
from git_okf.source import Settlement, ingesting
from git_okf.store import state as states
from git_okf.store.repo import Repo

_MEANS = {
    State.APPROVED: Settlement.APPROVED,
    State.REJECTED: Settlement.REJECTED,
    State.SUPERSEDED: Settlement.SUPERSEDED,
}


def news(source: SourceConfig, before: Targets, now: Targets) -> tuple[Settlement, Target] | None:
    """What became of the content that was offered last; None where nothing did, or nobody wants to know.

    Content that newer content replaced in its review is none of it: its items are superseded where that is taken.
    """
    if ingesting(source) is None:
        return None
    was, waits = targets.pending(before), targets.pending(now)
    if waits is not None:
        refused = [t for t in before if t.state is State.REJECTED and _is_same(t, waits)]
        return (Settlement.PENDING, waits) if refused and was is None else None
    if was is None:
        return None
    found = next((t for t in reversed(now) if _is_same(was, t)), None)
    return (_MEANS[found.state], found) if found is not None else None


def _is_same(one: Target, other: Target) -> bool:
    return one.fingerprint == other.fingerprint and (one.review in (0, other.review) or other.review == 0)


def settled(source: SourceConfig, state: states.State, now: Targets) -> states.State:
    """The state once its targets are these: the items know it too."""
    part, told = ingesting(source), news(source, targets.load(list(state.targets)), now)
    if part is None or told is None:
        return state
    how, target = told
    memos = {key: record.memo for key, record in state.records.items() if record.status is Status.PAGE and record.memo}
    watermarks, changed = part.settled(state.watermarks, memos, how, f"review {target.review}")
    records = {key: replace(state.records[key], memo=memo) for key, memo in changed.items()}
    return replace(state, watermarks=watermarks, records={**state.records, **records})


def waiting(source: SourceConfig, delta: Delta) -> int:
    """How many decisions a review of a delta asks for."""
    part = ingesting(source)
    if part is None:
        return 1
    return max(1, len(part.unresolved({}, {record.key: record.memo for record in delta.records if record.memo})))


def withheld(source: SourceConfig, seen: Observation) -> bool:
    """Whether the source still offers items that a review refused."""
    part = ingesting(source)
    return part is not None and part.withheld(seen.outcomes)


def conflicts(repo: Repo, source: SourceConfig) -> frozenset[str]:
    """Items that wait for a person, review or not."""
    part = ingesting(source)
    state = states.facts(repo, source.name) if part is not None else None
    return part.unresolved(state.watermarks, {}) if part is not None and state is not None else frozenset()
