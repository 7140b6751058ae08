"""What a worker makes of an answer: what is looked at twice, and what is remembered between pages."""

from __future__ import annotations

import pytest

from git_okf.config import WebSource
from git_okf.source.web import judge, reading, signals
from git_okf.source.web.reading import Job, Reading

SOURCE = WebSource(name="docs", url="https://docs.example.org/", bundle="docs", path_prefix="/")
WORDS = " ".join(f"word{n}" for n in range(200))
CHALLENGE = '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'


def read(body: str, *, title: str = "A page", charset: str = "utf-8") -> Reading:
    html = f"<html><head><meta charset={charset}><title>{title}</title></head><body>{body}</body></html>"
    return reading.read(
        Job(
            source=SOURCE,
            place=lambda url: "pages/a.md",
            key="https://docs.example.org/a",
            url="https://docs.example.org/a",
            content_type="text/html",
            headers={},
            data=html.encode(charset),
        )
    )


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "windows-1252"])
@pytest.mark.parametrize("words", [WORDS, "Few words."])
@pytest.mark.parametrize("script", [CHALLENGE, ""])
@pytest.mark.parametrize(
    ("title", "heading"),
    [("A page", "A page"), ("Just a moment...", "A page"), ("A page", "Access denied"), ("", "404")],
)
def test_a_page_is_judged_by_its_bytes(words: str, script: str, title: str, heading: str, charset: str) -> None:
    html = f"<h1>{heading}</h1><p>{words} caf\xe9</p>{script}"
    said = read(html, title=title, charset=charset)
    page = f"<html><head><meta charset={charset}><title>{title}</title></head><body>{html}</body></html>"
    marks = judge.look(page.encode(charset))
    assert said.suspicion == judge.suspicion(marks, title=title, words=said.words)


def test_a_long_page_that_nothing_could_make_suspect_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(data: bytes) -> judge.Marks:
        raise AssertionError("it was parsed once more")

    monkeypatch.setattr(judge, "look", look)
    assert read(f"<h1>A page</h1><p>{WORDS}</p>").suspicion == ""
    with pytest.raises(AssertionError, match="once more"):
        read("<h1>A page</h1><p>Few words.</p>")


def test_a_page_is_parsed_once_for_its_content_and_all_it_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def again(encoded: bytes) -> object:
        raise AssertionError("it was parsed once more")

    monkeypatch.setattr(signals, "of_bytes", again)
    said = read(f'<h1>A page</h1><p>{WORDS} <a href="/b">b</a></p>', title="Its name")
    assert (said.title, said.links) == ("A page", ("https://docs.example.org/b",))
    with pytest.raises(AssertionError, match="once more"):
        read("<div>" * 3000)


def test_a_page_that_is_nested_too_deep_to_be_read_whole_still_leads_on() -> None:
    said = read("<div>" * 3000 + '<a href="/b">b</a>')
    assert (said.body, said.links) == (None, ("https://docs.example.org/b",))
    assert "too deep" in said.empty


def test_what_a_link_comes_to_does_not_depend_on_the_page_that_was_read_before() -> None:
    pages = [
        '<a href="/b?x=1">b</a><a href="/a">own</a>',
        '<a href="https://docs.example.org/b?x=1#c">b</a>',
        '<a href="/B/../b?x=1">',
    ]
    twice = [[read(f"<p>{WORDS}</p>{page}") for page in pages] for _ in range(2)]
    assert twice[0] == twice[1]
    assert {said.links for said in twice[0]} == {("https://docs.example.org/b?x=1",)}
