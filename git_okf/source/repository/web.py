"""Where people see a repository's files: its address on the web, by what is known of hosts. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from git_okf.errors import ConfigError
from git_okf.source.repository import paths
from git_okf.source.repository.address import parse
from git_okf.source.repository.links import Forge, forge_of, home

_SAFE = "/~!$&'*+,;=:@-._"
_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A repository as a browser finds it."""

    base: str
    """Its page, as far as one can know: its address without `.git`. "" for a local path."""
    forge: Forge | None = None

    def file(self, revision: str, path: str) -> str:
        """The address of a file or directory at a branch, tag or commit; "" where nobody shows one."""
        return self._at(revision, path, "blob")

    def directory(self, revision: str, path: str) -> str:
        """The same for a directory."""
        return self._at(revision, path, "tree")

    def resource(self, commit: str, path: str) -> str:
        """What names a package for ever: its permalink, or where no host shows one its path at the repository's
        address; "" for a local one."""
        return self.directory(commit, path) or (f"{self.base}#{quote(path, safe=_SAFE)}" if self.base else "")

    def _at(self, revision: str, path: str, word: str) -> str:
        tail = "" if path == paths.ROOT else "/" + quote(path, safe=_SAFE)
        rev = quote(revision, safe="/~-._")
        if self.forge is Forge.GITHUB:
            return f"{self.base}/{word}/{rev}{tail}"
        if self.forge is Forge.GITLAB:
            return f"{self.base}/-/{word}/{rev}{tail}"
        if self.forge is Forge.GITEA:
            kind = "commit" if _FULL_ID.match(revision) else "branch"
            return f"{self.base}/src/{kind}/{rev}{tail}" if revision != "HEAD" else ""
        if self.forge is Forge.BITBUCKET:
            return f"{self.base}/src/{rev}{tail}"
        return ""


def of(url: str) -> Web:
    """The repository behind what git clones (see `repository.address`); none for what is no address of one."""
    try:
        address = parse(url, Path())
    except ConfigError:
        return Web(base="")
    forge = forge_of(address.host)
    return Web(base=home(address), forge=forge)


def repository_name(url: str) -> str:
    """The last part of a repository's address: what a clone's directory would be called."""
    last = re.split(r"[/:]", url.rstrip("/").removesuffix("/.git"))[-1]
    return last.removesuffix(".git") or "repository"
