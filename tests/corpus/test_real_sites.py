"""Real sites, version by version: every delta against what really changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from corpus.truth import compare
from site_server import Site

from git_okf.bundle import concept

if TYPE_CHECKING:
    from conftest import GitRepo, Run

Unpack = Callable[..., Path]
DRF = ("v02", "v03", "v04", "v05", "v06", "v09", "v10", "v13", "v14", "v17", "v18")
MKDOCS = ("v01", "v02", "v03", "v04", "v05", "v06", "v07", "v08")
GIT = ("v02", "v03", "v05", "v06", "v11", "v17", "v18")


def replay(site: Site, okf: Run, root: Path, versions: tuple[str, ...], *options: str) -> list[dict[str, Any]]:
    """Build the first version, sync each later one twice; the report of each sync. The second must be quiet."""
    reports = []
    for number, version in enumerate(versions):
        site.serve_directory(root / version)
        command = ("sync",) if number else ("build", site.url, "-o", "docs", *options)
        ran = okf(*command, "--json")
        assert ran.code == 0, ran.err
        reports.append(json.loads(ran.out)["sources"][0])
        site.forget()
        again = okf("sync")
        assert again.out.startswith("✓ Up to date"), again.out
        assert site.bodies("*") == 0, "a quiet run of a server with validators transfers no body"
    return reports


def files(repo: GitRepo, root: Path) -> dict[str, str]:
    """By HTML file, the path of its concept."""
    found = {}
    for path in (repo.path / "docs/pages").rglob("*.md"):
        if path.name != "index.md":
            url = concept.header(path.read_bytes()).resource
            found[_file(root, urlsplit(url).path)] = path.relative_to(repo.path / "docs").as_posix()
    return found


def _file(root: Path, url_path: str) -> str:
    target = root / url_path.lstrip("/")
    return (target / "index.html" if target.is_dir() else target).relative_to(root).as_posix()


@pytest.mark.parametrize(
    ("name", "versions", "xpath", "options"),
    [
        ("drf", DRF, "//article", ()),
        ("mkdocs-site", MKDOCS, "//div[@role='main']", ()),
        ("git-htmldocs", GIT, "//div[@id='content']", ("--max-pages", "400")),
    ],
)
def test_every_delta_is_what_really_changed(
    name: str, versions: tuple[str, ...], xpath: str, options: tuple[str, ...],
    site: Site, okf: Run, repo: GitRepo, unpack: Unpack,
) -> None:  # fmt: skip
    root = unpack(name, *versions)
    reports = replay(site, okf, root, versions, *options)
    ours = files(repo, root / versions[-1])
    for old, new, report in zip(versions, versions[1:], reports[1:], strict=False):
        truth = compare(root / old, root / new, xpath)
        updated = set(report["updated"])
        seen = {ours[file] for file in truth.text if file in ours} - set(report["added"])
        may = {ours[file] for file in truth.text | truth.behind if file in ours}
        assert seen <= updated, f"{name} {new}: a change was not seen"
        assert updated <= may, f"{name} {new}: an update without a change"
        assert set(report["added"]) == {ours[file] for file in truth.added if file in ours}
        assert report["removed"] == [], f"{name} {new}: a page was removed that is still served"


@pytest.mark.parametrize(("old", "new", "bytes_changed"), [("v03", "v04", 71), ("v09", "v10", 71), ("v17", "v18", 52)])
def test_byte_noise_is_no_update(old: str, new: str, bytes_changed: int, site: Site, okf: Run, unpack: Unpack) -> None:
    root = unpack("drf", old, new)
    reports = replay(site, okf, root, (old, new))
    truth = compare(root / old, root / new, "//article")
    assert len(truth.bytes) == bytes_changed
    assert len(reports[1]["updated"]) == len(truth.text)
