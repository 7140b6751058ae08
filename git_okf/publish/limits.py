"""The guards of a publication, on the plan and before the first write. Pure; the boundaries are those of a sync.

`page-count` speaks where more than four objects are published and fewer than `publish.threshold` of them would stay,
`max-removed` where `publish.removal` allows fewer removals. `--force` passes both.
"""

from __future__ import annotations

from git_okf.config import Publish
from git_okf.model import Trip
from git_okf.publish.manifest import Manifest
from git_okf.publish.plan import Plan

SMALL = 4
"""Up to so many objects `page-count` passes everything (seed 000, section 4)."""


def check(manifest: Manifest, what: Plan, settings: Publish) -> Trip | None:
    """The first guard that refuses the plan, or None where both pass."""
    known = len(manifest.objects)
    removed = sum(key in manifest.objects for key in what.removals)
    staying = known - removed
    if known > SMALL and staying < known * settings.threshold:
        said = f"only {staying} of {known} published objects would stay"
        return Trip(name="page-count", limit=known * settings.threshold, actual=staying, total=known, what=said)
    removal = settings.removal
    limits = [] if removal.max_removed is None else [float(removal.max_removed)]
    if removal.max_removed_share is not None:
        limits.append(known * removal.max_removed_share)
    if limits and removed > min(limits):
        said = f"{removed} of {known} published objects would be removed"
        return Trip(name="max-removed", limit=min(limits), actual=removed, total=known, what=said)
    return None
