"""A repository with a small bundle of ours in it, and what a commit there comes to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from planted import WHEN, Bundle, ours, titles

from git_okf import digest
from git_okf.bundle import concept, index, log

CONFIG = "sources:\n  docs:\n    url: https://docs.example.com/\n    bundle: docs\n"
HOME = "docs/pages/home.md"
GUIDE = "docs/pages/guide.md"
INSTALL = "docs/pages/guide/install.md"
PROGRAM = (sys.executable, "-P", "-m", "git_okf")


def files(bundle: Mapping[str, bytes] | None = None, *, config: str = CONFIG) -> dict[str, bytes]:
    """The files of a repository with a bundle, by path from its root."""
    inside = ours() if bundle is None else bundle
    return {".okf.yaml": config.encode(), **{f"docs/{path}": data for path, data in inside.items()}}


def write(root: Path, made: Mapping[str, bytes | None]) -> None:
    """Write files below a directory; None deletes."""
    for path, data in made.items():
        file = root / path
        if data is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


def synced(files: Bundle, path: str, title: str, body: str, *, hours: int = 1) -> Bundle:
    """The bundle after a sync that wrote this concept."""
    when = WHEN + timedelta(hours=hours)
    made = concept.render(
        title=title, description=f"About {title}.", resource=f"https://docs.example.com/{path}", body=body,
        content_hash=digest.content_hash(body), when=when, version="0.1.0", source="docs",
    )  # fmt: skip
    word = {"updated": [path]} if path in files else {"added": [path]}
    new = {**files, path: made, "log.md": log.prepend(files["log.md"], when=when, **word)}  # type: ignore[arg-type]
    return listed(new)


def listed(files: Bundle) -> Bundle:
    """The bundle with its listings made anew."""
    concepts = {p: d for p, d in files.items() if p.rpartition("/")[2] not in ("index.md", "log.md")}
    made = index.indexes(
        (index.Entry(path, *titles(data)) for path, data in concepts.items()),
        name="docs", source_url="https://docs.example.com/", changed_at=concept.timestamp(WHEN),
    )  # fmt: skip
    kept = {**concepts, **({"log.md": files["log.md"]} if "log.md" in files else {})}
    return {**kept, **{path: data for path, data in made.items() if data is not None}}


def many(count: int, *, flat: bool = False) -> Bundle:
    """A clean bundle of so many concepts, in one directory or in directories of fifty."""
    from planted import page

    text = "Some text with [a link]({}home.md) and `code`.\n\n" * 40
    made: Bundle = {"pages/home.md": page("Home", "# Home")}
    for number in range(count - 1):
        path = f"pages/p{number}.md" if flat else f"pages/d{number // 50}/p{number}.md"
        made[path] = page(f"Page {number}", f"# Page {number}\n\n" + text.replace("{}", "" if flat else "../"))
    made["log.md"] = log.prepend(None, when=WHEN, added=sorted(made))
    return listed(made)


def run(command: tuple[str, ...], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A command with more in its environment, whatever it comes to."""
    import os

    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **env}, check=False, text=True, encoding="utf-8", capture_output=True
    )
