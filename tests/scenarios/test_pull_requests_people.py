"""People's commits on a review branch: never lost, built upon where that applies, else left alone and said so."""

from __future__ import annotations

import pytest
from conftest import GitRepo
from nightly import BRANCH, Make, Team
from remotes import clone_of

from git_okf.model import Failed

PAGE = "docs/pages/{}.md"


def edit(team: Team, page: str, old: str, new: str, message: str = "By hand") -> str:
    """A commit by a person on the review branch."""
    path = PAGE.format(page)
    text = team.hub.git("show", f"{BRANCH}:{path}") + "\n"
    assert old in text
    return team.hub.edit(BRANCH, {path: text.replace(old, new)}, message)


def is_kept(team: Team, commit: str) -> bool:
    return team.hub.reaches(commit, BRANCH)


@pytest.fixture
def edited(team: Team) -> tuple[Team, str]:
    """A pull request that changes `a`, with a person's commit on `b`."""
    team.put("a", "Two.")
    team.decision()
    commit = edit(team, "b", "One of b.", "One of b, and more.")
    team.night()
    return team, commit


def test_a_commit_by_a_person_is_kept_and_a_night_with_nothing_new_is_quiet(edited: tuple[Team, str]) -> None:
    team, commit = edited
    for _ in range(2):
        with team.silence():
            assert team.decision() == "nothing"
        team.night()
    assert is_kept(team, commit)


def test_what_is_new_goes_on_top_of_it(edited: tuple[Team, str]) -> None:
    team, commit = edited
    team.put("c", "Two.")
    assert team.decision() == "update"
    assert is_kept(team, commit)
    assert team.subjects() == ["sync: +0 -0 =1 (docs)", "By hand", "sync: +0 -0 =1 (docs)"]
    assert [team.on(BRANCH, page) for page in "abc"] == ["Two.", "One of b, and more.", "Two."]
    (pull,) = team.hub.open_pulls()
    assert pull.title == "sync: +0 -0 =2 (docs)", "the text tells what the base gets of the source"
    assert team.targets() == [("SUPERSEDED", 1), ("PENDING", 1)]
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_what_changed_elsewhere_in_a_page_a_person_edited_is_merged(team: Team) -> None:
    team.put("a", "First.\n\nSecond.\n\nThird.")
    team.decision()
    commit = edit(team, "a", "Third.", "Third, by hand.")
    team.put("a", "First, anew.\n\nSecond.\n\nThird.")
    team.night()
    assert team.decision() == "update"
    assert is_kept(team, commit)
    assert team.on(BRANCH) == "First, anew.\n\nSecond.\n\nThird, by hand."
    team.night()
    with team.silence():
        assert team.decision() == "nothing"


def test_what_does_not_apply_leaves_the_branch_alone_and_the_pull_request_says_so(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    commit = edit(team, "a", "Two.", "Two, by hand.")
    team.put("a", "Three.")
    team.night()
    report = team.pr(code=3)
    assert report["review"]["decision"] == "leave (edited by a person)"
    assert (team.hub.branch(BRANCH), report["commit"]) == (commit, None)
    assert "People committed to this branch" in team.hub.pulls[1].body
    assert "+Three." in team.hub.pulls[1].body
    for _ in range(2):
        team.night()
        with team.silence():
            assert team.decision(code=3) == "leave (edited by a person)"
    team.put("a", "Two.")
    team.night()
    assert team.decision() == "update"
    assert team.hub.branch(BRANCH) == commit
    assert "People committed to this branch" not in team.hub.pulls[1].body


def test_closing_a_pull_request_that_was_left_alone_rejects_what_was_on_its_branch(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    edit(team, "a", "Two.", "Two, by hand.")
    team.put("a", "Three.")
    team.night()
    team.decision(code=3)
    team.hub.close(1)
    team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "create"
    assert team.on(BRANCH) == "Three."
    team.put("a", "Two.")
    team.night()
    assert team.decision() == "close (obsolete)"


def test_update_branch_is_no_edit(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.edit("main", {"README.md": "By hand.\n"})
    team.hub.update_branch(1)
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    assert team.decision() == "update"
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]
    assert team.on(BRANCH) == "Three."
    assert team.hub.git("show", f"{BRANCH}:README.md") == "By hand."


def test_a_merge_with_other_work_in_it_is_an_edit(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.edit("main", {"README.md": "By hand.\n"})
    merge = team.hub.update_branch(1)
    tree = team.hub.git("rev-parse", f"{team.hub.edit(BRANCH, {'README.md': 'Resolved.'})}^{{tree}}")
    parents = team.hub.git("show", "-s", "--format=%P", merge).split()
    evil = team.hub.git("commit-tree", tree, "-p", parents[0], "-p", parents[1], "-m", "Merge branch 'main'")
    team.hub.git("update-ref", f"refs/heads/{BRANCH}", evil)
    team.put("a", "Three.")
    team.night()
    assert team.decision() == "update"
    assert is_kept(team, evil)
    assert team.hub.git("show", f"{BRANCH}:README.md") == "Resolved."


@pytest.mark.parametrize("path", [PAGE.format("b"), "README.md"])
def test_a_commit_of_ours_that_a_person_amended_is_theirs(team: Team, path: str) -> None:
    team.put("a", "Two.")
    team.decision()
    ours = team.hub.branch(BRANCH)
    message = team.hub.git("show", "-s", "--format=%B", str(ours))
    made = team.hub.edit(BRANCH, {path: "Amended.\n"})
    tree = team.hub.git("rev-parse", f"{made}^{{tree}}")
    amended = team.hub.git("commit-tree", tree, "-p", "main", "-F", "-", input=message)
    team.hub.git("update-ref", f"refs/heads/{BRANCH}", amended)
    team.put("c", "Two.")
    team.night()
    assert team.decision() == "update"
    assert is_kept(team, amended)


def test_a_branch_that_people_rebased_without_a_change_is_ours(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    base = team.hub.edit("main", {"README.md": "By hand.\n"})
    tree = team.hub.git("merge-tree", "--write-tree", base, BRANCH).splitlines()[0]
    message = team.hub.git("show", "-s", "--format=%B", BRANCH)
    again = team.hub.git("commit-tree", tree, "-p", base, "-F", "-", input=message)
    team.hub.git("update-ref", f"refs/heads/{BRANCH}", again)
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    team.put("a", "Three.")
    assert team.decision() == "update"
    assert team.subjects() == ["sync: +0 -0 =1 (docs)"]


def test_a_source_that_went_back_leaves_a_branch_with_peoples_work_open(edited: tuple[Team, str]) -> None:
    team, commit = edited
    team.put("a", "One of a.")
    assert team.decision() == "leave (edited by a person)"
    assert is_kept(team, commit)
    assert "this stays open for what people committed" in team.hub.pulls[1].body
    assert [p.number for p in team.hub.open_pulls()] == [1]
    team.night()
    with team.silence():
        assert team.decision() == "leave (edited by a person)"


def test_peoples_work_that_was_merged_by_squash_is_nobodys_open_work(edited: tuple[Team, str]) -> None:
    team, commit = edited
    team.hub.squash(1)
    team.night()
    assert team.decision() == "nothing"
    team.put("c", "Two.")
    assert team.decision() == "create"
    assert not is_kept(team, commit)
    assert team.on("main", "b") == "One of b, and more."
    assert team.on(BRANCH, "b") == "One of b, and more."


def test_peoples_work_in_a_rejected_pull_request_is_kept_for_as_long_as_its_branch(edited: tuple[Team, str]) -> None:
    team, commit = edited
    team.hub.close(1)
    assert team.decision() == "leave (rejected)"
    team.put("c", "Two.")
    team.night()
    assert team.decision() == "create"
    assert is_kept(team, commit)
    assert [p.number for p in team.hub.open_pulls()] == [2]


def test_a_commit_of_a_person_during_the_run_is_kept(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.put("a", "Two.")
    team.put("c", "Two.")
    team.night()
    made: list[str] = []

    def commit(key: str) -> None:
        if not made:
            made.append(edit(team, "b", "One of b.", "One of b, and more."))

    team.sources["docs"].during = commit
    assert team.decision() == "update"
    assert is_kept(team, made[0])
    assert [team.on(BRANCH, page) for page in "abc"] == ["Two.", "One of b, and more.", "Two."]


def test_pr_04_the_base_moved_during_the_run(team: Team) -> None:
    team.put("a", "Two.")
    moved: list[str] = []

    def commit(key: str) -> None:
        if not moved:
            moved.append(team.hub.edit("main", {"README.md": "By hand.\n"}))

    team.sources["docs"].during = commit
    assert team.decision() == "create"
    team.sources["docs"].during = lambda key: None
    team.night()
    assert team.decision() == "update"
    assert team.hub.reaches(moved[0], BRANCH)


def test_a_commit_of_a_person_that_only_this_clone_has_is_not_dropped(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    mine = team.repo.git("commit-tree", f"{BRANCH}^{{tree}}", "-p", BRANCH, "-m", "Only here")
    team.repo.git("update-ref", f"refs/heads/{BRANCH}", mine)
    team.put("a", "Three.")
    team.night()
    with team.silence():
        report = team.pr(code=128)
    assert f"{BRANCH} has {mine[:7]} here, which nobody else has" in report["error"]["message"]
    assert team.repo.git("rev-parse", BRANCH) == mine


def test_a_commit_of_a_person_that_came_from_the_remote_is_not_taken_for_one_made_here(team: Team) -> None:
    """Its review went on elsewhere and was merged by squash: this clone never had the last head."""
    team.put("a", "Two.")
    team.decision()
    team.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    team.night()
    assert team.decision() == "nothing"
    team.hub.edit(BRANCH, {"NOTES.md": "By hand, more.\n"})
    team.hub.squash(1)
    team.hub.delete_branch(BRANCH)
    team.put("a", "Three.")
    team.night()
    assert team.decision() == "create"
    assert team.hub.git("show", f"{BRANCH}:NOTES.md") == "By hand, more."


def test_nor_one_that_a_run_brought_which_came_to_nothing(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.hub.edit(BRANCH, {"NOTES.md": "By hand.\n"})
    team.fresh()
    team.sources["docs"].outage = "no such host"
    team.night()
    assert team.pr(code=4)["result"] == "unavailable"
    team.sources["docs"].outage = ""
    team.hub.edit(BRANCH, {"NOTES.md": "By hand, more.\n"})
    team.hub.squash(1)
    team.hub.delete_branch(BRANCH)
    team.night()
    assert team.decision() == "nothing"


def test_a_clone_whose_branch_is_behind_follows_the_remotes(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    first = team.repo
    team.fresh()
    team.put("a", "Three.")
    team.night()
    assert team.decision() == "update"
    team.repo = first
    team.put("b", "Two.")
    team.night()
    assert team.decision() == "update"
    assert [team.on(BRANCH, page) for page in "ab"] == ["Three.", "Two."]


def test_a_branch_that_is_checked_out_here_is_refused(team: Team) -> None:
    team.put("a", "Two.")
    team.decision()
    team.repo.git("switch", "--quiet", BRANCH)
    team.put("a", "Three.")
    report = team.pr(code=128)
    assert "is checked out in" in report["error"]["message"]


def test_a_page_that_was_edited_in_the_base_too_stays_merged_while_nothing_is_new(team: Team) -> None:
    """The review has the source's new text with the base's edit in it; what the run asks with is the branch's."""
    team.put("a", "First.\n\nSecond.\n\nThird.")
    team.decision()
    team.hub.squash(1)
    path = PAGE.format("a")
    text = team.hub.git("show", f"main:{path}") + "\n"
    team.hub.edit("main", {path: text.replace("Third.", "Third, by hand.")})
    team.put("a", "First, anew.\n\nSecond.\n\nThird.")
    team.night()
    assert team.decision() == "create"
    assert team.on(BRANCH) == "First, anew.\n\nSecond.\n\nThird, by hand."
    for trouble in ({}, {"https://docs.example.com/a": Failed(key="a", reason="HTTP 503")}):
        team.sources["docs"].troubles = dict(trouble)
        team.night()
        team.decision()
        team.night()
        with team.silence():
            assert team.decision() == "nothing"
    commit = team.hub.edit(BRANCH, {"README.md": "By hand.\n"})
    team.sources["docs"].troubles = {}
    team.night()
    team.decision()
    team.night()
    with team.silence():
        assert team.decision() == "nothing"
    assert is_kept(team, commit)
    assert team.on(BRANCH) == "First, anew.\n\nSecond.\n\nThird, by hand."


# --- clones ---


def test_each_night_a_fresh_clone_of_one_commit(team: Team) -> None:
    team.put("a", "Two.")
    words = []
    for then in ("", "edit", "put", "squash", "", "put", "close", ""):
        team.fresh()
        words.append(team.decision())
        if then == "edit":
            edit(team, "b", "One of b.", "One of b, and more.")
        elif then == "put":
            team.put("c", f"Version {len(words)}.")
        elif then == "squash":
            team.hub.squash(1)
        elif then == "close":
            team.hub.close(2)
        team.night()
    assert words == ["create", "nothing", "nothing", "update", "nothing", "nothing", "create", "leave (rejected)"]
    assert team.targets() == [("SUPERSEDED", 1), ("APPROVED", 1), ("REJECTED", 2)]
    with team.silence():
        team.fresh()
        assert team.decision() == "leave (rejected)"


def test_a_commit_of_a_person_beneath_many_of_ours_is_seen_in_a_clone_of_one_commit(edited: tuple[Team, str]) -> None:
    team, commit = edited
    for version in range(4):
        team.put("c", f"Version {version}.")
        team.fresh()
        assert team.decision() == "update"
        team.night()
        assert is_kept(team, commit), version
    assert team.subjects().count("sync: +0 -0 =1 (docs)") == 5


def test_a_commit_of_a_person_behind_a_merge_of_the_base_is_seen_in_a_clone_of_one_commit(
    edited: tuple[Team, str],
) -> None:
    team, commit = edited
    for number in range(60):
        team.hub.edit("main", {"README.md": f"{number}\n"})
    team.hub.update_branch(1)
    team.put("c", "Two.")
    team.fresh()
    assert team.decision() == "update"
    assert is_kept(team, commit)


@pytest.mark.parametrize(
    "options", [("--single-branch",), ("--depth=2", "--no-single-branch"), ("--filter=blob:none",)]
)
def test_clones_of_other_kinds(edited: tuple[Team, str], options: tuple[str, ...]) -> None:
    team, commit = edited
    team.hub.git("config", "uploadpack.allowFilter", "true")
    team.fresh(*options)
    team.put("c", "Two.")
    assert team.decision() == "update"
    assert is_kept(team, commit)
    team.night()
    team.fresh(*options)
    with team.silence():
        assert team.decision() == "nothing"


def test_a_detached_head_as_ci_runners_leave_it(team: Team) -> None:
    team.put("a", "Two.")
    team.fresh().git("checkout", "--quiet", "--detach")
    assert team.decision() == "create"
    team.night()
    team.fresh().git("checkout", "--quiet", "--detach")
    with team.silence():
        assert team.decision() == "nothing"


def test_a_bare_repository_is_enough(team: Team) -> None:
    team.put("a", "Two.")
    path = team.home / "bare-runner.git"
    clone_of(GitRepo(team.hub.repo), path, "--bare", "--depth=1", "--branch=main")
    team.repo = GitRepo(path)
    assert team.decision() == "create"


def test_the_base_may_be_the_remotes_own(assemble: Make) -> None:
    team = assemble("github", more=", labels: [okf-sync]")
    text = team.repo.path.joinpath(".okf.yaml").read_text().replace(", base: main", "")
    team.repo.commit("Let the remote say", {".okf.yaml": text})
    team.repo.git("push", "--quiet", "origin", "main")
    team.put("a", "Two.")
    assert team.decision() == "create"
    (pull,) = team.hub.open_pulls()
    assert (pull.base, pull.labels) == ("main", ["okf-sync"])
