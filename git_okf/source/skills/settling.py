"""What a decision about a review means for each package in it (`git_okf.source.Ingesting`). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from git_okf.model import Ignored, Outcome
from git_okf.source import Memos, Settlement
from git_okf.source.skills import ingestion, remembered
from git_okf.source.skills.ingestion import CONFLICTING, REFUSED, REJECTED_KEPT, State


def settled(memory: Mapping[str, Any], memos: Memos, how: Settlement, review: str) -> tuple[Mapping[str, Any], Memos]:
    """Only packages that wait for a decision are settled; of a review that was opened again, those that it refused."""
    told = {key: _memo(memo, how, review) for key, memo in memos.items()}
    moved = {key for key in told if told[key] != memos[key]}
    targets = {key: ingestion.target_of(told[key]) for key in moved}
    before = remembered.read(memory)
    refused = {key: tuple(t for t in each if t != targets.get(key)) for key, each in before.rejected.items()}
    if how is Settlement.REJECTED:
        refused |= {key: (*refused.get(key, ()), target)[-REJECTED_KEPT:] for key, target in targets.items()}
    again = moved if how is Settlement.PENDING else set()
    kept = {key: each for key, each in before.not_taken.items() if key not in again}
    after = replace(before, rejected={key: each for key, each in refused.items() if each}, not_taken=kept)
    return (remembered.told(after) if moved else memory), {key: told[key] for key in moved}


def _memo(memo: Mapping[str, Any], how: Settlement, review: str) -> Mapping[str, Any]:
    history = ingestion.from_memo(memo)
    latest = history.latest
    if latest is None:
        return memo
    if how is Settlement.PENDING:
        again = latest.state is State.REJECTED and latest.reason == review
        return {**memo, ingestion.MEMO: ingestion.to_memo(ingestion.reopened(history))} if again else memo
    waits = latest.state is State.READY_FOR_REVIEW
    return ingestion.settled(memo, State(how.value), review) if waits else memo


def withheld(outcomes: Mapping[str, Outcome]) -> bool:
    return any(isinstance(each, Ignored) and each.reason == REFUSED for each in outcomes.values())


def unresolved(memory: Mapping[str, Any], memos: Memos) -> frozenset[str]:
    """Each package once, by its latest target; packages in conflict with others, until a person says which it is."""
    waiting = {key for key, memo in memos.items() if ingestion.from_memo(memo).is_unresolved}
    blocked = {key for key, each in remembered.read(memory).not_taken.items() if each.reason.startswith(CONFLICTING)}
    return frozenset(waiting | blocked)
