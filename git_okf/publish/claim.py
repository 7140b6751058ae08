"""The order of writes that lets a publication be killed, repeated and raced. Every write of a manifest is conditional.

    begin      the manifest names the commit and the keys that are about to be written
    (upload)   each object is replaced only from what it was expected to be
    complete   the manifest is what the bucket holds now, and names what is to go: the commit is published
    remove     objects are deleted; then the manifest names them no more

Killed before `complete`, the old publication counts, and the next one writes the keys that were begun again, whichever
commit it is of. Killed after it, the new one counts and the next one removes what is left. A publisher that finds
another's token in the manifest has been overtaken and writes nothing more; what of its own has come to lie over the
other's work it marks, so that it is written again. What no order of writes can prevent: a publisher that is stopped in
the middle of a request, overtaken, and killed as soon as that request has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from git_okf.publish import keys, manifest
from git_okf.publish.bucket import DELETED_AT_ONCE, Bucket
from git_okf.publish.manifest import Claim, Manifest
from git_okf.publish.values import LostRace, Mismatch, Overtaken

ATTEMPTS = 5
HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class Seen:
    """A manifest as it is in the bucket; without an ETag there is none."""

    manifest: Manifest
    etag: str | None


def read(bucket: Bucket, source: str) -> Seen:
    """The manifest of a source. StorageRefused where there is one that cannot be read."""
    key = keys.manifest_key(source)
    found = bucket.get(key)
    if found is None:
        return Seen(Manifest(source=source), None)
    return Seen(manifest.parse(found[0], source, bucket.where(key)), found[1])


def begin(bucket: Bucket, seen: Seen, uploads: Iterable[str], claim: Claim) -> Seen:
    """Say what is about to be written. Raises Overtaken."""
    unsure = seen.manifest.unsure.union(uploads)
    return _write(bucket, seen, replace(seen.manifest, claim=claim, unsure=unsure))


def complete(bucket: Bucket, held: Seen, published: Manifest) -> Seen:
    """Say what is published now. Raises Overtaken."""
    return _write(bucket, held, published)


def confirm(bucket: Bucket, source: str, token: str) -> None:
    """Overtaken where the claim is no longer the one with this token."""
    if not bucket.conditional:
        return
    claim = read(bucket, source).manifest.claim
    if claim is None or claim.token != token:
        raise Overtaken(source)


def remove(bucket: Bucket, done: Seen, spared: Collection[str], stopping: Callable[[], bool]) -> bool:
    """Delete what the manifest says is to go, but those `spared`; whether all of it is gone.

    Where another publisher has begun meanwhile the rest is left to it.
    """
    gone = sorted(done.manifest.removing - set(spared))
    for batch in _batches(gone):
        if stopping() or (bucket.conditional and bucket.etag(keys.manifest_key(done.manifest.source)) != done.etag):
            return False
        bucket.delete(batch)
    try:
        _write(bucket, done, replace(done.manifest, removing=frozenset()))
    except Overtaken:
        return False
    return True


def disown(bucket: Bucket, source: str, token: str, written: Mapping[str, str]) -> None:
    """After being overtaken: have what this run wrote (keys and ETags) written again, where it is what lies there now.

    A conditional write arrives late only where the object was, meanwhile, put back to what it had been; then this run
    is the one to notice. Raises LostRace where it cannot say so.
    """
    ours = {key for key, etag in written.items() if bucket.etag(key) == etag}
    for _ in range(ATTEMPTS if ours else 0):
        seen = read(bucket, source)
        there = seen.manifest
        if there.claim and there.claim.token == token:
            return
        wrong = {key for key in ours if key in there.unsure or _published(there, key) != written[key]}
        try:
            if wrong:
                _write(bucket, seen, replace(there, unsure=there.unsure | wrong, marks=there.marks + 1))
            return
        except Overtaken:
            continue
    if ours:
        raise LostRace(
            f"another publisher was faster, and {len(ours)} objects that this run wrote meanwhile could not be marked"
            " to be written again",
            f"git okf publish {source}   when the other has ended",
        )


def _published(there: Manifest, key: str) -> str | None:
    stored = there.objects.get(key)
    return stored.etag if stored else None


def _write(bucket: Bucket, seen: Seen, new: Manifest) -> Seen:
    if seen.etag is not None and new == seen.manifest:
        return seen
    key, data = keys.manifest_key(new.source), manifest.data(new)
    try:
        return Seen(new, bucket.put(key, data, HEADERS, replaces=seen.etag))
    except Mismatch:
        there = bucket.get(key)
        if there is not None and there[0] == data:
            return Seen(new, there[1])  # it arrived, and only the answer was lost
        raise Overtaken(new.source) from None


def _batches(gone: Sequence[str]) -> Iterable[Sequence[str]]:
    return (gone[at : at + DELETED_AT_ONCE] for at in range(0, len(gone), DELETED_AT_ONCE))
