"""Where a document's links lead: decoded once, of a known scheme, into the source where the source has the target."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from git_okf.source.feishu.docx import kinds
from git_okf.source.feishu.docx.given import string
from git_okf.source.feishu.docx.text import verbatim
from git_okf.source.feishu.docx.values import Context
from git_okf.source.markdown.destination import KEPT_SCHEMES, safe

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_IGNORED = re.compile(r"[\x00-\x20\x7f-\xa0]")
"""What browsers leave out of an address, so that no scheme can hide behind it."""
_HOST = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_]{2,}(?::\d+)?(?:[/?#]|\Z)")
_UNQUOTED = re.compile(r"[^A-Za-z0-9._~/+=@,\x80-\U0010ffff-]")
_OWN = re.compile(
    r"https?://(?:[\w-]+\.)+(?:feishu\.cn|larksuite\.com|larkoffice\.com)"
    r"/(docs|docx|wiki|sheets|base|file|mindnotes|slides)/([A-Za-z0-9]+)(?:[/?#]|\Z)"
)
_OBJ_TYPES = {
    "docs": kinds.DOC,
    "docx": kinds.OBJ_DOCX,
    "wiki": kinds.OBJ_WIKI,
    "sheets": kinds.OBJ_SHEET,
    "base": kinds.OBJ_BITABLE,
    "file": kinds.OBJ_FILE,
    "mindnotes": kinds.OBJ_MINDNOTE,
    "slides": kinds.OBJ_SLIDES,
}


def address(value: object) -> str:
    """The URL a document gives, written so that nothing ends it; "" where it is none that a reader may follow.

    Documents give URLs percent-encoded as a whole; one with a colon in it is not.
    """
    url = verbatim(value)
    if ":" not in url:
        url = unquote(url)
    url = _IGNORED.sub(lambda m: "%20" if m[0] == " " else "", url.strip())
    scheme = _SCHEME.match(url)
    if scheme and not _HOST.match(url):
        return safe(url) if scheme[1].lower() in KEPT_SCHEMES else ""
    if url.startswith("//"):
        return safe(f"https:{url}") if _HOST.match(url[2:]) else ""
    return safe(f"https://{url}") if _HOST.match(url) else ""


def target(value: object, context: Context) -> str:
    """Like `address`; the link into the source where the URL is that of something in it."""
    url = address(value)
    own = _OWN.match(url)
    return (own and to_object(own[2], _OBJ_TYPES[own[1]], context)) or url


def to_object(token: object, obj_type: object, context: Context) -> str:
    """The link to another object; "" where there is none to give."""
    given = context.doc_link(string(token), obj_type if isinstance(obj_type, int) else 0) if string(token) else None
    if not given:
        return ""
    return address(given) if _SCHEME.match(given) or given.startswith("//") else safe(given)


def to_file(path: str) -> str:
    """A path as the destination of a link."""
    return _UNQUOTED.sub(lambda m: quote(m[0], safe=""), path)
