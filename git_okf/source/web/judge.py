"""Is this the page? What came with 200 and is yet not what was asked for. Pure.

Block and challenge pages, login pages, soft 404s and empty shells are told by what makes them work, which a page that
only writes about them does not have: a script, an iframe, a form; never by words in the text alone, and never by words
inside `<code>`. Where words are read, it is the whole title or the whole first heading, on a page with little text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

LITTLE = 150
"""Words of content; a page with more is no error page, whatever its title."""

_MAGIC = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OggS", "sound or film"),
    (b"ID3", "sound"),
    (b"\x00asm", "a program"),
    (b"SQLite format 3\x00", "a database"),
)
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_WIDE = re.compile(r"utf-?(16|32)|ucs-?[24]", re.IGNORECASE)

_BLOCK_TITLE = re.compile(
    r"(just a moment|attention required|please wait|checking your browser|verif(y|ying) (that )?you are (a )?human"
    r"|access denied|access to this page has been denied|pardon our interruption|human verification|security check"
    r"|robot check|are you a robot|making sure you'?re not a bot|one moment, please|ddos-guard"
    r"|vercel security checkpoint|radware bot manager captcha|you have been blocked|request blocked"
    r"|403 forbidden|captcha)"
    r"[\s.!?…]*([|\-–—:].*)?",
    re.IGNORECASE,
)
_BLOCK_SCRIPT = re.compile(
    r"/cdn-cgi/challenge-platform/(?!scripts/jsd/)|_cf_chl_opt|captcha-delivery\.com|_pxAppId|/px/captcha|px-captcha"
    r"|_Incapsula_Resource|awswaf\.com|awsWafCookieDomainList|gokuProps|sucuri_cloudproxy|/\.within\.website/x/cmd/anubis"
    r"|ddos-guard\.net|/\.well-known/ddos-guard|hcaptcha\.com/1/api|recaptcha/(api|enterprise)|challenges\.cloudflare\.com"
    r"|perfdrive\.com|/_sec/cp_challenge|ak-challenge|/vercel/security/"
)
_ANY_CLOUDFLARE = re.compile(r"/cdn-cgi/challenge-platform/")
_LOGIN_WORDS = re.compile(
    r"\b(log ?in|log ?on|sign ?in|single sign-?on|sso|authenticat(e|ion)|anmelden|anmeldung|connexion"
    r"|iniciar sesi[oó]n)\b"
    r"|登录|登入|ログイン|サインイン|로그인",
    re.IGNORECASE,
)
_LOGIN_URL = re.compile(
    r"/(users?/|account/|accounts/|auth/|wp-)?(log-?in|log-?on|sign[_-]?in|sso|saml2?|oauth2?|authorize|cas|oidc|auth)"
    r"(\.(php|aspx?|jsp|html?|do))?(/|\?|\Z)",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"(error:? ?)?(http )?(404|410)([\s.!:|\-–—]+(error|(page |file )?not found|page|gone)[\s.!]*([|\-–—:·].*)?)?"
    r"|(oops[!.,]* ?|sorry[!.,]* ?)?(the |this |that )?((requested )?(page|file|document|url) )?"
    r"(was |is |could )?not (be )?found"
    r"[\s.!]*([|\-–—:·].*)?"
    r"|(the |this |that )?page (you .{0,40} )?(does not|doesn'?t|no longer) exists?[\s.!]*([|\-–—:·].*)?"
    r"|(die )?seite (wurde )?nicht gefunden.*|page (introuvable|non trouv[ée]e).*|p[áa]gina no encontrada.*"
    r"|(页面|页|頁面)(未找到|不存在|找不到).*|(未找到|找不到)(该)?(页面|頁面).*"
    r"|ページが見つかりません.*|페이지를 찾을 수 없습니다.*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a page is made of, as far as it tells a page from something in its place."""

    heading: str = ""
    block_script: bool = False
    cloudflare_script: bool = False
    password: bool = False


def binary(data: bytes, content_type: str = "") -> str:
    """What the bytes are if they are no text ("" if they are): the label is not trusted, only a wide encoding is."""
    for magic, name in _MAGIC:
        if data.startswith(magic):
            return name
    if data[8:12] == b"WEBP" or data[4:8] == b"ftyp":
        return "an image or film"
    if data.startswith(_WIDE_BOMS) or _WIDE.search(content_type):
        return ""
    sample = data[:65536]
    if b"\0" not in sample:
        return ""
    # UTF-16 without BOM: ASCII markup has a zero in every second byte.
    if b"<\0" in sample[:512] or b"\0<" in sample[:512]:
        return ""
    return "binary data" if sample.count(b"\0") > max(1, len(sample) // 1000) else ""


def look(data: bytes) -> Marks:
    """The marks of an HTML page."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(data)
    heading = tree.css_first("h1")
    scripts = [_machinery(node) for node in tree.css("script, iframe, form, #px-captcha, meta[http-equiv]")]
    return Marks(
        heading=" ".join(heading.text().split())[:300] if heading is not None else "",
        block_script=any(_BLOCK_SCRIPT.search(text) for text in scripts),
        cloudflare_script=any(_ANY_CLOUDFLARE.search(text) for text in scripts),
        password=tree.css_first("input[type=password]") is not None,
    )


def _machinery(node: Any) -> str:
    """What an element loads, sends to or runs."""
    attributes = node.attributes
    parts = [attributes.get(name) or "" for name in ("src", "action", "id", "content")]
    if node.tag == "script" and (attributes.get("type") or "text/javascript") in ("text/javascript", "module"):
        parts.append(node.text()[:200_000])
    return " ".join(parts)


def suspicion(marks: Marks, *, title: str, words: int) -> str:
    """Why this is not the page ("" if nothing speaks against it); `words` counts those of the extracted content."""
    title = " ".join(title.split())
    blocked = _BLOCK_TITLE.fullmatch(title) or _BLOCK_TITLE.fullmatch(marks.heading)
    if blocked and (marks.block_script or marks.cloudflare_script or words < LITTLE // 4):
        return f"looks like a block page ({_short(title or marks.heading)})"
    if words >= LITTLE:
        return ""
    if marks.block_script and not marks.heading:
        return "looks like a challenge page"
    if marks.password and (_LOGIN_WORDS.search(f"{title} {marks.heading}") or words < LITTLE // 5):
        return f"looks like a login page ({_short(title or marks.heading)})"
    if not_found(title) or not_found(marks.heading):
        return f"looks like an error page although the server says 200 ({_short(title or marks.heading)})"
    return ""


def not_found(text: str) -> bool:
    """Whether a title or heading says, as a whole, that there is no page (the name of the site may follow it)."""
    text = " ".join(text.split())
    return bool(text) and any(
        _NOT_FOUND.fullmatch(part) for part in (text, re.split(r"\s+[|\-–—·:]\s+", text, maxsplit=1)[0])
    )


def is_login(url: str) -> bool:
    """Whether a redirect to this URL means that one has to log in."""
    return _LOGIN_URL.search(url.partition("://")[2]) is not None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:57]}…" if len(text) > 58 else text
