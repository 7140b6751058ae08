"""What a site allows: robots.txt (RFC 9309) and the robots directives of single pages. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

AGENT = "git-okf"
"""The product token by which sites address us. Protego applies a group whose name is found in it: it stands alone."""

MAX_BYTES = 500 * 1024
"""Of a robots.txt that are read (RFC 9309, section 2.5)."""

MAX_CRAWL_DELAY = 30.0
"""Seconds; a longer Crawl-delay is taken as this."""


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one scheme, host and port. `unreachable` holds why nothing is known: then nothing is allowed."""

    text: str = ""
    sitemaps: tuple[str, ...] = ()
    crawl_delay: float = 0.0
    """Seconds between requests, at most MAX_CRAWL_DELAY; 0 where none is asked for."""
    unreachable: str = ""
    notices: tuple[str, ...] = field(default=())
    """Sentences for the report."""

    def allowed(self, url: str) -> bool:
        """Whether a URL may be requested; the robots.txt itself always may."""
        if self.unreachable:
            return False
        return not self.text or bool(_rules(self.text).can_fetch(url, AGENT))


def unreachable(reason: str) -> Robots:
    """No answer, or none that counts: everything is disallowed until there is one (RFC 9309, section 2.3.1.4)."""
    return Robots(unreachable=reason)


def parse(status: int, content_type: str, body: bytes) -> Robots:
    """The rules an answer to `/robots.txt` gives, redirects already followed.

    2xx: its parseable lines. 4xx: everything is allowed, except 429, which says to come back later. 5xx and anything
    else: unreachable (RFC 9309, section 2.3.1). An HTML page with status 200 is no robots.txt: it allows everything.
    """
    if status == 429 or status >= 500:
        return unreachable(f"robots.txt answered {status}")
    if 400 <= status < 500:
        return Robots()
    if not 200 <= status < 300:
        return unreachable(f"robots.txt answered {status}")
    text = _text(body)
    if _is_html(content_type, text):
        return Robots(notices=("robots.txt is an HTML page: read as having no rules",))
    rules = _rules(text)
    delay, notices = _delay(rules)
    return Robots(text, tuple(dict.fromkeys(rules.sitemaps)), delay, "", notices)


def _text(body: bytes) -> str:
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    # With a BOM left in place the first group would be lost, and what it forbids be allowed.
    return body.decode("utf-8", "replace").lstrip("\ufeff").replace("\0", "")


def _is_html(content_type: str, text: str) -> bool:
    start = text.lstrip()[:200].lower()
    if re.match(r"<(?:!doctype|html|head|body|!--|\?xml)", start):
        return True
    return "html" in content_type.lower() and start.startswith("<")


@lru_cache(maxsize=16)
def _rules(text: str) -> Any:
    from protego import Protego

    return Protego.parse(text)


def _delay(rules: Any) -> tuple[float, tuple[str, ...]]:
    """A named group without Crawl-delay inherits that of `*`: a site that asks everyone to be slow asks us."""
    asked = rules.crawl_delay(AGENT)
    if asked is None:
        asked = rules.crawl_delay("*")
    if asked is None or not asked > 0:
        return 0.0, ()
    if asked > MAX_CRAWL_DELAY:
        return MAX_CRAWL_DELAY, (f"robots.txt asks for a delay of {asked:g} s; {MAX_CRAWL_DELAY:g} s are kept",)
    return float(asked), ()


# --- single pages ---

_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def directives(content: str) -> frozenset[str]:
    """Of the content of one `<meta name=robots>`: the directives in small letters, `none` spelled out."""
    words = frozenset(re.split(r"[\s,]+", content.strip().lower()))
    return words | {"noindex", "nofollow"} if "none" in words else words


def header_directives(value: str) -> frozenset[str]:
    """Of X-Robots-Tag header lines (joined by newlines): those for everyone and those for us, all together.

    `otherbot: noindex, nofollow` speaks to another one until the end of its line. `unavailable_after` is not obeyed:
    what a page is must not depend on the clock.
    """
    said: frozenset[str] = frozenset()
    for line in value.split("\n"):
        for_us = True
        for part in line.lower().split(","):
            name, colon, rest = part.partition(":")
            if colon and name.strip() in _VALUED:
                continue
            if colon:
                for_us = name.strip() in (AGENT, "*")
                part = rest
            if for_us:
                said |= directives(part)
    return said - {""}
