"""The mirror: one commit, exactly the blobs that are wanted, and every way in which a server can refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from upstreams import Content, Exec, Link, Submodule, Upstream, lfs_pointer

from git_okf.errors import Interrupted
from git_okf.source.repository.address import parse
from git_okf.source.repository.errors import (
    AccessDenied,
    Capacity,
    DiskBudget,
    HistoryRewritten,
    RefMissing,
    RevisionGone,
    Unreachable,
    Unsound,
)
from git_okf.source.repository.look import look
from git_okf.source.repository.mirror import MISSING, TOO_LARGE, Mirror
from git_okf.source.repository.transport import Transport

from .conftest import NAME, Host

MAIN = "refs/heads/main"


def skills(count: int = 200) -> dict[str, Content]:
    return {f"skills/s{n // 10}/f{n}.md": f"# File {n}\n" * 20 for n in range(count)}


def taken(mirror: Mirror, commit: str) -> dict[str, bytes | None]:
    """All files of a commit, by path."""
    files = [entry for entry in mirror.tree(commit).entries if entry.is_file]
    data = {blob.id: blob.data for blob in mirror.blobs([entry.id for entry in files])}
    return {entry.path: data[entry.id] for entry in files}


def wanted(files: dict[str, Content]) -> dict[str, Content]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}


# --- what comes, and how much is asked ---


def test_a_commit_is_taken_whole_whatever_the_server_can(any_host: Host) -> None:
    files = skills()
    commit = any_host.upstream.commit(files)
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == wanted(files)


def test_a_first_fetch_asks_for_the_commit_and_then_for_all_blobs_at_once(host: Host) -> None:
    commit = host.upstream.commit(skills())
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    assert host.server.kinds() == ["advert", "fetch"]
    assert (host.server.log[1].wants, host.server.log[1].filter) == ((commit,), "blob:none")
    assert len(mirror.tree(commit).entries) == 200 + 20 + 1
    assert host.server.kinds() == ["advert", "fetch"]
    taken(mirror, commit)
    assert host.server.kinds() == ["advert", "fetch"] * 2
    assert len(set(host.server.log[3].wants)) == 200


def test_one_changed_file_of_200_costs_its_own_blob(host: Host) -> None:
    before = host.upstream.commit(skills())
    mirror = host.mirror()
    mirror.fetch(before, MAIN)
    known = {entry.id for entry in mirror.tree(before).entries}
    taken(mirror, before)
    after = host.upstream.commit({"skills/s3/f33.md": "changed\n"})
    host.server.forget()
    mirror = host.mirror()
    mirror.fetch(after, MAIN)
    changed = [entry for entry in mirror.tree(after).entries if entry.id not in known]
    assert [entry.path for entry in changed] == ["skills", "skills/s3", "skills/s3/f33.md"]
    blobs = list(mirror.blobs([changed[-1].id]))
    assert [(blob.data, blob.problem) for blob in blobs] == [(b"changed\n", "")]
    assert host.server.kinds() == ["advert", "fetch"] * 2
    assert set(host.server.wants()) == {after, changed[-1].id}
    assert host.server.sent() < 2000


def test_what_is_here_is_not_asked_for_again(any_host: Host) -> None:
    commit = any_host.upstream.commit(skills(20))
    first = any_host.mirror()
    first.fetch(commit, MAIN)
    taken(first, commit)
    any_host.server.forget()
    again = any_host.mirror()
    again.fetch(commit, MAIN)
    assert taken(again, commit) == wanted(skills(20))
    assert any_host.server.log == []


def test_nothing_is_fetched_behind_our_back(host: Host) -> None:
    """A blob that is not here stays away until it is asked for, however git is made to read it."""
    commit = host.upstream.commit(skills(20))
    host.mirror().fetch(commit, MAIN)
    host.server.forget()
    directory = host.scratch / "mirror.git"
    blob = host.upstream.blob(commit, "skills/s0/f1.md")
    for args in (["cat-file", "-e", blob], ["show", f"{commit}:skills/s0/f1.md"], ["ls-tree", "-r", "-l", commit]):
        subprocess.run(["git", f"--git-dir={directory}", *args], check=False, capture_output=True)
    assert host.server.log == []
    assert "origin" not in (directory / "config").read_text()


def test_two_commits_back_to_back(any_host: Host) -> None:
    """SKILL-06: two revisions fetched by their ids, the older last."""
    one = any_host.upstream.commit({"a.md": "one\n"})
    two = any_host.upstream.commit({"a.md": "two\n"})
    mirror = any_host.mirror()
    for commit, text in ((two, b"two\n"), (one, b"one\n"), (two, b"two\n")):
        mirror.fetch(commit, MAIN)
        assert taken(mirror, commit) == {"a.md": text}


def test_no_work_tree_no_hook_and_no_filter_takes_part(host: Host, tmp_path: Path, hermetic: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    pointer = lfs_pointer()
    files: dict[str, Content] = {
        ".gitattributes": "*.bin filter=lfs\n* text eol=crlf ident\n",
        ".gitmodules": '[submodule "x"]\n\tpath = sub\n\turl = ext::touch ran\n',
        "big.bin": pointer,
        "run.sh": Exec("#!/bin/sh\n"),
        "sub": Submodule(),
        "link": Link("../../etc/passwd"),
        "text.md": "$Id$ a\n",
    }
    commit = host.upstream.commit(files)
    (hermetic / ".gitconfig").write_text(f"[core]\n\thooksPath = {hooks}\n")
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    found = {entry.path: entry for entry in mirror.tree(commit).entries}
    assert {path: oct(entry.mode) for path, entry in found.items()} == {
        ".gitattributes": "0o100644",
        ".gitmodules": "0o100644",
        "big.bin": "0o100644",
        "link": "0o120000",
        "run.sh": "0o100755",
        "sub": "0o160000",
        "text.md": "0o100644",
    }
    data = {blob.id: blob.data for blob in mirror.blobs(found[path].id for path in ("big.bin", "text.md", "link"))}
    assert list(data.values()) == [pointer.encode(), b"$Id$ a\n", b"../../etc/passwd"]
    assert not (tmp_path / "ran").exists()
    assert sorted(path.name for path in host.scratch.iterdir()) == ["mirror.git"]


# --- sizes ---


def big_and_small(host: Host) -> tuple[str, dict[str, str]]:
    files: dict[str, Content] = {"p/big.bin": os.urandom(300_000), "p/small.md": "small\n", "other.md": "x\n"}
    commit = host.upstream.commit(files)
    return commit, {name: host.upstream.blob(commit, f"p/{name}") for name in ("big.bin", "small.md")}


def test_a_blob_over_the_limit_comes_without_its_data(any_host: Host) -> None:
    commit, ids = big_and_small(any_host)
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    big, small = mirror.blobs(ids.values(), limit=1000)
    assert (big.data, big.size, big.problem) == (None, 300_000, TOO_LARGE)
    assert (small.data, small.size, small.problem) == (b"small\n", 6, "")


def test_within_its_tree_a_blob_over_the_limit_is_not_even_sent(host: Host) -> None:
    commit, ids = big_and_small(host)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    package = next(entry.id for entry in mirror.tree(commit).entries if entry.path == "p")
    host.server.forget()
    big, small = mirror.blobs(ids.values(), limit=1000, within=[package])
    assert (big.data, big.size, big.problem) == (None, None, TOO_LARGE)
    assert small.data == b"small\n"
    assert host.server.kinds() == ["advert", "fetch"]
    assert host.server.sent() < 2000
    assert host.server.log[1].filter == "blob:limit=1001"


@pytest.mark.parametrize("size", [1000, 1001])
def test_the_limit_itself_is_within(host: Host, size: int) -> None:
    commit = host.upstream.commit({"p/a.md": "a" * size})
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    package, file = mirror.tree(commit).entries
    for within in ([package.id], []):
        (blob,) = mirror.blobs([file.id], limit=1000, within=within)
        assert (blob.data is None) is (size > 1000)


def test_within_a_server_that_cannot_filter_still_bounds_what_is_read(any_host: Host) -> None:
    commit, ids = big_and_small(any_host)
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    package = next(entry.id for entry in mirror.tree(commit).entries if entry.path == "p")
    big, small = mirror.blobs(ids.values(), limit=1000, within=[package])
    assert (big.data, big.problem, small.data) == (None, TOO_LARGE, b"small\n")


# --- the commit is not where it was ---


@pytest.mark.parametrize("back", [1, 3, 60])
def test_skill_06_a_commit_outside_the_shallow_window(any_host: Host, back: int) -> None:
    wanted_commit = any_host.upstream.commit({"a.md": "wanted\n"})
    for n in range(back):
        any_host.upstream.commit({"a.md": f"{n}\n"})
    mirror = any_host.mirror()
    mirror.fetch(wanted_commit, MAIN)
    assert taken(mirror, wanted_commit) == {"a.md": b"wanted\n"}


def test_skill_06_a_server_that_refuses_ids_is_searched_in_all_refs(any_host: Host) -> None:
    wanted_commit = any_host.upstream.commit({"a.md": "wanted\n"}, branch="old")
    any_host.upstream.commit({"a.md": "on\n"}, branch="old")
    any_host.upstream.commit({"b.md": "b\n"}, orphan=True)
    mirror = any_host.mirror()
    mirror.fetch(wanted_commit)
    assert taken(mirror, wanted_commit) == {"a.md": b"wanted\n"}


def test_skill_06_a_rewritten_history_is_told_and_nothing_is_lost(any_host: Host) -> None:
    kept = any_host.upstream.commit({"a.md": "kept\n"})
    mirror = any_host.mirror()
    mirror.fetch(kept, MAIN)
    taken(mirror, kept)
    lost = any_host.upstream.commit({"a.md": "lost\n"})
    tip = any_host.upstream.commit({"a.md": "anew\n"}, orphan=True)
    any_host.upstream.collect()
    with pytest.raises(HistoryRewritten, match=rf"history of {MAIN} was rewritten .* is kept") as caught:
        mirror.fetch(lost, MAIN)
    assert caught.value.tip == tip
    again = any_host.mirror()
    again.fetch(tip, MAIN)
    assert taken(again, tip) == {"a.md": b"anew\n"}


def test_skill_06_a_revision_that_is_gone_is_an_error_of_its_own(any_host: Host) -> None:
    any_host.upstream.commit({"a.md": "a\n"})
    gone = "5" * 40
    for ref in ("", "refs/heads/deleted"):
        with pytest.raises(RevisionGone, match="does not have the commit 555555555555 any more") as caught:
            any_host.mirror().fetch(gone, ref)
        assert not isinstance(caught.value, HistoryRewritten)


def test_a_commit_that_is_here_needs_no_server(any_host: Host) -> None:
    """A gone revision that was fetched before can still be finished."""
    commit = any_host.upstream.commit({"a.md": "a\n"})
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    taken(mirror, commit)
    shutil.rmtree(any_host.upstream.path)
    again = any_host.mirror()
    again.fetch(commit, MAIN)
    assert taken(again, commit) == {"a.md": b"a\n"}


def test_the_id_of_a_tag_or_a_tree_is_no_commit(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    for oid in (host.upstream.tag("v1", commit, annotated=True), host.upstream.git("rev-parse", f"{commit}^{{tree}}")):
        with pytest.raises(RefMissing, match="is the id of a t"):
            host.mirror().fetch(oid)


# --- trouble on the way ---


def test_an_interrupted_transfer_leaves_nothing_broken(any_host: Host) -> None:
    files: dict[str, Content] = {f"f{n}.bin": os.urandom(4000) for n in range(50)}
    commit = any_host.upstream.commit(files)
    any_host.server.fault("fetch", cut=3000, times=None)
    with pytest.raises(Unreachable):
        mirror = any_host.mirror()
        mirror.fetch(commit, MAIN)
        list(mirror.blobs([any_host.upstream.blob(commit, "f1.bin")]))
    any_host.server.heal()
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == files


def test_blobs_that_were_cut_off_are_asked_for_again(host: Host) -> None:
    files: dict[str, Content] = {f"f{n}.bin": os.urandom(4000) for n in range(50)}
    commit = host.upstream.commit(files)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    ids = [entry.id for entry in mirror.tree(commit).entries]
    host.server.fault("fetch", cut=100_000)
    with pytest.raises(Unreachable, match="kept"):
        list(mirror.blobs(ids))
    assert [blob.data for blob in mirror.blobs(ids)] == [files[entry.path] for entry in mirror.tree(commit).entries]


@pytest.mark.parametrize(("status", "kind"), [(403, AccessDenied), (500, Unreachable), (429, Unreachable)])
def test_a_server_that_says_no_in_the_middle(host: Host, status: int, kind: type[Unreachable]) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    host.server.fault("fetch", status=status)
    with pytest.raises(kind):
        host.mirror().fetch(commit, MAIN)
    host.mirror().fetch(commit, MAIN)


def test_a_signal_ends_a_fetch_and_the_next_run_goes_on(host: Host) -> None:
    commit = host.upstream.commit(skills(20))
    host.server.fault("fetch", delay=30.0)
    calls = iter([False, False, True])
    stopped = replace(host.transport, stopping=lambda: next(calls, True))
    with pytest.raises(Interrupted, match="nothing was changed"):
        Mirror(host.scratch / "mirror.git", stopped, host.address).fetch(commit, MAIN)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == wanted(skills(20))


def test_objects_that_git_refuses_are_not_taken(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    evil = host.upstream.hash("tree", b"100644 .git\0" + bytes.fromhex(host.upstream.blob(commit, "a.md")))
    raw = f"tree {evil}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nx\n".encode()
    host.upstream.ref("refs/heads/evil", host.upstream.hash("commit", raw))
    with pytest.raises(Unsound, match=r"hasDotgit|contains '\.git'"):
        host.mirror().fetch(host.upstream.git("rev-parse", "evil"), "refs/heads/evil")
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == {"a.md": b"a\n"}


def test_what_old_tools_wrote_is_taken(any_host: Host) -> None:
    """Modes with leading zeros, a list of submodules that is none: nothing of ours depends on them."""
    commit = any_host.upstream.commit({"d/a.md": "a\n", ".gitmodules": "[x\n"})
    blob, modules = any_host.upstream.blob(commit, "d/a.md"), any_host.upstream.blob(commit, ".gitmodules")
    folder = any_host.upstream.hash("tree", b"100664 a.md\0" + bytes.fromhex(blob))
    entries = b"100644 .gitmodules\0" + bytes.fromhex(modules) + b"040000 d\0" + bytes.fromhex(folder)
    root = any_host.upstream.hash("tree", entries)
    raw = f"tree {root}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nx\n".encode()
    odd = any_host.upstream.hash("commit", raw)
    any_host.upstream.ref("refs/heads/odd", odd)
    mirror = any_host.mirror()
    mirror.fetch(odd, "refs/heads/odd")
    assert taken(mirror, odd) == {"d/a.md": b"a\n", ".gitmodules": b"[x\n"}


def test_what_git_did_not_check_is_checked_by_us(host: Host) -> None:
    """A zero-padded mode hides the finding that comes after it from git's check; no name leaves the tree."""
    blob = bytes.fromhex(host.upstream.blob(host.upstream.commit({"a.md": "a\n"}), "a.md"))
    inner = host.upstream.hash("tree", b"100644 ..\0" + blob)
    root = host.upstream.hash("tree", b"0100644 a.md\0" + blob + b"40000 d\0" + bytes.fromhex(inner))
    raw = f"tree {root}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nx\n".encode()
    evil = host.upstream.hash("commit", raw)
    host.upstream.ref("refs/heads/evil", evil)
    mirror = host.mirror()
    with pytest.raises(Unsound):
        mirror.fetch(evil, "refs/heads/evil")
        mirror.tree(evil)


def test_what_was_learned_of_a_server_outlives_the_mirror(any_host: Host) -> None:
    if any_host.server.version == 2:
        any_host.server.version = 0
    commit = any_host.upstream.commit(skills(20))
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    taken(mirror, commit)
    learned = (any_host.scratch / "mirror.git" / "okf-mirror").read_text()
    after = any_host.upstream.commit({"a.md": "a\n"})
    mirror = any_host.mirror(disk_limit=2000)
    with pytest.raises(Capacity):
        mirror.fetch(after, MAIN)
    assert (any_host.scratch / "mirror.git" / "okf-mirror").read_text() == learned


# --- the mirror itself is in trouble ---


def _no_head(mirror: Path) -> None:
    (mirror / "HEAD").unlink()


def _cut_pack(mirror: Path) -> None:
    for pack in (mirror / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        data = pack.read_bytes()
        pack.write_bytes(data[: len(data) // 2])


def _flipped_pack(mirror: Path) -> None:
    for pack in (mirror / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        data = bytearray(pack.read_bytes())
        for at in range(12, len(data) - 20, 7):
            data[at] ^= 0x55
        pack.write_bytes(bytes(data))


def _no_packs(mirror: Path) -> None:
    shutil.rmtree(mirror / "objects" / "pack")


def _locked(mirror: Path) -> None:
    (mirror / "shallow.lock").write_text("")


def _garbage(mirror: Path) -> None:
    (mirror / "config").write_text("[core\n")
    (mirror / "shallow").write_text("nonsense\n")


def _other_make(mirror: Path) -> None:
    (mirror / "okf-mirror").write_text("999 sha1\n")


def _file(mirror: Path) -> None:
    shutil.rmtree(mirror)
    mirror.write_text("not a directory")


def _leftover(mirror: Path) -> None:
    (mirror / "objects" / "pack" / "tmp_pack_XYZ").write_bytes(b"PACK")
    mirror.with_name("mirror.git.old").mkdir()


@pytest.mark.parametrize(
    "harm", [_no_head, _cut_pack, _flipped_pack, _no_packs, _locked, _garbage, _other_make, _file, _leftover]
)
@pytest.mark.parametrize("moved", [False, True])
def test_a_damaged_mirror_is_replaced(any_host: Host, harm: Callable[[Path], None], moved: bool) -> None:
    files = wanted(skills(20))
    commit = any_host.upstream.commit(skills(20))
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    taken(mirror, commit)
    if moved:
        commit = any_host.upstream.commit({"skills/s0/f1.md": "anew\n"})
        files = {**files, "skills/s0/f1.md": b"anew\n"}
    harm(any_host.scratch / "mirror.git")
    again = any_host.mirror()
    again.fetch(commit, MAIN)
    assert taken(again, commit) == files
    assert not list((any_host.scratch / "mirror.git").rglob("tmp_*"))


def test_a_mirror_damaged_between_two_reads_is_replaced(any_host: Host) -> None:
    commit = any_host.upstream.commit(skills(20))
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    _cut_pack(any_host.scratch / "mirror.git")
    assert taken(mirror, commit) == wanted(skills(20))
    mirror.forget()
    assert taken(mirror, commit) == wanted(skills(20))


def test_a_tree_without_its_subtrees_is_fetched_anew(host: Host) -> None:
    commit = host.upstream.commit(skills(20))
    mirror = host.mirror()
    mirror.fetch(host.upstream.commit({"a": "a"}, branch="other"), "refs/heads/other")
    directory = host.scratch / "mirror.git"
    settings = ("-c", "remote.origin.promisor=true", "-c", f"remote.origin.url={host.server.url(NAME)}")
    args = ["fetch", "--quiet", "--depth=1", "--filter=tree:1", "origin", commit]
    subprocess.run(["git", f"--git-dir={directory}", *settings, *args], check=True, capture_output=True)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    found = mirror.tree(commit)
    assert found.complete and len(found.entries) == 23
    assert taken(mirror, commit) == wanted(skills(20))


def test_another_kind_of_ids_is_another_mirror(host: Host, tmp_path: Path) -> None:
    host.mirror().fetch(host.upstream.commit({"a.md": "a\n"}), MAIN)
    upstream = Upstream.create(host.server.path("acme/new"), format="sha256")
    commit = upstream.commit({"a.md": "b\n"})
    address = parse(host.server.url("acme/new"), tmp_path)
    mirror = Mirror(host.scratch / "mirror.git", host.transport, address)
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == {"a.md": b"b\n"}


def test_a_local_upstream_is_mirrored_like_a_distant_one(tmp_path: Path) -> None:
    upstream = Upstream.create(tmp_path / "hand:book.git")
    commit = upstream.commit(skills(20))
    address = parse("./hand:book.git", tmp_path)
    mirror = Mirror(tmp_path / "scratch" / "m.git", Transport(environ=dict(os.environ)), address)
    mirror.fetch(commit, MAIN)
    assert taken(mirror, commit) == wanted(skills(20))


def test_a_blob_that_nobody_has_is_no_content(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    with pytest.raises(RevisionGone):
        list(mirror.blobs(["7" * 40]))
    assert list(mirror.blobs([])) == []


def test_of_a_whole_commit_a_foreign_blob_is_missing(any_host: Host) -> None:
    if any_host.server.version == 2:
        any_host.server.version = 0
    commit = any_host.upstream.commit({"a.md": "a\n"})
    mirror = any_host.mirror()
    mirror.fetch(commit, MAIN)
    own, foreign = mirror.blobs([any_host.upstream.blob(commit, "a.md"), "7" * 40])
    assert (own.data, foreign.data, foreign.problem) == (b"a\n", None, MISSING)


# --- room on the disk ---


def _heavy(host: Host) -> tuple[str, list[str]]:
    files: dict[str, Content] = {f"f{n}.bin": os.urandom(50_000) for n in range(10)}
    commit = host.upstream.commit(files)
    return commit, [host.upstream.blob(commit, path) for path in files]


def test_a_full_budget_is_relieved_by_forgetting(host: Host) -> None:
    commit, ids = _heavy(host)
    mirror = host.mirror(disk_limit=200_000)
    mirror.fetch(commit, MAIN)
    assert len(list(mirror.blobs(ids[:3]))) == 3
    with pytest.raises(DiskBudget, match="takes more than 200000 bytes") as caught:
        list(mirror.blobs(ids[3:6]))
    assert (type(caught.value), caught.value.code) == (DiskBudget, "LOCAL_DISK_BUDGET")
    assert caught.value.rate_limited  # the source is not taken for unreachable
    mirror.forget()
    assert len(list(mirror.blobs(ids[3:6]))) == 3


def test_what_never_fits_is_a_matter_of_capacity(host: Host) -> None:
    commit, ids = _heavy(host)
    mirror = host.mirror(disk_limit=200_000)
    mirror.fetch(commit, MAIN)
    with pytest.raises(Capacity, match="takes more than 200000 bytes") as caught:
        list(mirror.blobs(ids))
    assert caught.value.code == "CAPACITY"


def test_a_server_that_sends_everything_is_held_to_the_budget_too(any_host: Host) -> None:
    commit, ids = _heavy(any_host)
    mirror = any_host.mirror(disk_limit=200_000)
    with pytest.raises(Capacity):
        mirror.fetch(commit, MAIN)
        list(mirror.blobs(ids))


def test_a_mirror_that_has_grown_is_begun_anew(host: Host) -> None:
    commit, ids = _heavy(host)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    list(mirror.blobs(ids))
    after = host.upstream.commit({"a.md": "a\n"})
    host.mirror(disk_limit=600_000).fetch(after, MAIN)
    packs = (host.scratch / "mirror.git" / "objects" / "pack").iterdir()
    assert sum(file.stat().st_size for file in packs) < 10_000


def test_a_full_disk_is_told_as_such(host: Host, tmp_path: Path, git_program: str) -> None:
    commit, ids = _heavy(host)
    mirror = host.mirror()
    mirror.fetch(commit, MAIN)
    full = tmp_path / "bin" / "git"
    full.parent.mkdir()
    said = "fatal: write error: No space left on device"
    full.write_text(
        f'#!/bin/sh\ncase "$*" in *" fetch "*) echo "{said}" >&2; exit 128;; esac\nexec {git_program} "$@"\n'
    )
    full.chmod(0o755)
    environ = {**os.environ, "PATH": f"{full.parent}:{os.environ['PATH']}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", environ["PATH"])
        with pytest.raises(DiskBudget, match="the disk is full"):
            list(Mirror(host.scratch / "mirror.git", Transport(environ=environ), host.address).blobs(ids))
    assert [blob.data is not None for blob in mirror.blobs(ids)] == [True] * 10


def test_over_ssh_it_is_the_persons_own_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream.create(tmp_path / "skills.git")
    commit = upstream.commit(skills(20))
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/hosts\neval "$2"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    address = parse(f"git@host.example:{upstream.path}", tmp_path)
    transport = Transport(environ=dict(os.environ))
    head = look(transport, address)
    mirror = Mirror(tmp_path / "scratch" / "m.git", transport, head.address)
    mirror.fetch(head.commit, head.ref)
    assert head.commit == commit and taken(mirror, commit) == wanted(skills(20))
    assert set((tmp_path / "hosts").read_text().split()) == {"git@host.example"}
