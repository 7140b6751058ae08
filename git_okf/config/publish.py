"""`publish:`: the object storage that bundles are published to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from git_okf.config import source, values
from git_okf.config.source import Removal
from git_okf.config.values import Check
from git_okf.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Where to, and how careful. Keys are read from the environment as AWS tools read them."""

    url: str
    """`s3://bucket/prefix`."""
    endpoint: str = ""
    """The API's address, or `${NAME}`; "": AWS."""
    region: str = ""
    cache_control: str = "no-cache"
    """For every object but those whose name is a hash of their content, which never change."""
    conditional: bool = True
    """Writes have conditions, so that two publishers cannot undo each other. Off: for a storage that ignores them,
    where nobody else ever publishes."""
    threshold: float = 0.5
    removal: Removal = field(default_factory=Removal)


def _bucket(key: str, value: Any) -> str:
    said = values.line(key, value)
    parts = urlsplit(said)
    if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(f"{key}: {said!r} is no bucket", "write it like s3://bucket/prefix")
    return said.rstrip("/")


def _endpoint(key: str, value: Any) -> str:
    said = values.text(key, value)
    return said if values.PLACEHOLDER.fullmatch(said) else values.url(key, said).rstrip("/")


CHECKS: Mapping[str, Check] = {
    "url": _bucket,
    "endpoint": _endpoint,
    "region": values.line,
    "cache_control": values.line,
    "conditional": values.flag,
    "threshold": values.number(0, 1),
    "removal": source.removal,
}


def publish(key: str, value: Any) -> Publish:
    """The section as frozen values."""
    said = values.fields_of(CHECKS)(key, value)
    if "url" not in said:
        raise ConfigError(f"{key} has no `url`", f"add `url: s3://bucket/prefix` to it in {values.FILE_NAME}")
    return Publish(**said)
