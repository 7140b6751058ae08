"""No host: the review is the pushed branch, and whoever wants to merges it."""

from __future__ import annotations

from collections.abc import Sequence

from git_okf.model import Offer
from git_okf.review.forge import Issue, Limits, Repository, Review, Stage
from git_okf.review.people import Commit


class BranchOnly:
    """Says yes to everything and asks nobody; a review has number 0."""

    kind = "none"
    answers = False
    limits = Limits()

    def __init__(self, remote: str) -> None:
        self._remote = remote

    def repository(self) -> Repository:
        return Repository(id=self._remote, name=self._remote)

    def reviews(self, branch: str) -> Sequence[Review]:
        return ()

    def offer(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Offer | None:
        return None

    def create(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        return Review(number=0, stage=Stage.OPEN, branch=branch, base=base, title=title, body=body)

    def update(self, review: Review, *, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        return review

    def close(self, review: Review, *, comment: str, body: str = "") -> Review:
        return review

    def commits(self, review: Review) -> Sequence[Commit]:
        return ()

    def issues(self, label: str) -> Sequence[Issue]:
        return ()

    def open_issue(self, *, title: str, body: str, label: str) -> Issue:
        return Issue(number=0, open=True, title=title, body=body)

    def update_issue(self, issue: Issue, *, title: str, body: str) -> Issue:
        return issue

    def close_issue(self, issue: Issue, *, comment: str) -> Issue:
        return issue

    def file_url(self, branch: str, path: str) -> str:
        return ""

    def hints(self, review: Review) -> Sequence[str]:
        return ()

    def disconnect(self) -> None:
        """There is no connection."""
