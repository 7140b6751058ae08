"""Title and text of a review: what they say, how they get shorter, and that they are harmless."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from git_okf.errors import EXIT_GUARD
from git_okf.model import Change, Delta, Fault, Fetched, Record, Retained, RunResult, Trip
from git_okf.review import body, marker
from git_okf.review.body import Excerpt, Telling
from git_okf.review.marker import Marker

MARK = Marker(source="docs", fingerprint="9f" * 16, head="3a" * 20, run="5d2c")
GITHUB = 65_536


def concept(path: str, title: str = "Title", size: int = 100, old: int | None = None) -> Change:
    new = Fetched(
        key=f"https://d/{path}",
        title=title,
        description="",
        content_hash="sha256:x",
        raw_hash="r",
        fingerprint="f",
        size=size,
    )
    return Change(key=path, path=path, new=new, old=None if old is None else Record(key=path, path=path, size=old))


def result(**delta: object) -> RunResult:
    made = Delta(**delta)  # type: ignore[arg-type]
    subject = f"sync: +{len(made.added)} -{len(made.removed)} ={len(made.updated)} (docs)"
    return RunResult(
        name="docs",
        kind="web",
        result="synced",
        exit_code=0,
        bundle="docs/example",
        run="5d2c",
        subject=subject,
        delta=made,
    )


def telling(run: RunResult, **more: object) -> Telling:
    values: dict[str, object] = {"link": lambda path: f"https://h/acme/docs/blob/okf/sync/docs/{path}", **more}
    return Telling(result=run, marker=MARK, origin="https://d.example/guide/", **values)  # type: ignore[arg-type]


FULL = result(
    added=(concept("pages/a.md", "Install"), concept("pages/new.md", "Moved")),
    updated=(concept("pages/b.md", "Back up | restore", size=900, old=100),),
    removed=(Record(key="c", path="pages/c.md", title="Gone"), Record(key="o", path="pages/old.md")),
    moved=(("pages/old.md", "pages/new.md"),),
    unchanged=33,
    retained=(Retained(key="k", path="pages/r.md", outcome="RETRYABLE_FAILURE", reason="timeout"),),
    edited=("pages/hand.md",),
)


def test_the_title_is_the_subject_of_the_commit() -> None:
    assert body.title(FULL) == "sync: +2 -2 =1 (docs)"


def test_the_text_says_what_changed_with_links_and_what_did_not() -> None:
    told = telling(
        replace(FULL, notices=("a link is broken",), incomplete_reasons=("max_pages reached",)),
        notes=("These checks do not start by themselves.",),
        excerpts=(Excerpt(path="pages/b.md", old="one\ntwo\n", new="one\nthree\n"),),
    )
    text = body.body(told, GITHUB)
    assert marker.find(text, "docs") == MARK
    assert "2 added, 1 updated, 2 removed, 1 moved (counted as added and removed), 33 unchanged" in text
    assert "| added | [pages/a.md](https://h/acme/docs/blob/okf/sync/docs/docs/example/pages/a.md) | Install |" in text
    assert "| moved from pages/old.md | [pages/new.md](" in text
    assert "| removed | pages/c.md | Gone |" in text
    assert "Back up &#x7C; restore" in text
    assert "### Retained" in text and "`pages/r.md`: timeout" in text
    assert "`pages/hand.md`" in text
    assert "- a link is broken" in text and "max&#x5F;pages reached" in text
    assert "> These checks do not start by themselves." in text
    assert "```diff\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n```" in text
    assert "Closing rejects it" in text


def test_an_overridden_guard_is_told() -> None:
    run = replace(FULL, guard=Trip(name="page-count", limit=21, actual=15, total=42, what="15 of 42 pages found"))
    assert "the page-count guard was overridden: 15 of 42 pages found" in body.body(telling(run), GITHUB)


def many(count: int, title: str = "标题" * 40) -> RunResult:
    added = tuple(concept(f"pages/手册/{n % 60:03}/{n:05}.md", title) for n in range(count))
    return result(added=added, unchanged=1)


def test_pr_06_three_thousand_long_titles_in_chinese_fit_every_host() -> None:
    for limit in (GITHUB, 1_048_576, 20_000, 2_000, 700, 400):
        text = body.body(telling(many(3000)), limit)
        assert len(text.encode()) < limit
        assert len(text) < limit
        assert marker.find(text, "docs") == MARK
        assert "3000 added" in text or limit < 700


def test_pr_06_the_text_gets_shorter_step_by_step() -> None:
    excerpts = tuple(Excerpt(path=f"pages/{n}.md", old="", new="text of some length\n" * 40) for n in range(5))
    seen: list[str] = []
    for count, limit in ((20, GITHUB), (20, 10_000), (900, GITHUB), (3000, GITHUB), (3000, 1500)):
        text = body.body(telling(many(count), excerpts=excerpts), limit)
        excerpted, table, listed = text.count("<details>"), "| concept |" in text, "\n+ pages/" in text
        seen.append(
            f"full {excerpted}" if table else "compact" if listed else "counts" if "| directory |" in text else "head"
        )
    assert seen == ["full 5", "full 1", "compact", "counts", "head"]


def test_pr_06_directories_are_counted_and_bounded() -> None:
    text = body.body(telling(many(3000)), GITHUB)
    assert "| pages/手册/000 | added | 50 |" in text
    assert "and 20 more lines" in text


def test_the_biggest_changes_are_those_of_most_text() -> None:
    delta = Delta(
        added=(concept("pages/a.md", size=10), concept("pages/b.md", size=500)),
        updated=(concept("pages/c.md", size=100, old=900), concept("pages/d.md", size=100, old=100)),
    )
    assert [c.path for c in body.biggest(delta)] == ["pages/c.md", "pages/b.md", "pages/a.md", "pages/d.md"]
    assert len(body.biggest(many(50).delta)) == body.EXCERPTS


HARMLESS = {"a", "p", "strong", "code", "pre", "hr", "h3", "ul", "li", "blockquote", "details", "summary"} | {
    *("table", "thead", "tbody", "tr", "th", "td"),
}
HOSTILE = "fixes #1 @everyone <img src=x> ![x](http://evil/x.png) | `a` --> \n/close [x](javascript:1)"


@pytest.mark.parametrize("limit", [GITHUB, 6_000, 3_200])
def test_nothing_from_a_source_is_acted_on(limit: int) -> None:
    run = result(
        added=tuple(concept(f"pages/{HOSTILE}{n}.md", HOSTILE) for n in range(5)),
        removed=(Record(key="k", path=f"pages/gone {HOSTILE}.md", title=HOSTILE),),
        retained=(Retained(key=HOSTILE, path="", outcome="X", reason=HOSTILE),),
        edited=(HOSTILE,),
    )
    run = replace(run, notices=(HOSTILE,), incomplete_reasons=(HOSTILE,))
    excerpt = Excerpt(path=HOSTILE, old=HOSTILE, new=f"```\n~~~\n{HOSTILE}\n@me #2")
    told = telling(run, excerpts=(excerpt,), notes=(HOSTILE,))
    text = body.body(told, limit).replace(str(MARK), "")
    raw = re.sub(r"\]\(https://h/[^)\s]*\)", "]()", text)
    assert not re.search(r"@\w|#\d|\bfixes\b|://|^/\w", raw, re.MULTILINE | re.IGNORECASE)
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert {tag.lower() for tag in re.findall(r"<(\w+)", shown)} <= HARMLESS
    assert all(url.startswith("https://h/acme/docs/blob/") for url in re.findall(r'href="([^"]*)"', shown))
    assert marker.find(body.body(told, limit), "docs") == MARK


def test_a_link_never_ends_early() -> None:
    told = telling(result(added=(concept("pages/a.md"),)), link=lambda path: f"https://h/x) [y](javascript:1) {path}")
    text = body.body(told, GITHUB)
    assert "(https://h/x%29%20%5By%5D%28javascript:1%29%20docs/example/pages/a.md)" in text


# --- the issue about a guard ---


def aborted() -> RunResult:
    trip = Trip(name="page-count", limit=21, actual=15, total=42, what="15 of 42 pages found")
    hint = "check:\n1. curl -I https://d/\n2. @admin"
    fault = Fault(code="guard", message="15 of 42 pages found: stopped <b>", hint=hint)
    return replace(FULL, result="aborted", exit_code=EXIT_GUARD, guard=trip, error=fault)


def test_the_issue_says_what_the_guard_said_and_what_to_type() -> None:
    run = aborted()
    text = body.issue_body(telling(run), GITHUB)
    assert body.issue_title(run) == "The page-count guard stopped the sync of docs"
    assert marker.find(text, "docs") == MARK
    assert "15 of 42 pages found: stopped &#x3C;b&#x3E;" in text
    assert "\n1. curl -I" in text
    assert "@admin" not in text and "closes by itself" in text
    assert len(body.issue_body(telling(run), 400).encode()) < 400
