"""DEL-05: legitimate states that a guard or a check must not lock out."""

from __future__ import annotations

from scenario import Docs


def test_del_05_a_small_source_that_is_emptied_is_followed_and_then_quiet(docs: Docs) -> None:
    docs.build("a")
    docs.site.pages.clear()
    report = docs.sync()
    assert len(report["removed"]) == 2
    docs.quiet()


def test_del_05_an_emptied_source_is_taken_again_when_it_comes_back(docs: Docs) -> None:
    docs.build("a")
    pages = dict(docs.site.pages)
    docs.site.pages.clear()
    docs.sync()
    docs.site.pages.update(pages)
    assert len(docs.sync()["added"]) == 2
    docs.quiet()
