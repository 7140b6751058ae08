"""What the cores of this machine are worth: two that are the threads of one core do far less than twice the work."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from lxml import etree, html

from .generated import Site

PAGES = 60
"""Parsed and read by each process: half a second's work, of the kind that extraction is."""


def speedup(cores: int) -> float:
    """How many times as much so many processes do at once, each on a core of its own, as one does alone."""
    available = sorted(os.sched_getaffinity(0))[:cores]
    pages = _pages()
    alone, together = _seconds(pages, available[:1]), _seconds(pages, available)
    return len(available) * alone / together


def _pages() -> list[bytes]:
    site = Site(20)
    return [site.page(number % site.pages).encode() for number in range(PAGES)]


def _seconds(pages: Sequence[bytes], cores: Sequence[int]) -> float:
    began = time.perf_counter()
    for child in [_start(pages, core) for core in cores]:
        os.waitpid(child, 0)
    return time.perf_counter() - began


def _start(pages: Sequence[bytes], core: int) -> int:
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {core})
        for page in pages:
            _read(page)
        os._exit(0)
    return child


def _read(page: bytes) -> None:
    for element in html.document_fromstring(page).iter("p", "pre", "li", "td", "h1", "h2", "h3"):
        re.findall(r"\w+", str(etree.tostring(element, method="text", encoding="unicode")))
