"""Which host, where its API is, which repository, which token: configuration, CI variables, the remote's address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

from git_okf.errors import ConfigError
from git_okf.jsonapi import Effects
from git_okf.review import gitea, github, gitlab, gitlab_push
from git_okf.review.forge import Forge
from git_okf.review.none import BranchOnly
from git_okf.review.rest import Warn, silent

TOKENS = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN", "gitea": "GITEA_TOKEN"}
_VERSIONS = {"github": "v3", "gitlab": "v4", "gitea": "v1"}
_ADDRESS = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!/)(\S+)")
"""`git@host:owner/name.git`, as ssh has it."""


class Settings(Protocol):
    """The part of `review:` in .okf.yaml that says where reviews are."""

    @property
    def forge(self) -> str: ...
    @property
    def repository(self) -> str: ...
    @property
    def api_url(self) -> str: ...


def open_forge(
    settings: Settings,
    environ: Mapping[str, str],
    *,
    remote_url: str = "",
    effects: Effects | None = None,
    warn: Warn = silent,
) -> Forge:
    """The host that `review:` names; nothing is asked of it yet. `remote_url` is the address pushes go to.

    GitLab without a token is told by pushes alone. ConfigError where the repository, the API's address or the token of
    another is not to be had.
    """
    kind = settings.forge
    if kind == "none":
        return BranchOnly(_without_credentials(remote_url))
    if kind not in TOKENS:
        raise ConfigError(f"review.forge: {kind!r} is no host that git-okf knows", f"known: {', '.join(TOKENS)}, none")
    if kind == "gitlab" and not _given(kind, environ):
        return gitlab_push.GitLabByPush(_without_credentials(remote_url), warn)
    base, name = api_url(settings, environ, remote_url), repository_name(settings, environ, remote_url)
    token = _token(kind, environ)
    if kind == "github":
        return github.GitHub(github.connect(base, token, effects), name, warn)
    if kind == "gitlab":
        return gitlab.GitLab(gitlab.connect(base, token, effects), name, warn)
    return gitea.Gitea(gitea.connect(base, token, effects), name, warn)


def api_url(settings: Settings, environ: Mapping[str, str], remote_url: str) -> str:
    """The API's address: `review.api_url`; the CI's own variable, where the CI is that of the host; the remote's host.

    Gitea's runners set `GITHUB_API_URL` too: whose it is, its end says (`/api/v1`).
    """
    if settings.api_url:
        return settings.api_url
    kind = settings.forge
    said = environ.get("CI_API_V4_URL" if kind == "gitlab" else "GITHUB_API_URL", "")
    if said and (kind == "gitlab" or said.rstrip("/").endswith("/api/v1") == (kind == "gitea")):
        return said
    host = remote_address(remote_url)[0]
    if host == "github.com" or (kind == "github" and not host):
        return "https://api.github.com"
    if not host:
        raise ConfigError(
            f"review.forge is {kind}, and nothing says where its API is", "set review.api_url in .okf.yaml"
        )
    scheme = "http" if remote_url.startswith("http://") else "https"
    return f"{scheme}://{host}/api/{_VERSIONS[kind]}"


def repository_name(settings: Settings, environ: Mapping[str, str], remote_url: str) -> str:
    """`owner/name`: `review.repository`, the CI's own variable, or the remote's address."""
    variable = "CI_PROJECT_PATH" if settings.forge == "gitlab" else "GITHUB_REPOSITORY"
    ci = environ.get("GITHUB_API_URL", "").rstrip("/").endswith("/api/v1")
    its_own = settings.forge == "gitlab" or ci == (settings.forge == "gitea")
    name = settings.repository or (environ.get(variable, "") if its_own else "") or remote_address(remote_url)[1]
    if not re.fullmatch(r"[^/\s?#]+(?:/[^/\s?#]+)+", name) or ".." in name:
        raise ConfigError(
            f"review: which repository on {settings.forge} is meant cannot be told", "set review.repository: owner/name"
        )
    return name


def remote_address(url: str) -> tuple[str, str]:
    """Host (and port, where the API may have it too) and `owner/name` of a remote's address; "" and "" for a path."""
    if "://" in url:
        parts = urlsplit(url)
        host, path = ("", "") if parts.scheme == "file" else (parts.hostname or "", parts.path)
        if parts.scheme in ("http", "https"):
            host = parts.netloc.rpartition("@")[2]
    else:
        match = _ADDRESS.fullmatch(url)
        host, path = (match[1], match[2]) if match else ("", "")
    return host.lower(), path.strip("/").removesuffix(".git")


def _given(kind: str, environ: Mapping[str, str]) -> str:
    return environ.get(TOKENS[kind], "").strip()


def _token(kind: str, environ: Mapping[str, str]) -> str:
    if token := _given(kind, environ):
        return token
    name = TOKENS[kind]
    hint = f"give the job a token that may open reviews, as the variable {name}"
    if kind == "github" and environ.get("GITHUB_ACTIONS"):
        hint = "pass it to the step: `env: {GITHUB_TOKEN: ${{ github.token }}}`, or the token of a GitHub App"
    raise ConfigError(f"review.forge is {kind}, and {name} is not set", hint)


def _without_credentials(url: str) -> str:
    parts = urlsplit(url) if "://" in url else None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if parts else url
