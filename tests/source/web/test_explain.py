"""What is said of one URL before anything is asked."""

from __future__ import annotations

import pytest
from observing import place

from git_okf.config import WebSource
from git_okf.model import Record, Status
from git_okf.source.web.discovery import ROBOTS
from git_okf.source.web.explain import explain

SITE = "https://docs.example.com"
SOURCE = WebSource(name="docs", url=f"{SITE}/guide/", bundle="docs", exclude=("/guide/old/**",))


def known(*records: Record) -> dict[str, Record]:
    return {record.key: record for record in records}


def test_a_url_in_scope_names_its_rule_and_its_path() -> None:
    told = explain(SOURCE, {}, f"{SITE}/guide/install#linux", place)
    assert told["accepted"]
    assert told["rule"] == "same host, path inside the prefix /guide/"
    assert told["key"] == f"{SITE}/guide/install"
    assert told["path"] == "pages/install.md"
    assert told["known"] == told["links"] == ""


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("/guide/old/v1", "exclude pattern '/guide/old/**' matches"),
        ("/api/", "outside the prefix"),
        ("https://elsewhere.example/guide/", "host elsewhere.example"),
        ("mailto:someone@example.com", "not an http or https URL"),
        ("/guide/picture.png", ".png"),
    ],
)
def test_a_url_that_is_left_out_names_the_rule(url: str, words: str) -> None:
    told = explain(SOURCE, {}, url, place)
    assert not told["accepted"]
    assert words in told["rule"]
    assert told["path"] == ""


def test_what_is_known_of_a_page_is_told() -> None:
    page = Record(key=f"{SITE}/guide/a", path="pages/given.md", size=120, failure="500")
    hub = Record(key=f"{SITE}/guide/", path="pages/guide.md", links=(page.key,))
    told = explain(SOURCE, known(page, hub), page.key, place)
    assert told["path"] == "pages/given.md"
    assert told["known"] == "a page (120 characters, from html); not taken last time: 500"
    assert told["links"] == f"from {hub.key}"


def test_another_name_has_the_path_of_its_page() -> None:
    page = Record(key=f"{SITE}/guide/a", path="pages/given.md")
    alias = Record(key=f"{SITE}/guide/a/", status=Status.ALIAS, target=page.key)
    told = explain(SOURCE, known(page, alias), alias.key, place)
    assert told["path"] == "pages/given.md"
    assert told["known"] == f"another name of {page.key}"


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (Record(key="", status=Status.ABSENT, target="404"), "not there: the server answered 404"),
        (Record(key="", status=Status.REFUSED, target="it is a PDF document"), "no page: it is a PDF document"),
        (Record(key="", status=Status.REFUSED, target="sitemap"), "read as sitemap"),
        (Record(key="", status=Status.PENDING, tries=2, failure="timeout"), "new, but failed 2 times: timeout"),
    ],
)
def test_links_that_are_no_pages_say_what_they_are(record: Record, words: str) -> None:
    assert explain(SOURCE, {f"{SITE}/guide/x": record}, f"{SITE}/guide/x", place)["known"] == words


def test_the_robots_rules_of_the_last_run_count() -> None:
    rules = Record(
        key=f"{SITE}/robots.txt",
        status=Status.REFUSED,
        target=ROBOTS,
        description="User-agent: *\nDisallow: /guide/x\n",
    )
    told = explain(SOURCE, known(rules), f"{SITE}/guide/x", place)
    assert (told["accepted"], told["rule"]) == (False, "robots.txt disallowed it in the last run")
    assert explain(SOURCE, known(rules), f"{SITE}/guide/y", place)["accepted"]
