"""Volatile facts of runs that changed nothing durable: validators, raw hashes, links of unchanged pages.

They lie in scratch (`seen/<source>.jsonl`) on top of one state commit, and are worth nothing on top of another. Losing
them costs requests, never anything else; so a file that cannot be read is a file that is not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from git_okf.linksets import LinkSet
from git_okf.model import Record
from git_okf.store import codec as codecs
from git_okf.store.codec import Codec
from git_okf.store.repo import Repo
from git_okf.store.scratch import read_file, replace_file, unwritable

FORMAT = 1


def read_overlay(repo: Repo, source: str, state_commit: str | None) -> list[Record]:
    """The records that differ from those of the state commit (None: from those rebuilt from the bundle)."""
    data = read_file(_file(repo, source))
    try:
        header, *lines = codecs.parse_lines(data or b"")
        if header["format"] != FORMAT or header["state"] != (state_commit or ""):
            return []
        sets = {name: LinkSet(tuple(links)) for name, links in header["sets"].items()}
        codec = Codec(base=header["base"], fingerprints=header["fingerprints"], sets=sets)
        memory: dict[str, str] = {}
        return [codec.decode(line, memory) for line in lines]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return []


def write_overlay(
    repo: Repo, source: str, state_commit: str | None, records: Iterable[Record], known: Mapping[str, Record]
) -> None:
    """Keep what `records` say that `known` (the state with the overlay that was read) did not."""
    after = {record.key: record for record in records}
    news = {key: record for key, record in after.items() if known.get(key) != record}
    if not news:
        return
    before = {record.key: record for record in read_overlay(repo, source, state_commit) if record.key in after}
    merged = {**before, **news}
    codec = codecs.successor(None, merged, merged)
    header: dict[str, Any] = {
        "format": FORMAT,
        "state": state_commit or "",
        "base": codec.base,
        "fingerprints": codec.fingerprints,
        "sets": {name: linkset.links for name, linkset in codec.sets.items()},
    }
    lines = [json.dumps(header).encode(), *(codec.encode(merged[key]) for key in sorted(merged))]
    replace_file(_file(repo, source), b"".join(line + b"\n" for line in lines))


def drop_overlay(repo: Repo, source: str) -> None:
    """Forget them: a state commit holds them now, or the source is no more."""
    path = _file(repo, source)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def _file(repo: Repo, source: str) -> Path:
    return repo.scratch / "seen" / f"{source}.jsonl"
