"""How GitHub limits requests, whoever asks it (reference: docs.github.com, "Rate limits for the REST API")."""

from __future__ import annotations

from git_okf.jsonapi.answers import Answer, Limited, reason_of, retry_after


def limit(answer: Answer) -> Limited | None:
    """The limit that refused a request, by its headers first, its words second; None where it was none: every other 403
    is a permission."""
    if answer.status not in (403, 429):
        return None
    reason = reason_of(answer)
    if "retry-after" in answer.headers:
        return Limited(reason, retry_after(answer))
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return Limited(reason, _until_reset(answer))
    said = reason.lower()
    return Limited(reason) if answer.status == 429 or "rate limit" in said or "abuse" in said else None


def _until_reset(answer: Answer) -> float | None:
    try:
        reset = float(answer.headers.get("x-ratelimit-reset", ""))
    except ValueError:
        return None
    return max(0.0, reset - answer.received.timestamp()) + 1.0
