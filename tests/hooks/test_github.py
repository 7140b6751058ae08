"""The workflow and the action for GitHub, run step by step: a real remote, a live site, a host that acts like it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import GitRepo
from forges.github import BUILT_IN
from forges.hub import TOKEN
from hooks.actions_runner import ROOT, Job, Runner
from hooks.team import Team
from remotes import bare_remote
from scenario import paths

BRANCH = "okf/sync/docs"


class Nights:
    """The workflow that `git okf ci github` wrote, night after night."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.text = team.told("github")
        github = {
            "GITHUB_API_URL": team.api_url,
            "GITHUB_SERVER_URL": team.server.url,
            "GITHUB_REPOSITORY": "acme/docs",
        }
        self.runner = Runner(team.folder / "runner", team.bare.path, github)
        self.runner.token = BUILT_IN

    def run(self, *, at_once: bool = False, **inputs: str | bool) -> list[Job]:
        """One run; the jobs that sync."""
        event = "workflow_dispatch" if inputs else "schedule"
        jobs = self.runner.run(self.text, inputs, at_once=at_once, event=event)
        assert jobs["plan"][0].result == "success", jobs["plan"][0].log
        return jobs["sync"]

    def one(self, **inputs: str | bool) -> Job:
        (job,) = self.run(at_once=False, **inputs)
        return job


@pytest.fixture
def nights(at_github: Team) -> Iterator[Nights]:
    yield Nights(at_github)


def test_the_first_night_opens_a_pull_request_and_the_second_is_quiet(nights: Nights) -> None:
    docs, hub = nights.team.docs, nights.team.hub
    docs.put("a", version=2)
    job = nights.one()
    assert job.result == "success", job.log
    (pull,) = hub.open_pulls()
    assert (pull.title, pull.branch, pull.base) == ("sync: +0 -0 =1 (docs)", BRANCH, "main")
    told = job.step("sync").outputs
    assert {name: told[name] for name in ("changed", "result", "exit-code", "decision", "number")} == {
        "changed": "true", "result": "synced", "exit-code": "0", "decision": "create", "number": "1",
    }  # fmt: skip
    assert told["url"].endswith("/acme/docs/pull/1")
    assert json.loads(told["json"])["sources"][0]["updated"] == paths("a")
    assert "| `docs` | synced: " in job.summary
    assert "built-in GITHUB_TOKEN" in job.log, "that its checks do not start is said"
    assert hub.git("log", "-1", "--format=%an <%ae>", BRANCH) == "git-okf <git-okf@localhost>"

    before, bodies = nights.team.refs(), docs.site.bodies("/docs/*")
    job = nights.one()
    assert (job.result, job.step("sync").outputs["decision"]) == ("success", "nothing")
    assert nights.team.refs() == before
    assert docs.site.bodies("/docs/*") == bodies + 1, "the page under review is compared with the base"


def test_after_a_squash_merge_the_next_night_is_quiet(nights: Nights) -> None:
    nights.team.docs.put("a", version=2)
    nights.one()
    nights.team.hub.squash(1)
    nights.team.hub.delete_branch(BRANCH)
    before = nights.team.refs()
    job = nights.one()
    assert job.step("sync").outputs["decision"] == "nothing", job.log
    assert nights.team.refs()["refs/heads/main"] == before["refs/heads/main"]
    assert nights.team.hub.open_pulls() == []


@pytest.mark.parametrize("at_once", [False, True])
def test_every_source_that_is_due_has_a_runner(nights: Nights, at_once: bool) -> None:
    team = nights.team
    team.second_source()
    team.docs.put("a", version=2)
    team.put_other(2)
    jobs = nights.run(at_once=at_once)
    assert [job.result for job in jobs] == ["success", "success"], [job.log for job in jobs]
    assert {pull.branch for pull in team.hub.open_pulls()} == {BRANCH, "okf/sync/other"}
    before = team.refs()
    assert [job.step("sync").outputs["decision"] for job in nights.run(at_once=at_once)] == ["nothing", "nothing"]
    assert team.refs() == before


def test_where_nothing_is_due_no_runner_starts(nights: Nights) -> None:
    nights.team.docs.ok("pause", "docs", "--push")
    assert nights.one().result == "skipped"


def test_a_source_that_waits_is_looked_at_when_a_person_names_it(nights: Nights) -> None:
    docs = nights.team.docs
    away = docs.site.fault("*", status=503)
    job = nights.one()
    assert (job.result, job.step("sync").outputs["exit-code"]) == ("failure", "4")
    docs.site.heal(away)
    docs.put("a", version=2)
    assert nights.one().result == "skipped"
    assert nights.one(sources="docs").result == "success"
    assert len(nights.team.hub.open_pulls()) == 1


def test_a_job_that_fails_stays_red_and_says_why(nights: Nights) -> None:
    docs = nights.team.docs
    docs.put("d", "e")
    assert nights.one().result == "success"
    nights.team.hub.squash(1)
    docs.drop("a", "b", "c", "d")
    before = nights.team.refs()
    job = nights.one()
    assert (job.result, job.step("Fail").code) == ("failure", 1)
    (line,) = job.annotations
    assert line.startswith("::error title=git-okf docs::") and "page-count guard stopped the sync" in line
    assert "page-count guard" in job.summary
    assert nights.team.refs() == before
    assert nights.one(force=True, sources="").result == "success"
    assert nights.team.hub.open_pulls()[0].title == "sync: +0 -4 =0 (docs)"


def test_a_source_that_is_not_there_fails_the_plan_with_an_annotation(nights: Nights) -> None:
    jobs = nights.runner.run(nights.text, {"sources": "nosuch"}, event="workflow_dispatch")
    assert (jobs["plan"][0].result, jobs["sync"][0].result) == ("failure", "skipped")
    (line,) = jobs["plan"][0].annotations
    assert "there is no source 'nosuch'" in line


def test_what_is_retained_is_a_warning_and_where_wanted_a_failure(nights: Nights) -> None:
    docs = nights.team.docs
    docs.put("a", version=2)
    docs.site.fault("/docs/b", status=403)
    job = nights.one()
    assert (job.result, job.step("Sync").code, job.step("Sync").conclusion) == ("success", 3, "success")
    assert [line.partition("title")[0] for line in job.annotations] == ["::warning "]
    strict = nights.text.replace("time-budget: 50m", "time-budget: 50m\n          fail-on-partial: true")
    jobs = nights.runner.run(strict)
    assert (jobs["sync"][0].result, jobs["sync"][0].step("Fail").code) == ("failure", 3)


def test_a_job_that_is_cancelled_is_resumed_by_the_next(nights: Nights) -> None:
    team = nights.team
    team.configure(concurrency=1)
    team.docs.put(*(f"p{number:02}" for number in range(20)))
    slow = team.docs.site.fault("/docs/p10", delay=20.0)
    team.docs.site.when_asked("/docs/p10", nights.runner.cancel)
    team.docs.site.forget()
    job = nights.one()
    assert (job.result, job.step("Sync").code) == ("cancelled", 130), job.log
    assert "Traceback" not in job.log
    kept = team.bare.git("ls-tree", "--name-only", "refs/okf/checkpoint/docs").splitlines()
    assert kept == ["bodies", "header.json", "results.jsonl"]
    asked = {r.path for r in team.docs.site.requests("/docs/p*")}
    team.docs.site.heal(slow)
    team.docs.site.forget()
    job = nights.one()
    assert (job.result, job.step("sync").outputs["decision"]) == ("success", "create"), job.log
    assert team.hub.open_pulls()[0].title == "sync: +20 -0 =0 (docs)"
    again = {r.path for r in team.docs.site.requests("/docs/p*") if r.status == 200}
    assert len(asked) + len(again) <= 21 and len(asked) >= 8
    assert "refs/okf/checkpoint/docs" not in team.refs()


def test_with_an_app_its_token_pushes_and_opens(nights: Nights) -> None:
    nights.runner.vars["OKF_APP_CLIENT_ID"] = "Iv23"
    nights.runner.secrets["OKF_APP_PRIVATE_KEY"] = f"key of {TOKEN}"
    nights.team.docs.put("a", version=2)
    job = nights.one()
    assert job.result == "success", job.log
    assert nights.team.hub.open_pulls()[0].author == "okf-robot"
    assert "built-in GITHUB_TOKEN" not in job.log
    assert [options.get("token", "") for options in nights.runner.checkouts] == ["", TOKEN]


def test_a_token_of_ones_own_does_it_too(nights: Nights) -> None:
    nights.runner.secrets["OKF_TOKEN"] = TOKEN
    nights.team.docs.put("a", version=2)
    nights.one()
    assert nights.team.hub.open_pulls()[0].author == "okf-robot"


def test_a_repository_that_forbids_pull_requests_of_actions_is_told_what_to_set(nights: Nights) -> None:
    nights.team.hub.denied.add("pulls")
    nights.team.docs.put("a", version=2)
    job = nights.one()
    assert job.result == "failure"
    assert any(line.startswith("::error") and "pull-requests: write" in line for line in job.annotations), (
        job.annotations
    )


def test_the_branch_of_reviews_is_the_one_that_is_checked_out(at_github: Team) -> None:
    repo = at_github.docs.repo
    text = repo.path.joinpath(".okf.yaml").read_text()
    repo.commit("Release branch", {".okf.yaml": text + "  base: release\n"})
    repo.git("push", "--quiet", "origin", "main:release")
    nights = Nights(at_github)
    at_github.docs.put("a", version=2)
    assert nights.one().result == "success"
    assert [options["ref"] for options in nights.runner.checkouts] == ["release", "release"]
    assert at_github.hub.open_pulls()[0].base == "release"


def test_the_secrets_of_the_sources_reach_them_and_nothing_else(at_github: Team) -> None:
    at_github.configure(headers={"Authorization": "Bearer ${DOCS_TOKEN}"})
    nights = Nights(at_github)
    nights.runner.secrets["DOCS_TOKEN"] = "hidden-0123"
    at_github.docs.put("a", version=2)
    at_github.docs.site.forget()
    job = nights.one()
    assert job.result == "success", job.log
    sent = {request.headers.get("authorization", "") for request in at_github.docs.site.requests("/docs/*")}
    assert sent == {"Bearer hidden-0123"}
    assert "hidden-0123" not in job.log + job.summary + str(job.step("sync").outputs)


# --- the action alone ---

_ARGUMENTS = """#!/bin/sh
for word; do printf '[%s]' "$word"; done
printf '\\n'
"""


@pytest.fixture
def bare(repo: GitRepo, tmp_path: Path) -> GitRepo:
    return bare_remote(repo, tmp_path / "remote.git")


def arguments(folder: Path, remote: GitRepo, **options: str) -> list[str]:
    """What the action calls git-okf with."""
    runner = Runner(folder, remote.path, {}, program=_ARGUMENTS)
    given = "".join(f"          {name}: {json.dumps(value)}\n" for name, value in options.items())
    text = (
        "on: {schedule: []}\njobs:\n  one:\n    steps:\n      - uses: actions/checkout@v5\n"
        f"      - uses: git-okf/git-okf/hooks/github@v0.1.0\n        with:\n{given}"
    )
    (job,) = runner.run(text)["one"]
    assert job.result == "success", job.log
    return job.log.splitlines()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sources": ""}, ["[pr][--time-budget][50m][--]"]),
        ({"sources": "docs\n  blog\n", "force": "true"}, ["[pr][--time-budget][50m][--force][--][docs][blog]"]),
        ({"sources": "--json $(id) * ;x"}, ["[pr][--time-budget][50m][--][--json][$(id)][*][;x]"]),
        ({"allow": "collapse lookalike"}, ["[pr][--time-budget][50m][--allow][collapse][--allow][lookalike][--]"]),
        ({"report-issue": "true"}, ["[pr][--time-budget][50m][--report-issue][--]"]),
        ({"command": "sync", "time-budget": "9m"}, ["[sync][--time-budget][9m][--push][--]"]),
        ({"command": "plan"}, ["[init]", "[plan][--]"]),
    ],
)
def test_the_inputs_become_words_and_never_code(
    bare: GitRepo, tmp_path: Path, options: dict[str, str], said: list[str]
) -> None:
    assert arguments(tmp_path / "action", bare, **options) == said


def test_a_command_that_there_is_not_is_refused(bare: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="command is pr, sync or plan"):
        arguments(tmp_path / "action", bare, command="publish; id")


@pytest.mark.parametrize(
    ("options", "requirement"),
    [
        ({"sources": ""}, "."),
        ({"extras": "images"}, ".[images]"),
        ({"version": "1.2.3"}, "git-okf==1.2.3"),
        ({"version": "1.2.3", "extras": "images"}, "git-okf[images]==1.2.3"),
    ],
)
def test_the_version_of_the_action_is_installed_or_the_one_asked_for(
    bare: GitRepo, tmp_path: Path, options: dict[str, str], requirement: str
) -> None:
    arguments(tmp_path / "action", bare, **options)
    assert (
        tmp_path / "action" / "installed"
    ).read_text() == f"{requirement.replace('.', str(ROOT), requirement[0] == '.')}\n"
