"""What the user does in the repository, before and while a run is at work, is theirs and stays."""

from __future__ import annotations

from typing import Any

import pytest
from scenario import Docs, assert_same, everything, paths

from git_okf import landing


def test_staged_and_unstaged_work_outside_the_bundle_stays_as_it_is(docs: Docs) -> None:
    docs.repo.commit("mine", {"one": "1\n", "two": "2\n", "three": "3\n", "gone": "x\n"})
    docs.build("a", "b")
    docs.repo.write("one", "1, staged\n")
    docs.repo.git("add", "one")
    docs.repo.write("one", "1, staged, then edited\n")
    docs.repo.write("two", "2, edited\n")
    docs.repo.git("rm", "--quiet", "--cached", "three")
    (docs.repo.path / "gone").unlink()
    docs.repo.write("untracked", "new\n")
    docs.repo.git("add", "--intent-to-add", "untracked")
    before = docs.repo.git("status", "--porcelain")
    staged = docs.repo.git("diff", "--cached")
    files = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in docs.repo.path.iterdir() if p.is_file()}
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("c")
    docs.sync()
    assert docs.repo.git("status", "--porcelain") == before
    assert docs.repo.git("diff", "--cached") == staged
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in docs.repo.path.iterdir() if p.is_file()} == files
    assert docs.repo.git("show", "--name-only", "--format=", "HEAD").splitlines() == [
        line for line in docs.repo.git("show", "--name-only", "--format=", "HEAD").splitlines() if "docs/" in line
    ]


def test_what_is_staged_while_the_site_is_read_stays_staged(docs: Docs) -> None:
    docs.repo.commit("mine", {"mine.txt": "mine\n"})
    docs.build("a", "b")
    docs.put("a", version=2)

    def work() -> None:
        docs.repo.write("mine.txt", "mine, staged while the crawl ran\n")
        docs.repo.write("new.txt", "new\n")
        docs.repo.git("add", "mine.txt", "new.txt")
        docs.repo.write("mine.txt", "mine, edited after that\n")

    docs.site.when_asked("/docs/b", work)
    docs.sync()
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert docs.repo.git("status", "--porcelain").splitlines() == ["MM mine.txt", "A  new.txt"]
    assert docs.repo.git("show", ":mine.txt") == "mine, staged while the crawl ran"
    assert docs.repo.git("show", "--name-only", "--format=", "HEAD", "--", "mine.txt", "new.txt") == ""


def test_a_commit_elsewhere_while_the_site_is_read_is_built_upon_without_a_second_crawl(docs: Docs) -> None:
    docs.repo.commit("mine", {"mine.txt": "mine\n"})
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.site.forget()
    docs.site.when_asked("/docs/b", lambda: docs.repo.commit("meanwhile", {"mine.txt": "mine, newer\n"}))
    docs.sync()
    assert docs.repo.git("log", "-3", "--format=%s").splitlines() == [
        "sync: +0 -0 =1 (docs)",
        "meanwhile",
        "sync: +3 -0 =0 (docs)",
    ]
    assert docs.repo.git("show", "HEAD:mine.txt") == "mine, newer"
    assert [len(docs.site.requests(f"/docs/{name}")) for name in ("", "a", "b")] == [1, 1, 1]
    assert docs.repo.git("status", "--porcelain") == ""
    docs.quiet()


def test_a_hand_edit_committed_inside_the_bundle_while_the_site_is_read_is_kept(docs: Docs) -> None:
    """The plan is made again on the new base: the edited page is a conflict, the others are synced."""
    docs.build("a", "b")
    docs.put("a", "b", version=2)
    edited = docs.file("a").read_text() + "\nA remark of mine.\n"
    docs.site.when_asked("/docs/b", lambda: docs.repo.commit("remark", {"docs/pages/docs/a.md": edited}))
    report = docs.sync(code=3)
    assert docs.repo.git("log", "-2", "--format=%s") == "sync: +0 -0 =1 (docs)\nremark"
    assert report["updated"] == paths("b")
    assert [(r["path"], r["outcome"]) for r in report["retained"]] == [(*paths("a"), "CONFLICT")]
    assert docs.file("a").read_text() == edited


def test_a_removal_committed_inside_the_bundle_while_the_site_is_read_is_taken_into_account(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("b", version=2)

    def remove() -> None:
        docs.repo.git("rm", "--quiet", "docs/pages/docs/a.md")
        docs.repo.git("commit", "--quiet", "--message", "no a")

    docs.site.when_asked("/docs/b", remove)
    docs.sync()
    assert docs.subject.startswith("sync: ")
    assert docs.repo.git("status", "--porcelain") == ""
    docs.sync()
    assert docs.concepts() == paths("", "a", "b")
    docs.quiet()


def test_a_switch_of_branch_while_the_site_is_read_stops_the_run(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("branch", "topic")
    docs.put("a", version=2)
    docs.site.when_asked("/docs/b", lambda: docs.repo.git("checkout", "--quiet", "topic"))
    before = docs.repo.git("for-each-ref")
    ran = docs.run("sync")
    assert ran.code == 128
    assert "HEAD went from refs/heads/main to refs/heads/topic" in ran.err
    assert docs.repo.git("for-each-ref") == before
    assert docs.repo.git("status", "--porcelain") == ""
    docs.repo.git("checkout", "--quiet", "main")
    docs.site.forget()
    docs.sync()
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert docs.site.bodies("/docs/a") == 0


def test_a_file_edited_while_the_site_is_read_is_left_as_the_user_has_it(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", "b", version=2)
    docs.site.when_asked("/docs/b", lambda: docs.file("a").write_text("mine\n"))
    ran = docs.run("sync")
    assert docs.file("a").read_text() == "mine\n"
    assert ran.code == 0
    assert "docs/pages/docs/a.md was changed while the sync ran" in ran.err
    assert "version 2" in docs.repo.git("show", "HEAD:docs/pages/docs/a.md")
    assert docs.repo.git("status", "--porcelain") == " M docs/pages/docs/a.md"
    assert "version 2" in docs.file("b").read_text()


@pytest.mark.parametrize("kind", ["edited", "staged", "deleted", "untracked", "index"])
def test_git_11_uncommitted_changes_inside_the_bundle_stop_the_run_before_the_first_request(
    docs: Docs, kind: str
) -> None:
    docs.build("a", "b")
    match kind:
        case "edited":
            docs.file("a").write_text(docs.file("a").read_text() + "\nMine.\n")
        case "staged":
            docs.file("a").write_text(docs.file("a").read_text() + "\nMine.\n")
            docs.repo.git("add", "docs")
        case "deleted":
            docs.file("a").unlink()
        case "untracked":
            docs.repo.write("docs/pages/docs/mine.md", "# Mine\n")
        case _:
            docs.repo.write("docs/index.md", "# Mine\n")
    docs.site.forget()
    before = everything(docs.repo)
    ran = docs.run("sync")
    assert ran.code == 128
    assert "uncommitted changes inside the bundle docs: docs/" in ran.err
    for way in ("commit them", "git stash push -- docs", "git restore --staged --worktree docs"):
        assert way in ran.err
    assert_same(before, everything(docs.repo))
    assert docs.site.requests() == []


def test_git_11_a_committed_edit_of_a_page_that_did_not_change_is_kept_and_said(docs: Docs) -> None:
    docs.build("a", "b")
    text = docs.file("a").read_text() + "\nA remark of mine.\n"
    docs.repo.commit("remark", {"docs/pages/docs/a.md": text})
    ran = docs.ok("sync")
    assert ran.out == "✓ Up to date: docs (3 unchanged)\n  Edited by hand, kept: pages/docs/a.md\n"
    docs.put("b", version=2)
    report = docs.sync()
    assert (report["updated"], report["edited"]) == (paths("b"), paths("a"))
    assert docs.file("a").read_text() == text


def test_git_11_edited_here_and_changed_there_is_a_conflict_until_somebody_decides(docs: Docs) -> None:
    docs.build("a", "b")
    text = docs.file("a").read_text() + "\nA remark of mine.\n"
    docs.repo.commit("remark", {"docs/pages/docs/a.md": text})
    docs.put("a", "b", version=2)
    report = docs.sync(code=3)
    assert report["updated"] == paths("b")
    assert report["retained"][0]["reason"] == "edited here and changed at the source"
    assert docs.file("a").read_text() == text
    docs.sync(code=3)
    assert docs.file("a").read_text() == text
    report = docs.sync("--theirs")
    assert report["updated"] == paths("a")
    assert "version 2" in docs.file("a").read_text() and "remark" not in docs.file("a").read_text()
    docs.quiet()


def test_git_11_edited_here_and_gone_there_is_kept(docs: Docs) -> None:
    docs.build("a", "b")
    text = docs.file("a").read_text() + "\nA remark of mine.\n"
    docs.repo.commit("remark", {"docs/pages/docs/a.md": text})
    docs.drop("a")
    report = docs.sync(code=3)
    assert (report["removed"], report["retained"][0]["outcome"]) == ([], "CONFLICT")
    assert docs.file("a").read_text() == text


def test_a_file_of_the_users_inside_the_bundle_is_never_taken_for_a_concept(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.commit("mine", {"docs/pages/docs/mine.md": "# Mine\n", "docs/notes.txt": "mine\n"})
    docs.quiet()
    docs.put("mine")
    docs.put("a", version=2)
    docs.sync()
    assert (docs.repo.path / "docs/pages/docs/mine.md").read_text() == "# Mine\n"
    assert (docs.repo.path / "docs/notes.txt").read_text() == "mine\n"
    assert len([path for path in docs.concepts() if path.startswith("pages/docs/mine~")]) == 1
    docs.quiet()


def test_other_refs_and_the_users_configuration_are_left_alone(docs: Docs) -> None:
    docs.build("a")
    docs.repo.git("tag", "v1")
    docs.repo.git("branch", "topic")
    docs.repo.git("notes", "add", "--message", "mine", "HEAD")
    config = (docs.repo.path / ".git/config").read_bytes()
    refs = set(docs.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    docs.put("a", version=2)
    docs.sync()
    after = set(docs.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    assert {line.split()[0] for line in after ^ refs} == {"refs/heads/main", "refs/heads/okf/state", "refs/notes/okf"}
    assert (docs.repo.path / ".git/config").read_bytes() == config


def test_a_branch_that_never_stands_still_ends_the_run_and_nothing_is_lost(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    move_refs = landing._move_refs

    def meanwhile(*args: Any, **named: Any) -> None:
        docs.repo.commit("meanwhile")
        move_refs(*args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(landing, "_move_refs", meanwhile)
        ran = docs.run("sync")
    assert ran.code == 128
    assert "the branch moved 5 times while the sync was being committed" in ran.err
    assert docs.repo.git("log", "--format=%s").splitlines() == ["meanwhile"] * 5 + ["sync: +3 -0 =0 (docs)"]
    docs.site.forget()
    docs.sync()
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert docs.site.bodies("/docs/a") == 0


def test_changes_inside_the_bundle_made_while_the_site_is_read_are_not_planned_over(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)

    def work() -> None:
        docs.repo.commit("meanwhile", {"mine": "1\n"})
        docs.file("b").write_text("mine\n")

    docs.site.when_asked("/docs/b", work)
    ran = docs.run("sync")
    assert ran.code == 128
    assert "uncommitted changes inside the bundle docs: docs/pages/docs/b.md" in ran.err
    assert docs.subject == "meanwhile"
    assert docs.file("b").read_text() == "mine\n"
    docs.repo.git("restore", "docs")
    docs.site.forget()
    docs.sync()
    assert docs.site.bodies("/docs/a") == 0


@pytest.mark.parametrize("what", ["moved", "deleted"])
def test_a_state_that_another_run_wrote_meanwhile_is_built_upon(docs: Docs, what: str) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)

    def meanwhile() -> None:
        if what == "deleted":
            docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
            return
        tree = docs.repo.git("rev-parse", "okf/state^{tree}")
        commit = docs.repo.git("commit-tree", "-p", "okf/state", "-m", "state: another source", tree)
        docs.repo.git("update-ref", "refs/heads/okf/state", commit)

    docs.site.when_asked("/docs/b", meanwhile)
    docs.site.forget()
    docs.sync()
    subjects = docs.repo.git("log", "--format=%s", "okf/state").splitlines()
    before = ["state: another source", "state: sync: +3 -0 =0 (docs)"] if what == "moved" else []
    assert subjects == ["state: sync: +0 -0 =1 (docs)", *before]
    assert len(docs.site.requests("/docs/a")) == 1
    assert docs.sync()["commit"] is None
    docs.quiet()


def test_garbage_collection_while_the_site_is_read_does_no_harm(docs: Docs) -> None:
    docs.build("a", "b")
    docs.put("a", version=2)
    docs.site.when_asked("/docs/b", lambda: docs.repo.git("gc", "--quiet", "--prune=now"))
    assert docs.sync()["updated"] == paths("a")
    docs.quiet()


def test_git_12_on_a_detached_head_head_moves_and_the_branch_follows_later(docs: Docs) -> None:
    first = docs.build("a", "b")
    docs.repo.git("checkout", "--quiet", "--detach")
    docs.put("a", version=2)
    assert docs.sync()["branch"] == "HEAD"
    assert docs.subject == "sync: +0 -0 =1 (docs)"
    assert docs.repo.git("rev-parse", "main") == first
    docs.repo.git("checkout", "--quiet", "main")
    assert docs.sync()["updated"] == paths("a")
    docs.quiet()
