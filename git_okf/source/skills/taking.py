"""The bytes of packages, from a mirror: as few requests as possible, one package in memory at a time.

All packages of a group come in one request; then each is read and judged alone. Where the disk has no room for a group
it is taken in halves, after what was fetched before made room (seed 002, section 4: LOCAL_DISK_BUDGET); a package that
does not even fit alone fails for now (CAPACITY) and leaves the others going.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from git_okf.source.repository import paths
from git_okf.source.repository.errors import Capacity, DiskBudget
from git_okf.source.repository.mirror import TOO_LARGE, Blob
from git_okf.source.skills.limits import Limits
from git_okf.source.skills.package import Package, Refused, Wanted, assemble
from git_okf.source.skills.tree import Entry


class Blobs(Protocol):
    """What is needed of a mirror."""

    def fetch(self, commit: str, ref: str = "") -> None: ...

    def blobs(self, ids: Iterable[str], *, limit: int | None = None, within: Sequence[str] = ()) -> Iterator[Blob]: ...

    def forget(self) -> None: ...


GROUP = 50
"""Packages whose blobs are asked for at once; between two groups the results are safe."""


@dataclass(slots=True, kw_only=True)
class Taking:
    """The packages of one revision, as they are asked for."""

    mirror: Blobs
    commit: str
    ref: str
    limits: Limits
    trees: dict[str, str]
    """The id of each directory."""
    known: frozenset[str]
    """Keys of packages of which an older state is here: only what changed is sent."""
    requests: int = 0
    bytes: int = 0
    _too_large: dict[str, int | None] = field(default_factory=dict)
    """Blobs over the limit of a file, with their size; None where the server kept it to itself."""
    _missing: set[str] = field(default_factory=set)
    """Blobs that the server did not send."""
    _here: set[str] = field(default_factory=set)
    """Blobs that can be read without a request."""

    def take(self, wanted: Sequence[Wanted], go_on: Callable[[], bool]) -> Iterator[Package | Refused]:
        """Each package, in order, until `go_on` says no: asked before each group, which is when nothing is under way.

        Raises SourceUnavailable where the repository cannot be asked any more; what came before is with the caller.
        """
        new = [each for each in wanted if each.key not in self.known]
        old = [each for each in wanted if each.key in self.known]
        for group in (*_groups(old), *_groups(new)):
            if not go_on():
                return
            yield from self._group(group)

    def _group(self, group: Sequence[Wanted], *, again: bool = False) -> Iterator[Package | Refused]:
        try:
            self._bring(group)
        except DiskBudget as error:
            self._make_room()
            if len(group) > 1:
                half = len(group) // 2
                yield from self._group(group[:half])
                yield from self._group(group[half:])
            elif again or isinstance(error, Capacity):
                yield Refused(key=group[0].key, reason=f"{error.code}: {error.message}", retryable=True)
            else:
                yield from self._group(group, again=True)
            return
        for each in group:
            yield self._one(each)

    def _make_room(self) -> None:
        self._here.clear()
        self.mirror.forget()
        self.mirror.fetch(self.commit, self.ref)
        self.requests += 1

    def _bring(self, group: Sequence[Wanted]) -> None:
        """One request for everything that is missing; of new packages the server keeps back what is too large."""
        new = [each for each in group if each.key not in self.known and each.key in self.trees]
        texts = {entry.id for each in new for entry in each.legal.carried}
        exact = texts | {oid for each in group if each not in new for oid in each.blobs}
        self._learn(sorted(exact), ())
        inside = {entry.id for each in new for entry in each.entries} - exact
        self._learn(sorted(inside), sorted({self.trees[each.key] for each in new}))

    def _learn(self, ids: Sequence[str], within: Sequence[str]) -> None:
        wanted = [oid for oid in ids if oid not in self._here]
        if not wanted:
            return
        self.requests += 1
        for blob in self.mirror.blobs(wanted, limit=self.limits.max_file_bytes, within=within):
            self.bytes += blob.size or 0
            if blob.problem == TOO_LARGE:
                self._too_large[blob.id] = blob.size
            elif blob.data is None:
                self._missing.add(blob.id)
            else:
                self._here.add(blob.id)

    def _one(self, wanted: Wanted) -> Package | Refused:
        for entry in (*wanted.entries, *wanted.legal.carried):
            if entry.id in self._too_large:
                return Refused(key=wanted.key, reason=self._over(wanted, entry))
        own = {entry.id for entry in wanted.entries}
        blobs: dict[str, bytes] = {}
        total = 0
        for blob in self.mirror.blobs(sorted(wanted.blobs - self._missing), limit=self.limits.max_file_bytes):
            total += (blob.size or 0) if blob.id in own else 0
            if total > self.limits.max_package_bytes:
                blobs.clear()  # the rest is read to its end and not kept
            elif blob.data is not None:
                blobs[blob.id] = blob.data
        over = self.limits.refusal_of_total(total)
        return Refused(key=wanted.key, reason=over) if over else assemble(wanted, blobs, self.limits)

    def _over(self, wanted: Wanted, entry: Entry) -> str:
        path, size = paths.below(wanted.key, entry.path) or entry.path, self._too_large[entry.id]
        if size is not None:
            return self.limits.refusal({path: size})
        return f"{path} has more than {self.limits.max_file_bytes} bytes (max_file_bytes)"


def _groups(wanted: Sequence[Wanted]) -> Iterator[Sequence[Wanted]]:
    for first in range(0, len(wanted), GROUP):
        yield wanted[first : first + GROUP]
