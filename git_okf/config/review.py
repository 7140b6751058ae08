"""`review:`: where sync pull requests are opened, and how many may be open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.config import values
from git_okf.config.values import Check
from git_okf.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """How synced content is reviewed."""

    forge: str = "none"
    """`github`, `gitlab`, `gitea`, or `none`: only the branch is pushed."""
    repository: str = ""
    """`owner/name` on the forge; "": as the CI's own variables or the remote's address say."""
    remote: str = "origin"
    base: str = ""
    """The branch reviewed content goes into; "": the remote's default branch."""
    labels: tuple[str, ...] = ()
    api_url: str = ""
    """Of the forge's API, where its CI variable does not say it."""
    high_water: int = 10
    """Unresolved reviews at which runs look only."""
    low_water: int = 5
    """Below so many they take again."""


CHECKS: Mapping[str, Check] = {
    "forge": values.one_of("github", "gitlab", "gitea", "none"),
    "repository": values.line,
    "remote": values.line,
    "base": values.revision,
    "labels": values.texts,
    "api_url": values.url,
    "high_water": values.count(1, 1_000_000),
    "low_water": values.count(0, 1_000_000),
}


def review(key: str, value: Any) -> Review:
    """The section as frozen values. ConfigError where the marks contradict each other."""
    made = Review(**values.fields_of(CHECKS)(key, value))
    if made.low_water > made.high_water:
        raise ConfigError(
            f"{key}: low_water ({made.low_water}) is above high_water ({made.high_water})",
            "runs stop taking at high_water and begin again below low_water",
        )
    return made
