from __future__ import annotations

import hashlib
import re
from pathlib import Path
from statistics import mean
from urllib.parse import urljoin

from bench.generated import EPOCH, Site
from lxml import html

EXPECTED = "35c3e3d0735f7ec81ca81f48ea2c202b61927e9fb5a3b3ab13af2c3bb6d14967"


def test_a_page_is_the_same_bytes_everywhere() -> None:
    text = Site(1000).page(437)
    assert text == Site(1000).page(437)
    assert hashlib.sha256(text.encode()).hexdigest() == EXPECTED
    assert text != Site(1000).page(438)


def test_a_revision_changes_one_sentence() -> None:
    site = Site(1000)
    before = site.page(5)
    site.revisions[5] = 2
    assert site.page(5).replace("<p>Changed in revision 2 of page 5.</p>", "") == before


def test_pages_are_as_large_as_documentation_is() -> None:
    sizes = [len(Site(1000).page(number).encode()) for number in range(0, 1000, 25)]
    assert min(sizes) > 12_000 and max(sizes) < 42_000
    assert 18_000 < mean(sizes) < 32_000


def test_every_page_can_be_reached_and_none_is_linked_in_vain(tmp_path: Path) -> None:
    site = Site(250)
    site.write(tmp_path)
    seen, queue = {"index.html"}, ["index.html"]
    for path in queue:
        tree = html.fromstring((tmp_path / path).read_text(encoding="utf-8"))
        links = (a.get("href", "").partition("#")[0] for a in tree.iter("a"))
        inner = {urljoin(path, href) for href in links if href and not href.startswith("https:")}
        queue += sorted(inner - seen)
        seen |= inner
    assert {site.path(number) for number in range(250)} <= seen
    assert all((tmp_path / path).is_file() for path in seen)


def test_a_page_has_what_documentation_has() -> None:
    text = "".join(Site(1000).page(number) for number in range(10))
    for sign in ("<table", "<pre>", "<h2>", "<h3>", "<ul class=", "admonition note", "https://www.example.org/"):
        assert sign in text
    assert len(set(re.findall(r"<h1>([^<]*)", text))) == 10


def test_a_changed_page_is_younger_by_its_revision(tmp_path: Path) -> None:
    site = Site(20)
    site.write(tmp_path)
    site.change(tmp_path, [3])
    site.change(tmp_path, [3, 4])
    ages = [(tmp_path / site.path(number)).stat().st_mtime - EPOCH for number in (2, 3, 4)]
    assert ages == [0, 120, 60]
    assert "revision 2 of page 3" in (tmp_path / site.path(3)).read_text(encoding="utf-8")
