"""Where a repository is. Pure.

`git` and `skills` take https, ssh (a URL, or `host:path` as scp writes it) and local paths; http reaches this machine
alone. Nothing else: `ext::` runs commands, `git://` and http can be read and changed on the way, a leading `-` is an
option. Credentials never stand in an address: git asks its credential helpers for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from git_okf.errors import ConfigError

_SCP = re.compile(r"(?P<user>[\w.-]+@)?(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\]):(?P<path>[^:].*)", re.ASCII)
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_HINT = "write it like https://github.com/acme/skills.git, git@host:acme/skills.git or ../skills.git"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A repository as git is told of it."""

    url: str
    """What git gets: a URL, `user@host:path`, or an absolute path."""
    protocol: str
    """https, ssh, http or file: the one git may speak, and no other."""
    host: str
    """In lower case; "" for a local path."""
    name: str
    """Owner and repository as people know them (`acme/skills`), the last part of a local path."""
    shown: str
    """For reports and records: as a person wrote it."""
    pinned: str = ""
    """The network address to connect to, where a redirect led to a host that nobody wrote."""

    @property
    def allowed(self) -> frozenset[str]:
        """The protocols git may use. A person's own `url.*.insteadOf` may turn https into ssh and back."""
        return frozenset({"https", "ssh"}) if self.protocol in ("https", "ssh") else frozenset({self.protocol})


def parse(said: str, root: Path) -> Address:
    """The address that a person wrote; a relative path begins at `root`. ConfigError with the way to write it."""
    if not said or said != said.strip() or said.startswith("-") or not said.isprintable():
        raise ConfigError(f"{said!r} is not the address of a git repository", _HINT)
    if "://" in said:
        return _of_url(said)
    if _HELPER.match(said):
        raise ConfigError(f"{said!r} names a helper program, which is never started", _HINT)
    scp = _SCP.fullmatch(said)
    if scp:
        return _of_scp(said, scp)
    path = (root / said).absolute()
    return Address(url=str(path), protocol="file", host="", name=path.name.removesuffix(".git"), shown=said)


def _of_url(said: str) -> Address:
    try:
        parts = urlsplit(said)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise ConfigError(f"{said!r} is not the address of a git repository", _HINT) from None
    if parts.password is not None or (parts.username is not None and parts.scheme != "ssh"):
        raise ConfigError(
            f"the address of the repository at {host} holds a user name or password; it would end up in commits",
            "leave it out: git asks its credential helpers (git help credentials)",
        )
    wellformed = host and not host.startswith("-") and not (parts.username or "").startswith("-")
    if not wellformed or not parts.path.strip("/") or parts.query or parts.fragment or "\\" in said:
        raise ConfigError(f"{said!r} is not the address of a git repository", _HINT)
    if parts.scheme == "http" and not is_loopback(host):
        raise ConfigError(f"{said!r} would be read over http, where anybody can change it", "write https://")
    if parts.scheme not in ("https", "ssh", "http"):
        raise ConfigError(f"{said!r}: {parts.scheme} is not spoken", _HINT)
    shown_host = f"{host}:{port}" if port else host
    return Address(
        url=said, protocol=parts.scheme, host=host, name=_name(parts.path) or shown_host, shown=said
    )  # fmt: skip


def _of_scp(said: str, scp: re.Match[str]) -> Address:
    host, user = scp["host"].strip("[]").lower(), scp["user"] or ""
    if host.startswith("-") or user.startswith("-"):
        raise ConfigError(f"{said!r} is not the address of a git repository", _HINT)
    return Address(url=said, protocol="ssh", host=host, name=_name(scp["path"]), shown=said)


def _name(path: str) -> str:
    return path.strip("/").removesuffix(".git").rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name, without asking for its address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def same_repository(one: Address, other: Address) -> bool:
    """Whether two addresses name one repository, whatever the protocol and the spelling."""
    return (one.host, one.name.lower()) == (other.host, other.name.lower()) and (one.host != "" or one.url == other.url)
