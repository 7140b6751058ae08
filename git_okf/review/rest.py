"""What the hosts' clients share: one course of events, in which each host says only how it calls things.

Answers may lack anything; nothing is sent that is so already; a request of which nobody knows whether it was carried
out is looked for before it counts as failed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import urlsplit

from git_okf.jsonapi import ApiRefused, ApiUncertain, JsonApi
from git_okf.model import Offer
from git_okf.review.forge import Issue, Limits, Repository, Review
from git_okf.review.people import Commit

Item = Mapping[str, Any]
Warn = Callable[[str], None]


def silent(sentence: str) -> None:
    """Warns nobody."""


class Rest(ABC):
    """One repository on a host with a REST API."""

    kind: ClassVar[str]
    answers: ClassVar[bool] = True
    limits: ClassVar[Limits]
    REVIEWS: ClassVar[str] = "pulls"
    COMMENTS: ClassVar[tuple[str, str]] = ("issues", "comments")
    """Below what reviews have their comments, and how those are called; issues have them below `issues`."""
    UPDATE: ClassVar[str] = "PATCH"
    BODY: ClassVar[str] = "body"
    CLOSE: ClassVar[Item] = {"state": "closed"}

    def __init__(self, api: JsonApi, name: str, warn: Warn = silent) -> None:
        self._api = api
        self._name = name
        self._warn = warn
        self._repository: Repository | None = None
        self._id = 0

    # --- how the host calls things ---

    @abstractmethod
    def _root(self) -> str:
        """The path of the repository, under its present name or number."""

    @abstractmethod
    def _listed(self, branch: str, *, open: bool) -> Sequence[Review]:
        """The reviews of our own branch: all open ones, or the newest settled ones."""

    @abstractmethod
    def _made(self, values: dict[str, str], labels: Sequence[str]) -> Review:
        """A new review of `branch` onto `base` with `title` and `body`."""

    @abstractmethod
    def _is_duplicate(self, error: ApiRefused) -> bool: ...

    @abstractmethod
    def _labelled(self, review: Review, labels: Sequence[str]) -> Review:
        """With the labels it lacks; without them, and a warning, where the token may not set any."""

    @abstractmethod
    def _issue_query(self, label: str) -> Item:
        """What lists the newest issues with a label, open and closed."""

    @abstractmethod
    def _issue_labels(self, label: str) -> Any:
        """The label as a new issue takes it."""

    @staticmethod
    @abstractmethod
    def _review(item: Item) -> Review: ...

    @staticmethod
    @abstractmethod
    def _issue(item: Item) -> Issue: ...

    @abstractmethod
    def _found_repository(self) -> Item:
        """What the host says of the repository."""

    # --- the course of events ---

    def repository(self) -> Repository:
        if self._repository is None:
            data = self._found_repository()
            self._id = number(data, "id")
            self._repository = Repository(
                id=f"{urlsplit(self._api.base).hostname}:{self._id}",
                name=text(data, "full_name") or text(data, "path_with_namespace") or self._name,
                url=text(data, "html_url") or text(data, "web_url"),
                default_branch=text(data, "default_branch"),
                archived=at(data, "archived") is True,
            )
        return self._repository

    def reviews(self, branch: str) -> Sequence[Review]:
        """Open ones first: one that is closed meanwhile is then found among the settled, and not missed."""
        self.repository()
        found = {review.number: review for review in self._listed(branch, open=True)}
        found.update({review.number: review for review in self._listed(branch, open=False)})
        return tuple(found[n] for n in sorted(found, reverse=True))

    def offer(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Offer | None:
        return None

    def create(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        self.repository()
        values = {"branch": branch, "base": base, "title": title, "body": body}
        try:
            made = self._made(values, labels)
        except (ApiRefused, ApiUncertain) as error:
            if isinstance(error, ApiRefused) and not self._is_duplicate(error):
                raise
            there = next((r for r in self._listed(branch, open=True) if r.base == base), None)
            if there is None:
                raise
            return self.update(there, title=title, body=body, labels=labels)
        return self._labelled(made, labels)

    def update(self, review: Review, *, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        if not same(review.title, title) or not same(review.body, body):
            review = self._review(self._changed(self.REVIEWS, review.number, {"title": title, self.BODY: body}))
        return self._labelled(review, labels)

    def close(self, review: Review, *, comment: str, body: str = "") -> Review:
        values = {**self.CLOSE, **({self.BODY: body} if body else {})}
        closed = self._review(self._changed(self.REVIEWS, review.number, values))
        self._comment(self.COMMENTS[0], review.number, comment)
        return closed

    def issues(self, label: str) -> Sequence[Issue]:
        listed = self._items(self._path("issues"), self._issue_query(label), pages=1)
        return tuple(self._issue(item) for item in listed if at(item, "pull_request") is None)

    def open_issue(self, *, title: str, body: str, label: str) -> Issue:
        values = {"title": title, self.BODY: body, "labels": self._issue_labels(label)}
        try:
            return self._issue(self._api.call("POST", self._path("issues"), json=values).data)
        except ApiUncertain:
            there = next((i for i in self.issues(label) if i.open and same(i.body, body)), None)
            if there is None:
                raise
            return there

    def update_issue(self, issue: Issue, *, title: str, body: str) -> Issue:
        if same(issue.title, title) and same(issue.body, body):
            return issue
        return self._issue(self._changed("issues", issue.number, {"title": title, self.BODY: body}))

    def close_issue(self, issue: Issue, *, comment: str) -> Issue:
        closed = self._issue(self._changed("issues", issue.number, self.CLOSE))
        self._comment("issues", issue.number, comment)
        return closed

    def hints(self, review: Review) -> Sequence[str]:
        return ()

    def disconnect(self) -> None:
        self._api.close()

    def _changed(self, kind: str, on: int, values: Item) -> Item:
        data: Item = self._api.call(self.UPDATE, self._path(kind, on), json=dict(values)).data
        return data

    def _comment(self, kind: str, on: int, comment: str) -> None:
        """A comment; where it cannot be made, what it is about stands all the same."""
        if comment:
            try:
                self._api.call("POST", self._path(kind, on, self.COMMENTS[1]), json={"body": comment})
            except (ApiRefused, ApiUncertain) as error:
                self._warn(f"the comment on number {on} may be missing: {error.message}")

    def _path(self, *parts: str | int) -> str:
        self.repository()
        return "/".join((self._root(), *(str(part) for part in parts)))

    def _items(self, path: str, query: Item, *, pages: int | None = None) -> Iterator[Item]:
        """The objects of a listing, all pages or the first ones."""
        for answer in islice(self._api.pages(path, query=dict(query)), pages):
            data = answer.data
            yield from (item for item in (data if isinstance(data, list) else []) if isinstance(item, dict))


def at(item: Any, *names: str) -> Any:
    """A value deep inside; None where anything on the way is missing or null."""
    for name in names:
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def text(item: Any, *names: str) -> str:
    value = at(item, *names)
    return value if isinstance(value, str) else ""


def texts(item: Any, name: str, *names: str) -> tuple[str, ...]:
    """The strings of a list, or one of the strings in each of its objects."""
    values = at(item, name)
    found = (at(each, *names) if names else each for each in (values if isinstance(values, list) else []))
    return tuple(each for each in found if isinstance(each, str))


def number(item: Any, *names: str) -> int:
    value = at(item, *names)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def same(one: str, other: str) -> bool:
    """Whether two texts say the same: hosts turn line ends into CRLF, and drop blanks at the ends."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()


def commit(item: Item) -> Commit:
    """A commit as a host lists it. The accounts beside it may be null, so the e-mail addresses are taken."""
    return Commit(
        id=text(item, "sha") or text(item, "id"),
        message=text(item, "commit", "message") or text(item, "message"),
        parents=texts(item, "parents", "sha") or texts(item, "parent_ids"),
        author=text(item, "commit", "author", "email") or text(item, "author_email"),
        committer=text(item, "commit", "committer", "email") or text(item, "committer_email"),
    )
