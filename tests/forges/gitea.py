"""Gitea's and Forgejo's REST v1 over a `Hub`, as far as reviews need it.

Faithful in what trips clients: no filter for a branch, pages of 50 at most, labels by number (a name is refused), 409
for a duplicate, 404 for a missing branch, 201 for a PATCH, 423 where archived, `merged` in listings, `head.repo` that
is null, redirects from an old name, commits newest first, pull requests among the issues unless `type` says.
"""

from __future__ import annotations

import re
from typing import Any

from forges.github import paged
from forges.hub import Hub, Pull, Ticket
from forges.server import Reply, Request

API_PREFIX = "/api/v1"


def refusal(status: int, message: str) -> Reply:
    return Reply(status=status, data={"message": message, "url": "https://example.org/api/swagger"})


class GiteaApi:
    """Answers requests."""

    kind = "gitea"

    def __init__(self, hub: Hub, prefix: str = API_PREFIX) -> None:
        self.hub = hub
        self.prefix = prefix

    def __call__(self, request: Request) -> Reply:
        return self.hub.answered(request, self._checked)

    def _checked(self, request: Request) -> Reply:
        said = request.headers.get("authorization", "")
        login = self.hub.tokens.get(said.removeprefix("token ").removeprefix("Bearer "))
        if login is None:
            return refusal(401, "token is required")
        match = re.match(rf"{self.prefix}/repos/([^/]+/[^/]+)(/.*)?$", request.path)
        if match is None:
            return refusal(404, "The target couldn't be found.")
        if match[1].lower() in self.hub.old_names:
            there = f"{self.prefix}/repos/{self.hub.name}{match[2] or ''}"
            query = "&".join(f"{name}={value}" for name, values in request.query.items() for value in values)
            return Reply(status=307, data={}, headers={"location": f"{there}?{query}" if query else there})
        if match[1].lower() != self.hub.name.lower():
            return refusal(404, "The target couldn't be found.")
        if self.hub.archived and request.method != "GET":
            return refusal(423, "Repo is archived")
        self.hub.settle()
        return self._routed(request, (match[2] or "").strip("/"), login)

    def _routed(self, request: Request, rest: str, login: str) -> Reply:
        match request.method, rest.split("/"):
            case "GET", [""]:
                return Reply(data=self._repository(request))
            case "GET", ["pulls"]:
                return self._page(request, [self._pull(request, pull) for pull in self._listed(request)])
            case "POST", ["pulls"]:
                return self._create(request, login)
            case "PATCH", ["pulls", index]:
                return self._change(request, int(index))
            case "GET", ["pulls", index, "commits"]:
                return self._page(request, self._commits(self.hub.pulls[int(index)]))
            case _, ["labels" | "issues", *_]:
                return self._about_issues(request, rest)
        return refusal(404, "The target couldn't be found.")

    def _about_issues(self, request: Request, rest: str) -> Reply:
        match request.method, rest.split("/"):
            case "GET", ["labels"]:
                return self._page(request, [{"id": n, "name": name} for name, n in self.hub.labels.items()])
            case "POST", ["labels"]:
                return self._create_label(request)
            case "POST", ["issues", index, "labels"]:
                return self._add_labels(request, int(index))
            case "POST", ["issues", index, "comments"]:
                return self._comment(request, int(index))
            case "GET", ["issues"]:
                return self._page(request, self._issues(request))
            case "POST", ["issues"]:
                return self._create_issue(request)
            case "PATCH", ["issues", index]:
                return self._change_issue(request, int(index))
        return refusal(404, "The target couldn't be found.")

    def _repository(self, request: Request) -> dict[str, Any]:
        return {
            "id": self.hub.number,
            "full_name": self.hub.name,
            "html_url": f"http://{request.headers['host']}/{self.hub.name}",
            "default_branch": "main",
            "archived": self.hub.archived,
        }

    def _listed(self, request: Request) -> list[Pull]:
        state = request.one("state", "open")
        found = [p for p in self.hub.pulls.values() if state == "all" or (p.stage == "open") == (state == "open")]
        return sorted(found, key=lambda p: -p.number)

    def _pull(self, request: Request, pull: Pull) -> dict[str, Any]:
        return {
            "id": 400 + pull.number,
            "number": pull.number,
            "state": "open" if pull.stage == "open" else "closed",
            "title": pull.title,
            "body": pull.body,
            "draft": False,
            "merged": pull.stage == "merged",
            "merged_at": pull.merged_at,
            "closed_at": pull.closed_at,
            "created_at": pull.created_at,
            "html_url": f"http://{request.headers['host']}/{self.hub.name}/pulls/{pull.number}",
            "user": {"login": pull.author},
            "labels": [{"id": self.hub.label(name), "name": name} for name in pull.labels],
            "head": {
                "label": pull.branch,
                "ref": pull.branch,
                "sha": pull.head,
                "repo_id": pull.head_repo or -1,
                "repo": {"id": pull.head_repo} if pull.head_repo else None,
            },
            "base": {"label": pull.base, "ref": pull.base, "repo_id": self.hub.number},
        }

    def _create(self, request: Request, login: str) -> Reply:
        hub, asked = self.hub, request.json
        if "pulls" in hub.denied:
            return refusal(403, "token does not have at least one of required scope(s): [write:repository]")
        branch, base = asked["head"], asked["base"]
        if hub.branch(branch) is None or hub.branch(base) is None:
            return refusal(404, "The target couldn't be found.")
        for pull in hub.pulls.values():
            if (pull.stage, pull.branch, pull.base, pull.head_repo) == ("open", branch, base, hub.number):
                return refusal(409, f"pull request already exists for these targets [id: {pull.number}]")
        pull = hub.new_pull(asked["title"], asked.get("body") or "", branch, base, login)
        return Reply(status=201, data=self._pull(request, pull))

    def _change(self, request: Request, index: int) -> Reply:
        pull, asked = self.hub.pulls.get(index), request.json
        if pull is None:
            return refusal(404, "The target couldn't be found.")
        pull.title, pull.body = asked.get("title", pull.title), asked.get("body", pull.body)
        if asked.get("state") == "closed" and pull.stage == "open":
            self.hub.close(index)
        elif asked.get("state") == "open" and pull.stage == "closed":
            self.hub.reopen(index)
        return Reply(status=201, data=self._pull(request, pull))

    def _commits(self, pull: Pull) -> list[dict[str, Any]]:
        found = self.hub.between(self.hub.branch(pull.base) or "", pull.head)
        return [self._commit(commit) for commit in reversed(found)]

    def _commit(self, commit: str) -> dict[str, Any]:
        fields = self.hub.git("show", "-s", "--format=%P%x00%an%x00%ae%x00%cn%x00%ce%x00%B", commit).split("\0")
        return {
            "sha": commit,
            "commit": {
                "message": fields[5],
                "author": {"name": fields[1], "email": fields[2]},
                "committer": {"name": fields[3], "email": fields[4]},
            },
            "author": None,
            "committer": None,
            "parents": [{"sha": parent} for parent in fields[0].split()],
        }

    def _create_label(self, request: Request) -> Reply:
        if "labels" in self.hub.denied:
            return refusal(403, "token does not have at least one of required scope(s): [write:issue]")
        name = request.json["name"]
        return Reply(status=201, data={"id": self.hub.label(name), "name": name, "color": request.json["color"]})

    def _names(self, ids: Any) -> list[str] | None:
        names = {number: name for name, number in self.hub.labels.items()}
        return [names[i] for i in ids] if all(isinstance(i, int) and i in names for i in ids) else None

    def _add_labels(self, request: Request, index: int) -> Reply:
        if "labels" in self.hub.denied:
            return refusal(403, "token does not have at least one of required scope(s): [write:issue]")
        names = self._names(request.json["labels"])
        if names is None:
            return refusal(422, "json: cannot unmarshal string into Go struct field of type int64")
        thing: Pull | Ticket = self.hub.pulls.get(index) or self.hub.issues[index]
        thing.labels += [name for name in names if name not in thing.labels]
        return Reply(data=[{"name": name} for name in thing.labels])

    def _comment(self, request: Request, index: int) -> Reply:
        if "comments" in self.hub.denied:
            return refusal(403, "user should have a permission to write")
        self.hub.comments.append((index, request.json["body"]))
        return Reply(status=201, data={"id": len(self.hub.comments), "body": request.json["body"]})

    def _issues(self, request: Request) -> list[dict[str, Any]]:
        wanted = {label for label in request.one("labels").split(",") if label}
        state, kind = request.one("state", "open"), request.one("type")
        every: list[Pull | Ticket] = [*self.hub.issues.values()]
        if kind != "issues":
            every += self.hub.pulls.values()
        found = [self._issue(request, i) for i in sorted(every, key=lambda i: -i.number) if wanted <= set(i.labels)]
        return [item for item in found if state in ("all", item["state"])]

    def _issue(self, request: Request, issue: Pull | Ticket) -> dict[str, Any]:
        is_open = issue.open if isinstance(issue, Ticket) else issue.stage == "open"
        return {
            "number": issue.number,
            "state": "open" if is_open else "closed",
            "title": issue.title,
            "body": issue.body,
            "html_url": f"http://{request.headers['host']}/{self.hub.name}/issues/{issue.number}",
            "pull_request": {"merged": False} if isinstance(issue, Pull) else None,
        }

    def _create_issue(self, request: Request) -> Reply:
        if "issues" in self.hub.denied:
            return refusal(403, "token does not have at least one of required scope(s): [write:issue]")
        asked = request.json
        names = self._names(asked.get("labels", []))
        if names is None:
            return refusal(422, "json: cannot unmarshal string into Go struct field of type int64")
        made = self.hub.new_issue(asked["title"], asked.get("body", ""), names)
        return Reply(status=201, data=self._issue(request, made))

    def _change_issue(self, request: Request, index: int) -> Reply:
        issue, asked = self.hub.issues[index], request.json
        issue.title, issue.body = asked.get("title", issue.title), asked.get("body", issue.body)
        issue.open = asked.get("state", "open" if issue.open else "closed") == "open"
        return Reply(status=201, data=self._issue(request, issue))

    def _page(self, request: Request, items: list[Any]) -> Reply:
        size = min(50, int(request.one("limit", "30")))
        reply = paged(request, items, self.hub.page_size or size, "limit")
        return Reply(data=reply.data, headers={**reply.headers, "x-total-count": str(len(items))})
