"""GIT-11: what a person wrote into a synced concept is kept, reported, and given up only when they say so."""

from __future__ import annotations

from scenario import Docs, paths


def edit(docs: Docs, name: str) -> None:
    text = docs.file(name).read_text()
    docs.repo.commit("mine", {f"docs/{paths(name)[0]}": text + "\nA line of mine.\n"})


def test_git_11_an_edit_is_kept_and_reported_while_the_page_stays_the_same(docs: Docs) -> None:
    docs.build("a", "b")
    edit(docs, "a")
    ran = docs.ok("sync")
    assert "Edited by hand, kept: pages/docs/a.md" in ran.out
    assert "A line of mine." in docs.file("a").read_text()
    assert docs.run("verify").code == 1
    docs.quiet()


def test_git_11_an_edit_and_a_change_of_the_page_are_a_conflict_that_keeps_the_file(docs: Docs) -> None:
    docs.build("a", "b")
    edit(docs, "a")
    docs.put("a", version=2)
    report = docs.sync(code=3)
    assert [(item["path"], item["outcome"]) for item in report["retained"]] == [(paths("a")[0], "CONFLICT")]
    assert "A line of mine." in docs.file("a").read_text()


def test_git_11_theirs_puts_the_pages_text_back_whether_it_changed_or_not(docs: Docs) -> None:
    docs.build("a", "b")
    before = docs.file("a").read_text()
    edit(docs, "a")
    edit(docs, "b")
    docs.put("b", version=2)
    report = docs.sync("--theirs")
    assert report["updated"] == paths("a", "b")
    assert docs.file("a").read_text().split("---", 2)[2] == before.split("---", 2)[2]
    assert "A line of mine." not in docs.file("b").read_text()
    assert docs.ok("verify").out == "✓ Whole: docs\n"
    docs.quiet()


def test_verbose_names_every_path_on_standard_error(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    ran = docs.ok("sync", "-v")
    assert f"docs: updated: {paths('a')[0]}" in ran.err
    assert "requests" in ran.err and "updated:" not in ran.out
