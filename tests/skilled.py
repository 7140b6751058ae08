"""A repository of skills behind a git server, a source that looks at it, and what the delta keeps of each run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from git_http import GitServer
from observing import Bodies, tools
from upstreams import Content, Upstream

from git_okf.bundle import paths
from git_okf.config import SkillsSource
from git_okf.delta import Rules, compute
from git_okf.model import Delta, Failed, Fetched, Ignored, Observation, Record
from git_okf.source import Ask
from git_okf.source.repository.identity import Identity
from git_okf.source.skills.source import SkillsRepository

NOW = "2026-11-30T00:00:00+00:00"


@dataclass(slots=True)
class Skills:
    """The source under test. `run` is one sync: what is remembered goes into the next."""

    server: GitServer
    upstream: Upstream
    scratch: Path
    options: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Record] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)
    spool: Bodies = field(default_factory=Bodies)
    store: dict[str, bytes] = field(default_factory=dict)
    """The repository we write into: blobs by id."""
    delta: Delta = field(default_factory=Delta)
    seen: Observation = field(default_factory=lambda: Observation(outcomes={}))
    ids: list[str] = field(default_factory=list)
    """What a host that tells ids says, one after the other."""
    monotonic: Callable[[], float] = lambda: 0.0
    name: str = "acme/skills"

    def source(self, **options: Any) -> SkillsSource:
        given = {"paths": ("skills/*",), "packages": "vendor/skills", "url": self.server.url(self.name)}
        return SkillsSource(name="skills", bundle="okf/skills", **{**given, **self.options, **options})

    def repository(self, **options: Any) -> SkillsRepository:
        return SkillsRepository(
            source=self.source(**options), environ=dict(os.environ), identify=self._identify, monotonic=self.monotonic
        )

    def _identify(self, address: Any, environ: Mapping[str, str], known: str) -> Identity:
        told = self.ids.pop(0) if self.ids else known or address.shown
        return Identity(id=told, name=address.name, certain=False)

    def look(self, ask: Ask | None = None, **options: Any) -> Observation:
        """One observation; nothing of it is kept but what the spool saves."""
        self.server.forget()
        asked = replace(ask or Ask(), memory=self.memory)
        made = replace(tools(self.spool), scratch=self.scratch)
        self.seen = self.repository(**options).observe(self.known, asked, made)
        return self.seen

    def run(self, ask: Ask | None = None, **options: Any) -> Delta:
        """One run whose delta is taken; the spool is discarded after it, as a sync does."""
        seen = self.look(ask, **options)
        return self.take(seen, only_failed=bool(ask and ask.retry_failed), **options)

    def take(self, seen: Observation, *, only_failed: bool = False, **options: Any) -> Delta:
        """Keep what the delta makes of an observation, and the files it needs."""

        def names(staying: Any) -> Callable[[str, str], str]:
            given = paths.Names(staying)
            return lambda name, key: given.claim(paths.place(name), key)

        rules = Rules(removal=self.source(**options).removal, now=NOW, names=names, only_failed=only_failed)
        self.delta = compute(self.known, seen, rules)
        self.known = {record.key: record for record in self.delta.records}
        self.memory = seen.memory if seen.memory is not None else self.memory
        for record in self.known.values():
            for file in record.files:
                if file.blob not in self.store:
                    self.store[file.blob] = self.spool.file(file.blob)
        self.spool = Bodies()
        return self.delta

    # --- what is there ---

    def files(self) -> dict[str, tuple[bytes, bool]]:
        """The files below `packages` as the records have them."""
        return {
            file.path: (self.store[file.blob], file.executable)
            for record in self.known.values()
            for file in record.files
        }

    def there(self, commit: str, directory: str = "skills") -> dict[str, tuple[bytes, bool]]:
        """The files of the upstream at a commit below a directory."""
        found = {}
        for line in self.upstream.git("ls-tree", "-r", "-z", commit, f"{directory}/").split("\0"):
            if line:
                facts, path = line.split("\t")
                mode, kind, oid = facts.split()
                if kind == "blob":
                    data = self.upstream.git("cat-file", "blob", oid)
                    found[path.removeprefix(f"{directory}/")] = (self._raw(oid, data), mode == "100755")
        return found

    def _raw(self, oid: str, text: str) -> bytes:
        size = int(self.upstream.git("cat-file", "-s", oid))
        data = text.encode("utf-8", "surrogateescape")
        return data + b"\n" * (size - len(data))

    def commit(self, files: Mapping[str, Content], **options: Any) -> str:
        return self.upstream.commit(files, **options)

    def result(self, key: str) -> str:
        """What the last run said of a package, in words of the seed."""
        outcome = self.seen.outcomes.get(key)
        if isinstance(outcome, Failed):
            return "RETRYABLE_FAILURE" if outcome.retryable else "TERMINAL_FAILURE"
        if isinstance(outcome, Ignored):
            return "IGNORED"
        return "ACCEPTED" if isinstance(outcome, Fetched) else type(outcome).__name__
