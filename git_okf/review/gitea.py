"""Gitea and Forgejo, by REST v1 (shapes: the Forgejo specification).

Where they differ from GitHub, whose shapes they mostly have: listings know no filter for the branch, labels are set by
their numbers, a duplicate is 409, and `merged` says itself what came of a pull request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from git_okf.jsonapi import (
    Answer,
    ApiRefused,
    ApiUncertain,
    Effects,
    JsonApi,
    Manners,
    Refused,
    Verdict,
    classify_http,
    reason_of,
)
from git_okf.review.forge import Issue, Limits, Review, Stage
from git_okf.review.people import Commit
from git_okf.review.rest import Item, Rest, at, commit, number, text, texts

PAGE = 50
"""What servers give at most, unless set otherwise."""
SETTLED_PAGES = 6
LABEL_COLOR = "#70c24a"


def classify(answer: Answer) -> Verdict:
    """What an answer means; the server itself has no limits, one before it may answer 429."""
    reason = reason_of(answer)
    if answer.status == 401:
        return Refused(reason, "the token is wrong or has expired: set GITEA_TOKEN anew")
    if answer.status == 403:
        return Refused(reason, "the token needs the scopes `write:repository` and `write:issue`")
    if answer.status == 404:
        return Refused(reason, "check review.repository in .okf.yaml, and that the token may see the repository")
    if answer.status == 423:
        return Refused(reason, "the repository is archived")
    return classify_http(answer)


def connect(base: str, token: str, effects: Effects | None = None) -> JsonApi:
    """The API with Gitea's manners."""
    return JsonApi(
        base, lambda fresh: {"Authorization": f"token {token}"}, manners=Manners(classify=classify), effects=effects
    )


class Gitea(Rest):
    """One repository on Gitea or Forgejo."""

    kind = "gitea"
    limits = Limits(title=255, body=65_536)

    def _found_repository(self) -> Item:
        data: Item = self._api.call("GET", f"/repos/{quote(self._name)}").data
        return data

    def _root(self) -> str:
        return f"/repos/{quote(self.repository().name)}"

    def _listed(self, branch: str, *, open: bool) -> Sequence[Review]:
        """`head.repo` is null where it was deleted, and some versions leave `repo_id` out: either of them will do."""
        query = {"state": "open" if open else "closed", "sort": "recentupdate", "limit": PAGE}
        listed = self._items(self._path("pulls"), query, pages=None if open else SETTLED_PAGES)
        return [
            self._review(item)
            for item in listed
            if text(item, "head", "ref") == branch
            and self._id in (number(item, "head", "repo_id"), number(item, "head", "repo", "id"))
        ]

    def _made(self, values: dict[str, str], labels: Sequence[str]) -> Review:
        sent = {"title": values["title"], "head": values["branch"], "base": values["base"], "body": values["body"]}
        return self._review(self._api.call("POST", self._path("pulls"), json=sent).data)

    def _is_duplicate(self, error: ApiRefused) -> bool:
        return error.status == 409

    def _labelled(self, review: Review, labels: Sequence[str]) -> Review:
        missing = self._label_ids([label for label in labels if label not in review.labels])
        if missing:
            path = self._path("issues", review.number, "labels")
            try:
                self._api.call("POST", path, json={"labels": missing}, repeatable=True)
            except ApiRefused as error:
                self._warn(f"the labels of {review.url or review.number} were not set: {error.reason}")
        return review

    def _label_ids(self, labels: Sequence[str]) -> list[int]:
        """The numbers of labels; those that do not exist are made. Without them, and a warning, where we may not."""
        if not labels:
            return []
        found: dict[str, int] = {}
        for item in self._items(self._path("labels"), {"limit": PAGE}):
            found.setdefault(text(item, "name"), number(item, "id"))
        for label in labels:
            if label not in found:
                try:
                    made = self._api.call("POST", self._path("labels"), json={"name": label, "color": LABEL_COLOR})
                    found[label] = number(made.data, "id")
                except (ApiRefused, ApiUncertain) as error:
                    self._warn(f"the label {label!r} was not made: {error.message}")
        return [found[label] for label in labels if label in found]

    def commits(self, review: Review) -> Sequence[Commit]:
        query = {"limit": PAGE, "verification": "false", "files": "false"}
        listed = self._items(self._path("pulls", review.number, "commits"), query)
        return tuple(reversed([commit(item) for item in listed]))

    def _issue_query(self, label: str) -> Item:
        return {"state": "all", "type": "issues", "labels": label, "limit": PAGE}

    def _issue_labels(self, label: str) -> Any:
        return self._label_ids([label])

    def file_url(self, branch: str, path: str) -> str:
        url = self.repository().url
        return f"{url}/src/branch/{quote(branch)}/{quote(path)}" if url else ""

    @staticmethod
    def _review(item: Item) -> Review:
        merged = at(item, "merged") is True or bool(text(item, "merged_at"))
        closed = text(item, "state") == "closed"
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
            settled_at=text(item, "merged_at") or text(item, "closed_at"),
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
