"""`git okf repair` and the listings of a bundle."""

from __future__ import annotations

from scenario import Docs


def test_repair_stages_the_listings_that_are_not_as_the_concepts_make_them(docs: Docs) -> None:
    docs.build("a", "b")
    text = docs.file("a").read_text()
    docs.repo.commit("retitle", {"docs/pages/docs/a.md": text.replace('title: "', 'title: "My ', 1)})
    assert "[index-stale]" in docs.run("verify").out
    last_change = docs.repo.git("show", "HEAD:docs/index.md")
    ran = docs.ok("repair")
    assert "staged, to be committed: docs/pages/docs/index.md" in ran.out
    assert docs.repo.git("status", "--porcelain") == "M  docs/pages/docs/index.md"
    docs.repo.git("commit", "--quiet", "--message", "listings")
    assert docs.ok("verify").out == "✓ Whole: docs\n"
    assert docs.repo.git("show", "HEAD:docs/index.md") == last_change, "nothing changed at the source"
    docs.ok("sync")
    docs.quiet()


def test_repair_of_a_whole_bundle_stages_nothing(docs: Docs) -> None:
    docs.build("a", "b")
    assert "staged" not in docs.ok("repair").out
    assert docs.repo.git("status", "--porcelain") == ""
