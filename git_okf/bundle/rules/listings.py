"""Every index.md of a bundle of ours is what its directory's concepts make it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from posixpath import basename, dirname

from git_okf.bundle import concept as concepts
from git_okf.bundle import index, log
from git_okf.bundle.concept import Header, NotAConcept
from git_okf.bundle.rules.anchors import anchors
from git_okf.bundle.rules.finding import ERROR, Finding
from git_okf.bundle.rules.links import prose_of

OWN = "git-okf/"
"""How the actor in `generated.by` of our own concepts begins."""
_ENOUGH = 20
"""Concepts that are looked at to tell whether the bundle is ours, where its root does not say so."""
_HINT = "`git okf repair NAME` writes it anew"


class Bundle:
    """The files, and what is asked of them more than once."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.inside: dict[str, list[str]] = defaultdict(list)
        """The concepts of each directory, by path."""
        self._headers: dict[str, Header | None] = {}
        self._anchors: dict[str, frozenset[str] | None] = {}
        self.below: dict[str, set[str]] = defaultdict(set)
        """The subdirectories of each directory that hold concepts or lead to some."""
        for path in files:
            if path.endswith(".md") and basename(path) not in (index.FILE_NAME, log.FILE_NAME):
                self.inside[dirname(path)].append(path)
        for directory in list(self.inside):
            while directory:
                self.below[dirname(directory)].add(basename(directory))
                directory = dirname(directory)

    def exists(self, path: str) -> bool:
        """A file, or a directory that leads to a concept."""
        return path in self.files or path in self.inside or path in self.below or path in ("", ".")

    def read(self, path: str) -> bytes:
        """A file's bytes; its front matter is remembered, so that nothing is read twice for it."""
        data = self.files[path]
        self._headers[path] = header_of(data)
        return data

    def header(self, path: str) -> Header | None:
        """The front matter of a file; None where there is no such file, or no front matter."""
        if path not in self._headers and path in self.files:
            self.read(path)
        return self._headers.get(path)

    def anchors(self, path: str) -> frozenset[str] | None:
        """What a link's fragment can lead to in a concept; None where there is no such concept."""
        if path not in self._anchors:
            try:
                body = concepts.body(self.files[path]) if path.endswith(".md") and path in self.files else None
            except NotAConcept:
                body = None
            self._anchors[path] = None if body is None else anchors(body, prose_of(body))
        return self._anchors[path]

    def entries(self, directory: str) -> Iterator[index.Entry]:
        """The synced concepts of a directory; what somebody else put there is not listed by us."""
        for path in self.inside.get(directory, ()):
            header = self.header(path)
            if header is not None and is_listed(header):
                yield index.Entry(path, header.title, header.description)

    def leads(self, directory: str) -> bool:
        """Whether a synced concept is in or below the directory."""
        if next(self.entries(directory), None):
            return True
        return any(self.leads(f"{directory}/{name}") for name in self.below.get(directory, ()))

    def is_ours(self) -> bool:
        """Whether git-okf made it: its root says so, or one of its first concepts."""
        root = self.files.get(index.FILE_NAME)
        if root is not None and index.root_facts(root) is not None:
            return True
        first = (path for directory in sorted(self.inside) for path in sorted(self.inside[directory]))
        matches = (concepts.own_form(self.files[path]) for path in islice(first, _ENOUGH))
        return any(match and concepts.scalar(match["by"]).startswith(OWN) for match in matches)


def header_of(data: bytes) -> Header | None:
    """The front matter of a concept; None where it is none."""
    try:
        return concepts.header(data)
    except NotAConcept:
        return None


def is_listed(header: Header) -> bool:
    """Whether the concept was synced: what somebody else wrote is in no listing of ours."""
    return bool(header.resource and header.content_hash)


def check_listings(bundle: Bundle, touched: Iterable[str], *, ours: bool) -> Iterator[Finding]:
    """The index.md of every directory that a touched file is in or below; nothing where the bundle is not ours."""
    if not ours and not bundle.is_ours():
        return
    directories: set[str] = set()
    for path in touched:
        directory = dirname(path)
        while directory not in directories:
            directories.add(directory)
            directory = dirname(directory)
    for directory in sorted(directories):
        yield from _check_listing(bundle, directory)


def _check_listing(bundle: Bundle, directory: str) -> Iterator[Finding]:
    path = f"{directory}/{index.FILE_NAME}" if directory else index.FILE_NAME
    actual = bundle.files.get(path)
    wanted = _wanted(bundle, directory, actual)
    if actual is not None and actual == wanted:
        return
    if actual is None and (wanted or not directory):
        yield Finding(path, 1, "index-missing", ERROR, "this directory has no index.md", _HINT)
    elif actual is not None and wanted is None and directory:
        yield Finding(path, 1, "index-stale", ERROR, "an index.md of a directory without synced concepts", _HINT)
    elif actual is not None:
        line = _first_difference(actual, wanted or b"")
        message = "index.md is not what the concepts it lists make it"
        yield Finding(path, line, "index-stale", ERROR, message, _HINT)


def _wanted(bundle: Bundle, directory: str, actual: bytes | None) -> bytes | None:
    """The directory's index.md as it should be; None where there should be none, or where the root cannot tell."""
    entries = list(bundle.entries(directory))
    below = {name for name in bundle.below.get(directory, ()) if bundle.leads(f"{directory}/{name}".lstrip("/"))}
    if directory:
        return index.directory_index(directory, entries, below) if entries or below else None
    facts = index.root_facts(actual) if actual is not None else None
    home = next((entry for entry in bundle.entries("pages") if entry.path == index.HOME), None)
    return index.root_index(entries, below, start=home, **facts) if facts else None


def _first_difference(actual: bytes, wanted: bytes) -> int:
    left, right = actual.split(b"\n"), wanted.split(b"\n")
    pairs = enumerate(zip(left, right, strict=False), 1)
    return next((number for number, (a, b) in pairs if a != b), min(len(left), len(right)))
