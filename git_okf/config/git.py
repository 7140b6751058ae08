"""`kind: git`: the Markdown files of a repository. `kind: skills`: the skill packages of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf.config import source, values
from git_okf.config.source import Removal, SourceConfig
from git_okf.config.values import Check

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySource(SourceConfig):
    """What both kinds share: a repository, and the revision of it that is followed."""

    ref: str = "HEAD"
    """Branch, tag or full commit id; HEAD: the branch the repository itself names."""

    def identity(self) -> dict[str, Any]:
        """Not the address: a repository that is renamed or moved stays the same, which the source itself proves."""
        return {"kind": self.kind, "bundle": self.bundle}


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource(RepositorySource):
    """Each Markdown file is a concept."""

    kind: str = "git"
    include: tuple[str, ...] = ("**/*.md",)
    """Glob patterns on paths in the repository."""
    exclude: tuple[str, ...] = ()
    links: str = "relative"
    max_bytes: int = 10 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsSource(RepositorySource):
    """Each directory with a SKILL.md is a package: its files byte for byte, and a concept that tells of it."""

    kind: str = "skills"
    paths: tuple[str, ...] = ()
    """Glob patterns on package directories; none: everywhere."""
    packages: str = ""
    """Directory for the packages themselves; "": concepts only."""
    copy: str = "permissive"
    """`permissive`, `always` or `never`: which licences let a package be copied."""
    ignore_paths: tuple[str, ...] = ()
    """Glob patterns on package directories that are no longer followed; what is there stays."""
    max_files: int = 100
    max_file_bytes: int = 10 * MIB
    max_package_bytes: int = 100 * MIB
    removal: Removal = field(default_factory=lambda: Removal(follow=False))

    @property
    def files(self) -> str:
        return self.packages or self.bundle

    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "bundle": self.bundle, "packages": self.packages}


def _withdrawing(key: str, value: Any) -> Removal:
    """A skill that is gone upstream stays, unless `follow` is said (seed 002, section 4)."""
    return source.removal(key, value, follow=False)


_REPOSITORY: Mapping[str, Check] = {**source.CHECKS, "url": values.repository, "ref": values.revision}

GIT_CHECKS: Mapping[str, Check] = {
    **_REPOSITORY,
    "include": values.texts,
    "exclude": values.texts,
    "links": values.one_of("relative", "absolute"),
    "max_bytes": values.count(1024, 1024**3),
}
SKILLS_CHECKS: Mapping[str, Check] = {
    **_REPOSITORY,
    "paths": values.texts,
    "packages": values.bundle,
    "copy": values.one_of("permissive", "always", "never"),
    "ignore_paths": values.texts,
    "max_files": values.count(1, 100_000),
    "max_file_bytes": values.count(1, 1024**3),
    "max_package_bytes": values.count(1, 1024**3),
    "removal": _withdrawing,
}
NEEDED = ("url", "bundle")
