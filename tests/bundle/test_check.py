from __future__ import annotations

import time

import pytest
from planted import DEFECTS, Bundle, foreign, ours, page, titles
from timing import growth

from git_okf.bundle import concept, index
from git_okf.bundle.check import check


def found(files: Bundle, **named: object) -> list[tuple[str, int, str, str]]:
    return [(f.path, f.line, f.rule, f.severity) for f in check(files, **named)]  # type: ignore[arg-type]


def test_a_clean_bundle_has_no_findings() -> None:
    files = ours()
    assert check(files) == []
    assert (
        check(files, expect={p: concept.header(d).content_hash for p, d in files.items() if b"content_hash" in d}) == []
    )


GOOD_FRONT = [
    "verified: {by: human:ann, at: 2026-06-30T14:00:00Z}\n",
    "verified:\n- by: process:ci\n  at: '2026-06-30T14:00:00+02:00'\n",
    "unknown: {any: [thing]}\ncontent_hash: sha256:of-something-else\n",
    "timestamp: 2025-01-01\n",
    "status: draft\nstale_after: 2027-01-01T00:00:00Z\ntags: [a, b]\n",
    "sources:\n- resource: the data team\n  last_modified: 2026-06-30T14:00:00.5Z\n",
    "generated: {by: scanner/2, at: 2026-06-30T14:00:00Z}\n",
    "title: no\ndescription: 12:30\n",
]


@pytest.mark.parametrize("front", GOOD_FRONT)
def test_what_the_format_allows_is_accepted(front: str) -> None:
    assert check(foreign(front)) == []


def test_the_shapes_of_published_samples_are_accepted() -> None:
    files = {
        "index.md": b"# Tables\n\n* [A](t/a.md) - All.\n\n# Subdirectories\n\n* [t](t/index.md) - 1\n",
        "t/index.md": b"# Tables\n* [A](a.md)\n",
        "t/a.md": b"---\ntype: Table\ngenerated: {by: agent/1.0, at: '2026-06-30T14:00:00Z'}\n---\n# Schema\n",
        "log.md": b"---\ntype: Log\n---\n# Log\n\n## 2026-05-22\n* **Update** one\n\n## 2026-05-01\n- two\n",
    }
    assert found(files) == [("log.md", 1, "log-front-matter", "warning")]


@pytest.mark.parametrize(("files", "finding"), [d[1:] for d in DEFECTS], ids=[d[0] for d in DEFECTS])
def test_a_planted_defect_is_found_at_its_line(files: Bundle, finding: tuple[str, int, str, str]) -> None:
    assert finding in found(files)


def damaged(path: str, old: bytes, new: bytes) -> Bundle:
    files = ours()
    assert old in files[path]
    return {**files, path: files[path].replace(old, new)}


DAMAGE: list[tuple[str, Bundle, tuple[str, int, str, str]]] = [
    ("edited body", damaged("pages/guide.md", b"# Guide", b"# guide"), ("pages/guide.md", 16, "edited", "error")),
    (
        "missing final newline",
        damaged("pages/home.md", b").\n", b")."),
        ("pages/home.md", 18, "final-newline", "warning"),
    ),
    ("bad hash", damaged("pages/guide.md", b"sha256:", b"md5:"), ("pages/guide.md", 16, "edited", "error")),
    ("no hash", damaged("pages/guide.md", b"content_hash", b"hash"), ("pages/guide.md", 16, "edited", "error")),
    (
        "edited listing",
        damaged("pages/index.md", b"About Guide.", b"More."),
        ("pages/index.md", 3, "index-stale", "error"),
    ),
    ("edited root", damaged("index.md", b"# Contents", b"# Content"), ("index.md", 15, "index-stale", "error")),
    ("root not ours", damaged("index.md", b"Source:", b"From:"), ("index.md", 1, "index-stale", "error")),
    (
        "title changed by hand",
        damaged("pages/guide.md", b'"Guide"', b'"The Guide"'),
        ("pages/index.md", 3, "index-stale", "error"),
    ),
    (
        "CRLF in a synced body",
        damaged("pages/home.md", b"# Home\n", b"# Home\r\n"),
        ("pages/home.md", 16, "line-ending", "warning"),
    ),
    (
        "conflict in synced text",
        damaged("pages/home.md", b"# Home", b"<<<<<<< H\na\n=======\nb\n>>>>>>> x"),
        ("pages/home.md", 16, "conflict-marker", "error"),
    ),
    ("type emptied", damaged("pages/home.md", b'"Documentation Page"', b'""'), ("pages/home.md", 2, "type", "error")),
    (
        "at without offset",
        damaged("pages/home.md", b'00:00Z"\nsources', b'00:00"\nsources'),
        ("pages/home.md", 6, "timestamp", "error"),
    ),
]


@pytest.mark.parametrize(("files", "finding"), [d[1:] for d in DAMAGE], ids=[d[0] for d in DAMAGE])
def test_damage_to_a_bundle_of_ours_is_found_at_its_line(files: Bundle, finding: tuple[str, int, str, str]) -> None:
    assert finding in found(files)


def test_a_missing_or_superfluous_index_is_found() -> None:
    files = ours()
    del files["pages/guide/index.md"]
    files["pages/empty/index.md"] = b"# empty\n"
    assert [f[:3] for f in found(files)] == [
        ("pages/empty/index.md", 1, "index-stale"), ("pages/guide/index.md", 1, "index-missing")
    ]  # fmt: skip


def test_a_concept_of_somebody_else_is_not_listed_and_does_no_harm() -> None:
    files = ours()
    files["pages/notes.md"] = b"---\ntype: Note\n---\n\nMine.\n"
    assert check(files) == []


def test_an_edit_that_mends_the_hash_is_seen_by_what_was_synced() -> None:
    files = ours()
    expect = {"pages/home.md": concept.header(files["pages/home.md"]).content_hash, "pages/gone.md": "sha256:x"}
    files["pages/home.md"] = page("Home", "# Mine now")
    assert ("pages/home.md", 1, "edited", "error") in found(files, expect=expect)
    assert ("pages/gone.md", 1, "missing", "error") in found(files, expect=expect)
    assert "edited" not in [rule for *_, rule, _ in found(files, expect=expect, editable=True)]


def test_findings_can_be_limited_to_some_paths_and_what_lists_them() -> None:
    files = damaged("pages/guide/install.md", b"# Install", b"# install")
    files["pages/home.md"] = files["pages/home.md"].replace(b"# Home", b"# home")
    assert found(files, only=["pages/home.md"]) == [("pages/home.md", 16, "edited", "error")]
    del files["pages/guide.md"]
    assert ("pages/index.md", 3, "index-stale", "error") in found(files, only=["pages/guide.md"])


def test_only_what_is_needed_is_read() -> None:
    read: set[str] = set()

    class Counted(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            read.add(path)
            return super().__getitem__(path)

    files = Counted(ours())
    check(files, only=["pages/guide/install.md"])
    assert "pages/guide/install.md" in read and "log.md" not in read


def test_every_error_says_what_to_do() -> None:
    for _, files, _ in (*DEFECTS, *DAMAGE):
        for finding in check(files):
            assert finding.message and (finding.hint or finding.severity == "warning")


def a_bundle_of(count: int) -> dict[str, bytes]:
    body = "# Title\n\n" + "Some text with [a link](home.md) and `code`.\n\n" * 60
    files = {f"pages/p{number}.md": page(f"Page {number}", body, str(number)) for number in range(count - 1)}
    files["pages/home.md"] = page("Home", body)
    entries = [index.Entry(path, *titles(data)) for path, data in files.items()]
    made = index.indexes(
        entries, name="docs", source_url="https://docs.example.com/", changed_at="2026-06-30T14:00:00Z"
    )
    return files | {path: data for path, data in made.items() if data is not None}


def test_five_thousand_concepts_are_checked_in_eight_times_the_time_of_an_eighth_of_them() -> None:
    small, large = a_bundle_of(625), a_bundle_of(5000)
    assert check(large) == []
    assert growth(lambda: check(small), lambda: check(large)) < 16, "their square would be 64"


def test_backticks_that_never_close_take_no_time_and_hide_no_link() -> None:
    body = "# Title\n\n" + " ".join("`" * length for length in range(1, 2000)) + " [a link](nowhere.md)\n"
    began = time.process_time()
    found = check({"pages/a.md": page("Title", body)})
    assert [f.rule for f in found if f.rule == "dangling-link"] == ["dangling-link"]
    assert time.process_time() - began < 5, "to look for the end of each by itself would be minutes"


def test_a_dangling_link_is_an_error_where_no_page_could_ever_be() -> None:
    def severities(files: Bundle) -> list[str]:
        found = check(files, may_come=lambda path: path.startswith("pages/"))
        return [f.severity for f in found if f.rule == "dangling-link"]

    assert severities(foreign(body="[b](pages/b.md)")) == ["warning"]
    assert severities(foreign(body="[b](b.md)")) == ["error"]
    synced = {**ours(), "pages/home.md": page("Home", "# Home\n\n[b](/notes/b.md)")}
    assert severities(synced) == ["warning"], "what a sync wrote pointed to a page of the source when it was written"
