"""Title and description: one line of plain text each."""

from __future__ import annotations

import pytest
from extracting import page

TEXT = "<p>First sentence of the text. Second one.</p>"


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Install | Site</title>", f"<h1>Install it</h1>{TEXT}", "Install it"),
        ("<title>Install - The Book</title>", f"<h2>Install</h2>{TEXT}", "Install"),
        ("<title>Install | Site</title>", TEXT, "Install"),
        ("<title>A - B | Site</title>", TEXT, "A - B"),
        ("<title>Only</title>", TEXT, "Only"),
        ('<title>x</title><meta property="og:title" content="Og title">'
            '<meta property="og:site_name" content="Site">', TEXT, "Og title"),
        ('<meta property="og:title" content="Guide – Site">'
            '<meta property="og:site_name" content="Site">', TEXT, "Guide"),
        ("<title>a</title>", f"<h1><code>f()</code> &amp; <em>b</em> <a href=x.html>c</a> d_e"
            f"</h1>{TEXT}", "f() & b c d_e"),
        ("<title>no</title>", TEXT, "no"),
        ("<title> \x1b[2J spaced \n ‮ out </title>", TEXT, "[2J spaced out"),
    ],
)  # fmt: skip
def test_title(head: str, body: str, title: str) -> None:
    assert page(body, head=head).title == title


@pytest.mark.parametrize(
    ("head", "description"),
    [
        ('<title>T</title><meta name="description" content=" Said\n of it. ">', "Said of it."),
        ('<title>T</title><meta property="og:description" content="Said.">', "Said."),
        ("<title>T</title>", "First sentence of the text."),
        ('<title>T</title><meta name="description" content="">', "First sentence of the text."),
        (
            '<title>T - Site</title><meta name="description" content="Site - tools for all">',
            "First sentence of the text.",
        ),
    ],
)
def test_description(head: str, description: str) -> None:
    assert page(f"<h1>T</h1>{TEXT}", head=head).description == description


def test_both_are_bounded() -> None:
    found = page(f"<p>{'word ' * 400}</p>", head=f"<title>{'t' * 1000}</title>")
    assert len(found.title) == 300
    assert len(found.description) <= 500
    assert found.description.endswith("word…")


def test_language_is_the_declared_one() -> None:
    assert page(TEXT).language == "en"


def test_size_and_hash_are_of_the_body() -> None:
    found = page(TEXT)
    assert found.size == len(found.body)
    assert found.words == 7
    assert found.content_hash.startswith("sha256:")
    assert found.compared_hash == ""


def test_hash_05_ignored_parts_change_the_compared_hash_only() -> None:
    ignore = ("preset:relative-time", r"nonce=\w+")
    one = page("<p>Posted 1 hour ago, nonce=abc. Text.</p>", ignore=ignore)
    two = page("<p>Posted 3 days ago, nonce=xyz. Text.</p>", ignore=ignore)
    three = page("<p>Posted 3 days ago, nonce=xyz. Other text.</p>", ignore=ignore)
    assert one.compared_hash == two.compared_hash != three.compared_hash
    assert one.content_hash != two.content_hash
    assert "3 days ago" in two.body
