"""Where people see a file at a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_okf.source.repository.address import parse
from git_okf.source.repository.links import Forge, forge_of, home, permalink

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("url", "file", "folder"),
    [
        ("https://github.com/acme/skills.git", "blob/{}/a b/é.md", "tree/{}/a b/é.md"),
        ("git@github.com:acme/skills.git", "blob/{}/a b/é.md", "tree/{}/a b/é.md"),
        ("https://gitlab.com/acme/skills", "-/blob/{}/a b/é.md", "-/tree/{}/a b/é.md"),
        ("https://codeberg.org/acme/skills.git", "src/commit/{}/a b/é.md", "src/commit/{}/a b/é.md"),
        ("https://gitea.example.org/acme/skills.git", "src/commit/{}/a b/é.md", "src/commit/{}/a b/é.md"),
        ("https://bitbucket.org/acme/skills.git", "src/{}/a b/é.md", "src/{}/a b/é.md"),
    ],
)
def test_each_host_has_its_form(url: str, file: str, folder: str) -> None:
    address = parse(url, Path("/"))
    base = f"https://{address.host}/acme/skills/"

    def written(form: str) -> str:
        return base + form.format(COMMIT).replace(" ", "%20").replace("é", "%C3%A9")

    assert permalink(address, COMMIT, "a b/é.md") == written(file)
    assert permalink(address, COMMIT, "a b/é.md", folder=True) == written(folder)


def test_names_are_quoted_byte_for_byte() -> None:
    address = parse("https://github.com/acme/skills", Path("/"))
    assert permalink(address, COMMIT, "x#y?\udce9%2F.md").endswith("/x%23y%3F%E9%252F.md")
    assert permalink(address, COMMIT, "") == f"https://github.com/acme/skills/tree/{COMMIT}"


@pytest.mark.parametrize("url", ["https://git.example.org/acme/skills", "git@localhost:x/y", "../skills.git"])
def test_of_an_unknown_host_no_link_is_made_up(url: str) -> None:
    assert permalink(parse(url, Path("/")), COMMIT, "a.md") == ""


def test_the_page_of_a_repository_is_its_address_without_a_user() -> None:
    root = Path("/")
    assert home(parse("ssh://git@host.example:2222/acme/skills.git", root)) == "https://host.example/acme/skills"
    assert home(parse("https://host.example:8443/a/b/c.git", root)) == "https://host.example:8443/a/b/c"
    assert home(parse("../skills.git", root)) == ""


def test_what_ci_runs_on_is_known_from_ci() -> None:
    github = {"GITHUB_SERVER_URL": "https://code.example.org"}
    assert forge_of("code.example.org", github) is Forge.GITHUB
    assert forge_of("code.example.org", {**github, "GITEA_ACTIONS": "true"}) is Forge.GITEA
    assert forge_of("code.example.org", {"CI_SERVER_URL": "https://code.example.org"}) is Forge.GITLAB
    assert forge_of("other.example.org", github) is None
    assert forge_of("github") is None
