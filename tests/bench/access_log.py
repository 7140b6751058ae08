"""Reads the access log that nginx.py asks for: method, status, bytes of body, path. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

FORMAT = "$request_method $status $body_bytes_sent $request_uri"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a server was asked, and what it sent."""

    requests: int = 0
    bodies: int = 0
    """Answers 200 that had a body."""
    not_modified: int = 0
    body_bytes: int = 0
    """Of all answers, error pages included."""


def traffic(lines: Iterable[str]) -> Traffic:
    """Sums a log up. ValueError for a line that is not of FORMAT."""
    requests = bodies = not_modified = size = 0
    for line in lines:
        _, status, sent, _ = line.split(" ", 3)
        requests += 1
        bodies += status == "200" and sent != "0"
        not_modified += status == "304"
        size += int(sent)
    return Traffic(requests, bodies, not_modified, size)
