"""`git okf build URL -o DIR` in any repository."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import GitRepo
from scenario import Docs, assert_same, everything, paths, to_the_last_byte

from git_okf.bundle import concept
from git_okf.store import lease
from git_okf.workers import LazyPool


def test_build_makes_one_commit_with_bundle_and_configuration(docs: Docs) -> None:
    docs.repo.commit("mine", {"README": "mine\n"})
    docs.put("a", "b")
    ran = docs.ok("build", docs.url, "-o", "docs")
    assert docs.repo.git("log", "--format=%s") == "sync: +3 -0 =0 (docs)\nmine"
    assert docs.repo.git("show", "--name-status", "--format=", "HEAD").splitlines() == [
        "A\t.okf.yaml",
        "A\tdocs/index.md",
        "A\tdocs/log.md",
        "A\tdocs/pages/docs.md",
        "A\tdocs/pages/docs/a.md",
        "A\tdocs/pages/docs/b.md",
        "A\tdocs/pages/docs/index.md",
        "A\tdocs/pages/index.md",
    ]
    assert docs.repo.git("show", "HEAD:.okf.yaml") == (
        f"version: 1\n\nsources:\n  docs:\n    kind: web\n    url: {docs.url}\n    bundle: docs"
    )
    assert docs.repo.git("status", "--porcelain") == ""
    assert ran.out.startswith(f"✓ Synced bundle: docs  ({docs.head[:7]} sync: +3 -0 =0 (docs))\n  Added: 3\n")
    docs.quiet()


def test_git_12_build_in_a_repository_without_a_commit(docs: Docs) -> None:
    docs.build("a")
    assert docs.repo.git("log", "--format=%s") == "sync: +2 -0 =0 (docs)"
    assert docs.repo.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert docs.repo.git("status", "--porcelain") == ""
    docs.quiet()


def test_build_in_a_repository_without_a_commit_leaves_what_is_staged_staged(docs: Docs) -> None:
    docs.repo.write("mine.txt", "mine\n")
    docs.repo.git("add", "mine.txt")
    docs.repo.write("mine.txt", "mine, edited\n")
    docs.build("a")
    assert docs.repo.git("status", "--porcelain") == "AM mine.txt"
    assert "mine.txt" not in docs.repo.git("ls-tree", "-r", "--name-only", "HEAD")


def test_git_12_build_in_a_linked_work_tree_leaves_the_main_one_alone(docs: Docs, tmp_path: Path) -> None:
    docs.repo.commit("mine", {"README": "mine\n"})
    docs.repo.write("staged", "mine\n")
    docs.repo.git("add", "staged")
    linked = GitRepo(tmp_path / "linked")
    docs.repo.git("worktree", "add", "--quiet", "-b", "topic", str(linked.path))
    main, index = docs.head, (docs.repo.path / ".git/index").read_bytes()
    files = {p: p.read_bytes() for p in docs.repo.path.iterdir() if p.is_file()}
    docs.put("a")
    docs.ok("build", docs.url, "-o", "docs", cwd=linked.path)
    assert linked.git("log", "-1", "--format=%s %D") == "sync: +2 -0 =0 (docs) HEAD -> topic"
    assert linked.git("status", "--porcelain") == ""
    assert (linked.path / "docs/pages/docs/a.md").is_file()
    assert docs.head == main
    assert (docs.repo.path / ".git/index").read_bytes() == index
    assert {p: p.read_bytes() for p in docs.repo.path.iterdir() if p.is_file()} == files
    assert docs.ok("sync", cwd=linked.path).out == "✓ Up to date: docs (2 unchanged)\n"


@pytest.mark.parametrize(("output", "bundle"), [("ref", "sub/ref"), ("../ref", "ref"), ("./x/../ref/", "sub/ref")])
def test_in_a_subfolder_the_output_counts_from_there(docs: Docs, output: str, bundle: str) -> None:
    docs.repo.commit("mine", {"sub/README": "mine\n"})
    docs.put("a")
    docs.ok("build", docs.url, "-o", output, cwd=docs.repo.path / "sub")
    assert (docs.repo.path / bundle / "pages/docs/a.md").is_file()
    assert (docs.repo.path / ".okf.yaml").is_file()
    assert f"bundle: {bundle}\n" in (docs.repo.path / ".okf.yaml").read_text()
    assert docs.ok("sync", cwd=docs.repo.path / "sub").out == "✓ Up to date: ref (2 unchanged)\n"


def test_git_12_build_on_a_detached_head_moves_head_and_no_branch(docs: Docs) -> None:
    first = docs.repo.commit("mine", {"README": "mine\n"})
    docs.repo.git("checkout", "--quiet", "--detach")
    docs.build("a")
    assert docs.subject == "sync: +2 -0 =0 (docs)"
    assert docs.repo.git("rev-parse", "main") == first
    assert docs.repo.git("rev-parse", "HEAD^") == first
    assert docs.repo.git("symbolic-ref", "--quiet", "HEAD", check=False) == ""
    docs.quiet()


def test_without_an_output_the_bundle_is_named_after_the_host(docs: Docs) -> None:
    docs.put("a")
    docs.ok("build", docs.url)
    assert (docs.repo.path / "127.0.0.1/pages/docs/a.md").is_file()
    assert docs.subject == "sync: +2 -0 =0 (127.0.0.1)"


def test_the_source_can_be_given_a_name(docs: Docs) -> None:
    docs.put("a")
    docs.ok("build", docs.url, "-o", "docs", "--name", "guide")
    assert docs.subject == "sync: +2 -0 =0 (guide)"


def test_a_second_source_is_added_to_the_configuration(docs: Docs) -> None:
    docs.build("a")
    docs.site.page("/other/", (docs.site.pages["/docs/a"].body.decode()))
    text = (docs.repo.path / ".okf.yaml").read_text()
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    assert (docs.repo.path / ".okf.yaml").read_text().startswith(text)
    assert docs.subject == "sync: +1 -0 =0 (other)"
    assert docs.ok("sync").out == "✓ Up to date: docs (2 unchanged)\n✓ Up to date: other (1 unchanged)\n"


def test_only_pages_below_the_seeds_section_are_taken(docs: Docs) -> None:
    docs.put("a", links=["/blog/", "/", "/docs/deep/er"])
    for path in ("/blog/", "/", "/docs/deep/er"):
        docs.site.page(path, docs.site.pages["/docs/a"].body)
        docs.site.page(path, docs.site.pages[path].body.replace(b"about a", path.encode()))
    docs.ok("build", docs.url, "-o", "docs")
    assert docs.concepts() == ["pages/docs.md", "pages/docs/a.md", "pages/docs/deep/er.md"]
    assert not docs.site.requests("/blog/") and not docs.site.requests("/")


def test_all_paths_takes_the_whole_host(docs: Docs) -> None:
    docs.put("a", links=["/blog/", "/"])
    for path in ("/blog/", "/"):
        docs.site.page(path, docs.site.pages["/docs/a"].body.replace(b"about a", path.encode()))
    docs.ok("build", docs.url, "-o", "docs", "--all-paths")
    assert docs.concepts() == ["pages/blog.md", "pages/docs.md", "pages/docs/a.md", "pages/home.md"]
    docs.quiet()


def test_path_prefix_widens_the_section(docs: Docs) -> None:
    docs.put("a", "b/", "b/two")
    docs.ok("build", docs.url + "b/", "-o", "docs", "--path-prefix", "/docs/")
    assert docs.concepts() == paths("", "a", "b", "b/two")
    assert "path_prefix: /docs/\n" in (docs.repo.path / ".okf.yaml").read_text()
    docs.quiet()


def test_a_start_page_outside_the_path_prefix_is_refused(docs: Docs) -> None:
    docs.put("a", "b/two")
    ran = docs.run("build", docs.url, "-o", "docs", "--path-prefix", "/docs/b/")
    assert ran.code == 2
    assert "outside the prefix /docs/b/" in ran.err


def chain(docs: Docs, length: int) -> None:
    docs.put(*(f"p{i}" for i in range(length)))
    docs.unlink(*(f"p{i}" for i in range(1, length)))
    for i in range(length):
        docs.site.page(
            f"/docs/p{i}", docs.site.pages[f"/docs/p{i}"].body.replace(b'href="/docs/"', b'href="/docs/p%d"' % (i + 1))
        )


def test_by_default_three_links_are_followed_from_the_start(docs: Docs) -> None:
    chain(docs, 5)
    docs.ok("build", docs.url, "-o", "docs")
    assert docs.concepts() == paths("", "p0", "p1", "p2")


def test_max_depth_says_how_many_links_are_followed(docs: Docs) -> None:
    chain(docs, 5)
    docs.ok("build", docs.url, "-o", "docs", "--max-depth", "1")
    assert docs.concepts() == paths("", "p0")
    docs.quiet()


def test_by_default_two_hundred_pages_are_taken(docs: Docs) -> None:
    docs.put(*(f"p{i:03}" for i in range(205)))
    docs.ok("build", docs.url, "-o", "docs")
    assert len(docs.concepts()) == 200
    assert docs.subject == "sync: +200 -0 =0 (docs)"


def test_max_pages_says_how_many_pages_are_taken_breadth_first(docs: Docs) -> None:
    docs.put("a", "b", "c")
    docs.put("a", links=["/docs/a/below"])
    docs.site.page("/docs/a/below", docs.site.pages["/docs/a"].body)
    ran = docs.ok("build", docs.url, "-o", "docs", "--max-pages", "3")
    assert docs.concepts() == paths("", "a", "b")
    assert "3" in ran.err and "warning: docs:" in ran.err
    docs.quiet()


def test_options_are_written_into_the_configuration(docs: Docs) -> None:
    docs.put("a", "b")
    docs.ok(
        "build", docs.url, "-o", "docs", "--max-depth", "2", "--max-pages", "50", "--exclude", "**/b",
        "--threshold", "0.25", "--no-robots", "--drop", ".ad", "--content", "main", "--ignore", "[0-9]+ views",
    )  # fmt: skip
    text = (docs.repo.path / ".okf.yaml").read_text()
    for line in ("max_depth: 2", "max_pages: 50", "threshold: 0.25", "robots: false", "content: main"):
        assert f"    {line}\n" in text + "\n", text
    assert docs.concepts() == paths("", "a")
    assert not docs.site.requests("/robots.txt")


def test_a_second_build_of_the_same_source_is_refused_before_any_request(docs: Docs) -> None:
    docs.build("a")
    docs.site.forget()
    before = everything(docs.repo)
    ran = docs.run("build", docs.url, "-o", "docs")
    assert ran.code == 2
    assert "there is a source 'docs' in .okf.yaml already" in ran.err and "git okf sync docs" in ran.err
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()


def test_uncommitted_edits_of_the_configuration_stop_a_build_before_any_request(docs: Docs) -> None:
    docs.build("a")
    docs.site.forget()
    docs.repo.write(".okf.yaml", (docs.repo.path / ".okf.yaml").read_text() + "    max_depth: 1\n")
    before = everything(docs.repo)
    ran = docs.run("build", docs.url, "-o", "other")
    assert ran.code == 128
    assert ".okf.yaml has uncommitted changes" in ran.err and "commit .okf.yaml first" in ran.err
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()


def test_a_build_that_fails_leaves_nothing_behind(docs: Docs) -> None:
    docs.repo.commit("mine", {"README": "mine\n"})
    before = everything(docs.repo)
    ran = docs.run("build", docs.url, "-o", "docs")
    assert ran.code == 2
    assert f"{docs.url} is not there: the server answered 404" in ran.err
    assert_same(before, everything(docs.repo))
    docs.build("a")
    assert docs.subject == "sync: +2 -0 =0 (docs)"


def test_a_dry_build_writes_nothing_anywhere(docs: Docs) -> None:
    docs.put("a")
    before = to_the_last_byte(docs.repo.path)
    ran = docs.ok("build", docs.url, "-o", "docs", "--dry-run")
    assert ran.out.startswith("✓ Dry run: docs  (would commit sync: +2 -0 =0 (docs); nothing was written)\n")
    assert_same(before, to_the_last_byte(docs.repo.path))


def test_build_answers_in_json(docs: Docs) -> None:
    docs.put("a")
    report = json.loads(docs.ok("build", docs.url, "-o", "docs", "--json").out)
    assert report["schema"] == 1
    assert report["sources"][0]["added"] == paths("", "a")
    assert report["sources"][0]["commit"] == docs.head


def test_build_takes_up_a_bundle_that_is_already_there(docs: Docs) -> None:
    """Removed from the configuration and built again: nothing changed, but the source has to be written down."""
    docs.build("a")
    docs.ok("remove", "docs")
    docs.repo.git("commit", "--quiet", "--all", "--message", "no docs any more")
    docs.ok("build", docs.url, "-o", "docs")
    assert "docs:" in docs.repo.git("show", "HEAD:.okf.yaml")
    assert docs.repo.git("status", "--porcelain") == ""
    docs.quiet()


def test_a_configuration_committed_while_a_build_reads_the_site_is_not_overwritten(docs: Docs) -> None:
    docs.put("a")
    theirs = "version: 1\n\nsources: {}\n"
    docs.site.when_asked("/docs/a", lambda: docs.repo.commit("theirs", {".okf.yaml": theirs}))
    ran = docs.run("build", docs.url, "-o", "docs")
    assert ran.code == 128
    assert ".okf.yaml was committed by somebody else" in ran.err
    assert docs.subject == "theirs"
    assert (docs.repo.path / ".okf.yaml").read_text() == theirs
    assert docs.repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_hash_06_build_and_add_keep_the_line_ends_of_the_configuration(docs: Docs, setting: str) -> None:
    """Those of the file for `add`, those of the commit for `build`; nothing is modified afterwards."""
    text = f"version: 1\nsources:\n  first: {{url: '{docs.url}', bundle: first}}\n"
    docs.repo.commit("ours", {".okf.yaml": text})
    docs.repo.git("config", "core.autocrlf", setting)
    (docs.repo.path / ".okf.yaml").unlink()
    docs.repo.git("checkout", "--", ".okf.yaml")
    there = (docs.repo.path / ".okf.yaml").read_bytes()
    assert (b"\r\n" in there) == (setting == "true")
    docs.put("a")
    docs.ok("build", docs.url, "-o", "docs")
    assert docs.repo.git("show", "HEAD:.okf.yaml").startswith(text)
    assert docs.repo.git("diff", "--stat", "HEAD^", "--", ".okf.yaml").endswith("1 file changed, 4 insertions(+)")
    assert docs.repo.git("status", "--porcelain") == ""
    now = (docs.repo.path / ".okf.yaml").read_bytes()
    assert now.startswith(there)
    docs.ok("add", docs.site.url + "other/", "-o", "other")
    assert (docs.repo.path / ".okf.yaml").read_bytes().startswith(now)
    docs.ok("remove", "other")
    assert (docs.repo.path / ".okf.yaml").read_bytes() == now
    assert docs.repo.git("status", "--porcelain") == ""


def test_workers_are_forked_where_everything_is_read_and_nowhere_else(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the lease, whose renewal is a thread."""
    holders: list[object] = []

    def fork(pool: LazyPool) -> None:
        holders.append(lease.holder(docs.repo.path / ".git" / "okf", "docs", lambda: datetime.now(UTC)))

    monkeypatch.setattr(LazyPool, "fork", fork)
    docs.build("a", "b")
    assert holders == [None]
    docs.put("a", version=2)
    docs.sync()
    docs.quiet()
    assert holders == [None]
    docs.sync("--rebuild")
    assert holders == [None, None]


def test_the_same_comes_of_forked_workers_and_of_none(docs: Docs, tmp_path: Path) -> None:
    docs.put(*(f"p{number}" for number in range(30)))
    docs.repo.commit(
        "configuration", {".okf.yaml": f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs}}}}\n"}
    )
    bodies = []
    for workers in ("1", "2", "5"):
        clone = tmp_path / workers
        docs.repo.git("clone", "--quiet", str(docs.repo.path), str(clone))
        ran = docs.program("sync", "--workers", workers, cwd=clone)
        assert ran.code == 0, ran.err
        made = sorted((clone / "docs" / "pages" / "docs").glob("p*.md"))
        bodies.append([(file.name, concept.parse(file.read_bytes()).body) for file in made])
    assert len(bodies[0]) == 30
    assert bodies[0] == bodies[1] == bodies[2]
