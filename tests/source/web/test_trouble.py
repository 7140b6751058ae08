"""Rate limits, outages, resuming, retrying, and sentences for a start page that is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from observing import Bodies, Docs, found, paths, small_site

from git_okf.errors import SourceUnavailable, UsageError
from git_okf.model import Status
from git_okf.source import Ask


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
    assert docs.asked() == ["/3", "/4", "/5"]
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
