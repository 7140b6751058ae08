"""Bytes -> text for extraction: marks, headers, declarations, detection; binary data is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest
from extracting import OPTIONS, URL

from git_okf.source.web.extract import NoContent, decode, extract

CHINESE = "本页说明如何安装和配置软件，并列出所有可用的选项。"
JAPANESE = "このページではソフトウェアのインストール方法を説明します。"
KOREAN = "이 페이지는 소프트웨어 설치 방법을 설명합니다."


def html(text: str, charset: str = "") -> str:
    return (
        f"<html><head>{f'<meta charset={charset}>' if charset else ''}<title>t</title></head><body><main>"
        f"<p>{text}</p></main></body></html>"
    )


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        (html(CHINESE, "gbk").encode("gbk"), "text/html", CHINESE),
        (html(CHINESE, '"GBK"').encode("gbk"), "text/html", CHINESE),
        (html(CHINESE, "gbk").encode("gbk"), "text/html; charset=utf-8", CHINESE),
        (html(CHINESE, "utf-8").encode("gbk"), "text/html; charset=GB2312", CHINESE),
        (html(CHINESE, "gbk").encode(), "text/html; charset=utf-8", CHINESE),
        (html(CHINESE).encode(), "text/html; charset=ISO-8859-1", CHINESE),
        (html(KOREAN, "euc-kr").encode("euc-kr"), "", KOREAN),
        (html(JAPANESE).encode("shift_jis"), "text/html; charset=Shift_JIS", JAPANESE),
        (html(CHINESE * 8).encode("gb18030"), "text/html", CHINESE * 8),
        (html("café “x”").encode("cp1252"), "text/html; charset=iso-8859-1", "café “x”"),
        (html("naïve", "bogus").encode(), "text/html; charset=nonsense", "naïve"),
        (b"\xef\xbb\xbf" + html("é", "latin-1").encode(), "text/html; charset=gbk", "é"),
        (html(CHINESE).encode("utf-16"), "text/html", CHINESE),
        (html("plain words").encode("utf-16-le"), "text/html", "plain words"),
        (html("plain words").encode("utf-16-be"), "text/html", "plain words"),
    ],
)
def test_page_08_text_is_read_in_the_encoding_it_was_written_in(data: bytes, content_type: str, text: str) -> None:
    assert text in decode(data, content_type)
    assert extract(data, url=URL, content_type=content_type, options=OPTIONS).body == text


def test_page_08_a_stray_byte_does_not_refuse_a_page() -> None:
    data = html("word " * 500).encode().replace(b"word word", b"w\xffrd word", 1)
    assert decode(data, "text/html; charset=utf-8").count("�") == 1


@pytest.mark.parametrize("locale", ["C", "zh_CN.GBK", "C.UTF-8"])
def test_page_08_the_locale_makes_no_difference(locale: str) -> None:
    code = (
        "import sys; from git_okf.source.web.extract import decode;"
        " print(ascii(decode(sys.stdin.buffer.read(), 'text/html')))"
    )
    data = html(CHINESE, "gbk").encode("gbk")
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=data,
        env={"LC_ALL": locale, "PATH": "/usr/bin"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == ascii(html(CHINESE, "gbk"))


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\nstream",
        b"PK\x03\x04\x14\x00\x06\x00word/document.xml",
        b"\x89PNG\r\n\x1a\n",
        b"\x1f\x8b\x08\x00",
        b"<html>" + bytes(range(9)) * 50,
        bytes(range(256)) * 20,
    ],
)
def test_page_06_binary_is_no_page(data: bytes) -> None:
    with pytest.raises(NoContent) as caught:
        decode(data, "text/html; charset=utf-8")
    assert "not a page" in caught.value.reason or "cannot be read" in caught.value.reason
