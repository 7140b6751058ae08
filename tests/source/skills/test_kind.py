"""What a repository of skills answers as a kind of source, and what it remembers of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.bundle.paths import place
from git_okf.config import SkillsSource
from git_okf.errors import ConfigError
from git_okf.model import Record
from git_okf.source.skills import kind, marketplace, remembered
from git_okf.source.skills.remembered import Conclusion, Remembered, Result


def source(**options: Any) -> SkillsSource:
    return SkillsSource(name="skills", url="https://github.com/acme/skills.git", bundle="okf/skills", **options)


@pytest.mark.parametrize("options", [{"paths": ("../x",)}, {"ignore_paths": ("/abs",)}])
def test_a_pattern_that_cannot_be_used_is_an_error_of_the_configuration(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        kind.check(source(**options))
    kind.check(source(paths=("skills/*",)))


@pytest.mark.parametrize(
    ("address", "accepted", "rule", "path"),
    [
        ("skills/pdf", True, "paths: skills/*", "pages/pdf.md"),
        ("./skills/pdf/", True, "paths: skills/*", "pages/pdf.md"),
        ("skills/pdf/SKILL.md", True, "paths: skills/*", "pages/pdf.md"),
        ("skills/known", True, "paths: skills/*", "pages/known~1.md"),
        ("skills/old", False, "ignore_paths: skills/old", ""),
        ("other/pdf", False, "paths: none of skills/* means it", ""),
        ("SKILL.md", False, "paths: none of skills/* means it", ""),
    ],
)
def test_it_is_explained_whether_a_package_would_be_taken(address: str, accepted: bool, rule: str, path: str) -> None:
    known = {"skills/known": Record(key="skills/known", path="pages/known~1.md")}
    said = kind.explain(source(paths=("skills/*",), ignore_paths=("skills/old",)), known, address, place)
    assert (said["accepted"], said["rule"], said["path"]) == (accepted, rule, path)


def test_what_is_known_of_a_package_is_told() -> None:
    records = {
        "a": Record(key="a"),
        "b": Record(key="b", missing_since="2026-11-30T00:00:00+00:00", failure="x"),
        "c": Record(key="c", failure="SKILL.md is a symbolic link"),
    }
    said = {key: kind.explain(source(), records, key, place)["known"] for key in "abcd"}
    assert said == {
        "a": "taken",
        "b": "withdrawn: not in the repository since 2026-11-30T00:00:00+00:00",
        "c": "SKILL.md is a symbolic link",
        "d": "",
    }


def test_what_is_no_directory_of_a_repository_cannot_be_explained() -> None:
    with pytest.raises(ConfigError):
        kind.explain(source(), {}, "../x", place)


def test_any_concept_below_pages_may_stand_for_a_package() -> None:
    assert kind.may_hold(source(), "pages/a/b.md")
    assert not kind.may_hold(source(), "index.md")


# --- what is remembered ---

_TEXT = st.text(max_size=10)
_REMEMBERED = st.builds(
    Remembered,
    **dict.fromkeys(
        ("url", "identity", "ref", "last_observed", "last_fully_processed", "revision", "rules", "offer"), _TEXT
    ),
    not_taken=st.dictionaries(
        _TEXT, st.builds(Conclusion, result=st.sampled_from(Result), listing=_TEXT, reason=_TEXT), max_size=3
    ),
    rejected=st.dictionaries(_TEXT, st.lists(_TEXT, min_size=1, max_size=2).map(tuple), max_size=2),
)


@given(_REMEMBERED)
def test_what_is_remembered_is_read_back(facts: Remembered) -> None:
    assert remembered.read(json.loads(json.dumps(remembered.told(facts)))) == facts


@given(
    st.recursive(
        st.none() | st.integers() | _TEXT, lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner), max_leaves=5
    )
)
def test_what_cannot_be_read_counts_as_not_known(junk: Any) -> None:
    keys = ("url", "revision", "not_taken", "rejected", "offer")
    read = remembered.read(dict.fromkeys(keys, junk))
    assert isinstance(read, Remembered)
    assert not read.settled or isinstance(junk, str)


# --- the marketplace ---


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ('{"plugins": [{"source": "./", "skills": ["./skills/a", "./b/"]}]}', ("b", "skills/a")),
        ('{"plugins": [{"source": "./p", "skills": ["./skills/a"]}, {"skills": ["./"]}]}', (".", "p/skills/a")),
        ('{"plugins": [{"source": {"repo": "x"}, "skills": ["a"]}]}', ()),
        ('{"plugins": [{"skills": ["../../etc", "/abs", 5]}, 7]}', ()),
        ('{"plugins": 5}', ()),
        ("[]", ()),
        ("no JSON", ()),
        ("[" * 100_000, ()),
    ],
)
def test_a_marketplace_names_package_directories(text: str, offered: tuple[str, ...]) -> None:
    assert marketplace.offered(text.encode()) == offered


def test_what_a_marketplace_names_and_the_tree_has_not_is_told() -> None:
    offer = b'{"plugins": [{"skills": ["./skills/a", "./skills/b"]}]}'
    assert marketplace.notices(offer, {"skills/a"}) == (
        ".claude-plugin/marketplace.json names what has no SKILL.md: skills/b",
    )
    assert marketplace.notices(offer, {"skills/a", "skills/b"}) == ()
