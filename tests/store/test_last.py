"""The last run, remembered in scratch."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_okf.errors import GitRefused
from git_okf.store import last


def test_what_was_written_is_read_and_what_is_lost_is_empty(tmp_path: Path) -> None:
    assert last.read(tmp_path, "docs") == {}
    last.write(tmp_path, "docs", {"at": "2026", "result": "unchanged"})
    assert last.read(tmp_path, "docs") == {"at": "2026", "result": "unchanged"}
    assert last.read(tmp_path, "other") == {}
    assert [p.name for p in (tmp_path / "last").iterdir()] == ["docs.json"]


@pytest.mark.parametrize("data", [b"", b"null", b"[1]", b'{"at": "20', b"\xff\xfe"])
def test_what_cannot_be_read_is_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last" / "docs.json").write_bytes(data)
    assert last.read(tmp_path, "docs") == {}


def test_a_scratch_that_cannot_be_written_is_a_sentence_and_leaves_no_crumbs(tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last" / "docs.json").mkdir()
    with pytest.raises(GitRefused, match="cannot be used"):
        last.write(tmp_path, "docs", {})
    assert [p.name for p in (tmp_path / "last").iterdir()] == ["docs.json"]
