"""Watermarks: inclusive, of one type alone, never above what was stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_okf.model import File
from git_okf.source.feishu.entries import Entry
from git_okf.source.feishu.memo import Left, Memo, Part, memo_of
from git_okf.source.feishu.watermark import RACE_S, Mark, iso, mark_of, membership, raised, rises

NOW = 1_800_000_000


def entry(token: str, modified: int | None) -> Entry:
    return Entry(token=token, name=f"{token}.mp3", type="file", modified=modified)


entries = st.lists(
    st.builds(entry, st.sampled_from("abcdef"), st.none() | st.integers(NOW - 9, NOW - 3)),
    max_size=6,
    unique_by=lambda each: each.token,
)
marks = st.none() | st.builds(Mark, st.integers(NOW - 10, NOW - 2), st.frozensets(st.sampled_from("abcdef")))


@given(marks, entries)
def test_what_was_stored_does_not_rise_again(mark: Mark | None, stored: list[Entry]) -> None:
    after = raised(mark, stored, NOW + 60)
    timed = [each for each in stored if each.modified is not None]
    newest = max((each.modified or 0 for each in timed), default=0)
    if mark is None or newest >= mark.at:
        assert not rises(after, timed)
    assert rises(after, stored) or len(timed) == len(stored)


@given(marks, entries)
def test_a_mark_never_falls_and_never_passes_what_was_stored(mark: Mark | None, stored: list[Entry]) -> None:
    after = raised(mark, stored, NOW + 60)
    times = [each.modified for each in stored if each.modified is not None]
    assert after is None or after.at in {*times, mark.at if mark else 0}
    assert mark is None or (after is not None and after.at >= mark.at)


@given(marks, entries, st.sampled_from("abcdefgh"), st.integers(0, 5))
def test_whatever_is_changed_later_rises(mark: Mark | None, stored: list[Entry], token: str, seconds: int) -> None:
    after = raised(mark, stored, NOW + 60)
    changed = max([each.modified or 0 for each in stored] + [mark.at if mark else 0], default=0) + seconds
    later = entry(token, changed)
    assert rises(after, [later]) or (seconds == 0 and after is not None and token in after.done)


def test_what_appears_with_the_very_time_of_the_mark_is_seen() -> None:
    mark = raised(None, [entry("a", NOW)], NOW + 60)
    assert mark == Mark(NOW, frozenset("a"))
    assert not rises(mark, [entry("a", NOW)])
    assert rises(mark, [entry("a", NOW), entry("b", NOW)])


def test_what_was_changed_while_it_was_listed_may_have_changed_again_in_that_second() -> None:
    for distance in range(RACE_S + 1):
        assert rises(raised(None, [entry("a", NOW)], NOW + distance), [entry("a", NOW)])
    assert not rises(raised(None, [entry("a", NOW)], NOW + RACE_S + 1), [entry("a", NOW)])


def test_what_is_older_than_the_mark_shows_by_its_coming() -> None:
    """A file moved into the folder keeps its time."""
    assert membership([entry("a", 5)]) != membership([entry("a", 5), entry("b", 1)])
    assert membership([entry("a", 5)]) == membership([entry("a", 7)])


def test_a_mark_is_told_in_words_people_read() -> None:
    mark = Mark(1_782_939_600, frozenset("ba"))
    assert mark.told() == {"at": "2026-07-01T21:00:00Z", "done": ["a", "b"]}
    assert mark_of(mark.told()) == mark


@given(st.integers(0, 253402300799), st.frozensets(st.text(min_size=1)))
def test_a_mark_that_was_told_is_read_again(at: int, done: frozenset[str]) -> None:
    assert mark_of(Mark(at, done).told()) == Mark(at, done)
    assert len(iso(at)) == 20


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["syncCheckpoints", "parts", "media", "left", "article", "at", "done", "seen", "stored"]
                ),
                inner,
            )
        ),
    )
)
def test_a_memory_that_makes_no_sense_is_no_memory(told: object) -> None:
    memo_of(told if isinstance(told, dict) else {"parts": told, "syncCheckpoints": told, "media": told, "left": told})
    assert mark_of(told) is None or isinstance(told, dict)


def test_a_memory_that_was_told_is_read_again() -> None:
    part = Part(mark=Mark(NOW, frozenset("a")), seen="0f", stored={"a": (NOW, "assets/a.png")}, facts={"words": 3})
    memo = Memo(parts={"article": part}, media={"m": "assets/m.png"}, left={"html": Left(standing="1", why="x")})
    assert memo_of(memo.told()) == memo
    assert memo_of({}) == Memo() and Memo().told() == {}


@given(
    st.none() | st.integers(NOW - 1, NOW),
    st.frozensets(st.sampled_from("abc")),
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.sampled_from([0, NOW - 1, NOW]), st.sampled_from(["x", "y"]))),
)
def test_who_is_done_and_stored_at_one_time_is_told_once(
    at: int | None, done: frozenset[str], stored: dict[str, tuple[int, str]]
) -> None:
    mark = None if at is None else Mark(at, done)
    memo = Memo(parts={"article": Part(mark=mark, seen="0f", stored=stored)})
    assert memo_of(memo.told()) == memo


def test_a_memory_that_was_told_at_length_is_read_as_well() -> None:
    at = iso(NOW)
    told = {
        "syncCheckpoints": {"html": {"at": at, "done": ["a"]}},
        "parts": {"html": {"seen": "0f", "stored": {"a": [NOW, "a.html"]}}},
    }
    part = Part(mark=Mark(NOW, frozenset("a")), seen="0f", stored={"a": (NOW, "a.html")})
    assert memo_of(told) == Memo(parts={"html": part})
    assert Memo(parts={"html": part}).told()["parts"]["html"]["stored"] == {"a": "a.html"}


def test_paths_are_told_short_and_are_whole_again_with_the_files_of_the_record() -> None:
    blob = "0f" * 20
    file = File(path=f"assets/0f/{blob}.png", blob=blob, size=3)
    memo = Memo(media={"m": file.path}, parts={"article": Part(mark=None, seen="1", facts={"cover": file.path})})
    assert blob not in str(memo.told())
    assert memo_of(memo.told(), [file]) == memo
    assert memo_of(memo.told()).media == {"m": "0f0f0f0f0f0f.png"}
