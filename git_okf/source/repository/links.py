"""Where people see a file of an upstream at one commit: by what is known of hosts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from git_okf.source.repository.address import Address


class Forge(StrEnum):
    """The software a host shows its repositories with."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"  # and Forgejo
    BITBUCKET = "bitbucket"


_HOSTS: Mapping[str, Forge] = MappingProxyType(
    {
        "github.com": Forge.GITHUB,
        "gitlab.com": Forge.GITLAB,
        "bitbucket.org": Forge.BITBUCKET,
        "codeberg.org": Forge.GITEA,
        "gitea.com": Forge.GITEA,
    }
)
_FIRST: Mapping[str, Forge] = MappingProxyType(
    {"github": Forge.GITHUB, "gitlab": Forge.GITLAB, "gitea": Forge.GITEA, "forgejo": Forge.GITEA}
)
"""The first label of a host that is called after its software: `gitlab.example.org`."""
_OURS = (("GITHUB_SERVER_URL", Forge.GITHUB), ("CI_SERVER_URL", Forge.GITLAB))
"""What CI says of the host it runs on. Gitea's says the first, and `GITEA_ACTIONS` too."""
_SAFE = "/~!$&'*+,;=:@-._"


def forge_of(host: str, environ: Mapping[str, str] = MappingProxyType({})) -> Forge | None:
    """What a host runs; None where its name does not tell, and CI does not."""
    known = _HOSTS.get(host) or _FIRST.get(host.partition(".")[0] if "." in host else "")
    if known or not host:
        return known
    for name, forge in _OURS:
        if (urlsplit(environ.get(name, "")).hostname or "").lower() == host:
            return Forge.GITEA if forge is Forge.GITHUB and environ.get("GITEA_ACTIONS") else forge
    return None


def home(address: Address) -> str:
    """The repository's page, which is its address without `.git`; "" for a local path."""
    if address.protocol == "file":
        return ""
    parts = urlsplit(address.url) if "://" in address.url else None
    port = f":{parts.port}" if parts and parts.port and parts.scheme != "ssh" else ""
    host = f"[{address.host}]" if ":" in address.host else address.host
    scheme = "http" if address.protocol == "http" else "https"
    return f"{scheme}://{host}{port}/{_quoted(address.name)}"


def permalink(
    address: Address,
    commit: str,
    path: str,
    *,
    folder: bool = False,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A file (or `folder`) at one commit, for ever; "" where nobody is known to show it. `path` "" is the root."""
    forge = forge_of(address.host, environ)
    if forge is None:
        return ""
    word = "tree" if folder or not path else "blob"
    where = {
        Forge.GITHUB: f"{word}/{commit}",
        Forge.GITLAB: f"-/{word}/{commit}",
        Forge.GITEA: f"src/commit/{commit}",
        Forge.BITBUCKET: f"src/{commit}",
    }[forge]
    return f"{home(address)}/{where}" + (f"/{_quoted(path)}" if path else "")


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe=_SAFE)
