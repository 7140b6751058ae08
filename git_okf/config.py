"""`.okf.yaml` -> frozen values. Every default lives here.

The file is read strictly: an unknown key is an error that names the nearest known one, a wrong type is an error that
names the key. Secrets are never values of the configuration: a header may say `${NAME}`, and the name is looked up in
the environment when the header is sent.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from git_okf.errors import ConfigError

FILE_NAME = ".okf.yaml"
FORMAT_VERSION = 1
KINDS = ("web",)
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """When a known item is removed, and how much at once."""

    unlinked_runs: int = 2
    """Complete runs in a row that found the page unlinked, though it answers, before it is removed."""
    gone_runs: int = 1
    """Runs in a row in which a page answered 404 (twice each) before it is removed; 410 removes at once."""
    max_removed: int | None = None
    """The `max-removed` guard: so many removals abort the run."""
    max_removed_share: float | None = None
    """The same as a share of the known items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSource:
    """A documentation site. Sizes in bytes, times in seconds."""

    name: str
    url: str
    bundle: str
    kind: str = "web"
    path_prefix: str | None = None
    """Only URL paths below it belong to the source; None: the seed's directory; "/": the whole host."""
    max_depth: int = 3
    max_pages: int = 200
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    content: str | None = None
    drop: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    browser: bool = False
    robots: bool = True
    headers: tuple[tuple[str, str], ...] = ()
    prefer: str = "auto"
    links: str = "relative"
    editable: bool = False
    """Edits of concepts by hand are no finding of `verify` and the hooks. A sync treats them as it always does."""
    allow_hosts: tuple[str, ...] = ()
    host_alias: tuple[str, ...] = ()
    """Public host names under which the same site writes its own URLs (sitemaps, canonical links)."""
    strip_query: tuple[str, ...] = ()
    """Query parameters that do not name another page (glob patterns: `utm_*`)."""
    threshold: float = 0.5
    removal: Removal = field(default_factory=Removal)
    concurrency: int = 8
    delay: float = 0.0
    page_timeout: float = 60.0
    max_bytes: int = 10 * 1024 * 1024
    accept_language: str = "en, *;q=0.5"

    def identity(self) -> dict[str, Any]:
        """What makes it this source; state made for another identity is refused (design.md, "Commands")."""
        return {
            "kind": self.kind,
            "url": self.url,
            "bundle": self.bundle,
            "path_prefix": self.path_prefix,
            "browser": self.browser,
        }

    def digest(self) -> str:
        """Changes when anything of the configuration does; a checkpoint is bound to it."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


SourceConfig = WebSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole file."""

    sources: Mapping[str, SourceConfig]

    def source(self, name: str) -> SourceConfig:
        """One source by name; ConfigError names the nearest one."""
        if name in self.sources:
            return self.sources[name]
        near = _nearest(name, self.sources)
        raise ConfigError(f"there is no source {name!r} in {FILE_NAME}", near or _known("sources", self.sources))


def parse(text: str) -> Config:
    """The configuration a file's text says. Raises ConfigError; reads nothing else."""
    data = _load(text)
    _only(data, ("version", "defaults", "sources"), "")
    if data.get("version", FORMAT_VERSION) != FORMAT_VERSION:
        raise ConfigError(
            f"{FILE_NAME} has version {data['version']!r}; this git-okf reads version {FORMAT_VERSION}",
            "install a newer git-okf, or write `version: 1`",
        )
    defaults = _mapping(data.get("defaults"), "defaults")
    sources = _mapping(data.get("sources"), "sources")
    parsed = {name: _source(name, {**defaults, **_mapping(value, name)}) for name, value in sources.items()}
    _distinct_bundles(parsed)
    return Config(sources=parsed)


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
    return _mapping(data, FILE_NAME)


def _source(name: Any, data: dict[str, Any]) -> SourceConfig:
    if not isinstance(name, str) or not NAME.match(name):
        raise ConfigError(
            f"source name {name!r} cannot be used",
            "names are lower-case letters, digits, '.', '_' and '-', and begin with a letter or digit",
        )
    kind = data.get("kind", "web")
    if kind not in KINDS:
        raise ConfigError(f"source {name}: kind {kind!r} is not one of {', '.join(KINDS)}", "correct `kind`")
    _only(data, tuple(f.name for f in fields(WebSource) if f.name != "name"), name)
    for needed in ("url", "bundle"):
        if not data.get(needed):
            raise ConfigError(f"source {name} has no `{needed}`", f"add `{needed}:` to it in {FILE_NAME}")
    values = {key: _CHECKS[key](f"{name}.{key}", value) for key, value in data.items() if value is not None}
    return WebSource(name=name, **values)


def _distinct_bundles(sources: Mapping[str, SourceConfig]) -> None:
    taken = sorted((s.bundle.casefold() + "/", s.name) for s in sources.values())
    for (outer, first), (inner, second) in pairwise(taken):
        if inner.startswith(outer):
            raise ConfigError(
                f"the bundles of {first} and {second} overlap ({sources[first].bundle}, {sources[second].bundle})",
                "give each source a directory of its own, none inside another",
            )


# --- single values: each check takes the key's full name and the value, and returns the frozen value ---


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be text, not {value!r}", "put it in quotes")
    return value


def _url(key: str, value: Any) -> str:
    return check_url(_text(key, value), key)


def check_url(value: str, key: str = "URL") -> str:
    """The URL, if it is an http(s) URL with a host and no password in it; else ConfigError."""
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as error:
        raise ConfigError(
            f"{key}: {value!r} is not a URL: {error}", "write it like https://docs.example.com/"
        ) from error
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or not port_is_fine or _controls(value):
        raise ConfigError(f"{key}: {value!r} is not an http or https URL", "write it like https://docs.example.com/")
    if parts.username or parts.password:
        raise ConfigError(
            f"{key} holds a user name or password; it would end up in commits",
            'use `headers: {Authorization: "${TOKEN}"}` and set TOKEN in the environment',
        )
    return value


def _controls(value: str) -> bool:
    return any(ch <= " " or ch == "\x7f" for ch in value)


def check_bundle(value: str, key: str = "bundle") -> str:
    """The bundle directory as a clean POSIX path inside the repository; else ConfigError."""
    parts = value.rstrip("/").split("/")
    if not value or value.startswith("/") or "\\" in value or ":" in value or any(p in ("", "..") for p in parts):
        raise ConfigError(f"{key}: {value!r} is not a directory inside the repository", "write it like docs/example")
    parts = [p for p in parts if p != "."]
    if (
        not parts
        or any(p.casefold() in (".git", ".gitmodules") for p in parts)
        or _controls("".join(parts).replace(" ", ""))
    ):
        raise ConfigError(f"{key}: {value!r} cannot hold a bundle", "choose a directory of its own, like docs/example")
    return "/".join(parts)


def _bundle(key: str, value: Any) -> str:
    return check_bundle(_text(key, value), key)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false, not {value!r}")
    return value


def _number(low: float, high: float) -> Callable[[str, Any], float]:
    def check(key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ConfigError(f"{key} must be a number from {low:g} to {high:g}, not {value!r}")
        return float(value)

    return check


def _count(low: int, high: int) -> Callable[[str, Any], int]:
    def check(key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigError(f"{key} must be a whole number from {low} to {high}, not {value!r}")
        return value

    return check


def _texts(key: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise ConfigError(f"{key} must be a list of texts, not {value!r}")
    return tuple(values)


def _selector(key: str, value: Any) -> str:
    """A CSS selector, or the name of a preset, which is one too."""
    from cssselect import HTMLTranslator, SelectorError

    text = _text(key, value)
    try:
        HTMLTranslator().css_to_xpath(text)
    except SelectorError as error:
        raise ConfigError(f"{key}: {text!r} is no CSS selector: {error}", "write it like div.article") from None
    return text


def _selectors(key: str, value: Any) -> tuple[str, ...]:
    return tuple(_selector(key, text) for text in _texts(key, value))


def _line(key: str, value: Any) -> str:
    text = _text(key, value)
    if not text.isprintable():
        raise ConfigError(f"{key} must be one line of text, not {text!r}")
    return text


def _one_of(*words: str) -> Callable[[str, Any], str]:
    def check(key: str, value: Any) -> str:
        if value not in words:
            raise ConfigError(f"{key} must be one of {', '.join(words)}, not {value!r}")
        return str(value)

    return check


def _headers(key: str, value: Any) -> tuple[tuple[str, str], ...]:
    pairs = _mapping(value, key)
    for name, text in pairs.items():
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not isinstance(text, str) or _controls(text.replace(" ", "")):
            raise ConfigError(f"{key}: {name!r} is not a header with a text value")
        if name.lower() in ("authorization", "cookie", "proxy-authorization") and not PLACEHOLDER.search(text):
            raise ConfigError(
                f"{key}: the value of {name} is written into {FILE_NAME}",
                f'take it from the environment: {name}: "${{NAME}}"',
            )
    return tuple(sorted(pairs.items()))


def _prefix(key: str, value: Any) -> str:
    text = _text(key, value)
    if not text.startswith("/") or _controls(text):
        raise ConfigError(f"{key} must be a URL path that begins with '/', not {value!r}")
    return text


def _removal(key: str, value: Any) -> Removal:
    data = _mapping(value, key)
    _only(data, tuple(f.name for f in fields(Removal)), key)
    checks: dict[str, Callable[[str, Any], Any]] = {
        "unlinked_runs": _count(1, 100),
        "gone_runs": _count(1, 100),
        "max_removed": _count(0, 10_000_000),
        "max_removed_share": _number(0, 1),
    }
    return Removal(**{k: checks[k](f"{key}.{k}", v) for k, v in data.items() if v is not None})


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "kind": _one_of(*KINDS),
    "url": _url,
    "bundle": _bundle,
    "path_prefix": _prefix,
    "max_depth": _count(0, 1000),
    "max_pages": _count(1, 10_000_000),
    "include": _texts,
    "exclude": _texts,
    "content": _selector,
    "drop": _selectors,
    "ignore": _texts,
    "browser": _flag,
    "robots": _flag,
    "headers": _headers,
    "prefer": _one_of("auto", "html", "markdown"),
    "links": _one_of("relative", "absolute"),
    "editable": _flag,
    "allow_hosts": _texts,
    "host_alias": _texts,
    "strip_query": _texts,
    "threshold": _number(0, 1),
    "removal": _removal,
    "concurrency": _count(1, 64),
    "delay": _number(0, 3600),
    "page_timeout": _number(0.1, 3600),
    "max_bytes": _count(1024, 1024**3),
    "accept_language": _line,
}


def _mapping(value: Any, key: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
        raise ConfigError(f"{key} must be a mapping of names to values, not {value!r}")
    return value


def _only(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in known:
            place = f" in {where}" if where else f" in {FILE_NAME}"
            raise ConfigError(f"unknown key {key!r}{place}", _nearest(key, known) or _known("keys", known))


def _nearest(word: str, known: Any) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def _known(what: str, known: Any) -> str:
    return (
        f"known {what}: {', '.join(sorted(known))}"
        if known
        else f"there are no {what} yet; `git okf add URL` writes one"
    )


def header_values(source: SourceConfig, environ: Mapping[str, str]) -> dict[str, str]:
    """The headers with their `${NAME}` looked up. ConfigError names what is not set, never a value."""
    values = {}
    for name, text in source.headers:
        for variable in PLACEHOLDER.findall(text):
            if not environ.get(variable):
                raise ConfigError(
                    f"source {source.name}: header {name} needs the environment variable {variable}, which is not set",
                    f"set {variable} and run again",
                )
        values[name] = PLACEHOLDER.sub(lambda m: environ[m.group(1)], text)
    return values
