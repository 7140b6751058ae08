"""Links of llms.txt."""

from __future__ import annotations

import time

import pytest

from git_okf.source.web.llmstxt import read

URL = "https://docs.example.com/docs/llms.txt"


def test_links_of_all_sections_in_order_each_once() -> None:
    text = """\ufeff# Title

> A summary with [a link](intro.md).

## Docs

- [Guide [new]](https://docs.example.com/guide.md#part): notes
- [Spaces](<a b.md>)
* [Brackets](/a_(b).md "title")
- [Again](/docs/intro.md)

## Optional

- [Elsewhere](https://other.example/x)
- [Mail](mailto:x@example.com)
"""
    assert read(text, URL) == (
        "https://docs.example.com/docs/intro.md",
        "https://docs.example.com/guide.md",
        "https://docs.example.com/docs/a%20b.md",
        "https://docs.example.com/a_(b).md",
        "https://other.example/x",
    )


def test_code_is_no_link() -> None:
    assert read("# T\n\n```\n[a](/a)\n```\n\n[b](/b)\n", URL) == ("https://docs.example.com/b",)


def test_html_page_in_its_place_has_no_links() -> None:
    assert read("\n<!doctype html><p>[a](/a)", URL) == ()


@pytest.mark.parametrize("piece", ["[", "[a", "](", "[a](", "[[a]", "```\n", "[a](x(", "[a](<"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    started = time.process_time()
    read("#" + piece * 20_000, URL)
    assert time.process_time() - started < 2
