"""Bytes of a page -> text: marks, zero bytes, Content-Type, `<meta charset>`; never the locale. Pure.

Labels are read as browsers read them (Encoding Standard): `iso-8859-1` means windows-1252, `gb2312` means gb18030. One
that names no encoding of the Web (`utf-7`, `zip`, `unicode_escape`) says nothing. Where the declarations disagree, or
name a single-byte set that fits any bytes, text that is UTF-8 is read as that.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]+)", re.IGNORECASE)
_SNIFFED = 4096
"""Bytes in which a page names its encoding: four times what browsers look ahead, since they go on looking later."""
_SINGLE_BYTE = re.compile(r"cp(?:125\d|874|866)|iso8859|koi8|mac")
_LOST_SHARE = 0.005
"""More U+FFFD than this share of the characters, and bytes were not read as what they are (PAGE-08)."""

# Label without punctuation -> Python codec.
_CODECS = {
    "utf8": "utf-8",
    "unicode11utf8": "utf-8",
    **dict.fromkeys(("utf16", "utf16le", "utf16be", "unicode"), "utf-8"),  # what is UTF-16 has a mark or zero bytes
    **dict.fromkeys(("ascii", "usascii", "iso88591", "latin1", "l1", "cp1252", "windows1252", "xcp1252"), "cp1252"),
    **{f"iso8859{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(("iso88599", "latin5", "windows1254"), "cp1254"),
    **dict.fromkeys(("iso885911", "tis620", "windows874"), "cp874"),
    **{f"windows{n}": f"cp{n}" for n in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    **{f"cp{n}": f"cp{n}" for n in (866, 1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    "latin2": "iso8859-2",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macintosh": "mac-roman",
    **dict.fromkeys(("gbk", "gb2312", "gb18030", "xgbk", "chinese", "gb231280"), "gb18030"),
    **dict.fromkeys(("big5", "big5hkscs", "xxbig5", "cnbig5"), "big5hkscs"),
    **dict.fromkeys(("shiftjis", "sjis", "mskanji", "windows31j", "xsjis", "cp932"), "cp932"),
    **dict.fromkeys(("eucjp", "xeucjp"), "euc-jp"),
    "iso2022jp": "iso2022-jp",
    **dict.fromkeys(("euckr", "ksc56011987", "ksc5601", "korean", "windows949", "cseuckr", "cp949"), "cp949"),
}


def codec(label: str) -> str:
    """The Python codec of an encoding label as browsers read it; "" if it names none."""
    return _CODECS.get(re.sub(r"[^a-z0-9]", "", label.lower()), "")


def declared(data: bytes, content_type: str) -> list[str]:
    """The codecs that header and page declare, in this order."""
    head = data[:_SNIFFED]
    header = _HEADER.search(content_type)
    inner = _META.search(head) or _XML.match(head)
    labels = (header[1] if header else "", inner[1].decode("ascii") if inner else "")
    return [name for name in map(codec, labels) if name]


def decode(data: bytes, content_type: str) -> str:
    """The text; what is broken becomes U+FFFD."""
    return read(data, content_type)[0]


def read(data: bytes, content_type: str) -> tuple[str, bool]:
    """The text, and whether its encoding is known: neither declared nor UTF-8, it is a guess (windows-1252)."""
    name, mark = _wide(data)
    if name:
        return data[mark:].decode(name, "replace"), True
    said = declared(data, content_type)
    for name in _candidates(data, said):
        try:
            return data.decode(name), True
        except UnicodeDecodeError:
            continue
    for name in said:
        text = data.decode(name, "replace")
        if not is_lost(text):
            return text, True
    text = data.decode("utf-8", "replace")
    if not is_lost(text) and any(c > "\x7f" and c != "\ufffd" for c in text):
        return text, True
    return data.decode(said[0] if said else "cp1252", "replace"), False


def is_lost(text: str) -> bool:
    """Whether so many characters could not be read that the encoding must be another one."""
    return text.count("\ufffd") > max(3, len(text) * _LOST_SHARE)


def is_wide(data: bytes) -> bool:
    """Whether the bytes show a mark or are UTF-16; zero bytes are no binary data then."""
    return bool(_wide(data)[0])


def _wide(data: bytes) -> tuple[str, int]:
    """The codec that a mark names, or UTF-16 told by the zero bytes of its tags; and the length of the mark."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, len(mark)
    head = data[:64]
    if head.count(b"\0") <= len(head) // 4:
        return "", 0
    if b"<\0" in head:
        return ("utf-16-le" if head.find(b"<\0") % 2 == 0 else "utf-16-be"), 0
    return ("utf-16-be" if b"\0<" in head else ""), 0


def _candidates(data: bytes, said: list[str]) -> list[str]:
    """What to try strictly."""
    doubted = len(set(said)) != 1 or any(_SINGLE_BYTE.match(name) for name in said)
    return ["utf-8", *said] if doubted and not data.isascii() else [*said, "utf-8"]
