"""Which addresses may be connected to. Pure.

The host a person wrote into the configuration may be anything, loopback included. Every other host (a redirect, a
sitemap, an image) must have public addresses only, or stand in the source's `allow_hosts`. What is judged is the
address that is then connected to, never the name: a name may resolve to something else the next time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from git_okf.errors import ConfigError
from git_okf.source.web.host import ascii_host

Address = IPv4Address | IPv6Address

# Named here, because what `ipaddress` calls global differs between versions of Python.
_REFUSED4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT; a cloud's metadata service
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link-local; the clouds' metadata services
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # former 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/3",  # multicast, reserved, broadcast
        ),
    )
)
_GLOBAL6 = IPv6Network("2000::/3")  # the only part of IPv6 that is given out for the public network
_REFUSED6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))  # Teredo and kin, documentation
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")


class Refused(Exception):
    """A host that must not be connected to; the text says which address and why."""


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public network. An IPv6 address that carries an IPv4 one is judged by that."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED4)
    inner = _carried(address)
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL6 and not any(address in network for network in _REFUSED6)


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address inside a mapped, NAT64 (RFC 6052) or 6to4 (RFC 3056) address."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return None


def literal(host: str) -> Address | None:
    """The address a host is, in any notation (`2130706433`, `0x7f.1`, `[::1]`); None for a name."""
    bare = host.removeprefix("[").removesuffix("]")
    text = ascii_host(f"[{bare}]" if ":" in bare else bare)
    try:
        return ip_address((text or "").removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Policy:
    """The hosts of one source that need no public address."""

    trusted: frozenset[str]

    @staticmethod
    def of(own: Iterable[str], allowed: Iterable[str]) -> Policy:
        """`own`: what a person wrote as the source; `allowed`: its `allow_hosts`. ConfigError for what is no host."""
        names = set()
        for name in (*own, *allowed):
            known = ascii_host(f"[{name}]" if ":" in name and not name.startswith("[") else name)
            if known is None:
                raise ConfigError(f"allow_hosts: {name!r} is not a host name", "write it like intranet.example.com")
            names.add(_bare(known))
        return Policy(frozenset(names))

    def trusts(self, host: str) -> bool:
        return _bare(host.lower()) in self.trusted

    def check_literal(self, host: str) -> None:
        """Refused if the host is an address that must not be connected to; a name passes, its addresses come next."""
        address = literal(host)
        if address is not None:
            self.check(host, [str(address)])

    def check(self, host: str, addresses: Iterable[str]) -> None:
        """Refused unless the host is trusted or each address it resolved to is public."""
        if self.trusts(host):
            return
        for text in addresses:
            if not is_public(ip_address(text.partition("%")[0])):
                shown = host if host == text else f"{host} ({text})"
                raise Refused(f"{shown} is not a public address; add it to `allow_hosts` if it is meant")


def _bare(host: str) -> str:
    return host.removeprefix("[").removesuffix("]").removesuffix(".")
