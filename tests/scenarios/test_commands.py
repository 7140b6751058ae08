"""The commands around a sync: status, log, show, add, remove, repair, verify; each in words and in JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from scenario import Docs, assert_same, next_second, paths, to_the_last_byte

ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00"


def data(docs: Docs, *args: str) -> Any:
    answer = json.loads(docs.ok(*args, "--json").out)
    assert answer["schema"] == 1
    return answer


# --- status ---


def test_status_says_what_is_known_of_each_source(docs: Docs) -> None:
    docs.build("a", "b")
    (source,) = data(docs, "status")["sources"]
    assert (source["name"], source["kind"], source["url"], source["bundle"]) == ("docs", "web", docs.url, "docs")
    assert (source["state"], source["items"], source["retained"], source["pending"]) == ("ACTIVE", 3, 0, 0)
    for name in ("last_success", "last_complete", "last_check"):
        assert re.fullmatch(ISO, source[name]), source[name]
    assert docs.ok("status").out.splitlines()[0] == f"docs  ACTIVE  3 items  {docs.url} -> docs"


def test_status_asks_no_server(docs: Docs) -> None:
    docs.build("a")
    docs.site.forget()
    docs.ok("status")
    docs.ok("log")
    docs.ok("show", docs.url + "a")
    docs.ok("verify")
    assert docs.site.requests() == []


def test_status_of_a_source_that_was_never_synced(docs: Docs) -> None:
    docs.put("a")
    docs.ok("add", docs.url, "-o", "docs")
    (source,) = data(docs, "status")["sources"]
    assert (source["state"], source["items"], source["last_success"]) == ("NEW", 0, "")
    assert "last success never, last check never here" in docs.ok("status").out


def test_status_counts_what_is_retained_pending_and_edited(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.put("new")
    docs.site.fault("/docs/a", status=500)
    docs.site.fault("/docs/new", status=500)
    docs.sync(code=3)
    docs.repo.commit("mine", {"docs/pages/docs/b.md": docs.file("b").read_text() + "\nMine.\n"})
    (source,) = data(docs, "status")["sources"]
    assert (source["items"], source["retained"], source["pending"], source["edited"]) == (4, 1, 1, 1)
    assert "retained 1, pending 1: git okf sync docs --retry-failed" in docs.ok("status").out
    assert "edited by hand 1" in docs.ok("status").out
    assert (source["task"], source["paths"]) == ("PARTIAL", {"RETRYABLE_FAILURE": 2, "UNCHANGED": 3})
    assert "  task PARTIAL, paths: 2 RETRYABLE_FAILURE, 3 UNCHANGED\n" in docs.ok("status").out


def test_status_tells_how_far_the_last_run_came(docs: Docs) -> None:
    docs.build("a", "b")
    assert "  task ACQUISITION_COMPLETE, paths: 3 ACCEPTED\n" in docs.ok("status").out
    docs.put("a", version=2)
    docs.sync()
    (source,) = data(docs, "status")["sources"]
    assert (source["task"], source["paths"]) == ("ACQUISITION_COMPLETE", {"ACCEPTED": 1, "UNCHANGED": 2})


def test_status_tells_the_last_success_from_the_last_check(docs: Docs) -> None:
    docs.build("a")
    built = data(docs, "status")["sources"][0]
    next_second()
    docs.quiet()
    quiet = data(docs, "status")["sources"][0]
    assert quiet["last_success"] == quiet["last_check"] > built["last_success"]
    assert quiet["last_complete"] == built["last_complete"]
    next_second()
    docs.put("b", "c", "d", "e", "f")
    docs.sync()
    docs.drop("a", "b", "c", "d", "e")
    synced = data(docs, "status")["sources"][0]
    next_second()
    docs.sync(code=1)
    aborted = data(docs, "status")["sources"][0]
    assert (aborted["last_success"], aborted["last_result"]) == (synced["last_success"], "aborted")
    assert aborted["last_check"] > synced["last_check"]
    assert docs.ok("status").out.splitlines()[1].endswith(" (aborted)")


# --- log ---


def test_log_lists_the_runs_that_changed_something_newest_first(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    docs.sync()
    docs.quiet()
    docs.repo.commit("mine", {"mine": "1\n"})
    runs = data(docs, "log")["runs"]
    assert [run["subject"] for run in runs] == ["sync: +0 -0 =1 (docs)", "sync: +2 -0 =0 (docs)"]
    assert runs[0]["commit"] == docs.repo.git("rev-parse", "HEAD^")
    assert runs[0]["report"]["updated"] == paths("a")
    line = docs.ok("log").out.splitlines()[0]
    assert re.fullmatch(rf"{runs[0]['commit'][:7]} {ISO} sync: \+0 -0 =1 \(docs\)  \d+ requests", line)


def test_log_is_bounded_and_can_be_of_one_source(docs: Docs) -> None:
    docs.build("a")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    for version in (2, 3):
        docs.put("a", version=version)
        docs.sync("docs")
    assert len(data(docs, "log")["runs"]) == 4
    assert len(data(docs, "log", "docs")["runs"]) == 3
    assert [run["source"] for run in data(docs, "log", "other", "-n", "5")["runs"]] == ["other"]
    assert [run["subject"] for run in data(docs, "log", "-n", "1")["runs"]] == ["sync: +0 -0 =1 (docs)"]


def test_log_without_notes_has_the_commits_all_the_same(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("update-ref", "-d", "refs/notes/okf")
    (run,) = data(docs, "log")["runs"]
    assert (run["subject"], run["report"]) == ("sync: +2 -0 =0 (docs)", None)
    assert docs.ok("log").out.endswith("sync: +2 -0 =0 (docs)\n")


def test_log_of_nothing(docs: Docs) -> None:
    assert docs.ok("log").out == "no runs yet\n"


# --- show ---


def asked_as(docs: Docs, how: str) -> tuple[str, Path]:
    return {
        "url": (docs.url + "a", docs.repo.path),
        "path from the root": ("docs/pages/docs/a.md", docs.repo.path),
        "path inside the bundle": ("pages/docs/a.md", docs.repo.path),
        "path from here": ("docs/a.md", docs.repo.path / "docs/pages"),
        "absolute path": (str(docs.file("a")), docs.repo.path / "docs"),
    }[how]


@pytest.mark.parametrize(
    "how", ["url", "path from the root", "path inside the bundle", "path from here", "absolute path"]
)
def test_show_finds_an_item_by_url_or_path(docs: Docs, how: str) -> None:
    docs.build("a", "b")
    item, cwd = asked_as(docs, how)
    shown = json.loads(docs.ok("show", item, "--json", cwd=cwd).out)
    assert (shown["source"], shown["url"], shown["path"]) == ("docs", docs.url + "a", "docs/pages/docs/a.md")
    assert f'content_hash: "{shown["content_hash"]}"' in docs.file("a").read_text()


def test_show_tells_since_when_and_by_which_commits(docs: Docs) -> None:
    first = docs.build("a", "b")
    docs.put("b", version=2)
    docs.sync()
    docs.put("a", version=2)
    docs.sync()
    shown = data(docs, "show", docs.url + "a")
    assert [commit[0] for commit in shown["commits"]] == [docs.head, first]
    assert (shown["since"], shown["last_changed"]) == (shown["commits"][1][1], shown["commits"][0][1])
    text = docs.ok("show", docs.url + "a").out
    assert text.startswith(f"url: {docs.url}a\npath: docs/pages/docs/a.md\ntitle: a\nhash: sha256:")
    assert text.endswith(f"  {first[:7]} {shown['since']} sync: +3 -0 =0 (docs)\n")


def test_show_finds_a_page_by_another_name_it_answers_to(docs: Docs) -> None:
    docs.put("a", links=["/docs/a/index.html"])
    docs.site.page("/docs/a/", docs.site.pages["/docs/a"].body)
    docs.site.page("/docs/a/index.html", docs.site.pages["/docs/a"].body)
    docs.ok("build", docs.url, "-o", "docs")
    assert docs.concepts() == paths("", "a")
    assert data(docs, "show", docs.url + "a/index.html")["path"] == "docs/pages/docs/a.md"


def test_show_of_what_is_not_there(docs: Docs) -> None:
    docs.build("a")
    ran = docs.run("show", docs.url + "nosuch")
    assert ran.code == 2
    assert f"no source has an item '{docs.url}nosuch'" in ran.err and "git okf explain URL" in ran.err


# --- add and remove ---


def test_add_writes_the_configuration_and_nothing_else(docs: Docs) -> None:
    before = docs.repo.snapshot()
    answer = data(docs, "add", docs.url, "-o", "docs/site", "--name", "guide")
    assert answer == {"schema": 1, "added": "guide", "url": docs.url, "bundle": "docs/site"}
    assert (docs.repo.path / ".okf.yaml").read_text() == (
        f"version: 1\n\nsources:\n  guide:\n    kind: web\n    url: {docs.url}\n    bundle: docs/site\n"
    )
    after = docs.repo.snapshot()
    assert {k: v for k, v in after.items() if k != "files"} == {k: v for k, v in before.items() if k != "files"}
    assert docs.repo.git("status", "--porcelain") == "?? .okf.yaml"
    assert not docs.site.requests()


def test_add_then_sync_does_what_build_does(docs: Docs) -> None:
    docs.put("a")
    ran = docs.ok("add", docs.url, "-o", "docs")
    assert ran.out == "✓ Added docs to .okf.yaml  (commit it, then: git okf sync docs)\n"
    docs.repo.git("add", ".okf.yaml")
    docs.repo.git("commit", "--quiet", "--message", "docs")
    assert docs.sync()["added"] == paths("", "a")
    docs.quiet()


def test_add_keeps_every_byte_that_was_there(docs: Docs) -> None:
    text = f"# ours\nversion: 1   # one\nsources:\n  docs: {{url: '{docs.url}', bundle: docs}}  # the docs\n"
    docs.repo.write(".okf.yaml", text)
    docs.ok("add", docs.site.url + "other/", "-o", "other")
    after = (docs.repo.path / ".okf.yaml").read_text()
    assert after.startswith(text)
    docs.ok("remove", "other")
    assert (docs.repo.path / ".okf.yaml").read_text() == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "nosuch"], "there is no kind 'nosuch'"),
        (["--name", "Not A Name"], "source name 'Not A Name' cannot be used"),
        (["-o", ".."], "is outside the repository"),
        (["-o", "docs"], "there is a source 'docs' in .okf.yaml already"),
        (["-o", "docs/inner"], "the bundles of docs and inner overlap"),
    ],
)
def test_add_refuses_what_cannot_be_and_leaves_the_file_alone(docs: Docs, words: list[str], said: str) -> None:
    docs.build("a")
    before = to_the_last_byte(docs.repo.path)
    ran = docs.run("add", docs.url, *words)
    assert ran.code == 2
    assert said in ran.err, ran.err
    assert_same(before, to_the_last_byte(docs.repo.path))


def test_without_sources_a_sync_says_that_there_are_none(docs: Docs) -> None:
    docs.repo.write(".okf.yaml", "version: 1\n")
    assert docs.ok("sync").out == "no sources in .okf.yaml: git okf build URL   adds one\n"
    assert json.loads(docs.ok("sync", "--json").out) == {"schema": 1, "sources": []}
    assert docs.ok("sync", "-q").out == ""
    assert docs.ok("status").out == "no sources\n"


def test_remove_leaves_the_bundle_and_its_history(docs: Docs) -> None:
    docs.build("a")
    head = docs.head
    answer = data(docs, "remove", "docs")
    assert answer == {"schema": 1, "removed": "docs", "bundle": "docs"}
    assert docs.file("a").is_file()
    assert docs.head == head
    assert docs.repo.git("status", "--porcelain") == " M .okf.yaml"
    assert docs.run("sync", "docs").code == 2


def test_remove_says_how_to_delete_the_bundle(docs: Docs) -> None:
    docs.build("a")
    assert docs.ok("remove", "docs").out == "✓ Removed docs from .okf.yaml  (its bundle docs stays: git rm -r docs)\n"


def test_remove_of_what_is_not_there(docs: Docs) -> None:
    docs.build("a")
    before = to_the_last_byte(docs.repo.path)
    ran = docs.run("remove", "nosuch")
    assert ran.code == 2
    assert "there is no source 'nosuch'" in ran.err
    assert_same(before, to_the_last_byte(docs.repo.path))


# --- verify ---


def test_verify_accepts_what_build_and_sync_wrote(docs: Docs) -> None:
    docs.build("a", "b", "sub/c")
    docs.put("a", version=2)
    docs.drop("sub/c")
    docs.put("d")
    docs.sync()
    assert docs.ok("verify").out.startswith("✓ Whole: ")
    assert data(docs, "verify")["whole"] is True


def test_verify_finds_an_edited_concept(docs: Docs) -> None:
    docs.build("a", "b")
    docs.file("a").write_text(docs.file("a").read_text() + "\nMine.\n")
    ran = docs.run("verify", "--json")
    assert ran.code == 1
    answer = json.loads(ran.out)
    assert answer["whole"] is False
    assert ("pages/docs/a.md", "edited") in {(finding["path"], finding["rule"]) for finding in answer["findings"]}
    ran = docs.run("verify")
    assert ran.code == 1
    assert "pages/docs/a.md:" in ran.out and "[edited]" in ran.out


def test_verify_of_a_directory_needs_no_repository(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    copy = tmp_path / "copy"
    copy.mkdir()
    docs.repo.git("--work-tree", str(copy), "checkout", "HEAD", "--", "docs")
    docs.repo.git("checkout", "HEAD", "--", "docs")
    assert docs.ok("verify", "docs", cwd=copy).out.startswith("✓ Whole: ")
    ran = docs.run("verify", "nosuch", cwd=copy)
    assert ran.code == 2
    assert "is no directory" in ran.err


# --- repair ---


def test_repair_answers_in_json_and_moves_the_state_alone(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
    refs = docs.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    (repaired,) = data(docs, "repair")["repaired"]
    assert (repaired["name"], repaired["items"], repaired["not_rebuilt"]) == ("docs", 3, [])
    after = docs.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    assert [line.split()[0] for line in after if line not in refs] == ["refs/heads/okf/state"]
    docs.tidy()
    assert docs.sync()["unchanged"] == 3
    docs.quiet()


# --- all of them ---


@pytest.mark.parametrize(
    "words", [["status"], ["log"], ["show", "x"], ["verify"], ["repair"], ["remove", "x"], ["sync"], ["build", "x"]]
)
def test_an_error_is_said_on_standard_error_and_as_json_on_standard_output(
    docs: Docs, words: list[str], tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    ran = docs.run(*words, "--json", cwd=nowhere)
    assert ran.code == 128
    error = json.loads(ran.out)["error"]
    assert error["code"] == "git" and "is not inside a git repository" in error["message"]
    assert ran.err.startswith(f"error: {error['message']}")
