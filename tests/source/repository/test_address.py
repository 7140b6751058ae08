"""Which addresses are read, and which never reach git."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_okf.errors import ConfigError
from git_okf.source.repository.address import parse, same_repository

ROOT = Path("/srv/knowledge")


@pytest.mark.parametrize(
    ("said", "protocol", "host", "name"),
    [
        ("https://github.com/acme/skills.git", "https", "github.com", "acme/skills"),
        ("https://GitHub.com/Acme/Skills/", "https", "github.com", "Acme/Skills"),
        ("https://git.example.org:8443/a/b/c.git", "https", "git.example.org", "a/b/c"),
        ("ssh://git@host.example:2222/acme/skills.git", "ssh", "host.example", "acme/skills"),
        ("git@github.com:acme/skills.git", "ssh", "github.com", "acme/skills"),
        ("host.example:skills.git", "ssh", "host.example", "skills"),
        ("git@[::1]:skills", "ssh", "::1", "skills"),
        ("http://127.0.0.1:8080/acme/skills.git", "http", "127.0.0.1", "acme/skills"),
        ("http://[::1]/acme/skills", "http", "::1", "acme/skills"),
        ("http://localhost/acme/skills", "http", "localhost", "acme/skills"),
    ],
)
def test_https_ssh_and_http_on_loopback_are_read(said: str, protocol: str, host: str, name: str) -> None:
    found = parse(said, ROOT)
    assert (found.protocol, found.host, found.name) == (protocol, host, name)
    assert found.url == found.shown == said


@pytest.mark.parametrize(
    ("said", "url", "name"),
    [
        ("../handbook.git", "/srv/knowledge/../handbook.git", "handbook"),
        ("handbook", "/srv/knowledge/handbook", "handbook"),
        ("/srv/git/handbook.git", "/srv/git/handbook.git", "handbook"),
        ("./odd:name", "/srv/knowledge/odd:name", "odd:name"),
    ],
)
def test_a_path_begins_at_the_repository(said: str, url: str, name: str) -> None:
    found = parse(said, ROOT)
    assert (found.url, found.protocol, found.name, found.shown) == (url, "file", name, said)
    assert found.allowed == {"file"}


@pytest.mark.parametrize(
    "said",
    [
        "",
        " https://github.com/a/b",
        "-uevil",
        "--upload-pack=touch /tmp/x",
        "ext::sh -c touch% /tmp/x",
        "fd::17",
        "git://github.com/a/b",
        "http://github.com/a/b",
        "http://127.0.0.1.example.org/a/b",
        "ftp://host/a/b",
        "file:///srv/git/a.git",
        "ssh://-oProxyCommand=evil/a",
        "ssh://-evil@host/a",
        "-oProxyCommand=evil:a",
        "https://github.com",
        "https:///a/b",
        "https://github.com/a/b?x=y",
        "https://github.com/a/b#main",
        "https://host:port/a",
        "https://github.com/a\nb",
        "https://[::1/a",
        "https://host\\evil/a",
    ],
)
def test_nothing_else_is(said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(said, ROOT)
    assert caught.value.hint


@pytest.mark.parametrize(
    "said", ["https://user:s3cret@github.com/a/b", "https://s3cret@host/a", "ssh://git:s3cret@host/a"]
)
def test_credentials_in_an_address_are_refused_and_not_repeated(said: str) -> None:
    with pytest.raises(ConfigError, match="user name or password") as caught:
        parse(said, ROOT)
    assert "s3cret" not in caught.value.message + caught.value.hint


def test_https_and_ssh_may_be_rewritten_into_each_other_and_nothing_else() -> None:
    assert parse("https://github.com/a/b", ROOT).allowed == {"https", "ssh"}
    assert parse("git@github.com:a/b", ROOT).allowed == {"https", "ssh"}
    assert parse("http://127.0.0.1/a/b", ROOT).allowed == {"http"}


def test_one_repository_has_many_addresses() -> None:
    one = parse("https://github.com/acme/Skills.git", ROOT)
    assert same_repository(one, parse("git@github.com:acme/skills", ROOT))
    assert not same_repository(one, parse("https://gitlab.com/acme/skills", ROOT))
    assert not same_repository(parse("../one/docs", ROOT), parse("../two/docs", ROOT))
