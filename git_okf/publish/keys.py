"""The key of an object: the path of the file in the repository, below the prefix of `publish.url`. Pure.

Everything of our own lies below `.okf/` there, so no file of a repository may be published to it.
"""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

from git_okf.publish.values import StorageRefused

OWN = ".okf"
LIMIT = 1024
"""Bytes of a key, prefix included (S3, "Object key naming guidelines")."""
LISTINGS = ("index.md", "log.md")
"""Files that lead to others."""


def split(url: str) -> tuple[str, str]:
    """`s3://bucket/a/b` -> `bucket` and `a/b`. StorageRefused where the prefix could not begin a key."""
    parts = urlsplit(url)
    prefix = parts.path.strip("/")
    if prefix and (reason := _reason(prefix)):
        raise StorageRefused(f"publish.url: the prefix {prefix!r} cannot be used: {reason}", "correct it in .okf.yaml")
    return parts.netloc, prefix


def key_of(path: str, prefix: str = "") -> str:
    """The key of a file, without the prefix: its path, NFC. StorageRefused where no storage would keep it as it is."""
    key = unicodedata.normalize("NFC", path)
    reason = _reason(key)
    if not reason and key.partition("/")[0].casefold() == OWN:
        reason = f"{OWN}/ is where the manifests of git-okf are"
    if not reason and len(f"{prefix}/{key}".encode()) > LIMIT:
        reason = f"it has more than {LIMIT} bytes, prefix included"
    if reason:
        raise StorageRefused(
            f"{path!r} cannot be the key of an object: {reason}. Nothing was published",
            "give the file another name, or the source another `bundle`",
        )
    return key


def manifest_key(source: str) -> str:
    """Where the manifest of a source is."""
    return f"{OWN}/{source}.json"


def rank(key: str) -> int:
    """When an object is written: content first, then the listings, the deepest first, so that none leads to what is
    not there yet."""
    return 0 if key.rpartition("/")[2] not in LISTINGS else LIMIT - key.count("/")


def _reason(key: str) -> str:
    if any(part in ("", ".", "..") for part in key.split("/")):
        return "it has an empty part, `.` or `..`"
    if any(ch < " " or "\x7f" <= ch <= "\x9f" for ch in key):
        return "it has control characters"
    if any("\ud800" <= ch <= "\udfff" for ch in key):
        return "it is not UTF-8"
    return "it has a backslash, which some storages take for `/`" if "\\" in key else ""
