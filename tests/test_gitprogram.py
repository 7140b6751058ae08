"""The git program: what reaches it, what it says, and that it ends."""

from __future__ import annotations

import time

import pytest
from conftest import GitRepo

from git_okf.errors import GitRefused
from git_okf.gitprogram import GitTimeout, clean_environment, git


def test_the_environment_of_a_hook_does_not_reach_another_repository() -> None:
    kept = {
        "PATH": "/bin",
        "GIT_SSH_COMMAND": "ssh -v",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a.b",
        "GIT_CONFIG_VALUE_0": "c",
        "GIT_ASKPASS": "x",
        "GIT_HTTP_USER_AGENT": "x",
    }
    where = "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_QUARANTINE_PATH"
    dropped = dict.fromkeys([*where.split(), "GIT_AUTHOR_NAME", "GIT_EDITOR", "GPG_TTY"], "x")
    cleaned = clean_environment({**kept, **dropped})
    assert {name: cleaned[name] for name in kept} == kept
    assert cleaned["GIT_TERMINAL_PROMPT"] == "0"
    assert cleaned["GIT_EDITOR"] == "false"
    assert not (dropped.keys() - {"GIT_EDITOR"}) & cleaned.keys()


def test_git_s_refusal_is_told_in_its_words(repo: GitRepo) -> None:
    with pytest.raises(GitRefused, match=r"`git rev-parse` failed: fatal: ") as caught:
        git(repo.path, "rev-parse", "--verify", "no-such-ref^{commit}:x")
    assert caught.value.exit_code == 128
    assert git(repo.path, "rev-parse", "--verify", "no-such-ref", check=False).returncode


def test_a_missing_program_and_one_that_does_not_end_are_sentences(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitRefused, match=r"did not end within 0\.2 seconds"):
        git(repo.path, "-c", "alias.wait=!sleep 5", "wait", timeout=0.2)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(GitRefused, match="was not found"):
        git(repo.path, "status")


def test_a_watched_git_is_fed_and_heard_to_the_end(repo: GitRepo) -> None:
    data = b"x" * 3_000_000
    seen: list[float] = []
    said = git(
        repo.path, "-c", "alias.slow=!sleep 0.3; cat; sleep 0.3", "slow", stdin=data, watch=lambda: seen.append(1.0)
    )
    assert said.stdout == data
    assert len(seen) >= 2


def test_what_a_watch_raises_ends_git(repo: GitRepo) -> None:
    def stop() -> None:
        raise InterruptedError

    began = time.monotonic()
    with pytest.raises(InterruptedError):
        git(repo.path, "-c", "alias.wait=!sleep 30", "wait", watch=stop)
    assert time.monotonic() - began < 10


def test_a_watched_git_has_an_end_too(repo: GitRepo) -> None:
    with pytest.raises(GitTimeout, match=r"did not end within 0\.3 seconds"):
        git(repo.path, "-c", "alias.wait=!sleep 30", "wait", timeout=0.3, watch=lambda: None)
