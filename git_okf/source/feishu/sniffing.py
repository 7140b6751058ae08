"""What a file is, by its first bytes; its name is only asked where these say nothing. Pure."""

from __future__ import annotations

import re
import unicodedata

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpg"),
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (0, b"BM", "bmp"),
    (0, b"II*\0", "tif"),
    (0, b"MM\0*", "tif"),
    (0, b"\0\0\1\0", "ico"),
    (0, b"%PDF-", "pdf"),
    (0, b"ID3", "mp3"),
    (0, b"fLaC", "flac"),
    (0, b"OggS", "ogg"),
    (4, b"ftypM4A", "m4a"),
    (4, b"ftypavif", "avif"),
    (4, b"ftyphei", "heic"),
    (4, b"ftyp", "mp4"),
    (0, b"\x1a\x45\xdf\xa3", "webm"),
)
_RIFF = {b"WEBP": "webp", b"WAVE": "wav", b"AVI ": "avi"}
_PICTURES = frozenset({"png", "jpg", "gif", "bmp", "tif", "ico", "webp", "avif", "heic", "svg"})
_SOUNDS = frozenset({"mp3", "m4a", "aac", "wav", "ogg", "oga", "opus", "flac", "wma", "amr"})
_TEXTS = frozenset({"txt", "md", "srt", "vtt", "lrc"})
_OTHERS = frozenset(
    {"htm", "html", "css", "js", "json", "csv", "xml", "pdf", "mp4", "mov", "webm", "zip", "gz", "7z", "epub"}
    | {"doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "woff", "woff2", "ttf", "otf"}
)
_KEPT = _PICTURES | _SOUNDS | _TEXTS | _OTHERS
_RENAMED = {"jpeg": "jpg", "tiff": "tif", "htm": "html", "md": "txt", "markdown": "txt"}
"""Markdown beside a concept would be taken for a concept of its own."""
NAME_BYTES = 100
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")


def extension(data: bytes, name: str) -> str:
    """Without the dot, of a closed set; `bin` where neither bytes nor name say anything."""
    for at, magic, found in _MAGIC:
        if data[at : at + len(magic)] == magic:
            return found
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[:2] in (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"):
        return "mp3"
    if re.match(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<svg[\s>]", data[:1024], re.DOTALL):
        return "svg"
    said = suffix(name)
    return _RENAMED.get(said, said) if said in _KEPT | _RENAMED.keys() else "bin"


def suffix(name: str) -> str:
    """What a name ends with behind its last dot, in lower case; "" for nothing."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def stem(name: str) -> str:
    return name.rpartition(".")[0] if "." in name else name


def is_picture(name: str) -> bool:
    return _RENAMED.get(suffix(name), suffix(name)) in _PICTURES


def is_sound(name: str) -> bool:
    return suffix(name) in _SOUNDS


def is_text(name: str) -> bool:
    return suffix(name) in _TEXTS | {"markdown"}


def safe_name(name: str) -> str:
    """A name that is the same on every file system, and never that of a concept; "" where nothing is left of it."""
    text = unicodedata.normalize("NFC", name)
    kept = "".join(ch if ch in "-_." or unicodedata.category(ch)[0] in "LN" else "-" for ch in text).strip("-. ")
    if not kept or _DEVICE.match(kept) or len(kept.encode()) > NAME_BYTES:
        return ""
    return f"{kept}.txt" if suffix(kept) in ("md", "markdown") else kept
