"""Where packages are in a tree. Pure: a function of the tree's listing and the configuration.

A package is a directory with a SKILL.md that `paths` means (default: every directory). What lies inside a package is
its content, a SKILL.md below another one too. `node_modules` and `.git` are not searched. The search goes at most
MAX_DEPTH directories below what a pattern writes out, and sees at most MAX_DIRECTORIES of them, the highest first; what
it leaves out makes the enumeration incomplete (agentskills, "Adding skills support": depth 4 to 6, 2,000 directories).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from git_okf.source.repository import paths
from git_okf.source.repository.pattern import Pattern
from git_okf.source.skills import manifest
from git_okf.source.skills.tree import Entry, Tree

MAX_DEPTH = 6
MAX_DIRECTORIES = 2000
NOT_SEARCHED = frozenset({".git", "node_modules"})
_SHOWN = 5
"""Paths that one sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A package as the listing shows it."""

    key: str
    root: Entry
    """Its SKILL.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What a tree offers."""

    packages: tuple[Found, ...]
    """By key."""
    ignored: tuple[str, ...] = ()
    """Keys of packages that an ignore rule stops."""
    outside: tuple[str, ...] = ()
    """Keys of packages that `paths` does not mean."""
    incomplete_reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def discover(tree: Tree, patterns: Sequence[Pattern] = (), ignored: Sequence[Pattern] = ()) -> Discovery:
    """All packages of a tree, those that `ignored` matches apart."""
    everything = roots_of(tree.entries)
    roots = {key: root for key, root in everything.items() if key == paths.ROOT or not paths.refusal(key)}
    meant = [key for key in roots if not patterns or any(pattern.matches(key) for pattern in patterns)]
    outermost = _outermost(meant)
    within, beyond = _bounded(tree, outermost, patterns)
    stopped = [key for key in within if is_ignored(key, ignored)]
    taken = [key for key in within if key not in set(stopped)]
    return Discovery(
        packages=tuple(Found(key=key, root=roots[key]) for key in taken),
        ignored=tuple(stopped),
        outside=tuple(key for key in roots if key not in set(meant)),
        incomplete_reasons=tuple(_incomplete(tree, beyond)),
        notices=(*_unusable(everything.keys() - roots.keys()), *_notices(tree, patterns, roots, taken)),
    )


def roots_of(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The SKILL.md of each directory that has one, by directory, sorted; `skill.md` only where there is no other."""
    upper: dict[str, Entry] = {}
    lower: dict[str, Entry] = {}
    for entry in entries:
        name = paths.name(entry.path)
        if name in (manifest.FILE_NAME, manifest.OTHER_NAME):
            directory = paths.parent(entry.path)
            if not NOT_SEARCHED & set(directory.split("/")):
                (upper if name == manifest.FILE_NAME else lower)[directory] = entry
    both = {**lower, **upper}
    return {key: both[key] for key in sorted(both)}


def _outermost(keys: Iterable[str]) -> list[str]:
    """The packages that lie in no other package."""
    found: set[str] = set()
    for key in sorted(keys, key=lambda key: (paths.depth(key), key)):
        if not found.intersection(paths.ancestors(key)):
            found.add(key)
    return sorted(found)


def _bounded(tree: Tree, keys: list[str], patterns: Sequence[Pattern]) -> tuple[list[str], list[str]]:
    """The packages inside of the bounds of the search, and those beyond."""
    seen = _searched(tree, set(keys))
    within: list[str] = []
    beyond: list[str] = []
    for key in keys:
        written = max((paths.depth(p.prefix) for p in patterns if p.matches(key)), default=0)
        deep = paths.depth(key) - written > MAX_DEPTH
        (beyond if deep or (key not in seen and not written) else within).append(key)
    return within, beyond


def _searched(tree: Tree, packages: set[str]) -> set[str]:
    """The directories that a search from the root sees, level by level, before it has seen enough."""
    directories = {paths.ROOT}
    for entry in tree.entries:
        above = paths.ancestors(entry.path)
        inner = next((at for at, directory in enumerate(reversed(above)) if directory in packages), len(above))
        directories.update(tuple(reversed(above))[: inner + 1])
    wanted = sorted(
        (directory for directory in directories if not NOT_SEARCHED & set(directory.split("/"))),
        key=lambda directory: (paths.depth(directory), directory),
    )
    return set(wanted[:MAX_DIRECTORIES])


def is_ignored(key: str, ignored: Sequence[Pattern]) -> bool:
    """Whether a rule stops a package: one that means it, or a directory it lies in."""
    return any(pattern.matches(where) for where in (key, *paths.ancestors(key)) for pattern in ignored)


def _incomplete(tree: Tree, beyond: list[str]) -> Iterable[str]:
    if tree.unlisted:
        yield f"parts of the tree could not be listed: {listed(tree.unlisted)}"
    if beyond:
        yield (
            f"the search ends {MAX_DEPTH} directories deep and after {MAX_DIRECTORIES}, before "
            f"{listed(beyond)}; name their directory in `paths`"
        )


def _unusable(keys: Iterable[str]) -> Iterable[str]:
    """Directories that nothing can be named after."""
    for key in sorted(keys):
        yield f"not taken: the path {paths.shown(key)!r} {paths.refusal(key)}"


def _notices(tree: Tree, patterns: Sequence[Pattern], roots: dict[str, Entry], taken: list[str]) -> Iterable[str]:
    inner = [key for key in roots if key not in taken and set(taken).intersection(paths.ancestors(key))]
    if inner:
        yield f"SKILL.md inside of a skill are its content, not skills: {listed(inner)}"
    other = sorted(entry.path for entry in tree.entries if _is_misspelt(entry.path))
    if other:
        yield f"not taken for skills, because the file is not named SKILL.md: {listed(other)}"
    for pattern in patterns:
        if not any(pattern.matches(key) for key in roots):
            yield f"paths: {pattern.text} matches no directory with a SKILL.md"


def _is_misspelt(path: str) -> bool:
    name = paths.name(path)
    return name.casefold() == "skill.md" and name not in (manifest.FILE_NAME, manifest.OTHER_NAME)


def listed(names: Sequence[str]) -> str:
    """The first names, and how many there are besides."""
    more = len(names) - _SHOWN
    return ", ".join(map(paths.shown, names[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
