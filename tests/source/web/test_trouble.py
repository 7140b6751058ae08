"""Rate limits, outages, resuming, retrying, and sentences for a start page that is none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import pytest
from observing import Bodies, Docs, document, found, no_sleep, paths, side, small_site, tools

from git_okf.errors import SourceUnavailable, UsageError
from git_okf.model import Failed, Status
from git_okf.source import Ask
from git_okf.source.web import walk
from git_okf.source.web.site import WebSite
from git_okf.workers import INLINE_BYTES, LazyPool


def test_http_01_a_host_that_wants_to_be_left_alone_is_rate_limited_not_down(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=429, headers={"Retry-After": "7200"})
    with pytest.raises(SourceUnavailable) as stopped:
        docs.look()
    assert stopped.value.rate_limited
    assert stopped.value.retry_at == "2026-11-30T02:00:00+00:00"


def test_http_01_patience_gets_every_page(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)))
    for n in range(20):
        docs.page(f"/{n}")
    docs.site.fault("/*[0-9]", status=429, times=6, headers={"Retry-After": "1"})
    assert len(found(docs.look())) == 21


def test_http_02_only_what_failed_is_asked_again(docs: Docs) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)))
    for n in range(20):
        docs.page(f"/{n}")
    docs.sync()
    docs.site.fault("/[345]", status=500)
    docs.sync()
    docs.site.heal()
    seen = docs.sync(Ask(retry_failed=True))
    assert sorted(docs.asked()) == ["/3", "/4", "/5"]
    assert len(seen.outcomes) == 3
    assert docs.delta.retained == () or {r.outcome for r in docs.delta.retained} == {"RETRYABLE_FAILURE"}
    docs.sync()
    assert docs.delta.unchanged == 21


@pytest.mark.parametrize("saved", [1, 7, 15])
def test_http_03_a_resumed_run_comes_to_the_same(docs: Docs, saved: int) -> None:
    docs.page("/", *(f"/{n}" for n in range(20)), "/3/")
    for n in range(20):
        docs.page(f"/{n}")
    docs.page("/3/", name="3")
    spool = Bodies()
    whole = docs.look(spool=spool)
    cut = Bodies(bodies=dict(spool.bodies), saved=dict(list(spool.saved.items())[:saved]))
    resumed = docs.look(spool=cut)
    assert list(resumed.outcomes.items()) == list(whole.outcomes.items())
    assert resumed.side == whole.side
    assert len(docs.asked("/?*")) == 22 - saved


def test_an_unreachable_seed_is_an_outage(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/", status=502)
    with pytest.raises(SourceUnavailable):
        docs.look()
    with pytest.raises(SourceUnavailable):
        docs.look(url="http://127.0.0.1:9/", robots=False)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [(b"%PDF-1.4", "application/pdf", "PDF"), (b"{}", "application/json", "application/json")],
)
def test_a_seed_that_is_no_page_is_said_in_one_sentence(docs: Docs, body: bytes, kind: str, words: str) -> None:
    docs.site.page("/", body, type=kind)
    with pytest.raises(UsageError, match=words):
        docs.look()


def test_a_seed_that_is_not_there_is_said_in_one_sentence(docs: Docs) -> None:
    with pytest.raises(UsageError, match="404"):
        docs.look()


def test_a_seed_that_leads_away_names_where(docs: Docs) -> None:
    docs.site.redirect("/", "http://new.invalid/docs/")
    with pytest.raises(UsageError, match=r"new\.invalid"):
        docs.look()


def test_broken_links_are_said_and_leave_the_run_complete(docs: Docs) -> None:
    docs.page("/", "/none")
    seen = docs.sync()
    assert seen.complete
    assert any("/none" in notice for notice in seen.notices)
    docs.page("/none")
    assert paths(docs, docs.sync()) == {"/", "/none"}


def test_every_known_page_has_an_outcome(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.fault("/api/", status=500)
    docs.site.remove("/guide/install")
    seen: Mapping[str, object] = docs.look(exclude=("/guide/",)).outcomes
    assert set(docs.known) - {r.key for r in docs.known.values() if r.status is not Status.PAGE} <= set(seen)


def test_records_of_another_time_are_read_without_their_links(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    bare = {
        key: replace(r, links=(), etag="", last_modified="", raw_hash="", fingerprint="")
        for key, r in docs.known.items()
    }
    docs.known = bare
    seen = docs.sync()
    assert len(found(seen)) == 4
    assert seen.unlinked == frozenset()


def test_a_link_that_redirects_for_now_is_asked_again_and_one_that_moved_for_good_is_not(docs: Docs) -> None:
    docs.page("/", "/a", "/soon", "/old")
    docs.page("/a")
    docs.site.redirect("/soon", "/a", status=302)
    docs.site.redirect("/old", "/a", status=301)
    docs.sync()
    docs.sync()
    assert docs.asked("/soon") == ["/soon"]
    assert docs.asked("/old") == []
    assert docs.site.bodies() == 0
    docs.site.heal()
    docs.page("/soon")
    assert docs.key("/soon") in found(docs.sync())


def test_http_04_a_page_that_takes_for_ever_to_read_ends_its_own_reading(docs: Docs) -> None:
    docs.page("/", "/a", "/trap", "/b")
    for name in "ab":
        docs.page(f"/{name}")
    attributes = " ".join(f"a{n}" for n in range(40_000))
    docs.site.page("/trap", document("trap").replace("<main>", f"<main {attributes}>"))
    pool = LazyPool(2, inline_calls=9, longest=0.5)
    seen = WebSite(docs.source(), {}, sleep=no_sleep).observe({}, Ask(), replace(tools(), executor=lambda: pool))
    pool.shutdown()
    assert paths(docs, seen) == {"/", "/a", "/b"}
    assert side(seen, Status.REFUSED) == {
        docs.key("/trap"): "reading it takes too long, or too much memory: its worker died of it"
    }


def test_where_no_worker_can_be_started_pages_are_read_all_the_same(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("git_okf.worker.work", die_at_birth)
    docs.page("/", "/a", "/large", "/b")
    for name in "ab":
        docs.page(f"/{name}")
    docs.site.page("/large", document("large") + " " * INLINE_BYTES)
    pool = LazyPool(2, inline_calls=0)
    seen = WebSite(docs.source(), {}, sleep=no_sleep).observe({}, Ask(), replace(tools(), executor=lambda: pool))
    pool.shutdown()
    assert paths(docs, seen) == {"/", "/a", "/b"}
    (reason,) = side(seen, Status.REFUSED).values()
    assert reason.startswith("reading it failed: RuntimeError: there are no workers")


def die_at_birth(pipe: object, longest: float) -> None:
    os._exit(4)


@pytest.mark.parametrize("status", [301, 302])
def test_http_04_redirects_from_key_to_key_end(docs: Docs, status: int) -> None:
    docs.page("/", "/r0", "/a")
    docs.page("/a")
    for n in range(60):
        docs.site.redirect(f"/r{n}", f"/r{n + 1}", status=status)
    for _ in range(3):
        assert paths(docs, docs.sync()) == {"/", "/a"}
        assert len(docs.asked("/r*")) <= 11
    assert docs.known[docs.key("/r10")].target == "redirected more than 10 times in a row"
    assert docs.key("/r11") not in docs.known


def test_a_trap_of_links_that_are_no_pages_ends(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "SPARE_ASKS", 20)
    docs.page("/", *(f"/{n}" for n in range(100)))
    seen = docs.sync(max_pages=3)
    assert len(docs.asked()) == 51
    assert seen.incomplete_reasons == ("max_pages 3 reached: 50 links not followed",)


def test_sec_07_what_is_wrong_with_an_answer_is_said_in_one_line(docs: Docs) -> None:
    docs.page("/", "/a")
    docs.site.fault("/a", status=200, headers={"Content-Length": "-5"})
    seen = docs.look()
    (reason,) = (o.reason for o in seen.outcomes.values() if isinstance(o, Failed))
    assert reason.startswith("not an HTTP answer: ")
    assert reason.isprintable()
