"""Sources come and go: build, add, remove, repair, and what the command line's words mean for them."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from git_okf import baseline, changes, config, config_edit, guard, memory
from git_okf.config import FILE_NAME, KINDS, Config, SourceConfig
from git_okf.errors import ConfigError, GitRefused, Interrupted, UsageError
from git_okf.model import RunResult
from git_okf.run import Options, World
from git_okf.said import Said
from git_okf.settings import config_text
from git_okf.settings import read_config as read_config
from git_okf.store import overlay, preflight, setup, target, upstream, worktree
from git_okf.store.lease import Lease
from git_okf.store.repo import Repo
from git_okf.store.target import Target
from git_okf.sync import sync_source

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MAX_AGE = "7d"


def on_branch(repo: Repo, branch: str | None, *, stage: bool = False) -> Target | None:
    """What `--branch` means for a run; None for the branch that is checked out here. UsageError beside `--stage`."""
    if branch is None:
        return None
    if stage:
        raise UsageError(
            "--branch and --stage exclude each other", "leave out --stage; a branch elsewhere has no index"
        )
    found = target.named(repo, branch)
    if found is None:
        preflight.check_operation(repo.git_dir)
    else:
        target.check(repo, found)
    return found


def _committed_config_text(repo: Repo) -> str | None:
    """The configuration at HEAD, with the line ends that it has there, which are not always those of the file."""
    head = repo.head().commit
    entry = repo.entry(repo.commit_tree(head), FILE_NAME) if head else None
    return repo.read(entry[1]).decode("utf-8") if entry else None


def web_values(**given: Any) -> dict[str, Any]:
    """Command-line words -> keys of `.okf.yaml`; what was not said is left to the defaults."""
    defaults = {"browser": False, "robots": True}
    return {
        key: value for key, value in given.items() if value not in (None, []) and defaults.get(key, object()) != value
    }


def guard_names(allow: Sequence[str] | None) -> frozenset[str]:
    """The names after `--allow`. UsageError lists the known ones."""
    unknown = [name for name in allow or () if name not in guard.NAMES]
    if unknown:
        raise UsageError(f"there is no guard {unknown[0]!r}", f"guards: {', '.join(guard.NAMES)}")
    return frozenset(allow or ())


def seconds(text: str | None) -> float | None:
    """`50m`, `90s`, `2h` or plain seconds."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)", text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a length of time", "write it like 50m, 90s or 2h")
    return float(match[1]) * _UNITS[match[2]]


def age_to_check(check: bool, max_age: str | None) -> timedelta | None:
    """How old the last success may be; None where nothing is to be checked. UsageError for an age without a check."""
    if not check:
        if max_age is not None:
            raise UsageError("--max-age is for --check", "git okf status --check --max-age 2d")
        return None
    return timedelta(seconds=seconds(max_age or MAX_AGE) or 0)


def can_push(push: bool, *, dry_run: bool, stage: bool) -> bool:
    """`--push` as it was said. UsageError beside an option that leaves nothing to push."""
    for name, said in (("--dry-run", dry_run), ("--stage", stage)):
        if push and said:
            raise UsageError(f"--push and {name} exclude each other", f"leave out --push; {name} commits nothing")
    return push


def catch_up(repo: Repo, world: World, onto: Target | None = None) -> None:
    """Before `.okf.yaml` is read for a `--push`: the branch as the remote has it, where it can be fast-forwarded."""
    repo = watched(repo, world, "nothing was requested or committed")
    upstream.catch_up(repo, world.clock(), onto)


def watched(repo: Repo, world: World, so_far: str) -> Repo:
    """The repository for what is done outside of runs: a signal ends a git of it that waits, and is told `so_far`."""

    def heed() -> None:
        if world.stopping():
            raise Interrupted(f"interrupted; {so_far}", "run it again")

    return repo.watched_by(heed)


def init(repo: Repo) -> Said:
    """Set a clone up: git fetches state and notes along with the rest, and carries notes through amend and rebase."""
    made = setup.configure(repo)
    fetched = setup.fetch(repo)
    lines = [f"✓ Set up: {repo.root}" if made or fetched else f"✓ Nothing to do: {repo.root} is set up"]
    lines += [f"  git config: {setting.name} = {setting.value}" for setting in made]
    lines += [f"  fetched: {ref}" for ref in fetched]
    lines += [f"  to undo it: {setting.undo}" for setting in made]
    facts = {"settings": [[setting.name, setting.value, setting.undo] for setting in made], "fetched": fetched}
    return Said("\n".join(lines), facts)


def repository_name(url: str) -> str:
    """The last part of a repository's address: what a clone's directory would be called."""
    last = re.split(r"[/:]", url.rstrip("/").removesuffix("/.git"))[-1]
    return last.removesuffix(".git") or "repository"


def build(
    repo: Repo,
    cwd: Path,
    url: str,
    output: str | None,
    name: str | None,
    values: Mapping[str, Any],
    options: Options,
    world: World,
) -> RunResult:
    """Write the source into `.okf.yaml`, sync it, and commit both together. On any error neither is written."""
    if options.push:
        catch_up(repo, world)
    dirty = worktree.dirty(repo, FILE_NAME)
    if dirty:
        raise GitRefused(
            f"{FILE_NAME} has uncommitted changes, and a build commits that file. Nothing was fetched or changed",
            f"commit {FILE_NAME} first, or `git stash push -- {FILE_NAME}`; then run again",
        )
    there = config_text(repo)
    committed = _committed_config_text(repo)
    old = there if committed is None else committed
    text, source = _with_source(repo, cwd, old, url, output, name, values)
    files = {FILE_NAME: text.encode()}
    return sync_source(repo, source, options, world, files)


def add(repo: Repo, cwd: Path, url: str, output: str | None, name: str | None, kind: str) -> Said:
    """Write a source into `.okf.yaml` and nothing else."""
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}", f"kinds: {', '.join(KINDS)}")
    if kind == "feishu":
        raise UsageError(
            "a folder of Feishu needs more than an address. Nothing was changed",
            f"write it into {FILE_NAME}: kind: feishu, folder, app_id, app_secret, bundle (see docs/feishu.md)",
        )
    said = {} if kind == "web" else {"kind": kind}
    text, source = _with_source(repo, cwd, config_text(repo), url, output, name, said)
    _write_config(repo, text)
    words = f"✓ Added {source.name} to {FILE_NAME}  (commit it, then: git okf sync {source.name})"
    return Said(words, {"added": source.name, "url": source.url, "bundle": source.bundle})


def _with_source(
    repo: Repo, cwd: Path, old: str | None, url: str, output: str | None, name: str | None, values: Mapping[str, Any]
) -> tuple[str, SourceConfig]:
    """`old`, the text of `.okf.yaml`, with the new source, and the source as the file now says it."""
    is_site = values.get("kind", "web") == "web"
    if is_site:
        config.check_url(url)
    bundle = _bundle(repo, cwd, _host(url) if is_site else repository_name(url), output)
    name = name or _name_of(bundle)
    if old is not None and name in config.parse(old).sources:
        raise ConfigError(
            f"there is a source {name!r} in {FILE_NAME} already; nothing was changed",
            f"git okf sync {name}   syncs it; --name gives the new one another name",
        )
    text = config_edit.add_source(old, name, {"kind": "web", "url": url, "bundle": bundle, **values})
    return text, config.parse(text).source(name)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _bundle(repo: Repo, cwd: Path, usual: str, output: str | None) -> str:
    """The bundle's directory from the root of the repository; `-o` counts from where the user stands."""
    if output is None:
        return config.check_bundle(usual)
    absolute = os.path.normpath(cwd / output)
    try:
        inside = Path(absolute).relative_to(os.path.normpath(repo.root))
    except ValueError:
        raise ConfigError(
            f"{output} is outside the repository {repo.root}; nothing was changed", "choose a directory inside it"
        ) from None
    if not inside.parts:
        raise ConfigError(f"{output} is the whole repository; a bundle has its own directory", "write it like -o docs")
    return config.check_bundle(inside.as_posix(), "-o")


def _name_of(bundle: str) -> str:
    name = re.sub(r"[^a-z0-9._-]+", "-", bundle.rpartition("/")[2].lower()).strip("-._")[:64]
    return name or "docs"


def _write_config(repo: Repo, text: str) -> None:
    """Whole or not at all; a file that was there keeps its mode."""
    path = repo.root / FILE_NAME
    draft = path.with_name(f"{FILE_NAME}.{secrets.token_hex(4)}")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if path.exists():
            draft.chmod(stat.S_IMODE(path.stat().st_mode))
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ConfigError(
            f"{FILE_NAME} cannot be written: {error.strerror or error}; nothing was changed",
            f"see that you may write to {repo.root} and that the disk is not full",
        ) from error


def remove(repo: Repo, name: str, world: World) -> Said:
    """Take a source out of `.okf.yaml` and out of the state; bundle and history stay.

    The state goes because whatever is added under this name later is another source.
    """
    source = read_config(repo).source(name)
    text = config_text(repo)
    with Lease.acquire(repo.scratch, name, clock=world.clock, environ=world.environ) as lease:
        _write_config(repo, config_edit.remove_source(text or "", name))
        memory.forget(repo, name, world.clock(), lease.check)
    words = f"✓ Removed {name} from {FILE_NAME}  (its bundle {source.bundle} stays: git rm -r {source.bundle})"
    return Said(words, {"removed": name, "bundle": source.bundle})


def repair(repo: Repo, settings: Config, names: Sequence[str], world: World) -> Said:
    """Write the state anew from the concepts' front matter, and stage the listings that are not as these make them.

    Says what could not be rebuilt.
    """
    sources = [settings.source(name) for name in names] if names else list(settings.sources.values())
    lines, facts = [], []
    for source in sources:
        with Lease.acquire(repo.scratch, source.name, clock=world.clock, environ=world.environ) as lease:
            baseline.read(repo, source)  # a state that was made for another source is not to be written over
            base = baseline.read(repo, source, rebuild=True)
            unknown = baseline.unreadable(repo, source, base)
            staged = _stage_listings(repo, base, source, world)
            when = world.clock()
            state = memory.next_state(base, source, base.known.values(), base.bundle_tree, when, processed=False)
            memory.write_state(repo, base, source, state, when, f"repair ({source.name})", lease.check)
            overlay.drop_overlay(repo, source.name)
        lines.append(
            f"✓ Repaired {source.name}: {len(base.pages)} concepts. Validators and links are not in the bundle: "
            "the next sync fetches every page once."
        )
        lines += [f"  staged, to be committed: {path}" for path in staged]
        lines += [f"  not rebuilt: {path} ({reason})" for path, reason in unknown]
        told = {"items": len(base.pages), "staged": staged, "not_rebuilt": [list(pair) for pair in unknown]}
        facts.append({"name": source.name, **told})
    return Said("\n".join(lines), {"repaired": facts})


def _stage_listings(repo: Repo, base: baseline.Baseline, source: SourceConfig, world: World) -> list[str]:
    """The index files that were wrong, now right in index and work tree."""
    if base.bundle_tree is None:
        return []
    old = {path: repo.read(oid) for path, oid in repo.walk(base.bundle_tree) if path.rpartition("/")[2] == "index.md"}
    made = changes.listings(base.pages.values(), source, old.get("index.md"), world.clock())
    made |= dict.fromkeys(old.keys() - made.keys())
    wrong = changes.in_repository(source.bundle, {p: data for p, data in made.items() if old.get(p) != data})
    if wrong:
        worktree.stage(repo, base.tree, wrong)
    return sorted(wrong)
