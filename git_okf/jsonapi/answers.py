"""Answers of JSON APIs and what they mean. Pure.

Error bodies differ: GitHub `{"message", "errors": [{"field", "code", "message"?}]}`, GitLab `{"message": str | [str] |
{field: [str]}}` or `{"error"}`, Gitea `{"message"}`, Feishu `{"code", "msg"}`; `reason_of` reads all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from git_okf.errors import OkfError, SourceUnavailable

REASON_LIMIT = 300
"""Characters of an API's own words in an error."""
_PASSING = (408, 425, 500, 502, 503, 504, *range(520, 531))
"""Statuses of trouble that passes: RFC 9110, and what a proxy of Cloudflare's says for its origin."""


class ApiRefused(OkfError):
    """The API says no, and would again. `status` is that of HTTP, `reason` its own words, `answer` all of it."""

    code = "api-refused"

    def __init__(self, message: str, hint: str = "", *, reason: str = "", answer: Answer | None = None) -> None:
        super().__init__(message, hint)
        self.reason = reason
        self.answer = answer

    @property
    def status(self) -> int:
        return self.answer.status if self.answer else 0


class ApiUnavailable(SourceUnavailable):
    """The API cannot be asked now: no connection, trouble of its own, or a rate limit that lasts too long for us."""

    code = "api-unavailable"


class ApiUncertain(ApiUnavailable):
    """A request that must not be repeated broke off: look whether it was carried out before trying again."""

    code = "api-uncertain"


@dataclass(frozen=True)
class Answer:
    """What came back. Header names are in lower case; `received` is the time by our clock."""

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    received: datetime

    @cached_property
    def data(self) -> Any:
        """The JSON value of the body; None where there is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def is_json(self) -> bool:
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind == "application/json" or kind.endswith("+json")


@dataclass(frozen=True, slots=True)
class Ok:
    """The answer is what was asked for."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Trouble that passes. `after` seconds; None: the client's own backoff."""

    reason: str
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Limited:
    """A rate limit: nothing was carried out. `after` seconds; None where the host did not say (60, then doubled)."""

    reason: str
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Refresh:
    """The token is no longer valid: get a new one and try once more."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The same request would be refused again. `hint`: what a person can do about it."""

    reason: str
    hint: str = ""


Verdict = Ok | Retry | Limited | Refresh | Refused


def classify_http(answer: Answer) -> Verdict:
    """What an answer means by its status alone: RFC 9110 and RFC 6585, no host's own rules."""
    if 200 <= answer.status < 300:
        return Ok()
    reason = reason_of(answer)
    if answer.status == 429:
        return Limited(reason, retry_after(answer))
    if answer.status in _PASSING:
        return Retry(reason, retry_after(answer))
    return Refused(reason)


def retry_after(answer: Answer) -> float | None:
    """Seconds of `Retry-After` (RFC 9110 10.2.3: a number, or a date), never negative; None where it says nothing."""
    text = answer.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (until - answer.received).total_seconds()) if until.tzinfo else None


def reason_of(answer: Answer) -> str:
    """The API's own words for an error, on one line and bounded; `HTTP 502` where it has none."""
    words = "; ".join(dict.fromkeys(_words(answer.data)))
    text = " ".join("".join(ch if ch.isprintable() else " " for ch in words).split())
    if len(text) > REASON_LIMIT:
        text = text[: REASON_LIMIT - 1] + "…"
    return f"HTTP {answer.status}: {text}" if text else f"HTTP {answer.status}"


def _words(data: Any) -> Iterator[str]:
    if not isinstance(data, dict):
        return
    for name in ("message", "msg", "error", "error_description"):
        yield from _said(data.get(name))
    errors = data.get("errors")
    for error in errors[:10] if isinstance(errors, list) else []:
        if isinstance(error, dict) and not error.get("message"):
            yield " ".join(str(error[key]) for key in ("resource", "field", "code") if error.get(key))
        else:
            yield from _said(error.get("message") if isinstance(error, dict) else error)


def _said(value: Any) -> Iterator[str]:
    """The sentences in a string, a list of strings, or a mapping of field names to either."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (str(each) for each in value[:10] if isinstance(each, str))
    elif isinstance(value, dict):
        for field, said in list(value.items())[:10]:
            yield from (f"{field} {sentence}" for sentence in _said(said))


_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^",;\s]*))*)')


def next_page(answer: Answer) -> str:
    """Path and query of the next page by the `Link` header (RFC 8288); "" on the last one.

    Scheme and host of the link are left out: a server behind a proxy often gets them wrong, and the token must not
    follow them.
    """
    for target, parameters in _LINK.findall(answer.headers.get("link", "")):
        rel = re.search(r';\s*rel\s*=\s*"?([^";]*)"?', parameters, re.IGNORECASE)
        if rel and "next" in rel[1].lower().split():
            parts = urlsplit(target)
            return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return ""
