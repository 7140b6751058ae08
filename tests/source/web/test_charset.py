"""Bytes of a page -> text, by what they declare."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.charset import codec, declared, decode

KOREAN, CHINESE, JAPANESE = "한국어 문서", "中文文档", "日本語の文書"


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        (KOREAN.encode("euc-kr"), "text/html; charset=EUC-KR", KOREAN),
        (KOREAN.encode("euc-kr"), "text/html;CHARSET='ks_c_5601-1987'", KOREAN),
        (b"<meta charset=gbk>" + CHINESE.encode("gbk"), "text/html", "<meta charset=gbk>" + CHINESE),
        (b'<meta charset="gb2312">' + CHINESE.encode("gbk"), "", '<meta charset="gb2312">' + CHINESE),
        (
            CHINESE.encode("big5", "replace"),
            "text/html; charset=Big5",
            CHINESE.encode("big5", "replace").decode("big5"),
        ),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">' + JAPANESE.encode("cp932"),
            "text/html",
            '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">' + JAPANESE,
        ),
        (JAPANESE.encode("euc-jp"), 'text/html; charset="euc-jp"', JAPANESE),
        ("Größe €".encode("cp1252"), "text/html; charset=iso-8859-1", "Größe €"),
        ("Größe".encode("cp1252"), "text/html", "Größe"),
        ("Größe".encode(), "text/html", "Größe"),
        ("\ufeffGröße".encode("utf-16-le"), "text/html; charset=utf-8", "Größe"),
        ("\ufeffGröße".encode("utf-16-be"), "text/html", "Größe"),
        ("\ufeffGröße".encode(), "text/html; charset=iso-8859-1", "Größe"),
        ("<meta charset=utf-16>ö".encode(), "text/html", "<meta charset=utf-16>ö"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?>" + "ř".encode("iso8859-2"), "", None),
        (b"<meta charset=latin1>\xe9", "text/html; charset=utf-8", "<meta charset=latin1>é"),
    ],
)
def test_page_08_mark_then_header_then_meta(data: bytes, content_type: str, text: str | None) -> None:
    decoded = decode(data, content_type)
    assert decoded == text if text is not None else decoded.endswith("ř")


@pytest.mark.parametrize(
    "label", ["utf-7", "zip", "hex", "idna", "unicode_escape", "rot13", "nonsense", "", "utf-8\0x"]
)
def test_label_of_no_web_encoding_says_nothing(label: str) -> None:
    assert codec(label) in ("", "utf-8")
    assert declared(b"x", f"text/html; charset={label}") in ([], ["utf-8"])


def test_every_known_label_is_a_codec_of_python() -> None:
    from git_okf.source.web import charset

    for name in charset._CODECS.values():
        assert "ab".encode(name).decode(name) == "ab"


def test_declaration_far_down_does_not_count() -> None:
    assert declared(b" " * 2000 + b"<meta charset=gbk>", "text/html") == ["gb18030"]
    assert declared(b" " * 5000 + b"<meta charset=gbk>", "text/html") == []


def test_page_08_text_that_is_utf_8_is_not_read_as_what_else_would_fit() -> None:
    assert decode(f"<meta charset=gbk>{CHINESE}".encode(), "text/html; charset=iso-8859-1").endswith(CHINESE)
    assert decode("Größe".encode() + b"\xff", "text/html") == "Größe\ufffd"


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_page_08_utf_16_needs_no_mark(name: str) -> None:
    assert decode("<p>Größe and more words".encode(name), "text/html; charset=utf-8") == "<p>Größe and more words"


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80), st.sampled_from(["", "gbk", "shift_jis", "euc-kr", "utf-16", "iso-2022-jp", "big5"]))
def test_any_bytes_decode(data: bytes, label: str) -> None:
    decode(data, f"text/html; charset={label}")
