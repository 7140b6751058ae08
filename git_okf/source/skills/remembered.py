"""What a skills source remembers of itself from run to run: JSON values, in the state. Pure.

`last_observed` moves whenever somebody looked; `last_fully_processed` only where the tree was listed whole and every
package has a durable conclusion (seed 002, section 3): taken, unchanged, ignored, or failed for good. A package that
failed for now keeps it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Result(StrEnum):
    """What came of a package, as seed 002 names it."""

    ACCEPTED = "ACCEPTED"
    UNCHANGED = "UNCHANGED"
    IGNORED = "IGNORED"
    RETRYABLE = "RETRYABLE_FAILURE"
    TERMINAL = "TERMINAL_FAILURE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Of a package that was not taken: why, and the digest of the listing that it was said of."""

    result: Result
    listing: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The values. "" where nothing is known."""

    url: str = ""
    """Where the repository answered last; display, since a repository may be renamed."""
    identity: str = ""
    """Who the repository is, however it is called (`repository.identity`)."""
    ref: str = ""
    """The full name that `ref` was found under."""
    last_observed: str = ""
    last_fully_processed: str = ""
    revision: str = ""
    """The commit that the last run took; retries ask for it again."""
    rules: str = ""
    """Of the code and configuration the conclusions were made with."""
    offer: str = ""
    """Digest of all packages that were there, with their listings."""
    not_taken: Mapping[str, Conclusion] = field(default_factory=dict)
    """By key, the packages of that revision which are not in the bundle as they are there."""
    rejected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By key, targets of packages without a record that a person refused."""

    @property
    def settled(self) -> bool:
        """Whether everything at the revision has a durable conclusion."""
        return self.revision != "" and self.last_fully_processed == self.revision


_TEXTS = ("url", "identity", "ref", "last_observed", "last_fully_processed", "revision", "rules", "offer")


def read(memory: Mapping[str, Any]) -> Remembered:
    """What the state holds. What cannot be read counts as not known: the repository is looked at anew."""
    texts = {name: value for name in _TEXTS if isinstance(value := memory.get(name), str)}
    return Remembered(**texts, not_taken=_conclusions(memory.get("not_taken")), rejected=_rejected(memory))


def told(remembered: Remembered) -> dict[str, Any]:
    """The same as JSON values; what is empty is left out."""
    values: dict[str, Any] = {name: getattr(remembered, name) for name in _TEXTS}
    values["not_taken"] = {
        key: [str(each.result), each.listing, each.reason] for key, each in sorted(remembered.not_taken.items())
    }
    values["rejected"] = {key: list(targets) for key, targets in sorted(remembered.rejected.items())}
    return {name: value for name, value in values.items() if value}


def _conclusions(said: object) -> dict[str, Conclusion]:
    found = {}
    for key, each in said.items() if isinstance(said, Mapping) else ():
        if isinstance(each, list) and len(each) == 3 and all(isinstance(word, str) for word in each):
            result, listing, reason = each
            if result in set(Result):
                found[str(key)] = Conclusion(result=Result(result), listing=listing, reason=reason)
    return found


def _rejected(memory: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    said = memory.get("rejected")
    return {
        str(key): tuple(target for target in targets if isinstance(target, str))
        for key, targets in (said.items() if isinstance(said, Mapping) else ())
        if isinstance(targets, list)
    }
