"""Volatile facts of runs that changed nothing durable: validators, raw hashes, links of unchanged pages.

They lie in scratch (`seen/<source>.jsonl`) on top of one state commit, and are worth nothing on top of another. Losing
them costs requests, never anything else; so a file that cannot be read is a file that is not there.

Where a server stops sending validators there is a line for every page. So lines are made and parsed a few at a time,
and what a record has in common with the one it lies on is the same object.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

from git_okf.linksets import LinkSet
from git_okf.model import Record
from git_okf.store import codec as codecs
from git_okf.store.codec import Codec
from git_okf.store.repo import Repo
from git_okf.store.scratch import open_file, replace_lines, unwritable

FORMAT = 1
BATCH = 200
"""Lines that are parsed at once."""
_SENSELESS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
_NAMES = tuple(f.name for f in fields(Record))
_values = attrgetter(*_NAMES)


def read_overlay(repo: Repo, source: str, state_commit: str | None, below: Mapping[str, Record]) -> list[Record]:
    """The records that differ from those of the state commit (None: from those rebuilt from the bundle): `below`."""
    memory = {key: key for key in below}
    try:
        found = (codec.decode(line, memory) for codec, line in _stored(repo, source, state_commit, memory))
        return [_on_top_of(below.get(record.key), record) for record in found]
    except _SENSELESS:
        return []


def write_overlay(
    repo: Repo, source: str, state_commit: str | None, records: Iterable[Record], known: Mapping[str, Record]
) -> None:
    """Keep what `records` say that `known` (the state with the overlay that was read) did not, and of what the overlay
    told before what is still known."""
    after = {record.key: record for record in records}
    told = {key for key, record in after.items() if known.get(key) != record}
    if not told:
        return
    told.update(_keys(repo, source, state_commit) & after.keys())
    after = {key: after[key] for key in sorted(told)}
    codec = codecs.successor(None, after, after)
    header: dict[str, Any] = {
        "format": FORMAT,
        "state": state_commit or "",
        "base": codec.base,
        "fingerprints": codec.fingerprints,
        "sets": {name: linkset.links for name, linkset in codec.sets.items()},
    }
    replace_lines(_file(repo, source), _lines(header, codec, after.values()))


def drop_overlay(repo: Repo, source: str) -> None:
    """Forget them: a state commit holds them now, or the source is no more."""
    path = _file(repo, source)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def _lines(header: Mapping[str, Any], codec: Codec, records: Iterable[Record]) -> Iterator[bytes]:
    yield json.dumps(header).encode() + b"\n"
    for record in records:
        yield codec.encode(record) + b"\n"


def _stored(
    repo: Repo, source: str, state_commit: str | None, memory: dict[str, str]
) -> Iterator[tuple[Codec, Mapping[str, Any]]]:
    """The lines that tell of records, with their codec. Raises one of `_SENSELESS` where they make no sense."""
    with open_file(_file(repo, source)) as file:
        header = next(_parsed(file, 1), None)
        if header is None or header["format"] != FORMAT or header["state"] != (state_commit or ""):
            return
        sets = {
            name: LinkSet(tuple(memory.setdefault(link, link) for link in links))
            for name, links in header["sets"].items()
        }
        codec = Codec(base=header["base"], fingerprints=header["fingerprints"], sets=sets)
        for line in _parsed(file, BATCH):
            yield codec, line


def _parsed(file: IO[bytes], batch: int) -> Iterator[Any]:
    while lines := b"".join(islice(file, batch)):
        yield from codecs.parse_lines(lines)


def _keys(repo: Repo, source: str, state_commit: str | None) -> set[str]:
    """The keys that the overlay has records of."""
    try:
        return {codec.expand(line["key"]) for codec, line in _stored(repo, source, state_commit, {})}
    except _SENSELESS:
        return set()


def _on_top_of(below: Record | None, record: Record) -> Record:
    """The same record, made of the parts of the one below where they are equal."""
    if below is None:
        return record
    pairs = zip(_NAMES, _values(record), _values(below), strict=True)
    return replace(below, **{name: mine for name, mine, theirs in pairs if mine is not theirs and mine != theirs})


def _file(repo: Repo, source: str) -> Path:
    return repo.scratch / "seen" / f"{source}.jsonl"
