"""What a repository of skills answers as a kind of source (`git_okf.source.Kind`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from git_okf.config import SkillsSource, SourceConfig
from git_okf.errors import ConfigError
from git_okf.model import Record, Status
from git_okf.source import Explanation, Source


def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
    from git_okf.source.skills.source import SkillsRepository

    return SkillsRepository(source=_skills(source), environ=environ)


def check(source: SourceConfig) -> None:
    """The patterns of `paths` and `ignore_paths` can be read."""
    from git_okf.source.skills import rules

    rules.of(_skills(source))


def may_hold(source: SourceConfig, path: str) -> bool:
    """Any package may be anywhere below `paths`, so any concept may stand for one."""
    return path.startswith("pages/") and path.endswith(".md")


def explain(
    source: SourceConfig, known: Mapping[str, Record], address: str, place: Callable[[str], str]
) -> Explanation:
    """The explanation of a package's directory in its repository; ConfigError where it is none."""
    from git_okf.source.repository import paths
    from git_okf.source.skills import homes, rules

    try:
        key = paths.normalised(address.removesuffix("/SKILL.md") if address != "SKILL.md" else paths.ROOT)
    except ValueError as error:
        raise ConfigError(f"{error}", "give the directory of a skill in its repository, like skills/pdf") from None
    made = rules.of(_skills(source))
    accepted, rule = made.takes(key)
    record = known.get(key)
    path = record.path if record is not None and record.status is Status.PAGE else ""
    home = homes.home(key, made.patterns, made.repository)
    return Explanation(
        accepted=accepted,
        rule=rule,
        key=key,
        path=(path or place(home)) if accepted else "",
        known=_known(record),
        links="",
    )


def _known(record: Record | None) -> str:
    if record is None:
        return ""
    if record.missing_since:
        return f"withdrawn: not in the repository since {record.missing_since}"
    return record.failure or ("taken" if record.status is Status.PAGE else "failed for now")


def _skills(source: SourceConfig) -> SkillsSource:
    assert isinstance(source, SkillsSource)
    return source
