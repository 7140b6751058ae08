"""Which package moved where. Pure (issue: "a move is recognised only if ..."; seed 002, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def recognised(
    gone: Mapping[str, str], come: Mapping[str, str], unconfirmed: Iterable[str], *, complete: bool
) -> dict[str, str]:
    """Old path -> new path of the packages that certainly moved.

    `gone` and `come`: content fingerprints by path, of known packages that the tree no longer has and of new ones.
    `unconfirmed`: the fingerprints of known packages of which it is not certain whether they are still there; "" for
    one whose fingerprint nobody knows. A move is certain only where the enumeration was complete, exactly one old path
    that is gone and exactly one new one have the same content, and none that is unconfirmed could be the same.
    """
    doubtful = set(unconfirmed)
    if not complete or "" in doubtful:
        return {}
    before, after = Counter(gone.values()), Counter(come.values())
    new = {content: path for path, content in come.items()}
    return {
        old: new[content]
        for old, content in sorted(gone.items())
        if content and before[content] == 1 and after[content] == 1 and content not in doubtful
    }
