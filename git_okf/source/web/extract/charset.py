"""Bytes of a page -> text. Byte order mark, header, `<meta>`, detection, in this order; never the locale."""

from __future__ import annotations

import codecs
import re

from git_okf.source.web.extract.reasons import NoContent

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP (or an office document)"), (b"PK\x05\x06", "ZIP"), (b"\x89PNG", "PNG"),
    (b"GIF8", "GIF"), (b"\xff\xd8\xff", "JPEG"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"),
    (b"7z\xbc\xaf", "7z"), (b"Rar!", "RAR"), (b"\x7fELF", "ELF"), (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"wOF2", "WOFF2"), (b"wOFF", "WOFF"), (b"OggS", "Ogg"), (b"ID3", "MP3"), (b"\0asm", "WebAssembly"),
    (b"RIFF", "RIFF"), (b"SQLite format 3", "SQLite"), (b"\x28\xb5\x2f\xfd", "zstd"),
)  # fmt: skip
_ALIASES = {
    "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "korean": "cp949", "big5": "big5hkscs", "big5-hkscs": "big5hkscs",
    "iso-8859-9": "cp1254", "tis-620": "cp874", "iso-8859-11": "cp874", "utf8": "utf-8", "unicode": "utf-8",
    "utf-16": "utf-8", "utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "cp1252",
}  # fmt: skip
"""Labels as the WHATWG Encoding Standard reads them; a `<meta>` that can be read as ASCII does not say UTF-16."""
_SINGLE_BYTE = re.compile(r"cp125\d|cp874|iso-?8859|koi8|mac", re.I)
_META = re.compile(rb"<meta\b[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.I)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.I)
_XML = re.compile(rb"\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9_:.-]+)", re.I)
_SNIFFED = 4096
_LOST_SHARE = 0.005
"""More U+FFFD than this share of the characters, and the text is none (PAGE-08)."""


def decode(data: bytes, content_type: str) -> str:
    """The text of a page. Raises NoContent for binary data and for bytes that no encoding explains."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _checked(data[len(bom) :].decode(name, "replace"), name)
    wide = _wide(data)
    if wide:
        return _checked(data.decode(wide, "replace"), wide)
    _refuse_binary(data)
    said = [name for name in (_header(content_type), _meta(data)) if name]
    for name in _candidates(data, said):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    for name in [*said, "utf-8"]:
        text = data.decode(name, "replace")
        if not _is_lost(text):
            return text
    name = _detected(data) or "utf-8"
    return _checked(data.decode(name, "replace"), name)


def _wide(data: bytes) -> str:
    """UTF-16 without a mark, told by the zero bytes of its tags."""
    head = data[:64]
    if b"<\0" in head and head.count(b"\0") > len(head) // 4:
        return "utf-16-le" if head.find(b"<\0") % 2 == 0 else "utf-16-be"
    return "utf-16-be" if b"\0<" in head and head.count(b"\0") > len(head) // 4 else ""


def _refuse_binary(data: bytes) -> None:
    for magic, name in _MAGIC:
        if data.startswith(magic):
            raise NoContent(f"the bytes are {name}, not a page")
    head = data[:_SNIFFED]
    controls = sum(
        head.count(c) for c in (b"\0", b"\x01", b"\x02", b"\x03", b"\x04", b"\x05", b"\x06", b"\x0e", b"\x0f")
    )
    if controls > max(2, len(head) // 500):
        raise NoContent("the bytes are binary data, not a page")


def _header(content_type: str) -> str:
    match = _HEADER.search(content_type)
    return _codec(match[1]) if match else ""


def _meta(data: bytes) -> str:
    match = _META.search(data[:_SNIFFED]) or _XML.match(data[:_SNIFFED])
    return _codec(match[1].decode("ascii")) if match else ""


def _codec(label: str) -> str:
    name = _ALIASES.get(label.lower(), label.lower())
    try:
        found = codecs.lookup(name)
    except LookupError:
        return ""
    return name if getattr(found, "_is_text_encoding", True) else ""


def _candidates(data: bytes, said: list[str]) -> list[str]:
    """What to try strictly. UTF-8 that decodes is UTF-8 wherever the claims disagree or one says a single-byte set."""
    doubted = len(set(said)) != 1 or any(_SINGLE_BYTE.match(name) for name in said)
    return ["utf-8", *said] if doubted and not data.isascii() else [*said, "utf-8"]


def _detected(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 1 << 16]).best()
    return best.encoding if best is not None else ""


def _is_lost(text: str) -> bool:
    return text.count("�") > max(3, len(text) * _LOST_SHARE)


def _checked(text: str, name: str) -> str:
    if _is_lost(text):
        raise NoContent(f"the bytes cannot be read as {name}: too many characters are lost")
    return text
