"""GIT-11: what a person wrote into a synced concept is kept, reported, and given up only when they say so."""

from __future__ import annotations

from pathlib import Path

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


PARTS = ("The first paragraph says what it is for.", "{middle}", "The third says how it is set up.", "{last}")
LONG = "</p>\n\n<p>".join(PARTS)


def long_page(docs: Docs, last: str, middle: str = "The second says who it is for.") -> None:
    docs.put("a", text=LONG.format(middle=middle, last=last))


def edited(docs: Docs, **replaced: str) -> str:
    text = docs.file("a").read_text()
    for old, new in replaced.items():
        text = text.replace(old.replace("_", " "), new)
    docs.repo.commit("mine", {f"docs/{paths('a')[0]}": text})
    return text


def test_git_11_an_edit_and_a_change_of_the_page_elsewhere_are_merged(docs: Docs) -> None:
    long_page(docs, "The last is old.")
    docs.ok("build", docs.url, "-o", "docs")
    edited(docs, The_first="Mine: the first", description="tags: [mine]\ndescription")
    long_page(docs, "The last is new.")
    ran = docs.ok("sync")
    assert "Updated: 1" in ran.out and f"Edited by hand, merged: {paths('a')[0]}" in ran.out
    text = docs.file("a").read_text()
    assert "Mine: the first paragraph" in text and "The last is new." in text and "tags: [mine]" in text
    assert "The last is old." not in text
    docs.tidy()
    ran = docs.ok("sync")
    assert "Edited by hand, kept" in ran.out
    docs.quiet()
    long_page(docs, "The last is newer.", middle="The second has changed.")
    report = docs.sync()
    assert (report["merged"], report["updated"], report["retained"]) == (paths("a"), paths("a"), [])
    text = docs.file("a").read_text()
    assert "Mine: the first" in text and "newer" in text and "The second has changed." in text
    docs.sync("--theirs")
    assert "Mine" not in docs.file("a").read_text()
    assert docs.ok("verify").out == "✓ Whole: docs\n"


def test_git_11_the_same_lines_changed_on_both_sides_are_a_conflict(docs: Docs) -> None:
    long_page(docs, "The last is old.")
    docs.ok("build", docs.url, "-o", "docs")
    text = edited(docs, The_last_is_old="The last is mine")
    long_page(docs, "The last is new.")
    ran = docs.run("sync")
    assert ran.code == 3 and "edited here and changed at the source" in ran.out
    assert docs.file("a").read_text() == text
    assert "<<<<<<<" not in text


def test_git_11_where_what_was_synced_is_not_in_a_shallow_clone_nothing_is_guessed(docs: Docs, tmp_path: Path) -> None:
    long_page(docs, "The last is old.")
    docs.ok("build", docs.url, "-o", "docs")
    edited(docs, The_first="Mine: the first")
    clone = tmp_path / "clone"
    docs.repo.git("clone", "--quiet", "--depth=1", f"file://{docs.repo.path}", str(clone))
    long_page(docs, "The last is new.")
    assert docs.run("sync", cwd=clone).code == 3
    assert "The last is old." in (clone / "docs" / paths("a")[0]).read_text()


def test_git_11_a_person_who_made_the_same_change_has_edited_nothing(docs: Docs) -> None:
    long_page(docs, "The last is old.")
    docs.ok("build", docs.url, "-o", "docs")
    edited(docs, The_last_is_old="The last is new")
    long_page(docs, "The last is new.")
    docs.sync()
    assert docs.ok("verify").out == "✓ Whole: docs\n"
    assert "Edited" not in docs.ok("sync").out
