"""What a commit does to a bundle of ours, seen against what was there before."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import pytest
from planted import WHEN, Bundle, ours, page

from git_okf import digest
from git_okf.bundle import concept, log
from git_okf.bundle.check import check

CHANGED = page("Home", "# Mine")


def later(title: str, body: str) -> bytes:
    """A concept that a sync wrote an hour later."""
    return concept.render(
        title=title,
        description=f"About {title}.",
        resource="https://docs.example.com/x",
        body=body,
        content_hash=digest.content_hash(body),
        when=WHEN + timedelta(hours=1),
        version="0.1.0",
        source="docs",
    )


def found(changed: dict[str, bytes | None], before: Bundle | None = None) -> list[tuple[str, int, str]]:
    """The findings on a commit that makes these changes (None: deletes) to a clean bundle."""
    base = ours() if before is None else before
    files = {path: data for path, data in {**base, **changed}.items() if data is not None}
    old = {path: base[path] for path in changed if path in base}
    return [(f.path, f.line, f.rule) for f in check(files, only=changed, base=old) if f.severity == "error"]


def test_what_a_sync_writes_is_fine() -> None:
    assert found({"pages/home.md": later("Home", "# Home, again")}) == []


def test_a_hash_that_a_hand_mended_is_seen_because_no_sync_wrote_the_time() -> None:
    assert found({"pages/home.md": CHANGED}) == [("pages/home.md", 1, "edited")]
    loose = CHANGED.replace(b"---\n\n", b"tags: [x]\n---\n\n", 1)
    assert found({"pages/home.md": loose}) == [("pages/home.md", 1, "edited")]


def test_a_hand_mended_hash_is_fine_where_edits_are_allowed() -> None:
    files = {**ours(), "pages/home.md": CHANGED}
    assert check(files, only=["pages/home.md"], base={"pages/home.md": ours()["pages/home.md"]}, editable=True) == []


def test_a_key_that_was_added_is_no_edit() -> None:
    text = ours()["pages/home.md"].replace(b"crawled_at", b"verified: {by: 'human:ann'}\ncrawled_at", 1)
    assert found({"pages/home.md": text}) == []


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"pages/guide/install.md": None}, [("pages/guide/index.md", 1, "index-stale")]),
        ({"pages/guide/new.md": page("New", "x")}, [("pages/guide/index.md", 4, "index-stale")]),
        ({"pages/guide.md": later("Guides", "# Guide")}, [("pages/index.md", 3, "index-stale")]),
        ({"pages/index.md": None}, [("pages/index.md", 1, "index-missing")]),
        ({"index.md": None}, [("index.md", 1, "index-missing")]),
    ],
    ids=["removed", "added", "renamed", "no listing", "no root"],
)
def test_a_listing_must_follow_what_it_lists(
    change: dict[str, bytes | None], findings: list[tuple[str, int, str]]
) -> None:
    told = found(change)
    assert set(findings) <= set(told)
    assert {rule for _, _, rule in told} == {findings[0][2]}


def test_a_listing_is_read_only_where_what_it_lists_changed() -> None:
    read: set[str] = set()

    class Counted(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            read.add(path)
            return super().__getitem__(path)

    files = Counted({**ours(), "pages/home.md": later("Home", "# Home, again")})
    assert check(files, only=["pages/home.md"], base={"pages/home.md": ours()["pages/home.md"]}) == []
    assert read == {"pages/home.md"}


# --- the log ---


def logged(*updates: Iterable[str]) -> bytes:
    data = None
    for number, paths in enumerate(updates):
        data = log.prepend(data, when=WHEN + timedelta(hours=7 * number), updated=list(paths))
    assert data is not None
    return data


OLD = logged(["a"], ["b"], ["a"], ["c"])


def on_log(new: bytes, old: bytes = OLD) -> list[tuple[str, int, str]]:
    return found({"log.md": new}, {**ours(), "log.md": old})


def test_a_run_adds_to_the_log_and_a_revert_takes_away() -> None:
    new = log.prepend(OLD, when=WHEN + timedelta(days=3), removed=["x"])
    assert on_log(new) == on_log(OLD, new) == on_log(OLD) == []


def test_a_run_adds_to_the_top_of_its_day() -> None:
    assert on_log(log.prepend(OLD, when=WHEN + timedelta(hours=22), added=["y"])) == []


def test_a_full_log_loses_its_oldest_entries() -> None:
    full = logged(*([str(number)] for number in range(log.ENTRIES_KEPT)))
    assert on_log(log.prepend(full, when=WHEN + timedelta(days=4000), added=["y"]), full) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"updated `b`", b"updated `z`", 10),
        (b"* **Update** at 21:00:00Z, +0 -0 =1: updated `b`\n", b"", 1),
        (b"# Log\n", b"# Log\n\n* Looks good to me.\n", 3),
        (b"* **Initialization** at 14:00:00Z, +0 -0 =1: updated `a`\n", b"", 1),
    ],
    ids=["changed", "removed between", "somebody's words", "oldest removed"],
)
def test_an_entry_that_a_hand_touched_is_found(old: bytes, new: bytes, line: int) -> None:
    assert old in OLD, OLD.decode()
    assert on_log(OLD.replace(old, new)) == [("log.md", line, "log-edited")]


def test_an_emptied_log_is_found() -> None:
    assert on_log(b"# Log\n") == [("log.md", 1, "log-edited")]
