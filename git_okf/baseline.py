"""What a run starts from: the records, made to agree with the bundle's tree at the base commit.

The tree is the truth, the state is memory (design.md, law 8). Where the state describes this very tree it is trusted
whole; else only the paths that differ are read again, so that a merge, a squash, a revert, a hand edit or a switch of
branch costs what changed; and without a state the records are rebuilt from the concepts' front matter. In no case
does missing memory become an empty bundle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from git_okf import digest
from git_okf.bundle import concept
from git_okf.config import FILE_NAME, SourceConfig
from git_okf.errors import ConfigError
from git_okf.model import Record, Status
from git_okf.source import ingesting
from git_okf.store import overlay, target
from git_okf.store import state as states
from git_okf.store.repo import Head, Missing, Repo
from git_okf.store.target import Target

RESERVED = ("index.md", "log.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The base commit and everything known of one source there."""

    head: Head
    branch_at: str | None = None
    """Where the branch is here: the base commit, but for a `--push` whose remote has left commits of ours behind, and a
    target that is to be replaced."""
    tree: str | None
    """The base commit's whole tree."""
    bundle_tree: str | None
    state: states.State | None
    state_commit: str | None
    known: Mapping[str, Record]
    drifted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By key, the files of items, beside their concepts, that were edited or deleted by hand."""
    notices: tuple[str, ...] = ()

    @property
    def pages(self) -> dict[str, Record]:
        return {key: record for key, record in self.known.items() if record.status is Status.PAGE}

    @property
    def edited(self) -> frozenset[str]:
        return frozenset(key for key, record in self.known.items() if record.edited) | self.drifted.keys()


def read(
    repo: Repo,
    source: SourceConfig,
    *,
    rebuild: bool = False,
    onto: Target | None = None,
    at: Callable[[Head], str | None] = lambda head: head.commit,
) -> Baseline:
    """The baseline at HEAD or a target, or at the commit that `at` names. ConfigError where the state was made for
    another identity and `rebuild` is not asked."""
    head = target.standing(repo, onto)
    head = replace(head, commit=at(head))
    branch_at = target.tip(repo, onto)
    tree = repo.commit_tree(head.commit) if head.commit else None
    bundle_tree = repo.subtree(tree, source.bundle)
    commit = repo.ref(states.REF)
    notices: tuple[str, ...] = ()
    try:
        state = states.read(repo, source.name)
    except states.StateUnreadable as error:
        state = None
        notices = (f"the state could not be read ({error.reason}); it was rebuilt from the bundle",)
    if state is not None and not rebuild:
        _same_identity(source, state)
    known = _records(repo, source, bundle_tree, state, rebuild)
    if state is not None:
        known = _with_overlay(repo, source, commit, known)
    elif bundle_tree is not None:
        known = _with_overlay(repo, source, None, known)
    return Baseline(
        head=head,
        branch_at=branch_at,
        tree=tree,
        bundle_tree=bundle_tree,
        state=state,
        state_commit=commit,
        known=known,
        drifted=_drifted(repo, source, tree, known.values()),
        notices=notices,
    )


def as_it_is(repo: Repo, source: SourceConfig) -> Baseline:
    """The baseline at HEAD for a question: also where the state was made for another identity, as far as that goes."""
    return read(repo, source, rebuild=_is_of_another_identity(repo, source))


def _is_of_another_identity(repo: Repo, source: SourceConfig) -> bool:
    try:
        state = states.facts(repo, source.name)
    except states.StateUnreadable:
        return False
    return state is not None and bool(state.differs_from(source.identity()))


def _same_identity(source: SourceConfig, state: states.State) -> None:
    mine, stored = source.identity(), dict(state.identity)
    changed = state.differs_from(mine)
    if not changed:
        return
    was = ", ".join(f"{key} was {stored.get(key)!r} and is now {mine[key]!r}" for key in changed)
    raise ConfigError(
        f"source {source.name}: {was}. This belongs to the source and cannot be overridden; nothing was changed",
        f"git okf sync --rebuild {source.name}   crawls it afresh under the new {changed[0]}\n"
        f"git okf remove {source.name}, then git okf add URL   makes it another source\n"
        f"or put the old value back into {FILE_NAME}",
    )


def _records(
    repo: Repo, source: SourceConfig, bundle_tree: str | None, state: states.State | None, rebuild: bool
) -> Mapping[str, Record]:
    if state is None or rebuild:
        return _rebuilt(repo, source, repo.walk(bundle_tree) if bundle_tree else ())
    if state.bundle_tree == (bundle_tree or ""):
        return state.records
    try:
        changed = repo.diff(state.bundle_tree or None, bundle_tree)
    except Missing:
        again = _rebuilt(repo, source, repo.walk(bundle_tree) if bundle_tree else ())
        return _remembered(source, again, state.records)
    gone = {change.path for change in changed}
    kept = {k: r for k, r in state.records.items() if r.status is not Status.PAGE or r.path not in gone}
    read_again = _rebuilt(repo, source, ((c.path, c.new) for c in changed if c.new))
    return {**kept, **_remembered(source, read_again, state.records)}


def _rebuilt(repo: Repo, source: SourceConfig, files: Iterable[tuple[str, str]]) -> dict[str, Record]:
    records: dict[str, Record] = {}
    for path, oid in sorted(files):
        if path.endswith(".md") and path.rpartition("/")[2] not in RESERVED:
            record = _from_file(path, repo.read(oid), source)
            if record is not None:
                records.setdefault(record.key, record)
    return records


def _from_file(path: str, data: bytes, source: SourceConfig) -> Record | None:
    """The record a concept's own front matter gives; None for a file that is no concept of ours."""
    try:
        header = concept.header(data)
        body = concept.body(data)
    except concept.NotAConcept:
        return None
    if not header.resource or not header.content_hash:
        return None
    edited = digest.content_hash(body) != header.content_hash
    told = header.fingerprint if source.kind != "web" else ""
    return Record(
        key=header.key or header.resource,
        path=path,
        title=header.title,
        description=header.description,
        content_hash=header.content_hash,
        compared_hash=told or ("" if edited else digest.compared_hash(body, source.ignore)),
        size=len(body),
        edited=edited,
        files=header.files,
    )


def _remembered(source: SourceConfig, fresh: dict[str, Record], old: Mapping[str, Record]) -> dict[str, Record]:
    """What the state knows of concepts read again: all of it where the file holds what was synced, else the names, and
    what was decided about the item."""
    records = {}
    decided = ingesting(source) is not None
    for key, record in fresh.items():
        before = old.get(key)
        if before is None or before.status is not Status.PAGE:
            records[key] = record
        elif _is_what_was_synced(source, record, before):
            records[key] = replace(before, path=record.path, edited=record.edited)
        else:
            memo = before.memo if decided else record.memo
            records[key] = replace(record, links=before.links, url=before.url, form=before.form, memo=memo)
    return records


def _is_what_was_synced(source: SourceConfig, record: Record, before: Record) -> bool:
    """Whether a file holds what its record says, also where more counts than the body: front matter, licence."""
    more = record.compared_hash if source.kind != "web" else ""
    same = not more or more == before.compared_hash
    return same and before.content_hash == record.content_hash and _blobs(before) == _blobs(record)


def _blobs(record: Record) -> list[tuple[str, str]]:
    return [(file.path, file.blob) for file in record.files]


def _drifted(
    repo: Repo, source: SourceConfig, tree: str | None, records: Iterable[Record]
) -> dict[str, tuple[str, ...]]:
    """By key, the files beside its concept that are not there as they were synced, as paths to show people."""
    having = [record for record in records if record.files]
    if not having:
        return {}
    there = dict(repo.walk(repo.subtree(tree, source.files)))
    shown = "" if source.files == source.bundle else source.files + "/"
    found = {r.key: tuple(shown + f.path for f in r.files if there.get(f.path) != f.blob) for r in having}
    return {key: paths for key, paths in found.items() if paths}


def _with_overlay(
    repo: Repo, source: SourceConfig, commit: str | None, records: Mapping[str, Record]
) -> Mapping[str, Record]:
    """Volatile facts of runs that changed nothing durable (validators, raw hashes, links), kept in scratch."""
    news = overlay.read_overlay(repo, source.name, commit, records)
    if not news:
        return records
    known = dict(records)
    for record in news:
        current = known.get(record.key)
        if current is None:
            if record.status is not Status.PAGE:
                known[record.key] = record
        elif current.status is record.status and current.content_hash == record.content_hash:
            known[record.key] = _in_the_file_of(current, record)
    return known


def _in_the_file_of(current: Record, record: Record) -> Record:
    """The overlay's record with what the file itself says. Nothing is made anew where both say the same."""
    told = {name: getattr(current, name) for name in ("path", "title", "description", "edited")}
    same = all(getattr(record, name) == value for name, value in told.items())
    return record if same else replace(record, **told)


def unreadable(repo: Repo, source: SourceConfig, base: Baseline) -> list[tuple[str, str]]:
    """The Markdown files of the bundle that give no record, and why not: what `repair` cannot rebuild."""
    owners = {record.path for record in base.pages.values()}
    return [
        (path, _why_no_record(repo.read(oid)))
        for path, oid in repo.walk(base.bundle_tree)
        if path.endswith(".md") and path.rpartition("/")[2] not in RESERVED and path not in owners
    ]


def _why_no_record(data: bytes) -> str:
    try:
        header = concept.header(data)
    except concept.NotAConcept as error:
        return str(error)
    missing = [name for name in ("resource", "content_hash") if not getattr(header, name)]
    return f"no {' and no '.join(missing)} in its front matter" if missing else "another file has the same resource"
