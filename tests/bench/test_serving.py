from __future__ import annotations

from pathlib import Path

import pytest
from bench import real_sites
from bench.access_log import Traffic, traffic
from bench.campaign import extracted
from bench.nginx import configuration
from bench.process import RunFailed, counted, environment, measure


def test_a_log_is_summed_up() -> None:
    lines = ["GET 200 1000 /a.html", "GET 304 0 /b c.html", "HEAD 200 0 /a.html", "GET 404 153 /missing?x=1 2"]
    assert traffic(lines) == Traffic(requests=4, bodies=1, not_modified=1, body_bytes=1153)
    assert traffic([]) == Traffic()
    with pytest.raises(ValueError, match="unpack"):
        traffic(["GET 200"])


def test_validators_are_switched_off_whole() -> None:
    on = configuration(Path("/home"), 8000, validators=True, root=False)
    off = configuration(Path("/home"), 8000, validators=False, root=True)
    assert "etag off" not in on and "user " not in on
    assert 'etag off; if_modified_since off; add_header Last-Modified "";' in off and "user root;" in off
    assert "listen 127.0.0.1:8000 " in on


def test_count_objects_is_read() -> None:
    said = "count: 3\nsize: 12\nin-pack: 40\npacks: 1\nsize-pack: 100\nprune-packable: 0\ngarbage: 0\nsize-garbage: 0\n"
    store = counted(said, 11_500)
    assert (store.objects, store.kb, store.loose) == (43, 11.5, 3)


def test_the_report_of_a_run_is_found_behind_its_warnings() -> None:
    assert extracted('warning: x\n{"schema": 1, "sources": [{"extracted": 3}, {"extracted": 4}]}\n') == 7
    assert extracted("no report") is None
    assert extracted('{"error": {}}') is None


def test_what_a_command_leaves_behind_is_waited_for_and_counted(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}]); print('gone')"
    env, log = environment(tmp_path / "home"), tmp_path / "log"
    cost = measure(["python3", "-c", orphan], tmp_path, env, log=log, cores=1)
    assert cost.cpu >= 0.3
    assert cost.memory > 1
    assert log.read_text() == "gone\n"


def test_a_command_that_fails_says_what_it_said(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    failing = ["python3", "-c", "print('no luck'); raise SystemExit(3)"]
    with pytest.raises(RunFailed, match="no luck"):
        measure(failing, tmp_path, env, log=tmp_path / "log", cores=1)
    assert measure(failing, tmp_path, env, log=tmp_path / "log", cores=1, done=(0, 3)).requests == 0


def test_a_file_of_a_real_site_is_as_old_as_its_content_says(tmp_path: Path) -> None:
    for version, text in (("v01", "one"), ("v02", "two")):
        folder = tmp_path / "corpus" / "site" / version
        folder.mkdir(parents=True)
        (folder / "git.html").write_text(text)
        (folder / "same.html").write_text("same")
    first, second = real_sites.versions("site", str(tmp_path / "corpus"), tmp_path / "work")
    assert real_sites.pages(first) == ["git.html", "index.html", "same.html"]
    assert (first / "git.html").stat().st_mtime != (second / "git.html").stat().st_mtime
    assert (first / "same.html").stat().st_mtime == (second / "same.html").stat().st_mtime


def test_a_site_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(real_sites.NoSuchSite, match="nowhere is no site of"):
        real_sites.versions("nowhere", str(tmp_path), tmp_path)
