"""A repository that says it lives elsewhere now: hosts redirect the old name of one that was renamed or transferred.

git is not let follow by itself: it would go wherever a host sends it, with the credentials for that place. It is asked
for the answer's `Location` (its own HTTP, so proxies and credentials are those of the first question), and where the
place is one we go to, it is asked there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from git_okf.errors import ConfigError
from git_okf.jsonapi import reach
from git_okf.source.repository.address import Address, is_loopback, parse
from git_okf.source.repository.errors import KEPT, Unreachable
from git_okf.source.repository.transport import Transport

MOST = 5
_REFS = "/info/refs"
_REDIRECT = re.compile(r"The requested URL returned error: 30[1278]\b")
_LOCATION = re.compile(rb"<= Recv header: location: *(\S+)", re.IGNORECASE)
_TRACE = {"GIT_TRACE_CURL": "1", "GIT_TRACE_CURL_NO_DATA": "1", "GIT_TRACE_REDACT": "1"}


def is_redirect(said: str) -> bool:
    """Whether git was sent elsewhere and did not go."""
    return _REDIRECT.search(said) is not None


def target(transport: Transport, address: Address) -> Address:
    """Where a repository that answered with a redirect says it is. Unreachable where we do not go there."""
    done = transport.run(address, "ls-remote", "--quiet", "--", address.url, extra=_TRACE)
    found = _LOCATION.findall(done.stderr)
    if not found:
        raise Unreachable(f"{address.shown} redirects, and does not say where to; {KEPT}")
    url = urljoin(address.url.rstrip("/") + _REFS, found[-1].decode("utf-8", "replace"))
    parts = urlsplit(url)
    if not parts.path.endswith(_REFS):
        raise Unreachable(f"{address.shown} redirects to what is no repository; {KEPT}", "was it moved or deleted?")
    try:
        new = parse(parts._replace(path=parts.path.removesuffix(_REFS), query="", fragment="").geturl(), Path())
    except ConfigError as error:
        raise Unreachable(f"{address.shown} redirects to an address that is not followed; {KEPT}") from error
    if new.protocol != address.protocol and not is_loopback(address.host):
        raise Unreachable(f"{address.shown} redirects from https to http, which is not followed; {KEPT}")
    return _pinned(new, address, transport)


def _pinned(new: Address, old: Address, transport: Transport) -> Address:
    """The new address, bound to the public network address its host has now; the old one's host needs no proof."""
    if new.host == old.host:
        return replace(new, pinned=old.pinned)
    try:
        place = reach.pinned(new.url, transport.allow_hosts)
    except reach.Unreachable as error:
        raise Unreachable(
            f"{old.shown}: {error}, which is not followed; {KEPT}",
            "if it is meant, write the new address into .okf.yaml",
        ) from error
    if not place:
        return new
    _, host, port = reach.origin(new.url)
    return replace(new, pinned=f"{host}:{port}:{f'[{place}]' if ':' in place else place}")
