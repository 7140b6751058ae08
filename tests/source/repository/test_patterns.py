"""The patterns of `paths` and `ignore_paths`."""

from __future__ import annotations

import pytest

from git_okf.errors import ConfigError
from git_okf.source.repository.pattern import common_prefix, parse


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("skills/*", ["skills/pdf", "skills/.x"], ["skills", "skills/a/b", "other/pdf", "."]),
        ("./skills/*/", ["skills/pdf"], ["skills"]),
        ("skills", ["skills", "skills/pdf", "skills/a/b"], ["skills2", "."]),
        ("plugins/*/skills/*", ["plugins/a/skills/b"], ["plugins/skills/b", "plugins/a/b/skills/c"]),
        ("**/skills/*", ["skills/a", "x/skills/a", "x/y/skills/a"], ["skills", "x/skills"]),
        ("skills/**", ["skills", "skills/a", "skills/a/b"], ["other"]),
        ("**", [".", "a", "a/b"], []),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/c"], ["a/c", "a/b"]),
        ("pdf-?", ["pdf-a"], ["pdf-", "pdf-ab", "PDF-a"]),
        ("[ab]x", ["ax", "bx"], ["cx"]),
        (".", ["."], ["a"]),
    ],
)
def test_a_pattern_means_directories(pattern: str, yes: list[str], no: list[str]) -> None:
    compiled = parse(pattern)
    assert [path for path in (*yes, *no) if compiled.matches(path)] == yes


@pytest.mark.parametrize("pattern", ["", "../x", "/skills/*", "a//b", "a\\b", ".git/*"])
def test_a_pattern_that_leads_out_of_the_repository_is_an_error_of_the_configuration(pattern: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(pattern)
    assert "skills/*" in refused.value.hint


def test_many_stars_cost_no_more_than_a_few() -> None:
    assert not parse("/".join(["**", "*x*x*x*"] * 20).strip("/")).matches("/".join(["xxxx"] * 18 + ["y"]))


@pytest.mark.parametrize(
    ("patterns", "prefix"),
    [
        ([], "."),
        (["skills/*"], "skills"),
        (["skills/pdf"], "skills"),
        (["skills/*", "skills/x/*"], "skills"),
        (["a/b/*", "a/c/*"], "a"),
        (["a/*", "b/*"], "."),
        (["**/skills/*"], "."),
        (["pdf"], "."),
        (["skills/*", "."], "."),
    ],
)
def test_what_all_patterns_have_in_common_is_left_out_of_names(patterns: list[str], prefix: str) -> None:
    assert common_prefix(tuple(map(parse, patterns))) == prefix
