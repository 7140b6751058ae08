"""Where a redirect may lead: to the same origin as it is, elsewhere without our token and to public addresses only."""

from __future__ import annotations

import ipaddress
import socket
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """A place we do not go to; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One request on the way to an answer."""

    method: str
    url: str
    content: bytes | None = None
    ours: bool = True
    """The origin is the API's own: our credentials go with it."""

    @property
    def host(self) -> str:
        return (urlsplit(self.url).hostname or "").lower()


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port. Raises Unreachable where a URL names none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Unreachable("a URL that is none") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise Unreachable("a URL that is neither http nor https")
    return parts.scheme, parts.hostname.lower(), port or DEFAULT_PORTS[parts.scheme]


def redirected(hop: Hop, location: str, base: str, *, elsewhere: bool) -> Hop:
    """The request a redirect asks for: method and body kept (a 301 of a renamed repository is no reason to read where
    we meant to write). `elsewhere`: other origins are allowed, for reading, and never from https to http."""
    url = urljoin(hop.url, location)
    there = origin(url)
    ours = there == origin(base)
    if not ours and (not elsewhere or hop.content is not None or hop.method != "GET"):
        raise Unreachable(f"a redirect to another host, {there[1]}")
    if there[0] == "http" and hop.url.startswith("https:"):
        raise Unreachable(f"a redirect from https to http, {there[1]}")
    return replace(hop, url=url, ours=ours)


def pinned(url: str, allowed: Sequence[str]) -> str:
    """The address to connect to for a host that nobody named in the configuration; "" where a proxy connects for us,
    or the host is one of those `allowed`. Raises Unreachable unless all its addresses are public, because a redirect
    must not lead into the network we run in."""
    scheme, host, port = origin(url)
    if host in allowed:
        return ""
    if urllib.request.getproxies().get(scheme) and not urllib.request.proxy_bypass(host):
        return ""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise Unreachable(f"a redirect to {host}, which has no address") from None
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not all(_public(address) for address in addresses):
        raise Unreachable(f"a redirect to {host}, which is no public address")
    return addresses[0]


def _public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            address = inner
    return address.is_global and not address.is_multicast
