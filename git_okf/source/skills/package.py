"""One package: accepted as a whole, or failed as a whole. Pure.

What may be in it (seed 002, section 4; SKILL-05):

| in the tree | what becomes of it |
|---|---|
| file | taken byte for byte |
| executable file | taken, executable; told |
| symbolic link, submodule, anything else | the package fails |
| pointer of Git LFS | the pointer is taken, not what it stands for; warned about |
| a path that could be another file somewhere | the package fails |
| names that differ in case alone | the package fails |
| `.gitattributes` | taken; warned about, since git obeys it here too |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from git_okf.digest import blob_id
from git_okf.source.markdown.invisible import without_invisible
from git_okf.source.repository import paths
from git_okf.source.skills import fingerprint, licence, links, manifest, strict
from git_okf.source.skills.discovery import Found, listed
from git_okf.source.skills.licence import Legal, Licence
from git_okf.source.skills.limits import Limits
from git_okf.source.skills.manifest import Manifest
from git_okf.source.skills.tree import EXECUTABLE, SUBMODULE, SYMLINK, Entry, Tree, digest

LFS = b"version https://git-lfs.github.com/spec/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A package of which nothing is taken. `retryable`: the same revision may give it another time."""

    key: str
    reason: str
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A package whose listing has nothing against it: what must be read."""

    key: str
    name: str
    """Of its directory; the repository's for the root."""
    root: Entry
    entries: tuple[Entry, ...]
    legal: Legal
    listing: str
    """Digest of all that makes the package up: equal where nothing of it changed, its licence included."""

    @property
    def blobs(self) -> frozenset[str]:
        """Ids of the blobs to read."""
        return frozenset(entry.id for entry in (*self.entries, *self.legal.carried))


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFile:
    """A file of a package, `path` relative to it; of a carried text, relative to the directory it was found in."""

    path: str
    blob: str
    """git's id of the bytes here, whatever ids the repository they come from has."""
    executable: bool
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A whole package at one revision."""

    key: str
    manifest: Manifest
    licence: Licence
    files: tuple[PackageFile, ...]
    """By path."""
    carried: tuple[PackageFile, ...]
    """Licence and notice texts from above that apply to it."""
    listing: str
    content: str
    compliance: str
    objections: tuple[str, ...] = ()
    """What the specification's validator has against it."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        return fingerprint.target(self.content, self.compliance)


def listing(found: Found, tree: Tree, legal: Legal) -> str:
    """The digest of a package's part of the tree and of the texts above that apply to it."""
    return digest((*tree.inside(found.key), *legal.carried))


def inspect(found: Found, tree: Tree, legal: Legal, limits: Limits, repository: str) -> Wanted | Refused:
    """What the listing alone says: the blobs to read, or why the package fails without reading any."""
    key = found.key
    if not tree.is_whole(key):
        return Refused(key=key, reason="its directory could not be listed whole", retryable=True)
    entries = tree.inside(key)
    reason = _entries_refusal(key, found.root, entries)
    reason = reason or limits.refusal({paths.below(key, entry.path): entry.size for entry in entries})
    if reason:
        return Refused(key=key, reason=reason)
    name = repository if key == paths.ROOT else paths.name(key)
    return Wanted(
        key=key, name=name, root=found.root, entries=entries, legal=legal, listing=listing(found, tree, legal)
    )


def _entries_refusal(key: str, root: Entry, entries: tuple[Entry, ...]) -> str:
    inner = {entry: paths.below(key, entry.path) for entry in entries}
    for entry, path in inner.items():
        shown = paths.shown(path)
        if entry.mode == SYMLINK:
            return f"{shown} is a symbolic link"
        if entry.mode == SUBMODULE:
            return f"{shown} is a submodule"
        if not entry.is_file:
            return f"{shown} is no file (mode {entry.mode:o})"
        if reason := paths.refusal(path):
            return f"the path {shown!r} {reason}"
    clash = paths.collision(inner.values())
    if clash:
        return f"{paths.shown(clash[0])} and {paths.shown(clash[1])} are one name where case does not count"
    return "" if root in inner else "its SKILL.md is not in its directory"


def assemble(wanted: Wanted, blobs: Mapping[str, bytes], limits: Limits) -> Package | Refused:
    """The package made of its blobs, by id. A blob that is not there fails it for now."""
    key = wanted.key
    absent = [entry.path for entry in (*wanted.entries, *wanted.legal.carried) if entry.id not in blobs]
    if absent:
        return Refused(key=key, reason=f"content could not be fetched: {listed(absent)}", retryable=True)
    files = tuple(_file(entry, paths.below(key, entry.path), blobs) for entry in wanted.entries)
    too_large = limits.refusal({file.path: len(file.data) for file in files})
    if too_large:
        return Refused(key=key, reason=too_large)
    source = blobs[wanted.root.id]
    if source.startswith(LFS):
        return Refused(key=key, reason=f"{paths.name(wanted.root.path)} is a pointer of Git LFS")
    try:
        said = manifest.read(source, wanted.name)
    except manifest.Unreadable as error:
        return Refused(key=key, reason=f"{paths.name(wanted.root.path)} {error}")
    texts = [(entry.path, blobs[entry.id]) for entry in wanted.legal.own]
    carried = [(entry.path, blobs[entry.id]) for entry in wanted.legal.carried]
    found = licence.judge(said.license, texts, carried)
    return Package(
        key=key,
        manifest=said,
        licence=found,
        files=files,
        carried=tuple(_file(entry, paths.name(entry.path), blobs) for entry in wanted.legal.carried),
        listing=wanted.listing,
        content=fingerprint.content((file.path, file.executable, file.data) for file in files),
        compliance=fingerprint.compliance((paths.name(path), data) for path, data in (*texts, *carried)),
        objections=strict.faults(source, wanted.name),
        warnings=tuple(_warnings(wanted, said, found, files)),
        notes=tuple(_notes(files)),
    )


def _file(entry: Entry, path: str, blobs: Mapping[str, bytes]) -> PackageFile:
    data = blobs[entry.id]
    return PackageFile(path=path, blob=blob_id(data), executable=entry.mode == EXECUTABLE, data=data)


def _warnings(wanted: Wanted, said: Manifest, found: Licence, files: tuple[PackageFile, ...]) -> list[str]:
    warnings = [*said.warnings, *found.warnings]
    name = paths.name(wanted.root.path)
    if name != manifest.FILE_NAME:
        warnings.append(f"the file is named {name}, not {manifest.FILE_NAME}")
    gone = links.missing(said.body, wanted.key, [entry.path for entry in wanted.entries])
    if gone:
        warnings.append(f"SKILL.md links to what is not in the package: {listed(gone)}")
    pointers = [file.path for file in files if file.data.startswith(LFS)]
    if pointers:
        warnings.append(f"pointers of Git LFS, taken as they are, without what they stand for: {listed(pointers)}")
    attributes = [file.path for file in files if paths.name(file.path) == ".gitattributes"]
    if attributes:
        warnings.append(f"git obeys {listed(attributes)} in this repository too")
    hidden = without_invisible(said.body)[1] + without_invisible(said.description)[1]
    if hidden:
        warnings.append(f"SKILL.md has characters that no reader sees, in {hidden} places")
    return warnings


def _notes(files: tuple[PackageFile, ...]) -> list[str]:
    scripts = [file.path for file in files if file.executable]
    return [f"executable, and kept so: {listed(scripts)}"] if scripts else []
