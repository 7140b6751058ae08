"""What robots.txt and pages allow (RFC 9309)."""

from __future__ import annotations

import pytest

from git_okf.source.web.robots import MAX_BYTES, Robots, directives, header_directives, parse, unreachable

SITE = "https://docs.example.com"


def rules(text: str | bytes, status: int = 200, content_type: str = "text/plain") -> Robots:
    return parse(status, content_type, text.encode() if isinstance(text, str) else text)


def allowed(robots: Robots, *paths: str) -> list[bool]:
    return [robots.allowed(SITE + path) for path in paths]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("Disallow: /", "/a", True),
        ("", "/a", True),
        ("User-agent: *\nDisallow: /*.aspx", "/a.aspx", False),
        ("User-agent: *\nAllow: /docs/\nDisallow: /docs/private", "/docs/private", False),
        ("User-agent: *\nAllow: /docs/\nDisallow: /docs/private", "/docs/public", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", True),
        ("User-agent: *\nDisallow: /?q=", "/?q=1", False),
        ("User-agent: *\nDisallow: /é", "/%C3%A9", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: GIT-OKF\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/a", False),
        ("User-agent: git-okf\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/b", True),
        ("User-agent: git-okf\nDisallow: /a\n\nUser-agent: git-okf\nDisallow: /c", "/c", False),
        ("User-agent: okf\nDisallow: /", "/a", True),
        ("User-agent: otherbot\nDisallow: /", "/a", True),
        ("Crawl-delay: 1\nUser-agent: *\nDisallow: /x", "/a", True),
        ("User-agent: *  # all\nDisallow: /a # this", "/a", False),
        ("User-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("this is no robots.txt at all", "/a", True),
    ],
)
def test_url_09_rules(text: str, path: str, expected: bool) -> None:
    assert rules(text).allowed(SITE + path) is expected


def test_url_09_byte_order_mark_does_not_lose_the_first_group() -> None:
    assert not rules(b"\xef\xbb\xbfUser-agent: *\nDisallow: /").allowed(f"{SITE}/a")


@pytest.mark.parametrize("status", [500, 502, 503, 599, 429, 302, 0])
def test_url_09_unreachable_disallows_everything(status: int) -> None:
    robots = rules("User-agent: *\nAllow: /", status)
    assert str(status) in robots.unreachable
    assert allowed(robots, "/", "/a") == [False, False]


def test_unreachable_says_why() -> None:
    robots = unreachable("timeout")
    assert robots.unreachable == "timeout"
    assert not robots.allowed(f"{SITE}/")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_url_09_unavailable_allows_everything(status: int) -> None:
    robots = rules("User-agent: *\nDisallow: /", status)
    assert robots.unreachable == ""
    assert robots.allowed(f"{SITE}/a")


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        ("<!DOCTYPE html><html><body>User-agent: *\nDisallow: /\n</body>", "text/html"),
        ("\n <html>\nUser-agent: *\nDisallow: /\n", "text/plain"),
        ("<div>\nUser-agent: *\nDisallow: /\n", "text/html; charset=utf-8"),
    ],
)
def test_url_09_html_page_is_no_robots_txt(text: str, content_type: str) -> None:
    robots = rules(text, 200, content_type)
    assert robots.allowed(f"{SITE}/a")
    assert robots.notices == ("robots.txt is an HTML page: read as having no rules",)


def test_rules_labelled_as_html_are_rules() -> None:
    assert not rules("User-agent: *\nDisallow: /", 200, "text/html").allowed(f"{SITE}/a")


def test_only_the_first_500_kib_are_read_and_no_cut_line() -> None:
    head = "User-agent: *\nDisallow: /a\n" + "#" * 200 + "\n"
    filler = "# x\n" * ((MAX_BYTES - len(head) - 8) // 4)
    cut = "Disallow: /beyond"
    text = head + filler + cut
    assert len(head + filler) < MAX_BYTES < len(text)
    assert allowed(rules(text), "/a", "/beyond", "/b") == [False, True, True]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: git-okf\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 4", 4.0),
        ("User-agent: git-okf\nCrawl-delay: 1\n\nUser-agent: *\nCrawl-delay: 4", 1.0),
        ("User-agent: *\nCrawl-delay: 31", 30.0),
        ("User-agent: *\nCrawl-delay: nan", 0.0),
        ("User-agent: *\nCrawl-delay: -3", 0.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("User-agent: *\nDisallow: /x", 0.0),
    ],
)
def test_url_09_crawl_delay_is_kept_with_a_cap(text: str, seconds: float) -> None:
    robots = rules(text)
    assert robots.crawl_delay == seconds
    assert bool(robots.notices) is (seconds == 30.0)


def test_sitemaps_belong_to_no_group() -> None:
    text = "Sitemap: https://a.example/1.xml\nUser-agent: x\nDisallow: /\nSitemap: https://b.example/2.xml\n" * 2
    assert rules(text).sitemaps == ("https://a.example/1.xml", "https://b.example/2.xml")


def test_robots_is_a_value() -> None:
    text = "User-agent: *\nDisallow: /a"
    assert rules(text) == rules(text)
    assert hash(rules(text)) == hash(rules(text))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("NOINDEX, nofollow", {"noindex", "nofollow"}),
        ("none", {"none", "noindex", "nofollow"}),
        ("index,follow", {"index", "follow"}),
        ("noindex nofollow", {"noindex", "nofollow"}),
    ],
)
def test_directives(content: str, expected: set[str]) -> None:
    assert directives(content) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", set()),
        ("noindex", {"noindex"}),
        ("otherbot: noindex, nofollow", set()),
        ("git-okf: noindex", {"noindex"}),
        ("Git-OKF: NoIndex, NoFollow", {"noindex", "nofollow"}),
        ("nofollow, otherbot: noindex", {"nofollow"}),
        ("otherbot: noindex\nnofollow", {"nofollow"}),
        ("noindex\nindex", {"noindex", "index"}),
        ("max-snippet: 20, noindex", {"noindex"}),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", set()),
    ],
)
def test_header_directives_are_those_for_us_and_for_everyone(value: str, expected: set[str]) -> None:
    assert header_directives(value) == expected
