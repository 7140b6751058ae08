"""Markdown that a site publishes is taken first, checked, and remembered."""

from __future__ import annotations

import pytest
from observing import Bodies, Docs, document, paragraph, paths

from git_okf.config import WebSource
from git_okf.model import Fetched, NotModified, Record
from git_okf.source import Ask
from git_okf.source.web import published

PAGES = ("/a", "/b")


def markdown(name: str, version: int = 1) -> str:
    return f"# {name}\n\n{paragraph(name, version)}\n"


def twin_site(docs: Docs, *, version: int = 1, offer: bool = True) -> None:
    """Two pages that name their Markdown, below a start page that does, too."""
    for path in ("/", *PAGES):
        name = path.strip("/") or "Home"
        twin = f"/{'index' if path == '/' else name}.md"
        head = f'<link rel="alternate" type="text/markdown" href="{twin}">' if offer else ""
        links = PAGES if path == "/" else ("/",)
        docs.site.page(path, document(name, links, version=version, head=head))
        if offer:
            docs.site.page(twin, markdown(name, version), type="text/markdown")


def forms(docs: Docs) -> dict[str, str]:
    return {key.removeprefix(docs.site.url.rstrip("/")): r.form for key, r in docs.known.items() if r.path}


def test_twins_are_taken_and_a_quiet_run_asks_only_for_them(docs: Docs) -> None:
    twin_site(docs)
    spool = Bodies()
    seen = docs.sync(spool=spool)
    assert forms(docs) == {"/": "html", "/a": "markdown", "/b": "markdown"}
    outcome = seen.outcomes[docs.key("/a")]
    assert isinstance(outcome, Fetched)
    assert spool.get(outcome.content_hash) == markdown("a").strip()
    docs.sync()
    assert sorted(docs.asked()) == ["/", "/a.md", "/b.md"]
    assert docs.site.bodies() == 0


def test_a_twin_that_changes_shows_where_its_page_leads_now(docs: Docs) -> None:
    twin_site(docs)
    docs.sync()
    docs.site.page("/a.md", markdown("a", 2), type="text/markdown")
    head = '<link rel="alternate" type="text/markdown" href="/a.md">'
    docs.site.page("/a", document("a", ["/", "/new"], version=2, head=head))
    docs.page("/new")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/a", "/b", "/new"}
    assert forms(docs)["/a"] == "markdown"


def test_a_twin_that_goes_away_leaves_the_page(docs: Docs) -> None:
    twin_site(docs)
    docs.sync()
    docs.site.remove("/a.md")
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/a")], Fetched)
    assert forms(docs)["/a"] == "html"


def test_a_source_that_began_with_html_stays_html(docs: Docs) -> None:
    twin_site(docs, offer=False)
    docs.sync()
    twin_site(docs, version=2)
    docs.sync()
    assert set(forms(docs).values()) == {"html"}
    docs.sync(Ask(afresh=True))
    assert forms(docs)["/a"] == "markdown"


def test_prefer_markdown_switches_what_changes(docs: Docs) -> None:
    twin_site(docs, offer=False)
    docs.sync()
    twin_site(docs, offer=True)
    docs.site.page("/b", document("b", ["/"]))
    docs.sync(prefer="markdown")
    assert forms(docs) == {"/": "html", "/a": "markdown", "/b": "html"}


def test_prefer_html_takes_none(docs: Docs) -> None:
    twin_site(docs)
    docs.sync(prefer="html")
    assert set(forms(docs).values()) == {"html"}
    assert docs.asked("*.md") == []


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (document("a"), "text/html"),
        (document("a"), "text/markdown"),
        ("# Welcome\n\nThis assistant answers everything else with one greeting.", "text/markdown"),
        ("", "text/markdown"),
    ],
)
def test_what_is_no_markdown_of_the_page_is_not_taken(docs: Docs, body: str, kind: str) -> None:
    twin_site(docs)
    docs.site.page("/a.md", body, type=kind)
    docs.sync()
    assert forms(docs) == {"/": "html", "/a": "html", "/b": "markdown"}


def test_llms_txt_names_markdown_of_pages(docs: Docs) -> None:
    docs.page("/", "/a")
    docs.page("/a")
    docs.site.page("/a.md", markdown("a"), type="text/plain")
    docs.site.page("/only.md", markdown("only"), type="text/markdown")
    docs.site.page("/llms.txt", "# Docs\n\n- [A](/a.md)\n- [Only](/only.md)\n", type="text/plain")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/a", "/only.md"}
    assert forms(docs) == {"/": "html", "/a": "markdown", "/only.md": "markdown"}
    docs.sync()
    assert docs.site.bodies() == 0
    assert docs.delta.unchanged == 3


def test_a_site_that_offers_nothing_costs_no_request(docs: Docs) -> None:
    docs.page("/", "/a", "/b")
    docs.page("/a")
    docs.page("/b")
    docs.look()
    assert sorted(docs.asked()) == ["/", "/a", "/b"]


def test_pages_written_in_markdown_are_pages(docs: Docs) -> None:
    docs.page("/", "/notes.md")
    docs.site.page("/notes.md", "# Notes\n\nSee [more](/more).\n", type="text/markdown")
    docs.page("/more")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/notes.md", "/more"}
    assert {type(o) for o in docs.sync().outcomes.values()} == {NotModified}


@pytest.mark.parametrize(
    ("prefer", "forms", "afresh", "wanted"),
    [
        ("auto", (), False, True),
        ("auto", ("html",), False, False),
        ("auto", ("html", "markdown"), False, True),
        ("auto", ("html",), True, True),
        ("markdown", ("html",), False, True),
        ("html", ("markdown",), True, False),
    ],
)
def test_what_prefer_means(prefer: str, forms: tuple[str, ...], afresh: bool, wanted: bool) -> None:
    source = WebSource(name="d", url="https://docs.example.com/", bundle="d", prefer=prefer)
    records = [Record(key=form, form=form) for form in forms]
    assert published.wanted(source, records, afresh=afresh) is wanted


@pytest.mark.parametrize(
    ("markdown_path", "page"),
    [("/a.md", "/a"), ("/a.html.md", "/a.html"), ("/a/index.md", "/a/"), ("/index.md", "/"), ("/a", "/a"),
     ("/a/index.html.md", "/a/index.html")],
)  # fmt: skip
def test_the_page_a_markdown_url_stands_for(markdown_path: str, page: str) -> None:
    assert published.page_of(f"https://docs.example.com{markdown_path}") == f"https://docs.example.com{page}"
