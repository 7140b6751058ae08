"""What a repository is, whatever it is called."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from forges.server import Reply, Request, Server, serving

from git_okf.jsonapi import Effects
from git_okf.source.repository.address import parse
from git_okf.source.repository.github import api_of
from git_okf.source.repository.identity import AnotherRepository, Identity, address_identity, identity

ADDRESS = parse("https://code.example.org/acme/skills.git", Path("/"))


def effects() -> Effects:
    return Effects(clock=lambda: datetime(2026, 3, 4, tzinfo=UTC), sleep=lambda seconds: None)


def asked(handle: Callable[[Request], Reply], known: str = "", token: str = "") -> tuple[Identity, Server]:
    with serving(handle) as server:
        environ = {"GITHUB_SERVER_URL": "https://code.example.org", "GITHUB_API_URL": server.url, "GITHUB_TOKEN": token}
        return identity(ADDRESS, environ, known, effects=effects()), server


def repository(number: int = 1296269, name: str = "acme/skills") -> Reply:
    return Reply(data={"id": number, "full_name": name})


def test_the_hosts_own_id_is_the_identity() -> None:
    found, server = asked(lambda request: repository(), token="s3cret-token")
    assert found == Identity(id="code.example.org#1296269", name="acme/skills", certain=True)
    assert [request.path for request in server.log] == ["/repos/acme/skills"]
    assert server.log[0].headers["authorization"] == "Bearer s3cret-token"
    assert server.log[0].headers["x-github-api-version"]


def test_without_a_token_none_is_sent() -> None:
    _, server = asked(lambda request: repository())
    assert "authorization" not in server.log[0].headers


def test_a_renamed_or_transferred_repository_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(request: Request) -> Reply:
        if request.path == "/repos/acme/skills":
            return Reply(
                status=301, headers={"Location": "/repositories/1296269"}, data={"message": "Moved Permanently"}
            )
        return repository(name="umbrella/tools")

    found, server = asked(handle, known="code.example.org#1296269")
    assert (found.id, found.name, found.certain) == ("code.example.org#1296269", "umbrella/tools", True)
    assert found.notice.startswith("acme/skills is called umbrella/tools now")
    assert [request.path for request in server.log] == ["/repos/acme/skills", "/repositories/1296269"]


def test_a_new_repository_under_an_old_name_is_another_one() -> None:
    with pytest.raises(
        AnotherRepository, match=r"code\.example\.org#7, not code\.example\.org#1296269.*kept"
    ) as caught:
        asked(lambda request: repository(number=7), known="code.example.org#1296269")
    assert "git okf remove" in caught.value.hint


def test_an_address_that_stood_for_the_id_gives_way_to_it() -> None:
    found, _ = asked(lambda request: repository(), known=address_identity(ADDRESS))
    assert (found.id, found.certain) == ("code.example.org#1296269", True)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=404, data={"message": "Not Found"}),
        Reply(status=403, data={"message": "API rate limit exceeded"}, headers={"X-RateLimit-Remaining": "0"}),
        Reply(status=403, data={"message": "secondary rate limit"}, headers={"Retry-After": "600"}),
        Reply(status=429, data={"message": "slow down"}),
        Reply(status=500, data={}),
        Reply(data=["not", "a", "repository"]),
        Reply(data={"id": "1", "full_name": 5}),
        Reply(body=b"<html>"),
        Reply(drop=True),
    ],
)
def test_a_host_that_does_not_tell_leaves_what_is_known(reply: Reply) -> None:
    for known in ("", "code.example.org#1296269"):
        found, _ = asked(lambda request: reply, known=known)
        assert (found.id, found.certain) == (known or "https://code.example.org/acme/skills", False)


def test_other_hosts_are_not_asked() -> None:
    for said in ("https://gitlab.com/acme/skills", "https://github.com/only-one-part", "../skills.git"):
        address = parse(said, Path("/"))
        found = identity(address, {}, effects=effects())
        assert (found.id, found.certain) == (address_identity(address), False)


def test_one_address_stands_for_each_spelling() -> None:
    one = address_identity(parse("https://gitlab.com/acme/skills.git", Path("/")))
    assert one == address_identity(parse("git@GitLab.com:acme/skills", Path("/"))) == "https://gitlab.com/acme/skills"
    assert address_identity(parse("../skills.git", Path("/srv"))) == "../skills.git"


def test_a_token_goes_to_its_own_host_alone() -> None:
    token = {"GITHUB_TOKEN": "s3cret-token"}
    there = {
        **token,
        "GITHUB_SERVER_URL": "https://ghe.example.org",
        "GITHUB_API_URL": "https://ghe.example.org/api/v3",
    }
    assert api_of("github.com", token) == ("https://api.github.com", "s3cret-token")
    assert api_of("github.com", there) == ("https://api.github.com", "")
    assert api_of("ghe.example.org", there) == ("https://ghe.example.org/api/v3", "s3cret-token")
    assert api_of("evil.example.org", there) is None
    assert api_of("github.com", {**there, "GITEA_ACTIONS": "true"}) == ("https://api.github.com", "")
    assert api_of("ghe.example.org", {**there, "GITEA_ACTIONS": "true"}) is None
