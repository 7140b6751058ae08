"""Real sites to measure on: documentation that Debian packages bring, and histories of sites in OKF_CORPUS.

`OKF_CORPUS` names a directory of `NAME.tar.xz` or `NAME/vNN/`, as tests/corpus has it. What is served is a copy, in
which the modification time of a file depends on its content: archives have one time for all, so that two versions of
a page of the same size would have the same ETag.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

DEBIAN: Mapping[str, tuple[str, str]] = {
    "postgresql": ("/usr/share/doc/postgresql-doc-15/html", "postgresql-doc-15"),
    "django": ("/usr/share/doc/python-django-doc/html", "python-django-doc"),
    "python": ("/usr/share/doc/python3.11/html", "python3.11-doc"),
}
"""Name -> where the pages are, and the package that brings them."""
EPOCH = 1_600_000_000
SPREAD = 100_000_000
"""Seconds after EPOCH in which times lie."""
START = ("index.html", "index.ja.html", "git.html")


class NoSuchSite(Exception):
    """The site is not on this machine; the text says where it would come from."""


def known(corpus: str) -> list[str]:
    """Names of the sites that are on this machine."""
    found = [name for name, (path, _) in DEBIAN.items() if Path(path).is_dir()]
    listed = sorted(Path(corpus).iterdir()) if corpus else []
    sites = (p.name.removesuffix(".tar.xz") for p in listed if p.is_dir() or p.name.endswith(".tar.xz"))
    return list(dict.fromkeys([*found, *sites]))


def versions(name: str, corpus: str, work: Path) -> list[Path]:
    """Directories that can be served, oldest first; one for a site without a history. Raises NoSuchSite."""
    target = work / "sites" / name
    if not target.is_dir():
        source = _debian(name) or _of_corpus(name, corpus, work)
        listed = sorted(
            path for path in source.iterdir() if path.is_dir() and path.name[:1] == "v" and path.name[1:].isdigit()
        )
        for number, version in enumerate(listed or [source]):
            copy(version, target / f"v{number:03}")
    return sorted(target.iterdir())


def _debian(name: str) -> Path | None:
    if name not in DEBIAN:
        return None
    path, package = DEBIAN[name]
    if not Path(path).is_dir():
        raise NoSuchSite(f"{name} is not installed; on Debian: apt-get install {package}")
    return Path(path)


def _of_corpus(name: str, corpus: str, work: Path) -> Path:
    ready, archive = Path(corpus) / name, Path(corpus) / f"{name}.tar.xz"
    if not corpus or not (ready.is_dir() or archive.is_file()):
        raise NoSuchSite(f"{name} is no site of {corpus or 'OKF_CORPUS, which is not set'}")
    if ready.is_dir():
        return ready
    unpacked = work / "unpacked"
    unpacked.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xJf", str(archive), "-C", str(unpacked)], check=True)
    return unpacked / name


def copy(source: Path, target: Path) -> None:
    """Copy a site; each file is as old as its content says. Links are followed: packages share files."""
    for folder, _, names in os.walk(source, followlinks=True):
        inner = target / Path(folder).relative_to(source)
        inner.mkdir(parents=True, exist_ok=True)
        for name in names:
            file = Path(folder) / name
            if file.is_file():
                shutil.copyfile(file, inner / name)
                os.utime(inner / name, (age(file.read_bytes()),) * 2)
    _start(target)


def _start(site: Path) -> None:
    """Let the site answer at its root."""
    first = next((name for name in START if (site / name).is_file()), None)
    if first and first != "index.html":
        shutil.copy2(site / first, site / "index.html")


def age(data: bytes) -> int:
    """A modification time for a content."""
    return EPOCH + zlib.crc32(data) % SPREAD


def pages(site: Path) -> list[str]:
    """Paths of the HTML files, below the root."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
