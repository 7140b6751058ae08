"""Content type and cache headers of an object, from its name and its bytes. Pure.

What a browser would run is never served as such: HTML, SVG, XML, scripts and style sheets came from sources that are
not to be trusted, and a bucket shares its origin with everything else in it. They are published byte for byte as
`application/octet-stream` with `Content-Disposition: attachment`: a browser saves them, and runs nothing. Whoever wants
them shown serves them from an origin of their own, with a sandbox (`Content-Security-Policy: sandbox`). The same holds
for everything whose kind is not known. Images, sound, film and PDF are recognised by their first bytes, never by their
names, and are sent with the type that was found, so that nothing is left to a browser's guess.
"""

from __future__ import annotations

import hashlib

from git_okf.publish.values import Headers

RULES = 1
"""Grows when the same file would get other headers than before."""

OPAQUE = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment"}
FOREVER = "public, max-age=31536000, immutable"
LEAST_DIGITS = 16

ACTIVE = frozenset(
    (
        *("html", "htm", "xhtml", "xht", "shtml", "mht", "mhtml", "hta", "php", "asp", "aspx", "jsp", "cgi"),
        *("svg", "svgz", "xml", "xsl", "xslt", "xsd", "rdf", "rss", "atom", "mathml"),
        *("js", "mjs", "cjs", "wasm", "css", "swf", "vbs"),
    )
)
"""Endings of what a browser, or a server in front of the bucket, would run."""

_TEXT = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "vtt": "text/vtt; charset=utf-8",
    "srt": "text/plain; charset=utf-8",
    "yaml": "text/plain; charset=utf-8",
    "yml": "text/plain; charset=utf-8",
    "toml": "text/plain; charset=utf-8",
}
_MAGIC = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
    (0, b"%PDF-", "application/pdf"),
)
_RIFF = ("image/webp", "audio/wav")
_MPEG_FRAMES = (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")
_AAC_FRAMES = (b"\xff\xf1", b"\xff\xf9")


def rules(cache_control: str) -> str:
    """What the headers depend on beside the file; where it is the same, the same file has the same headers."""
    return f"{RULES}:{hashlib.sha256(cache_control.encode()).hexdigest()[:16]}"


def headers(key: str, head: bytes, sha256: str, blob: str, cache_control: str) -> Headers:
    """The headers of a file; `head` are its first bytes (32 are enough), `sha256` and `blob` the hashes of all."""
    name = key.rpartition("/")[2]
    kind = content_type(name, head)
    cache = FOREVER if _is_named_by_content(name, sha256, blob) else cache_control
    return {**({"Content-Type": kind} if kind else OPAQUE), **({"Cache-Control": cache} if cache else {})}


def content_type(name: str, head: bytes) -> str:
    """The type that is safe to show; "" where the bytes are to be opaque."""
    ending = name.lower().rpartition(".")[2] if "." in name else ""
    return "" if ending in ACTIVE else _TEXT.get(ending) or _by_magic(head)


def _by_magic(head: bytes) -> str:
    for at, magic, kind in _MAGIC:
        if head.startswith(magic, at) and (kind not in _RIFF or head.startswith(b"RIFF")):
            return kind
    if head.startswith(_MPEG_FRAMES):
        return "audio/mpeg"
    return "audio/aac" if head.startswith(_AAC_FRAMES) else ""


def _is_named_by_content(name: str, sha256: str, blob: str) -> bool:
    """Such a name never stands for other bytes, so nobody need ask for them twice."""
    stem = name.partition(".")[0].lower()
    return len(stem) >= LEAST_DIGITS and any(digits.startswith(stem) for digits in (sha256, blob))
