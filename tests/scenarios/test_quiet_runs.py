"""A run that finds nothing to do: no object, no ref, no touched file, and no body where the server can say 304."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario import Docs, assert_same, everything, paths


@pytest.mark.parametrize("validators", ["etag", "mtime", "both", "weak"])
def test_with_validators_no_body_is_transferred(docs: Docs, validators: str) -> None:
    docs.site.validators = validators
    docs.build("a", "b", "sub/c")
    docs.site.forget()
    before = everything(docs.repo)
    report = docs.sync()
    assert_same(before, everything(docs.repo))
    assert docs.site.bodies() == 0
    assert (report["not_modified"], report["fetched"], report["extracted"]) == (4, 0, 0)
    assert [len(docs.site.requests(f"/docs/{name}")) for name in ("", "a", "b", "sub/c")] == [1, 1, 1, 1]


@pytest.mark.parametrize("validators", ["none", "rotating"])
def test_without_usable_validators_nothing_is_extracted(docs: Docs, validators: str) -> None:
    docs.site.validators = validators
    docs.build("a", "b")
    before = everything(docs.repo)
    for _ in range(2):
        report = docs.sync()
        assert (report["result"], report["fetched"], report["extracted"]) == ("unchanged", 3, 0)
    assert_same(before, everything(docs.repo))


@pytest.mark.parametrize("validators", ["both", "rotating", "none"])
def test_git_10_five_quiet_runs_leave_objects_and_refs_as_they_were(docs: Docs, validators: str) -> None:
    docs.site.validators = validators
    docs.build("a", "b")
    before, counted = everything(docs.repo), docs.repo.git("count-objects", "-v")
    for _ in range(5):
        assert docs.ok("sync").out == "✓ Up to date: docs (3 unchanged)\n"
    assert_same(before, everything(docs.repo))
    assert docs.repo.git("count-objects", "-v") == counted


def test_validators_learnt_in_a_quiet_run_are_used_in_the_next(docs: Docs) -> None:
    """They are worth no commit, but they save the bodies."""
    docs.site.validators = "none"
    docs.build("a", "b")
    docs.site.validators = "both"
    before = everything(docs.repo)
    assert docs.sync()["fetched"] == 3
    docs.site.forget()
    assert docs.sync()["not_modified"] == 3
    assert docs.site.bodies() == 0
    assert_same(before, everything(docs.repo))


def test_byte_noise_is_no_change_and_is_read_once(docs: Docs) -> None:
    docs.build("a", "b")
    for name in ("a", "b"):
        body = docs.site.pages[f"/docs/{name}"].body
        docs.site.page(f"/docs/{name}", body.replace(b"</body>", b"<!-- rendered in 0.04 s --></body>"))
    before = everything(docs.repo)
    assert docs.sync()["extracted"] == 2
    assert docs.sync()["extracted"] == 0
    assert_same(before, everything(docs.repo))


def test_remembered_links_are_followed_through_pages_that_say_304(docs: Docs) -> None:
    """A page that only an unchanged page links to is still found, and is not taken for unlinked."""
    docs.build("a")
    docs.put("a", links=["/docs/a/below"])
    docs.site.page("/docs/a/below", docs.site.pages["/docs/a"].body.replace(b"about a", b"below"))
    docs.sync()
    for _ in range(3):
        docs.quiet()
    assert docs.concepts() == paths("", "a", "a/below")


def test_the_time_of_the_last_check_is_kept_outside_of_history(docs: Docs) -> None:
    docs.build("a")
    last = Path(docs.repo.git("rev-parse", "--absolute-git-dir")) / "okf/last/docs.json"
    written = last.read_text()
    last.unlink()
    docs.quiet()
    assert last.exists() and last.read_text() != written


def test_a_quiet_run_survives_the_loss_of_scratch(docs: Docs) -> None:
    docs.build("a", "b")
    docs.repo.git("config", "core.hooksPath", "/dev/null")
    for file in (docs.repo.path / ".git/okf").rglob("*"):
        if file.is_file():
            file.unlink()
    docs.quiet()


def test_hash_06_a_quiet_run_stays_quiet_whatever_line_ends_the_work_tree_has(docs: Docs) -> None:
    docs.repo.git("config", "core.autocrlf", "true")
    docs.repo.commit("attributes", {".gitattributes": "docs/pages/docs/b.md eol=crlf\n"})
    docs.build("a", "b")
    assert b"\r\n" in docs.file("a").read_bytes() and b"\r\n" in docs.file("b").read_bytes()
    assert "\r" not in docs.repo.git("cat-file", "blob", "HEAD:docs/pages/docs/b.md")
    docs.tidy()
    docs.quiet()
    docs.put("a", "b", version=2)
    assert docs.sync()["updated"] == paths("a", "b")
    docs.quiet()


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_hash_06_a_clone_with_other_line_ends_is_quiet(docs: Docs, setting: str, tmp_path: Path) -> None:
    docs.build("a", "b")
    clone = tmp_path / "clone"
    docs.repo.git("clone", "--quiet", "-c", f"core.autocrlf={setting}", str(docs.repo.path), str(clone))
    assert docs.ok("sync", cwd=clone).out == "✓ Up to date: docs (3 unchanged)\n"
    assert docs.ok("verify", cwd=clone).out.startswith("✓ Whole: ")
