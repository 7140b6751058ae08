"""Single values of the configuration: each check takes the key's full name and the value, and returns the frozen value.

Whatever cannot be used is a ConfigError that names the key and says how to write it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from git_okf.errors import ConfigError

FILE_NAME = ".okf.yaml"
PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

Check = Callable[[str, Any], Any]


def text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be text, not {value!r}", "put it in quotes")
    return value


def url(key: str, value: Any) -> str:
    return check_url(text(key, value), key)


def check_url(value: str, key: str = "URL") -> str:
    """The URL, if it is an http(s) URL with a host and no password in it; else ConfigError."""
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as error:
        raise ConfigError(
            f"{key}: {value!r} is not a URL: {error}", "write it like https://docs.example.com/"
        ) from error
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or not port_is_fine or controls(value):
        raise ConfigError(f"{key}: {value!r} is not an http or https URL", "write it like https://docs.example.com/")
    if parts.username or parts.password:
        raise ConfigError(
            f"{key} holds a user name or password; it would end up in commits",
            'use `headers: {Authorization: "${TOKEN}"}` and set TOKEN in the environment',
        )
    return value


def controls(value: str) -> bool:
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
        or controls("".join(parts).replace(" ", ""))
    ):
        raise ConfigError(f"{key}: {value!r} cannot hold a bundle", "choose a directory of its own, like docs/example")
    return "/".join(parts)


def bundle(key: str, value: Any) -> str:
    return check_bundle(text(key, value), key)


def flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false, not {value!r}")
    return value


def number(low: float, high: float) -> Callable[[str, Any], float]:
    def check(key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ConfigError(f"{key} must be a number from {low:g} to {high:g}, not {value!r}")
        return float(value)

    return check


def count(low: int, high: int) -> Callable[[str, Any], int]:
    def check(key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigError(f"{key} must be a whole number from {low} to {high}, not {value!r}")
        return value

    return check


def texts(key: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise ConfigError(f"{key} must be a list of texts, not {value!r}")
    return tuple(values)


def selector(key: str, value: Any) -> str:
    """A CSS selector, or the name of a preset, which is one too."""
    from cssselect import HTMLTranslator, SelectorError

    said = text(key, value)
    try:
        HTMLTranslator().css_to_xpath(said)
    except SelectorError as error:
        raise ConfigError(f"{key}: {said!r} is no CSS selector: {error}", "write it like div.article") from None
    return said


def selectors(key: str, value: Any) -> tuple[str, ...]:
    return tuple(selector(key, said) for said in texts(key, value))


_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def interval(key: str, value: Any) -> str:
    """A length of time: a number and `s`, `m`, `h` or `d`."""
    said = text(key, value)
    if not _LENGTH.fullmatch(said):
        raise ConfigError(f"{key}: {said!r} is no length of time", "write it like 30m, 6h or 1d")
    return said


def seconds(said: str) -> float:
    """Of a length of time that was checked."""
    match = _LENGTH.fullmatch(said)
    assert match is not None
    return float(match[1]) * _UNITS[match[2]]


def line(key: str, value: Any) -> str:
    said = text(key, value)
    if not said.isprintable():
        raise ConfigError(f"{key} must be one line of text, not {said!r}")
    return said


def one_of(*words: str) -> Callable[[str, Any], str]:
    def check(key: str, value: Any) -> str:
        if value not in words:
            raise ConfigError(f"{key} must be one of {', '.join(words)}, not {value!r}")
        return str(value)

    return check


def headers(key: str, value: Any) -> tuple[tuple[str, str], ...]:
    pairs = mapping(value, key)
    for name, said in pairs.items():
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not isinstance(said, str) or controls(said.replace(" ", "")):
            raise ConfigError(f"{key}: {name!r} is not a header with a text value")
        if name.lower() in ("authorization", "cookie", "proxy-authorization") and not PLACEHOLDER.search(said):
            raise ConfigError(
                f"{key}: the value of {name} is written into {FILE_NAME}",
                f'take it from the environment: {name}: "${{NAME}}"',
            )
    return tuple(sorted(pairs.items()))


def secret(key: str, value: Any) -> str:
    """`${NAME}` and nothing else: what it stands for is read from the environment when it is needed."""
    said = text(key, value)
    if not PLACEHOLDER.fullmatch(said):
        raise ConfigError(
            f"{key}: the value is written into {FILE_NAME}", f'take it from the environment: {key}: "${{NAME}}"'
        )
    return said


def prefix(key: str, value: Any) -> str:
    said = text(key, value)
    if not said.startswith("/") or controls(said):
        raise ConfigError(f"{key} must be a URL path that begins with '/', not {value!r}")
    return said


def origin(key: str, value: Any) -> str:
    """`https://host`, without path, query or trailing slash."""
    said = url(key, value).rstrip("/")
    parts = urlsplit(said)
    if parts.path or parts.query or parts.fragment:
        raise ConfigError(f"{key}: {value!r} has more than a host", "write it like https://open.feishu.cn")
    return said


def repository(key: str, value: Any) -> str:
    """The address of a git repository: https, ssh (as URL or `host:path`), or a local path; http on loopback only."""
    said = text(key, value)
    refused = ConfigError(
        f"{key}: {said!r} is not the address of a git repository",
        "write it like https://github.com/acme/skills.git, git@host:acme/skills.git or ../skills.git",
    )
    if not said or said.startswith("-") or controls(said.replace(" ", "")) or "::" in said.split("/", 1)[0]:
        raise refused
    if "://" not in said:
        return said
    try:
        parts = urlsplit(said)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        fine = parts.scheme in ("https", "ssh") or (parts.scheme == "http" and local)
    except ValueError:
        raise refused from None
    if not fine or not parts.hostname:
        raise refused
    if parts.password or (parts.username and parts.scheme != "ssh"):
        raise ConfigError(
            f"{key} holds a user name or password; it would end up in commits",
            "leave it out: git asks its credential helpers (git help credentials)",
        )
    return said


def revision(key: str, value: Any) -> str:
    """A branch, a tag, or a full commit id."""
    said = text(key, value)
    if not re.fullmatch(r"[^\s~^:?*\[\\\x00-\x20\x7f-]\S*", said) or ".." in said or "@{" in said or controls(said):
        raise ConfigError(f"{key}: {said!r} is no branch, tag or commit id", "write it like main or v1.2")
    return said


def fields_of(checks: Mapping[str, Check]) -> Callable[[str, Any], dict[str, Any]]:
    """A mapping whose keys have checks of their own; an unknown key is refused."""

    def check(key: str, value: Any) -> dict[str, Any]:
        data = mapping(value, key)
        only(data, tuple(checks), key)
        return {name: checks[name](f"{key}.{name}", said) for name, said in data.items() if said is not None}

    return check


def mapping(value: Any, key: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
        raise ConfigError(f"{key} must be a mapping of names to values, not {value!r}")
    return value


def only(data: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in allowed:
            place = f" in {where}" if where else f" in {FILE_NAME}"
            raise ConfigError(f"unknown key {key!r}{place}", nearest(key, allowed) or known("keys", allowed))


def nearest(word: str, there: Any) -> str:
    near = difflib.get_close_matches(word, list(there), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def known(what: str, there: Any) -> str:
    return (
        f"known {what}: {', '.join(sorted(there))}"
        if there
        else f"there are no {what} yet; `git okf add URL` writes one"
    )
