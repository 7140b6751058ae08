"""`--dry-run` writes nothing anywhere; `--stage` leaves the delta for the user to commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario import Docs, assert_same, everything, next_second, paths, to_the_last_byte

COUNTED = ("added", "updated", "removed", "moved", "unchanged", "retained", "found", "known", "complete", "result")


def test_skill_02_a_dry_run_touches_no_file_and_says_what_the_real_one_will_do(docs: Docs) -> None:
    docs.build("a", "b", "c", "d")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("e", "sub/f")
    docs.site.move("/docs/c", "/docs/moved")
    docs.site.fault("/docs/d", status=503)
    before = to_the_last_byte(docs.repo.path)
    planned = docs.sync("--dry-run", code=3)
    assert_same(before, to_the_last_byte(docs.repo.path))
    done = docs.sync(code=3)
    assert {key: planned[key] for key in COUNTED} == {key: done[key] for key in COUNTED}
    assert planned["commit"] is None and done["commit"] == docs.head


def test_a_dry_run_says_what_would_be_committed(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    assert docs.ok("sync", "--dry-run").out == (
        "✓ Dry run: docs  (would commit sync: +0 -0 =1 (docs); nothing was written)\n"
        "  Added: 0\n  Updated: 1\n  Removed: 0\n  Unchanged: 1\n"
    )


def test_a_dry_run_of_a_quiet_site_writes_nothing_either(docs: Docs) -> None:
    docs.build("a")
    docs.site.validators = "none"
    before = to_the_last_byte(docs.repo.path)
    assert docs.ok("sync", "--dry-run").out == "✓ Up to date: docs (2 unchanged)\n"
    assert_same(before, to_the_last_byte(docs.repo.path))


def test_a_dry_run_leaves_nothing_in_the_directory_for_temporary_files(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    docs.put("a", version=2)
    (tmp_path / "tmp").mkdir()
    ran = docs.program("sync", "--dry-run", env={"TMPDIR": str(tmp_path / "tmp")})
    assert ran.code == 0
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("trouble", ["guard", "outage", "lost"])
def test_a_dry_run_that_ends_in_trouble_writes_nothing(docs: Docs, trouble: str) -> None:
    docs.build(*"abcdef")
    if trouble == "guard":
        docs.drop(*"abcde")
    elif trouble == "outage":
        docs.site.fault("*", drop=True)
    else:
        docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
        docs.put("a", version=2)
    before = to_the_last_byte(docs.repo.path)
    docs.sync("--dry-run", code={"guard": 1, "outage": 4, "lost": 0}[trouble])
    assert_same(before, to_the_last_byte(docs.repo.path))


def test_a_dry_run_works_with_uncommitted_changes_inside_the_bundle(docs: Docs) -> None:
    docs.build("a")
    docs.put("a", version=2)
    docs.file("a").write_text("mine\n")
    before = to_the_last_byte(docs.repo.path)
    assert docs.sync("--dry-run")["updated"] == paths("a")
    assert_same(before, to_the_last_byte(docs.repo.path))


def test_a_dry_run_needs_no_lease(docs: Docs) -> None:
    docs.build("a")
    ran = []
    docs.site.when_asked("/docs/a", lambda: ran.append(docs.program("sync", "--dry-run")))
    docs.sync()
    assert [r.code for r in ran] == [0], ran


@pytest.mark.parametrize("command", [["status"], ["log"], ["show", "docs/pages/docs/a.md"], ["verify"]])
def test_skill_02_a_question_writes_nothing(docs: Docs, command: list[str]) -> None:
    docs.build("a")
    docs.put("a", version=2)
    docs.sync()
    before = to_the_last_byte(docs.repo.path)
    docs.ok(*command)
    docs.ok(*command, "--json")
    assert_same(before, to_the_last_byte(docs.repo.path))


# --- --stage ---


def change(docs: Docs) -> None:
    docs.build("a", "b", "sub/c")
    docs.repo.commit("mine", {"mine.txt": "mine\n"})
    next_second()
    docs.put("a", version=2)
    docs.drop("sub/c")
    docs.put("d")


def test_stage_leaves_the_delta_in_index_and_work_tree(docs: Docs) -> None:
    change(docs)
    docs.repo.write("mine.txt", "mine, staged\n")
    docs.repo.git("add", "mine.txt")
    head, refs = docs.head, docs.repo.git("for-each-ref")
    ran = docs.ok("sync", "--stage")
    assert ran.out.startswith("✓ Staged: docs  (not committed: sync: +1 -1 =1 (docs))\n  Added: 1\n")
    assert (docs.head, docs.repo.git("for-each-ref")) == (head, refs)
    assert docs.repo.git("status", "--porcelain").splitlines() == [
        "M  docs/index.md",
        "M  docs/log.md",
        "M  docs/pages/docs/a.md",
        "A  docs/pages/docs/d.md",
        "M  docs/pages/docs/index.md",
        "D  docs/pages/docs/sub/c.md",
        "D  docs/pages/docs/sub/index.md",
        "M  mine.txt",
    ]
    assert "version 2" in docs.file("a").read_text()
    assert not (docs.repo.path / "docs/pages/docs/sub").exists()


def test_after_the_user_committed_what_was_staged_the_next_run_is_quiet(docs: Docs) -> None:
    change(docs)
    docs.sync("--stage")
    docs.repo.git("commit", "--quiet", "--message", "docs as they are now")
    assert docs.concepts() == paths("", "a", "b", "d")
    report = docs.sync()
    assert (report["result"], report["commit"], report["retained"]) == ("unchanged", None, [])
    docs.quiet()


def test_what_is_staged_is_what_a_sync_would_have_committed(docs: Docs) -> None:
    change(docs)
    docs.sync("--stage")
    staged = docs.repo.git("write-tree")
    docs.repo.git("reset", "--quiet", "--hard")
    report = docs.sync()
    differing = docs.repo.git("diff", "--name-only", staged, "HEAD").splitlines()
    assert set(differing) <= {"docs/index.md", "docs/log.md", *(f"docs/{p}" for p in paths("a", "d"))}
    assert report["added"] == paths("d")
    times = docs.repo.git("diff", "--unified=0", staged, "HEAD")
    for line in times.splitlines():
        if line.startswith(("+", "-")) and not line.startswith(("+++", "---")):
            assert any(word in line for word in ("crawled_at", "  at: ", "Last change", " at ")), line


def test_a_run_with_something_staged_in_the_bundle_says_how_to_go_on(docs: Docs) -> None:
    change(docs)
    docs.sync("--stage")
    docs.site.forget()
    before = everything(docs.repo)
    ran = docs.run("sync")
    assert ran.code == 128
    assert "uncommitted changes inside the bundle docs" in ran.err
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()


def test_staging_a_quiet_site_stages_nothing(docs: Docs) -> None:
    docs.build("a")
    before = everything(docs.repo)
    docs.sync("--stage")
    assert_same(before, everything(docs.repo))


def test_what_the_user_changes_while_the_site_is_read_is_staged_but_not_overwritten(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", "b", version=2)
    docs.site.when_asked("/docs/b", lambda: docs.file("a").write_text("mine\n"))
    ran = docs.ok("sync", "--stage")
    assert "warning: docs/pages/docs/a.md was changed while the sync ran" in ran.err
    assert docs.file("a").read_text() == "mine\n"
    for name in ("a", "b"):
        assert "version 2" in docs.repo.git("show", f":docs/pages/docs/{name}.md")
