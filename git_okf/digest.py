"""Canonical Markdown, its hashes, and fingerprints. Pure; the one place where "the same content" is decided.

A body has one stable form (`canonical`), the content hash is over exactly its UTF-8 bytes, and where `ignore` rules
exist the hash that is compared is over the body with what they match left out (`compared_hash`). Preview, hook and
sync all call the functions of this module, so that a rule which works in one works in the others.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from git_okf.errors import ConfigError

PATTERN_SECONDS = 1.0
"""How long one `ignore` pattern may work on one page."""

_RELATIVE = r"(?:just now|yesterday|(?:an?|one|\d+)\s+(?:second|minute|hour|day|week|month|year)s?\s+ago)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_MONTH}\s+\d{{1,2}},?\s+\d{{4}}|\d{{1,2}}\.?\s+{_MONTH},?\s+\d{{4}})"
)
_VERSION = r"v?\d+(?:\.\d+)+(?:[-.+]?[a-z0-9]+)*"
_LEAD = r"^[ \t>*_-]*"
"""How a line may begin: marks of quotes, lists and emphasis."""
_COUNTED = r"(?:views?|stars?|forks?|downloads?|likes?|comments?|replies|votes?|followers?|contributors?|shares?)"

IGNORE_PRESETS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "last-updated": (
            rf"(?i){_LEAD}(?:this page was |page |document |site )?"
            r"last[ -](?:updated?|modified|edited|changed|built|reviewed|generated)\b.*$",
            rf"(?i){_LEAD}(?:updated|modified|generated|built|created|published)\s+(?:on|at|by)\b.*\d{{4}}.*$",
            rf"(?i){_LEAD}(?:updated|modified|generated|published|date)\s*:[ *_]*{_DATE}.*$",
            rf"{_LEAD}(?:最后更新|最近更新|上次更新|更新时间|更新于|最終更新|마지막 업데이트|최종 수정).*$",
            rf"(?i){_LEAD}(?:zuletzt (?:aktualisiert|geändert)|dernière (?:mise à jour|modification)"
            r"|última (?:actualización|modificación)|последнее обновление)\b.*$",
        ),
        "relative-time": (
            rf"(?i)\b{_RELATIVE}",
            r"(?:刚刚|昨天|\d+\s*(?:秒|分钟|小时|天|周|个月|月|年)前)",
            r"(?i)\bvor \d+ (?:Sekunden?|Minuten?|Stunden?|Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?)\b",
            r"(?i)\bil y a \d+ \w+\b",
        ),
        "version-stamp": (
            rf"(?i)\b(?:release|version|build|revision)\s*(?:date)?[ *_]*:[ *_]*"
            rf"(?:{_VERSION}|{_DATE}|not released|unreleased)",
            rf"(?i){_LEAD}(?:documentation (?:for )?)?(?:version|release)\s+{_VERSION}[ \t.*_]*$",
            r"(?i)\b(?:commit|revision|rev|build)[ :#`*_]+[0-9a-f]{7,40}\b",
        ),
        "counters": (
            rf"(?i)\b\d[\d.,]*\s*[kmb]?\+?\s+{_COUNTED}\b",
            rf"(?i)\b{_COUNTED}\s*[:(]\s*\d[\d.,]*\s*[kmb]?\)?",
            r"(?:阅读|浏览|点赞|评论|下载)(?:量|数)?\s*[:：(（]?\s*\d[\d.,]*(?:万|亿)?[)）]?",
        ),
        "nonces": (
            r"(?i)\b(?:nonce|csrf[-_]?token|csrfmiddlewaretoken|authenticity_token|request[-_ ]?id|trace[-_ ]?id"
            r"|session[-_ ]?id|ray id)[\"']?\s*[:=]\s*[\"'`]?[\w+/=.-]+",
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            r"(?<=[?&](?:v|ver|version|hash|t|ts|_|cb|rev)=)[\w.-]+",
        ),
    }
)
"""`ignore: [preset:<name>]` stands for these patterns."""

_FENCE = re.compile(r"^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}(?=[^`]*$)|~{3,})")
_QUOTED = re.compile(r"^[ \t>]*")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def canonical(text: str) -> str:
    """The one stable form of a Markdown text; applying it twice changes nothing.

    Line ends are LF. Outside fenced code: Unicode NFC, no trailing blanks, one blank line between blocks. Inside a
    fence every character stays as it is, since code is quoted verbatim. No blank lines around the whole, no final
    newline. Lone surrogates, which have no UTF-8 form, become U+FFFD.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�")
    if not text.isascii():
        text = _with_utf8_form(text)
    lines = text.split("\n")
    if _is_stable(text, lines):
        return text
    lines = list(_stable_lines(lines))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def _with_utf8_form(text: str) -> str:
    """A text without lone surrogates. To encode it tells ten times as fast whether it has any as to look for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def _is_stable(text: str, lines: Sequence[str]) -> bool:
    """Whether a text is in that form already, fences or not, as nearly all are that were made by a converter."""
    return (
        lines[0] != ""
        and lines[-1] != ""
        and "\n\n\n" not in text
        and lines == [line.rstrip() for line in lines]
        and (text.isascii() or unicodedata.is_normalized("NFC", text))
    )


def _stable_lines(lines: Sequence[str]) -> Iterator[str]:
    fence, prefix, blank = "", "", True
    for line in lines:
        if fence and not _leaves(line, prefix):
            yield line
            bare = _QUOTED.sub("", line).rstrip()
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence, blank = "", False
            continue
        fence = ""
        line = _stable(line)
        opened = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opened:
            prefix, fence = opened[1], opened[2]
        if line or not blank:
            yield line
        blank = not line


def _stable(line: str) -> str:
    line = line.rstrip()
    return line if line.isascii() else unicodedata.normalize("NFC", line).rstrip()


def _leaves(line: str, prefix: str) -> bool:
    """Whether a line lies outside the container (quote, list item) in which a fence was opened."""
    quotes = prefix.count(">")
    if quotes:
        return len(line[: len(line) - len(line.lstrip(" \t>"))].replace(" ", "").replace("\t", "")) < quotes
    indent = len(prefix.expandtabs(4))
    item = prefix.strip() != ""
    plain = line.expandtabs(4)
    return item and plain.strip() != "" and len(plain) - len(plain.lstrip(" ")) < indent


def content_hash(body: str) -> str:
    """`sha256:<hex>` of the UTF-8 bytes of a body, exactly as they stand in the file."""
    return raw_hash(body.encode())


def raw_hash(data: bytes) -> str:
    """`sha256:<hex>` of bytes as they came."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def compared_hash(body: str, ignore: Sequence[str]) -> str:
    """Hash of the body with what the `ignore` rules match left out; "" where no rule matched.

    A rule is a regular expression that may match part of a line (`^` and `$` are line ends), or `preset:<name>`.
    Raises ConfigError for an invalid pattern, an unknown preset, and a pattern that works longer than
    PATTERN_SECONDS on this page.
    """
    text = body
    for entry in ignore:
        for pattern in _patterns(entry):
            text = _without(pattern, entry, text)
    return "" if text == body else content_hash(canonical(text))


def _without(pattern: Any, entry: str, text: str) -> str:
    try:
        return str(pattern.sub("", text, timeout=PATTERN_SECONDS))
    except TimeoutError:
        raise ConfigError(
            f"ignore: the pattern {entry!r} works longer than {PATTERN_SECONDS:g} s on one page",
            "avoid nested repetition such as (a+)+, or anchor the pattern with ^",
        ) from None


@lru_cache(maxsize=256)
def _patterns(entry: str) -> tuple[Any, ...]:
    import regex  # slow to load, and most sources have no rules

    texts: Sequence[str] = (entry,)
    if entry.startswith("preset:"):
        name = entry.removeprefix("preset:").strip()
        if name not in IGNORE_PRESETS:
            raise ConfigError(f"ignore: there is no preset {name!r}", f"known presets: {', '.join(IGNORE_PRESETS)}")
        texts = IGNORE_PRESETS[name]
    try:
        return tuple(regex.compile(text, regex.MULTILINE | regex.VERSION0) for text in texts)
    except regex.error as error:
        raise ConfigError(f"ignore: {entry!r} is no valid regular expression: {error}") from None


def blob_id(data: bytes) -> str:
    """The name git has for the content of a file: 40 hex digits."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def lfs_pointer(data: bytes) -> bytes:
    """What git holds of a file that git-lfs keeps (git-lfs, docs/spec.md)."""
    sha256 = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(data)}\n".encode()


def fingerprint(*parts: object) -> str:
    """16 hex digits that change when a part does. Parts are JSON values, or tuples of them."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
