"""A body is a function of the bytes, the URL and the options: no process, locale, zone, hash seed or page before it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import extracting
import pytest
from extracting import OPTIONS, SITE, page

from git_okf.source.web.extract import Extracted, NoContent, extract, fingerprint

FRAGMENTS = (
    "<h1>A &amp; b</h1><p>x <b>y</b> <a href='z.html'>z</a></p><table><tr><th>a</th></tr><tr><td>b</td></tr></table>",
    '<div class="admonition note tip"><p class="admonition-title">Note</p><p class="a b c">x</p></div><dl><dt>t'
    "</dt><dd>d</dd></dl>",
    "<p hidden>h</p><p style='display:none'>i</p><ul><li>1<ul><li>2</li></ul></li></ul>"
    "<pre class='x language-py'>c</pre>",
    "<p>İstanbul DİYARBAKIR straße ΣΑΣ</p><p>1,5 2024-01-01</p>",
)
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from extracting import page
for fragment in sys.stdin.buffer.read().decode().split("\\n"):
    found = page(fragment)
    print(ascii((found.title, found.description, found.body, found.content_hash, found.hidden, found.warnings)))
"""


def test_processes_with_other_seeds_locales_and_zones_agree() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", CODE, str(Path(extracting.__file__).parent)],
            input="\n".join(FRAGMENTS).encode(),
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone, "PYTHONUTF8": "0"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, locale, zone in (
            ("0", "C", "UTC"),
            ("1", "tr_TR.UTF-8", "Asia/Tokyo"),
            ("7", "C.UTF-8", "America/Lima"),
        )
    }
    assert len(outputs) == 1


def test_order_of_pages_makes_no_difference() -> None:
    forwards = [page(fragment) for fragment in FRAGMENTS]
    backwards = [page(fragment) for fragment in reversed(FRAGMENTS)]
    assert forwards == backwards[::-1]


def test_the_call_travels_to_a_pool() -> None:
    assert pickle.loads(pickle.dumps(OPTIONS)) == OPTIONS
    html = f"<main>{FRAGMENTS[0]}</main>".encode()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(extract, html, url=f"{SITE}/a.html", content_type="text/html", options=OPTIONS).result()
        assert there == extract(html, url=f"{SITE}/a.html", content_type="text/html", options=OPTIONS)
        with pytest.raises(NoContent) as caught:
            pool.submit(extract, b"<body></body>", url=f"{SITE}/a.html", options=OPTIONS).result()
    assert caught.value.reason


def test_fingerprint_changes_with_what_changes_the_body() -> None:
    base = fingerprint(OPTIONS)
    others = {
        fingerprint(replace(OPTIONS, content="main")),
        fingerprint(replace(OPTIONS, drop=("p",))),
        fingerprint(replace(OPTIONS, ignore=("x",))),
        fingerprint(replace(OPTIONS, links="absolute")),
    }
    assert len(others | {base}) == 5
    assert fingerprint(replace(OPTIONS)) == base


def test_corpus_pages_are_the_same_again() -> None:
    """The built-in pages, and those of a corpus where one is given."""
    corpus = os.environ.get("OKF_CORPUS")
    pages = [f"<main>{fragment}</main>".encode() for fragment in FRAGMENTS]
    if corpus:
        files = sorted(Path(corpus).glob("*/v01/**/*.html"))
        pages += [file.read_bytes() for file in files[:: max(1, len(files) // 60)] if file.is_file()]
    first, second = _all(pages), _all(pages[::-1])[::-1]
    assert first == second


def _all(pages: list[bytes]) -> list[Extracted | str]:
    found: list[Extracted | str] = []
    for data in pages:
        try:
            found.append(extract(data, url=f"{SITE}/a.html", options=OPTIONS))
        except NoContent as error:
            found.append(error.reason)
    return found
