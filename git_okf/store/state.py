"""The memory of the outside world, on the state branch: what design.md calls the state.

    format                      "1"
    <source>/source.json        identity, access, times, what the lines have in common
    <source>/items/<hh>.jsonl   a JSON line an item, sorted by key; 256 shards by the hash of the key
    <source>/links/<id>.jsonl   a link set, one link a line; immutable

A change of one item rewrites its shard, and at most adds one link set. All of it can be rebuilt from the bundle, so
what cannot be read is never taken for empty: StateUnreadable asks for a rebuild, FormatTooNew refuses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from operator import attrgetter
from typing import Any

from git_okf.errors import GitRefused, OkfError
from git_okf.linksets import LinkSet
from git_okf.model import Record, Status
from git_okf.store import codec as codecs
from git_okf.store.codec import Codec
from git_okf.store.counts import Counts, count, counts_of
from git_okf.store.overlay import drop_overlay as drop_overlay
from git_okf.store.overlay import read_overlay as read_overlay
from git_okf.store.overlay import write_overlay as write_overlay
from git_okf.store.repo import Missing, Repo
from git_okf.store.trees import Made

REF = "refs/heads/okf/state"
FORMAT = 1
ACTIVE, PAUSED, UNREACHABLE = "ACTIVE", "PAUSED", "UNREACHABLE"
COUNTED_TRIES = 4
"""Failed runs of a pending item that make a difference: after three in a row it is only listed."""

_SENSELESS = (ValueError, TypeError, KeyError, IndexError, RecursionError)
"""What reading raises where the bytes make no sense."""
_ACCESS = ("access", "since", "held", "last_error", "recheck_at", "retry_at")
_TEXTS = (*_ACCESS, "bundle_tree", "last_observed", "last_fully_processed")
_VOLATILE = ("etag", "last_modified", "raw_hash", "links", "title", "description", "tries")
_durable_facts = attrgetter(*(f.name for f in fields(Record) if f.name not in _VOLATILE))
_DURABLE = (*_ACCESS, "identity", "bundle_tree", "failures", "watermarks", "targets")


class StateUnreadable(OkfError):
    """The state is there and makes no sense; it is to be rebuilt from the bundle, never taken for empty."""

    exit_code = GitRefused.exit_code
    code = "state-unreadable"

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(
            f"the state of {source} cannot be read: {reason}", f"`git okf repair {source}` rebuilds it from the bundle"
        )
        self.reason = reason


class FormatTooNew(GitRefused):
    """A newer version of this program wrote the state."""

    code = "format-too-new"

    def __init__(self, found: str) -> None:
        super().__init__(
            f"{REF} has format {found}; this git-okf reads format {FORMAT}", "install the version that wrote it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that is remembered of one source. Times are ISO 8601 with an offset, "" where there is none."""

    identity: Mapping[str, Any]
    access: str = ACTIVE
    since: str = ""
    """Since when the access is what it is, where it is not ACTIVE."""
    last_error: str = ""
    """The last access error, apart from `access`: a rate limit makes nothing unreachable."""
    bundle_tree: str = ""
    """The tree of the bundle this state describes."""
    last_observed: str = ""
    last_fully_processed: str = ""
    failures: int = 0
    recheck_at: str = ""
    retry_at: str = ""
    watermarks: Mapping[str, Any] = field(default_factory=dict)
    targets: Sequence[Mapping[str, Any]] = ()
    """What became of each content that was offered for review (`git_okf.review.targets`)."""
    held: str = ""
    """Since when the source is only looked at, because too many reviews are unresolved."""
    task: Mapping[str, Any] = field(default_factory=dict)
    """The last run that is told here: its `state` (seed 002, section 1), `run`, `generation` and `at`."""
    records: Mapping[str, Record] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a newer version wrote into source.json and this one does not know; kept."""
    counts: Counts | None = field(default=None, repr=False, compare=False)
    """Of the records, as they were written; None where that was not told."""
    codec: Codec | None = field(default=None, repr=False, compare=False)
    """How the records were written; `changes` needs it to leave alone what did not change."""

    def differs_from(self, identity: Mapping[str, Any]) -> list[str]:
        """The parts of an identity in which this state was made for another one."""
        return [name for name, value in identity.items() if self.identity.get(name) != value]


def read(repo: Repo, source: str, ref: str = REF) -> State | None:
    """What the state branch remembers of a source; None where it never heard of it.

    Raises StateUnreadable and FormatTooNew.
    """
    commit = repo.ref(ref)
    if commit is None:
        return None
    try:
        tree = repo.commit_tree(commit)
        _check_format(repo, tree, source)
        folder = repo.subtree(tree, source)
        return _read_source(repo, folder, source) if folder else None
    except Missing as error:
        raise StateUnreadable(source, error.message) from error


def facts(repo: Repo, source: str, ref: str = REF) -> State | None:
    """What is remembered of a source itself, without its items: one blob is read. Errors as `read`."""
    commit = repo.ref(ref)
    if commit is None:
        return None
    try:
        tree = repo.commit_tree(commit)
        _check_format(repo, tree, source)
        folder = repo.subtree(tree, source)
        return _state(_source_facts(repo, folder, source), {}, None) if folder else None
    except Missing as error:
        raise StateUnreadable(source, error.message) from error
    except _SENSELESS as error:
        raise StateUnreadable(source, str(error) or type(error).__name__) from error


def one(repo: Repo, source: str, key: str, ref: str = REF) -> Record | None:
    """What is remembered of one item: its shard is read, and the set its links are told by. Errors as `read`."""
    commit = repo.ref(ref)
    if commit is None:
        return None
    try:
        tree = repo.commit_tree(commit)
        _check_format(repo, tree, source)
        folder = repo.subtree(tree, source)
        entry = repo.entry(folder, f"items/{shard(key)}.jsonl")
        if folder is None or entry is None:
            return None
        return _codec(_source_facts(repo, folder, source)).find(repo.read(entry[1]), key)
    except Missing as error:
        raise StateUnreadable(source, error.message) from error
    except _SENSELESS as error:
        raise StateUnreadable(source, str(error) or type(error).__name__) from error


def _source_facts(repo: Repo, folder: str, source: str) -> Mapping[str, Any]:
    entry = repo.entry(folder, "source.json")
    if entry is None:
        raise StateUnreadable(source, "source.json is missing")
    return dict(json.loads(repo.read(entry[1])))


def _check_format(repo: Repo, tree: str, source: str) -> None:
    entry = repo.entry(tree, "format")
    if entry is None:
        raise StateUnreadable(source, f"{REF} has no file `format`")
    text = repo.read(entry[1]).decode("utf-8", "replace").strip()
    if not text.isdecimal():
        raise StateUnreadable(source, f"its format is {text[:40]!r}")
    if int(text) > FORMAT:
        raise FormatTooNew(text)


def _read_source(repo: Repo, folder: str, source: str) -> State:
    try:
        facts = _source_facts(repo, folder, source)
        codec = _codec(facts)
        for path, oid in repo.walk(repo.subtree(folder, "links")):
            links = codecs.parse_lines(repo.read(oid))
            codec.sets[path.removesuffix(".jsonl")] = LinkSet(tuple(codec.expand(_of(str, link)) for link in links))
        memory = {link: link for linkset in codec.sets.values() for link in linkset.links}
        records: dict[str, Record] = {}
        for path, oid in repo.walk(repo.subtree(folder, "items")):
            decoded = [codec.decode(line, memory) for line in codecs.parse_lines(repo.read(oid))]
            codec.shards[path.removesuffix(".jsonl")] = [record.key for record in decoded]
            records.update((record.key, record) for record in decoded)
        return _state(facts, records, codec)
    except _SENSELESS as error:
        raise StateUnreadable(source, str(error) or type(error).__name__) from error


def _codec(facts: Mapping[str, Any]) -> Codec:
    return Codec(base=_of(str, facts["base"]), fingerprints=[_of(str, f) for f in facts["fingerprints"]])


def _state(facts: Mapping[str, Any], records: Mapping[str, Record], codec: Codec | None) -> State:
    known = {"identity", "failures", "watermarks", "task", "targets", "base", "fingerprints", "counts", *_TEXTS}
    return State(
        identity=_of(dict, facts["identity"]),
        failures=_of(int, facts.get("failures", 0)),
        watermarks=_of(dict, facts.get("watermarks", {})),
        task=_of(dict, facts.get("task", {})),
        targets=tuple(_of(list, facts.get("targets", []))),
        records=records,
        extra={name: value for name, value in facts.items() if name not in known},
        counts=counts_of(facts.get("counts")),
        codec=codec,
        **{name: _of(str, facts[name]) for name in _TEXTS if name in facts},
    )


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{value!r} stands where {kind.__name__} belongs")
    return value


def changes(old: State | None, new: State, source: str) -> dict[str, bytes | None]:
    """The same as `files`, with all bytes made."""
    made = files(old, new, source)
    return {path: data.make() if isinstance(data, Made) else data for path, data in made.items()}


def files(old: State | None, new: State, source: str) -> dict[str, bytes | Made | None]:
    """What to write into the state's tree to bring a source from `old` (None: nothing there) to `new`.

    Shards without a changed record are not in it; the others are put into words when they are written, one after
    another. `new.records` is keyed by the records' keys; `new.codec` is not read.
    """
    before: Mapping[str, Record] = old.records if old else {}
    after = new.records
    touched = {key for key, record in after.items() if record is not (was := before.get(key)) and record != was}
    touched.update(key for key in before if key not in after)
    codec = codecs.successor(old.codec if old else None, new.records, touched)
    told: dict[str, bytes | Made | None] = {
        "format": b"%d\n" % FORMAT,
        f"{source}/source.json": _source_json(new, codec),
    }
    old_sets = old.codec.sets if old and old.codec else {}
    for name in sorted(old_sets.keys() | codec.sets.keys()):
        if name not in codec.sets:
            told[f"{source}/links/{name}.jsonl"] = None
        elif name not in old_sets:
            told[f"{source}/links/{name}.jsonl"] = Made(partial(_set_lines, codec, name))
    for name, keys in sorted(_stale_shards(old, touched).items()):
        keys &= after.keys()
        told[f"{source}/items/{name}.jsonl"] = Made(partial(_shard_lines, codec, after, keys)) if keys else None
    return told


def _stale_shards(old: State | None, touched: Iterable[str]) -> dict[str, set[str]]:
    """The shards of the keys, with the keys that are, were or will be in them."""
    there: Mapping[str, Sequence[str]] = old.codec.shards if old and old.codec else {}
    if old is not None and sum(map(len, there.values())) != len(old.records):  # not as they were read
        by_shard: dict[str, list[str]] = {}
        for key in old.records:
            by_shard.setdefault(shard(key), []).append(key)
        there = by_shard
    shards: dict[str, set[str]] = {}
    for key in touched:
        name = shard(key)
        if name not in shards:
            shards[name] = set(there.get(name, ()))
        shards[name].add(key)
    return shards


def _set_lines(codec: Codec, name: str) -> bytes:
    return codecs.lines(map(codec.shorten, codec.sets[name].links))


def _shard_lines(codec: Codec, records: Mapping[str, Record], keys: Iterable[str]) -> bytes:
    return b"".join(codec.encode(records[key]) + b"\n" for key in sorted(keys))


def forget(repo: Repo, source: str, ref: str = REF) -> dict[str, bytes | None]:
    """What to write into the state's tree so that it never heard of a source."""
    commit = repo.ref(ref)
    folder = repo.subtree(repo.commit_tree(commit), source) if commit else None
    return {f"{source}/{path}": None for path, _ in repo.walk(folder)}


def shard(key: str) -> str:
    """The shard of an item: two hex digits of the SHA-256 of its key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:2]


def _source_json(state: State, codec: Codec) -> bytes:
    facts: dict[str, Any] = {name: value for name in _TEXTS if (value := getattr(state, name))}
    facts |= {"identity": dict(state.identity), "base": codec.base, "fingerprints": codec.fingerprints}
    facts["counts"] = count(state.records.values()).told()
    if state.failures:
        facts["failures"] = state.failures
    facts |= {name: dict(value) for name in ("watermarks", "task") if (value := getattr(state, name))}
    if state.targets:
        facts["targets"] = list(state.targets)
    return (json.dumps({**state.extra, **facts}, sort_keys=True, indent=1) + "\n").encode()


# --- what is worth a commit ---


def durable_equal(a: Record | None, b: Record | None) -> bool:
    """Whether two records of one key say the same, apart from what merely saves requests.

    Volatile are validators, raw hash, links, title and description, how often a known page failed in a row (that it
    fails, and why, is durable), and aliases, absent and refused links as a whole.
    """
    if a is b:
        return True
    if a is None or b is None or a.status is not b.status:
        return not (_is_durable(a) or _is_durable(b))
    return not _is_durable(a) or (_durable_facts(a) == _durable_facts(b) and _counted(a) == _counted(b))


def _counted(record: Record) -> int:
    return min(record.tries, COUNTED_TRIES) if record.status is Status.PENDING else 0


def _is_durable(record: Record | None) -> bool:
    return record is not None and record.status in (Status.PAGE, Status.PENDING)


def worth_writing(old: State | None, new: State) -> bool:
    """Whether anything durable changed: a record, the identity, access or schedule. The times of a look are not."""
    if old is None or any(getattr(old, name) != getattr(new, name) for name in _DURABLE):
        return True
    return any_durable(old.records, new.records)


def any_durable(old: Mapping[str, Record], new: Mapping[str, Record]) -> bool:
    """Whether any two records of a key differ in what is durable. There may be many: no set of the keys is made."""
    come_or_changed = any(not durable_equal(old.get(key), record) for key, record in new.items())
    return come_or_changed or any(key not in new and not durable_equal(record, None) for key, record in old.items())
