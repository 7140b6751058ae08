"""The pattern language of include and exclude."""

from __future__ import annotations

import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.errors import ConfigError
from git_okf.source.web.pattern import check, parse

SITE = "https://docs.example.com"


def matches(pattern: str, url: str) -> bool:
    parsed = parse(pattern)
    return parsed.matches(url.removeprefix(SITE) if parsed.on_path else url)


URLS = (
    "/",
    "/guide",
    "/guide/",
    "/guide/intro",
    "/guide/a/b",
    "/guide/intro?lang=de",
    "/guidebook/x",
    "/v1/guide/",
    "/v10/guide/",
    "/v1.2/guide/x.html",
    "/Guide/intro",
    "/changelog-2024/",
)
TABLE = {
    #                                     /  guide  guide/ intro a/b ?lang book v1 v10 v1.2 Guide change
    "/guide/**": (0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0),
    "/guide/*": (0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0),
    "/v?/**": (0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0),
    "/v[0-9]*/**/*": (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0),
    "**?lang=*": (0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0),
    "https://docs.example.com/[!g]*/**": (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1),
}


@pytest.mark.parametrize("pattern", TABLE)
def test_url_12_table_of_urls_and_patterns(pattern: str) -> None:
    assert [int(matches(pattern, SITE + path)) for path in URLS] == list(TABLE[pattern])


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/a/**/b", "/a/b", True),
        ("/a/**/b", "/a/x/y/b", True),
        ("/a/**/b", "/a/xb", False),
        ("/**/b", "/b", True),
        ("/**/**/b", "/b", True),
        ("/**/**/b", "/x/y/b", True),
        ("/a/**", "/a", False),
        ("/a**z", "/abc/xyz", True),
        ("/a***z", "/abc/xyz", True),
        ("/a*z", "/abc/xyz", False),
        ("/a*", "/a", True),
        ("/?", "/", False),
        ("/?", "//", False),
        ("/x?y", "/x?y", True),
        ("/[a-c]", "/b", True),
        ("/[a-c]", "/d", False),
        ("/[^a-c]", "/d", True),
        ("/[]]", "/]", True),
        ("/[*]", "/*", True),
        ("/[*]", "/a", False),
        ("/[!x]y", "//y", False),
        ("/[a-]", "/-", True),
        ("/é/*", "/%C3%A9/x", True),
        ("/%c3%a9/*", "/%C3%A9/x", True),
        ("/a b", "/a%20b", True),
        ("/a.b", "/axb", False),
        ("/(a|b)+$", "/(a|b)+$", True),
        ("HTTPS://Docs.Example.com/A", "/A", True),
        ("HTTPS://Docs.Example.com/A", "/a", False),
        ("https://*.example.com/**", "/a/b", True),
        ("https://*.example.com/**", "/", True),
        ("**/a", "/x/a", True),
        ("**", "/x/a?b", True),
    ],
)
def test_language(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, SITE + path) is expected


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("guide/**", "begins with neither"),
        ("*.pdf", "begins with neither"),
        ("", "begins with neither"),
        ("ftp://x/**", "begins with neither"),
        ("/a[bc", "has no `]`"),
        ("/a[]", "has no `]`"),
        ("/[z-a]", "range z-a is empty"),
        ("/[é]", "single ASCII"),
        ("/[a/b]", "single ASCII"),
        ("/a#b", "fragment"),
        ("/a\\*", "backslash"),
        ("/a\nb", "control character"),
        ("/" + "a" * 1000, "longer than 1000"),
    ],
)
def test_url_12_invalid_pattern_is_an_error(pattern: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named) as raised:
        check(pattern)
    assert raised.value.hint


def test_check_accepts_what_parse_accepts() -> None:
    check("/guide/**")


def test_pattern_survives_pickling() -> None:
    parsed = parse("/a/**/[bc]*")
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert hash(parsed) == hash(parse("/a/**/[bc]*"))


@pytest.mark.parametrize(
    "pattern", ["**/**/**/**/x*x*x*", "/" + "*a" * 200 + "b", "/" + "**a" * 200 + "b", "/" + "[ax]*" * 150]
)
def test_sec_11_matching_is_linear(pattern: str) -> None:
    texts = [SITE + "/" + "a/x" * n for n in (1000, 2000)] + [SITE + "/" + "xa" * 4000]
    started = time.process_time()
    for text in texts:
        matches(pattern, text)
    assert time.process_time() - started < 1


def reference(pattern: str, text: str) -> bool:
    """The language by its words, one choice after the other; no set, no care for time."""
    if not pattern:
        return not text
    if pattern.startswith("/**/") and reference(pattern[3:], text):
        return True
    if pattern.startswith("**"):
        return any(reference(pattern[2:], text[i:]) for i in range(len(text) + 1))
    if pattern[0] == "*":
        run = text.partition("/")[0]
        return any(reference(pattern[1:], text[i:]) for i in range(len(run) + 1))
    if not text:
        return False
    return (text[0] != "/" if pattern[0] == "?" else text[0] == pattern[0]) and reference(pattern[1:], text[1:])


@settings(max_examples=2000, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "**", "/**/", "?"]), max_size=7).map("".join),
    st.text("ab/", max_size=9),
)
def test_matcher_agrees_with_reference(pattern: str, text: str) -> None:
    plain = re.sub(r"\*{2,}", "**", "/" + pattern)
    assert parse("/" + pattern).matches("/" + text) == reference(plain, "/" + text)
