"""The workflow for Gitea and Forgejo, run step by step: a real remote, a live site, a host that acts like it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from forges.hub import TOKEN
from hooks.actions_runner import Job, Runner
from hooks.team import Team

BRANCH = "okf/sync/docs"


class Nights:
    """The workflow that `git okf ci gitea` wrote, night after night."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.text = team.told("gitea")
        github = {
            "GITHUB_API_URL": team.api_url,
            "GITHUB_SERVER_URL": team.server.url,
            "GITHUB_REPOSITORY": "acme/docs",
        }
        self.runner = Runner(team.folder / "runner", team.bare.path, github)
        self.runner.token = TOKEN

    def run(self, **inputs: str | bool) -> Job:
        event = "workflow_dispatch" if inputs else "schedule"
        (job,) = self.runner.run(self.text, inputs, event=event)["sync"]
        return job


@pytest.fixture
def nights(at_gitea: Team) -> Iterator[Nights]:
    yield Nights(at_gitea)


def test_the_first_night_opens_a_pull_request_and_the_second_is_quiet(nights: Nights) -> None:
    nights.team.docs.put("a", version=2)
    job = nights.run()
    assert job.result == "success", job.log
    (pull,) = nights.team.hub.open_pulls()
    assert (pull.title, pull.branch, pull.base) == ("sync: +0 -0 =1 (docs)", BRANCH, "main")
    assert job.outputs.pop("url").endswith("/acme/docs/pulls/1")
    assert job.outputs == {"changed": "true", "result": "synced", "decision": "create", "number": "1"}
    assert "| `docs` | synced: " in job.summary
    assert nights.runner.installed == ["git-okf==0.1.0"]
    before = nights.team.refs()
    job = nights.run()
    assert (job.result, job.outputs["decision"]) == ("success", "nothing")
    assert nights.team.refs() == before


def test_two_sources_go_one_after_the_other_and_by_hand_the_named_one_alone(nights: Nights) -> None:
    team = nights.team
    team.second_source()
    team.docs.put("a", version=2)
    team.put_other(2)
    assert nights.run(sources="other").result == "success"
    assert [pull.branch for pull in team.hub.open_pulls()] == ["okf/sync/other"]
    assert nights.run().result == "success"
    assert {pull.branch for pull in team.hub.open_pulls()} == {BRANCH, "okf/sync/other"}


def test_a_job_that_fails_stays_red_and_says_why_and_one_that_retains_warns(nights: Nights) -> None:
    docs = nights.team.docs
    docs.put("d", "e")
    refused = docs.site.fault("/docs/b", status=403)
    job = nights.run()
    assert (job.result, job.step("Sync").code) == ("success", 3)
    docs.site.heal(refused)
    nights.team.hub.squash(1)
    docs.drop("a", "b", "c", "d")
    job = nights.run()
    assert (job.result, job.step("Fail").code) == ("failure", 1)
    assert any("page-count guard stopped the sync" in line for line in job.annotations)
    assert nights.run(force=True).result == "success"


def test_a_job_that_is_cancelled_is_resumed_by_the_next(nights: Nights) -> None:
    team = nights.team
    team.configure(concurrency=1)
    team.docs.put(*(f"p{number:02}" for number in range(20)))
    slow = team.docs.site.fault("/docs/p10", delay=20.0)
    team.docs.site.when_asked("/docs/p10", nights.runner.cancel)
    team.docs.site.forget()
    job = nights.run()
    assert (job.result, job.step("Sync").code) == ("cancelled", 130), job.log
    assert "refs/okf/checkpoint/docs" in team.refs()
    asked = {r.path for r in team.docs.site.requests("/docs/p*")}
    team.docs.site.heal(slow)
    team.docs.site.forget()
    assert nights.run().outputs["decision"] == "create"
    assert team.hub.open_pulls()[0].title == "sync: +20 -0 =0 (docs)"
    again = {r.path for r in team.docs.site.requests("/docs/p*") if r.status == 200}
    assert len(asked) + len(again) <= 21 and len(asked) >= 8


def test_an_issue_is_kept_where_that_was_asked_for(at_gitea: Team) -> None:
    docs = at_gitea.docs
    nights = Nights(at_gitea)
    nights.text = at_gitea.told("gitea", "--report-issue", "--force")
    docs.put("d", "e")
    nights.run()
    at_gitea.hub.squash(1)
    docs.drop("a", "b", "c", "d")
    assert nights.run().result == "failure"
    assert [issue.open for issue in at_gitea.hub.issues.values()] == [True]
    docs.put("a", "b", "c", "d")
    assert nights.run().result == "success"
    assert [issue.open for issue in at_gitea.hub.issues.values()] == [False]


def test_a_token_of_ones_own_and_the_secrets_of_sources_are_passed_on(at_gitea: Team) -> None:
    at_gitea.configure(headers={"X-Token": "${DOCS_TOKEN}"})
    nights = Nights(at_gitea)
    nights.runner.token = ""
    nights.runner.secrets |= {"OKF_TOKEN": TOKEN, "DOCS_TOKEN": "hidden-0123"}
    at_gitea.docs.put("a", version=2)
    at_gitea.docs.site.forget()
    assert nights.run().result == "success"
    assert {r.headers.get("x-token", "") for r in at_gitea.docs.site.requests("/docs/*")} == {"hidden-0123"}
