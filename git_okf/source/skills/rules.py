"""The configuration of a skills source, as its parts need it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from git_okf import digest
from git_okf.config import SkillsSource
from git_okf.model import Record
from git_okf.source.repository import pattern, web
from git_okf.source.repository.pattern import Pattern
from git_okf.source.skills import concept, discovery, homes
from git_okf.source.skills.limits import Limits
from git_okf.source.skills.tree import Tree

MAKE = 1
"""Of the code that turns packages into concepts and fingerprints; another one makes all of them anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """`of` makes them."""

    source: SkillsSource
    patterns: tuple[Pattern, ...]
    ignored: tuple[Pattern, ...]

    @property
    def fingerprint(self) -> str:
        """Of what shapes concepts, and of where files lie: what was made with another one is made anew."""
        source = self.source
        prefix = pattern.common_prefix(self.patterns)
        return digest.fingerprint("skills", MAKE, source.url, source.ref, source.copy, source.packages, prefix)

    @property
    def all(self) -> str:
        """Of everything that decides which packages are taken; conclusions drawn by other rules are drawn anew."""
        source = self.source
        limits = (source.max_files, source.max_file_bytes, source.max_package_bytes)
        return digest.fingerprint(self.fingerprint, source.paths, source.ignore_paths, limits)

    @property
    def limits(self) -> Limits:
        source = self.source
        return Limits(
            max_files=source.max_files,
            max_file_bytes=source.max_file_bytes,
            max_package_bytes=source.max_package_bytes,
        )

    @property
    def setting(self) -> concept.Setting:
        source = self.source
        return concept.Setting(ref=source.ref, web=web.of(source.url), copy=source.copy, packages=source.packages)

    @property
    def repository(self) -> str:
        """The name of the repository, which its root has."""
        return web.repository_name(self.source.url)

    def discover(self, tree: Tree) -> discovery.Discovery:
        return discovery.discover(tree, self.patterns, self.ignored)

    def homes(self, keys: Iterable[str], known: Mapping[str, Record]) -> homes.Homes:
        return homes.assign(keys, known, self.patterns, self.repository)

    def means(self, key: str) -> bool:
        """Whether `paths` means a directory."""
        return not self.patterns or any(each.matches(key) for each in self.patterns)

    def takes(self, key: str) -> tuple[bool, str]:
        """Whether a package directory would be taken, and the rule that decides."""
        for each in self.ignored:
            if discovery.is_ignored(key, [each]):
                return False, f"ignore_paths: {each.text}"
        meant = next((each for each in self.patterns if each.matches(key)), None)
        if self.patterns and meant is None:
            return False, f"paths: none of {', '.join(each.text for each in self.patterns)} means it"
        return True, f"paths: {meant.text}" if meant else "every directory with a SKILL.md is taken"


def of(source: SkillsSource) -> Rules:
    """The rules of a configuration. ConfigError where a pattern cannot be used."""
    return Rules(
        source=source,
        patterns=tuple(map(pattern.parse, source.paths)),
        ignored=tuple(map(pattern.parse, source.ignore_paths)),
    )
