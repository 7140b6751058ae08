"""Repositories of every shape: sparse checkouts, line ends, signatures, work trees, and a push from each."""

from __future__ import annotations

from pathlib import Path

import pytest
from remotes import bare_remote
from scenario import Docs, paths

SPARSE = {
    "cone with the bundle": (["--cone"], ["docs", "other"], True),
    "cone without the bundle": (["--cone"], ["other"], False),
    "cone of a directory of the bundle": (["--cone"], ["docs/pages/docs/sub"], None),
    "sparse index with the bundle": (["--cone", "--sparse-index"], ["docs"], True),
    "sparse index without the bundle": (["--cone", "--sparse-index"], ["other"], False),
    "no cone with the bundle": (["--no-cone"], ["/docs/", "/.okf.yaml"], True),
    "no cone without the bundle": (["--no-cone"], ["/*", "!/docs/"], False),
    "no cone by file": (["--no-cone"], ["/*", "!/docs/pages/docs/a.md"], None),
}


@pytest.mark.parametrize("shape", SPARSE)
def test_a_sparse_checkout_stays_sparse_and_the_commit_is_whole(docs: Docs, shape: str) -> None:
    options, patterns, inside = SPARSE[shape]
    docs.repo.commit("other", {"other/x.txt": "x\n", "third/y.txt": "y\n"})
    docs.build("a", "b", "sub/c")
    docs.repo.git("sparse-checkout", "set", *options, *patterns)
    settled = docs.repo.git("sparse-checkout", "list")
    docs.put("a", version=2)
    docs.put("d", "sub/e")
    docs.drop("b")
    report = docs.sync()
    assert (report["added"], report["updated"], report["removed"]) == (paths("d", "sub/e"), paths("a"), paths("b"))
    assert docs.concepts() == sorted(paths("", "a", "d", "sub/c", "sub/e"))
    assert docs.repo.git("status", "--porcelain") == ""
    assert docs.repo.git("sparse-checkout", "list") == settled
    if inside is not None:
        assert docs.file("d").exists() is docs.file("a").exists() is inside
    assert not docs.file("b").exists()
    docs.quiet()
    docs.repo.git("sparse-checkout", "disable")
    assert docs.repo.git("status", "--porcelain") == ""
    assert "version 2" in docs.file("a").read_text()
    docs.quiet()


@pytest.mark.parametrize("settings", [["core.autocrlf", "true"], ["core.autocrlf", "input"], ["core.eol", "crlf"]])
def test_hash_06_line_ends_of_the_checkout_are_no_change(docs: Docs, settings: list[str]) -> None:
    docs.repo.git("config", *settings)
    if settings[0] == "core.eol":
        docs.repo.commit("attributes", {".gitattributes": "*.md text\n"})
    docs.build("a", "b")
    assert (b"\r\n" in docs.file("a").read_bytes()) is (settings[1] != "input")
    docs.put("a", version=2)
    assert docs.sync()["updated"] == paths("a")
    assert b"\r" not in docs.repo.git("show", f"HEAD:docs/{paths('a')[0]}").encode()
    assert docs.repo.git("status", "--porcelain") == ""
    assert docs.ok("verify").out == "✓ Whole: docs\n"
    docs.quiet()


def test_git_07_a_commit_is_signed_with_ssh_where_git_is_set_up_so(docs: Docs, tmp_path: Path) -> None:
    signer = tmp_path / "signer"
    signer.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        "printf -- '-----BEGIN SSH SIGNATURE-----\\nAAAA\\n-----END SSH SIGNATURE-----\\n' > \"$last.sig\"\n"
    )
    signer.chmod(0o755)
    key = tmp_path / "key.pub"
    key.write_text("ssh-ed25519 AAAA\n")
    for name, value in {
        "commit.gpgsign": "true",
        "gpg.format": "ssh",
        "gpg.ssh.program": str(signer),
        "user.signingkey": str(key),
    }.items():
        docs.repo.git("config", name, value)
    docs.build("a")
    assert "BEGIN SSH SIGNATURE" in docs.repo.git("cat-file", "commit", "HEAD")
    assert "gpgsig" not in docs.repo.git("cat-file", "commit", "okf/state")


def test_git_12_a_linked_work_tree_pushes_its_own_branch(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    linked = tmp_path / "linked"
    docs.repo.git("worktree", "add", "--quiet", "-b", "work", str(linked))
    docs.put("a", version=2)
    main = docs.head
    ran = docs.ok("sync", "--push", cwd=linked)
    assert "Pushed: origin work" in ran.out
    assert bare.git("rev-parse", "work") == docs.repo.git("rev-parse", "work") != main
    assert docs.head == bare.git("rev-parse", "main") == main
    assert docs.repo.git("status", "--porcelain") == ""


def test_git_07_a_hook_that_would_refuse_the_commit_is_not_run_and_one_that_refuses_the_push_is(
    docs: Docs, tmp_path: Path
) -> None:
    docs.build("a")
    bare = bare_remote(docs.repo, tmp_path / "remote.git")
    hooks = docs.repo.path / ".git/hooks"
    for name in ("pre-commit", "commit-msg", "pre-push"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} says no >&2\nexit 1\n")
        (hooks / name).chmod(0o755)
    docs.put("a", version=2)
    before = bare.git("rev-parse", "main")
    ran = docs.run("sync", "--push")
    assert ran.code == 128 and "pre-push says no" in ran.err
    assert bare.git("rev-parse", "main") == before
    assert docs.sync()["updated"] == paths("a")
