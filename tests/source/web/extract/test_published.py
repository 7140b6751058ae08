"""Markdown that a site publishes itself."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from extracting import OPTIONS, SITE

from git_okf.digest import canonical
from git_okf.source.web.extract import NoContent, extract_published

URL = f"{SITE}/guide/start.md"


def body_of(text: str, **options: object) -> str:
    return extract_published(text.encode(), url=URL, options=replace(OPTIONS, **options)).body  # type: ignore[arg-type]


def test_front_matter_gives_title_and_description_and_goes() -> None:
    text = "---\ntitle: 'A: b'\ndescription: About it\ntags: [x]\n---\n\n# Heading\n\nText.\n"
    found = extract_published(text.encode(), url=URL, options=OPTIONS)
    assert (found.title, found.description, found.body) == ("Heading", "About it", "# Heading\n\nText.")
    assert body_of('+++\ntitle = "T"\n+++\nText here.') == "Text here."
    assert extract_published(b"---\ntitle: Only here\n---\nText.", url=URL, options=OPTIONS).title == "Only here"


def test_broken_front_matter_does_not_stay() -> None:
    assert body_of("---\na: [\n---\nText.") == "Text."


def test_lone_rules_are_no_front_matter() -> None:
    assert body_of("Text.\n\n---\n\nMore.") == "Text.\n\n---\n\nMore."
    assert body_of("---\na: 1\n---\n---\ntype: evil\n---\nText.").startswith("***\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](../api/x.html#y)", "[a](../api/x.md#y)"),
        ('[a](<x y.html> "t")', '[a](x%20y.md "t")'),
        ("![i](../i.png)", f"![i]({SITE}/i.png)"),
        ("[![i](i.png)](x.html)", f"[![i]({SITE}/guide/i.png)](x.md)"),
        ("[a]: x.html 'T'", "[a]: x.md 'T'"),
        ("`[a](x.html)` [b](x.html)", "`[a](x.html)` [b](x.md)"),
        ("[a](javascript:x) [b](https://e.org/)", "a [b](https://e.org/)"),
        ('<a href="x.html">x</a>', '<a href="x.md">x</a>'),
        ("[^1]: note", "[^1]: note"),
        ("[f(x)](x.html)", "[f(x)](x.md)"),
    ],
)
def test_links_are_made_right(text: str, expected: str) -> None:
    assert body_of(f"Words.\n\n{text}") == f"Words.\n\n{expected}"


def test_links_to_markdown_twins_mean_the_page() -> None:
    def owns(url: str) -> bool:
        return url.startswith(SITE) and not url.endswith(".md")

    options = replace(OPTIONS, owns=owns)
    found = extract_published(b"See [a](other.md#x) and [b](/api/index.md).", url=URL, options=options)
    assert found.body == "See [a](other.md#x) and [b](../api.md)."


def test_code_is_not_touched() -> None:
    text = "Words:\n\n```md\n[a](x.html)  \n\n\nb\n```\n\n    [c](x.html)\n\n- item\n\n  ~~~\n  [d](x.html)\n  ~~~"
    assert body_of(text) == text


def test_hard_breaks_survive_the_canonical_form() -> None:
    assert body_of("one  \ntwo\n\nthree  \n") == "one\\\ntwo\n\nthree"


def test_invisible_characters_go_and_the_form_is_canonical() -> None:
    text = "a​​‮b\r\n\r\n\r\n\r\nc"
    found = extract_published(text.encode(), url=URL, options=OPTIONS)
    assert found.body == "ab\n\nc" == canonical(found.body)
    assert found.hidden > 0


@pytest.mark.parametrize("data", [b"", b"---\ntitle: x\n---\n", b"<!DOCTYPE html><html></html>", b"%PDF-1.4"])
def test_what_is_no_markdown_is_no_content(data: bytes) -> None:
    with pytest.raises(NoContent):
        extract_published(data, url=URL, options=OPTIONS)


@pytest.mark.parametrize("piece", ["[", "![[x]", "[x]((", "<a ", "`a", "[a]: <"])
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    started = time.process_time()
    body_of(f"words {piece * 20000}")
    assert time.process_time() - started < 5
