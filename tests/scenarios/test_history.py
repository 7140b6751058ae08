"""Whatever people do to the history, the next run is right, and quiet where nothing changed at the source."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import GitRepo, Ran
from scenario import Docs, paths


def settled(docs: Docs) -> None:
    """At most one run to learn where things are now; it commits no content, and the next writes nothing at all."""
    report = docs.sync()
    assert (report["commit"], report["retained"], report["edited"]) == (None, [], []), report
    docs.quiet()


def changed_once(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("d")
    docs.sync()


def test_amend(docs: Docs) -> None:
    changed_once(docs)
    docs.repo.write("mine", "mine\n")
    docs.repo.git("add", "mine")
    docs.repo.git("commit", "--quiet", "--amend", "--message", "docs, and something of mine")
    docs.quiet()
    docs.put("a", version=3)
    assert docs.sync()["updated"] == paths("a")


def test_rebase(docs: Docs) -> None:
    docs.repo.commit("first", {"mine": "1\n"})
    docs.repo.git("branch", "upstream")
    changed_once(docs)
    docs.repo.git("checkout", "--quiet", "upstream")
    docs.repo.commit("theirs", {"theirs": "1\n"})
    docs.repo.git("checkout", "--quiet", "main")
    docs.repo.git("rebase", "--quiet", "upstream")
    docs.quiet()


def test_squash_merge(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.repo.git("checkout", "--quiet", "-b", "topic")
    docs.put("a", version=2)
    docs.sync()
    docs.put("d")
    docs.sync()
    docs.repo.git("checkout", "--quiet", "main")
    docs.repo.git("merge", "--quiet", "--squash", "topic")
    docs.repo.git("commit", "--quiet", "--message", "docs of this week")
    docs.quiet()
    docs.repo.git("branch", "--quiet", "-D", "topic")
    docs.quiet()


def test_merge_of_a_branch_that_was_synced(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("checkout", "--quiet", "-b", "topic")
    docs.put("a", version=2)
    docs.sync()
    docs.repo.git("checkout", "--quiet", "main")
    docs.repo.commit("mine", {"mine": "1\n"})
    docs.repo.git("merge", "--quiet", "--no-edit", "topic")
    docs.quiet()


def test_after_a_revert_the_pages_come_back(docs: Docs) -> None:
    """The revert undid what the source says; the source is what the bundle follows."""
    changed_once(docs)
    docs.repo.git("revert", "--no-edit", "HEAD")
    assert docs.concepts() == paths("", "a", "b", "c")
    report = docs.sync()
    assert (report["added"], report["removed"], report["updated"]) == (paths("d"), paths("b"), paths("a"))
    assert "version 2" in docs.file("a").read_text()
    docs.quiet()


def test_after_a_reset_the_run_is_made_again(docs: Docs) -> None:
    changed_once(docs)
    docs.repo.git("reset", "--quiet", "--hard", "HEAD^")
    report = docs.sync()
    assert (report["added"], report["removed"], report["updated"]) == (paths("d"), paths("b"), paths("a"))
    docs.quiet()


def test_a_switch_to_an_older_branch_brings_that_branch_up_to_date(docs: Docs) -> None:
    docs.build("a", "b", "c")
    docs.repo.git("branch", "old")
    docs.put("a", version=2)
    docs.drop("b")
    docs.put("d")
    docs.sync()
    docs.repo.git("checkout", "--quiet", "old")
    report = docs.sync()
    assert (report["added"], report["removed"], report["updated"]) == (paths("d"), paths("b"), paths("a"))
    docs.quiet()
    docs.repo.git("checkout", "--quiet", "main")
    settled(docs)


def test_a_branch_without_the_bundle_gets_it_whole(docs: Docs) -> None:
    docs.repo.commit("mine", {"mine": "1\n"})
    docs.repo.git("branch", "bare")
    docs.build("a", "b")
    config = docs.repo.git("show", "main:.okf.yaml")
    docs.repo.git("checkout", "--quiet", "bare")
    docs.repo.commit("configuration", {".okf.yaml": config + "\n"})
    report = docs.sync()
    assert report["added"] == paths("", "a", "b")
    docs.quiet()


def test_a_bundle_removed_by_hand_comes_back_whole(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("rm", "-r", "--quiet", "docs")
    docs.repo.git("commit", "--quiet", "--message", "no docs")
    assert docs.sync()["added"] == paths("", "a", "b")
    docs.quiet()


def test_a_concept_removed_by_hand_comes_back(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("rm", "--quiet", "docs/pages/docs/a.md")
    docs.repo.git("commit", "--quiet", "--message", "no a")
    assert docs.sync()["added"] == paths("a")
    docs.quiet()


def test_a_concept_moved_by_hand_stays_where_it_was_put(docs: Docs) -> None:
    """A path once given is not changed, whoever gave it."""
    docs.build("a", "b")
    docs.repo.git("mv", "docs/pages/docs/a.md", "docs/pages/docs/first.md")
    docs.repo.git("commit", "--quiet", "--message", "first things first")
    settled(docs)
    docs.put("a", version=2)
    assert docs.sync()["updated"] == paths("first")


# --- other clones ---


def clone_of(docs: Docs, tmp_path: Path, *options: str) -> Docs:
    path = tmp_path / "clone"
    docs.repo.git("clone", "--quiet", *options, docs.repo.path.as_uri(), str(path))
    here = docs.here

    def run(*args: str, cwd: Path | None = None) -> Ran:
        return here(*args, cwd=cwd or path)

    return Docs(site=docs.site, repo=GitRepo(path), here=run, program=docs.program, texts=docs.texts)


CLONES = {
    "full": [],
    "single-branch": ["--single-branch"],
    "shallow": ["--depth", "1"],
    "partial": ["--filter=blob:none"],
}


@pytest.mark.parametrize("options", CLONES.values(), ids=CLONES)
def test_state_03_a_clone_takes_the_state_from_its_remote_and_is_quiet(
    docs: Docs, tmp_path: Path, options: list[str]
) -> None:
    changed_once(docs)
    docs.repo.git("config", "uploadpack.allowFilter", "true")
    clone = clone_of(docs, tmp_path, *options)
    docs.site.forget()
    report = clone.sync()
    assert (report["result"], report["not_modified"], report["fetched"]) == ("unchanged", 4, 0)
    assert clone.repo.git("rev-parse", "okf/state") == docs.repo.git("rev-parse", "okf/state")
    assert clone.repo.git("notes", "--ref=okf", "show") == docs.repo.git("notes", "--ref=okf", "show")
    clone.quiet()
    clone.put("a", version=3)
    assert clone.sync()["updated"] == paths("a")


@pytest.mark.parametrize("options", CLONES.values(), ids=CLONES)
def test_state_03_a_clone_without_the_state_branch_is_right_and_quiet(
    docs: Docs, tmp_path: Path, options: list[str]
) -> None:
    changed_once(docs)
    docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
    docs.repo.git("update-ref", "-d", "refs/notes/okf")
    docs.repo.git("config", "uploadpack.allowFilter", "true")
    clone = clone_of(docs, tmp_path, *options)
    settled(clone)
    clone.put("a", version=3)
    assert clone.sync()["updated"] == paths("a")
    clone.quiet()


def test_state_03_without_a_state_the_guard_counts_the_pages_in_the_tree(docs: Docs, tmp_path: Path) -> None:
    docs.build(*(f"p{i}" for i in range(9)))
    docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
    clone = clone_of(docs, tmp_path, "--depth", "1", "--single-branch")
    docs.drop(*(f"p{i}" for i in range(2, 9)))
    report = clone.sync(code=1)
    assert report["guard"] == {"name": "page-count", "limit": 5.0, "actual": 3, "total": 10}
    assert len(clone.concepts()) == 10


def test_a_clone_of_a_remote_that_cannot_be_reached_rebuilds_the_state(docs: Docs, tmp_path: Path) -> None:
    changed_once(docs)
    clone = clone_of(docs, tmp_path, "--single-branch")
    clone.repo.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    settled(clone)


def test_the_state_of_a_clone_goes_on_where_that_of_another_ended(docs: Docs, tmp_path: Path) -> None:
    docs.build("a", "b")
    clone = clone_of(docs, tmp_path)
    docs.put("a", version=2)
    clone.sync()
    clone.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/next", "okf/state")
    docs.repo.git("merge", "--quiet", "--ff-only", "next")
    docs.quiet()


# --- the state lost or damaged ---


def replace_state(docs: Docs, path: str, content: str | None) -> None:
    """The state branch with one file replaced, or removed."""
    tree = docs.repo.git("ls-tree", "okf/state").splitlines()
    if "/" in path:
        folder, _, name = path.partition("/")
        inner = docs.repo.git("ls-tree", f"okf/state:{folder}").splitlines()
        subtree = docs.repo.git("mktree", input=_entries(docs, inner, name, content))
        tree = [line for line in tree if not line.endswith(f"\t{folder}")] + [f"040000 tree {subtree}\t{folder}"]
        new = docs.repo.git("mktree", input="\n".join(tree) + "\n")
    else:
        new = docs.repo.git("mktree", input=_entries(docs, tree, path, content))
    commit = docs.repo.git("commit-tree", "-p", "okf/state", "-m", "damaged", new)
    docs.repo.git("update-ref", "refs/heads/okf/state", commit)


def _entries(docs: Docs, lines: list[str], name: str, content: str | None) -> str:
    kept = [line for line in lines if not line.endswith(f"\t{name}")]
    if content is not None:
        blob = docs.repo.git("hash-object", "-w", "--stdin", input=content)
        kept.append(f"100644 blob {blob}\t{name}")
    return "\n".join(kept) + "\n"


def test_the_state_branch_deleted(docs: Docs) -> None:
    changed_once(docs)
    docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
    settled(docs)
    docs.put("a", version=3)
    docs.drop("c")
    report = docs.sync()
    assert (report["updated"], report["removed"]) == (paths("a"), paths("c"))
    docs.quiet()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("docs/source.json", "null"),
        ("docs/source.json", ""),
        ("docs/source.json", '{"identity": {"kind": "web"'),
        ("docs/source.json", None),
        ("format", "one"),
        ("format", None),
    ],
    ids=["null", "empty", "truncated", "missing", "format-unreadable", "format-missing"],
)
def test_a_state_that_makes_no_sense_is_rebuilt_and_never_taken_for_empty(
    docs: Docs, path: str, content: str | None
) -> None:
    changed_once(docs)
    replace_state(docs, path, content)
    ran = docs.ok("sync")
    assert ran.out == "✓ Up to date: docs (4 unchanged)\n"
    assert "the state could not be read" in ran.err and "it was rebuilt from the bundle" in ran.err
    docs.put("a", version=3)
    docs.drop("c")
    report = docs.sync()
    assert (report["updated"], report["removed"], report["added"]) == (paths("a"), paths("c"), [])
    docs.quiet()
    assert docs.ok("sync").err == ""


@pytest.mark.parametrize("way", ["sync", "repair"])
@pytest.mark.parametrize("lost", ["okf/state^{tree}", "okf/state", "okf/state:docs/source.json"])
def test_a_state_whose_objects_are_lost_begins_anew(docs: Docs, lost: str, way: str) -> None:
    changed_once(docs)
    oid = docs.repo.git("rev-parse", lost)
    file = docs.repo.path / ".git/objects" / oid[:2] / oid[2:]
    data = file.read_bytes()
    file.unlink()
    ran = docs.ok("sync")
    assert ran.out == "✓ Up to date: docs (4 unchanged)\n"
    assert f"the state could not be read (object {oid} " in ran.err
    if way == "repair":
        docs.ok("repair")
    docs.put("a", version=3)
    assert docs.sync()["updated"] == paths("a")
    assert docs.ok("sync").err == ""
    docs.quiet()
    file.write_bytes(data)


def test_a_damaged_state_does_not_switch_the_guard_off(docs: Docs) -> None:
    docs.build(*(f"p{i}" for i in range(9)))
    replace_state(docs, "docs/source.json", "null")
    docs.drop(*(f"p{i}" for i in range(2, 9)))
    assert docs.sync(code=1)["known"] == 10


def test_a_state_of_a_newer_format_is_refused_before_any_request(docs: Docs) -> None:
    changed_once(docs)
    replace_state(docs, "format", "2\n")
    docs.site.forget()
    head = docs.head
    ran = docs.run("sync")
    assert ran.code == 128
    assert "refs/heads/okf/state has format 2; this git-okf reads format 1" in ran.err
    assert "install the version that wrote it" in ran.err
    assert docs.head == head
    assert not docs.site.requests()


def test_repair_writes_the_state_anew(docs: Docs) -> None:
    changed_once(docs)
    replace_state(docs, "docs/source.json", "null")
    content = docs.head
    ran = docs.ok("repair")
    assert ran.out.startswith("✓ Repaired docs: 4 concepts. ")
    assert docs.head == content
    assert docs.ok("sync").err == ""
    docs.quiet()
    docs.put("a", version=3)
    assert docs.sync()["updated"] == paths("a")


def test_repair_without_any_state(docs: Docs) -> None:
    changed_once(docs)
    docs.repo.git("update-ref", "-d", "refs/heads/okf/state")
    docs.ok("repair", "docs")
    settled(docs)


def test_repair_names_what_it_cannot_rebuild(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.commit("mine", {"docs/pages/docs/mine.md": "# Mine\n", "docs/pages/docs/b.md": "---\ntype: x\n---\n"})
    ran = docs.ok("repair")
    assert "✓ Repaired docs: 2 concepts." in ran.out
    assert "not rebuilt: pages/docs/mine.md" in ran.out and "not rebuilt: pages/docs/b.md (no resource" in ran.out


def test_garbage_collection_changes_nothing(docs: Docs) -> None:
    changed_once(docs)
    docs.repo.git("gc", "--quiet", "--prune=now")
    docs.quiet()
    docs.put("a", version=3)
    docs.sync()
    docs.repo.git("gc", "--quiet", "--prune=now")
    docs.quiet()
