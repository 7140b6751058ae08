"""What goes wrong around a review: kills, races, refusals and limits; the next run completes what was half done."""

from __future__ import annotations

import pytest
from forges.github import BUILT_IN, primary_limit, refusal, secondary_limit
from forges.server import Reply
from nightly import BRANCH, Make, Team, run_killed

from git_okf.review.marker import find

STEPS = {
    "before the push": ("git_okf.store.upstream", "push"),
    "after the push, before the refs here": ("git_okf.store.repo", "Repo._compare"),
    "between push and pull request": ("git_okf.review.github", "GitHub.create"),
    "after the pull request": ("git_okf.reviewing.record", "remember"),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_pr_05_a_killed_run_is_completed_by_the_next(team: Team, step: str, elsewhere: bool) -> None:
    team.put("a", "Two.")
    run_killed(team, *STEPS[step])
    team.night()
    if elsewhere:
        team.fresh()
    assert team.decision() in ("create", "nothing")
    (pull,) = team.hub.open_pulls()
    assert (pull.number, pull.title) == (1, "sync: +0 -0 =1 (docs)")
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
    assert team.targets() == [("PENDING", 1)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


@pytest.mark.parametrize(
    "step", [("git_okf.review.github", "GitHub._comment"), ("git_okf.store.review_branch", "drop")]
)
def test_a_run_killed_while_closing_has_rejected_nothing(team: Team, step: tuple[str, str]) -> None:
    team.put("a", "Two.")
    team.decision()
    team.put("a", "One of a.")
    run_killed(team, *step)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("SUPERSEDED", 1)]
    team.put("a", "Two.")
    team.night()
    assert team.decision() == "create"


def test_a_run_killed_on_top_of_a_persons_commit_keeps_it(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    commit = team.hub.edit(BRANCH, {"README.md": "By hand.\n"})
    team.put("b", "Two.")
    run_killed(team, "git_okf.review.github", "GitHub.update")
    team.night()
    team.fresh()
    assert team.decision() == "update"
    assert team.hub.reaches(commit, BRANCH)
    assert team.subjects() == ["sync: +0 -0 =1 (docs)", "Edit", "sync: +0 -0 =1 (docs)"]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


# --- two runners ---


def meanwhile(team: Team, *args: str, on: str = "docs") -> list[tuple[int, str]]:
    """While the next run looks at its source, another runner does its job; how that ended."""
    ended: list[tuple[int, str]] = []
    first = team.repo

    def other(key: str) -> None:
        if not ended:
            ended.append((0, ""))
            team.fresh()
            ran = team.job(*args)
            ended[0] = (ran.code, ran.out + ran.err)
            team.repo = first

    team.sources[on].during = other
    return ended


def test_two_runners_at_once_and_the_second_is_told(team: Team) -> None:
    team.put("a", "Two.")
    ended = meanwhile(team)
    assert team.decision() == "create"
    ((code, said),) = ended
    assert code == 5 and "docs" in said
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
    assert [p.number for p in team.hub.open_pulls()] == [1]


def test_pr_04_a_push_that_another_runner_beat_is_made_again_without_a_second_look(assemble: Make) -> None:
    team = assemble(names={"docs": "", "blog": ""})
    team.put("a", "Two.")
    team.put("a", "Two.", of="blog")
    before = len(team.asked)
    ended = meanwhile(team, "blog")
    assert team.decisions("docs") == {"docs": "create"}
    assert ended[0][0] == 0
    assert team.asked[before:] == ["docs", "blog"]
    assert {p.branch for p in team.hub.open_pulls()} == {"okf/sync/docs", "okf/sync/blog"}
    assert [team.targets(name)[-1][0] for name in ("docs", "blog")] == ["PENDING", "PENDING"]
    team.night()
    with team.silence():
        assert team.decisions() == {"docs": "nothing", "blog": "nothing"}


def test_a_runner_whose_lease_was_taken_over_writes_nothing(team: Team) -> None:
    team.put("a", "Two.")
    first, began = team.repo, list[str]()

    def other(key: str) -> None:
        if not began:
            began.append(key)
            team.clock.pass_by(hours=3)
            team.fresh()
            assert team.decision() == "create"
            team.repo = first

    team.sources["docs"].during = other
    report = team.pr(code=5)
    assert report["error"]["code"] == "lease-lost" or report["result"] == "busy"
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
    assert team.targets() == [("PENDING", 1)]


def test_pr_04_a_hook_that_says_no_is_no_race(team: Team) -> None:
    hook = team.hub.repo / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngrep -q refs/heads/okf/sync/ && { echo no bots here >&2; exit 1; } || exit 0\n")
    hook.chmod(0o755)
    team.put("a", "Two.")
    report = team.pr(code=128)
    assert report["error"]["code"] == "push-refused"
    assert "no bots here" in report["error"]["hint"]
    assert team.hub.open_pulls() == []
    hook.unlink()
    team.night()
    assert team.decision() == "create"


# --- the host says no, or not now ---


def half_done(team: Team, code: int) -> dict[str, object]:
    """A run that pushed and came no further."""
    team.put("a", "Two.")
    report = team.pr(code=code)
    assert (report["result"], report["task"]) == ("synced", "ACQUISITION_COMPLETE")
    assert report["commit"] == team.hub.branch(BRANCH)
    assert f"{BRANCH} is pushed" in report["error"]["message"]
    assert report["review"]["decision"] == "create" and report["review"]["number"] is None
    assert team.hub.open_pulls() == []
    return report


def completed(team: Team) -> None:
    """The next run opens the pull request, and pushes nothing again."""
    before = team.hub.branch(BRANCH)
    team.night()
    assert team.decision() == "create"
    assert team.hub.branch(BRANCH) == before
    (pull,) = team.hub.open_pulls()
    mark = find(pull.body, "docs")
    assert mark and mark.head == before
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    assert team.targets() == [("PENDING", pull.number)]


def test_pr_05_a_permission_fails_at_once_and_the_pushed_branch_gets_its_pull_request_next_time(team: Team) -> None:
    team.hub.denied = {"pulls"}
    report = half_done(team, 2)
    assert "permissions: {contents: write, pull-requests: write" in str(report["error"])
    assert [each for each in team.requests() if each[0] == "POST"] == [("POST", "/repos/acme/docs/pulls")]
    ran = team.job()
    assert ran.code == 2
    assert ran.out == "- Half done: docs  (its branch is as it was; the next run completes its review)\n"
    team.hub.denied = set()
    completed(team)


def test_pr_05_a_secondary_limit_is_waited_for_at_least_a_minute(team: Team) -> None:
    team.hub.fault("POST", "*/pulls", secondary_limit())
    team.put("a", "Two.")
    assert team.decision() == "create"
    assert sum(team.paused) >= 60


def test_pr_05_a_limit_with_a_time_is_waited_for_that_long(team: Team) -> None:
    team.hub.fault("POST", "*/pulls", secondary_limit(retry_after=30, status=429))
    team.put("a", "Two.")
    assert team.decision() == "create"
    assert 30 <= sum(team.paused) < 60


def test_pr_05_a_limit_that_lasts_is_told_and_the_next_run_goes_on(team: Team) -> None:
    reset = int(team.clock().timestamp()) + 3600
    team.hub.fault("POST", "*/pulls", primary_limit(reset), times=None)
    report = half_done(team, 4)
    assert str(report["retry_at"]).startswith("2026-03-04T13:00:0")
    team.hub._troubles.clear()
    completed(team)


@pytest.mark.parametrize("reply", [Reply(status=502), Reply(drop=True)])
def test_pr_05_trouble_while_creating_of_which_nobody_knows_whether_it_was_done(team: Team, reply: Reply) -> None:
    team.hub.fault("POST", "*/pulls", reply)
    half_done(team, 4)
    completed(team)


def test_pr_05_a_pull_request_that_was_made_though_the_answer_was_lost_is_found(team: Team) -> None:
    team.hub.fault("POST", "*/pulls", Reply(drop=True), carried_out=True)
    team.put("a", "Two.")
    assert team.pr()["review"]["number"] == 1
    assert [p.number for p in team.hub.open_pulls()] == [1]


def test_pr_03_a_duplicate_is_brought_up_to_date(team: Team) -> None:
    team.hub.denied = {"pulls"}
    half_done(team, 2)
    team.hub.denied = set()
    team.night()

    def faster(key: str) -> None:
        if not team.hub.pulls:
            team.hub.new_pull("by hand", "", BRANCH, "main", "pat")

    team.sources["docs"].during = faster
    assert team.decision() == "create"
    (pull,) = team.hub.open_pulls()
    assert pull.title == "sync: +0 -0 =1 (docs)" and find(pull.body, "docs")
    assert team.targets() == [("PENDING", 1)]


def test_a_host_that_cannot_be_asked_ends_the_run_before_the_source_is(team: Team) -> None:
    team.hub.fault("GET", "*", Reply(status=503), times=None)
    team.put("a", "Two.")
    before = len(team.asked)
    with team.silence():
        report = team.pr(code=4)
    assert report["error"]["code"] == "api-unavailable"
    assert team.asked[before:] == []


def test_trouble_while_updating_is_said_and_completed(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.fault("PATCH", "*/pulls/1", refusal(403, "Resource not accessible by integration"))
    team.put("a", "Three.")
    team.night()
    report = team.pr(code=2)
    assert report["commit"] == team.hub.branch(BRANCH)
    assert "Three." not in team.hub.pulls[1].body
    team.night()
    assert team.decision() == "update"
    assert "+Three." in team.hub.pulls[1].body
    assert team.targets() == [("SUPERSEDED", 1), ("PENDING", 1)]


def test_a_rejection_of_what_was_pushed_while_its_text_was_not_told_is_one_of_that(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.fault("PATCH", "*/pulls/1", refusal(403, "Resource not accessible by integration"))
    team.put("a", "Three.")
    team.night()
    team.pr(code=2)
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"


def test_labels_and_comments_that_may_not_be_set_are_only_missing(assemble: Make) -> None:
    team = assemble(more=", labels: [okf-sync]")
    team.hub.denied = {"labels", "comments"}
    team.put("a", "Two.")
    ran = team.job()
    assert ran.code == 0 and "the labels of" in ran.err
    team.put("a", "One of a.")
    team.night()
    ran = team.job()
    assert ran.code == 0 and "the comment on number 1 may be missing" in ran.err
    assert team.hub.open_pulls() == []


# --- long, and built in ---


def test_pr_06_three_thousand_pages_with_long_titles_fit_into_the_text(team: Team) -> None:
    for number in range(3000):
        team.put(f"p{number}", f"Text {number}.", title="同步知識庫文件頁面標題" * 7 + f"{number:03}")
    report = team.pr()
    assert (report["review"]["decision"], len(report["added"])) == ("create", 3000)
    body = team.hub.pulls[1].body
    assert len(body.encode()) < 65_536
    assert "3000 added" in body and find(body, "docs")
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_pr_06_a_text_that_is_refused_all_the_same_is_told_in_the_hosts_words(team: Team) -> None:
    too_long = refusal(422, "Validation Failed", {"message": "body is too long (maximum is 65536 characters)"})
    team.hub.fault("POST", "*/pulls", too_long)
    report = half_done(team, 2)
    assert "body is too long" in str(report["error"])


def test_pr_07_the_built_in_token_is_named_with_what_to_do(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", BUILT_IN)
    team.put("a", "Two.")
    ran = team.job()
    assert ran.code == 0
    assert "its checks do not start by themselves" in ran.err and "GitHub App" in ran.err
    assert BUILT_IN not in ran.out + ran.err
    team.night()
    assert "checks do not start" not in team.job().err


def test_pr_07_the_setting_that_forbids_it_is_named(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", BUILT_IN)
    said = "GitHub Actions is not permitted to create or approve pull requests."
    team.hub.fault("POST", "*/pulls", refusal(403, said), times=None)
    report = half_done(team, 2)
    assert "Allow GitHub Actions to create and approve pull requests" in str(report["error"])
