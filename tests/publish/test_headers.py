"""Content types and cache headers: shown is what is safe to show, and everything else is opaque."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish.desk import Desk

from git_okf.digest import blob_id
from git_okf.publish.headers import ACTIVE, FOREVER, OPAQUE, content_type, headers

SHOWN = {
    "guide.md": (b"# Guide", "text/markdown; charset=utf-8"),
    "sitemap.xml.md": (b"# Sitemap", "text/markdown; charset=utf-8"),
    "meta.json": (b"{}", "application/json"),
    "talk.vtt": (b"WEBVTT", "text/vtt; charset=utf-8"),
    "LICENSE.TXT": (b"text", "text/plain; charset=utf-8"),
    "a.png": (b"\x89PNG\r\n\x1a\n....", "image/png"),
    "a.jpg": (b"\xff\xd8\xff\xe0....", "image/jpeg"),
    "a.gif": (b"GIF89a....", "image/gif"),
    "cover.webp": (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    "a.avif": (b"\x00\x00\x00\x1cftypavif....", "image/avif"),
    "wrong.jpeg": (b"\x89PNG\r\n\x1a\n....", "image/png"),
    "no-ending": (b"\x89PNG\r\n\x1a\n....", "image/png"),
    "talk.mp3": (b"ID3\x04....", "audio/mpeg"),
    "raw.mp3": (b"\xff\xfb\x90\x00", "audio/mpeg"),
    "talk.m4a": (b"\x00\x00\x00\x20ftypM4A ....", "audio/mp4"),
    "talk.wav": (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
    "talk.ogg": (b"OggS....", "audio/ogg"),
    "film.mp4": (b"\x00\x00\x00\x20ftypisom....", "video/mp4"),
    "slides.pdf": (b"%PDF-1.7", "application/pdf"),
}
HIDDEN = {
    "page.html": b"<!doctype html><script>alert(1)</script>",
    "PAGE.HTM": b"<script>",
    "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
    "feed.xml": b"<?xml version='1.0'?>",
    "code.js": b"alert(1)",
    "picture.html": b"\x89PNG\r\n\x1a\n....",
    "not-a-picture.png": b"<html><script>alert(1)</script>",
    "not-a-song.mp3": b"<html>",
    "riff.bin": b"XXXX\x00\x00\x00\x00WEBP",
    "archive.zip": b"PK\x03\x04",
    "slides.pptx": b"PK\x03\x04",
    "": b"",
    "empty": b"",
}


def made(name: str, data: bytes, cache: str = "no-cache") -> dict[str, str]:
    return dict(headers(f"docs/{name}", data[:32], hashlib.sha256(data).hexdigest(), blob_id(data), cache))


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_known_and_safe_has_its_type(name: str) -> None:
    data, kind = SHOWN[name]
    assert made(name, data) == {"Content-Type": kind, "Cache-Control": "no-cache"}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_browser_would_run_or_is_not_known_is_opaque(name: str) -> None:
    assert made(name, HIDDEN[name]) == {**OPAQUE, "Cache-Control": "no-cache"}


@given(st.text(max_size=20), st.sampled_from(sorted(ACTIVE)), st.binary(max_size=40))
def test_no_bytes_make_an_active_name_harmless(stem: str, ending: str, data: bytes) -> None:
    assert content_type(f"{stem}.{ending}", data) == ""


@given(st.text(max_size=30), st.binary(max_size=40))
def test_no_type_that_is_shown_can_run(name: str, data: bytes) -> None:
    assert content_type(name, data).split(";")[0] not in (
        "text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/xml", "text/javascript",
    )  # fmt: skip


def test_a_name_that_is_a_hash_of_the_content_is_cached_for_ever() -> None:
    data = b"\x89PNG\r\n\x1a\n...."
    for digits in (hashlib.sha256(data).hexdigest(), hashlib.sha256(data).hexdigest()[:16], blob_id(data)):
        assert made(f"{digits}.png", data)["Cache-Control"] == FOREVER
    assert made(f"{'0' * 16}.png", data)["Cache-Control"] == "no-cache"
    assert made(f"{hashlib.sha256(data).hexdigest()[:15]}.png", data)["Cache-Control"] == "no-cache"


def test_no_cache_control_may_be_wanted() -> None:
    assert made("a.md", b"", cache="") == {"Content-Type": "text/markdown; charset=utf-8"}


def test_the_bucket_has_the_headers(desk: Desk) -> None:
    for name in ("page.html", "drawing.svg", "not-a-picture.png"):
        desk.repo.write(f"docs/{name}", HIDDEN[name])
    desk.repo.write("docs/a.png", SHOWN["a.png"][0])
    desk.repo.git("add", "docs")
    desk.commit({})
    desk.publish()
    for name in ("page.html", "drawing.svg", "not-a-picture.png"):
        there = desk.get(f"docs/{name}")
        assert (there["ContentType"], there["ContentDisposition"]) == ("application/octet-stream", "attachment")
        assert there["Body"].read() == HIDDEN[name]
    there = desk.get("docs/a.png")
    assert (there["ContentType"], there["CacheControl"]) == ("image/png", "no-cache")
    assert "ContentDisposition" not in there
    assert desk.get("docs/index.md")["ContentType"] == "text/markdown; charset=utf-8"


def test_another_cache_control_reaches_what_is_published_already(desk: Desk) -> None:
    picture = SHOWN["a.png"][0]
    desk.commit({f"docs/{blob_id(picture)}.png": picture})
    desk.publish()
    desk.configure(cache_control="public, max-age=300")
    said = desk.publish()
    assert len(said["updated"]) == 10 and said["unchanged"] == 1
    assert desk.get("docs/index.md")["CacheControl"] == "public, max-age=300"
    assert desk.get(f"docs/{blob_id(picture)}.png")["CacheControl"] == FOREVER
    desk.assert_whole()
    desk.quiet()
