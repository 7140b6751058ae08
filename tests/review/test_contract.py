"""One contract for every host: what `review.forge.Forge` promises, against fakes that do what the hosts do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest
from forges import gitea as fake_gitea
from forges import github as fake_github
from forges import gitlab as fake_gitlab
from forges.hub import TOKEN, Hub
from forges.server import Handle, Reply, Server, serving
from forges.waiting import Waiting

from git_okf.jsonapi import ApiRefused, ApiUnavailable, ApiUncertain
from git_okf.review import gitea, github, gitlab
from git_okf.review.decide import Word, decide
from git_okf.review.forge import Forge, Stage
from git_okf.review.marker import OBSOLETE, Marker
from git_okf.review.situation import Situation, assess

BRANCH = "okf/sync/docs"
HOSTS = ("github", "github-enterprise", "gitlab", "gitea")


@dataclass(slots=True)
class Host:
    """A fake host, and our client of it."""

    kind: str
    hub: Hub
    server: Server
    api: Handle
    waiting: Waiting
    warned: list[str] = field(default_factory=list)
    made: list[Forge] = field(default_factory=list)

    def forge(self, name: str = "acme/docs", token: str = TOKEN) -> Forge:
        """A new client, as each run makes one."""
        self.made.append(self._forge(name, token))
        return self.made[-1]

    def _forge(self, name: str, token: str) -> Forge:
        effects = self.waiting.effects
        if self.kind == "gitlab":
            api = gitlab.connect(self.server.url + fake_gitlab.API_PREFIX, token, effects)
            return gitlab.GitLab(api, name, self.warned.append)
        if self.kind == "gitea":
            api = gitea.connect(self.server.url + fake_gitea.API_PREFIX, token, effects)
            return gitea.Gitea(api, name, self.warned.append)
        prefix = "/api/v3" if self.kind == "github-enterprise" else ""
        return github.GitHub(github.connect(self.server.url + prefix, token, effects), name, self.warned.append)

    def push(self, text: str, branch: str = BRANCH) -> str:
        """What we would push: a commit of ours on top of the base."""
        base = self.hub.branch("main")
        assert base is not None
        self.hub.git("update-ref", f"refs/heads/{branch}", base)
        return self.hub.edit(branch, {"docs/a.md": text}, "sync: +0 -0 =1 (docs)\n\nOkf-Source: docs\n")


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest, hub: Hub, waiting: Waiting) -> Iterator[Host]:
    kinds: dict[str, Callable[[Hub], Handle]] = {
        "github": fake_github.GitHubApi,
        "github-enterprise": lambda hub: fake_github.GitHubApi(hub, "/api/v3"),
        "gitlab": fake_gitlab.GitLabApi,
        "gitea": fake_gitea.GiteaApi,
    }
    api = kinds[request.param](hub)
    with serving(api) as server:
        made = Host(request.param, hub, server, api, waiting)
        yield made
        for forge in made.made:
            forge.disconnect()


def opened(host: Host, text: str = "two\n", title: str = "sync: +0 -0 =1 (docs)") -> Forge:
    forge = host.forge()
    host.push(text)
    forge.create(branch=BRANCH, base="main", title=title, body="body", labels=["okf-sync"])
    return forge


# --- the repository ---


def test_the_repository_has_an_identity_and_a_name(host: Host) -> None:
    found = host.forge("Acme/DOCS").repository()
    assert (found.id, found.name, found.default_branch) == ("127.0.0.1:1296269", "acme/docs", "main")
    assert not found.archived


def test_an_archived_repository_says_so(host: Host) -> None:
    host.hub.archived = True
    assert host.forge().repository().archived


def test_a_renamed_repository_is_found_under_its_old_name_and_used_under_its_new_one(host: Host) -> None:
    opened(host).disconnect()
    host.hub.rename("acme/manual")
    forge = host.forge("acme/docs")
    assert (forge.repository().id, forge.repository().name) == ("127.0.0.1:1296269", "acme/manual")
    (review,) = forge.reviews(BRANCH)
    assert forge.update(review, title="new", body="new").title == "new"
    host.push("three\n", "okf/sync/other")
    assert forge.create(branch="okf/sync/other", base="main", title="t", body="b").stage is Stage.OPEN
    assert len(host.hub.open_pulls()) == 2


def test_a_rename_in_the_middle_of_a_run_loses_nothing(host: Host) -> None:
    forge = opened(host)
    (review,) = forge.reviews(BRANCH)
    host.hub.rename("acme/manual")
    assert forge.update(review, title="new", body="body").title == "new"
    assert forge.close(review, comment="obsolete").stage is Stage.CLOSED
    assert [comment for _, comment in host.hub.comments] == ["obsolete"]


def test_a_repository_that_is_not_there_is_refused_with_a_hint(host: Host) -> None:
    with pytest.raises(ApiRefused) as caught:
        host.forge("acme/nothing").repository()
    assert caught.value.status == 404
    assert "review.repository" in caught.value.hint


def test_a_wrong_token_is_refused_with_a_hint_and_not_shown(host: Host) -> None:
    with pytest.raises(ApiRefused) as caught:
        host.forge(token="wrong-wrong-wrong").repository()
    assert caught.value.status == 401
    assert "_TOKEN anew" in caught.value.hint
    assert "wrong-wrong" not in caught.value.message


# --- reviews ---


def test_a_review_is_created_with_labels_and_found_again(host: Host) -> None:
    head = host.push("two\n")
    made = host.forge().create(branch=BRANCH, base="main", title="同步", body="文本\n", labels=["okf-sync", "docs"])
    assert (made.stage, made.branch, made.base, made.title, made.head) == (Stage.OPEN, BRANCH, "main", "同步", head)
    assert made.url.startswith("http")
    (found,) = host.forge().reviews(BRANCH)
    assert (found.number, found.stage, found.body.strip()) == (made.number, Stage.OPEN, "文本")
    assert sorted(found.labels) == ["docs", "okf-sync"]
    assert found.author == "okf-robot"
    assert found.created_at


def test_the_life_of_reviews_is_told_newest_first(host: Host) -> None:
    forge = host.forge()
    host.push("two\n")
    numbers = [forge.create(branch=BRANCH, base="main", title="first", body="1").number]
    host.hub.close(numbers[0])
    numbers.append(forge.create(branch=BRANCH, base="main", title="second", body="2").number)
    host.hub.merge(numbers[1])
    host.push("three\n")
    numbers.append(forge.create(branch=BRANCH, base="main", title="third", body="3").number)
    host.hub.squash(numbers[2])
    host.push("four\n")
    numbers.append(forge.create(branch=BRANCH, base="main", title="fourth", body="4").number)
    found = host.forge().reviews(BRANCH)
    assert [(r.number, r.stage) for r in found] == [
        (numbers[3], Stage.OPEN),
        (numbers[2], Stage.MERGED),
        (numbers[1], Stage.MERGED),
        (numbers[0], Stage.CLOSED),
    ]
    assert [bool(r.settled_at) for r in found] == [False, True, True, True]


def test_pr_02_a_closed_review_is_told_after_its_branch_is_gone(host: Host) -> None:
    forge = opened(host)
    host.hub.close(forge.reviews(BRANCH)[0].number)
    host.hub.delete_branch(BRANCH)
    (review,) = host.forge("ACME/Docs").reviews(BRANCH)
    assert (review.stage, review.body) == (Stage.CLOSED, "body")


def test_reviews_of_forks_and_of_other_branches_are_not_ours(host: Host) -> None:
    forge = opened(host)
    host.hub.foreign_pull(BRANCH)
    host.hub.foreign_pull(BRANCH, gone=True)
    host.push("x\n", "okf/sync/docs2")
    forge.create(branch="okf/sync/docs2", base="main", title="t", body="b")
    assert len(forge.reviews(BRANCH)) == 1


def test_listings_are_read_page_by_page(host: Host) -> None:
    host.hub.page_size = 1
    host.push("two\n")
    for index in range(2):
        number = host.forge().create(branch=BRANCH, base="main", title=f"t{index}", body="b").number
        host.hub.close(number)
    host.forge().create(branch=BRANCH, base="main", title="last", body="b")
    stages = [review.stage for review in host.forge().reviews(BRANCH)]
    assert stages.count(Stage.OPEN) == 1
    assert stages.count(Stage.CLOSED) == 2


def test_pr_03_a_duplicate_is_brought_up_to_date_instead_of_opened(host: Host) -> None:
    first = host.forge()
    host.push("two\n")
    made = first.create(branch=BRANCH, base="main", title="one", body="1")
    again = host.forge().create(branch=BRANCH, base="main", title="two", body="2", labels=["okf-sync"])
    assert again.number == made.number
    assert len(host.hub.pulls) == 1
    (there,) = host.forge().reviews(BRANCH)
    assert (there.title, there.body, there.labels) == ("two", "2", ("okf-sync",))


def test_pr_03_a_review_made_by_a_call_that_broke_off_is_found(host: Host) -> None:
    kind = "merge_requests" if host.kind == "gitlab" else "pulls"
    host.hub.fault("POST", f"*/{kind}", Reply(drop=True), carried_out=True)
    host.push("two\n")
    made = host.forge().create(branch=BRANCH, base="main", title="t", body="b", labels=["okf-sync"])
    assert list(host.hub.pulls) == [made.number]
    assert host.hub.pulls[made.number].labels == ["okf-sync"]


def test_pr_05_a_review_that_was_not_made_is_told_and_made_by_the_next_run(host: Host) -> None:
    kind = "merge_requests" if host.kind == "gitlab" else "pulls"
    host.hub.fault("POST", f"*/{kind}", Reply(status=502, data={"message": "Bad gateway"}))
    host.push("two\n")
    with pytest.raises(ApiUncertain):
        host.forge().create(branch=BRANCH, base="main", title="t", body="b")
    assert host.hub.pulls == {}
    host.forge().create(branch=BRANCH, base="main", title="t", body="b")
    assert len(host.hub.pulls) == 1


def test_a_missing_branch_is_refused_in_the_hosts_words(host: Host) -> None:
    with pytest.raises(ApiRefused) as caught:
        host.forge().create(branch="okf/sync/none", base="main", title="t", body="b")
    assert caught.value.status in (400, 404, 422)
    assert host.hub.pulls == {}


def test_an_update_sends_only_what_is_not_so_already(host: Host) -> None:
    forge = opened(host)
    (review,) = forge.reviews(BRANCH)
    before = len(host.server.log)
    forge.update(review, title=review.title, body="body\r\n", labels=["okf-sync"])
    assert len(host.server.log) == before
    updated = forge.update(review, title="newer", body="newer body", labels=["okf-sync", "more"])
    assert (updated.title, updated.number) == ("newer", review.number)
    pull = host.hub.pulls[review.number]
    assert (pull.title, pull.body, sorted(pull.labels)) == ("newer", "newer body", ["more", "okf-sync"])


def test_closing_says_why_and_leaves_the_branch(host: Host) -> None:
    forge = opened(host)
    (review,) = forge.reviews(BRANCH)
    closed = forge.close(review, comment="The base has it all.", body="body with another marker")
    assert closed.stage is Stage.CLOSED
    assert host.hub.pulls[review.number].body == "body with another marker"
    assert host.hub.comments == [(review.number, "The base has it all.")]
    assert host.hub.branch(BRANCH)


def test_a_comment_that_cannot_be_made_is_a_warning(host: Host) -> None:
    forge = opened(host)
    host.hub.denied.add("comments")
    assert forge.close(forge.reviews(BRANCH)[0], comment="why").stage is Stage.CLOSED
    assert "may be missing" in host.warned[0]


def test_a_review_without_permission_is_refused_at_once_with_a_hint(host: Host) -> None:
    host.hub.denied.add("pulls")
    host.push("two\n")
    with pytest.raises(ApiRefused) as caught:
        host.forge().create(branch=BRANCH, base="main", title="t", body="b")
    assert caught.value.status == 403
    assert caught.value.hint
    assert host.waiting.slept <= 1


def test_the_commits_of_a_review_come_oldest_first_with_whose_they_are(host: Host) -> None:
    forge = opened(host)
    edited = host.hub.edit(BRANCH, {"docs/a.md": "by hand\n"}, "Mend a sentence")
    (review,) = forge.reviews(BRANCH)
    commits = forge.commits(review)
    assert [commit.message.partition("\n")[0] for commit in commits] == ["sync: +0 -0 =1 (docs)", "Mend a sentence"]
    assert commits[1].id == edited
    assert commits[1].author == "pat@example.org"
    assert commits[1].parents == (commits[0].id,)


def test_an_update_of_the_branch_by_the_host_is_a_merge_of_the_base(host: Host) -> None:
    forge = opened(host)
    base = host.hub.edit("main", {"other.md": "x\n"}, "Other")
    made = host.hub.update_branch(forge.reviews(BRANCH)[0].number)
    last = forge.commits(forge.reviews(BRANCH)[0])[-1]
    assert (last.id, last.parents[1]) == (made, base)


def test_a_file_has_a_place_where_people_see_it(host: Host) -> None:
    url = host.forge().file_url(BRANCH, "docs/pages/安装 #1.md")
    assert url.startswith(host.server.url)
    assert "okf/sync/docs/docs/pages/%E5%AE%89%E8%A3%85%20%231.md" in url


# --- from what the host says to what is decided ---


def found(host: Host, wanted: str, name: str = "acme/docs") -> Situation:
    """As a run would put it together that lost its record; the branch is left aside."""
    return assess(
        source="docs",
        base="main",
        wanted=wanted,
        branch=None,
        reviews=host.forge(name).reviews(BRANCH),
        record=(),
        full=False,
        when="2026-03-01T00:00:00+00:00",
    )


def test_pr_02_a_rejection_survives_the_branch_the_record_and_the_name(host: Host) -> None:
    host.push("two\n")
    marked = f"{Marker(source='docs', fingerprint='f' * 32)}\n\ntext"
    made = host.forge().create(branch=BRANCH, base="main", title="t", body=marked)
    assert decide(found(host, "f" * 32).facts).word is Word.UPDATE
    host.hub.close(made.number)
    host.hub.delete_branch(BRANCH)
    host.hub.rename("Acme/Manual")
    assert decide(found(host, "f" * 32, "ACME/docs").facts).word is Word.LEAVE_REJECTED
    assert decide(found(host, "a" * 32, "acme/MANUAL").facts).word is Word.CREATE
    host.hub.edit(BRANCH, {"x": "y"})
    host.hub.reopen(made.number)
    assert decide(found(host, "f" * 32, "acme/manual").facts).word is not Word.LEAVE_REJECTED


def test_pr_03_of_three_open_reviews_one_is_left(host: Host) -> None:
    host.push("two\n")
    mark = Marker(source="docs", fingerprint="f" * 32)
    for base in ("old", "older", "main"):
        host.hub.git("update-ref", f"refs/heads/{base}", str(host.hub.branch("main")))
        host.hub.new_pull("t", f"{mark}\ntext", BRANCH, base, "okf-robot")
    seen = found(host, "f" * 32)
    assert decide(seen.facts).close_others
    forge = host.forge()
    for other in seen.others:
        settled = replace(mark, settled=OBSOLETE)
        forge.close(other, comment="Another review has the same content.", body=f"{settled}\ntext")
    assert [pull.base for pull in host.hub.open_pulls()] == ["main"]
    assert decide(found(host, "f" * 32).facts).word is Word.UPDATE
    assert found(host, "f" * 32).facts.rejected == frozenset()


# --- issues ---


def test_an_issue_lives_from_the_guards_abort_to_its_pass(host: Host) -> None:
    forge = host.forge()
    made = forge.open_issue(title="stopped", body="first", label="okf-guard")
    assert made.open
    opened(host)
    (found,) = host.forge().issues("okf-guard")
    assert (found.number, found.title, found.body, found.open) == (made.number, "stopped", "first", True)
    before = len(host.server.log)
    forge.update_issue(found, title="stopped", body="first")
    assert len(host.server.log) == before
    assert forge.update_issue(found, title="stopped", body="second").body == "second"
    assert not forge.close_issue(found, comment="It passes again.").open
    assert host.hub.comments[-1] == (made.number, "It passes again.")
    assert [issue.open for issue in host.forge().issues("okf-guard")] == [False]


def test_an_issue_made_by_a_call_that_broke_off_is_found(host: Host) -> None:
    host.hub.fault("POST", "*/issues", Reply(drop=True), carried_out=True)
    made = host.forge().open_issue(title="stopped", body="text", label="okf-guard")
    assert list(host.hub.issues) == [made.number]


def test_reviews_are_no_issues(host: Host) -> None:
    opened(host)
    assert host.forge().issues("okf-sync") == ()


# --- limits ---


def test_pr_05_a_limit_is_waited_for_and_nothing_is_done_twice(host: Host) -> None:
    kind = "merge_requests" if host.kind == "gitlab" else "pulls"
    host.hub.fault("POST", f"*/{kind}", Reply(status=429, headers={"Retry-After": "30"}))
    host.push("two\n")
    host.forge().create(branch=BRANCH, base="main", title="t", body="b")
    assert len(host.hub.pulls) == 1
    assert 30 <= host.waiting.slept <= 32


def test_pr_05_trouble_of_the_host_is_tried_again_for_reading(host: Host) -> None:
    opened(host)
    host.hub.fault("GET", "*", Reply(status=502), times=3)
    assert len(host.forge().reviews(BRANCH)) == 1


def test_pr_05_a_limit_that_lasts_too_long_ends_with_the_time_to_come_back(host: Host) -> None:
    host.hub.fault("GET", "*", Reply(status=429, headers={"Retry-After": "3600"}), times=None)
    with pytest.raises(ApiUnavailable) as caught:
        host.forge().repository()
    assert caught.value.rate_limited
    assert caught.value.retry_at == "2026-03-01T01:00:00+00:00"
    assert host.waiting.slept == 0


def test_pr_06_a_text_just_below_the_limit_is_taken(host: Host) -> None:
    forge = host.forge()
    host.push("two\n")
    body = "长" * ((forge.limits.body - 1) // 3)
    assert forge.create(branch=BRANCH, base="main", title="长" * (forge.limits.title // 3), body=body).body == body
