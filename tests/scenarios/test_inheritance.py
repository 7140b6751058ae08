"""What a sync takes from the configuration, what the command line may override, and what it may not."""

from __future__ import annotations

import pytest
from scenario import Docs, assert_same, everything, paths


def configure(docs: Docs, old: str, new: str) -> None:
    """Replace something in .okf.yaml, which must be there, and commit it."""
    text = (docs.repo.path / ".okf.yaml").read_text()
    assert old in text
    docs.repo.commit("configure", {".okf.yaml": text.replace(old, new)})


CHANGES = {
    "root URL": ("/docs/\n", "/docs/a/\n", "url was 'http://127.0.0.1:"),
    "path prefix": (
        "    bundle: docs\n",
        "    bundle: docs\n    path_prefix: /\n",
        "path_prefix was None and is now '/'",
    ),
    "browser": ("    bundle: docs\n", "    bundle: docs\n    browser: true\n", "browser was False and is now True"),
    "bundle": ("    bundle: docs\n", "    bundle: other\n", "bundle was 'docs' and is now 'other'"),
}


@pytest.mark.parametrize(("old", "new", "said"), CHANGES.values(), ids=CHANGES)
def test_del_05_what_belongs_to_the_source_cannot_be_changed_under_it(
    docs: Docs, old: str, new: str, said: str
) -> None:
    docs.build("a", "b")
    configure(docs, old, new)
    docs.site.forget()
    before = everything(docs.repo)
    ran = docs.run("sync")
    assert ran.code == 2
    assert ran.err.startswith("error: docs: source docs: ")
    assert said in ran.err
    assert "cannot be overridden; nothing was changed" in ran.err
    assert "git okf sync --rebuild docs" in ran.err
    assert "git okf remove docs, then git okf add URL" in ran.err
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()


def test_repair_does_not_take_over_what_sync_refuses(docs: Docs) -> None:
    docs.build("a", "b")
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    path_prefix: /\n")
    before = everything(docs.repo)
    ran = docs.run("repair")
    assert ran.code == 2
    assert "git okf sync --rebuild docs" in ran.err
    assert_same(before, everything(docs.repo))


def test_questions_are_answered_all_the_same(docs: Docs) -> None:
    docs.build("a", "b")
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    path_prefix: /\n")
    assert docs.ok("status").out.startswith("docs  ACTIVE  3 items")
    assert docs.ok("show", docs.url + "a").out.startswith(f"url: {docs.url}a\n")
    assert "docs: taken" in docs.ok("explain", docs.site.url + "blog/").out
    assert docs.ok("verify").out.startswith("✓ Whole: ")
    assert "sync: +3 -0 =0 (docs)" in docs.ok("log").out


def test_the_old_value_put_back_is_quiet(docs: Docs) -> None:
    docs.build("a")
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    path_prefix: /\n")
    docs.sync(code=2)
    configure(docs, "    path_prefix: /\n", "")
    docs.quiet()


def test_rebuild_takes_a_new_path_prefix_over_and_sends_no_validators(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", links=["/blog/"])
    docs.site.page("/blog/", docs.site.pages["/docs/b"].body.replace(b"about b", b"the blog"))
    docs.sync()
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    path_prefix: /\n")
    docs.site.forget()
    report = docs.sync("--rebuild")
    assert (report["added"], report["removed"], report["updated"]) == (["pages/blog.md"], [], [])
    assert not [r for r in docs.site.requests() if "if-none-match" in r.headers or "if-modified-since" in r.headers]
    docs.quiet()


def test_rebuild_takes_a_new_root_url_over(docs: Docs) -> None:
    docs.build("a", "b", options=["--path-prefix", "/docs/"])
    configure(docs, "/docs/\n    bundle", "/docs/a\n    bundle")
    docs.sync(code=2)
    assert docs.sync("--rebuild")["unchanged"] == 3
    docs.quiet()
    docs.put("b", version=2)
    assert docs.sync()["updated"] == paths("b")


def test_rebuild_of_a_source_that_did_not_change_commits_nothing(docs: Docs) -> None:
    head = docs.build("a", "b")
    docs.site.forget()
    report = docs.sync("--rebuild")
    assert (report["commit"], report["fetched"]) == (None, 3)
    assert docs.head == head
    docs.quiet()


def test_remove_and_add_make_it_another_source(docs: Docs) -> None:
    """The way out that the refusal names leads out."""
    docs.build("a", "b")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    docs.ok("remove", "docs")
    docs.repo.git("rm", "-r", "--quiet", "docs")
    docs.ok("add", docs.site.url + "other/", "-o", "docs")
    docs.repo.git("commit", "--quiet", "--all", "--message", "another source")
    assert docs.sync()["added"] == ["pages/other.md"]
    docs.quiet()


def test_remove_and_build_elsewhere_make_it_another_source(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    docs.ok("remove", "docs")
    docs.repo.git("rm", "-r", "--quiet", "docs")
    docs.repo.git("commit", "--quiet", "--all", "--message", "no docs")
    docs.ok("build", docs.site.url + "other/", "-o", "docs")
    assert docs.concepts() == ["pages/other.md"]
    docs.quiet()


def test_depth_and_pages_of_the_configuration_are_inherited_and_can_be_changed_there(docs: Docs) -> None:
    docs.put("a", links=["/docs/a/below"])
    docs.site.page("/docs/a/below", docs.site.pages["/docs/a"].body.replace(b"about a", b"below"))
    docs.ok("build", docs.url, "-o", "docs", "--max-depth", "1")
    docs.quiet()
    configure(docs, "max_depth: 1", "max_depth: 2")
    assert docs.sync()["added"] == paths("a/below")
    docs.quiet()


@pytest.mark.parametrize("option", ["--browser", "--path-prefix=/", "--url=http://127.0.0.1/"])
def test_what_belongs_to_the_source_is_no_option_of_sync(docs: Docs, option: str) -> None:
    docs.build("a")
    ran = docs.run("sync", option)
    assert ran.code == 2
    assert "No such option" in ran.err


def test_del_07_pages_that_leave_the_scope_are_kept_and_reported(docs: Docs) -> None:
    docs.build("a", "blog/one", "blog/two")
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    exclude: ['**/blog/**']\n")
    assert "Out of scope, kept: 2 (--prune removes them)" in docs.ok("sync", "--dry-run").out
    report = docs.sync()
    assert report["removed"] == []
    assert [(r["path"], r["outcome"]) for r in report["retained"]] == [
        (path, "OUT_OF_SCOPE") for path in paths("blog/one", "blog/two")
    ]
    assert docs.concepts() == paths("", "a", "blog/one", "blog/two")


def test_del_07_prune_removes_what_left_the_scope_and_no_guard_minds(docs: Docs) -> None:
    names = [f"blog/{number}" for number in range(12)]
    docs.build("a", *names)
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    exclude: ['**/blog/**']\n")
    assert docs.sync()["guard"] is None
    report = docs.sync("--prune")
    assert sorted(report["removed"]) == sorted(paths(*names))
    assert docs.concepts() == paths("", "a")
    docs.quiet()


def test_hash_03_another_content_selector_is_a_rendering_and_no_update(docs: Docs) -> None:
    docs.build("a", "b")
    for name in ("a", "b"):
        body = docs.site.pages[f"/docs/{name}"].body
        docs.site.page(f"/docs/{name}", body.replace(b"<p>", b'<p class="ad">Buy our things, they are good.</p><p>'))
    docs.sync()
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    drop: [.ad]\n")
    report = docs.sync()
    assert (report["updated"], report["rerendered"]) == ([], paths("a", "b"))
    assert docs.subject == "render: =2 (docs)"
    assert "Buy our things" not in docs.file("a").read_text()
    docs.quiet()
    docs.put("a", version=2)
    assert docs.sync()["updated"] == paths("a")


def test_hash_03_a_rendering_and_a_change_make_two_commits(docs: Docs) -> None:
    docs.build("a", "b")
    body = docs.site.pages["/docs/b"].body
    docs.site.page("/docs/b", body.replace(b"<p>", b'<p class="ad">Buy our things, they are good.</p><p>'))
    docs.sync()
    configure(docs, "    bundle: docs\n", "    bundle: docs\n    drop: [.ad]\n")
    docs.put("a", version=2)
    report = docs.sync()
    assert docs.repo.git("log", "-2", "--format=%s") == "sync: +0 -0 =1 (docs)\nrender: =1 (docs)"
    assert (report["updated"], report["rerendered"]) == (paths("a"), paths("b"))
    for commit in ("HEAD", "HEAD^"):
        assert docs.repo.git("notes", "--ref=okf", "show", commit)
    docs.quiet()
