"""The job for GitLab, run as its runner does: a remote that wants a token, a live site, a host that acts like it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from forges import gitlab_push
from forges.hub import TOKEN
from git_http import GitServer, git_server
from hooks.gitlab_runner import Done, GitLabRunner
from hooks.team import Team

BRANCH = "okf/sync/docs"


class Nights:
    """The job that `git okf ci gitlab` wrote, night after night."""

    def __init__(self, team: Team, remote: GitServer) -> None:
        self.team = team
        self.remote = remote
        self.text = team.told("gitlab")
        given = {
            "CI_API_V4_URL": team.api_url,
            "CI_PROJECT_PATH": "acme/docs",
            "CI_PROJECT_URL": remote.url("acme/docs").removesuffix(".git"),
            "CI_JOB_TOKEN": "job-0123",
            "GITLAB_TOKEN": TOKEN,
        }
        self.runner = GitLabRunner(team.folder / "runner", team.bare.path, given)

    def run(self, **variables: str) -> Done:
        return self.runner.run(self.text, **variables)


@pytest.fixture
def nights(at_gitlab: Team) -> Iterator[Nights]:
    """The remote takes pushes from nobody without the token."""
    at_gitlab.bare.git("config", "http.receivepack", "true")
    with git_server(at_gitlab.folder / "remote") as remote:
        remote.credentials = ("okf", TOKEN)
        yield Nights(at_gitlab, remote)


def test_the_first_night_opens_a_merge_request_and_the_second_is_quiet(nights: Nights) -> None:
    nights.team.docs.put("a", version=2)
    done = nights.run()
    assert done.status == "success", done.log
    (pull,) = nights.team.hub.open_pulls()
    assert (pull.title, pull.branch, pull.base) == ("sync: +0 -0 =1 (docs)", BRANCH, "main")
    assert done.report == {
        "OKF_CHANGED": "true", "OKF_RESULT": "synced", "OKF_EXIT_CODE": "0", "OKF_DECISION": "create",
        "OKF_NUMBER": "1", "OKF_URL": f"{nights.team.server.url}/acme/docs/-/merge_requests/1",
    }  # fmt: skip
    assert nights.runner.installed == ["git-okf==0.1.0"]
    before = nights.team.refs()
    done = nights.run()
    assert done.report and (done.status, done.report["OKF_DECISION"]) == ("success", "nothing"), done.log
    assert nights.team.refs() == before


def test_the_token_is_stored_and_said_nowhere(nights: Nights) -> None:
    nights.team.docs.put("a", version=2)
    done = nights.run()
    assert TOKEN not in done.log
    kept = [path for path in nights.runner._folder.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert kept == []


def test_all_sources_that_are_due_go_one_after_the_other(nights: Nights) -> None:
    team = nights.team
    team.second_source()
    team.docs.put("a", version=2)
    team.put_other(2)
    done = nights.run()
    assert done.status == "success", done.log
    assert {pull.branch for pull in team.hub.open_pulls()} == {BRANCH, "okf/sync/other"}


def test_a_person_names_sources_on_the_form_and_nothing_else_starts_the_job(nights: Nights) -> None:
    team = nights.team
    team.second_source()
    team.docs.put("a", version=2)
    team.put_other(2)
    for source, variables in (("web", {}), ("push", {}), ("merge_request_event", {"OKF_SOURCES": "docs"})):
        assert nights.run(source=source, **variables).status == "skipped"
    assert nights.run(source="web", OKF_SOURCES="other").status == "success"
    assert [pull.branch for pull in team.hub.open_pulls()] == ["okf/sync/other"]
    done = nights.run(source="web", OKF_SOURCES="--version *")
    assert done.status == "failed" and "there is no source '--version'" in done.log, "names are words, never options"


def test_a_job_that_fails_stays_red_and_says_why(nights: Nights) -> None:
    docs = nights.team.docs
    docs.put("d", "e")
    assert nights.run().status == "success"
    nights.team.hub.squash(1)
    docs.drop("a", "b", "c", "d")
    done = nights.run()
    assert (done.status, done.code) == ("failed", 1)
    assert "page-count guard stopped the sync" in done.log
    assert done.report and done.report["OKF_RESULT"] == "aborted"
    assert nights.run(OKF_FORCE="true").status == "success"


def test_what_is_retained_is_a_warning(nights: Nights) -> None:
    nights.team.docs.put("a", version=2)
    nights.team.docs.site.fault("/docs/b", status=403)
    done = nights.run()
    assert (done.status, done.code) == ("warning", 3)
    assert len(nights.team.hub.open_pulls()) == 1


def test_without_the_token_that_of_the_job_pushes_and_the_push_opens_the_merge_request(nights: Nights) -> None:
    team = nights.team
    gitlab_push.take_pushes(team.hub, team.api_url)
    nights.remote.credentials = ("gitlab-ci-token", "job-0123")
    team.second_source()
    team.docs.put("a", version=2)
    team.put_other(2)
    done = nights.run(GITLAB_TOKEN="")
    assert done.status == "success", done.log
    urls = [f"{team.server.url}/acme/docs/-/merge_requests/{number}" for number in (1, 2)]
    assert all(url in done.log for url in urls)
    assert "job-0123" not in done.log
    assert {pull.branch for pull in team.hub.pulls.values()} == {BRANCH, "okf/sync/other"}
    before = team.refs()
    done = nights.run(GITLAB_TOKEN="", OKF_SOURCES="docs")
    assert done.report and (done.report["OKF_DECISION"], done.report["OKF_URL"]) == ("nothing", urls[0]), done.log
    assert team.refs() == before


def test_a_job_that_is_cancelled_is_resumed_by_the_next(nights: Nights) -> None:
    team = nights.team
    team.configure(concurrency=1)
    team.docs.put(*(f"p{number:02}" for number in range(20)))
    slow = team.docs.site.fault("/docs/p10", delay=20.0)
    team.docs.site.when_asked("/docs/p10", nights.runner.cancel)
    team.docs.site.forget()
    done = nights.run()
    assert (done.status, done.code) == ("canceled", 130), done.log
    assert "refs/okf/checkpoint/docs" in team.refs()
    asked = {r.path for r in team.docs.site.requests("/docs/p*")}
    team.docs.site.heal(slow)
    team.docs.site.forget()
    assert nights.run().status == "success"
    assert team.hub.open_pulls()[0].title == "sync: +20 -0 =0 (docs)"
    again = {r.path for r in team.docs.site.requests("/docs/p*") if r.status == 200}
    assert len(asked) + len(again) <= 21 and len(asked) >= 8
