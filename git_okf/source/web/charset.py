"""Bytes of a page -> text, by what they declare: BOM, then Content-Type, then `<meta charset>`. Pure.

The order is that of the Encoding Standard (a BOM wins over the header). Labels are read as browsers
read them: `iso-8859-1` means windows-1252, `gb2312` means gb18030. A label that names no encoding of the Web (`utf-7`,
`zip`, `unicode_escape`) says nothing.
"""

from __future__ import annotations

import re

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:\-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:\-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:\-]+)", re.IGNORECASE)
_SNIFFED = 1024
"""Bytes in which a page must name its encoding (HTML Standard, "prescan a byte stream")."""

# Label without punctuation -> Python codec.
_CODECS = {
    "utf8": "utf-8",
    "unicode11utf8": "utf-8",
    "utf16": "utf-16-le",
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
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


def declared(data: bytes, content_type: str) -> str:
    """The codec a page declares, "" if it declares none."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    match = _HEADER.search(content_type)
    if match and codec(match[1]):
        return codec(match[1])
    head = data[:_SNIFFED]
    inner = _META.search(head) or _XML.match(head)
    name = codec(inner[1].decode("ascii")) if inner else ""
    # A page that could say so in ASCII is not UTF-16 (HTML Standard, same place).
    return "utf-8" if name.startswith("utf-16") else name


def decode(data: bytes, content_type: str) -> str:
    """The text, broken sequences replaced. Undeclared bytes are UTF-8 if they can be, else windows-1252.

    Good for markup, which is ASCII in every encoding of the Web but UTF-16; prose of an undeclared encoding needs
    detection.
    """
    name = declared(data, content_type)
    if not name:
        try:
            return data.decode()
        except UnicodeDecodeError:
            name = "cp1252"
    text = data.decode(name, "replace")
    return text.removeprefix("\ufeff")
