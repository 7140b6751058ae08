"""Where people see a repository's files: its address on the web, by what is known of hosts. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from git_okf.source.skills import paths

_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+):(?!//)(?P<path>[^\s]+)\Z")
_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A repository as a browser finds it; `base` is "" where no host is known to show it."""

    base: str
    forge: str = ""
    """github, gitlab, gitea, bitbucket; "" for an unknown host."""

    def file(self, revision: str, path: str) -> str:
        """The address of a file or directory at a branch, tag or commit; "" where nobody shows one."""
        return self._at(revision, path, "blob")

    def directory(self, revision: str, path: str) -> str:
        """The same for a directory."""
        return self._at(revision, path, "tree")

    def _at(self, revision: str, path: str, word: str) -> str:
        tail = "" if path == paths.ROOT else "/" + quote(path, safe="/~!$&'*+,;=:@-._")
        rev = quote(revision, safe="/~-._")
        if self.forge == "github":
            return f"{self.base}/{word}/{rev}{tail}"
        if self.forge == "gitlab":
            return f"{self.base}/-/{word}/{rev}{tail}"
        if self.forge == "gitea":
            kind = "commit" if _FULL_ID.match(revision) else "branch"
            return f"{self.base}/src/{kind}/{rev}{tail}" if revision != "HEAD" else ""
        if self.forge == "bitbucket":
            return f"{self.base}/src/{rev}{tail}"
        return ""


def of(url: str) -> Web:
    """The repository behind what git clones: https, ssh, or `user@host:path`. No user name or password is kept."""
    scp = _SCP.match(url)
    if scp and "://" not in url:
        host, port, path = scp["host"], "", scp["path"]
    else:
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
            port = f":{parts.port}" if parts.port and parts.scheme in ("http", "https") else ""
        except ValueError:
            return Web(base="")
        path = parts.path
        if parts.scheme not in ("http", "https", "ssh", "git+ssh") or not host:
            return Web(base="")
    inner = path.strip("/").removesuffix(".git")
    base = f"https://{host}{port}/{quote(inner, safe='/~-._')}"
    return Web(base=base, forge=_forge(host.lower()))


def _forge(host: str) -> str:
    if host == "github.com" or host.startswith("github."):
        return "github"
    if host == "gitlab.com" or host.startswith("gitlab."):
        return "gitlab"
    if host == "bitbucket.org":
        return "bitbucket"
    return "gitea" if host == "codeberg.org" or host.startswith(("gitea.", "forgejo.")) else ""


def repository_name(url: str) -> str:
    """The last part of a repository's address: what a clone's directory would be called."""
    last = re.split(r"[/:]", url.rstrip("/").removesuffix("/.git"))[-1]
    return last.removesuffix(".git") or "repository"
