"""What is GitHub's alone: limits told in four ways, versions, permissions, the built-in token."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from forges.github import BUILT_IN, GitHubApi, primary_limit, refusal, secondary_limit
from forges.hub import TOKEN, Hub
from forges.server import Reply, Server, serving
from forges.waiting import Waiting

from git_okf.jsonapi import ApiRefused, ApiUnavailable
from git_okf.review import github
from git_okf.review.forge import Stage
from git_okf.review.github import GitHub

BRANCH = "okf/sync/docs"
START = datetime(2026, 3, 1, tzinfo=UTC).timestamp()


@pytest.fixture
def api(hub: Hub) -> GitHubApi:
    return GitHubApi(hub)


@pytest.fixture
def server(api: GitHubApi) -> Iterator[Server]:
    with serving(api) as served:
        yield served


def forge_of(server: Server, waiting: Waiting, token: str = TOKEN) -> GitHub:
    return GitHub(github.connect(server.url, token, waiting.effects), "acme/docs")


@pytest.fixture
def forge(server: Server, waiting: Waiting) -> Iterator[GitHub]:
    made = forge_of(server, waiting)
    yield made
    made.disconnect()


def create(forge: GitHub, hub: Hub) -> int:
    main = hub.branch("main")
    assert main is not None
    hub.git("update-ref", f"refs/heads/{BRANCH}", main)
    hub.edit(BRANCH, {"docs/a.md": "two\n"})
    return forge.create(branch=BRANCH, base="main", title="t", body="b").number


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (secondary_limit(retry_after=45), 45),
        (secondary_limit(retry_after=45, status=429), 45),
        (secondary_limit(), 60),
        (secondary_limit(status=429), 60),
        (primary_limit(int(START) + 300), 301),
        (primary_limit(int(START) + 300, status=429), 301),
        (primary_limit(int(START) - 5), 1),
        (Reply(status=502), 1),
    ],
)
def test_pr_05_limits_are_waited_for_as_long_as_they_say_or_a_minute(
    forge: GitHub, hub: Hub, waiting: Waiting, limit: Reply, seconds: float
) -> None:
    hub.fault("GET", "/repos/acme/docs", limit)
    assert forge.repository().name == "acme/docs"
    assert waiting.slept == seconds


def test_pr_05_a_secondary_limit_without_a_time_is_waited_for_longer_each_time(
    forge: GitHub, hub: Hub, waiting: Waiting
) -> None:
    hub.fault("GET", "/repos/acme/docs", secondary_limit(), times=3)
    forge.repository()
    assert waiting.slept == 60 + 120 + 240


def test_pr_05_a_primary_limit_beyond_the_cap_ends_with_its_reset(forge: GitHub, hub: Hub, waiting: Waiting) -> None:
    hub.fault("GET", "/repos/acme/docs", primary_limit(int(START) + 3000), times=None)
    with pytest.raises(ApiUnavailable, match="API rate limit exceeded") as caught:
        forge.repository()
    assert (caught.value.rate_limited, caught.value.retry_at) == (True, "2026-03-01T00:50:01+00:00")
    assert waiting.slept == 0


def test_pr_05_a_limit_while_creating_creates_once(forge: GitHub, hub: Hub, waiting: Waiting) -> None:
    hub.fault("POST", "*/pulls", secondary_limit(retry_after=10), times=2)
    create(forge, hub)
    assert len(hub.pulls) == 1
    assert waiting.slept >= 20


@pytest.mark.parametrize(
    "message",
    ["Resource not accessible by integration", "Must have admin rights to Repository.", "Repository was archived"],
)
def test_pr_05_a_403_that_is_no_limit_fails_at_once(
    forge: GitHub, hub: Hub, server: Server, waiting: Waiting, message: str
) -> None:
    hub.fault("GET", "*", refusal(403, message), times=None)
    with pytest.raises(ApiRefused, match=message) as caught:
        forge.repository()
    assert "pull-requests: write" in caught.value.hint
    assert (len(server.log), waiting.slept) == (1, 0)


def test_pr_07_the_setting_that_forbids_pull_requests_is_named(
    server: Server, hub: Hub, api: GitHubApi, waiting: Waiting
) -> None:
    api.actions_may_create = False
    forge = forge_of(server, waiting, BUILT_IN)
    with pytest.raises(ApiRefused, match="not permitted to create or approve") as caught:
        create(forge, hub)
    assert "Allow GitHub Actions to create and approve pull requests" in caught.value.hint
    forge.disconnect()


def test_pr_07_the_built_in_token_is_detected_by_whose_review_it_made(
    server: Server, hub: Hub, waiting: Waiting, forge: GitHub
) -> None:
    builtin = forge_of(server, waiting, BUILT_IN)
    create(builtin, hub)
    (review,) = builtin.reviews(BRANCH)
    (hint,) = builtin.hints(review)
    assert "built-in GITHUB_TOKEN" in hint and "GitHub App" in hint
    builtin.disconnect()
    hub.pulls[review.number].author = "acme-sync[bot]"
    assert forge.hints(forge.reviews(BRANCH)[0]) == ()


def test_the_version_of_the_api_is_pinned_and_the_next_one_taken_where_it_is_gone(
    forge: GitHub, hub: Hub, server: Server, api: GitHubApi
) -> None:
    number = create(forge, hub)
    assert {asked.headers["x-github-api-version"] for asked in server.log} == {"2022-11-28"}
    api.versions = ["2026-03-10"]
    hub.merge(number)
    assert [review.stage for review in forge.reviews(BRANCH)] == [Stage.MERGED]
    assert server.log[-1].headers["x-github-api-version"] == "2026-03-10"


def test_no_version_that_is_known_is_an_error(forge: GitHub, api: GitHubApi) -> None:
    api.versions = ["2031-01-01"]
    with pytest.raises(ApiRefused, match="no longer supported"):
        forge.repository()


def test_what_did_not_change_is_answered_with_304_which_is_not_counted(forge: GitHub, hub: Hub, server: Server) -> None:
    create(forge, hub)
    first = forge.reviews(BRANCH)
    assert forge.reviews(BRANCH) == first
    assert [bool(asked.headers.get("if-none-match")) for asked in server.log[-4:]] == [False, False, True, True]


def test_writes_start_a_second_apart(forge: GitHub, hub: Hub, waiting: Waiting) -> None:
    create(forge, hub)
    (review,) = forge.reviews(BRANCH)
    forge.update(review, title="new", body="b", labels=["one"])
    assert waiting.slept == 2


def test_only_the_owner_and_branch_are_asked_for(forge: GitHub, hub: Hub, server: Server) -> None:
    forge.reviews(BRANCH)
    assert {asked.one("head") for asked in server.log if asked.path.endswith("/pulls")} == {f"acme:{BRANCH}"}


def test_labels_that_may_not_be_set_are_a_warning(server: Server, hub: Hub, waiting: Waiting) -> None:
    warned: list[str] = []
    forge = GitHub(github.connect(server.url, TOKEN, waiting.effects), "acme/docs", warned.append)
    hub.denied.add("labels")
    create(forge, hub)
    forge.update(forge.reviews(BRANCH)[0], title="t", body="b", labels=["okf-sync"])
    assert len(warned) == 1 and "labels" in warned[0]
    forge.disconnect()


def test_more_than_250_commits_are_told_as_far_as_github_tells_them(forge: GitHub, hub: Hub) -> None:
    create(forge, hub)
    tree = hub.git("rev-parse", f"{BRANCH}^{{tree}}")
    made = hub.branch(BRANCH)
    for n in range(252):
        made = hub.git("commit-tree", tree, "-p", str(made), "-m", f"{n}")
    hub.git("update-ref", f"refs/heads/{BRANCH}", str(made))
    assert len(forge.commits(forge.reviews(BRANCH)[0])) == 250
