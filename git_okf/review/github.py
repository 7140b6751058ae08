"""GitHub and GitHub Enterprise Server, by the REST API (reference: docs.github.com, OpenAPI 2026-03-10).

What is done here is what both known versions of the API can: `merge_commit_sha` is not read, merged is `merged_at`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from git_okf.jsonapi import (
    Answer,
    ApiRefused,
    Effects,
    JsonApi,
    Manners,
    Refresh,
    Refused,
    Verdict,
    classify_http,
    reason_of,
)
from git_okf.jsonapi.github import limit
from git_okf.review.forge import Issue, Limits, Review, Stage
from git_okf.review.people import Commit
from git_okf.review.rest import Item, Rest, commit, number, text, texts

PAGE = 100
SETTLED_PAGES = 3
"""Pages of settled reviews that are read: older rejections are in the record of targets."""
VERSIONS = ("2022-11-28", "2026-03-10")
"""Of the API: the first is asked for, the next where a server no longer knows it (410)."""
WRITE_S = 1.0
"""Between two calls that change something: GitHub's own advice against the secondary limits."""
BUILT_IN_AUTHOR = "github-actions[bot]"
BUILT_IN_HINT = (
    "this pull request was made with the built-in GITHUB_TOKEN: its checks do not start by themselves. Give the "
    "workflow the token of a GitHub App (or a personal access token), or start them by hand: approve them in the merge "
    "box, or close and reopen the pull request"
)
_SCOPE_HINT = (
    "give the job `permissions: {contents: write, pull-requests: write, issues: write}`, "
    "or a token that has these rights"
)
_SETTING_HINT = (
    'switch on Settings > Actions > General > "Allow GitHub Actions to create and approve pull requests" of the '
    "repository and its organisation, or use the token of a GitHub App"
)
_FOUND_HINT = "check review.repository in .okf.yaml, and that the token may see the repository"


def classify(answer: Answer) -> Verdict:
    """What an answer means: a 403 that is no limit is a permission."""
    if limited := limit(answer):
        return limited
    reason = reason_of(answer)
    said = reason.lower()
    if answer.status == 403:
        return Refused(reason, _SETTING_HINT if "create or approve pull requests" in said else _SCOPE_HINT)
    if answer.status == 410 and "version" in said:
        return Refresh(reason)
    if answer.status == 401:
        return Refused(reason, "the token is wrong or has expired: set GITHUB_TOKEN anew")
    if answer.status == 404:
        return Refused(reason, _FOUND_HINT)
    return classify_http(answer)


def connect(base: str, token: str, effects: Effects | None = None) -> JsonApi:
    """The API with GitHub's manners."""
    versions = list(VERSIONS)

    def authorize(fresh: bool) -> Mapping[str, str]:
        if fresh and len(versions) > 1:
            versions.pop(0)
        return {"Authorization": f"Bearer {token}", "X-GitHub-Api-Version": versions[0]}

    manners = Manners(
        classify=classify,
        headers={"Accept": "application/vnd.github+json"},
        pace=lambda method, path: ("", 0.0) if method == "GET" else ("write", WRITE_S),
    )
    return JsonApi(base, authorize, manners=manners, effects=effects)


class GitHub(Rest):
    """One repository on GitHub."""

    kind = "github"
    limits = Limits(title=256, body=65_536)

    def _found_repository(self) -> Item:
        data: Item = self._api.call("GET", f"/repos/{quote(self._name)}").data
        return data

    def _root(self) -> str:
        return f"/repos/{quote(self.repository().name)}"

    def _listed(self, branch: str, *, open: bool) -> Sequence[Review]:
        """GitHub ignores `head` without an owner, and a fork may have such a branch too: each item is looked at."""
        query = {
            "state": "open" if open else "closed",
            "head": f"{self.repository().name.partition('/')[0]}:{branch}",
            "sort": "created",
            "direction": "desc",
            "per_page": PAGE,
        }
        listed = self._items(self._path("pulls"), query, pages=None if open else SETTLED_PAGES)
        return [
            self._review(item)
            for item in listed
            if text(item, "head", "ref") == branch and number(item, "head", "repo", "id") == self._id
        ]

    def _made(self, values: dict[str, str], labels: Sequence[str]) -> Review:
        sent = {"title": values["title"], "head": values["branch"], "base": values["base"], "body": values["body"]}
        return self._review(self._api.call("POST", self._path("pulls"), json=sent).data)

    def _is_duplicate(self, error: ApiRefused) -> bool:
        return error.status == 422 and "already exists" in error.reason

    def _labelled(self, review: Review, labels: Sequence[str]) -> Review:
        has = {label.lower() for label in review.labels}
        missing = [label for label in labels if label.lower() not in has]
        if missing:
            path = self._path("issues", review.number, "labels")
            try:
                self._api.call("POST", path, json={"labels": missing}, repeatable=True)
            except ApiRefused as error:
                self._warn(f"the labels of {review.url or review.number} were not set: {error.reason}")
        return review

    def commits(self, review: Review) -> Sequence[Commit]:
        listed = self._items(self._path("pulls", review.number, "commits"), {"per_page": PAGE})
        return tuple(commit(item) for item in listed)

    def _issue_query(self, label: str) -> Item:
        return {"state": "all", "labels": label, "sort": "created", "direction": "desc", "per_page": PAGE}

    def _issue_labels(self, label: str) -> Any:
        return [label]

    def file_url(self, branch: str, path: str) -> str:
        url = self.repository().url
        return f"{url}/blob/{quote(branch)}/{quote(path)}" if url else ""

    def hints(self, review: Review) -> Sequence[str]:
        return (BUILT_IN_HINT,) if review.author == BUILT_IN_AUTHOR else ()

    @staticmethod
    def _review(item: Item) -> Review:
        merged, closed = text(item, "merged_at"), text(item, "state") == "closed"
        return Review(
            number=number(item, "number"),
            stage=Stage.MERGED if merged else Stage.CLOSED if closed else Stage.OPEN,
            branch=text(item, "head", "ref"),
            base=text(item, "base", "ref"),
            title=text(item, "title"),
            body=text(item, "body"),
            head=text(item, "head", "sha"),
            url=text(item, "html_url"),
            labels=texts(item, "labels", "name"),
            author=text(item, "user", "login"),
            created_at=text(item, "created_at"),
            settled_at=merged or text(item, "closed_at"),
        )

    @staticmethod
    def _issue(item: Item) -> Issue:
        return Issue(
            number=number(item, "number"),
            open=text(item, "state") == "open",
            title=text(item, "title"),
            body=text(item, "body"),
            url=text(item, "html_url"),
        )
