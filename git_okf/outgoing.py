"""What a commit holds of a source, as objects: which files, with which headers, and where their bytes are.

Only regular files are published; symbolic links and submodules are not. Of a file of git-lfs the content is published,
from git-lfs's own store in this clone, and where it is not there nothing is: a pointer never takes its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from git_okf.errors import GitRefused
from git_okf.publish import headers, lfs, plan
from git_okf.publish.manifest import Manifest, Stored
from git_okf.publish.values import Upload
from git_okf.store import trees
from git_okf.store.repo import Repo

HEAD_BYTES = 32
_FILES = (trees.FILE, trees.EXECUTABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """The files of a commit in some directories."""

    repo: Repo
    tree: str
    places: tuple[str, ...]
    prefix: str
    cache_control: str

    @property
    def rules(self) -> str:
        return headers.rules(self.cache_control)

    def files(self, manifest: Manifest) -> Mapping[str, str]:
        """The blob of each key: by the difference to the published commit where this clone has it, else by a look at
        the whole tree. Both come to the same."""
        changed = self._changed_since(manifest)
        found = None if changed is None else plan.followed(manifest, changed, self.prefix)
        return plan.wanted(self._all(), self.prefix) if found is None else found

    def _all(self) -> Iterator[tuple[str, str]]:
        for place in self.places:
            for path, blob in self.repo.walk(self.repo.subtree(self.tree, place)):
                yield f"{place}/{path}", blob

    def _changed_since(self, manifest: Manifest) -> Sequence[tuple[str, str | None, str | None]] | None:
        repo, revision = self.repo, manifest.revision
        if revision is None or manifest.places != self.places or not repo.has(revision.commit):
            return None
        before = repo.commit_tree(revision.commit)
        changes = []
        for place in self.places:
            old, new = repo.subtree(before, place), repo.subtree(self.tree, place)
            if not all(repo.has(tree) for tree in (old, new) if tree):
                return None
            for change in repo.diff(old, new):
                is_file = change.mode in _FILES
                changes.append((f"{place}/{change.path}", change.old, change.new if is_file else None))
        return changes

    def uploads(self, manifest: Manifest, files: Mapping[str, str]) -> tuple[Upload, ...]:
        """What is to be written so that every key has its blob and the headers of today."""
        stale = set(plan.stale(manifest, files))
        made = [self._upload(key, files[key], manifest) for key in sorted(stale)]
        if manifest.rules != self.rules:
            rest = (self._upload(key, files[key], manifest) for key in sorted(files.keys() - stale))
            made += [upload for upload in rest if upload.headers != manifest.objects[upload.key].headers]
        return plan.in_order(made)

    def _upload(self, key: str, blob: str, manifest: Manifest) -> Upload:
        data = self.repo.read(blob)
        there = manifest.objects.get(key)
        pointer = lfs.pointer(data)
        file = self._lfs_file(key, pointer) if pointer else None
        return Upload(
            key=key,
            blob=blob,
            size=pointer.size if pointer else len(data),
            headers=headers.headers(
                key, _head(file) if file else data[:HEAD_BYTES],
                pointer.sha256 if pointer else hashlib.sha256(data).hexdigest(),
                "" if pointer else blob, self.cache_control,
            ),
            file=str(file or ""),
            replaces=there.etag if there else None,
            sure=key not in manifest.unsure | manifest.removing and (there is None or there.etag != ""),
        )  # fmt: skip

    def _lfs_file(self, key: str, pointer: lfs.Pointer) -> Path:
        """The content of a file of git-lfs. GitRefused where it is not in this clone, or not what it should be."""
        said = self.repo.config("lfs.storage")
        file = self.repo.common_dir / (said or "lfs") / "objects" / pointer.place
        try:
            with file.open("rb") as content:
                whole = hashlib.file_digest(content, "sha256").hexdigest() == pointer.sha256
        except OSError:
            whole = False
        if not whole:
            raise GitRefused(
                f"{key} is kept by git-lfs, and its content is not in this clone. Nothing was published",
                "git lfs fetch   brings it; then run again",
            )
        return file

    def body(self, upload: Upload) -> bytes | Path:
        """The bytes of an object, or the file that has them."""
        return Path(upload.file) if upload.file else self.repo.read(upload.blob)


def _head(file: Path) -> bytes:
    with file.open("rb") as content:
        return content.read(HEAD_BYTES)


def after(
    manifest: Manifest, uploads: Sequence[Upload], etags: Mapping[str, str], gone: Sequence[str]
) -> dict[str, Stored]:
    """The objects of a manifest as they are when the uploads are done and the removals are named no more."""
    objects = {key: stored for key, stored in manifest.objects.items() if key not in set(gone)}
    objects.update({u.key: Stored(u.blob, etags[u.key], u.headers) for u in uploads})
    return objects
