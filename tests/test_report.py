"""What a run says: to a person, to a machine, in a commit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf import report
from git_okf.errors import SourceUnavailable
from git_okf.model import Change, Delta, Fetched, Record, Retained, RunResult, Trip


def change(path: str) -> Change:
    new = Fetched(key=path, title="t", description="", content_hash="h", raw_hash="r", fingerprint="f", size=1)
    return Change(key=path, path=path, new=new)


DELTA = Delta(
    added=(change("pages/a.md"), change("pages/new.md"), change("pages/c.md")),
    removed=(Record(key="old", path="pages/old.md"),),
    updated=(change("pages/u.md"),),
    moved=(("pages/old.md", "pages/new.md"),),
    unchanged=33,
)
RESULT = RunResult(
    name="docs",
    kind="web",
    result="synced",
    exit_code=0,
    run="r1",
    commit="3f2a1c9aaaa",
    subject="sync: +3 -1 =1 (docs)",
    delta=DELTA,
)


def test_a_synced_run_reads_as_the_contract_says() -> None:
    assert report.as_text(RESULT) == (
        "✓ Synced bundle: docs  (3f2a1c9 sync: +3 -1 =1 (docs))\n"
        "  Added: 3\n"
        "  Updated: 1\n"
        "  Removed: 1\n"
        "  Unchanged: 33\n"
        "  Moved: 1 (counted as added and removed)"
    )


def test_nothing_to_do_is_one_line() -> None:
    quiet = replace(RESULT, result="unchanged", commit=None, delta=Delta(unchanged=42))
    assert report.as_text(quiet) == "✓ Up to date: docs (42 unchanged)"


def test_retained_items_are_two_more_lines() -> None:
    kept = tuple(Retained(key=k, path=f"pages/{k}.md", outcome="RETRYABLE_FAILURE", reason="HTTP 503") for k in "xy")
    lines = report.as_text(replace(RESULT, delta=Delta(unchanged=1, retained=kept))).splitlines()
    assert lines[1:] == ["  Retained: 2", "  Why: HTTP 503 (2)"]


def test_json_has_every_key_of_the_contract() -> None:
    data = json.loads(report.as_json([RESULT]))
    assert data["schema"] == 1
    assert set(data["sources"][0]) >= {
        "name", "kind", "result", "exit_code", "run", "generation", "base", "commit", "branch", "complete",
        "incomplete_reasons", "added", "updated", "removed", "moved", "rerendered", "unchanged", "retained", "found",
        "known", "requests", "not_modified", "fetched", "extracted", "bytes", "duration_s", "guard", "error",
        "retry_at",
    }  # fmt: skip
    assert data["sources"][0]["moved"] == [["pages/old.md", "pages/new.md"]]


def test_an_error_before_any_source_is_json_too() -> None:
    data = json.loads(report.error_json(SourceUnavailable("it is down", "wait")))
    assert (data["sources"], data["error"]["code"], data["error"]["hint"]) == ([], "unavailable", "wait")


@pytest.mark.parametrize(
    ("codes", "expected"),
    [((), 0), ((0, 3), 3), ((3, 4), 4), ((4, 128), 128), ((128, 2), 2), ((2, 1), 1), ((5, 3), 5), ((1, 130), 130)],
)
def test_several_sources_exit_with_the_gravest_code(codes: tuple[int, ...], expected: int) -> None:
    assert report.exit_code([replace(RESULT, exit_code=code) for code in codes]) == expected


def test_del_04_the_abort_says_what_was_found_and_what_to_check_in_order() -> None:
    trip = Trip(name="page-count", limit=21, actual=15, total=42, what="only 15 pages found, 42 are known")
    assert report.abort_message(trip).startswith("only 15 pages found, 42 are known")
    hint = report.abort_hint(trip, "docs", "https://example.com/")
    places = [
        hint.index(word) for word in ("curl -I https://example.com/", "moved", "robots", "git okf sync docs --force")
    ]
    assert places == sorted(places)


def test_a_commit_message_has_the_trailers_and_the_paths() -> None:
    message = report.commit_message(RESULT, RESULT.subject, report.sync_lines(DELTA))
    subject, blank, *body = message.splitlines()
    assert (subject, blank) == ("sync: +3 -1 =1 (docs)", "")
    assert body[:4] == ["+ pages/a.md", "+ pages/c.md", "> pages/old.md to pages/new.md", "= pages/u.md"]
    assert body[-3:] == ["Okf-Source: docs", "Okf-Run: r1", "Okf-Unchanged: 33"]


def test_a_long_list_of_paths_is_bounded() -> None:
    lines = [f"+ pages/{n}.md" for n in range(5000)]
    message = report.commit_message(RESULT, RESULT.subject, lines)
    assert len(message.splitlines()) < 120
    assert "... and 4900 more" in message


@pytest.mark.parametrize(
    "text", ["@org/team", "fixes #1", "[skip ci]", "<!-- x", "a\nskip-checks: true", "100%d {0} $HOME"]
)
def test_sec_08_a_path_in_a_commit_message_means_nothing_to_a_forge(text: str) -> None:
    said = report.quoted(f"pages/{text}.md")
    assert not any(mark in said for mark in ("@", "#", "[", "<", "\n", ":"))


@pytest.mark.parametrize(
    "text", ["\x1b[2Jok", "\x1b]52;c;AAAA\x07", "a\r+0 -0 =99", "\u202eevil", "\u009b31m", "\u2028", "\x7f"]
)
def test_sec_07_what_a_terminal_would_act_on_is_escaped(text: str) -> None:
    said = report.printable(text)
    assert said.isprintable()
    assert "\\" in said


@given(st.text())
def test_sec_07_printable_is_one_line_of_printable_text_for_any_text(text: str) -> None:
    assert report.printable(text).isprintable()


def test_hash_07_untrusted_text_is_no_format_string() -> None:
    text = "100%d {0} [bold]x[/bold] $HOME"
    kept = (Retained(key="k", path="pages/x.md", outcome="RETRYABLE_FAILURE", reason=text),)
    assert text in report.as_text(replace(RESULT, delta=Delta(retained=kept)))


@pytest.mark.parametrize(
    ("kind", "word"), [("web", "robots.txt"), ("git", "include"), ("skills", "paths"), ("feishu", "folder")]
)
def test_the_causes_of_an_abort_are_those_of_the_kind(kind: str, word: str) -> None:
    trip = Trip(name="page-count", limit=5, actual=1, total=10, what="only 1 of 10")
    hint = report.abort_hint(trip, "docs", "https://docs.example.com/", kind)
    assert word in hint and "git okf sync docs --force" in hint.split("\n")[-1]
    assert ("robots" in hint) == (kind == "web")
