"""Two publishers at once: whatever one does in the middle of the other, the newer commit is what is published."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import GitRepo
from publish.desk import BUNDLE, PREFIX, Desk
from publish.storage import Answer

PAGES = [f"docs/pages/p{n}.md" for n in range(1, 5)]


def older_and_newer(desk: Desk, tmp_path: Path) -> tuple[GitRepo, GitRepo]:
    """A published commit, and two clones: one at the commit after it, one at the commit after that. The second puts one
    page back to what it was, removes one that the first changed, and adds another."""
    desk.publish()
    desk.commit({PAGES[0]: "second\n", PAGES[1]: "second\n", PAGES[2]: "second\n", "docs/second.md": "second\n"})
    older = desk.clone(tmp_path / "older")
    desk.commit({PAGES[0]: BUNDLE[PAGES[0]], PAGES[1]: "third\n", "docs/third.md": "third\n"}, PAGES[2])
    return older, desk.clone(tmp_path / "newer")


def once(desk: Desk, number: int, when: str, action: Callable[[], object]) -> list[str]:
    """Do something at the n-th request, before the storage gets it or before its answer goes on; what was met."""
    met: list[str] = []
    lock = threading.Lock()

    def rule(method: str, key: str) -> Answer | None:
        with lock:
            met.append(f"{method} {key}")
            due = len(met) == number
        if due:
            action()
        return None

    setattr(desk.gate, when, rule)
    return met


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("first", ["older", "newer"])
def test_two_publishers_cannot_undo_each_other(desk: Desk, tmp_path: Path, first: str, when: str) -> None:
    """The second one runs from its start to its end at each request of the first one in turn."""
    older, newer = older_and_newer(desk, tmp_path)
    one, other = (older, newer) if first == "older" else (newer, older)
    start = {each["Key"]: desk.client.get_object(Bucket=desk.bucket, Key=each["Key"]) for each in _listed(desk)}
    bodies = {key: (found["Body"].read(), found["ContentType"]) for key, found in start.items()}
    number, codes = 0, set()
    while True:
        number += 1
        _reset(desk, bodies)
        other_codes: list[int] = []
        met = once(
            desk,
            number,
            when,
            lambda said=other_codes: said.append(_code(desk, other)),  # type: ignore[misc]
        )
        code = _code(desk, one)
        desk.gate.quiet()
        if len(met) < number:
            break
        codes.add((code, *other_codes))
        assert _code(desk, newer) == 0, f"request {number}: {met[number - 1]}"
        desk.assert_whole(cwd=newer.path)
        if first == "newer":
            assert code == 0, f"request {number}: {met[number - 1]}"
    assert number > 9
    assert codes <= {(0, 0), (5, 0) if first == "older" else (0, 5)} and len(codes) > 0


def _code(desk: Desk, clone: GitRepo) -> int:
    return desk.direct(clone).exit_code


def _listed(desk: Desk) -> list[dict[str, str]]:
    found: list[dict[str, str]] = desk.client.list_objects_v2(Bucket=desk.bucket)["Contents"]
    return found


def _reset(desk: Desk, bodies: dict[str, tuple[bytes, str]]) -> None:
    for each in _listed(desk):
        if each["Key"] not in bodies:
            desk.client.delete_object(Bucket=desk.bucket, Key=each["Key"])
    for key, (body, kind) in bodies.items():
        desk.client.put_object(Bucket=desk.bucket, Key=key, Body=body, ContentType=kind)


def test_a_late_write_over_what_was_put_back_is_disowned(desk: Desk, tmp_path: Path) -> None:
    """The only late write that a condition cannot catch: the object is again what it was when the write was sent."""
    older, newer = older_and_newer(desk, tmp_path)
    done: list[str] = []

    def overtake(method: str, key: str) -> Answer | None:
        if method == "PUT" and key.endswith("p1.md") and not done:
            done.append(key)
            assert _code(desk, newer) == 0
        return None

    desk.gate.before = overtake
    ended = desk.direct(older)
    desk.gate.quiet()
    assert ended.error and "is published already, and it is newer" in ended.error.message
    assert desk.body(PAGES[0]) == b"second\n" and desk.manifest()["unsure"] == [PAGES[0]]
    assert desk.publish(cwd=newer.path)["updated"] == [PAGES[0]]
    desk.assert_whole(cwd=newer.path)


def test_the_one_that_is_overtaken_in_the_same_commit_yields(desk: Desk, tmp_path: Path) -> None:
    clone = desk.clone(tmp_path / "clone")
    done: list[str] = []

    def overtake(method: str, key: str) -> Answer | None:
        if method == "PUT" and key.endswith("p4.md") and not done:
            done.append(key)
            assert _code(desk, clone) == 2  # it takes the claim over, and is stopped
        elif method == "PUT" and key.endswith(".okf/docs.json") and done:
            done.append(key)
            return Answer(403) if len(done) == 3 else None
        return None

    desk.gate.before = overtake
    said = desk.publish(code=5)
    assert said["result"] == "busy" and "another publisher has taken over" in said["error"]["message"]
    desk.gate.quiet()
    desk.publish()
    desk.assert_whole()


def test_many_publishers_of_one_commit_at_once_all_end_well(desk: Desk, tmp_path: Path) -> None:
    clones = [desk.clone(tmp_path / f"clone{n}") for n in range(3)]
    with ThreadPoolExecutor() as pool:
        codes = list(pool.map(lambda clone: _code(desk, clone), clones))
    assert set(codes) <= {0, 5} and 0 in codes
    desk.publish()
    desk.assert_whole()
    desk.quiet()


# --- which commit is the newer one ---


def test_a_publisher_of_an_older_commit_stops(desk: Desk, tmp_path: Path) -> None:
    older, newer = older_and_newer(desk, tmp_path)
    desk.publish(cwd=newer.path)
    before = desk.objects()
    desk.gate.forget()
    said = desk.publish(code=5, cwd=older.path)
    assert "is published already, and it is newer" in said["error"]["message"]
    assert desk.gate.methods() == {"GET"} and desk.objects() == before
    assert desk.publish("--older", cwd=older.path)["result"] == "published"
    desk.assert_whole(cwd=older.path)


def test_a_publisher_of_an_older_commit_leaves_a_newer_one_alone_that_was_cut_off(desk: Desk, tmp_path: Path) -> None:
    older, newer = older_and_newer(desk, tmp_path)
    desk.gate.before = lambda method, key: Answer(403) if key.endswith("third.md") else None
    desk.publish(code=2, cwd=newer.path)
    desk.gate.quiet()
    said = desk.publish(code=5, cwd=older.path)
    assert "is being published already, and it is newer" in said["error"]["message"]
    desk.publish(cwd=newer.path)
    desk.assert_whole(cwd=newer.path)


def test_a_revert_is_remembered_though_nothing_is_uploaded_for_it(desk: Desk, tmp_path: Path) -> None:
    """Else a late publisher of the commit between would be taken for the newest."""
    desk.publish()
    desk.commit({PAGES[0]: "second\n"})
    late = desk.clone(tmp_path / "late")
    head = desk.commit({PAGES[0]: BUNDLE[PAGES[0]]})
    desk.gate.forget()
    assert desk.publish()["result"] == "unchanged"
    assert desk.gate.written() == [] and desk.manifest()["commit"] == head
    desk.quiet()
    desk.publish(code=5, cwd=late.path)
    desk.assert_whole()


def test_a_clone_that_is_behind_stops_though_it_does_not_know_the_newer_commit(desk: Desk, tmp_path: Path) -> None:
    behind = desk.clone(tmp_path / "behind")
    desk.repo.git("commit", "--quiet", "--allow-empty", "-m", "later", "--date", "2030-01-01T00:00:00Z")
    _commit_at(desk.repo, "2030-01-01T00:00:00Z", {PAGES[0]: "later\n"})
    desk.publish()
    assert "is published already" in desk.publish(code=5, cwd=_changed(behind).path)["error"]["message"]


def _changed(clone: GitRepo) -> GitRepo:
    clone.commit("behind", {PAGES[1]: "behind\n"})
    return clone


def _commit_at(repo: GitRepo, when: str, files: dict[str, str]) -> str:
    for path, text in files.items():
        repo.write(path, text)
        repo.git("add", "--", path)
    tree = repo.git("write-tree")
    payload = (
        f"tree {tree}\nparent {repo.git('rev-parse', 'HEAD')}\nauthor A <a@example.org> {_epoch(when)} +0000\n"
        f"committer A <a@example.org> {_epoch(when)} +0000\n\nat a time\n"
    )
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", input=payload)
    repo.git("update-ref", "HEAD", commit)
    return commit


def _epoch(when: str) -> int:
    from datetime import datetime

    return int(datetime.fromisoformat(when.replace("Z", "+00:00")).timestamp())


def test_a_rewritten_history_is_compared_with_the_manifest(desk: Desk, tmp_path: Path) -> None:
    _commit_at(desk.repo, "2026-01-01T00:00:00Z", {PAGES[0]: "once\n"})
    desk.publish()
    desk.repo.git("update-ref", "HEAD", "HEAD~1")
    _commit_at(desk.repo, "2026-01-02T00:00:00Z", {PAGES[0]: "again\n"})
    clone = desk.clone(tmp_path / "clone")
    assert clone.git("cat-file", "-e", str(desk.manifest()["commit"]), check=False) == ""
    desk.gate.forget()
    assert desk.publish(cwd=clone.path)["updated"] == [PAGES[0]]
    assert desk.gate.written() == [f"{PREFIX}/{PAGES[0]}"]
    desk.assert_whole(cwd=clone.path)


def test_an_amended_commit_that_is_still_here_is_the_newer_one(desk: Desk) -> None:
    _commit_at(desk.repo, "2026-01-01T00:00:00Z", {PAGES[0]: "once\n"})
    desk.publish()
    desk.repo.git("update-ref", "HEAD", "HEAD~1")
    _commit_at(desk.repo, "2026-01-02T00:00:00Z", {PAGES[0]: "again\n"})
    assert desk.publish()["updated"] == [PAGES[0]]
    desk.assert_whole()


def test_a_shallow_clone_publishes_the_difference(desk: Desk, tmp_path: Path) -> None:
    _commit_at(desk.repo, "2026-01-01T00:00:00Z", {PAGES[0]: "once\n"})
    desk.publish()
    _commit_at(desk.repo, "2026-01-02T00:00:00Z", {PAGES[0]: "again\n"})
    shallow = desk.clone(tmp_path / "shallow", "--depth=1")
    assert shallow.git("rev-list", "--count", "HEAD") == "1"
    assert desk.publish(cwd=shallow.path)["updated"] == [PAGES[0]]
    desk.quiet(cwd=shallow.path)
    shallow.commit("next", {PAGES[1]: "next\n"})
    assert desk.publish(cwd=shallow.path)["updated"] == [PAGES[1]]
    desk.assert_whole(cwd=shallow.path)


def test_a_shallow_clone_of_an_older_commit_stops(desk: Desk, tmp_path: Path) -> None:
    _commit_at(desk.repo, "2026-01-01T00:00:00Z", {PAGES[0]: "once\n"})
    shallow = desk.clone(tmp_path / "shallow", "--depth=1")
    _commit_at(desk.repo, "2026-01-02T00:00:00Z", {PAGES[0]: "again\n"})
    desk.publish()
    desk.publish(code=5, cwd=shallow.path)
    _commit_at(desk.repo, "2026-01-03T00:00:00Z", {PAGES[0]: "third\n"})
    other = desk.clone(tmp_path / "other", "--depth=2")
    other.git("update-ref", "HEAD", "HEAD~1")
    desk.publish()
    desk.publish(code=5, cwd=other.path)
    desk.assert_whole()


def test_the_state_keeps_what_other_sources_and_clones_wrote(desk: Desk) -> None:
    desk.publish()
    first = desk.repo.git("rev-parse", "okf/state")
    desk.commit({PAGES[0]: "x\n"})
    desk.publish()
    assert desk.repo.git("rev-parse", "okf/state~1") == first
    facts = json.loads(desk.repo.git("show", "okf/state:.published/docs.json"))
    assert facts["commit"] == desk.repo.git("rev-parse", "HEAD")
    assert desk.repo.git("fsck", "--strict", "--no-dangling", "--no-progress") == ""
