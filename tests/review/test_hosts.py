"""Which host, where, with which token; GitLab's push options; and no host at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from forges.gitlab import API_PREFIX, GitLabApi, limited
from forges.hub import TOKEN, Hub
from forges.server import Reply, serving
from forges.waiting import Waiting

from git_okf.errors import ConfigError
from git_okf.review import gitlab, gitlab_push, hosts
from git_okf.review.forge import Stage
from git_okf.review.hosts import open_forge


@dataclass(frozen=True, slots=True)
class Said:
    """What .okf.yaml says."""

    forge: str
    repository: str = ""
    api_url: str = ""


ACTIONS = {"GITHUB_API_URL": "https://api.github.com", "GITHUB_REPOSITORY": "ci/repo", "GITHUB_ACTIONS": "true"}
RUNNER = {"GITHUB_API_URL": "https://git.acme.org/api/v1", "GITHUB_REPOSITORY": "ci/repo", "GITEA_ACTIONS": "true"}
PIPELINE = {"CI_API_V4_URL": "https://gitlab.acme.org/api/v4", "CI_PROJECT_PATH": "ci/sub/repo"}


@pytest.mark.parametrize(
    ("said", "environ", "remote", "api", "name"),
    [
        (Said("github"), ACTIONS, "", "https://api.github.com", "ci/repo"),
        (Said("github", "acme/docs"), ACTIONS, "", "https://api.github.com", "acme/docs"),
        (Said("github"), {}, "git@github.com:acme/docs.git", "https://api.github.com", "acme/docs"),
        (Said("github"), {}, "https://x:secret@ghe.acme.org/a/b", "https://ghe.acme.org/api/v3", "a/b"),
        (Said("github", "a/b", "https://ghe/api/v3"), ACTIONS, "", "https://ghe/api/v3", "a/b"),
        (Said("github"), RUNNER, "git@github.com:acme/docs.git", "https://api.github.com", "acme/docs"),
        (Said("gitlab"), PIPELINE, "", "https://gitlab.acme.org/api/v4", "ci/sub/repo"),
        (Said("gitlab"), ACTIONS, "ssh://git@gl.org:22/a/b/c.git", "https://gl.org/api/v4", "a/b/c"),
        (Said("gitea"), RUNNER, "", "https://git.acme.org/api/v1", "ci/repo"),
        (Said("gitea"), ACTIONS, "http://git.acme.org:3000/a/b.git", "http://git.acme.org:3000/api/v1", "a/b"),
    ],
)
def test_the_api_and_the_repository_are_those_of_the_host(
    said: Said, environ: Mapping[str, str], remote: str, api: str, name: str
) -> None:
    assert hosts.api_url(said, environ, remote) == api
    assert hosts.repository_name(said, environ, remote) == name


@pytest.mark.parametrize(
    ("said", "remote", "words"),
    [
        (Said("gitlab", "a/b"), "/srv/docs.git", "where its API is"),
        (Said("github"), "/srv/docs.git", "which repository"),
        (Said("github", "docs"), "", "which repository"),
        (Said("github", "a/../b"), "", "which repository"),
        (Said("github", "a/b?x"), "", "which repository"),
        (Said("sourcehut", "a/b"), "https://sr.ht/a/b", "no host"),
    ],
)
def test_what_cannot_be_told_is_an_error_with_what_to_type(said: Said, remote: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        open_forge(said, {"GITHUB_TOKEN": "x", "GITLAB_TOKEN": "x"}, remote_url=remote)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("kind", "environ", "hint"),
    [
        ("github", {}, "GITHUB_TOKEN"),
        ("github", ACTIONS, "github.token"),
        ("gitea", {"GITHUB_TOKEN": "x"}, "GITEA_TOKEN"),
    ],
)
def test_a_missing_token_is_named_with_what_to_do(kind: str, environ: Mapping[str, str], hint: str) -> None:
    with pytest.raises(ConfigError, match="is not set") as caught:
        open_forge(Said(kind, "a/b"), environ, remote_url="https://h.org/a/b")
    assert hint in caught.value.hint


@pytest.mark.parametrize("environ", [{}, {**PIPELINE, "CI_JOB_TOKEN": "job-secret", "GITLAB_TOKEN": " "}])
def test_gitlab_without_a_token_is_told_by_pushes_alone(environ: Mapping[str, str]) -> None:
    """Neither the API nor the repository's name has to be known for that."""
    forge = open_forge(Said("gitlab"), environ, remote_url="/srv/docs.git")
    assert (forge.kind, forge.answers) == ("gitlab", False)
    assert open_forge(Said("gitlab", "a/b"), {**PIPELINE, "GITLAB_TOKEN": "x"}).answers
    for other in (forge, open_forge(Said("none"), environ)):
        made = other.create(branch="okf/sync/docs", base="main", title="t", body="b")
        assert (made.number, made.url, other.reviews("okf/sync/docs")) == (0, "", ())


@pytest.mark.parametrize("kind", ["github", "gitlab", "gitea", "none"])
def test_each_host_is_opened_without_asking_it_anything(kind: str) -> None:
    environ = dict.fromkeys(hosts.TOKENS.values(), f"{TOKEN}\n")
    forge = open_forge(Said(kind, "a/b"), environ, remote_url="https://127.0.0.1:9/a/b")
    assert forge.kind == kind
    assert forge.limits.body >= 65_536


def test_without_a_host_the_branch_is_the_review() -> None:
    forge = open_forge(Said("none"), {}, remote_url="https://x:secret@h.org/a/b.git")
    assert forge.repository().id == "https://h.org/a/b.git"
    review = forge.create(branch="okf/sync/docs", base="main", title="t", body="b")
    assert (review.number, review.stage) == (0, Stage.OPEN)
    assert forge.update(review, title="u", body="c") == forge.close(review, comment="c") == review
    assert (forge.reviews("okf/sync/docs"), forge.commits(review), forge.hints(review)) == ((), (), ())
    issue = forge.open_issue(title="t", body="b", label="l")
    assert forge.update_issue(issue, title="u", body="c") == forge.close_issue(issue, comment="c") == issue
    assert forge.issues("l") == ()
    assert forge.file_url("b", "p") == ""
    forge.disconnect()


# --- GitLab ---


def test_push_options_arrive_as_they_were_meant(hub: Hub, tmp_path: Path) -> None:
    options = gitlab_push.push_options(
        base="main",
        title="sync: +1 -0 =0 (docs)\n@x",
        labels=["okf-sync", "a\nb"],
        description="one\ntwo \\n \\u three",
    )
    hook = hub.repo / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION_ | sort > {tmp_path}/options\n")
    hook.chmod(0o755)
    hub.git("config", "receive.advertisePushOptions", "true")
    pushed = [f"--push-option={option}" for option in options]
    hub.git("push", *pushed, str(hub.repo), "refs/heads/main:refs/heads/okf/sync/docs")
    assert (tmp_path / "options").read_text().splitlines() == [
        "GIT_PUSH_OPTION_0=merge_request.create",
        "GIT_PUSH_OPTION_1=merge_request.target=main",
        "GIT_PUSH_OPTION_2=merge_request.title=sync: +1 -0 =0 (docs) @x",
        "GIT_PUSH_OPTION_3=merge_request.description=one\\ntwo &#x5C;n \\u three",
        "GIT_PUSH_OPTION_4=merge_request.remove_source_branch",
        "GIT_PUSH_OPTION_5=merge_request.label=okf-sync",
        "GIT_PUSH_OPTION_6=merge_request.label=a b",
        "GIT_PUSH_OPTION_COUNT=7",
    ]


SAID = """\
To https://gl.org/a/b.git
remote:
remote: To create a merge request for okf/state, visit:
remote:   https://gl.org/a/b/-/merge_requests/new?merge_request%5Bsource_branch%5D=okf%2Fstate
remote:
remote: View merge request for okf/sync/docs:        \n\
remote:   https://gl.org/a/b/-/merge_requests/7        \n\
remote:
remote: View merge request for okf/sync/blog:
remote:   https://gl.org/a/b/-/merge_requests/8
"""
WRONG = f"""\
remote: {"=" * 72}
remote:
remote:        WARNINGS: Error encountered with push options
remote:  'merge_request.create' 'merge_request.title=it's: a': Target
remote:             branch a/b:trunk does not exist
remote:
remote: {"=" * 72}
remote: View merge request for okf/sync/docs:
"""


def test_the_merge_request_of_a_push_is_read_from_what_the_remote_says() -> None:
    assert gitlab_push.merge_request_url(SAID, "okf/sync/docs") == "https://gl.org/a/b/-/merge_requests/7"
    assert gitlab_push.merge_request_url(SAID, "okf/sync/blog") == "https://gl.org/a/b/-/merge_requests/8"
    assert gitlab_push.merge_request_url(SAID, "okf/state") == ""
    assert gitlab_push.merge_request_url(SAID, "okf.sync.docs") == ""
    assert gitlab_push.merge_request_url(WRONG, "okf/sync/docs") == ""


def test_what_was_wrong_with_push_options_is_read_however_its_lines_are_broken() -> None:
    assert gitlab_push.complaint(WRONG) == "Target branch a/b:trunk does not exist"
    assert gitlab_push.complaint(SAID) == ""


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (limited(retry_after=20), 20),
        (limited(reset=int(datetime(2026, 3, 1, 0, 2, tzinfo=UTC).timestamp())), 121),
        (limited(), 60),
    ],
)
def test_pr_05_gitlab_says_in_two_ways_when(hub: Hub, waiting: Waiting, reply: Reply, seconds: float) -> None:
    with serving(GitLabApi(hub)) as server:
        hub.fault("GET", "*", reply)
        forge = gitlab.GitLab(gitlab.connect(server.url + API_PREFIX, TOKEN, waiting.effects), "acme/docs")
        assert forge.repository().name == "acme/docs"
        forge.disconnect()
    assert waiting.slept == seconds


def test_a_merge_request_whose_branch_is_gone_is_still_open(hub: Hub, waiting: Waiting) -> None:
    with serving(GitLabApi(hub)) as server:
        forge = gitlab.GitLab(gitlab.connect(server.url + API_PREFIX, TOKEN, waiting.effects), "acme/docs")
        hub.git("update-ref", "refs/heads/okf/sync/docs", str(hub.branch("main")))
        hub.edit("okf/sync/docs", {"a": "b"})
        forge.create(branch="okf/sync/docs", base="main", title="t", body="b")
        hub.git("update-ref", "-d", "refs/heads/okf/sync/docs")
        assert [review.stage for review in forge.reviews("okf/sync/docs")] == [Stage.OPEN]
        hub.pulls[1].stage = "locked"
        assert [review.stage for review in forge.reviews("okf/sync/docs")] == [Stage.OPEN]
        forge.disconnect()
