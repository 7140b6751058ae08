"""`git okf sync`: the delta of two page sets, what is written for it, and what is said."""

from __future__ import annotations

import json
import re

from scenario import Docs, next_second, paths


def test_the_delta_is_exactly_what_changed(docs: Docs) -> None:
    docs.build("a", "b", "c", "d")
    docs.put("b", version=2)
    docs.drop("d")
    docs.put("e")
    report = docs.sync()
    assert report["added"] == paths("e")
    assert report["updated"] == paths("b")
    assert report["removed"] == paths("d")
    assert report["moved"] == []
    assert report["unchanged"] == 3
    assert docs.subject == "sync: +1 -1 =1 (docs)"
    assert docs.concepts() == paths("", "a", "b", "c", "e")
    assert "version 2" in docs.file("b").read_text()
    assert not docs.file("d").exists()
    docs.quiet()


def test_a_page_linked_from_a_new_page_is_found_in_the_same_run(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", links=["/docs/new"])
    docs.site.page("/docs/new", docs.site.pages["/docs/a"].body.replace(b"about a", b"about new"))
    report = docs.sync()
    assert (report["added"], report["updated"]) == (paths("new"), [])


def test_hash_02_unchanged_files_keep_their_bytes_and_their_times(docs: Docs) -> None:
    docs.build("a", "b", "sub/c")
    kept = [docs.file(name) for name in ("", "a", "sub/c")]
    kept += [docs.repo.path / ".okf.yaml", docs.repo.path / "docs/pages/docs/sub/index.md"]
    before = [(p.read_bytes(), p.stat().st_mtime_ns, p.stat().st_ino) for p in kept]
    docs.put("b", version=2)
    docs.put("d")
    docs.sync()
    assert [(p.read_bytes(), p.stat().st_mtime_ns, p.stat().st_ino) for p in kept] == before


def test_directories_left_empty_vanish_with_their_listing(docs: Docs) -> None:
    docs.build("a", "deep/er/one", "deep/er/two")
    docs.drop("deep/er/one")
    docs.sync()
    assert sorted(p.name for p in (docs.repo.path / "docs/pages/docs/deep/er").iterdir()) == ["index.md", "two.md"]
    docs.drop("deep/er/two")
    docs.sync()
    assert not (docs.repo.path / "docs/pages/docs/deep").exists()
    assert "deep" not in (docs.repo.path / "docs/pages/docs/index.md").read_text()


def test_listings_change_only_when_what_they_list_changes(docs: Docs) -> None:
    """The root's also holds the date of the last change."""
    docs.build("a", "sub/b")
    next_second()
    docs.put("sub/b", text=f"{docs.texts['sub/b']} One more sentence.")
    docs.sync()
    changed = docs.repo.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert changed == ["docs/index.md", "docs/log.md", "docs/pages/docs/sub/b.md"]
    difference = docs.repo.git("show", "--unified=0", "--format=", "HEAD", "--", "docs/index.md").splitlines()
    assert [line[:14] for line in difference[-2:]] == ["-Last change: ", "+Last change: "]
    next_second()
    docs.put("sub/c")
    docs.sync()
    changed = docs.repo.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert changed == ["docs/index.md", "docs/log.md", "docs/pages/docs/sub/c.md", "docs/pages/docs/sub/index.md"]


def test_the_log_gets_an_entry_for_every_run_that_changed_something(docs: Docs) -> None:
    docs.build("a", "b")
    log = docs.repo.path / "docs/log.md"
    first = log.read_text()
    docs.quiet()
    assert log.read_text() == first
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("c")
    docs.sync()
    entries = [line for line in log.read_text().splitlines() if line.startswith("* ")]
    assert len(entries) == 2
    assert re.fullmatch(
        r"\* \*\*Update\*\* at \d\d:\d\d:\d\dZ, \+1 -1 =1: removed `pages/docs/b.md`; updated `pages/docs/a.md`; "
        r"added `pages/docs/c.md`",
        entries[0],
    )
    assert entries[1] in first


def test_the_commit_lists_the_changed_paths_and_ends_in_trailers(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("c")
    report = docs.sync()
    assert docs.repo.git("log", "-1", "--format=%B") == (
        "sync: +1 -1 =1 (docs)\n\n"
        "+ pages/docs/c.md\n- pages/docs/b.md\n= pages/docs/a.md\n\n"
        f"Okf-Source: docs\nOkf-Run: {report['run']}\nOkf-Unchanged: 1\n"
    )
    trailers = docs.repo.git("log", "-1", "--format=%(trailers:only)").splitlines()
    assert trailers[:3] == ["Okf-Source: docs", f"Okf-Run: {report['run']}", "Okf-Unchanged: 1"]


def test_the_list_in_a_commit_is_bounded(docs: Docs) -> None:
    docs.build(*(f"p{i:03}" for i in range(120)))
    body = docs.repo.git("log", "-1", "--format=%b").splitlines()
    assert sum(line.startswith("+ ") for line in body) == 100
    assert "... and 21 more" in body
    assert docs.repo.git("log", "-1", "--format=%(trailers:key=Okf-Unchanged)").strip() == "Okf-Unchanged: 0"


def test_a_run_says_what_it_did_word_by_word(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("d", "e")
    ran = docs.ok("sync")
    assert ran.out == (
        f"✓ Synced bundle: docs  ({docs.head[:7]} sync: +2 -1 =1 (docs))\n"
        "  Added: 2\n  Updated: 1\n  Removed: 1\n  Unchanged: 2\n"
    )
    assert ran.err == ""
    assert docs.ok("sync").out == "✓ Up to date: docs (5 unchanged)\n"


def test_retained_items_are_said_with_the_reason(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/a", status=503)
    docs.put("b", version=2)
    ran = docs.run("sync")
    assert ran.code == 3
    assert ran.out == (
        f"✓ Synced bundle: docs  ({docs.head[:7]} sync: +0 -0 =1 (docs))\n"
        "  Added: 0\n  Updated: 1\n  Removed: 0\n  Unchanged: 1\n"
        "  Retained: 1\n  Why: 503 Service Unavailable (1)\n"
    )


def test_quiet_says_nothing_but_errors(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    ran = docs.ok("sync", "-q")
    assert (ran.out, ran.err) == ("", "")


def test_verbose_names_every_path_and_what_came_of_it(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("d")
    docs.site.fault("/docs/c", status=500)
    ran = docs.run("sync", "-v")
    assert ran.code == 3
    said = [line for line in ran.err.splitlines() if line.startswith("docs: ")]
    assert said[:4] == [
        "docs: added: pages/docs/d.md",
        "docs: updated: pages/docs/a.md",
        "docs: removed: pages/docs/b.md",
        "docs: retained: pages/docs/c.md: RETRYABLE_FAILURE: 500 Internal Server Error",
    ]
    assert re.match(r"docs: \d+ requests, 0 not modified, 3 fetched, 3 extracted, \d+ bytes, ", said[-1])


def test_the_json_of_a_run_is_the_contract_key_by_key(docs: Docs) -> None:
    base = docs.build("a", "b", "c")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("d")
    docs.site.forget()
    ran = docs.ok("sync", "--json")
    data = json.loads(ran.out)
    assert list(data) == ["schema", "sources"]
    assert data["schema"] == 1
    (report,) = data["sources"]
    contract = {
        "name", "kind", "result", "exit_code", "run", "generation", "base", "commit", "branch", "complete",
        "incomplete_reasons", "added", "updated", "removed", "moved", "rerendered", "unchanged", "retained", "found",
        "known", "requests", "not_modified", "fetched", "extracted", "bytes", "duration_s", "guard", "error",
        "retry_at",
    }  # fmt: skip
    assert contract <= report.keys()
    exact = {
        "name": "docs",
        "kind": "web",
        "result": "synced",
        "exit_code": 0,
        "generation": 2,
        "base": base,
        "commit": docs.head,
        "branch": "main",
        "complete": True,
        "incomplete_reasons": [],
        "added": paths("d"),
        "updated": paths("a"),
        "removed": paths("b"),
        "moved": [],
        "rerendered": [],
        "unchanged": 2,
        "retained": [],
        "found": 4,
        "known": 4,
        "not_modified": 1,
        "fetched": 3,
        "extracted": 3,
        "guard": None,
        "error": None,
        "retry_at": None,
    }
    assert {key: report[key] for key in exact} == exact
    assert report["requests"] == len(docs.site.requests())
    assert report["bytes"] > 0 and report["duration_s"] > 0
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{8}", report["run"])


def test_sources_are_synced_one_after_another_and_by_name(docs: Docs) -> None:
    docs.build("a")
    for path in ("/other/", "/third/"):
        docs.site.page(path, docs.site.pages["/docs/a"].body.replace(b"about a", path.encode()))
        docs.ok("build", docs.site.url + path.strip("/") + "/", "-o", path.strip("/"))
        docs.site.page(path, docs.site.pages[path].body.replace(b"version 1", b"version 2"))
    docs.put("a", version=2)
    ran = docs.ok("sync", "third", "docs")
    assert re.findall(r"bundle: (\S+)", ran.out) == ["third", "docs"]
    assert docs.repo.git("log", "-2", "--format=%s") == "sync: +0 -0 =1 (docs)\nsync: +0 -0 =1 (third)"
    ran = docs.ok("sync")
    assert ran.out.splitlines()[0] == "✓ Up to date: docs (2 unchanged)"
    assert "✓ Synced bundle: other" in ran.out


def test_the_trouble_of_one_source_does_not_stop_the_next(docs: Docs) -> None:
    docs.build("a")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    docs.site.page("/other/", docs.site.pages["/other/"].body.replace(b"version 1", b"version 2"))
    docs.site.fault("/docs/", drop=True)
    ran = docs.run("sync", "--json")
    assert ran.code == 4
    assert [source["result"] for source in json.loads(ran.out)["sources"]] == ["unavailable", "synced"]
    assert docs.subject == "sync: +0 -0 =1 (other)"


def test_the_time_of_a_concept_changes_only_with_the_concept(docs: Docs) -> None:
    docs.build("a", "b")
    stamp = re.compile(r"crawled_at: \S+")
    before = {name: stamp.findall(docs.file(name).read_text()) for name in ("a", "b")}
    docs.put("a", version=2)
    docs.sync()
    after = {name: stamp.findall(docs.file(name).read_text()) for name in ("a", "b")}
    assert after["b"] == before["b"] and len(after["a"]) == 1


def test_a_change_of_title_or_navigation_alone_is_no_update(docs: Docs) -> None:
    docs.build("a")
    body = docs.site.pages["/docs/a"].body
    docs.site.page("/docs/a", body.replace(b"<title>a</title>", b"<title>A, renamed</title>"))
    docs.quiet()
    docs.site.page("/docs/a", body.replace(b"<nav>", b"<nav><p>New: a banner</p>"))
    docs.quiet()


def test_max_depth_and_max_pages_count_for_one_run_and_are_not_remembered(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", links=["/docs/a/below"])
    docs.site.page("/docs/a/below", docs.site.pages["/docs/b"].body.replace(b"about b", b"below"))
    assert docs.sync("--max-depth", "1")["added"] == []
    assert docs.sync("--max-pages", "3")["added"] == []
    assert "max_" not in (docs.repo.path / ".okf.yaml").read_text()
    assert docs.sync()["added"] == paths("a/below")


def test_a_run_limited_to_fewer_pages_than_are_known_removes_none(docs: Docs) -> None:
    docs.build("a", "b", "c", "d", "e", "f")
    report = docs.sync("--max-pages", "2")
    assert (report["removed"], report["commit"]) == ([], None)
    assert docs.concepts() == paths("", "a", "b", "c", "d", "e", "f")
    report = docs.sync("--max-depth", "0")
    assert (report["removed"], report["commit"]) == ([], None)
