"""GitLab without a token for its API: the push of a branch opens its merge request, or brings it up to date (reference:
docs.gitlab.com/topics/git/commit, push options). Whoever may push may do that, the job's own token too.

What became of a merge request nobody tells, so the branch itself is the review, as where there is no host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from git_okf.gitprogram import NO_PUSH_OPTIONS
from git_okf.model import Offer
from git_okf.review.forge import Review, Stage
from git_okf.review.none import BranchOnly
from git_okf.review.rest import Warn

MORE = (
    "for the API, which opens it, tells what became of it and gives it its whole text: a project access token with the "
    "scopes api and write_repository, as the masked variable GITLAB_TOKEN"
)
_RULE = re.compile(r"={20,}")


def push_options(*, base: str, title: str, labels: Sequence[str] = (), description: str = "") -> tuple[str, ...]:
    """Options of `git push` for the merge requests of all branches in it.

    They act only if the push moves a branch, a value is one line (git refuses line breaks; GitLab makes them of the two
    characters backslash and n), and a failure is a warning of the remote while the push succeeds (`complaint`).
    """
    said = [f"merge_request.target={_line(base)}", f"merge_request.title={_line(title)}"]
    if description:
        lines = description.replace("\\n", "&#x5C;n").splitlines()
        said.append("merge_request.description=" + "\\n".join(map(_line, lines)))
    labelled = (f"merge_request.label={_line(label)}" for label in labels)
    return ("merge_request.create", *said, "merge_request.remove_source_branch", *labelled)


def merge_request_url(said: str, branch: str) -> str:
    """The address that GitLab's answer to a push names for the merge request of a branch; "" where it names none."""
    named = rf"^remote:\s+View merge request for {re.escape(branch)}:\s*\nremote:\s+(https?://\S+)\s*$"
    found = re.search(named, said, re.MULTILINE)
    return found[1] if found else ""


def complaint(said: str) -> str:
    """What GitLab says was wrong with the options, however its lines were broken; "" where nothing was."""
    lines = [line.removeprefix("remote:").strip() for line in said.splitlines() if line.startswith("remote:")]
    told = _RULE.split(" ".join(lines).partition("WARNINGS:")[2])[0]
    return " ".join(told.rpartition("': ")[2].split())


def _line(value: str) -> str:
    return "".join(ch if ch.isprintable() else " " for ch in value)


class GitLabByPush(BranchOnly):
    """One project on GitLab, to which nothing can be said but by a push."""

    kind = "gitlab"

    def __init__(self, remote: str, warn: Warn) -> None:
        super().__init__(remote)
        self._warn = warn
        self._urls: dict[str, str] = {}
        """Of merge requests, by branch."""

    def offer(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Offer:
        options = push_options(base=base, title=title, labels=labels, description=body)
        return Offer(options=options, heard=partial(self._heard, branch))

    def _heard(self, branch: str, said: str) -> None:
        self._urls[branch] = merge_request_url(said, branch)
        wrong = complaint(said)
        if wrong:
            self._warn(f"{branch} is pushed, and GitLab did not do all it was told with it: {wrong[:300]}")
        elif NO_PUSH_OPTIONS in said:
            self._warn(f"{branch} is pushed, and no more: the remote takes no push options; {MORE}")
        elif not self._urls[branch]:
            self._warn(f"{branch} is pushed, and the remote names no merge request of it; {MORE}")

    def create(self, *, branch: str, base: str, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        url = self._urls.get(branch, "")
        return Review(number=0, stage=Stage.OPEN, branch=branch, base=base, title=title, body=body, url=url)

    def update(self, review: Review, *, title: str, body: str, labels: Sequence[str] = ()) -> Review:
        return replace(review, title=title, body=body, url=self._urls.get(review.branch) or review.url)
