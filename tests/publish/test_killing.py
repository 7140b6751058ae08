"""A publisher that is killed, at any request: what was published stays valid, and the next one completes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from publish.desk import BUNDLE, Desk
from publish.storage import Answer

CHANGE = {"docs/pages/p1.md": "second\n", "docs/new.md": "new\n", "docs/index.md": "# Second\n"}
GONE = "docs/pages/p2.md"


def started(desk: Desk) -> subprocess.Popen[bytes]:
    """The program, as a shell starts it."""
    command = [sys.executable, "-m", "git_okf", "publish"]
    return subprocess.Popen(command, cwd=desk.repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_until(desk: Desk, number: int, when: str, number_of_signal: int) -> tuple[int, list[str]]:
    """Run it, and send a signal at the n-th request; how it ended, and what was asked until then."""
    met: list[str] = []
    lock = threading.Lock()
    process: list[subprocess.Popen[bytes]] = []
    ready = threading.Event()

    def rule(method: str, key: str) -> Answer | None:
        ready.wait()
        with lock:
            met.append(f"{method} {key}")
            if len(met) == number:
                process[0].send_signal(number_of_signal)
                if number_of_signal == signal.SIGKILL:
                    process[0].wait()
        return None

    setattr(desk.gate, when, rule)
    process.append(started(desk))
    ready.set()
    process[0].communicate()
    desk.gate.quiet()
    return process[0].returncode, met


def every_request(desk: Desk, when: str, look: Callable[[str], None]) -> int:
    """A day's publication, killed at its first request, then another day's at its second, and so on."""
    number = 0
    while True:
        number += 1
        change = {path: f"{text}{number}\n" for path, text in CHANGE.items()}
        gone = [GONE] if number % 2 else []
        desk.commit({**change, **({} if gone else {GONE: f"back {number}\n"})}, *gone)
        code, met = run_until(desk, number, when, signal.SIGKILL)
        if len(met) < number:
            assert code == 0
            return number - 1
        assert code == -signal.SIGKILL
        look(met[-1])
        desk.direct(desk.repo)
        desk.assert_whole()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_publication_that_is_killed_at_any_request_is_completed_by_the_next(desk: Desk, when: str) -> None:
    desk.publish()
    published: list[str] = [desk.manifest()["commit"]]

    def look(last: str) -> None:
        """The manifest names a whole commit, and no object of it that is not being written differs from it."""
        said = desk.manifest()
        at = said["commit"]
        assert at in (published[-1], desk.repo.git("rev-parse", "HEAD")), last
        published.append(at)
        sure = said["objects"].keys() - set(said.get("unsure", ()))
        for key in sure:
            assert desk.repo.git("hash-object", "--stdin", input=desk.body(key).decode()) == said["objects"][key][0]
        published.append(desk.repo.git("rev-parse", "HEAD"))

    assert every_request(desk, when, look) >= 9


def test_what_a_killed_publisher_wrote_of_a_commit_that_was_dropped_is_put_right(desk: Desk) -> None:
    """Whatever the next commit is: what lies there of the one that was cut off does not stay."""
    desk.publish()
    base = desk.repo.git("rev-parse", "HEAD")
    desk.commit(CHANGE, GONE)
    code, _ = run_until(desk, 9, "after", signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert desk.objects() != {path: text.encode() for path, text in BUNDLE.items()}
    desk.repo.git("reset", "--quiet", "--hard", base)
    desk.repo.commit("another", {"README.md": "x\n"})
    desk.publish("--older")
    desk.assert_whole()
    assert desk.held() == set(BUNDLE)
    desk.quiet()


def test_removals_that_were_cut_off_are_made_up_for(desk: Desk) -> None:
    desk.publish()
    desk.commit({}, GONE, "docs/log.md")
    desk.gate.before = lambda method, key: Answer(403) if method in ("POST", "DELETE") else None
    desk.publish(code=2)
    desk.gate.quiet()
    assert desk.manifest()["commit"] == desk.repo.git("rev-parse", "HEAD")
    assert desk.manifest()["removing"] == ["docs/log.md", GONE] and GONE in desk.held()
    assert desk.publish()["removed"] == ["docs/log.md", GONE]
    desk.assert_whole()


def test_what_was_to_be_removed_and_comes_back_is_there(desk: Desk) -> None:
    desk.publish()
    desk.commit({}, GONE)
    desk.gate.before = lambda method, key: Answer(403) if method in ("POST", "DELETE") else None
    desk.publish(code=2)
    desk.gate.quiet()
    desk.commit({GONE: "back\n"})
    desk.publish()
    desk.assert_whole()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_130_and_the_next_run_goes_on(desk: Desk, number: int) -> None:
    code, met = run_until(desk, 8, "before", number)
    assert code == 130
    assert desk.manifest()["commit"] is None and len(met) < 20
    assert desk.publish()["result"] == "published"
    desk.assert_whole()


def test_a_state_that_could_not_be_written_is_made_up_for(desk: Desk) -> None:
    """The bucket is what counts; the state follows."""
    desk.publish()
    desk.repo.git("update-ref", "-d", "refs/heads/okf/state")
    assert desk.publish()["result"] == "unchanged"
    assert desk.repo.git("cat-file", "-t", "okf/state:.published/docs.json") == "blob"
    ref = desk.repo.path / ".git/refs/heads/okf/state"
    assert ref.exists() and os.access(ref, os.R_OK)
