"""One request and what came of it, as values: the client's own words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from git_okf.source.web import url as urls

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class FetchError(Exception):
    """One URL could not be had. `retryable`: the next run should ask again; else it will not until the item changes."""

    def __init__(self, reason: str, *, retryable: bool, status: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.status = status
        """Of the answer that was refused, 0 where there was none."""


@dataclass(slots=True)
class Budget:
    """Seconds a page may still take."""

    left: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of a URL, whichever redirects lead to it."""

    method: str
    accept: str
    etag: str
    last_modified: str
    limit: int
    """Bytes of a decoded body."""
    no_cache: bool = False

    def headers(self, base: Mapping[str, str], *, keep_accept: bool) -> dict[str, str]:
        headers = dict(base)
        if not keep_accept:
            headers["Accept"] = self.accept
        # Byte for byte as the server gave them; our own clock is never a validator (RFC 9110, section 13.1).
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        if self.no_cache:
            headers["Cache-Control"] = "no-cache"
        return headers

    def is_baseless(self, status: int) -> bool:
        """304 although nothing was named that could be unmodified."""
        return status == 304 and not self.etag and not self.last_modified

    def afresh(self) -> Asked:
        """The same without validators, and past caches that answer for the server."""
        return Asked(self.method, self.accept, "", "", self.limit, no_cache=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the server, whatever it says."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, or none that counts."""

    reason: str
    again: bool
    """Worth another try in this run."""
    retryable: bool = True
    """Worth another try in the next."""
    status: int = 0


def failure(outcome: Reply | Failure) -> Failure:
    """The failure that an exchange was, or that a reply means."""
    if isinstance(outcome, Failure):
        return outcome
    if outcome.status == 304:
        return Failure("304 to a request without validators", again=True, status=304)
    try:
        phrase = HTTPStatus(outcome.status).phrase
    except ValueError:
        phrase = ""
    return Failure(f"{outcome.status} {phrase}".strip(), again=True, status=outcome.status)


def redirect_target(reply: Reply, url: str) -> str:
    """Where a redirect leads, "" if it is none. FetchError if it leads to something that cannot be requested."""
    if reply.status not in REDIRECTS:
        return ""
    location = reply.headers.get("location", "")
    if not location:
        return ""
    # Header bytes outside ASCII were meant to stand in the URL as they are.
    raw = location.encode("utf-8", "surrogateescape")
    target = urls.clean("".join(chr(b) if b < 128 else f"%{b:02X}" for b in raw), url)
    if target is None:
        raise FetchError("redirects to something that is no http or https URL", retryable=False, status=reply.status)
    return target
