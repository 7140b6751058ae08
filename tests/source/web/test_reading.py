"""What a worker makes of an answer: what is looked at twice, and what is remembered between pages."""

from __future__ import annotations

import pytest

from git_okf.config import WebSource
from git_okf.source.web import judge, reading
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


def test_what_a_link_comes_to_does_not_depend_on_the_page_that_was_read_before() -> None:
    pages = [
        '<a href="/b?x=1">b</a><a href="/a">own</a>',
        '<a href="https://docs.example.org/b?x=1#c">b</a>',
        '<a href="/B/../b?x=1">',
    ]
    twice = [[read(f"<p>{WORDS}</p>{page}") for page in pages] for _ in range(2)]
    assert twice[0] == twice[1]
    assert {said.links for said in twice[0]} == {("https://docs.example.org/b?x=1",)}
