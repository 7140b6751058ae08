"""Where each package lies below the `packages` directory, and what its concept is named after. Pure.

A home is the package's path without what all of `paths` have in common: with `paths: [skills/*]` the package
`skills/pdf` is at home in `pdf`. That is a function of path and configuration, so no package ever moves because of
another one; the last part stays, since a skill is named like its directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from git_okf.source.repository import paths
from git_okf.source.repository.pattern import Pattern, common_prefix

LICENCES = "_licences"
"""Beside the packages: the texts that apply to a package and do not lie in it. No skill may have this name."""


def home(key: str, patterns: Sequence[Pattern], repository: str) -> str:
    """The directory of the package at `key` below `packages`; that of the whole repository is named after it."""
    if key == paths.ROOT:
        return repository
    return paths.below(common_prefix(tuple(patterns)), key) or paths.name(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    """Who lives where, and who cannot."""

    by_key: dict[str, str]
    blocked: dict[str, str]
    """By key, why there is no place for a package: the one that was there first keeps it."""


def assign(keys: Iterable[str], known: Iterable[str], patterns: Sequence[Pattern], repository: str) -> Homes:
    """The homes of all packages. Known ones come first, then the others by key, whatever the order of `keys`."""
    settled = set(known)
    by_key: dict[str, str] = {}
    blocked: dict[str, str] = {}
    owners: dict[str, str] = {}
    for key in sorted(set(keys), key=lambda key: (key not in settled, key)):
        place = home(key, patterns, repository)
        other = _owner(place, owners)
        if refused := paths.refusal(place):
            blocked[key] = f"its place below `packages` {refused}"
        elif paths.fold(place).split("/")[0] == LICENCES:
            blocked[key] = f"{LICENCES} is kept for the licences of other packages"
        elif other is not None:
            blocked[key] = f"the package {other} is where it would go ({place})"
        else:
            by_key[key] = place
            owners[paths.fold(place)] = key
    return Homes(by_key=by_key, blocked=blocked)


def _owner(place: str, owners: dict[str, str]) -> str | None:
    """The package whose home is this one, lies in it, or holds it; None where there is none."""
    folded = paths.fold(place)
    for above in (folded, *paths.ancestors(folded)):
        if above in owners:
            return owners[above]
    return next((key for taken, key in sorted(owners.items()) if taken.startswith(f"{folded}/")), None)
