"""`.claude-plugin/marketplace.json`: what a repository says it offers. A hint; the tree is the truth. Pure."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator
from typing import Any

from git_okf.source.repository import paths
from git_okf.source.skills.discovery import listed

PATH = ".claude-plugin/marketplace.json"
MOST_BYTES = 1024 * 1024


def offered(data: bytes) -> tuple[str, ...]:
    """The package directories that plugins name, sorted; none where the file cannot be read."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return ()
    plugins = said.get("plugins") if isinstance(said, dict) else None
    found = {path for plugin in (plugins if isinstance(plugins, list) else ()) for path in _of_plugin(plugin)}
    return tuple(sorted(found))


def _of_plugin(plugin: Any) -> Iterator[str]:
    if not isinstance(plugin, dict) or not isinstance(plugin.get("skills"), list):
        return
    source = plugin.get("source", "./")
    for skill in plugin["skills"]:
        if isinstance(source, str) and isinstance(skill, str):
            path = posixpath.normpath(posixpath.join(source, skill))
            if path == paths.ROOT or not paths.refusal(path):
                yield path


def notices(data: bytes, roots: Collection[str]) -> tuple[str, ...]:
    """What it names and the tree does not have."""
    absent = [path for path in offered(data) if path not in roots]
    return (f"{PATH} names what has no SKILL.md: {listed(absent)}",) if absent else ()
