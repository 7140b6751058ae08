"""The decision table of the delta, a row a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf import delta
from git_okf.config import Removal
from git_okf.model import (
    OUT_OF_SCOPE,
    Change,
    Delta,
    Failed,
    Fetched,
    File,
    Gone,
    Ignored,
    Moved,
    NotModified,
    Observation,
    Outcome,
    Record,
    Status,
    Suspect,
)

NOW = "2026-01-02T03:04:05+00:00"


def record(key: str, text: str = "a", **facts: object) -> Record:
    made = Record(
        key=key, path=f"pages/{key}.md", content_hash=f"sha256:{text}", raw_hash=f"raw-{text}", fingerprint="f1"
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def fetched(key: str, text: str = "a", **facts: object) -> Fetched:
    made = Fetched(
        key=key,
        title=key,
        description="",
        content_hash=f"sha256:{text}",
        raw_hash=f"raw-{text}",
        fingerprint="f1",
        size=9,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def names(staying: Iterable[str]) -> Callable[[str, str], str]:
    taken = set(staying)

    def assign(name: str, key: str) -> str:
        path = f"pages/{name.rstrip('/')}.md"
        while path in taken:
            path = path.removesuffix(".md") + "~.md"
        taken.add(path)
        return path

    return assign


def compute(
    known: Iterable[Record],
    outcomes: Iterable[Outcome],
    *,
    removal: Removal | None = None,
    theirs: bool = False,
    prune: bool = False,
    reasons: tuple[str, ...] = (),
    unlinked: Iterable[str] = (),
    side: tuple[Record, ...] = (),
    only_failed: bool = False,
    drifted: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    occupied: Callable[[File], bool] = lambda file: False,
    mark: Callable[[Record, str], Change | None] = lambda record, since: None,
) -> Delta:
    seen = Observation(
        outcomes={o.key: o for o in outcomes}, incomplete_reasons=reasons, unlinked=frozenset(unlinked), side=side
    )
    rules = delta.Rules(
        removal=removal or Removal(),
        now=NOW,
        names=names,
        theirs=theirs,
        prune=prune,
        only_failed=only_failed,
        drifted=drifted,
        occupied=occupied,
        mark=mark,
    )
    return delta.compute({r.key: r for r in known}, seen, rules)


def test_same_hash_is_unchanged_and_keeps_the_files_own_facts() -> None:
    plan = compute([record("p", title="old")], [fetched("p", title="new", etag='"2"')])
    assert (plan.unchanged, plan.changes_content) == (1, False)
    assert (plan.records[0].title, plan.records[0].etag) == ("old", '"2"')


def test_not_modified_is_unchanged_and_keeps_the_record() -> None:
    known = record("p", links=("q",))
    assert compute([known], [NotModified(key="p")]).records == (known,)


def test_another_hash_is_updated() -> None:
    plan = compute([record("p")], [fetched("p", "b")])
    assert [change.path for change in plan.updated] == ["pages/p.md"]
    assert plan.records[0].content_hash == "sha256:b"


def test_hash_03_same_bytes_rendered_otherwise_are_no_update() -> None:
    drift = fetched("p", "b", raw_hash="raw-a", fingerprint="f2")
    plan = compute([record("p")], [drift])
    assert ([c.path for c in plan.rerendered], plan.updated) == (["pages/p.md"], ())


def test_a_switch_to_published_markdown_is_no_update() -> None:
    plan = compute([record("p")], [fetched("p", "b", form="markdown")])
    assert ([c.path for c in plan.rerendered], plan.updated) == (["pages/p.md"], ())
    assert plan.records[0].form == "markdown"


def test_hash_05_equal_compared_forms_are_unchanged() -> None:
    plan = compute([record("p", compared_hash="sha256:c")], [fetched("p", "b", compared_hash="sha256:c")])
    assert plan.unchanged == 1
    assert plan.records[0].content_hash == "sha256:a", "the file still holds the old text"


def test_a_new_page_is_added() -> None:
    plan = compute([], [fetched("p")])
    assert [change.path for change in plan.added] == ["pages/p.md"]


def test_gone_is_removed() -> None:
    plan = compute([record("p")], [Gone(key="p", reason="404 twice")])
    assert ([r.path for r in plan.removed], plan.records) == (["pages/p.md"], ())


def test_page_05_flapping_404_is_one_removal_where_two_runs_are_asked_for() -> None:
    known, removals = [record("p")], 0
    for status in (200, 404, 200, 404, 404, 404):
        outcome: Outcome = fetched("p") if status == 200 else Gone(key="p", reason="404 twice")
        plan = compute(known, [outcome] if known or status == 200 else [], removal=Removal(gone_runs=2))
        removals += len(plan.removed)
        known = list(plan.records)
    assert (removals, known) == (1, [])


def test_410_is_removed_at_once() -> None:
    plan = compute([record("p")], [Gone(key="p", reason="410 twice")], removal=Removal(gone_runs=5))
    assert len(plan.removed) == 1


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Failed(key="p", reason="HTTP 503"), delta.RETRYABLE),
        (Failed(key="p", reason="too large", retryable=False), delta.TERMINAL),
        (Suspect(key="p", reason="login page"), delta.RETRYABLE),
        (Ignored(key="p", reason="robots"), delta.IGNORED),
    ],
)
def test_del_01_trouble_is_retained_never_removed(outcome: Outcome, word: str) -> None:
    plan = compute([record("p")], [outcome])
    assert ([r.outcome for r in plan.retained], plan.removed) == ([word], ())
    assert plan.records[0].content_hash == "sha256:a"


def test_del_07_what_left_the_scope_is_a_class_of_its_own_and_goes_with_prune() -> None:
    left = Ignored(key="p", reason="out of scope", out_of_scope=True)
    assert [r.outcome for r in compute([record("p")], [left]).retained] == [OUT_OF_SCOPE]
    assert [r.path for r in compute([record("p")], [left], prune=True).removed] == ["pages/p.md"]
    barred = Ignored(key="p", reason="robots")
    assert compute([record("p")], [barred], prune=True).removed == ()


def test_absence_from_a_complete_enumeration_is_removed_and_from_an_incomplete_one_retained() -> None:
    assert len(compute([record("p")], []).removed) == 1
    plan = compute([record("p")], [], reasons=("max_pages reached",))
    assert (plan.removed, [r.reason for r in plan.retained]) == ((), ["max_pages reached"])


def test_http_02_a_retry_of_what_failed_says_nothing_about_the_others() -> None:
    known = [record("fine"), record("failed", failure="HTTP 503", tries=1)]
    plan = compute(known, [fetched("failed")], reasons=("only failed items were asked",), only_failed=True)
    assert (plan.unchanged, plan.retained, [r.failure for r in plan.records]) == (2, (), ["", ""])


def test_an_unlinked_page_is_removed_in_its_second_complete_run() -> None:
    first = compute([record("p")], [NotModified(key="p")], unlinked=["p"])
    assert (first.unchanged, first.records[0].missing_since) == (1, NOW)
    second = compute(first.records, [NotModified(key="p")], unlinked=["p"])
    assert len(second.removed) == 1


def test_an_unlinked_page_that_is_linked_again_starts_over() -> None:
    first = compute([record("p")], [NotModified(key="p")], unlinked=["p"])
    back = compute(first.records, [NotModified(key="p")])
    assert (back.records[0].missing_runs, back.records[0].missing_since) == (0, "")


def test_an_incomplete_run_does_not_count_an_unlinked_page() -> None:
    plan = compute([record("p")], [NotModified(key="p")], unlinked=["p"], reasons=("robots",))
    assert plan.records[0].missing_runs == 0


def test_hash_08_a_permanent_redirect_is_a_move() -> None:
    plan = compute([record("old")], [Moved(key="old", to="new"), fetched("new", "b")])
    assert plan.moved == (("pages/old.md", "pages/new.md"),)
    assert ([r.path for r in plan.removed], [c.path for c in plan.added]) == (["pages/old.md"], ["pages/new.md"])


def test_hash_08_one_page_gone_and_one_new_with_its_body_are_a_move() -> None:
    plan = compute([record("old")], [Gone(key="old", reason="404 twice"), fetched("new")])
    assert plan.moved == (("pages/old.md", "pages/new.md"),)


def test_two_new_pages_with_the_body_of_one_gone_are_no_move() -> None:
    plan = compute([record("old")], [Gone(key="old", reason="404"), fetched("x"), fetched("y")])
    assert plan.moved == ()


def test_a_move_to_a_page_that_failed_keeps_the_old_one() -> None:
    plan = compute([record("old")], [Moved(key="old", to="new"), Failed(key="new", reason="HTTP 500")])
    assert (plan.removed, [r.path for r in plan.retained]) == ((), ["", "pages/old.md"])


def test_a_new_url_for_the_same_file_is_neither_removal_nor_addition() -> None:
    same = compute([record("p")], [Moved(key="p", to="p/"), fetched("p/")])
    assert (same.changes_content, [r.key for r in same.records]) == (False, ["p/"])
    changed = compute([record("p")], [Moved(key="p", to="p/"), fetched("p/", "b")])
    assert ([c.path for c in changed.updated], changed.added, changed.removed) == (["pages/p.md"], (), ())


def test_git_11_a_hand_edit_is_kept_and_reported_while_the_source_stands_still() -> None:
    plan = compute([record("p", edited=True)], [fetched("p")])
    assert (plan.edited, plan.changes_content, plan.retained) == (("pages/p.md",), False, ())


def test_git_11_theirs_makes_an_edited_concept_the_sources_again() -> None:
    plan = compute([record("p", edited=True)], [fetched("p")], theirs=True)
    assert ([c.path for c in plan.updated], plan.records[0].edited) == (["pages/p.md"], False)


@pytest.mark.parametrize("outcome", [fetched("p", "b"), Gone(key="p", reason="404 twice")])
def test_git_11_a_hand_edit_and_a_change_at_the_source_are_a_conflict(outcome: Outcome) -> None:
    plan = compute([record("p", edited=True)], [outcome])
    assert ([r.outcome for r in plan.retained], plan.changes_content) == ([delta.CONFLICT], False)


def test_a_new_page_that_fails_is_pending_and_after_three_runs_only_listed() -> None:
    failure = Failed(key="n", reason="HTTP 503")
    words = []
    for tries in (1, 3, 4):
        side = Record(key="n", status=Status.PENDING, tries=tries)
        words.append(compute([], [failure], side=(side,)).retained[0].outcome)
    assert words == [delta.RETRYABLE, delta.RETRYABLE, delta.LISTED]


def test_side_records_of_an_incomplete_run_are_kept() -> None:
    alias = Record(key="a", status=Status.ALIAS, target="p")
    assert compute([alias], [], reasons=("time",)).records == (alias,)
    assert compute([alias], []).records == ()


KEYS = st.sampled_from("abcdef")
TEXTS = st.sampled_from("xyz")
OUTCOMES = st.one_of(
    st.builds(fetched, KEYS, TEXTS),
    st.builds(NotModified, key=KEYS),
    st.builds(Failed, key=KEYS, reason=st.just("HTTP 503"), retryable=st.booleans()),
    st.builds(Suspect, key=KEYS, reason=st.just("login page")),
    st.builds(Ignored, key=KEYS, reason=st.just("robots")),
    st.builds(Moved, key=KEYS, to=KEYS),
)


@given(st.lists(KEYS, unique=True), st.lists(OUTCOMES, unique_by=lambda o: o.key), st.booleans())
def test_only_positive_evidence_removes(known: list[str], outcomes: list[Outcome], complete: bool) -> None:
    """Law 1, for every mixture of outcomes: no trouble of any kind leads to a removal."""
    plan = compute([record(k) for k in known], outcomes, reasons=() if complete else ("cap",))
    by_key = {o.key: o for o in outcomes}
    for removed in plan.removed:
        outcome = by_key.get(removed.key)
        assert isinstance(outcome, Moved) or (outcome is None and complete)
    kept = {r.path for r in plan.records}
    assert all(record(k).path in kept for k in known if record(k) not in plan.removed)


@given(st.lists(KEYS, unique=True), st.lists(OUTCOMES, unique_by=lambda o: o.key))
def test_every_known_page_has_one_fate_and_every_path_one_owner(known: list[str], outcomes: list[Outcome]) -> None:
    plan = compute([record(k) for k in known], outcomes)
    counted = plan.unchanged + len(plan.updated) + len(plan.rerendered) + len(plan.removed)
    assert counted + sum(bool(r.path) for r in plan.retained) == len(known)
    paths = [r.path for r in plan.records if r.path]
    assert len(paths) == len(set(paths))


# --- items with names, files and parts ---

A_FILE = File(path="a/x.png", blob="1" * 40, size=3)


def test_another_name_is_a_move() -> None:
    plan = compute([record("a", name="old", path="pages/old.md")], [fetched("a", name="new")])
    assert plan.moved == (("pages/old.md", "pages/new.md"),)
    assert [c.path for c in plan.added] == ["pages/new.md"] and [r.path for r in plan.removed] == ["pages/old.md"]
    assert [(r.key, r.path, r.name) for r in plan.records] == [("a", "pages/new.md", "new")]


def test_two_items_can_swap_their_names() -> None:
    known = [record("a", "a", name="x", path="pages/x.md"), record("b", "b", name="y", path="pages/y.md")]
    plan = compute(known, [fetched("a", "a", name="y"), fetched("b", "b", name="x")])
    assert plan.moved == (("pages/x.md", "pages/y.md"), ("pages/y.md", "pages/x.md"))
    assert {r.key: r.path for r in plan.records} == {"a": "pages/y.md", "b": "pages/x.md"}


def test_a_record_that_lost_its_name_takes_the_one_it_is_told_and_stays_where_it_is() -> None:
    plan = compute([record("a")], [fetched("a", name="elsewhere")])
    assert (plan.unchanged, plan.moved, plan.records[0].name) == (1, (), "elsewhere")


def test_an_item_without_following_is_kept_as_withdrawn() -> None:
    keep = Removal(follow=False)
    plan = compute([record("a"), record("b")], [Gone(key="a", reason="gone"), NotModified(key="b")], removal=keep)
    assert (plan.removed, [(r.key, r.outcome) for r in plan.retained]) == ((), [("a", delta.WITHDRAWN)])
    assert plan.records[0].missing_since == NOW and delta.WITHDRAWN in delta.HARMLESS
    again = compute([plan.records[0], record("b")], [NotModified(key="b")], removal=keep)
    assert [(r.key, r.outcome) for r in again.retained] == [("a", delta.WITHDRAWN)]


def marking(record: Record, since: str) -> Change | None:
    """As if the concept said what the record says."""
    same = record.missing_since == "said" if since else not record.missing_since
    file = f"since {since}".encode()
    return None if same else Change(key=record.key, path=record.path, new=fetched(record.key), old=record, merged=file)


@pytest.mark.parametrize("outcome", [NotModified(key="a"), fetched("a")])
def test_the_mark_of_a_withdrawn_item_is_an_update_when_it_comes_and_when_it_goes(outcome: Outcome) -> None:
    keep = Removal(follow=False)
    plan = compute([record("a")], [Gone(key="a", reason="gone")], removal=keep, mark=marking)
    assert [(c.path, c.merged) for c in plan.updated] == [("pages/a.md", f"since {NOW}".encode())]
    assert (plan.unchanged, plan.merged, plan.removed) == (0, (), ())
    said = replace(plan.records[0], missing_since="said")
    again = compute([said], [Gone(key="a", reason="gone")], removal=keep, mark=marking)
    assert not again.changes_content
    back = compute([said], [outcome], removal=keep, mark=lambda record, since: marking(said, since))
    assert [(c.path, c.merged) for c in back.updated] == [("pages/a.md", b"since ")]
    assert (back.unchanged, back.retained, back.records[0].missing_since) == (0, (), "")


def test_a_page_that_nothing_links_to_is_withdrawn_where_nothing_is_followed() -> None:
    known = record("a", missing_runs=1, missing_since=NOW)
    plan = compute([known], [NotModified(key="a")], unlinked=["a"], removal=Removal(follow=False))
    assert (plan.removed, [r.outcome for r in plan.retained]) == ((), [delta.WITHDRAWN])


def test_a_moved_item_is_renamed_also_where_nothing_is_followed() -> None:
    plan = compute([record("a")], [Moved(key="a", to="b"), fetched("b")], removal=Removal(follow=False))
    assert plan.moved == (("pages/a.md", "pages/b.md"),)


def test_parts_that_failed_retain_the_item_and_let_the_rest_through() -> None:
    plan = compute([record("a", "a")], [fetched("a", "b", parts_failed=("podcast: timed out",))])
    assert [c.path for c in plan.updated] == ["pages/a.md"]
    assert [(r.path, r.outcome, r.reason) for r in plan.retained] == [
        ("pages/a.md", delta.RETRYABLE, "podcast: timed out")
    ]
    assert plan.records[0].failure == "podcast: timed out"
    healed = compute(plan.records, [fetched("a", "b")])
    assert (healed.retained, healed.records[0].failure, healed.unchanged) == ((), "", 1)


def test_files_changed_by_hand_are_kept_and_named_while_the_source_stays_as_it_is() -> None:
    known = record("a", files=(A_FILE,))
    plan = compute([known], [NotModified(key="a")], drifted={"a": ("vendor/a/x.png",)})
    assert (plan.edited, plan.unchanged) == (("vendor/a/x.png",), 1)


def test_files_changed_by_hand_are_put_back_where_theirs_is_wanted() -> None:
    known = record("a", files=(A_FILE,))
    plan = compute([known], [fetched("a", files=(A_FILE,))], drifted={"a": ("x",)}, theirs=True)
    assert [c.path for c in plan.updated] == ["pages/a.md"]


def test_files_changed_on_both_sides_are_a_conflict_where_they_cannot_be_merged() -> None:
    plan = compute([record("a", files=(A_FILE,))], [fetched("a", "b")], drifted={"a": ("x",)})
    assert [(r.key, r.outcome) for r in plan.retained] == [("a", delta.CONFLICT)]


def test_an_item_whose_files_would_take_the_place_of_somebody_elses_is_not_written() -> None:
    new = fetched("a", files=(A_FILE,))
    plan = compute([], [new], occupied=lambda file: file == A_FILE)
    assert (plan.added, plan.records) == ((), ())
    assert plan.retained[0].reason == "a file of yours stands where a/x.png belongs"
    known = compute([record("a", "z")], [new], occupied=lambda file: True)
    assert (known.updated, known.records[0].content_hash) == ((), "sha256:z")


def test_what_the_source_remembers_of_an_item_is_renewed_without_a_change() -> None:
    plan = compute([record("a", memo={"mark": 1})], [fetched("a", memo={"mark": 2})])
    assert (plan.unchanged, plan.records[0].memo) == (1, {"mark": 2})
