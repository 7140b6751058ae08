"""One scenario for every row of the outcome table: what comes of asking for one page."""

from __future__ import annotations

import pytest
from scenario import WORDS, Docs, document, paths


def retained(report: dict[str, list[dict[str, str]]]) -> list[tuple[str, str]]:
    return [(item["path"], item["outcome"]) for item in report["retained"]]


FAILURES = {
    "reset": {"drop": True},
    "short body": {"cut": 60},
    "408": {"status": 408},
    "500": {"status": 500},
    "503": {"status": 503},
    "empty": {"body": b"<html><body><div id=root></div></body></html>"},
}


@pytest.mark.parametrize("fault", FAILURES.values(), ids=FAILURES)
def test_del_01_a_page_that_fails_keeps_file_and_history_and_is_asked_again(
    docs: Docs, fault: dict[str, object]
) -> None:
    docs.build("a", "b", "c")
    text = docs.file("a").read_bytes()
    wrong = docs.site.fault("/docs/a", **fault)
    docs.put("a", "b", version=2)
    report = docs.sync(code=3)
    assert report["result"] == "partial"
    assert retained(report) == [(*paths("a"), "RETRYABLE_FAILURE")]
    assert (report["removed"], report["updated"]) == ([], paths("b"))
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert docs.file("a").read_bytes() == text
    docs.site.heal(wrong)
    docs.put("a", version=3)
    assert docs.sync()["updated"] == paths("a")
    docs.quiet()


def test_del_01_most_pages_failing_removes_none(docs: Docs) -> None:
    docs.build(*"abcdefgh")
    docs.site.fault("/docs/[b-h]", status=503)
    report = docs.sync(code=1)
    assert (report["removed"], report["guard"]["name"]) == ([], "page-count")
    assert docs.concepts() == paths("", *"abcdefgh")
    report = docs.sync("--force", code=3)
    assert report["removed"] == []
    assert docs.concepts() == paths("", *"abcdefgh")


def test_a_page_that_goes_on_failing_is_committed_once_only(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/a", status=500)
    head = docs.head
    for _ in range(3):
        assert docs.sync(code=3)["commit"] is None
    assert docs.head == head


def test_http_02_retry_failed_asks_only_for_what_failed(docs: Docs) -> None:
    docs.build(*"abcdefgh")
    wrong = docs.site.fault("/docs/[ab]", status=500)
    docs.sync(code=3)
    docs.site.heal(wrong)
    docs.put("a", "c", version=2)
    docs.site.forget()
    report = docs.sync("--retry-failed")
    assert report["updated"] == paths("a")
    assert {r.path for r in docs.site.requests("/docs/*")} == {"/docs/a", "/docs/b"}
    assert docs.sync()["updated"] == paths("c")


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_asked_again_and_removed(docs: Docs, status: int) -> None:
    """Twice is evidence; where the site itself still links to the page, it is asked a last time."""
    docs.build("a", "b", "c")
    docs.site.fault("/docs/a", status=status)
    docs.site.forget()
    report = docs.sync()
    assert (report["removed"], report["complete"]) == (paths("a"), True)
    assert len(docs.site.requests("/docs/a", method="GET")) == 3
    docs.quiet()


def test_page_05_a_page_that_is_gone_only_the_first_time_it_is_asked_stays(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.site.fault("/docs/a", status=404, times=1)
    assert docs.sync()["removed"] == []
    assert docs.concepts() == paths("", "a", "b", "c")


def test_page_05_with_two_gone_runs_a_page_that_comes_back_was_never_removed(docs: Docs) -> None:
    docs.build("a", "b", "c")
    file = docs.repo.path / ".okf.yaml"
    docs.repo.commit("configure", {".okf.yaml": file.read_text() + "    removal: {gone_runs: 2}\n"})
    removals = 0
    for status in (200, 404, 200, 404, 404, 404):
        docs.site.heal()
        if status == 404:
            docs.site.fault("/docs/a", status=404)
        ran = docs.run("sync")
        assert ran.code in (0, 3), ran.err
        removals += "-1 " in docs.subject
    assert docs.repo.git("log", "--format=%s").count("-1 ") == 1
    assert docs.concepts() == paths("", "b", "c")


def test_del_06_a_page_nobody_links_to_is_kept_once_and_removed_the_second_time(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.unlink("a")
    report = docs.sync()
    assert (report["removed"], report["unchanged"]) == ([], 4)
    item = docs.ok("show", docs.url + "a").out
    assert "missing since: " in item
    report = docs.sync()
    assert report["removed"] == paths("a")
    assert docs.subject == "sync: +0 -1 =0 (docs)"
    docs.quiet()


def test_del_06_a_page_that_is_linked_again_counts_from_nothing(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.unlink("a")
    docs.sync()
    docs.put("a")
    docs.sync()
    assert "missing since" not in docs.ok("show", docs.url + "a").out
    docs.unlink("a")
    assert docs.sync()["removed"] == []


def test_del_06_a_site_that_lists_less_each_time_loses_nothing_in_one_run(docs: Docs) -> None:
    names = [f"p{i:02}" for i in range(20)]
    docs.build(*names)
    docs.unlink(*names[12:])
    assert docs.sync()["removed"] == []
    docs.put(*names[12:])
    docs.unlink(*names[8:12])
    assert docs.sync()["removed"] == []
    assert len(docs.concepts()) == 21


def test_hash_08_a_moved_page_is_one_commit_and_git_follows_it(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.move("/docs/a", "/docs/guide/new")
    docs.texts["guide/new"] = docs.texts.pop("a")
    docs.put("b", version=2)
    report = docs.sync()
    assert docs.subject == "sync: +1 -1 =1 (docs)"
    assert report["moved"] == [[*paths("a"), *paths("guide/new")]]
    assert (report["added"], report["removed"]) == (paths("guide/new"), paths("a"))
    assert "> pages/docs/a.md to pages/docs/guide/new.md" in docs.repo.git("log", "-1", "--format=%b")
    followed = docs.repo.git("log", "--follow", "--format=%s", "--", "docs/pages/docs/guide/new.md").splitlines()
    assert followed == ["sync: +1 -1 =1 (docs)", "sync: +3 -0 =0 (docs)"]
    docs.quiet()


def test_hash_08_a_page_with_the_same_text_elsewhere_is_a_move_without_a_redirect(docs: Docs) -> None:
    docs.build("a", "b")
    body = docs.site.pages["/docs/a"].body
    docs.drop("a")
    docs.put("elsewhere")
    docs.site.page("/docs/elsewhere", body)
    report = docs.sync()
    assert report["moved"] == [[*paths("a"), *paths("elsewhere")]]
    assert "  Moved: 1 (counted as added and removed)" not in docs.ok("sync").out


def test_a_temporary_redirect_is_no_move(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.redirect("/docs/a", "/docs/b", status=302)
    report = docs.sync(code=3)
    assert (report["moved"], report["removed"]) == ([], [])
    assert retained(report)[0][0] == paths("a")[0]


def test_a_redirect_that_leaves_the_source_removes_nothing(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.redirect("/docs/a", "/elsewhere/")
    docs.site.page("/elsewhere/", document("Elsewhere", WORDS))
    report = docs.sync(code=3)
    assert (report["moved"], report["removed"]) == ([], [])
    assert docs.concepts() == paths("", "a", "b")


def test_a_page_that_robots_txt_forbids_now_is_kept_and_said(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /docs/a\n", type="text/plain")
    report = docs.sync()
    assert retained(report) == [(*paths("a"), "IGNORED")]
    assert "robots.txt" in report["retained"][0]["reason"]
    assert docs.concepts() == paths("", "a", "b", "c")


def test_url_09_robots_txt_that_cannot_be_read_stops_the_run(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/robots.txt", status=503)
    docs.site.forget()
    docs.sync(code=4)
    assert not docs.site.requests("/docs/*")


def test_a_page_that_asks_not_to_be_taken_is_kept_if_known_and_never_added(docs: Docs) -> None:
    docs.build("a", "b")
    for name in ("a", "new"):
        docs.put(name)
        head = '<meta name="robots" content="noindex">'
        docs.site.page(f"/docs/{name}", document(name, docs.texts[name], ["/docs/"], head=head))
    report = docs.sync()
    assert report["added"] == []
    assert retained(report) == [(*paths("a"), "IGNORED")]


def test_page_01_a_block_page_is_never_committed(docs: Docs) -> None:
    docs.build(*"abcdefgh")
    challenge = (
        "<!doctype html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
        '<p>Please wait.</p><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>'
        "</body></html>"
    )
    docs.site.fault("/docs/[ab]", body=challenge.encode())
    report = docs.sync(code=3)
    assert (report["updated"], report["removed"]) == ([], [])
    assert [path for path, _ in retained(report)] == paths("a", "b")
    assert "suspect" in report["retained"][0]["reason"]
    assert "moment" not in docs.file("a").read_text()


def test_page_06_a_binary_is_no_page(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", links=["/docs/manual.pdf", "/docs/other"])
    docs.site.page("/docs/manual.pdf", b"%PDF-1.7\n" + bytes(range(256)), type="text/html")
    docs.site.page("/docs/other", b"PK\x03\x04" + bytes(200), type="text/html")
    docs.sync()
    assert docs.concepts() == paths("", "a")
    docs.quiet()


def test_a_new_page_that_fails_is_pending_and_asked_first_next_time(docs: Docs) -> None:
    docs.build("a")
    docs.put("new")
    wrong = docs.site.fault("/docs/new", status=500)
    report = docs.sync(code=3)
    assert [(r["path"], r["key"], r["outcome"]) for r in report["retained"]] == [
        ("", docs.url + "new", "RETRYABLE_FAILURE")
    ]
    for expected in (3, 3, 0, 0):
        docs.sync(code=expected)
    docs.site.heal(wrong)
    assert docs.sync()["added"] == paths("new")
    docs.quiet()


def test_a_broken_link_to_what_never_existed_is_said_and_leaves_exit_0(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", links=["/docs/never"])
    report = docs.sync()
    assert (report["added"], report["retained"]) == ([], [])
    docs.quiet()


def test_the_start_page_gone_for_now_leaves_the_bundle_alone(docs: Docs) -> None:
    docs.build(*"abcdef")
    docs.site.fault("/docs/", status=404)
    ran = docs.run("sync")
    assert ran.code in (0, 1, 3)
    assert set(paths(*"abcdef")) <= set(docs.concepts())


def test_time_budget_ends_a_run_that_takes_too_long(docs: Docs) -> None:
    docs.build(*"abcdef")
    file = docs.repo.path / ".okf.yaml"
    docs.repo.commit("configure", {".okf.yaml": file.read_text() + "    concurrency: 1\n"})
    docs.put("a", version=2)
    docs.site.fault("/docs/[b-f]", delay=0.4)
    report = docs.sync("--time-budget", "0.3s", "--threshold", "0", code=3)
    assert (report["complete"], report["removed"]) == (False, [])
    assert "the time budget is used up" in report["incomplete_reasons"][0]
