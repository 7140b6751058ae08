"""Where the bytes of an object come from: blobs, files of git-lfs, and large ones of both."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish.desk import Desk

from git_okf.publish import bucket as buckets
from git_okf.publish import upload
from git_okf.publish.lfs import pointer

MEBIBYTE = 1024 * 1024


def pointer_of(data: bytes) -> str:
    sha256 = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(data)}\n"


def stored(desk: Desk, data: bytes, folder: str = ".git/lfs") -> Path:
    sha256 = hashlib.sha256(data).hexdigest()
    return desk.repo.write(f"{folder}/objects/{sha256[:2]}/{sha256[2:4]}/{sha256}", data)


def test_a_file_of_git_lfs_is_published_with_its_content(desk: Desk) -> None:
    data = b"ID3\x04" + bytes(1000)
    stored(desk, data)
    desk.commit({"docs/talk.mp3": pointer_of(data)})
    desk.publish()
    assert desk.body("docs/talk.mp3") == data
    assert desk.get("docs/talk.mp3")["ContentType"] == "audio/mpeg"
    desk.quiet()


@pytest.mark.parametrize("there", ["nothing", "other content", "half of it"])
def test_a_pointer_never_takes_the_place_of_what_is_not_here(desk: Desk, there: str) -> None:
    data = b"ID3\x04" + bytes(1000)
    if there != "nothing":
        stored(desk, data).write_bytes(data[:500] if there == "half of it" else bytes(1004))
    desk.commit({"docs/talk.mp3": pointer_of(data)})
    said = desk.publish(code=128)
    assert said["error"]["message"] == (
        "docs/talk.mp3 is kept by git-lfs, and its content is not in this clone. Nothing was published"
    )
    assert said["error"]["hint"].startswith("git lfs fetch")
    assert desk.gate.methods() == {"GET"}


def test_the_store_of_git_lfs_may_be_elsewhere(desk: Desk) -> None:
    data = b"ID3\x04elsewhere"
    stored(desk, data, "shared/lfs")
    desk.repo.git("config", "lfs.storage", str(desk.repo.path / "shared/lfs"))
    desk.commit({"docs/talk.mp3": pointer_of(data)})
    desk.publish()
    assert desk.body("docs/talk.mp3") == data


def test_what_only_looks_like_a_pointer_is_content(desk: Desk) -> None:
    text = pointer_of(b"x") + "and more\n"
    desk.commit({"docs/about-lfs.md": text})
    desk.publish()
    assert desk.body("docs/about-lfs.md") == text.encode()


@given(st.binary(max_size=200))
def test_a_pointer_is_read_as_git_lfs_writes_it(data: bytes) -> None:
    found = pointer(pointer_of(data).encode())
    assert found and (found.sha256, found.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert pointer(data) is None


@pytest.mark.parametrize("lfs", [False, True])
def test_a_large_file_goes_up_in_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch, lfs: bool) -> None:
    monkeypatch.setattr(upload, "LARGE", 6 * MEBIBYTE)
    monkeypatch.setattr(buckets, "PART_BYTES", 5 * MEBIBYTE)
    data = b"ID3\x04" + bytes(range(256)) * (28 * 1024)
    stored(desk, data)
    desk.commit({"docs/talk.mp3": pointer_of(data) if lfs else data})
    desk.publish()
    assert desk.body("docs/talk.mp3") == data
    assert desk.get("docs/talk.mp3")["ContentType"] == "audio/mpeg"
    assert len([each for each in desk.gate.requests if "partNumber" in each.query]) == 2
    desk.quiet()
    desk.commit({"docs/pages/p1.md": "new\n"}, "docs/talk.mp3")
    assert desk.publish()["removed"] == ["docs/talk.mp3"]


def test_few_bytes_are_in_memory_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "HELD_BYTES", 10)
    desk.publish()
    desk.assert_whole()


def test_numbers_of_a_first_and_a_small_publication(desk: Desk) -> None:
    """163 articles with pictures; then a day with two changes."""
    files: dict[str, str | bytes] = {}
    for number in range(163):
        files[f"docs/a{number}.md"] = f"# Article {number}\n"
        files[f"docs/a{number}.webp"] = b"RIFF\x00\x00\x00\x00WEBP" + str(number).encode()
    desk.commit(files)
    desk.gate.forget()
    assert desk.publish()["result"] == "published"
    first = len(desk.gate.requests)
    assert first <= 2 * 163 + 10 + 8
    desk.quiet()
    desk.commit({"docs/a7.md": "changed\n", "docs/a8.md": "changed\n", "docs/log.md": "changed\n"})
    desk.gate.forget()
    desk.publish()
    assert len(desk.gate.requests) == 8, json.dumps([f"{each.method} {each.key}" for each in desk.gate.requests])
