"""GitLab's REST v4 over a `Hub`, as far as reviews need it; what pushes do is in `gitlab_push`.

Faithful in what trips clients: numbers per project (`iid`), the project by number or encoded path, a redirect of an old
path for reading only, 409 with a list as its message for a duplicate, `state_event`, a global `scope`, labels as a
string, `locked`, commits newest first, error bodies of four shapes, 429 with `Retry-After`, job tokens that may not
open merge requests, an open merge request whose branch is gone.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from forges import gitlab_push
from forges.github import paged
from forges.hub import Hub, Pull, Ticket
from forges.server import Reply, Request

API_PREFIX = "/api/v4"
BODY_LIMIT = 1_048_576
_STATES = {"open": "opened", "closed": "closed", "merged": "merged", "locked": "locked"}


def limited(retry_after: int | None = None, reset: int | None = None) -> Reply:
    headers = {"retry-after": str(retry_after)} if retry_after is not None else {}
    if reset is not None:
        headers["ratelimit-reset"] = str(reset)
    return Reply(status=429, body=b"Retry later\n", headers=headers)


class GitLabApi:
    """Answers requests."""

    kind = "gitlab"

    def __init__(self, hub: Hub, prefix: str = API_PREFIX) -> None:
        self.hub = hub
        self.prefix = prefix
        hub.one_count = False

    def __call__(self, request: Request) -> Reply:
        return self.hub.answered(request, self._checked)

    def _checked(self, request: Request) -> Reply:
        if request.path == self.prefix + gitlab_push.PATH:
            return gitlab_push.received(self.hub, request)
        if "job-token" in request.headers and request.method != "GET":
            return Reply(status=403, data={"message": "403 Forbidden"})
        login = self.hub.tokens.get(request.headers.get("private-token", ""))
        if login is None:
            return Reply(status=401, data={"message": "401 Unauthorized"})
        match = re.match(rf"{self.prefix}/projects/([^/]+)(/.*)?$", request.path)
        if match is None:
            return Reply(status=404, data={"error": "404 Not Found"})
        project, rest = unquote(match[1]), (match[2] or "").strip("/")
        if project.lower() in self.hub.old_names:
            if request.method != "GET":
                return Reply(status=404, data={"message": "404 Project Not Found"})
            there = f"http://{request.headers['host']}{self.prefix}/projects/{self.hub.number}"
            return Reply(status=301, data={}, headers={"location": f"{there}/{rest}".rstrip("/")})
        if project not in (str(self.hub.number),) and project.lower() != self.hub.name.lower():
            return Reply(status=404, data={"message": "404 Project Not Found"})
        self._settle()
        return self._routed(request, rest, login)

    def _settle(self) -> None:
        """A merge request stays open when its branch goes."""
        kept = [p for p in self.hub.pulls.values() if p.stage == "open" and self.hub.branch(p.branch) is None]
        self.hub.settle()
        for pull in kept:
            pull.stage, pull.closed_at = "open", None

    def _routed(self, request: Request, rest: str, login: str) -> Reply:
        match request.method, rest.split("/"):
            case "GET", [""]:
                return Reply(data=self._project(request))
            case "GET", ["merge_requests"]:
                return self._page(request, [self._request(request, pull) for pull in self._filtered(request)])
            case "POST", ["merge_requests"]:
                return self._create(request, login)
            case "PUT", ["merge_requests", iid]:
                return self._change(request, int(iid))
            case "GET", ["merge_requests", iid, "commits"]:
                return self._page(request, self._commits(self.hub.pulls[int(iid)]))
            case "POST", ["merge_requests" | "issues", iid, "notes"]:
                return self._note(request, int(iid))
            case "GET", ["issues"]:
                return self._page(request, self._issues(request))
            case "POST", ["issues"]:
                return self._create_issue(request)
            case "PUT", ["issues", iid]:
                return self._change_issue(request, int(iid))
        return Reply(status=404, data={"error": "404 Not Found"})

    def _project(self, request: Request) -> dict[str, Any]:
        return {
            "id": self.hub.number,
            "path_with_namespace": self.hub.name,
            "web_url": f"http://{request.headers['host']}/{self.hub.name}",
            "default_branch": "main",
            "archived": self.hub.archived,
        }

    def _filtered(self, request: Request) -> list[Pull]:
        state, branch = request.one("state", "all"), request.one("source_branch")
        found = [p for p in self.hub.pulls.values() if not branch or p.branch == branch]
        found = [p for p in found if state in ("all", _STATES[p.stage])]
        return sorted(found, key=lambda p: p.number, reverse=request.one("sort", "desc") == "desc")

    def _request(self, request: Request, pull: Pull) -> dict[str, Any]:
        return {
            "id": 7_000_000 + pull.number,
            "iid": pull.number,
            "project_id": self.hub.number,
            "title": pull.title,
            "description": pull.body,
            "state": _STATES[pull.stage],
            "merged_at": pull.merged_at,
            "closed_at": pull.closed_at if pull.stage == "closed" else None,
            "created_at": pull.created_at,
            "source_branch": pull.branch,
            "target_branch": pull.base,
            "source_project_id": pull.head_repo,
            "target_project_id": self.hub.number,
            "labels": list(pull.labels),
            "author": {"id": 1, "username": pull.author},
            "sha": pull.head,
            "merge_commit_sha": None,
            "web_url": f"http://{request.headers['host']}/{self.hub.name}/-/merge_requests/{pull.number}",
            "changes_count": "1000+",
        }

    def _create(self, request: Request, login: str) -> Reply:
        hub, asked = self.hub, request.json
        if "pulls" in hub.denied or hub.archived:
            return Reply(status=403, data={"error": "insufficient_scope", "error_description": "needs scope api"})
        branch, base = asked["source_branch"], asked["target_branch"]
        for pull in hub.pulls.values():
            if (pull.stage, pull.branch, pull.base, pull.head_repo) == ("open", branch, base, hub.number):
                said = f"Another open merge request already exists for this source branch: !{pull.number}"
                return Reply(status=409, data={"message": [said]})
        if hub.branch(branch) is None:
            return Reply(status=400, data={"message": {"source_branch": ["does not exist"]}})
        if len(asked.get("description") or "") > BODY_LIMIT:
            return Reply(status=400, data={"message": {"description": ["is too long"]}})
        pull = hub.new_pull(asked["title"], asked.get("description") or "", branch, base, login)
        pull.labels = [label for label in asked.get("labels", "").split(",") if label]
        return Reply(status=201, data=self._request(request, pull))

    def _change(self, request: Request, iid: int) -> Reply:
        pull, asked = self.hub.pulls.get(iid), request.json
        if pull is None:
            return Reply(status=404, data={"message": "404 Not found"})
        pull.title, pull.body = asked.get("title", pull.title), asked.get("description", pull.body)
        pull.labels += [label for label in asked.get("add_labels", "").split(",") if label and label not in pull.labels]
        if asked.get("state_event") == "close" and pull.stage == "open":
            pull.stage, pull.closed_at = "closed", pull.created_at
        elif asked.get("state_event") == "reopen" and pull.stage == "closed":
            pull.stage, pull.closed_at = "open", None
        return Reply(data=self._request(request, pull))

    def _commits(self, pull: Pull) -> list[dict[str, Any]]:
        found = self.hub.between(self.hub.branch(pull.base) or "", pull.head)
        return [self._commit(commit) for commit in reversed(found)]

    def _commit(self, commit: str) -> dict[str, Any]:
        fields = self.hub.git("show", "-s", "--format=%P%x00%an%x00%ae%x00%cn%x00%ce%x00%B", commit).split("\0")
        return {
            "id": commit,
            "short_id": commit[:8],
            "title": fields[5].partition("\n")[0],
            "message": fields[5],
            "author_name": fields[1],
            "author_email": fields[2],
            "committer_name": fields[3],
            "committer_email": fields[4],
            "parent_ids": fields[0].split(),
        }

    def _issues(self, request: Request) -> list[dict[str, Any]]:
        wanted = {label for label in request.one("labels").split(",") if label}
        state = request.one("state", "all")
        found = [self._issue(request, i) for i in self.hub.issues.values() if wanted <= set(i.labels)]
        return [item for item in reversed(found) if state in ("all", item["state"])]

    def _issue(self, request: Request, issue: Ticket) -> dict[str, Any]:
        return {
            "iid": issue.number,
            "state": "opened" if issue.open else "closed",
            "title": issue.title,
            "description": issue.body,
            "labels": list(issue.labels),
            "web_url": f"http://{request.headers['host']}/{self.hub.name}/-/issues/{issue.number}",
        }

    def _create_issue(self, request: Request) -> Reply:
        if "issues" in self.hub.denied:
            return Reply(status=403, data={"message": "403 Forbidden"})
        asked = request.json
        labels = [label for label in asked.get("labels", "").split(",") if label]
        made = self.hub.new_issue(asked["title"], asked.get("description", ""), labels)
        return Reply(status=201, data=self._issue(request, made))

    def _change_issue(self, request: Request, iid: int) -> Reply:
        issue, asked = self.hub.issues[iid], request.json
        issue.title, issue.body = asked.get("title", issue.title), asked.get("description", issue.body)
        issue.open = {"close": False, "reopen": True}.get(asked.get("state_event", ""), issue.open)
        return Reply(data=self._issue(request, issue))

    def _note(self, request: Request, iid: int) -> Reply:
        if "comments" in self.hub.denied:
            return Reply(status=403, data={"message": "403 Forbidden"})
        self.hub.comments.append((iid, request.json["body"]))
        return Reply(status=201, data={"id": len(self.hub.comments), "body": request.json["body"]})

    def _page(self, request: Request, items: list[Any]) -> Reply:
        return paged(request, items, self.hub.page_size or min(100, int(request.one("per_page", "20"))), "per_page")
