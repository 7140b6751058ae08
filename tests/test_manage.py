from __future__ import annotations

import stat
from pathlib import Path

import pytest
from conftest import GitRepo

from git_okf import manage
from git_okf.errors import ConfigError, UsageError
from git_okf.run import World
from git_okf.store.repo import Repo

URL = "https://www.example.com/docs/"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("50m", 3000.0), ("90s", 90.0), ("2h", 7200.0), ("15", 15.0), ("1.5h", 5400.0), (" 3m ", 180.0), (None, None)],
)
def test_a_length_of_time(text: str | None, expected: float | None) -> None:
    assert manage.seconds(text) == expected


@pytest.mark.parametrize("text", ["", "m", "-3m", "3 days", "3m20s", "1e3", "٣m", "inf"])
def test_what_is_no_length_of_time(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        manage.seconds(text)
    assert refused.value.hint == "write it like 50m, 90s or 2h"


def test_guards_are_known_by_name() -> None:
    assert manage.guard_names(None) == frozenset()
    assert manage.guard_names(["lookalike", "collapse", "lookalike"]) == {"lookalike", "collapse"}
    with pytest.raises(UsageError) as refused:
        manage.guard_names(["lookalike", "colapse"])
    assert "'colapse'" in refused.value.message
    assert refused.value.hint == "guards: page-count, max-removed, lookalike, collapse"


def test_only_what_was_said_becomes_configuration() -> None:
    said = manage.web_values(max_depth=0, max_pages=None, include=[], drop=[".ad"], browser=False, robots=True)
    assert said == {"max_depth": 0, "drop": [".ad"]}
    assert manage.web_values(browser=True, robots=False, threshold=0.0) == {
        "browser": True, "robots": False, "threshold": 0.0
    }  # fmt: skip


def added(repo: GitRepo, output: str | None, name: str | None = None, url: str = URL) -> tuple[str, str]:
    """Name and bundle of a source added from the repository's root."""
    facts = manage.add(Repo.open(repo.path), repo.path, url, output, name, "web").facts
    return facts["added"], facts["bundle"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (None, ("example.com", "example.com")),
        ("docs", ("docs", "docs")),
        ("third party/Ref Docs", ("ref-docs", "third party/Ref Docs")),
        ("a/./b/../c/", ("c", "a/c")),
        ("文档", ("docs", "文档")),
        ("_x_", ("x", "_x_")),
    ],
)
def test_a_source_is_named_after_its_directory(repo: GitRepo, output: str | None, expected: tuple[str, str]) -> None:
    assert added(repo, output) == expected


def test_a_name_that_was_given_is_taken(repo: GitRepo) -> None:
    assert added(repo, "docs", "guide") == ("guide", "docs")


@pytest.mark.parametrize("url", ["https://[::1]/", "https://[fe80::1]:8080/docs/"])
def test_a_host_that_makes_no_directory_needs_an_output(repo: GitRepo, url: str) -> None:
    with pytest.raises(ConfigError):
        added(repo, None, url=url)
    assert added(repo, "docs", url=url) == ("docs", "docs")


def test_a_configuration_is_replaced_whole_and_keeps_its_mode(repo: GitRepo) -> None:
    file = repo.write(".okf.yaml", "version: 1\nsources: {}\n")
    file.chmod(0o640)
    mine = repo.write(".okf.yaml.new", "mine\n")
    added(repo, "docs")
    assert "docs" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert mine.read_text() == "mine\n"
    assert sorted(p.name for p in repo.path.iterdir()) == [".git", ".okf.yaml", ".okf.yaml.new"]


def test_a_configuration_that_cannot_be_read_is_said_in_one_sentence(repo: GitRepo) -> None:
    (repo.path / ".okf.yaml").mkdir()
    with pytest.raises(ConfigError) as refused:
        added(repo, "docs")
    assert ".okf.yaml cannot be read" in refused.value.message


def test_a_configuration_that_cannot_be_written_is_said_in_one_sentence(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repo.write(".okf.yaml", "version: 1\nsources: {}\n")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ConfigError) as refused:
        added(repo, "docs")
    assert refused.value.message == ".okf.yaml cannot be written: No space left on device; nothing was changed"
    assert file.read_text() == "version: 1\nsources: {}\n"
    assert sorted(p.name for p in repo.path.iterdir()) == [".git", ".okf.yaml"]


def test_a_byte_order_mark_in_the_configuration_does_not_matter(repo: GitRepo) -> None:
    repo.write(".okf.yaml", f"\ufeffversion: 1\nsources: {{docs: {{url: '{URL}', bundle: docs}}}}\n")
    settings = manage.read_config(Repo.open(repo.path))
    assert settings.source("docs").url == URL


def test_removing_the_last_source_leaves_a_configuration_that_can_be_read(repo: GitRepo) -> None:
    added(repo, "docs")
    handle = Repo.open(repo.path)
    manage.remove(handle, "docs", World(environ={}))
    assert manage.read_config(handle).sources == {}
    added(repo, "docs")
    assert list(manage.read_config(handle).sources) == ["docs"]


def test_removing_a_source_that_was_never_synced_makes_no_ref(repo: GitRepo, tmp_path: Path) -> None:
    added(repo, "docs")
    manage.remove(Repo.open(repo.path), "docs", World(environ={}))
    assert repo.git("for-each-ref") == ""
