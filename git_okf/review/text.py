"""Untrusted text in the text of a review: it shows as it was written, and no host acts on it.

Hosts act on the rendered text and on the raw one (a squash merge makes a commit message of it), so escaping Markdown is
not enough: mentions (`@name`), references (`#1`, `!1`, `GH-1`, `owner/name#1`, `%milestone`, `~label`), closing words
before them, links, and GitLab's quick actions (`/close` at the start of a line) are broken up with a zero-width space.
"""

from __future__ import annotations

import re
import unicodedata

GAP = "\u200b"
_ACTIVE = re.compile(r"[\\`*_<>\[\]|~$&{}^]")
_REFERENCE = re.compile(
    r"(?<=[@])(?=\w)"  # @name, mail addresses
    r"|(?<=[#!$%~&^])(?=[\w\"])"  # #1, !1, %"milestone", ~label, &1
    r"|(?<=\b[Gg][Hh])(?=-\d)"  # GH-1
    r"|(?<=:)(?=//)|(?<=\b[Ww]{3})(?=\.)"  # links
    r"|(?<=\b[Mm][Aa][Ii][Ll][Tt][Oo])(?=:)"
    r"|(?<=\b[Ff][Ii])(?=(?i:x(?:e[sd]|ing)?)\b)|(?<=\b[Cc][Ll][Oo])(?=(?i:s(?:e[sd]?|ing))\b)"  # closing words
    r"|(?<=\b[Rr][Ee][Ss][Oo][Ll])(?=(?i:v(?:e[sd]?|ing))\b)|(?<=\b[Ii][Mm][Pp][Ll][Ee])(?=(?i:ment(?:s|ed|ing)?)\b)"
)
_START = re.compile(r"\A(?=[/#>+=-]|\d+[.)])")


def inert(text: str) -> str:
    """Text in which no reference, mention or link is found any more; it looks the same."""
    return _REFERENCE.sub(GAP, text)


def one_line(text: str, limit: int) -> str:
    """On one line, at most `limit` characters, what cannot be seen or turns lines around written out."""
    shown = "".join(_visible(ch) for ch in " ".join(text.split()))
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def plain(text: str, limit: int = 120) -> str:
    """As Markdown that renders as the text, in a paragraph, a list entry, a table cell or the text of a link."""
    shown = _ACTIVE.sub(lambda match: f"&#x{ord(match.group()):X};", inert(one_line(text, limit)))
    return _START.sub(GAP, shown)


def code(text: str, limit: int = 200) -> str:
    """As a code span, anywhere but in a table: there a vertical bar ends the cell, whatever stands around it."""
    shown = inert(one_line(text, limit))
    ticks = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (ticks + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(lines: list[str], language: str, limit: int = 160) -> list[str]:
    """As a fenced block, each line bounded; the fence is longer than any run of backquotes in it."""
    shown = [_inert_line("".join(_visible(ch) for ch in line.replace("\t", "    ")))[:limit] for line in lines]
    ticks = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}{language}", *shown, fence]


def _inert_line(line: str) -> str:
    return GAP + inert(line) if line.lstrip().startswith("/") else inert(line)


def _visible(ch: str) -> str:
    if "\ud800" <= ch <= "\udfff":
        return "\ufffd"
    if ch.isascii():
        return ch if ch.isprintable() else f"\\x{ord(ch):02x}"
    if unicodedata.category(ch) in ("Cc", "Cf", "Co", "Zl", "Zp") and ch not in "\u200c\u200d\u00ad":
        return f"\\u{ord(ch):04x}"
    return ch
