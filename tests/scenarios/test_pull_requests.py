"""`git okf pr` night after night: one review a source, from the first difference to its merge, rejection or end."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from forges.github import GitHubApi
from forges.hub import TOKEN, Hub
from forges.server import serving
from nightly import BRANCH, Make, Team
from scenario import Docs

from git_okf.delta import RETRYABLE
from git_okf.model import Failed
from git_okf.review.marker import find

A = "https://docs.example.com/a"
STATE = "refs/heads/okf/state"


# --- opened, updated, quiet ---


def test_a_real_site_becomes_a_pull_request_and_a_second_run_is_quiet(
    docs: Docs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.build("a", "b", "c")
    bare = tmp_path / "remote.git"
    docs.repo.git("clone", "--quiet", "--bare", str(docs.repo.path), str(bare))
    docs.repo.git("remote", "add", "origin", str(bare))
    hub = Hub(bare)
    with serving(GitHubApi(hub)) as server:
        text = docs.repo.path.joinpath(".okf.yaml").read_text()
        text += f"review: {{forge: github, repository: acme/docs, base: main, api_url: {server.url}}}\n"
        docs.repo.commit("configure reviews", {".okf.yaml": text})
        docs.repo.git("push", "--quiet", "origin", "main", "okf/state", "refs/notes/okf")
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        docs.put("a", version=2)
        assert docs.ok("pr").out.startswith("✓ Opened: docs  (sync: +0 -0 =1 (docs))\n")
        before = refs_but_leases(hub)
        assert docs.ok("pr").out.startswith("✓ Up to date: docs (the open review shows what is newest)\n")
        assert refs_but_leases(hub) == before
    (pull,) = hub.open_pulls()
    assert "docs/pages/docs/a.md" in pull.body


def refs_but_leases(hub: Hub) -> list[str]:
    return [line for line in hub.git("for-each-ref").splitlines() if "refs/okf/lease/" not in line]


def test_a_change_becomes_a_pull_request(team: Team) -> None:
    assert team.decision() == "nothing"
    team.put("a", "Two.")
    report = team.pr()
    (pull,) = team.hub.open_pulls()
    assert report["review"] == {
        "decision": "create",
        "why": "there is something new and no open review",
        "branch": BRANCH,
        "content": report["review"]["content"],
        "number": 1,
        "url": f"{team.server.url}/acme/docs/pull/1",
        "hints": [],
    }
    assert (report["result"], report["pushed"]) == ("synced", f"origin {BRANCH}")
    assert (pull.title, pull.base, pull.branch) == ("sync: +0 -0 =1 (docs)", "main", BRANCH)
    assert team.subjects() == [pull.title]
    assert (team.on(BRANCH), team.on("main")) == ("Two.", "One of a.")
    mark = find(pull.body, "docs")
    assert mark and (mark.fingerprint, mark.head) == (report["review"]["content"], pull.head)
    assert team.targets() == [("PENDING", 1)]


def test_the_text_says_counts_changes_with_links_excerpts_and_what_is_retained(team: Team) -> None:
    team.put("a", "Two.")
    team.put("d", "New.")
    team.drop("b")
    team.sources["docs"].troubles["https://docs.example.com/c"] = Failed(key="c", reason="HTTP 503")
    assert team.decision(code=3) == "create"
    body = team.hub.pulls[1].body
    assert "1 added, 1 updated, 1 removed" in body
    assert f"[pages/a.md]({team.server.url}/acme/docs/blob/{BRANCH}/docs/pages/a.md)" in body
    assert "-One of a." in body and "+Two." in body
    assert "### Retained" in body and "HTTP 503" in body
    assert "Closing rejects it" in body


def test_a_night_with_an_open_pull_request_and_nothing_new_writes_nothing(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.night()
    with team.silence():
        report = team.pr()
    assert report["review"]["decision"] == "nothing"
    assert (report["review"]["number"], report["commit"]) == (1, None)
    assert len(team.requests()) == 3
    assert team.writes() == []


def test_pr_03_newer_content_takes_the_place_of_the_older_in_the_same_pull_request(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.night()
    team.put("a", "Three.")
    team.put("b", "Two.")
    assert team.decision() == "update"
    (pull,) = team.hub.open_pulls()
    assert (pull.number, pull.title) == (1, "sync: +0 -0 =2 (docs)")
    assert team.subjects() == ["sync: +0 -0 =2 (docs)"]
    assert (team.on(BRANCH), team.on(BRANCH, "b")) == ("Three.", "Two.")
    assert team.targets() == [("SUPERSEDED", 1), ("PENDING", 1)]
    mark = find(pull.body, "docs")
    assert mark and mark.head == pull.head


def test_pr_03_the_base_moved_and_the_pull_request_follows_it(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.edit("main", {"README.md": "By hand.\n"})
    team.night()
    assert team.decision() == "update"
    assert team.hub.reaches("main", BRANCH)
    assert team.targets() == [("PENDING", 1)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_pr_03_a_source_that_went_back_closes_its_pull_request_and_its_branch(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.put("a", "One of a.")
    team.night()
    assert team.decision() == "close (obsolete)"
    assert team.hub.pulls[1].stage == "closed"
    assert team.hub.branch(BRANCH) is None
    assert team.hub.comments == [(1, "The base has all of this now, or the source took it back. Closed by git-okf.")]
    assert team.targets() == [("SUPERSEDED", 1)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Two.")
    assert team.decision() == "create", "what we closed ourselves was not rejected"
    assert team.targets() == [("SUPERSEDED", 1), ("PENDING", 2)]


def test_pr_03_further_open_pull_requests_of_the_source_are_closed(team: Team) -> None:
    team.hub.git("branch", "release", "main")
    team.put("a", "Two.")
    team.decision()
    body = team.hub.pulls[1].body
    for base in ("release", "main"):
        pull = team.hub.new_pull("by an older job", body, BRANCH, base, "okf-robot")
        assert pull.stage == "open"
    team.night()
    assert team.decision() == "nothing"
    assert [p.number for p in team.hub.open_pulls()] == [3]
    assert team.targets()[-1] == ("PENDING", 3)
    team.hub.close(3)
    team.night()
    assert team.decision() == "leave (rejected)"


def test_a_forks_pull_request_from_a_branch_of_that_name_is_none_of_ours(team: Team) -> None:
    team.hub.foreign_pull(BRANCH)
    team.hub.foreign_pull(BRANCH, gone=True)
    team.put("a", "Two.")
    assert team.decision() == "create"
    assert [p.number for p in team.hub.open_pulls()] == [1, 2, 3]


# --- merged ---


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
@pytest.mark.parametrize("deleted", [False, True])
def test_a_merge_of_any_kind_is_the_end_of_it(team: Team, how: str, deleted: bool) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.edit("main", {"README.md": "By hand.\n"})
    if how == "rebase":
        rebase(team.hub, 1)
    else:
        getattr(team.hub, how)(1)
    if deleted:
        team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("APPROVED", 1)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    assert team.decision() == "create"
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
    assert [p.number for p in team.hub.open_pulls()] == [2]


def rebase(hub: Hub, number: int) -> None:
    """The button "Rebase and merge": the commits again, on top of the base, under other names."""
    pull = hub.pulls[number]
    base = hub.branch("main")
    tree = hub.git("merge-tree", "--write-tree", str(base), pull.head).splitlines()[0]
    message = hub.git("show", "-s", "--format=%B", pull.head)
    hub._has_merged(pull, hub._commit("main", tree, [str(base)], message, ("GitHub", "noreply@github.com")))


def test_what_a_merge_left_out_is_offered_again(team: Team) -> None:
    team.put("a", "Two.")
    team.put("b", "Two.")
    team.decision()
    team.hub.squash(1)
    old = team.hub.git("show", "main~1:docs/pages/b.md") + "\n"
    team.hub.edit("main", {"docs/pages/b.md": old}, "Take back b")
    team.night()
    assert team.decision() == "create"
    assert team.hub.pulls[2].title == "sync: +0 -0 =1 (docs)"


# --- rejected ---


@pytest.mark.parametrize("deleted", [False, True])
def test_pr_02_a_closed_pull_request_is_not_opened_again(team: Team, deleted: bool) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    if deleted:
        team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "leave (rejected)"
    assert team.targets() == [("REJECTED", 1)]
    for _ in range(2):
        team.night()
        with team.silence():
            assert team.decision() == "leave (rejected)"
    assert len(team.requests()) == 3
    team.put("b", "Two.")
    assert team.decision() == "create"
    assert [p.number for p in team.hub.open_pulls()] == [2]


def test_pr_02_a_deleted_branch_closes_and_so_rejects(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "leave (rejected)"


def test_pr_02_a_rejection_outlives_a_rename_of_the_repository(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    team.hub.delete_branch(BRANCH)
    team.hub.rename("Acme/manual")
    team.night()
    assert team.decision() == "leave (rejected)"
    team.put("a", "Three.")
    assert team.decision() == "create"
    assert team.hub.pulls[2].body.count("/Acme/manual/blob/") == 1


def test_pr_02_a_rejection_is_known_from_the_host_where_the_state_was_lost(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    team.hub.delete_branch(BRANCH)
    team.hub.git("update-ref", "-d", "refs/heads/okf/state")
    team.fresh()
    team.night()
    assert team.decision() == "leave (rejected)"


def test_pr_02_a_rejection_is_known_from_the_state_where_the_text_was_rewritten(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.pulls[1].body = "No, thank you."
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"


def test_pr_02_a_pull_request_that_a_person_opens_again_is_wanted_again(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    team.night()
    assert team.decision() == "leave (rejected)"
    team.hub.reopen(1)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets() == [("PENDING", 1)]
    team.put("a", "Three.")
    assert team.decision() == "update"
    team.hub.merge(1)
    team.night()
    assert team.decision() == "nothing"
    assert team.targets()[-1] == ("APPROVED", 1)


def test_pr_02_going_back_to_what_was_rejected_closes_what_is_open(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.close(1)
    team.night()
    team.put("a", "Three.")
    assert team.decision() == "create"
    team.put("a", "Two.")
    team.night()
    assert team.decision() == "close (obsolete)"
    assert team.hub.open_pulls() == []
    team.night()
    with team.silence():
        assert team.decision() == "leave (rejected)"


@pytest.mark.parametrize("deleted", [False, True])
def test_pr_02_a_page_that_fails_makes_no_other_content_of_what_was_rejected(team: Team, deleted: bool) -> None:
    team.put("a", "Two.")
    team.put("b", "Two.")
    team.decision()
    team.hub.close(1)
    if deleted:
        team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "leave (rejected)"
    fail(team, "a")
    team.night()
    assert team.decision(code=3) == "leave (rejected)"


def fail(team: Team, name: str) -> None:
    key = f"https://docs.example.com/{name}"
    team.sources["docs"].troubles[key] = Failed(key=key, reason="HTTP 503")


# --- what a run cannot find out ---


def test_a_page_that_fails_for_a_night_stays_in_the_pull_request(team: Team) -> None:
    team.put("a", "Two.")
    team.put("d", "New.")
    team.decision()
    before = team.hub.branch(BRANCH)
    for name in ("a", "d"):
        fail(team, name)
    team.night()
    with team.silence(but=STATE):
        report = team.pr(code=3)
    with team.silence():
        assert team.decision(code=3) == "nothing"
    assert report["review"]["decision"] == "nothing"
    assert {item["outcome"] for item in report["retained"]} == {RETRYABLE}
    team.put("b", "Two.")
    team.night()
    assert team.decision(code=3) == "update"
    assert team.hub.branch(BRANCH) != before
    assert [team.on(BRANCH, page) for page in "abd"] == ["Two.", "Two.", "New."]
    assert team.hub.pulls[1].title == "sync: +1 -0 =2 (docs)"
    team.sources["docs"].troubles.clear()
    team.night()
    with team.silence(but=STATE):
        assert team.decision() == "nothing"
    with team.silence():
        assert team.decision() == "nothing"


def test_a_removal_stays_in_the_pull_request_while_the_page_fails(team: Team) -> None:
    team.drop("a")
    assert team.decision() == "create"
    assert team.hub.pulls[1].title == "sync: +0 -1 =0 (docs)"
    fail(team, "a")
    team.night()
    with team.silence(but=STATE):
        assert team.decision(code=3) == "nothing"
    with team.silence():
        assert team.decision(code=3) == "nothing"


def test_a_page_that_nothing_links_to_stays_removed_in_the_pull_request(team: Team) -> None:
    team.sources["docs"].unlinked = {A}
    assert team.decision() == "nothing"
    team.night()
    assert team.decision() == "create"
    for _ in range(3):
        team.night()
        with team.silence():
            assert team.decision() == "nothing"


def test_what_a_run_did_not_come_to_stays_in_the_pull_request(team: Team) -> None:
    team.put("d", "New.")
    team.put("a", "Two.")
    team.decision()
    source = team.sources["docs"]
    source.incomplete = ("the time was up",)
    items, source.items = dict(source.items), {k: v for k, v in source.items.items() if not k.endswith("/d")}
    for _ in range(2):
        team.night()
        with team.silence():
            assert team.decision() == "nothing"
    source.items, source.incomplete = items, ()
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_an_outage_leaves_the_pull_request_alone(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    refs = team.refs()
    team.sources["docs"].outage = "no such host"
    team.night()
    report = team.pr(code=4)
    assert (report["result"], report["review"]) == ("unavailable", None)
    assert team.refs()[f"refs/heads/{BRANCH}"] == refs[f"refs/heads/{BRANCH}"]
    assert [p.number for p in team.hub.open_pulls()] == [1]
    assert (team.state().access, team.targets()) == ("UNREACHABLE", [("PENDING", 1)])
    team.sources["docs"].outage = ""
    team.night()
    with team.silence(but=STATE):
        assert team.decision() == "nothing"
    assert (team.state().access, team.state().last_error, team.targets()) == ("ACTIVE", "", [("PENDING", 1)])
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


# --- what counts as content ---


def test_a_licence_that_changes_alone_is_content(team: Team) -> None:
    team.put("a", "One of a.", LICENSE=b"MIT\n")
    assert team.decision() == "create"
    team.hub.squash(1)
    team.night()
    assert team.decision() == "nothing"
    team.put("a", "One of a.", LICENSE=b"All rights reserved\n")
    assert team.decision() == "create"
    team.hub.close(2)
    team.night()
    assert team.decision() == "leave (rejected)"
    team.put("a", "One of a.", LICENSE=b"All rights reserved\n", NOTICE=b"By Acme.\n")
    assert team.decision() == "create"


# --- sources ---


def test_several_sources_have_a_branch_and_a_pull_request_each(assemble: Make) -> None:
    team = assemble(names={"docs": "", "blog": "", "wiki": ""})
    team.put("a", "Two.")
    team.put("b", "Two.", of="blog")
    assert team.decisions() == {"docs": "create", "blog": "create", "wiki": "nothing"}
    assert sorted(p.branch for p in team.hub.open_pulls()) == ["okf/sync/blog", "okf/sync/docs"]
    team.hub.squash(1)
    team.night()
    assert team.decisions() == {"docs": "nothing", "blog": "update", "wiki": "nothing"}
    assert team.decisions("wiki") == {"wiki": "nothing"}


def test_one_source_in_trouble_does_not_stop_the_others(assemble: Make) -> None:
    team = assemble(names={"docs": "", "blog": ""})
    team.sources["docs"].outage = "no such host"
    team.put("a", "Two.", of="blog")
    assert team.decisions(code=4) == {"docs": "unavailable", "blog": "create"}


def test_sources_that_are_paused_or_not_due_are_left_out(assemble: Make) -> None:
    team = assemble(names={"docs": "", "blog": "every: 7d"})
    assert team.run("pause", "docs", cwd=team.repo.path).code == 0
    team.put("a", "Two.")
    team.put("a", "Two.", of="blog")
    assert team.decisions() == {"docs": "skipped", "blog": "skipped"}
    assert team.asked[2:] == [] and team.requests() == []
    assert team.decisions("docs") == {"docs": "skipped"}
    team.clock.pass_by(days=7)
    assert team.decisions() == {"docs": "skipped", "blog": "create"}
    assert team.run("resume", "docs", cwd=team.repo.path).code == 0
    assert team.decisions("docs") == {"docs": "create"}


def test_a_limit_of_the_sources_host_is_waited_for(team: Team) -> None:
    team.put("a", "Two.")
    team.sources["docs"].retry_at = (team.clock() + timedelta(hours=30)).isoformat()
    assert team.pr(code=4)["task"] == "RETRY_WAIT"
    assert team.state().access == "ACTIVE"
    team.sources["docs"].retry_at = ""
    team.night()
    assert team.pr()["result"] == "skipped"
    team.night()
    assert team.decision() == "create"


# --- guards ---


def test_a_guard_that_aborts_opens_no_pull_request(team: Team) -> None:
    lose_pages(team)
    with team.silence():
        report = team.pr(code=1)
    assert (report["result"], report["review"], team.hub.issues) == ("aborted", None, {})


def lose_pages(team: Team) -> None:
    for name in "defghij":
        team.put(name, f"One of {name}.")
    team.decision()
    team.hub.squash(1)
    team.night()
    team.decision()
    for name in "abcdefg":
        team.drop(name)


def test_report_issue_keeps_one_issue_and_closes_it_by_itself(team: Team) -> None:
    lose_pages(team)
    team.pr("--report-issue", code=1)
    (issue,) = team.hub.issues.values()
    assert issue.title == "The page-count guard stopped the sync of docs"
    assert issue.labels == ["okf-guard"] and "3" in issue.body
    team.night()
    with team.silence():
        team.pr("--report-issue", code=1)
    team.drop("h")
    before = issue.body
    team.pr("--report-issue", code=1)
    assert [each.body != before for each in team.hub.issues.values() if each.open] == [True]
    for name in "abcdefgh":
        team.put(name, f"One of {name}.")
    team.night()
    assert team.decision("--report-issue") == "nothing"
    assert [each.open for each in team.hub.issues.values()] == [False]
    assert team.hub.comments[-1] == (issue.number, "The sync of docs passes its guards again.")
    team.night()
    with team.silence():
        team.decision("--report-issue")
    for name in "abcdefgh":
        team.drop(name)
    team.pr("--report-issue", code=1)
    assert len([each for each in team.hub.issues.values() if each.open]) == 1


def test_pr_02_an_issue_that_a_person_closed_is_not_opened_again_for_the_same(team: Team) -> None:
    lose_pages(team)
    team.pr("--report-issue", code=1)
    next(iter(team.hub.issues.values())).open = False
    team.night()
    with team.silence():
        team.pr("--report-issue", code=1)
    assert len(team.hub.issues) == 1
    team.drop("h")
    team.pr("--report-issue", code=1)
    assert len(team.hub.issues) == 2


def test_an_issue_that_cannot_be_opened_changes_nothing_of_the_result(team: Team) -> None:
    lose_pages(team)
    team.hub.denied = {"issues"}
    ran = team.job("--report-issue", "--json")
    assert ran.code == 1
    assert "the issue about its guard could not be kept" in ran.err


def test_force_passes_the_guard_into_a_pull_request(team: Team) -> None:
    lose_pages(team)
    assert team.decision("--force") == "create"
    assert "the page-count guard was overridden" in team.hub.open_pulls()[0].body


# --- what is said ---


def test_the_words_for_people_and_the_data_for_machines(team: Team) -> None:
    assert team.job().out == "✓ Up to date: docs (the base has it all)\n"
    team.put("a", "Two.")
    url = f"{team.server.url}/acme/docs/pull/1"
    assert team.job().out == f"✓ Opened: docs  (sync: +0 -0 =1 (docs))\n  {url}\n"
    assert team.job().out == f"✓ Up to date: docs (the open review shows what is newest)\n  {url}\n"
    team.put("a", "Three.")
    assert team.job().out == f"✓ Updated: docs  (sync: +0 -0 =1 (docs))\n  {url}\n"
    team.hub.close(1)
    assert team.job().out.startswith("- Left: docs (this very content was rejected")
    assert json.loads(team.job("--json").out)["sources"][0]["review"]["decision"] == "leave (rejected)"
    assert TOKEN not in team.job("--json").out
