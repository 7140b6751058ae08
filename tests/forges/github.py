"""GitHub's REST API over a `Hub`, as far as reviews need it; `API_PREFIX` is "/api/v3" on GitHub Enterprise Server.

Faithful in what trips clients: 301 (GET) and 307 (the rest) from an old name to `/repositories/{id}`, a `head` filter
that is ignored without an owner, no `merged` in listings, no `merge_commit_sha` in the newer version, 410 for a version
it does not know, `Link` pages, ETags and 304, 422 for a duplicate, a missing branch and a text that is too long, 403
without a User-Agent, `head.repo` and `author` that are null, at most 250 commits, pull requests among the issues.

`api.versions` are those it knows, `api.actions_may_create = False` is the setting that forbids the built-in token to
open pull requests, and `api.limit(primary=..., ...)` the replies of its limits.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from forges.hub import Hub, Pull, Ticket
from forges.server import Reply, Request

API_PREFIX = ""
BUILT_IN = "ghs_builtinbuiltinbuiltin"
"""The built-in token of Actions."""
BODY_LIMIT = 65_536


def primary_limit(reset: int, status: int = 403) -> Reply:
    """The primary limit, until `reset` (epoch seconds)."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-limit": "1000", "x-ratelimit-reset": str(reset)}
    return Reply(status=status, data={"message": "API rate limit exceeded for installation."}, headers=headers)


def secondary_limit(retry_after: int | None = None, status: int = 403) -> Reply:
    """The secondary limit, with or without a time."""
    headers = {"x-ratelimit-remaining": "812"} | ({"retry-after": str(retry_after)} if retry_after else {})
    return Reply(status=status, data={"message": "You have exceeded a secondary rate limit."}, headers=headers)


def refusal(status: int, message: str, *errors: dict[str, str]) -> Reply:
    return Reply(status=status, data={"message": message, "errors": list(errors), "status": str(status)})


class GitHubApi:
    """Answers requests; `prefix` is what stands before `/repos`."""

    kind = "github"

    def __init__(self, hub: Hub, prefix: str = API_PREFIX) -> None:
        self.hub = hub
        self.prefix = prefix
        self.versions = ["2022-11-28", "2026-03-10"]
        self.actions_may_create = True
        hub.tokens.setdefault(BUILT_IN, "github-actions[bot]")

    def __call__(self, request: Request) -> Reply:
        reply = self.hub.answered(request, self._checked)
        if request.method != "GET" or reply.status != 200 or reply.data is None:
            return reply
        etag = f'"{hashlib.sha256(json.dumps(reply.data).encode()).hexdigest()[:16]}"'
        headers = {**reply.headers, "etag": etag}
        if request.headers.get("if-none-match") == etag:
            return Reply(status=304, headers=headers)
        return Reply(data=reply.data, headers=headers)

    def _checked(self, request: Request) -> Reply:
        if "user-agent" not in request.headers:
            return refusal(403, "Request forbidden by administrative rules. Please send a User-Agent header.")
        if request.headers.get("x-github-api-version", self.versions[0]) not in self.versions:
            return refusal(410, "This version of the GitHub API is no longer supported.")
        login = self.hub.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if login is None:
            return refusal(401, "Bad credentials")
        path = request.path.removeprefix(self.prefix)
        named = re.match(r"/repos/([^/]+/[^/]+)(/.*)?$", path)
        if named and named[1].lower() in self.hub.old_names:
            there = f"{self._url(request)}/repositories/{self.hub.number}{named[2] or ''}{_query(request)}"
            said = {"message": "Moved Permanently", "url": there}
            return Reply(status=301 if request.method == "GET" else 307, data=said, headers={"location": there})
        counted = re.match(rf"/repositories/{self.hub.number}(/.*)?$", path)
        if counted or (named and named[1].lower() == self.hub.name.lower()):
            rest = (counted[1] if counted else named[2] if named else "") or ""
            self.hub.settle()
            return self._routed(request, rest, login)
        return refusal(404, "Not Found")

    def _url(self, request: Request) -> str:
        return f"http://{request.headers['host']}{self.prefix}"

    def _routed(self, request: Request, rest: str, login: str) -> Reply:
        method, parts = request.method, rest.strip("/").split("/")
        match method, parts:
            case "GET", [""]:
                return Reply(data=self._repository(request))
            case "GET", ["pulls"]:
                return self._page(request, [self._pull(request, pull) for pull in self._filtered(request)])
            case "POST", ["pulls"]:
                return self._create(request, login)
            case "PATCH", ["pulls", number]:
                return self._change_pull(request, int(number))
            case "GET", ["pulls", number, "commits"]:
                return self._page(request, self._commits(self.hub.pulls[int(number)]))
            case "GET", ["issues"]:
                return self._page(request, self._issues(request))
            case "POST", ["issues"]:
                return self._create_issue(request)
            case "PATCH", ["issues", number]:
                return self._change_issue(request, int(number))
            case "POST", ["issues", number, "labels"]:
                return self._add_labels(request, int(number))
            case "POST", ["issues", number, "comments"]:
                return self._comment(request, int(number))
        return refusal(404, "Not Found")

    # --- answers ---

    def _repository(self, request: Request) -> dict[str, Any]:
        hub = self.hub
        return {
            "id": hub.number,
            "full_name": hub.name,
            "name": hub.name.rpartition("/")[2],
            "owner": {"login": hub.owner},
            "html_url": f"{self._url(request)}/{hub.name}",
            "default_branch": "main",
            "archived": hub.archived,
            "permissions": {"admin": False, "push": True, "pull": True},
        }

    def _filtered(self, request: Request) -> list[Pull]:
        state, head, base = request.one("state", "open"), request.one("head"), request.one("base")
        found = [p for p in self.hub.pulls.values() if state == "all" or (p.stage == "open") == (state == "open")]
        if ":" in head:
            owner, _, branch = head.partition(":")
            found = [p for p in found if p.branch == branch and p.head_owner.lower() == owner.lower()]
        if base:
            found = [p for p in found if p.base == base]
        return sorted(found, key=lambda p: p.number, reverse=request.one("direction") == "desc")

    def _pull(self, request: Request, pull: Pull, *, whole: bool = False) -> dict[str, Any]:
        fork = "stranger/docs" if pull.head_repo != self.hub.number else self.hub.name
        item: dict[str, Any] = {
            "number": pull.number,
            "state": "open" if pull.stage == "open" else "closed",
            "title": pull.title,
            "body": pull.body or None,
            "html_url": f"http://{request.headers['host']}/{self.hub.name}/pull/{pull.number}",
            "user": {"login": pull.author},
            "labels": [{"name": label} for label in pull.labels],
            "draft": False,
            "created_at": pull.created_at,
            "merged_at": pull.merged_at,
            "closed_at": pull.closed_at,
            "head": {
                "label": f"{pull.head_owner}:{pull.branch}" if pull.head_repo else None,
                "ref": pull.branch,
                "sha": pull.head,
                "user": {"login": pull.head_owner} if pull.head_repo else None,
                "repo": {"id": pull.head_repo, "full_name": fork} if pull.head_repo else None,
            },
            "base": {"ref": pull.base, "repo": {"id": self.hub.number}},
        }
        if request.headers.get("x-github-api-version") == "2022-11-28":
            item["merge_commit_sha"] = "0" * 40
        if whole:
            item["merged"] = pull.merged_at is not None
            item["mergeable"] = None
        return item

    def _create(self, request: Request, login: str) -> Reply:
        hub, asked = self.hub, request.json
        if "pulls" in hub.denied or hub.archived:
            return refusal(403, "Resource not accessible by integration")
        if login == "github-actions[bot]" and not self.actions_may_create:
            return refusal(403, "GitHub Actions is not permitted to create or approve pull requests.")
        branch, base = asked["head"].rpartition(":")[2], asked["base"]
        head, onto = hub.branch(branch), hub.branch(base)
        if head is None or onto is None:
            field = "head" if head is None else "base"
            return refusal(422, "Validation Failed", {"resource": "PullRequest", "field": field, "code": "invalid"})
        for pull in hub.pulls.values():
            if (pull.stage, pull.branch, pull.base, pull.head_repo) == ("open", branch, base, hub.number):
                said = f"A pull request already exists for {hub.owner}:{branch}."
                error = {"resource": "PullRequest", "code": "custom", "message": said}
                return refusal(422, "Validation Failed", error)
        if not hub.between(onto, head):
            said = f"No commits between {base} and {branch}"
            error = {"resource": "PullRequest", "code": "custom", "message": said}
            return refusal(422, "Validation Failed", error)
        long = _too_long(asked)
        if long:
            return long
        pull = hub.new_pull(asked["title"], asked.get("body") or "", branch, base, login)
        return Reply(status=201, data=self._pull(request, pull, whole=True))

    def _change_pull(self, request: Request, number: int) -> Reply:
        if "pulls" in self.hub.denied:
            return refusal(403, "Resource not accessible by integration")
        pull, asked = self.hub.pulls.get(number), request.json
        if pull is None:
            return refusal(404, "Not Found")
        long = _too_long(asked)
        if long:
            return long
        pull.title, pull.body = asked.get("title", pull.title), asked.get("body", pull.body)
        if asked.get("state") == "closed" and pull.stage == "open":
            self.hub.close(number)
        elif asked.get("state") == "open" and pull.stage == "closed":
            self.hub.reopen(number)
        return Reply(data=self._pull(request, pull, whole=True))

    def _commits(self, pull: Pull) -> list[dict[str, Any]]:
        base = self.hub.branch(pull.base) or ""
        found = self.hub.between(base, pull.head)[:250]
        return [self._commit(commit) for commit in found]

    def _commit(self, commit: str) -> dict[str, Any]:
        fields = self.hub.git("show", "-s", "--format=%P%x00%an%x00%ae%x00%cn%x00%ce%x00%B", commit).split("\0")
        parents, author, author_mail, committer, committer_mail, message = fields
        return {
            "sha": commit,
            "commit": {
                "author": {"name": author, "email": author_mail, "date": "2026-03-01T00:00:00Z"},
                "committer": {"name": committer, "email": committer_mail, "date": "2026-03-01T00:00:00Z"},
                "message": message,
            },
            "author": None,
            "committer": {},
            "parents": [{"sha": parent} for parent in parents.split()],
        }

    def _issues(self, request: Request) -> list[dict[str, Any]]:
        """Newest first; pull requests are issues too, to GitHub."""
        wanted = [label for label in request.one("labels").split(",") if label]
        state = request.one("state", "open")
        every: list[Pull | Ticket] = [*self.hub.issues.values(), *self.hub.pulls.values()]
        found = [each for each in every if set(wanted) <= set(each.labels)]
        items = [self._issue(request, each) for each in sorted(found, key=lambda each: -each.number)]
        return [item for item in items if state in ("all", item["state"])]

    def _issue(self, request: Request, issue: Pull | Ticket) -> dict[str, Any]:
        is_open = issue.open if isinstance(issue, Ticket) else issue.stage == "open"
        return {
            "number": issue.number,
            "state": "open" if is_open else "closed",
            "title": issue.title,
            "body": issue.body,
            "labels": [{"name": label} for label in issue.labels],
            "html_url": f"http://{request.headers['host']}/{self.hub.name}/issues/{issue.number}",
            **({"pull_request": {"url": "x"}} if isinstance(issue, Pull) else {}),
        }

    def _create_issue(self, request: Request) -> Reply:
        if "issues" in self.hub.denied:
            return refusal(403, "Resource not accessible by integration")
        asked = request.json
        made = self.hub.new_issue(asked["title"], asked.get("body", ""), list(asked.get("labels", [])))
        return Reply(status=201, data=self._issue(request, made))

    def _change_issue(self, request: Request, number: int) -> Reply:
        issue, asked = self.hub.issues[number], request.json
        issue.title, issue.body = asked.get("title", issue.title), asked.get("body", issue.body)
        issue.open = asked.get("state", "open" if issue.open else "closed") == "open"
        return Reply(data=self._issue(request, issue))

    def _add_labels(self, request: Request, number: int) -> Reply:
        if "labels" in self.hub.denied:
            return refusal(403, "Resource not accessible by integration")
        thing: Pull | Ticket = self.hub.pulls.get(number) or self.hub.issues[number]
        thing.labels += [label for label in request.json["labels"] if label not in thing.labels]
        return Reply(data=[{"name": label} for label in thing.labels])

    def _comment(self, request: Request, number: int) -> Reply:
        if "comments" in self.hub.denied:
            return refusal(403, "Resource not accessible by integration")
        self.hub.comments.append((number, request.json["body"]))
        return Reply(status=201, data={"id": len(self.hub.comments), "body": request.json["body"]})

    def _page(self, request: Request, items: Sequence[Any]) -> Reply:
        return paged(request, items, self.hub.page_size or int(request.one("per_page", "30")), "per_page")


def paged(request: Request, items: Sequence[Any], size: int, name: str) -> Reply:
    """One page of a listing, with the `Link` header to the next one."""
    page = int(request.one("page", "1"))
    headers = {}
    if page * size < len(items):
        query = "&".join(f"{k}={v}" for k, vs in request.query.items() for v in vs if k not in ("page", name))
        here = f"http://{request.headers['host']}{request.path}?{query}&{name}={size}"
        headers["link"] = f'<{here}&page={page + 1}>; rel="next", <{here}&page=999>; rel="last"'
    return Reply(data=list(items[(page - 1) * size : page * size]), headers=headers)


def _too_long(asked: dict[str, Any]) -> Reply | None:
    if len(asked.get("body") or "") > BODY_LIMIT:
        return refusal(422, "Validation Failed", {"message": f"body is too long (maximum is {BODY_LIMIT} characters)"})
    if len(asked.get("title") or "") > 256:
        return refusal(422, "Validation Failed", {"message": "title is too long (maximum is 256 characters)"})
    return None


def _query(request: Request) -> str:
    said = "&".join(f"{name}={value}" for name, values in request.query.items() for value in values)
    return f"?{said}" if said else ""
