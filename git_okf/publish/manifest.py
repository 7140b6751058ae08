"""The manifest of a source: what is published of it, from which commit, and what is under way. One JSON object.

It is the watermark: the publication of a commit counts when the manifest names it, and it is written conditionally,
after all that it names. Before anything else is written it says so (`claim`, `unsure`), and what it no longer names is
listed (`removing`) until it is gone, so that from every kill the next publication knows what to do again. Keys are
without the prefix of `publish.url`. Everything in it can be made anew from the commit, at the price of an upload.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf.publish.values import Headers, StorageRefused

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Stored:
    """An object as it was published."""

    blob: str
    etag: str
    """"" where the storage did not say it."""
    headers: Headers


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A commit, and when it was made (seconds since 1970, UTC)."""

    commit: str
    made: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A publication that has begun. It is nobody's any more as soon as another token stands there."""

    revision: Revision
    token: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Without a `revision` no publication was ever completed."""

    source: str
    revision: Revision | None = None
    places: tuple[str, ...] = ()
    """The directories that were published."""
    rules: str = ""
    """What made the headers (see `headers.rules`)."""
    objects: Mapping[str, Stored] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    """Keys that a publication has begun to write: what they hold is known only when it is completed."""
    removing: frozenset[str] = frozenset()
    """Keys that are published no more, and may still be there."""
    claim: Claim | None = None
    marks: int = 0
    """How often a publisher that had been overtaken asked for keys to be written again; whoever writes them now sees
    that the manifest is another one, and begins again."""

    @property
    def is_settled(self) -> bool:
        """Whether the bucket holds exactly what is written here."""
        return self.revision is not None and not (self.claim or self.unsure or self.removing)


def parse(data: bytes, source: str, where: str) -> Manifest:
    """The manifest in an object. StorageRefused where it cannot be read: it is never taken for an empty one."""
    try:
        facts = json.loads(data)
        if (found := facts["format"]) != FORMAT:
            raise StorageRefused(
                f"{where} has format {found!r}; this git-okf reads format {FORMAT}. Nothing was published",
                "install the version that wrote it",
            )
        return _manifest(facts, source)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise StorageRefused(
            f"{where} cannot be read: {type(error).__name__}. Nothing was published",
            f"delete {where}: the next publication writes it anew, and uploads everything once",
        ) from error


def _manifest(facts: Mapping[str, Any], source: str) -> Manifest:
    table = [{str(name): str(value) for name, value in pairs} for pairs in facts["headers"]]
    objects = {key: Stored(str(blob), str(etag), table[at]) for key, (blob, etag, at) in facts["objects"].items()}
    claim = facts.get("claim")
    return Manifest(
        source=source,
        revision=_revision(facts),
        places=tuple(map(str, facts["places"])),
        rules=str(facts["rules"]),
        objects=objects,
        unsure=frozenset(map(str, facts.get("unsure", ()))),
        removing=frozenset(map(str, facts.get("removing", ()))),
        claim=_claim(claim) if claim else None,
        marks=int(facts.get("marks", 0)),
    )


def _revision(facts: Mapping[str, Any]) -> Revision | None:
    return Revision(commit=str(facts["commit"]), made=int(facts["made"])) if facts.get("commit") else None


def _claim(facts: Mapping[str, Any]) -> Claim:
    revision = Revision(commit=str(facts["commit"]), made=int(facts["made"]))
    return Claim(revision=revision, token=str(facts["token"]), since=str(facts["since"]))


def data(manifest: Manifest) -> bytes:
    """The object's bytes: the same manifest always gives the same."""
    table: dict[tuple[tuple[str, str], ...], int] = {}
    objects = {}
    for key, stored in sorted(manifest.objects.items()):
        at = table.setdefault(tuple(sorted(stored.headers.items())), len(table))
        objects[key] = [stored.blob, stored.etag, at]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "source": manifest.source,
        "commit": manifest.revision.commit if manifest.revision else None,
        "made": manifest.revision.made if manifest.revision else None,
        "places": list(manifest.places),
        "rules": manifest.rules,
        "headers": [[list(pair) for pair in pairs] for pairs in table],
        "objects": objects,
    }
    for name, keys in (("unsure", manifest.unsure), ("removing", manifest.removing)):
        if keys:
            facts[name] = sorted(keys)
    if manifest.marks:
        facts["marks"] = manifest.marks
    if manifest.claim:
        revision = manifest.claim.revision
        told = {"token": manifest.claim.token, "since": manifest.claim.since}
        facts["claim"] = {"commit": revision.commit, "made": revision.made, **told}
    return (json.dumps(facts, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
