"""`kind: feishu`: the articles in a folder of Feishu or Lark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from git_okf.config import source, values
from git_okf.config.source import SourceConfig
from git_okf.config.values import Check, text
from git_okf.errors import ConfigError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """The names of an article folder's sub-folders, one a content type; matched exactly (seed 004)."""

    article: str = "文章"
    podcast: str = "播客"
    slides: str = "PPT"
    html: str = "html"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeishuSource(SourceConfig):
    """A folder: each document in it is an article, and so is each folder that has a sub-folder for the article."""

    kind: str = "feishu"
    url: str = ""
    base_url: str = "https://open.feishu.cn"
    """Of the API: https://open.feishu.cn, or https://open.larksuite.com."""
    folder: str
    app_id: str
    app_secret: str
    types: Types = field(default_factory=Types)
    thumbnails: bool = True
    """A cover 400 pixels wide as WebP, where Pillow is installed."""
    max_file_bytes: int = 100 * MIB
    """Larger audio, slides and pages are reported, not taken."""
    lfs: bool = False
    """Keep audio, slides and pages of more than a mebibyte in git-lfs."""
    requests_per_second: float = 4.0
    allow_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Without an address of its own, the folder's on the API's host: enough to tell people which one it is."""
        if not self.url:
            object.__setattr__(self, "url", f"{self.base_url}/drive/folder/{self.folder}")

    @property
    def large_files(self) -> str:
        return f"{self.bundle}/large/**" if self.lfs else ""

    def identity(self) -> dict[str, Any]:
        return {"kind": self.kind, "base_url": self.base_url, "folder": self.folder, "bundle": self.bundle}


def _token(key: str, value: Any) -> str:
    said = text(key, value)
    if not said or not said.isascii() or not said.isalnum():
        raise ConfigError(f"{key}: {said!r} is no token", "it is the last part of the folder's address")
    return said


_TYPES = values.fields_of(dict.fromkeys(("article", "podcast", "slides", "html"), values.line))

CHECKS: Mapping[str, Check] = {
    **source.CHECKS,
    "base_url": values.origin,
    "folder": _token,
    "app_id": values.secret,
    "app_secret": values.secret,
    "types": lambda key, value: Types(**_TYPES(key, value)),
    "thumbnails": values.flag,
    "max_file_bytes": values.count(1024, 10 * 1024**3),
    "lfs": values.flag,
    "requests_per_second": values.number(0.1, 100),
    "allow_hosts": values.texts,
}
NEEDED = ("folder", "app_id", "app_secret", "bundle")
