"""What the hooks run before a commit or a push: is what is being committed whole?

Looked at are the blobs of the index or of a commit, never the work tree, and of them what changed: of a bundle that was
whole before, the changed files and what lists them are enough. Nothing is written and no server is asked. Light to
import: one staged concept is judged in a quarter of a second.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from git_okf import config, verdicts
from git_okf.bundle.check import ERROR, Finding
from git_okf.config import FILE_NAME, Config, SourceConfig
from git_okf.errors import ConfigError, UsageError
from git_okf.store.snapshot import Change, Files, Snapshot
from git_okf.verdicts import Verdicts

T = TypeVar("T")
_RESTORED = ("edited", "index-missing", "index-stale", "log-edited")
"""Rules whose breach `git restore` undoes as long as it is not committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stake:
    """What is to be looked at: the staged files, the commits after `since` up to `rev`, or all of a state."""

    rev: str = ""
    """A commit; "" is the index."""
    since: str = "HEAD"
    whole: bool = False

    @classmethod
    def asked(cls, *, staged: bool, from_ref: str | None, to_ref: str | None, all_files: bool) -> Stake:
        """What the options mean. UsageError where they contradict each other."""
        if staged + all_files + (from_ref is not None) > 1 or (to_ref is not None and from_ref is None and staged):
            raise UsageError("--staged, --from-ref and --all-files exclude each other", "leave all but one out")
        if from_ref is not None:
            return cls(rev=to_ref or "HEAD", since=from_ref)
        if to_ref is not None:
            return cls(rev=to_ref, whole=True)
        return cls(whole=all_files)

    @classmethod
    def of_hook(cls, environ: Mapping[str, str]) -> Stake:
        """What git and pre-commit say is at stake.

        pre-commit names the commits of a push; where it does not, a branch is pushed for the first time and everything
        counts, as it does with `pre-commit run --all-files`. Inside of `git commit` git names the index.
        """
        since, rev = environ.get("PRE_COMMIT_FROM_REF"), environ.get("PRE_COMMIT_TO_REF")
        if since and rev:
            return cls(rev=rev, since=since)
        return cls(whole="GIT_INDEX_FILE" not in environ)


def check_bundles(
    start: Path, environ: Mapping[str, str], stake: Stake, named: Sequence[str] = (), *, quiet: bool = False
) -> Verdicts:
    """The verdicts on every bundle that has something at stake, or on those of the paths that are named.

    GitRefused outside of a repository.
    """
    with Snapshot(start, environ, stake.rev) as snapshot:
        text = snapshot.file(FILE_NAME)
        if text is None:
            return Verdicts((), (), quiet)
        try:
            settings = _parsed(text)
        except ConfigError as error:
            return Verdicts((), (("", _config_finding(text, error)),), quiet)
        looked, findings = [], []
        wanted = [os.path.relpath(start.resolve() / name, snapshot.root.resolve()) for name in named]
        for source, found in _judged(snapshot, _only(settings, wanted), stake):
            looked.append(source.bundle)
            findings += [(source.bundle, finding) for finding in found]
    return Verdicts(tuple(looked), tuple(findings), quiet)


def check_config(start: Path, environ: Mapping[str, str], stake: Stake, *, quiet: bool = False) -> Verdicts:
    """The verdict on `.okf.yaml` alone: every key, pattern and host in it. No such file is no fault."""
    with Snapshot(start, environ, stake.rev) as snapshot:
        text = snapshot.file(FILE_NAME)
    findings = [] if text is None else [("", finding) for finding in _config_findings(text)]
    return Verdicts((FILE_NAME,) if text is not None else (), tuple(findings), quiet)


# --- bundles ---


def _only(settings: Config, wanted: Sequence[str]) -> Config:
    """The sources whose bundle is at, below or around one of these paths."""
    if not wanted:
        return settings
    chosen = {
        source.name: source
        for source in settings.sources.values()
        if any(path == "." or _below(path, source.bundle) or _below(source.bundle, path) for path in wanted)
    }
    if not chosen:
        raise UsageError(f"{wanted[0]} is in no bundle of {FILE_NAME}", "name a bundle's directory, or none for all")
    return Config(sources=chosen)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _judged(snapshot: Snapshot, settings: Config, stake: Stake) -> Iterator[tuple[SourceConfig, Sequence[Finding]]]:
    sources = settings.sources.values()
    if stake.whole:
        blobs = snapshot.files([source.bundle for source in sources])
        for source in sources:
            if inside := _inside(source, blobs):
                unmerged = [_unmerged(source, path) for path in snapshot.unmerged([source.bundle])]
                yield source, [*unmerged, *verdicts.judge(source, _all(snapshot, inside), expect={})]
        return
    changes = snapshot.changes([FILE_NAME, *(source.bundle for source in sources)], stake.since)
    before = _settings_before(snapshot, stake.since) if FILE_NAME in changes else settings
    for source in sources:
        touched = _inside(source, changes)
        if _meant_otherwise(source, before):
            if inside := _inside(source, snapshot.files([source.bundle])):
                yield source, verdicts.judge(source, _all(snapshot, inside), expect={})
        elif touched:
            yield source, _judge_changes(snapshot, source, touched, in_index=not stake.rev)


def _all(snapshot: Snapshot, blobs: Mapping[str, str]) -> Files:
    return Files(snapshot, blobs, sorted(blobs))


def _judge_changes(
    snapshot: Snapshot, source: SourceConfig, touched: Mapping[str, Change], *, in_index: bool
) -> list[Finding]:
    files = Files(snapshot, _inside(source, snapshot.files([source.bundle])), sorted(touched))
    old = {path: change.old for path, change in touched.items() if change.old}
    if "log.md" in old and snapshot.merging():
        del old["log.md"]  # the log of a merge has the entries of both sides
    found = verdicts.judge(source, files, only=touched, base=Files(snapshot, old, sorted(old)))
    return [_with_way_back(source, finding, old) for finding in found] if in_index else found


def _with_way_back(source: SourceConfig, finding: Finding, old: Mapping[str, str]) -> Finding:
    """What is not committed yet can simply be dropped."""
    if finding.rule not in _RESTORED or (finding.path not in old and not finding.rule.startswith("index")):
        return finding
    what = source.bundle if finding.rule.startswith("index") else f"{source.bundle}/{finding.path}"
    drop = f"`git restore --staged --worktree -- {shlex.quote(what)}` drops what is not committed"
    return replace(finding, hint=f"{drop}, {finding.hint}")


def _inside(source: SourceConfig, paths: Mapping[str, T]) -> dict[str, T]:
    prefix = source.bundle + "/"
    return {path[len(prefix) :]: value for path, value in paths.items() if path.startswith(prefix)}


def _meant_otherwise(source: SourceConfig, before: Config) -> bool:
    """Whether the commit makes this directory a bundle, or takes back that it may be edited."""
    old = before.sources.get(source.name)
    return old is None or old.bundle != source.bundle or (old.editable and not source.editable)


def _settings_before(snapshot: Snapshot, since: str) -> Config:
    """The configuration before the change; without a source where there was none that could be read."""
    text = snapshot.before(FILE_NAME, since)
    try:
        return _parsed(text or b"")
    except ConfigError:
        return Config(sources={})


def _unmerged(source: SourceConfig, path: str) -> Finding:
    inside = path.removeprefix(source.bundle + "/")
    return Finding(inside, 1, "conflict-marker", ERROR, "a merge is unfinished here", "resolve it, then `git add` it")


# --- .okf.yaml ---


def _parsed(text: bytes) -> Config:
    try:
        return config.parse(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{FILE_NAME} is not UTF-8", "save it as UTF-8") from error


def _config_findings(text: bytes) -> Iterator[Finding]:
    from git_okf import digest
    from git_okf.source import kind_of

    try:
        settings = _parsed(text)
    except ConfigError as error:
        yield _config_finding(text, error)
        return
    for source in settings.sources.values():
        try:
            kind_of(source).check(source)
            digest.compared_hash("", source.ignore)
        except ConfigError as error:
            yield _config_finding(text, error)


def _config_finding(text: bytes, error: ConfigError) -> Finding:
    return Finding(FILE_NAME, _line_of(text, error.message), "config", ERROR, error.message, error.hint)


def _line_of(text: bytes, message: str) -> int:
    """The line of what a message speaks of: the one it names, else that of the key or value it fits best."""
    named = re.search(r"\(line (\d+)\)", message)
    if named:
        return int(named[1])
    words = frozenset(word.strip(".:") for word in re.findall(r"[\w./:${}*-]+", message))
    best, line = 0, 1
    for keys, value, at in sorted(_keys(text), key=lambda each: each[2]):
        told = value != "" and repr(value) in message
        score = 4 * (len(keys) > 1 and ".".join(keys[-2:]) in words) + 2 * told + sum(key in words for key in keys)
        if score and score >= best:
            best, line = score, at
    return line


def _keys(text: bytes) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Every key of the file with those above it (`sources` left out), its value where it is text, and its line."""
    import yaml

    try:
        root = yaml.compose(text.decode("utf-8-sig", "replace"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return
    stack: list[tuple[tuple[str, ...], yaml.Node | None]] = [((), root)]
    while stack:
        above, node = stack.pop()
        if not isinstance(node, yaml.MappingNode) or len(above) > 3:
            continue
        for key, value in node.value:
            keys = (*above, str(key.value)) if str(key.value) != "sources" else above
            if keys:
                yield keys, str(value.value) if isinstance(value, yaml.ScalarNode) else "", key.start_mark.line + 1
            if isinstance(value, yaml.SequenceNode):
                yield from ((keys, str(item.value), item.start_mark.line + 1) for item in value.value)
            stack.append((keys, value))
