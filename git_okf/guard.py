"""Delta + limits -> Verdict. Pure; runs on the plan, before anything is written.

Each guard has a name, a number and an override of its own (design.md, "Delta and guards"). The boundaries are exact:
`page-count` passes where found equals known x threshold, and never speaks of four pages or fewer (seed section 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from git_okf.config import Removal
from git_okf.model import Delta, Fetched, Ignored, Observation, Record, Status, Trip

SMALL_BUNDLE = 4
"""Up to so many known items `page-count` passes everything."""
LOOKALIKE_LEAST = 3
LOOKALIKE_SHARE = 0.2
COLLAPSE_SHARE = 0.5
COLLAPSE_LOSS = 0.8

FORCED = frozenset({"page-count", "max-removed"})
"""Guards that `--force` passes; the others are passed by name, with `--allow`."""
NAMES = ("page-count", "max-removed", "lookalike", "collapse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the guards compare with."""

    threshold: float
    removal: Removal
    allowed: frozenset[str] = frozenset()
    """Names of guards a person overrode for this run."""


def check(known: Mapping[str, Record], seen: Observation, delta: Delta, found: int, limits: Limits) -> Trip | None:
    """The first guard that refuses the plan, or None where all pass."""
    pages = {key: record for key, record in known.items() if record.status is Status.PAGE}
    trips = (
        _page_count(_expected(pages, seen, not limits.removal.follow), found, limits.threshold),
        _max_removed(len(pages), _lost(seen, delta), limits.removal),
        _lookalike(pages, seen),
        _collapse(pages, delta),
    )
    return next((trip for trip in trips if trip and trip.name not in limits.allowed), None)


def _lost(seen: Observation, delta: Delta) -> int:
    """The removals by which the bundle would have less: what moved is still there."""
    moved = {old for old, _ in delta.moved}
    return sum(not _left_scope(r.key, seen) and r.path not in moved for r in delta.removed)


def _expected(pages: Mapping[str, Record], seen: Observation, withdrawn: bool) -> int:
    """The known items that could have been found: not those a run never came to (a time budget, `--retry-failed`), nor
    those that are kept though their source has them no more."""
    asked = pages if seen.complete else pages.keys() & seen.outcomes.keys()
    return sum(not _left_scope(key, seen) and not (withdrawn and pages[key].missing_since) for key in asked)


def _left_scope(key: str, seen: Observation) -> bool:
    """A page that the configuration leaves out now says nothing about the site (DEL-07)."""
    outcome = seen.outcomes.get(key)
    return isinstance(outcome, Ignored) and outcome.out_of_scope


def _page_count(known: int, found: int, threshold: float) -> Trip | None:
    if known <= SMALL_BUNDLE or found >= known * threshold:
        return None
    what = f"only {found} pages found, {known} are known"
    return Trip(name="page-count", limit=known * threshold, actual=found, total=known, what=what)


def _max_removed(known: int, removed: int, removal: Removal) -> Trip | None:
    limits = []
    if removal.max_removed is not None:
        limits.append(float(removal.max_removed))
    if removal.max_removed_share is not None:
        limits.append(known * removal.max_removed_share)
    if not limits or removed <= min(limits):
        return None
    what = f"{removed} pages would be removed, {known} are known"
    return Trip(name="max-removed", limit=min(limits), actual=removed, total=known, what=what)


def _lookalike(pages: Mapping[str, Record], seen: Observation) -> Trip | None:
    asked = [key for key in pages if key in seen.outcomes]
    bodies: Counter[str] = Counter()
    for key in asked:
        outcome = seen.outcomes[key]
        if isinstance(outcome, Fetched) and outcome.content_hash != pages[key].content_hash:
            bodies[outcome.content_hash] += 1
    landings = Counter(seen.final_urls[key] for key in asked if key in seen.final_urls)
    for shared, what in ((bodies, "one new body"), (landings, "one final URL")):
        most = max(shared.values(), default=0)
        if most >= LOOKALIKE_LEAST and most > len(asked) * LOOKALIKE_SHARE:
            sentence = f"{most} of {len(asked)} known pages now share {what}"
            return Trip(
                name="lookalike", limit=len(asked) * LOOKALIKE_SHARE, actual=most, total=len(asked), what=sentence
            )
    return None


def _collapse(pages: Mapping[str, Record], delta: Delta) -> Trip | None:
    lost = sum(
        change.old is not None and change.new.size < change.old.size * (1 - COLLAPSE_LOSS) for change in delta.updated
    )
    limit = len(pages) * COLLAPSE_SHARE
    if lost <= limit:
        return None
    what = f"{lost} of {len(pages)} known pages lost over {COLLAPSE_LOSS:.0%} of their text"
    return Trip(name="collapse", limit=limit, actual=lost, total=len(pages), what=what)
