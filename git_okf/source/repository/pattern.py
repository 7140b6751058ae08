"""The patterns of `paths`, `ignore_paths`, `include` and `exclude`: globs on a path of the repository. Pure.

`*` and `?` stand for characters inside one part, `[...]` for one of a set, `**` for any number of whole parts. The
whole path must match: `skills/*` is every directory right below `skills`. A pattern without any of these signs names
a directory: itself and everything in it. `.` is the root alone.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from git_okf.errors import ConfigError
from git_okf.source.repository import paths

_SIGNS = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern. `parse` makes it."""

    text: str
    prefix: str
    """The directory all matches lie in, as far as it is written out; `.` for the root."""
    parts: tuple[re.Pattern[str] | None, ...]
    """One for each part, None for `**`; empty for a pattern without signs."""

    def matches(self, directory: str) -> bool:
        """Whether the directory is meant."""
        if not self.parts:
            return directory == self.prefix or (self.prefix != paths.ROOT and bool(paths.below(self.prefix, directory)))
        names = () if directory == paths.ROOT else tuple(directory.split("/"))
        reached = {0}
        for name in names:
            reached = self._step(self._skip(reached), name)
        return len(self.parts) in self._skip(reached)

    def _skip(self, states: set[int]) -> set[int]:
        """With every `**` that may stand for nothing left out."""
        for state in sorted(states):
            while state < len(self.parts) and self.parts[state] is None:
                state += 1
                states = states | {state}
        return states

    def _step(self, states: set[int], name: str) -> set[int]:
        after: set[int] = set()
        for state in states:
            if state == len(self.parts):
                continue
            part = self.parts[state]
            if part is None:
                after.add(state)
            elif part.match(name):
                after.add(state + 1)
        return after


def parse(text: str) -> Pattern:
    """The pattern; ConfigError says what is wrong with it."""
    try:
        clean = paths.normalised(text)
    except ValueError as error:
        raise ConfigError(
            f"the path pattern {error}", "write a path below the repository's root, like skills/*"
        ) from None
    names = clean.split("/")
    plain = next((at for at, name in enumerate(names) if _SIGNS & set(name)), len(names))
    if plain == len(names):
        return Pattern(text, clean, ())
    parts = tuple(None if name == "**" else re.compile(fnmatch.translate(name)) for name in names)
    return Pattern(text, "/".join(names[:plain]) or paths.ROOT, parts)


def common_prefix(patterns: tuple[Pattern, ...]) -> str:
    """The deepest directory that holds whatever any of the patterns can match below it; the root for none.

    What a pattern without signs names is itself a match, so it counts with the directory it lies in.
    """
    if not patterns:
        return paths.ROOT
    heads = [p.prefix if p.parts else paths.parent(p.prefix) for p in patterns]
    shared = heads[0].split("/")
    for head in heads[1:]:
        parts = head.split("/")
        same = next((at for at, pair in enumerate(zip(shared, parts, strict=False)) if pair[0] != pair[1]), None)
        shared = shared[: min(len(shared), len(parts)) if same is None else same]
    joined = "/".join(shared)
    return paths.ROOT if joined in ("", paths.ROOT) else joined
