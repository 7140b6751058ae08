"""What a lease says, wherever it lies: in a file of this machine (`lease`) or in a ref of a remote (`remote_lease`).

It is stale when it has expired, or when its holder was a process of this very machine that no longer runs; a process
of another machine is taken for alive.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta

from git_okf.errors import LeaseBusy
from git_okf.store.process import Holder, is_dead, this_process

_NEVER = datetime.fromtimestamp(0, UTC)

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Who holds a source since when and until when. Without a token nobody does; the generation only grows."""

    generation: int
    token: str
    holder: Holder
    acquired: str
    expires: str
    succeeded: str = ""
    """When a run that held it last came to its end; it stays while others hold it."""


class LeaseLost(LeaseBusy):
    """The lease was taken over while this run held it: it must stop and cannot write."""

    code = "lease-lost"


def parse(data: bytes | None) -> Grant | None:
    """The grant in a file or blob; None where no version of ours wrote it, so that nobody can prove to hold it."""
    try:
        facts = json.loads(data or b"null")
        grant = Grant(**{**facts, "holder": Holder(**facts["holder"])})
        _time(grant.expires)
        return grant if isinstance(grant.generation, int) else None
    except (ValueError, TypeError, KeyError):
        return None


def data(grant: Grant) -> bytes:
    """The grant as it is written."""
    return (json.dumps(asdict(grant), sort_keys=True) + "\n").encode()


def taken(before: Grant | None, now: datetime, lifetime: timedelta, environ: Mapping[str, str]) -> Grant:
    """The grant of this process after `before`."""
    return Grant(
        generation=before.generation + 1 if before else 1,
        token=secrets.token_hex(16),
        holder=this_process(environ),
        acquired=_text(now),
        expires=_text(now + lifetime),
        succeeded=before.succeeded if before else "",
    )


def renewed(grant: Grant, now: datetime, lifetime: timedelta) -> Grant:
    """The same grant, good for its whole lifetime again."""
    return replace(grant, expires=_text(now + lifetime))


def released(grant: Grant, succeeded: datetime | None = None) -> Grant:
    """Nobody's; the generation stays. `succeeded`: the time of a run that came to its end."""
    told = _text(succeeded) if succeeded else grant.succeeded
    return replace(grant, token="", expires=_text(_NEVER), succeeded=told)


def has_expired(grant: Grant, now: datetime) -> bool:
    return now >= _time(grant.expires)


def is_free(grant: Grant, now: datetime) -> bool:
    return not grant.token or has_expired(grant, now) or is_dead(grant.holder)


def is_same(a: Grant | None, b: Grant) -> bool:
    """Whether both are one holder's, renewed or not."""
    return a is not None and (a.generation, a.token) == (b.generation, b.token)


def busy(source: str, grant: Grant) -> LeaseBusy:
    return LeaseBusy(
        f"{source} is being synced by {grant.holder} since {grant.acquired[:19]}Z",
        f"wait for it; should it have died, its lease ends at {grant.expires[:19]}Z",
    )


def lost(source: str, there: Grant | None) -> LeaseLost:
    by = f"by {there.holder} since {there.acquired[:19]}Z" if there and there.token else "or removed"
    return LeaseLost(
        f"the lease of {source} was taken over {by}, because this run did not renew it in time; nothing was written",
        "run the sync again when the other run has ended",
    )


def _text(when: datetime) -> str:
    return when.astimezone(UTC).isoformat()


def _time(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)
