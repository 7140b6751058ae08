"""What the store costs: `python tests/bench/store_costs.py [PAGES]` prints milliseconds, kilobytes and memory.

A bundle of PAGES pages with 60 shared links each is written, then one page changes. Everything happens in a throw-away
repository; nothing is asserted, machines differ.
"""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from git_okf.model import Record
from git_okf.store import notes, state, worktree
from git_okf.store.repo import RefUpdate, Repo
from git_okf.store.state import State

T = TypeVar("T")
BASE = "https://docs.example.com/guide/"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
BRANCH = "refs/heads/main"


def say(what: str, figure: float, unit: str) -> None:
    sys.stdout.write(f"{what:40} {figure:12,.1f} {unit}\n")


def timed(what: str, action: Callable[[], T]) -> T:
    start = time.perf_counter()
    result = action()
    say(what, 1000 * (time.perf_counter() - start), "ms")
    return result


def path(number: int) -> str:
    return f"pages/s{number % 100}/page-number-{number}.md"


def record(number: int, version: int = 0) -> Record:
    digest = "sha256:" + hashlib.sha256(f"{number} {version}".encode()).hexdigest()
    shared = tuple(f"{BASE}s{number % 20}/page-number-{other}.html" for other in range(60))
    return Record(
        key=f"{BASE}s{number % 100}/page-number-{number}.html",
        path=path(number),
        title=f"Page number {number}",
        description="What this page is about, in about a hundred characters, as sites have it in their meta data.",
        content_hash=digest,
        raw_hash=digest,
        fingerprint="0123456789abcdef",
        size=4000,
        etag=f'"{digest[7:39]}"',
        last_modified="Mon, 30 Nov 2026 18:00:00 GMT",
        links=(*shared[:30], f"{BASE}own/{number}.html", *shared[30:]),
    )


def body(number: int, version: int = 0) -> bytes:
    lines = (hashlib.sha256(f"{number} {line}".encode()).hexdigest() for line in range(40))
    return ("\n".join(lines) + f"\nversion {version}\n").encode()


def stored(root: Path) -> float:
    return sum(file.stat().st_size for file in (root / ".git" / "objects").rglob("*") if file.is_file()) / 1000


def build(repo: Repo, pages: int) -> None:
    tree = timed("write all pages", lambda: repo.edit(None, {f"docs/{path(n)}": body(n) for n in range(pages)}))
    new = State(identity={}, records={r.key: r for r in map(record, range(pages))})
    files = timed("encode the state", lambda: state.changes(None, new, "docs"))
    say("state, a page", sum(len(data or b"") for data in files.values()) / pages, "bytes")
    commit = repo.commit(tree, [], "one", WHEN)
    memory = repo.commit(timed("write the state", lambda: repo.edit(None, files)), [], "state", WHEN)
    repo.update([RefUpdate(BRANCH, None, commit, "x"), RefUpdate(state.REF, None, memory, "x")], head=BRANCH)
    timed("check all pages out", lambda: worktree.update(repo, None, tree, ["docs"]))


def change_one(repo: Repo) -> None:
    before = stored(repo.root)
    timed("is the bundle clean", lambda: worktree.dirty(repo, "docs"))
    old = timed("read the state", lambda: state.read(repo, "docs"))
    tip, memory = repo.ref(BRANCH), repo.ref(state.REF)
    assert old and tip and memory
    tree, page = repo.commit_tree(tip), record(5, 1)
    new = replace(old, records={**old.records, page.key: page})
    timed("is it worth writing", lambda: state.worth_writing(old, new))

    def write() -> str:
        changed = repo.edit(tree, {f"docs/{page.path}": body(5, 1)})
        commit = repo.commit(changed, [tip], "two", WHEN)
        files = repo.edit(repo.commit_tree(memory), state.changes(old, new, "docs"))
        moves = [
            RefUpdate(BRANCH, tip, commit, "x"),
            RefUpdate(notes.REF, None, notes.note(repo, None, commit, "{}", WHEN), "x"),
            RefUpdate(state.REF, memory, repo.commit(files, [memory], "state", WHEN), "x"),
        ]
        repo.update(moves, head=BRANCH)
        return changed

    changed = timed("commit one page, note, state", write)
    timed("check one page out", lambda: worktree.update(repo, tree, changed, ["docs"]))
    say("added to the object store", stored(repo.root) - before, "kB")


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", folder], check=True)
        repo = Repo.open(Path(folder))
        build(repo, pages)
        change_one(repo)
    say("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, "MB")


if __name__ == "__main__":
    main()
