"""Bytes of a page -> text to extract from: binary data is refused, an undeclared encoding is detected."""

from __future__ import annotations

from git_okf.source.web import charset
from git_okf.source.web.extract.reasons import NoContent

_MAGIC = (
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP (or an office document)"), (b"PK\x05\x06", "ZIP"), (b"\x89PNG", "PNG"),
    (b"GIF8", "GIF"), (b"\xff\xd8\xff", "JPEG"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"),
    (b"7z\xbc\xaf", "7z"), (b"Rar!", "RAR"), (b"\x7fELF", "ELF"), (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"wOF2", "WOFF2"), (b"wOFF", "WOFF"), (b"OggS", "Ogg"), (b"ID3", "MP3"), (b"\0asm", "WebAssembly"),
    (b"RIFF", "RIFF"), (b"SQLite format 3", "SQLite"), (b"\x28\xb5\x2f\xfd", "zstd"),
)  # fmt: skip
_SNIFFED = 4096
_CONTROLS = b"\0\x01\x02\x03\x04\x05\x06\x0e\x0f"


def decode(data: bytes, content_type: str) -> str:
    """The text of a page. Raises NoContent for binary data and for bytes that no encoding explains."""
    if not charset.is_wide(data):
        _refuse_binary(data)
    text, known = charset.read(data, content_type)
    if not known or charset.is_lost(text):
        name = _detected(data)
        text = data.decode(name, "replace") if name else text
    if charset.is_lost(text):
        raise NoContent("the bytes cannot be read as text: too many characters are lost in any encoding")
    return text


def _refuse_binary(data: bytes) -> None:
    for magic, name in _MAGIC:
        if data.startswith(magic):
            raise NoContent(f"the bytes are {name}, not a page")
    head = data[:_SNIFFED]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > max(2, len(head) // 500):
        raise NoContent("the bytes are binary data, not a page")


def _detected(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 1 << 16]).best()
    return best.encoding if best is not None else ""
