"""Pages of real sites: the same Markdown in every process, and fragments that lead somewhere."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from html import unescape
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import unquote

import extracting
import pytest
from extracting import OPTIONS, SITE, rendered

from git_okf.source.web.extract import NoContent, extract
from git_okf.source.web.extract.fragments import heading_slug

Unpack = Callable[..., Path]
PAGES = 60
CODE = """
import sys
sys.path[:0] = sys.argv[1].split(":")
from corpus.test_extraction import bodies
from pathlib import Path
print(bodies([Path(line) for line in sys.stdin.read().split("\\n")]))
"""


def body(path: Path) -> str:
    """The Markdown of a page, or why there is none."""
    try:
        return extract(path.read_bytes(), url=f"{SITE}/{path.name}", options=OPTIONS).body
    except NoContent as error:
        return error.reason


def bodies(files: list[Path]) -> str:
    """One hash of the Markdown of pages, whatever their order."""
    made = sorted(f"{path} {body(path)}" for path in files)
    return hashlib.sha256("\n".join(made).encode()).hexdigest()


def pages(root: Path) -> list[Path]:
    found = sorted(path for path in root.rglob("*.html") if path.is_file())
    return found[:: max(1, len(found) // PAGES)]


@pytest.mark.parametrize(("name", "version"), [("drf", "v18"), ("git-htmldocs", "v18"), ("torch-rechub", "v14")])
def test_order_process_seed_locale_and_zone_make_no_difference(name: str, version: str, unpack: Unpack) -> None:
    files = pages(unpack(name, version) / version)
    here = Path(extracting.__file__).parent
    ran = {
        subprocess.run(
            [sys.executable, "-c", CODE, str(here)],
            input="\n".join(map(str, files[::step])),
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone, "PYTHONUTF8": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed, locale, zone, step in (("0", "C", "UTC", 1), ("7", "tr_TR.UTF-8", "Asia/Tokyo", -1))
    }
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        workers = sorted(f"{path} {text}" for path, text in zip(files, pool.map(body, files), strict=True))
    ran.add(hashlib.sha256("\n".join(workers).encode()).hexdigest())
    assert ran == {bodies(files)}


@pytest.mark.parametrize(
    ("name", "version"), [("drf", "v18"), ("mkdocs-site", "v08"), ("git-htmldocs", "v18"), ("torch-rechub", "v14")]
)
def test_every_link_within_a_page_leads_to_an_anchor_of_it(name: str, version: str, unpack: Unpack) -> None:
    for path in pages(unpack(name, version) / version):
        html = rendered(body(path))
        there = set(re.findall(r'<a id="([^"]+)"', html)) | set(_slugs(html))
        wanted = {unescape(name) for name in re.findall(r'<a href="#(?!fn)([^"]+)"', html)}
        assert {unquote(name) for name in wanted} <= there, path


def _slugs(html: str) -> list[str]:
    made: list[str] = []
    for text in re.findall(r"<h[1-6]>(.*?)</h[1-6]>", html):
        slug = heading_slug(unescape(re.sub(r"<[^>]*>", "", text)))
        count = sum(1 for other in made if other.partition("\0")[0] == slug)
        made.append(f"{slug}\0{count}")
    return [f"{slug}-{count}" if count != "0" else slug for slug, _, count in (name.partition("\0") for name in made)]
