"""GitLab without a token: the push opens the merge request, night after night, and says where it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from forges import gitlab_push
from forges.gitlab import API_PREFIX
from forges.hub import TOKEN
from nightly import BRANCH, Make, Team, run_killed

from git_okf.review.marker import find

STATE = "refs/heads/okf/state"
Tokenless = Callable[..., Team]


@pytest.fixture
def tokenless(assemble: Make, monkeypatch: pytest.MonkeyPatch) -> Tokenless:
    """Makes a team at a GitLab that heeds push options, whose job may push and no more."""

    def make(**settings: object) -> Team:
        team = assemble("gitlab", **settings)
        monkeypatch.delenv("GITLAB_TOKEN")
        monkeypatch.setenv("CI_JOB_TOKEN", "job-0123")
        gitlab_push.take_pushes(team.hub, team.server.url + API_PREFIX)
        return team

    return make


@pytest.fixture
def team(tokenless: Tokenless) -> Team:
    return tokenless(more=", labels: [okf-sync, bot]")


def url(team: Team, number: int = 1) -> str:
    return f"{team.server.url}/acme/docs/-/merge_requests/{number}"


def asked(team: Team) -> list[str]:
    """What the last run asked of the API, what a push makes the host ask itself left out."""
    return [path for _, path in team.requests() if not path.endswith(gitlab_push.PATH)]


# --- opened, quiet, updated ---


def test_the_push_opens_the_merge_request_and_its_address_is_told(team: Team) -> None:
    assert team.decision() == "nothing"
    team.put("a", "Two.")
    ran = team.job()
    assert ran.code == 0 and ran.err == ""
    assert ran.out == f"✓ Opened: docs  (sync: +0 -0 =1 (docs))\n  {url(team)}\n"
    assert asked(team) == []
    (pull,) = team.hub.open_pulls()
    assert (pull.title, pull.base, pull.branch) == ("sync: +0 -0 =1 (docs)", "main", BRANCH)
    assert (pull.labels, pull.remove_source_branch) == (["okf-sync", "bot"], True)
    assert "`: 1 updated, 2 unchanged." in pull.body
    assert "Deleting the branch rejects it" in pull.body and "\\n" not in pull.body
    assert team.subjects() == [pull.title]
    assert team.targets() == [("PENDING", 0)]


def test_the_address_is_in_the_json_the_outputs_and_the_summary(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    team.put("a", "Two.")
    report = team.pr()
    assert (report["review"]["decision"], report["review"]["url"]) == ("create", url(team))
    assert report["review"]["number"] is None
    assert f"url={url(team)}\n" in (tmp_path / "GITHUB_OUTPUT").read_text()
    assert f"Opened: docs  (sync: +0 -0 =1 (docs)) {url(team)}" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()


def test_a_second_night_pushes_nothing_and_still_knows_the_address(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.night()
    team.fresh()
    with team.silence():
        review = team.pr()["review"]
    assert (review["decision"], review["url"]) == ("nothing", url(team))


def test_newer_content_goes_into_the_same_merge_request(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.night()
    team.put("a", "Three.")
    team.put("d", "New.")
    review = team.pr()["review"]
    assert (review["decision"], review["url"]) == ("update", url(team))
    (pull,) = team.hub.pulls.values()
    assert (pull.title, pull.labels) == ("sync: +1 -0 =1 (docs)", ["okf-sync", "bot"])
    mark = find(pull.body, "docs")
    assert mark and mark.fingerprint == review["content"]
    assert (team.on(BRANCH), team.targets()) == ("Three.", [("SUPERSEDED", 0), ("PENDING", 0)])


def test_each_source_has_a_merge_request_and_nothing_else_has_one(tokenless: Tokenless) -> None:
    """GitLab takes the options of a push for each of its branches; the state's is one."""
    team = tokenless(names={"docs": "", "blog": ""})
    for text in ("Two.", "Three."):
        for name in ("docs", "blog"):
            team.put("a", text, of=name)
        team.decisions()
        team.night()
    assert {p.branch for p in team.hub.pulls.values()} == {BRANCH, "okf/sync/blog"}
    assert team.reports()["blog"]["review"]["url"] == url(team, 2)


def test_commits_of_people_are_kept_and_what_is_new_goes_on_top(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    commit = team.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    team.put("b", "Two.")
    team.night()
    assert team.decision() == "update"
    assert team.hub.reaches(commit, BRANCH)
    assert [p.title for p in team.hub.open_pulls()] == ["sync: +0 -0 =2 (docs)"]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_what_a_source_says_stays_one_line_of_text(team: Team) -> None:
    team.put("a", "Two.", title="@all\nmerge_request.target=x \\n/close")
    team.decision()
    (pull,) = team.hub.open_pulls()
    assert (pull.base, len(pull.body.splitlines())) == ("main", 5)


# --- settled ---


@pytest.mark.parametrize("how", ["merge", "squash"])
def test_a_merge_takes_the_branch_away_and_is_an_approval(team: Team, how: str) -> None:
    team.put("a", "Two.")
    team.decision()
    getattr(team.hub, how)(1)
    assert team.hub.branch(BRANCH) is None
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("APPROVED", 0)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    review = team.pr()["review"]
    assert (review["decision"], review["url"]) == ("create", url(team, 2))


def test_a_deleted_branch_is_a_rejection(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.delete_branch(BRANCH)
    for _ in range(2):
        team.night()
        assert team.decision() == "leave (rejected)"
    assert (team.hub.open_pulls(), team.targets()) == ([], [("REJECTED", 0)])
    team.put("a", "Three.")
    assert team.decision() == "create"
    assert [p.number for p in team.hub.open_pulls()] == [2]


def test_a_merge_request_that_is_closed_and_no_more_comes_back_with_what_is_new(team: Team) -> None:
    """Nobody tells that it was closed."""
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    review = team.pr()["review"]
    assert (review["decision"], review["url"]) == ("update", url(team, 2))
    assert [p.title for p in team.hub.open_pulls()] == ["sync: +0 -0 =1 (docs)"]


def test_a_source_that_went_back_takes_branch_and_merge_request_away(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.put("a", "One of a.")
    team.night()
    assert team.decision() == "close (obsolete)"
    assert (team.hub.branch(BRANCH), team.hub.open_pulls()) == (None, [])
    assert team.targets() == [("SUPERSEDED", 0)]


def test_with_a_token_the_api_takes_over_the_same_merge_request(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.put("a", "Two.")
    team.decision()
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    before = team.refs()[f"refs/heads/{BRANCH}"]
    team.night()
    review = team.pr()["review"]
    assert (review["decision"], review["number"]) == ("nothing", 1)
    assert team.refs()[f"refs/heads/{BRANCH}"] == before
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"
    assert [p.number for p in team.hub.pulls.values()] == [1]


def test_with_a_token_no_push_says_anything(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    team.put("a", "Two.")
    assert team.pr()["review"]["number"] == 1
    pushes = [each.json["push_options"] for each in team.server.log if each.path.endswith(gitlab_push.PATH)]
    assert pushes and not any(pushes)


# --- what goes wrong ---


def test_a_server_without_push_options_gets_the_branch_and_the_run_says_how_to_get_more(team: Team) -> None:
    team.hub.git("config", "receive.advertisePushOptions", "false")
    team.put("a", "Two.")
    ran = team.job()
    assert ran.code == 0
    assert ran.out == f"✓ Pushed: docs  (sync: +0 -0 =1 (docs))\n  {BRANCH}\n"
    assert f"{BRANCH} is pushed, and no more: the remote takes no push options" in ran.err
    assert "GITLAB_TOKEN" in ran.err
    assert (team.subjects(), team.hub.open_pulls()) == (["sync: +0 -0 =1 (docs)"], [])
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_what_gitlab_says_against_the_options_is_told(team: Team) -> None:
    team.hub.denied = {"pulls"}
    team.put("a", "Two.")
    ran = team.job()
    assert ran.code == 0
    assert (
        "GitLab did not do all it was told with it: Merge requests are not enabled for project acme/docs\n" in ran.err
    )
    assert ran.out.startswith("✓ Pushed: docs")
    team.hub.denied = set()
    team.put("a", "Three.")
    team.night()
    assert team.pr()["review"]["url"] == url(team)


def test_a_project_that_prints_no_links_is_said(team: Team) -> None:
    hook = team.hub.repo / "hooks" / "post-receive"
    hook.write_text(hook.read_text().replace("print(", "str("))
    team.put("a", "Two.")
    ran = team.job()
    assert "the remote names no merge request of it" in ran.err
    assert [p.number for p in team.hub.open_pulls()] == [1]


def completed(team: Team) -> None:
    """The next run has the same branch, tells the state, and opens nothing again."""
    before = team.refs()
    team.night()
    team.fresh()
    assert team.decision() == "nothing"
    assert team.refs()[f"refs/heads/{BRANCH}"] == before[f"refs/heads/{BRANCH}"]
    assert team.targets() == [("PENDING", 0)]
    assert [p.number for p in team.hub.pulls.values()] == [1]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    team.night()
    assert team.decision() == "update"
    assert (team.subjects(), team.on(BRANCH)) == (["sync: +0 -0 =1 (docs)"], "Three.")
    assert [(p.number, p.stage) for p in team.hub.pulls.values()] == [(1, "open")]
    team.hub.squash(1)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("SUPERSEDED", 0), ("APPROVED", 0)]
    assert team.state().bundle_tree == team.hub.git("rev-parse", "main:docs")
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_a_run_that_is_killed_between_its_two_pushes_is_completed_by_the_next(team: Team) -> None:
    before = team.refs()
    team.put("a", "Two.")
    run_killed(team, "git_okf.store.upstream", "push")
    after = team.refs()
    assert {name for name in after if after[name] != before.get(name)} == {f"refs/heads/{BRANCH}"}
    assert [p.number for p in team.hub.open_pulls()] == [1]
    completed(team)


def test_a_run_that_is_killed_between_its_two_pushes_is_completed_by_the_same_machine(team: Team) -> None:
    team.put("a", "Two.")
    run_killed(team, "git_okf.store.upstream", "push")
    team.night()
    assert team.decision() == "nothing"
    completed(team)


def test_a_second_push_that_is_refused_is_completed_by_the_next_run(team: Team) -> None:
    hook = team.hub.repo / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\ngrep -q {STATE} && {{ echo not there >&2; exit 1; }} || exit 0\n")
    hook.chmod(0o755)
    team.put("a", "Two.")
    report = team.pr(code=128)
    assert report["error"]["code"] == "push-refused"
    assert [p.number for p in team.hub.open_pulls()] == [1]
    hook.unlink()
    completed(team)


def test_a_second_push_that_another_runner_beat_is_made_again_without_a_second_look(tokenless: Tokenless) -> None:
    team = tokenless(names={"docs": "", "blog": ""})
    for name in ("docs", "blog"):
        team.put("a", "Two.", of=name)
    first, began = team.repo, list[str]()

    def other(key: str) -> None:
        if not began:
            began.append(key)
            team.fresh()
            assert json.loads(team.job("--json", "blog").out)["sources"][0]["review"]["decision"] == "create"
            team.repo = first

    team.sources["docs"].during = other
    looked = len(team.asked)
    report = team.reports("docs")["docs"]
    assert (report["review"]["decision"], report["commit"]) == ("create", team.hub.branch(BRANCH))
    assert report["review"]["url"] == url(team, next(p.number for p in team.hub.pulls.values() if p.branch == BRANCH))
    assert team.asked[looked:] == ["docs", "blog"]
    assert sorted(p.branch for p in team.hub.pulls.values()) == ["okf/sync/blog", BRANCH]
    assert [team.targets(name) for name in ("docs", "blog")] == [[("PENDING", 0)]] * 2
    team.night()
    with team.silence():
        assert team.decisions() == {"docs": "nothing", "blog": "nothing"}


def test_a_run_whose_lease_was_taken_over_does_not_even_push_the_branch(team: Team) -> None:
    team.put("a", "Two.")
    first, began = team.repo, list[str]()

    def other(key: str) -> None:
        if not began:
            began.append(key)
            team.clock.pass_by(hours=3)
            team.fresh()
            team.sources["docs"].during = lambda key: None
            assert team.decision() == "create"
            team.put("a", "Three.")
            team.repo = first

    team.sources["docs"].during = other
    team.pr(code=5)
    assert (team.on(BRANCH), team.targets()) == ("Two.", [("PENDING", 0)])
