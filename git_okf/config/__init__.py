"""`.okf.yaml` -> frozen values. Every default lives here.

The file is read strictly: an unknown key is an error that names the nearest known one, a wrong type is an error that
names the key. Secrets are never values of the configuration: a header may say `${NAME}`, and the name is looked up in
the environment when the header is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from git_okf.config import feishu, git, web
from git_okf.config.feishu import FeishuSource
from git_okf.config.git import GitSource, RepositorySource, SkillsSource
from git_okf.config.publish import Publish, publish
from git_okf.config.review import Review, review
from git_okf.config.source import Removal, SourceConfig
from git_okf.config.values import FILE_NAME, PLACEHOLDER, Check, check_bundle, check_url, known, mapping, nearest, only
from git_okf.config.web import WebSource
from git_okf.errors import ConfigError

__all__ = [
    "FILE_NAME",
    "FORMAT_VERSION",
    "KINDS",
    "PLACEHOLDER",
    "Config",
    "FeishuSource",
    "GitSource",
    "Publish",
    "Removal",
    "RepositorySource",
    "Review",
    "SkillsSource",
    "SourceConfig",
    "WebSource",
    "check_bundle",
    "check_url",
    "header_values",
    "parse",
    "secret_value",
]

FORMAT_VERSION = 1
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")

_KINDS: Mapping[str, tuple[type[SourceConfig], Mapping[str, Check], tuple[str, ...]]] = {
    "web": (WebSource, web.CHECKS, web.NEEDED),
    "git": (GitSource, git.GIT_CHECKS, git.NEEDED),
    "skills": (SkillsSource, git.SKILLS_CHECKS, git.NEEDED),
    "feishu": (FeishuSource, feishu.CHECKS, feishu.NEEDED),
}
"""What a source of each kind becomes, the check of each of its keys, and the keys it must have."""
KINDS = tuple(_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole file."""

    sources: Mapping[str, SourceConfig]
    review: Review = field(default_factory=Review)
    publish: Publish | None = None

    def source(self, name: str) -> SourceConfig:
        """One source by name; ConfigError names the nearest one."""
        if name in self.sources:
            return self.sources[name]
        near = nearest(name, self.sources)
        raise ConfigError(f"there is no source {name!r} in {FILE_NAME}", near or known("sources", self.sources))


def parse(text: str) -> Config:
    """The configuration a file's text says. Raises ConfigError; reads nothing else."""
    data = _load(text)
    only(data, ("version", "defaults", "sources", "review", "publish"), "")
    if data.get("version", FORMAT_VERSION) != FORMAT_VERSION:
        raise ConfigError(
            f"{FILE_NAME} has version {data['version']!r}; this git-okf reads version {FORMAT_VERSION}",
            "install a newer git-okf, or write `version: 1`",
        )
    defaults = mapping(data.get("defaults"), "defaults")
    only(defaults, tuple(sorted({key for _, checks, _ in _KINDS.values() for key in checks})), "defaults")
    sources = mapping(data.get("sources"), "sources")
    parsed = {name: _source(name, defaults, mapping(value, name)) for name, value in sources.items()}
    _distinct_places(parsed)
    return Config(
        sources=parsed,
        review=review("review", data.get("review")),
        publish=publish("publish", data["publish"]) if data.get("publish") else None,
    )


def _load(text: str) -> dict[str, Any]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses what YAML forbids and its parser lets pass: a key that stands twice, of which one would be lost."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((key for key, _ in node.value if names.count(key.value) > 1), None)
            if twice is not None:
                raise yaml.MarkedYAMLError(problem=f"{twice.value!r} stands twice", problem_mark=twice.start_mark)
            return super().construct_mapping(node, deep)

    try:
        data = yaml.load(text, Loader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise ConfigError(
            f"{FILE_NAME} is not readable YAML{where}: {getattr(error, 'problem', None) or type(error).__name__}",
            f"correct {FILE_NAME} and run again; nothing was changed",
        ) from error
    return mapping(data, FILE_NAME)


def _source(name: Any, defaults: Mapping[str, Any], said: Mapping[str, Any]) -> SourceConfig:
    """`said` over those `defaults` that its kind has."""
    if not isinstance(name, str) or not NAME.match(name):
        raise ConfigError(
            f"source name {name!r} cannot be used",
            "names are lower-case letters, digits, '.', '_' and '-', and begin with a letter or digit",
        )
    kind = said.get("kind", defaults.get("kind", "web"))
    if kind not in KINDS:
        raise ConfigError(f"source {name}: kind {kind!r} is not one of {', '.join(KINDS)}", "correct `kind`")
    made, checks, needed = _KINDS[kind]
    only(said, tuple(checks), name)
    data = {**{key: value for key, value in defaults.items() if key in checks}, **said, "kind": kind}
    for key in needed:
        if not data.get(key):
            raise ConfigError(f"source {name} has no `{key}`", f"add `{key}:` to it in {FILE_NAME}")
    return made(name=name, **{key: checks[key](f"{name}.{key}", v) for key, v in data.items() if v is not None})


def _distinct_places(sources: Mapping[str, SourceConfig]) -> None:
    taken = sorted((place.casefold() + "/", s.name, place) for s in sources.values() for place in s.places)
    for (outer, first, place), (inner, second, other) in pairwise(taken):
        if inner.startswith(outer):
            raise ConfigError(
                f"the bundles of {first} and {second} overlap ({place}, {other})"
                if first != second
                else f"the directories of {first} overlap ({place}, {other})",
                "give each source a directory of its own, none inside another",
            )


def header_values(source: WebSource, environ: Mapping[str, str]) -> dict[str, str]:
    """The headers with their `${NAME}` looked up. ConfigError names what is not set, never a value."""
    return {name: secret_value(source, f"header {name}", text, environ) for name, text in source.headers}


def secret_value(source: SourceConfig, what: str, text: str, environ: Mapping[str, str]) -> str:
    """The text with its `${NAME}` looked up. ConfigError names what is not set, never a value."""
    for variable in PLACEHOLDER.findall(text):
        if not environ.get(variable):
            raise ConfigError(
                f"source {source.name}: {what} needs the environment variable {variable}, which is not set",
                f"set {variable} and run again",
            )
    return PLACEHOLDER.sub(lambda match: environ[match.group(1)], text)
