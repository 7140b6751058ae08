"""What a host of reviews has to be able to do, in our words; GitHub's pull request is GitLab's merge request.

Every method asks the host; what the host refuses is an ApiRefused with a hint, what it cannot do now an ApiUnavailable
(`git_okf.jsonapi`). Nothing here opens a closed review again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from git_okf.model import Offer
from git_okf.review.people import Commit


class Stage(StrEnum):
    """Where a review stands."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    id: str
    """Stays when the repository is renamed or moved: host and number."""
    name: str
    """`owner/name` as it is now."""
    url: str = ""
    """For people."""
    default_branch: str = ""
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A pull or merge request. Times are the host's, ISO 8601."""

    number: int
    stage: Stage
    branch: str
    base: str
    title: str
    body: str = ""
    head: str = ""
    """The commit its branch is or was at; "" where the host does not say."""
    url: str = ""
    labels: tuple[str, ...] = ()
    author: str = ""
    created_at: str = ""
    settled_at: str = ""
    """When it was merged or closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    number: int
    open: bool
    title: str
    body: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a title and a body may hold: characters, of which we count UTF-8 bytes to be safe with every host."""

    title: int = 250
    body: int = 65_536


class Forge(Protocol):
    """One repository on one host."""

    @property
    def kind(self) -> str:
        """`github`, `gitlab`, `gitea` or `none`."""

    @property
    def answers(self) -> bool:
        """Whether it can be asked. Where it cannot, the branch is the review, and the base tells what was merged."""

    @property
    def limits(self) -> Limits: ...

    def repository(self) -> Repository:
        """Which repository it is, under its present name. Asked once; later calls use that name."""

    def reviews(self, branch: str) -> Sequence[Review]:
        """The reviews of a branch of this very repository, forks left out: all open ones, and the newest settled ones
        (bounded). Newest first."""

    def offer(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Offer | None:
        """What the push of a branch is to say, where that is how a review is opened and brought up to date; `body` is
        short. `create` and `update` then tell what was heard."""

    def create(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        """A new review; or the open one of the same branch, where another run was faster, brought up to date."""

    def update(self, review: Review, *, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        """The review with this title and body, and these labels among its others. What is so already is not sent."""

    def close(self, review: Review, *, comment: str, body: str = "") -> Review:
        """The review closed, with a comment. `body` ("": as it is) changes in the same call, so that its marker says
        who closed even if we are killed before the comment."""

    def commits(self, review: Review) -> Sequence[Commit]:
        """The commits of a review, oldest first; hosts give 250 at most, so git is to be asked where it can be."""

    def issues(self, label: str) -> Sequence[Issue]:
        """The newest issues with a label, open and closed, newest first (bounded)."""

    def open_issue(self, *, title: str, body: str, label: str) -> Issue: ...

    def update_issue(self, issue: Issue, *, title: str, body: str) -> Issue:
        """The issue with this title and body. What is so already is not sent."""

    def close_issue(self, issue: Issue, *, comment: str) -> Issue: ...

    def file_url(self, branch: str, path: str) -> str:
        """Where people see a file of a branch; "" where there is no such place."""

    def hints(self, review: Review) -> Sequence[str]:
        """What a person should know about a review made with our token."""

    def disconnect(self) -> None:
        """Give connections back; the forge can be used again."""
