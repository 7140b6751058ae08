"""Which URLs belong to a source, and by which rule."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web.scope import Scope, asset_extension

SEED = "https://docs.example.com/guide/intro.html"


def scope(url: str = SEED, **options: Any) -> Scope:
    return Scope.of(WebSource(name="docs", url=url, bundle="docs", **options))


def decision(made: Scope, path: str) -> tuple[bool, str]:
    decided = made.decide(f"https://docs.example.com{path}")
    return decided.accepted, decided.rule


@pytest.mark.parametrize(
    ("seed", "prefix"),
    [
        ("https://d.example/", "/"),
        ("https://d.example", "/"),
        ("https://d.example/guide/", "/guide/"),
        ("https://d.example/guide/intro.html", "/guide/"),
        ("https://d.example/index.html?v=1#x", "/"),
        ("https://d.example/guide", "/guide"),
        ("https://d.example/docs/v1.2", "/docs/v1.2"),
        ("https://d.example/a/./b/../%7Eme/", "/a/~me/"),
    ],
)
def test_prefix_is_the_directory_of_the_seed(seed: str, prefix: str) -> None:
    assert scope(seed).prefix == prefix


def test_prefix_never_cuts_a_segment() -> None:
    for made in (scope("https://docs.example.com/guide"), scope(path_prefix="/guide/"), scope(path_prefix="/guide")):
        assert [
            made.within_prefix(p) for p in ("/guide", "/guide/", "/guide/a/b", "/guidebook", "/guide.html", "/")
        ] == [
            True,
            True,
            True,
            False,
            False,
            False,
        ]
    assert scope(path_prefix="/").within_prefix("/anything")


def test_rules_are_named() -> None:
    made = scope(include=("/guide/api/**",), exclude=("**/api/internal/**",))
    assert decision(made, "/guide/intro.html") == (True, "it is the start URL")
    assert decision(made, "/guide/api/a") == (True, "include pattern '/guide/api/**' matches")
    assert decision(made, "/guide/api/internal/a") == (False, "exclude pattern '**/api/internal/**' matches")
    assert decision(made, "/guide/other") == (False, "no include pattern matches")
    assert decision(made, "/guide/api/a.PNG") == (False, "a .png file is no page")
    assert decision(made, "/blog/") == (False, "path is outside the prefix /guide/")
    assert made.decide("https://evil.example/guide/").rule == "host evil.example is not the source's (docs.example.com)"
    assert made.decide("https://docs.example.com:8443/guide/").accepted is False
    assert made.decide("mailto:x").accepted is False
    assert decision(scope(), "/guide/x") == (True, "same host, path inside the prefix /guide/")
    assert decision(scope("https://docs.example.com/"), "/x") == (True, "same host")


def test_url_12_exclude_wins_over_include_and_over_the_start_url() -> None:
    made = scope(include=("/guide/**",), exclude=("/guide/intro*",))
    assert decision(made, "/guide/intro.html") == (False, "exclude pattern '/guide/intro*' matches")
    assert decision(made, "/guide/other")[0] is True


def test_url_12_query_is_part_of_what_is_matched() -> None:
    made = scope(exclude=("/guide/**?*print=1*",))
    assert decision(made, "/guide/a?x=2&print=1")[0] is False
    assert decision(made, "/guide/a")[0] is True


def test_url_12_patterns_that_never_matched_are_told() -> None:
    made = scope(include=("/guide/a*", "/guide/zz*"), exclude=("https://other.example/**", "**/b", "/guide/c"))
    met = ["https://docs.example.com/guide/a1", "https://docs.example.com/x/b", "https://evil.example/guide/c", "odd"]
    assert made.unmatched(met) == ("/guide/zz*", "https://other.example/**", "/guide/c")
    assert made.unmatched([]) == (*made_texts(made.include), *made_texts(made.exclude))


def made_texts(patterns: Any) -> tuple[str, ...]:
    return tuple(p.text for p in patterns)


def test_invalid_pattern_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match=r"guide/\*\*"):
        scope(exclude=("guide/**",))


def test_alias_is_mapped_to_the_own_host() -> None:
    made = scope("http://127.0.0.1:8080/docs/", host_alias=("www.example.com", "https://docs.example.org"))
    for given in ("https://www.example.com/docs/%7ea?x=1#f", "http://docs.example.org/docs/%7ea?x=1"):
        assert made.request(given, "") == "http://127.0.0.1:8080/docs/%7ea?x=1"
        assert made.key(given, "") == "http://127.0.0.1:8080/docs/~a?x=1"
        assert made.owns(given)
    assert not made.owns("https://www.example.com:8443/docs/a")
    assert not made.owns("https://example.com/docs/a")
    assert not made.owns("http://127.0.0.1:80801/docs/a")


def test_other_scheme_of_the_own_host_is_the_own_host() -> None:
    assert scope().key("http://docs.example.com/guide/a", SEED) == "https://docs.example.com/guide/a"
    made = scope("https://docs.example.com:8443/")
    assert made.key("http://docs.example.com:8443/a", SEED) == "http://docs.example.com:8443/a"


def test_pattern_may_name_an_alias() -> None:
    made = scope("http://127.0.0.1:8080/", host_alias=("www.example.com",), exclude=("https://www.example.com/old/**",))
    assert made.decide("http://127.0.0.1:8080/old/a").accepted is False


def test_stripped_parameters_name_no_other_page_but_are_requested() -> None:
    made = scope(strip_query=("utm_*", "ref"))
    assert made.key("a?utm_source=x&id=1&ref=2&utm_b", SEED) == "https://docs.example.com/guide/a?id=1"
    assert made.key("a?utm_source=x", SEED) == "https://docs.example.com/guide/a"
    assert made.key("a?reference=1", SEED) == "https://docs.example.com/guide/a?reference=1"
    assert made.request("a?utm_source=x", SEED) == "https://docs.example.com/guide/a?utm_source=x"


def test_start_is_known_without_its_stripped_parameters() -> None:
    made = scope("https://docs.example.com/guide/?utm_source=mail", strip_query=("utm_*",), include=("/guide/api/**",))
    assert made.start == "https://docs.example.com/guide/"
    assert made.decide(made.start).accepted


def test_url_05_scope_is_decided_after_resolution() -> None:
    made = scope()
    assert made.owns("https://docs.example.com/guide/../guide/x")
    assert not made.owns("https://docs.example.com/guide/../blog/x")
    assert made.key("//evil.example/guide/x", SEED) == "https://evil.example/guide/x"
    assert made.key("\\\\evil.example\\guide\\x", SEED) == "https://evil.example/guide/x"
    assert made.key("mailto:x", SEED) is None
    assert not made.owns("javascript:x")


@pytest.mark.parametrize(
    "path", ["/numpy.dot", "/Array.map", "/java.lang.Class", "/v1.2", "/a.html", "/.png", "/png", "/"]
)
def test_names_with_dots_are_no_files(path: str) -> None:
    assert asset_extension(path) == ""


def test_scope_is_the_same_in_another_process() -> None:
    made = scope(include=("/guide/**",), exclude=("**/x*",), strip_query=("utm_*",), host_alias=("www.example.com",))
    copied = pickle.loads(pickle.dumps(made.owns))
    assert copied("https://www.example.com/guide/a")
    assert not copied("https://www.example.com/guide/x1")


def test_alias_that_is_no_host_is_an_error() -> None:
    for bad in ("www.example.com/docs", "exa mple", "https://"):
        with pytest.raises(ConfigError, match="host_alias"):
            scope(host_alias=(bad,))
