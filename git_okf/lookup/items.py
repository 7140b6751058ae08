"""One item and its life here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from git_okf import glance
from git_okf.config import Config, SourceConfig
from git_okf.errors import UsageError
from git_okf.model import Record, Status
from git_okf.store.repo import Repo


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item and its life here."""

    source: str
    url: str
    path: str
    title: str
    content_hash: str
    since: str
    last_changed: str
    edited: bool
    failure: str
    missing_since: str
    commits: tuple[tuple[str, str, str], ...]
    """Commit, time, subject; newest first."""

    def text(self) -> str:
        facts = [
            ("url", self.url),
            ("path", self.path),
            ("title", self.title),
            ("hash", self.content_hash),
            ("since", self.since),
            ("changed", self.last_changed),
            ("edited by hand", "yes" if self.edited else ""),
            ("retained", self.failure),
            ("missing since", self.missing_since),
        ]
        lines = [f"{name}: {value}" for name, value in facts if value]
        return "\n".join((*lines, *(f"  {commit[:7]} {at} {subject}" for commit, at, subject in self.commits)))

    def data(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self)}


def show(repo: Repo, settings: Config, cwd: Path, item: str) -> Item:
    """The item of a URL, or of a concept's path (from here, from the root, or inside a bundle)."""
    for source in settings.sources.values():
        record = _at_once(repo, source, cwd, item)
        if record is not None:
            return _item(repo, source, record)
    from git_okf import baseline

    for source in settings.sources.values():
        base = baseline.as_it_is(repo, source)
        wanted = _wanted_paths(repo, source, cwd, item)
        for record in base.pages.values():
            if record.path in wanted or item in (record.key, record.url):
                return _item(repo, source, record)
        alias = base.known.get(item)
        if alias is not None and alias.status is Status.ALIAS and alias.target in base.known:
            return _item(repo, source, base.known[alias.target])
    raise UsageError(f"no source has an item {item!r}", "git okf explain URL   says whether and how it would be taken")


def _at_once(repo: Repo, source: SourceConfig, cwd: Path, item: str) -> Record | None:
    """The record of a key or a path, where reading it alone is enough."""
    by_path = (glance.by_path(repo, source, path) for path in sorted(_wanted_paths(repo, source, cwd, item)))
    found = (record for record in (glance.by_key(repo, source, item), *by_path) if record is not None)
    return next((record for record in found if record.status is Status.PAGE), None)


def _wanted_paths(repo: Repo, source: SourceConfig, cwd: Path, item: str) -> set[str]:
    root = repo.root.resolve()
    inside = {item, item.removeprefix(source.bundle + "/")}
    full = (cwd / item).resolve() if "://" not in item else root
    if root in full.parents:
        inside.add(full.relative_to(root).as_posix().removeprefix(source.bundle + "/"))
    return inside


def _item(repo: Repo, source: SourceConfig, record: Record) -> Item:
    history = repo.log(repo.head().commit, f"{source.bundle}/{record.path}")
    commits = tuple((c.id, c.time.isoformat(timespec="seconds"), c.message.split("\n", 1)[0]) for c in history)
    return Item(
        source=source.name,
        url=record.key,
        path=f"{source.bundle}/{record.path}",
        title=record.title,
        content_hash=record.content_hash,
        since=commits[-1][1] if commits else "",
        last_changed=commits[0][1] if commits else "",
        edited=record.edited,
        failure=record.failure,
        missing_since=record.missing_since,
        commits=commits,
    )
