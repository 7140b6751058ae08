"""What a commit holds against what is published: uploads and removals. Pure.

Content decides: two files are the same where git's id of them is, whatever their size and time. The headers count as
well, so that another `cache_control` reaches what is published already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from git_okf.publish import keys
from git_okf.publish.manifest import Manifest
from git_okf.publish.values import StorageRefused, Upload


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What brings the bucket to a commit."""

    uploads: tuple[Upload, ...] = ()
    """In the order they are written: what leads to others comes after all of that."""
    removals: tuple[str, ...] = ()
    """Keys of the manifest that are published no more."""
    unchanged: int = 0

    @property
    def is_empty(self) -> bool:
        return not self.uploads and not self.removals

    @property
    def bytes(self) -> int:
        return sum(upload.size for upload in self.uploads)


def wanted(files: Iterable[tuple[str, str]], prefix: str) -> dict[str, str]:
    """Paths and blobs of a commit -> keys and blobs. StorageRefused where two files would share a key."""
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    for path, blob in files:
        key = keys.key_of(path, prefix)
        if key in owners:
            raise StorageRefused(
                f"{path!r} and {owners[key]!r} would share the key {key!r}: they differ only in how Unicode writes"
                " one letter. Nothing was published",
                "git mv one of them",
            )
        found[key], owners[key] = blob, path
    return found


def followed(
    manifest: Manifest, changed: Iterable[tuple[str, str | None, str | None]], prefix: str
) -> dict[str, str] | None:
    """The same from what changed since the published commit (path, old and new blob), without reading its whole tree.

    None where that is not certain: a name that Unicode writes in two ways needs a look at all of them.
    """
    found = {key: stored.blob for key, stored in manifest.objects.items()}
    changes = list(changed)
    if any(keys.key_of(path, prefix) != path for path, _, _ in changes):
        return None
    for path, old, new in changes:
        if old is None and path in found:
            return None
        if new is None:
            found.pop(path, None)
        else:
            found[path] = new
    return found


def stale(manifest: Manifest, files: Mapping[str, str]) -> list[str]:
    """The keys whose object is not certainly what the commit holds."""
    return sorted(
        key
        for key, blob in files.items()
        if key in manifest.unsure or (stored := manifest.objects.get(key)) is None or stored.blob != blob
    )


def superfluous(manifest: Manifest, files: Mapping[str, str]) -> list[str]:
    """The keys that the manifest names, and the commit does not hold."""
    return sorted((manifest.objects.keys() | manifest.unsure | manifest.removing) - files.keys())


def in_order(uploads: Iterable[Upload]) -> tuple[Upload, ...]:
    """As they are to be written (see `keys.rank`)."""
    return tuple(sorted(uploads, key=lambda each: (keys.rank(each.key), each.key)))
