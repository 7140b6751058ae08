"""A trouble that lasts is written down once: the runs after it find it written, and write nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scenario import WORDS, Docs, assert_same, document, everything, paths


def configure(docs: Docs, line: str) -> None:
    file = docs.repo.path / ".okf.yaml"
    docs.repo.commit("configure", {".okf.yaml": file.read_text() + f"    {line}\n"})


def forbidden(docs: Docs) -> None:
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /docs/a\n", type="text/plain")


def excluded(docs: Docs) -> None:
    configure(docs, "exclude: ['**/docs/a']")


def failing(docs: Docs) -> None:
    docs.site.fault("/docs/a", status=500)


def too_large(docs: Docs) -> None:
    configure(docs, "max_bytes: 2000")
    docs.put("a", text="word " * 2000)


def not_to_be_taken(docs: Docs) -> None:
    docs.site.page("/docs/a", document("a", WORDS, ["/docs/"], head='<meta name="robots" content="noindex">'))


def a_block_page(docs: Docs) -> None:
    docs.site.fault("/docs/a", body=b"<html><title>Just a moment...</title><body>Checking your browser</body></html>")


def moved_away(docs: Docs) -> None:
    docs.site.redirect("/docs/a", "/elsewhere/")
    docs.site.page("/elsewhere/", document("Elsewhere", WORDS))


def edited_here(docs: Docs) -> None:
    docs.repo.commit("mine", {"docs/pages/docs/a.md": docs.file("a").read_text() + "\nMine.\n"})


def edited_here_and_changed_there(docs: Docs) -> None:
    edited_here(docs)
    docs.put("a", version=2)


def edited_here_and_gone_there(docs: Docs) -> None:
    edited_here(docs)
    docs.drop("a")


def a_broken_link(docs: Docs) -> None:
    docs.put("a", links=["/docs/never"])


def a_link_to_no_page(docs: Docs) -> None:
    docs.put("a", links=["/docs/manual.pdf"])
    docs.site.page("/docs/manual.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 20, type="application/pdf")


def another_name(docs: Docs) -> None:
    docs.put("a", links=["/docs/b/", "/docs/old"])
    docs.site.page("/docs/b/", docs.site.pages["/docs/b"].body)
    docs.site.redirect("/docs/old", "/docs/b")


def a_new_page_that_fails(docs: Docs) -> None:
    docs.put("new")
    docs.site.fault("/docs/new", status=500)


def a_new_page_that_needs_a_login(docs: Docs) -> None:
    docs.put("new")
    docs.site.fault("/docs/new", status=403)


TROUBLES = [
    forbidden,
    excluded,
    failing,
    too_large,
    not_to_be_taken,
    a_block_page,
    moved_away,
    edited_here,
    edited_here_and_changed_there,
    edited_here_and_gone_there,
    a_broken_link,
    a_link_to_no_page,
    another_name,
    a_new_page_that_fails,
    a_new_page_that_needs_a_login,
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
def test_git_10_the_runs_after_it_write_nothing(docs: Docs, trouble: Callable[[Docs], None]) -> None:
    docs.build("a", "b", "c")
    trouble(docs)
    docs.run("sync")
    content = docs.head
    for _ in range(4):
        docs.run("sync")
    before = everything(docs.repo)
    for _ in range(2):
        ran = docs.run("sync")
        assert ran.code in (0, 3), ran.err
    assert_same(before, everything(docs.repo))
    assert docs.head == content
    assert set(paths("b", "c")) <= set(docs.concepts())
