"""Pages are merged on evidence, and on nothing less."""

from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.identity import Merge, Names, copied_prefixes

SITE = "https://docs.example.com"


def key(path: str) -> str:
    return SITE + path


def test_a_spelling_with_the_same_body_is_another_name() -> None:
    names = Names()
    assert names.new(key("/guide"), "body", "raw", "") == ()
    assert names.new(key("/guide/"), "body", "raw2", "") == (Merge(key("/guide/"), key("/guide")),)


def test_the_bytes_are_evidence_where_relative_links_make_bodies_differ() -> None:
    names = Names()
    names.new(key("/guide"), "body with ../x", "raw", "")
    assert names.new(key("/guide/"), "body with x", "raw", "") == (Merge(key("/guide/"), key("/guide")),)


def test_equal_bodies_alone_are_no_reason() -> None:
    names = Names()
    names.new(key("/a"), "body", "raw", "")
    assert names.new(key("/b"), "body", "raw", "") == ()
    assert names.is_copy(key("/c"), "body")
    assert not names.is_copy(key("/c"), "other")


def test_the_canonical_name_wins_over_the_one_linked_first() -> None:
    names = Names()
    names.new(key("/guide"), "body", "raw", key("/guide/"))
    assert names.new(key("/guide/"), "body", "raw", key("/guide/")) == (Merge(key("/guide"), key("/guide/")),)


def test_a_known_page_keeps_its_key() -> None:
    names = Names()
    names.known(key("/guide/"), "body", "raw")
    assert names.new(key("/guide"), "body", "raw", "") == (Merge(key("/guide"), key("/guide/")),)
    assert names.new(key("/p"), "body", "raw", key("/guide/")) == (Merge(key("/p"), key("/guide/")),)


def test_claims_of_different_pages_are_reported_and_cost_nothing() -> None:
    names = Names()
    names.new(key("/"), "home", "r0", key("/"))
    for n in range(3):
        assert names.new(key(f"/{n}"), f"body {n}", f"r{n + 1}", key("/")) == ()
    assert names.conflicts() == ((key("/"), 3),)


def test_canonical_urls_that_lead_nowhere_are_not_asked_for_ever() -> None:
    names = Names()
    for n in range(5):
        names.new(key(f"/{n}"), f"body {n}", f"r{n}", key(f"/gone/{n}"))
        assert names.worth_asking(key(f"/gone/{n}"))
        names.claim_was_broken(key(f"/gone/{n}"))
    names.new(key("/5"), "body 5", "r5", key("/gone/5"))
    assert not names.worth_asking(key("/gone/5"))


PAGES = st.lists(
    st.tuples(
        st.sampled_from([key(f"/{a}{b}") for a in "abAB" for b in ("", "/", ".html", "/index.html")]),
        st.sampled_from(["one", "two", "three"]),
        st.sampled_from(["", *(key(f"/{a}{b}") for a in "ab" for b in ("", "/"))]),
        st.booleans(),
    ),
    unique_by=lambda page: page[0],
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(PAGES)
def test_merging_loses_no_body_and_no_known_page(pages: list[tuple[str, str, str, bool]]) -> None:
    names = Names()
    kept: dict[str, str] = {}
    known = [page for page in pages if page[3]]
    for name, body, _, _ in known:
        names.known(name, body, f"raw {name}")
        kept[name] = body
    for name, body, canonical, is_known in pages:
        if is_known:
            continue
        kept[name] = body
        for merge in names.new(name, body, f"raw {name}", canonical):
            assert kept.pop(merge.alias) == kept[merge.into]
    assert {name for name, *_ in known} <= kept.keys()
    assert set(kept.values()) == {body for _, body, _, _ in pages}
    assert dict(names.contents()) == kept


def version(name: str, pages: str, edition: str) -> dict[str, str]:
    return {key(f"/{name}/{page}"): f"{page} of {edition}" for page in pages}


def test_url_11_a_prefix_that_shows_another_one_is_kept_once() -> None:
    new = {**version("v1", "abcd", "one"), **version("v2", "abcd", "two"), **version("stable", "abcd", "two")}
    (copy,) = copied_prefixes(new, {}, {})
    assert (copy.prefix, copy.into) == (key("/v2/"), key("/stable/"))
    assert copy.pairs == tuple((key(f"/v2/{page}"), key(f"/stable/{page}")) for page in "abcd")


def test_url_11_when_stable_moves_on_its_pages_stay() -> None:
    known = version("stable", "abcd", "three")
    new = {**version("v2", "abcd", "two"), **version("v3", "abcd", "three")}
    (copy,) = copied_prefixes(new, known, {})
    assert (copy.prefix, copy.into) == (key("/v3/"), key("/stable/"))


def test_url_11_a_new_page_of_a_merged_prefix_is_merged_too() -> None:
    known = version("stable", "abcd", "two")
    aliases = {key(f"/v2/{page}"): key(f"/stable/{page}") for page in "abcd"}
    new = {key("/stable/e"): "e of two", key("/v2/e"): "e of two"}
    (copy,) = copied_prefixes(new, known, aliases)
    assert copy.pairs == ((key("/v2/e"), key("/stable/e")),)


def test_pages_that_did_not_change_between_versions_are_two_pages() -> None:
    one, two = version("v1", "abcdefgh", "one"), version("v2", "abcdefgh", "two")
    two |= {key(f"/v2/{page}"): f"{page} of one" for page in "abcdef"}
    assert copied_prefixes({**one, **two}, {}, {}) == ()


def test_pages_that_stand_alone_take_little_memory() -> None:
    pages = [(key(f"/a/page-{number}.html"), f"body {number}", f"raw {number}") for number in range(10_000)]
    names = Names()
    tracemalloc.start()
    try:
        for page, content, raw in pages:
            names.new(page, content, raw, "")
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < len(pages) * 400


def test_a_name_that_is_forgotten_leaves_its_relatives() -> None:
    names = Names()
    for spelling, body in (("/guide", "one"), ("/guide/", "two"), ("/guide.html", "three")):
        names.new(key(spelling), body, body, "")
    names.forget(key("/guide/"))
    assert names.new(key("/guide/index.html"), "two", "two", "") == ()
    assert names.new(key("/Guide"), "three", "three", "") == (Merge(key("/Guide"), key("/guide.html")),)
    assert not names.is_copy(key("/other"), "none")
    assert names.is_copy(key("/other"), "one")
