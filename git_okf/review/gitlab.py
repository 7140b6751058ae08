"""GitLab, by REST v4 (reference: docs.gitlab.com/api)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from git_okf.jsonapi import (
    Answer,
    ApiRefused,
    Effects,
    JsonApi,
    Limited,
    Manners,
    Refused,
    Verdict,
    classify_http,
    reason_of,
    retry_after,
)
from git_okf.review.forge import Issue, Limits, Review, Stage
from git_okf.review.people import Commit
from git_okf.review.rest import Item, Rest, commit, number, text, texts

PAGE = 100
SETTLED_PAGES = 3
"""Pages of settled reviews that are read: older rejections are in the record of targets."""
_NEWEST: Item = {"scope": "all", "order_by": "created_at", "sort": "desc", "per_page": PAGE}
_STAGES = {"opened": Stage.OPEN, "locked": Stage.OPEN, "merged": Stage.MERGED, "closed": Stage.CLOSED}
"""`locked` is a merge request that is being merged."""


def classify(answer: Answer) -> Verdict:
    """What an answer means: GitLab limits with 429 alone, and says when in one of two headers."""
    reason = reason_of(answer)
    if answer.status == 429:
        return Limited(reason, _pause(answer))
    if answer.status == 401:
        return Refused(reason, "the token is wrong or has expired: set GITLAB_TOKEN anew")
    if answer.status == 403:
        return Refused(reason, "the token needs the scope `api`, and a role of Developer or more in the project")
    if answer.status == 404:
        return Refused(reason, "check review.repository in .okf.yaml, and that the token may see the project")
    return classify_http(answer)


def _pause(answer: Answer) -> float | None:
    after = retry_after(answer)
    reset = answer.headers.get("ratelimit-reset", "")
    if after is None and re.fullmatch(r"\d{9,11}", reset):
        return max(0.0, int(reset) - answer.received.timestamp()) + 1.0
    return after


def connect(base: str, token: str, effects: Effects | None = None) -> JsonApi:
    """The API with GitLab's manners."""
    return JsonApi(base, lambda fresh: {"PRIVATE-TOKEN": token}, manners=Manners(classify=classify), effects=effects)


class GitLab(Rest):
    """One project on GitLab."""

    kind = "gitlab"
    limits = Limits(title=255, body=1_048_576)
    REVIEWS = "merge_requests"
    COMMENTS = ("merge_requests", "notes")
    UPDATE = "PUT"
    BODY = "description"
    CLOSE: ClassVar[Item] = {"state_event": "close"}

    def _found_repository(self) -> Item:
        data: Item = self._api.call("GET", f"/projects/{quote(self._name, safe='')}").data
        return data

    def _root(self) -> str:
        return f"/projects/{self._id}"

    def _listed(self, branch: str, *, open: bool) -> Sequence[Review]:
        """The listing has no word for "all that is settled"; `scope` makes it everybody's."""
        query = {"state": "opened" if open else "all", "source_branch": branch, **_NEWEST}
        listed = self._items(self._path("merge_requests"), query, pages=None if open else SETTLED_PAGES)
        return [
            self._review(item)
            for item in listed
            if text(item, "source_branch") == branch and number(item, "source_project_id") == self._id
        ]

    def _made(self, values: dict[str, str], labels: Sequence[str]) -> Review:
        sent = {
            "source_branch": values["branch"],
            "target_branch": values["base"],
            "title": values["title"],
            "description": values["body"],
            "labels": ",".join(labels),
        }
        return self._review(self._api.call("POST", self._path("merge_requests"), json=sent).data)

    def _is_duplicate(self, error: ApiRefused) -> bool:
        return error.status == 409

    def _labelled(self, review: Review, labels: Sequence[str]) -> Review:
        missing = [label for label in labels if label not in review.labels]
        if not missing:
            return review
        return self._review(self._changed("merge_requests", review.number, {"add_labels": ",".join(missing)}))

    def commits(self, review: Review) -> Sequence[Commit]:
        listed = self._items(self._path("merge_requests", review.number, "commits"), {"per_page": PAGE})
        return tuple(reversed([commit(item) for item in listed]))

    def _issue_query(self, label: str) -> Item:
        return {"state": "all", "labels": label, **_NEWEST}

    def _issue_labels(self, label: str) -> Any:
        return label

    def file_url(self, branch: str, path: str) -> str:
        url = self.repository().url
        return f"{url}/-/blob/{quote(branch)}/{quote(path)}" if url else ""

    @staticmethod
    def _review(item: Item) -> Review:
        return Review(
            number=number(item, "iid"),
            stage=_STAGES.get(text(item, "state"), Stage.OPEN),
            branch=text(item, "source_branch"),
            base=text(item, "target_branch"),
            title=text(item, "title"),
            body=text(item, "description"),
            head=text(item, "sha"),
            url=text(item, "web_url"),
            labels=texts(item, "labels"),
            author=text(item, "author", "username"),
            created_at=text(item, "created_at"),
            settled_at=text(item, "merged_at") or text(item, "closed_at"),
        )

    @staticmethod
    def _issue(item: Item) -> Issue:
        return Issue(
            number=number(item, "iid"),
            open=text(item, "state") == "opened",
            title=text(item, "title"),
            body=text(item, "description"),
            url=text(item, "web_url"),
        )
