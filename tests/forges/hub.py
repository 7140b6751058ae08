"""What a host of reviews keeps, behind whichever API: pull requests, issues and labels over a real bare repository.

    hub = Hub(bare)                         # a Path to a bare repository; acme/docs by default
    with serving(GitHubApi(hub)) as server: # or GitLabApi, GiteaApi: server.url + API_PREFIX is the API
        ...

What people do (they act on the bare repository with git, as a host would):

    hub.merge(1)                   a merge commit on the base; hub.squash(1): one new commit, with title and text
    hub.close(1), hub.reopen(1)    close unmerged; open again
    hub.delete_branch("okf/sync/docs")      an open pull request of it is closed by that
    hub.edit("main", {"a.md": "text"})      a commit by a person on any branch; returns its id
    hub.update_branch(1)           the button "Update branch": the base merged into the head by the host
    hub.rename("acme/manual")      the old name redirects from then on
    hub.foreign_pull("okf/sync/docs", gone=True)   a fork's pull request from a branch of that name

What the host does wrong, once or more often:

    hub.fault("POST", "*/pulls", Reply(status=502))            instead of an answer; times=None: always
    hub.fault("POST", "*/pulls", Reply(drop=True), carried_out=True)   after it was done
    hub.page_size = 1              listings in pages of one
    hub.denied = {"pulls", "labels", "issues", "comments"}     what the token may not write
    hub.pulls[1].body, .title, .labels, .stage, ...            may be read and changed at will
    hub.open_pulls(), hub.comments                             what there is now

Pull requests follow their branches: the head moves with the branch, an open one whose commits all are in the base is
merged, one whose branch is gone is closed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from forges.server import Reply, Request

PERSON = ("Pat Person", "pat@example.org")
HOST = ("GitHub", "noreply@github.com")
TOKEN = "token-0123456789abcdef"
"""The token of a robot account."""


@dataclass(slots=True, kw_only=True)
class Pull:
    """A pull request. `head_repo` is the repository of its branch; None where that was deleted."""

    number: int
    title: str
    body: str
    branch: str
    base: str
    author: str
    head: str
    head_repo: int | None
    head_owner: str
    created_at: str
    stage: str = "open"
    merged_at: str | None = None
    closed_at: str | None = None
    labels: list[str] = field(default_factory=list)
    remove_source_branch: bool = False
    """Whether its branch goes when it is merged here."""


@dataclass(slots=True, kw_only=True)
class Ticket:
    """An issue."""

    number: int
    title: str
    body: str
    labels: list[str]
    created_at: str
    open: bool = True


@dataclass(slots=True, kw_only=True)
class Trouble:
    method: str
    pattern: str
    reply: Reply
    times: int | None
    carried_out: bool


class Hub:
    """One repository on a host, and everything about it."""

    def __init__(self, repo: Path, *, name: str = "acme/docs", number: int = 1296269) -> None:
        self.repo = repo
        self.name = name
        self.number = number
        self.old_names: set[str] = set()
        self.tokens: dict[str, str] = {TOKEN: "okf-robot"}
        """Token -> login."""
        self.pulls: dict[int, Pull] = {}
        self.issues: dict[int, Ticket] = {}
        self.labels: dict[str, int] = {}
        self.comments: list[tuple[int, str]] = []
        self.denied: set[str] = set()
        self.archived = False
        self.page_size: int | None = None
        self.one_count = True
        """Issues and pull requests are counted together (GitHub, Gitea), or apart (GitLab)."""
        self.clock: Callable[[], datetime] = lambda: datetime(2026, 3, 1, tzinfo=UTC)
        self._troubles: list[Trouble] = []

    # --- faults ---

    def fault(
        self, method: str, pattern: str, reply: Reply, *, times: int | None = 1, carried_out: bool = False
    ) -> None:
        """What goes wrong for paths that match `pattern` (fnmatch), the next `times` times (None: always)."""
        self._troubles.append(
            Trouble(method=method, pattern=pattern, reply=reply, times=times, carried_out=carried_out)
        )

    def answered(self, request: Request, answer: Callable[[Request], Reply]) -> Reply:
        """The answer to a request, or what goes wrong instead of it or after it."""
        for trouble in self._troubles:
            if trouble.method == request.method and fnmatchcase(request.path, trouble.pattern):
                if trouble.times is not None:
                    trouble.times -= 1
                    if not trouble.times:
                        self._troubles.remove(trouble)
                if trouble.carried_out:
                    answer(request)
                return trouble.reply
        return answer(request)

    # --- git ---

    def git(
        self, *args: str, input: str | None = None, who: tuple[str, str] = PERSON, index: Path | None = None
    ) -> str:
        """Standard output of git in the bare repository; AssertionError where it fails."""
        done = self._git(*args, input=input, who=who, index=index)
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def _git(
        self, *args: str, input: str | None = None, who: tuple[str, str] = PERSON, index: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        date = f"{int(self.clock().timestamp())} +0000"
        names = {"NAME": who[0], "EMAIL": who[1], "DATE": date}
        env = {**os.environ, **{f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in names.items()}}
        if index:
            env["GIT_INDEX_FILE"] = str(index)
        return subprocess.run(
            ["git", "--git-dir", str(self.repo), *args],
            env=env,
            input=input,
            text=True,
            encoding="utf-8",
            capture_output=True,
            check=False,
        )

    def sha(self, ref: str) -> str | None:
        """The commit of a branch, or of any revision; None where there is none."""
        done = self._git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        return done.stdout.strip() or None

    def branch(self, name: str) -> str | None:
        return self.sha(f"refs/heads/{name}")

    def reaches(self, ancestor: str, commit: str) -> bool:
        return self._git("merge-base", "--is-ancestor", ancestor, commit).returncode == 0

    def between(self, base: str, head: str) -> list[str]:
        """The commits of `head` that `base` lacks, oldest first."""
        return self.git("rev-list", "--reverse", "--topo-order", f"{base}..{head}").split()

    def edit(
        self, branch: str, files: Mapping[str, str | None], message: str = "Edit", who: tuple[str, str] = PERSON
    ) -> str:
        """A commit on a branch (a new one begins at nothing) that writes and deletes (None) files."""
        parent = self.branch(branch)
        index = self.repo / "edit.index"
        self.git("read-tree", *([parent] if parent else ["--empty"]), index=index)
        for path, text in files.items():
            blob = "0" * 40 if text is None else self.git("hash-object", "-w", "--stdin", input=text)
            entry = f"{'0' if text is None else '100644'} {blob}\t{path}\n"
            self.git("update-index", "--index-info", input=entry, index=index)
        tree = self.git("write-tree", index=index)
        return self._commit(branch, tree, [parent] if parent else [], message, who)

    def _commit(self, branch: str, tree: str, parents: list[str], message: str, who: tuple[str, str]) -> str:
        of = [word for parent in parents for word in ("-p", parent)]
        made = self.git("commit-tree", tree, *of, "-F", "-", input=message, who=who)
        self.git("update-ref", f"refs/heads/{branch}", made)
        return made

    def _merged_tree(self, one: str, other: str) -> str:
        return self.git("merge-tree", "--write-tree", one, other).splitlines()[0]

    # --- people ---

    def merge(self, number: int) -> str:
        """Merge with a merge commit; its id."""
        pull, base = self._mergeable(number)
        message = f"Merge pull request #{number} from {pull.head_owner}/{pull.branch}\n\n{pull.title}\n"
        made = self._commit(pull.base, self._merged_tree(base, pull.head), [base, pull.head], message, HOST)
        return self._merged_here(pull, made)

    def squash(self, number: int) -> str:
        """Merge as one new commit, whose message is title and text, as hosts can be told to; its id."""
        pull, base = self._mergeable(number)
        message = f"{pull.title} (#{number})\n\n{pull.body}\n"
        made = self._commit(pull.base, self._merged_tree(base, pull.head), [base], message, HOST)
        return self._merged_here(pull, made)

    def _mergeable(self, number: int) -> tuple[Pull, str]:
        self.settle()
        pull = self.pulls[number]
        base = self.branch(pull.base)
        assert pull.stage == "open" and base, f"#{number} is {pull.stage}"
        return pull, base

    def _merged_here(self, pull: Pull, made: str) -> str:
        if pull.remove_source_branch:
            self.git("update-ref", "-d", f"refs/heads/{pull.branch}")
        return self._has_merged(pull, made)

    def _has_merged(self, pull: Pull, made: str) -> str:
        pull.stage, pull.merged_at = "merged", self._now()
        pull.closed_at = pull.merged_at
        return made

    def close(self, number: int) -> None:
        self.settle()
        pull = self.pulls[number]
        assert pull.stage == "open"
        pull.stage, pull.closed_at = "closed", self._now()

    def reopen(self, number: int) -> None:
        pull = self.pulls[number]
        assert pull.stage == "closed" and self.branch(pull.branch)
        pull.stage, pull.closed_at = "open", None

    def delete_branch(self, name: str) -> None:
        self.git("update-ref", "-d", f"refs/heads/{name}")
        self.settle()

    def update_branch(self, number: int) -> str:
        """The base merged into the head, by the host."""
        pull, base = self._mergeable(number)
        message = f"Merge branch '{pull.base}' into {pull.branch}"
        made = self._commit(pull.branch, self._merged_tree(pull.head, base), [pull.head, base], message, HOST)
        self.settle()
        return made

    def rename(self, name: str) -> None:
        self.old_names.add(self.name.lower())
        self.name = name

    def foreign_pull(self, branch: str, *, gone: bool = False, owner: str = "stranger") -> Pull:
        """A pull request from a fork's branch of this name; `gone`: the fork was deleted."""
        return self._new_pull("From a fork", "", branch, "main", owner, "f" * 40, None if gone else 99, owner)

    # --- what APIs do ---

    def new_pull(self, title: str, body: str, branch: str, base: str, author: str) -> Pull:
        head = self.branch(branch)
        assert head is not None
        return self._new_pull(title, body, branch, base, author, head, self.number, self.owner)

    def _new_pull(
        self, title: str, body: str, branch: str, base: str, author: str, head: str, repo: int | None, owner: str
    ) -> Pull:
        pull = Pull(
            number=self._next(self.pulls),
            title=title,
            body=body,
            branch=branch,
            base=base,
            author=author,
            head=head,
            head_repo=repo,
            head_owner=owner,
            created_at=self._now(),
        )
        self.pulls[pull.number] = pull
        return pull

    def new_issue(self, title: str, body: str, labels: list[str]) -> Ticket:
        made = Ticket(number=self._next(self.issues), title=title, body=body, labels=labels, created_at=self._now())
        self.issues[made.number] = made
        return made

    def label(self, name: str) -> int:
        """The number of a label, which is made where there is none."""
        return self.labels.setdefault(name, len(self.labels) + 1)

    def open_pulls(self) -> list[Pull]:
        self.settle()
        return [pull for pull in self.pulls.values() if pull.stage == "open"]

    def settle(self) -> None:
        """Bring pull requests up to what their branches are now."""
        for pull in self.pulls.values():
            if pull.stage != "open" or pull.head_repo != self.number:
                continue
            head, base = self.branch(pull.branch), self.branch(pull.base)
            if head is None:
                pull.stage, pull.closed_at = "closed", self._now()
            else:
                pull.head = head
                if base and self.reaches(head, base):
                    self._has_merged(pull, base)

    @property
    def owner(self) -> str:
        return self.name.rpartition("/")[0]

    def _next(self, own: Mapping[int, object]) -> int:
        counted = [*self.pulls, *self.issues] if self.one_count else list(own)
        return max(counted, default=0) + 1

    def _now(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
