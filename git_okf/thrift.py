"""Whether runs are as cheap as they should be: what of the unchanged pages had to be sent or extracted again.

A run that quietly does everything anew looks healthy until it no longer fits its time (seed 004: before a timeout is
raised, look at what broke). So each run records how much it was spared, and says when that falls although nothing
changed at the source. In scratch are the last runs of this machine; where it has none, the notes of earlier runs tell.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from git_okf import memory
from git_okf.baseline import Baseline
from git_okf.model import Record, RunResult, Status
from git_okf.store import notes
from git_okf.store.repo import Repo

KEPT = 10
"""Runs that are remembered."""
COMMITS = 200
"""Commits that are looked through for notes of runs on other machines."""
SMALL = 4
"""With so few known pages a share says nothing."""
FALL = 0.25
"""How far a share must fall below that of the runs before to be worth a sentence."""


@dataclass(frozen=True, slots=True)
class Spared:
    """Shares of the pages found: without a body, and without extraction, where there was no reason for either."""

    bodies: float
    extraction: float


def spared(result: RunResult, base: Baseline) -> Spared | None:
    """What a run was spared; None where it says nothing: few known pages, or everything was asked afresh on purpose."""
    if len(base.pages) <= SMALL or not result.found:
        return None
    delta = result.delta
    changed = {change.key for change in (*delta.added, *delta.updated, *delta.rerendered)}
    left = changed | {item.key for item in delta.retained}
    pages = {record.key: record for record in delta.records if record.status is Status.PAGE and record.key not in left}
    asked = [(base.known[key], record) for key, record in pages.items() if key in base.known]
    anew = len(changed) + sum(_had_to_be_extracted(old, new) for old, new in asked)
    sent = len(changed) + sum(_had_to_be_extracted(old, new) or _has_no_validators(old, new) for old, new in asked)
    return _spared(result.found, result.counters.fetched - sent, result.counters.extracted - anew)


def _had_to_be_extracted(old: Record, new: Record) -> bool:
    """Whether another extractor had made the unchanged page, or its bytes changed and its content did not. What was
    read from the bundle, since the state was lost, knows no extractor, and nothing of the bytes."""
    return old.fingerprint != new.fingerprint or (bool(old.raw_hash) and old.raw_hash != new.raw_hash)


def _has_no_validators(old: Record, new: Record) -> bool:
    """Whether the server never gave a reason to believe that it could do without sending the page."""
    return not any((old.etag, old.last_modified, new.etag, new.last_modified))


def _spared(found: int, bodies: int, extractions: int) -> Spared:
    shares = (min(1.0, max(0.0, 1 - in_vain / found)) for in_vain in (bodies, extractions))
    return Spared(*(round(share, 3) for share in shares))


def history(repo: Repo, name: str) -> list[Spared]:
    """The last runs, oldest first."""
    runs = memory.last(repo, name).get("spared", [])
    try:
        return [Spared(float(bodies), float(extraction)) for bodies, extraction in runs] or _from_notes(repo, name)
    except (TypeError, ValueError):
        return []


def _from_notes(repo: Repo, name: str) -> list[Spared]:
    trailer = re.compile(rf"^Okf-Source: {re.escape(name)}$", re.MULTILINE)
    ours = (c.id for c in itertools.islice(repo.log(repo.head().commit), COMMITS) if trailer.search(c.message))
    told = (_of_note(notes.read_any(repo, commit), name) for commit in ours)
    return list(itertools.islice((run for run in told if run is not None), KEPT))[::-1]


def _of_note(note: str | None, name: str) -> Spared | None:
    try:
        reports: Iterator[Mapping[str, Any]] = (r for r in json.loads(note or "{}")["sources"] if r["name"] == name)
        return next((Spared(*report["spared"]) for report in reports if report.get("spared")), None)
    except (ValueError, TypeError, KeyError):
        return None


def remark(now: Spared, before: list[Spared], *, found: int) -> str:
    """The sentence for a run that was spared far less than those before; "" where there is nothing to say."""
    if not before:
        return ""
    usual = Spared(median(run.bodies for run in before), median(run.extraction for run in before))
    if usual.extraction - now.extraction >= FALL:
        return _sentence("extracted", 1 - now.extraction, usual.extraction, found, "what the server sends, or how")
    if usual.bodies - now.bodies >= FALL:
        return _sentence("sent", 1 - now.bodies, usual.bodies, found, "whether the server still knows its validators")
    return ""


def _sentence(what: str, share: float, usual: float, found: int, look: str) -> str:
    return (
        f"{round(share * found)} of {found} pages were {what} again although they had not changed; usually "
        f"{1 - usual:.0%} are. Look for what broke before you give it more time: {look} (`git okf status` shows "
        "the trend)"
    )
