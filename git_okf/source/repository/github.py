"""GitHub's API as a source asks it: for what a repository is, never for its content (git has no quota)."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from git_okf.jsonapi import Answer, Effects, JsonApi, Manners, Refused, Verdict, classify_http, reason_of
from git_okf.jsonapi.github import limit

API = "https://api.github.com"
HOST = "github.com"
TRIES, PATIENCE_S = 2, 5.0
"""Of one call: what the API tells is good to know, and not worth waiting for."""
_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


def classify(answer: Answer) -> Verdict:
    """What an answer means: a 403 that is no limit is a permission."""
    if limited := limit(answer):
        return limited
    return Refused(reason_of(answer)) if answer.status == 403 else classify_http(answer)


def api_of(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The API of a host and the token for it ("" without one); None where the host is not known to be GitHub.

    GitHub Actions names its own server, that server's API and a token for it (`GITHUB_SERVER_URL`, `GITHUB_API_URL`,
    `GITHUB_TOKEN`). The token goes nowhere else: where nothing is named it is github.com's.
    """
    if environ.get("GITEA_ACTIONS"):  # it sets the same names for an API of its own
        return (API, "") if host == HOST else None
    server = (urlsplit(environ.get("GITHUB_SERVER_URL", "")).hostname or HOST).lower()
    token = environ.get("GITHUB_TOKEN", "") if host == server else ""
    named = environ.get("GITHUB_API_URL", "") if host == server else ""
    if named:
        return named, token
    return (API, token) if host == HOST else None


def connect(base: str, token: str, effects: Effects | None = None) -> JsonApi:
    """The API with GitHub's manners; without a token it answers 60 times an hour."""
    credentials = {"Authorization": f"Bearer {token}"} if token else {}
    manners = Manners(classify=classify, headers=_HEADERS, tries=TRIES, patience=PATIENCE_S)
    return JsonApi(base, lambda fresh: credentials, manners=manners, effects=effects, secrets=[token] if token else [])
