"""Results of an unfinished run, so that a killed run is not paid for twice.

In scratch, `checkpoint/<source>/`: a header, the bodies and the results, both only appended to. What a kill cut short
at their ends is dropped when they are opened again. A checkpoint belongs to one configuration, base and extractor;
where one of them differs it is thrown away. It never says what is to be removed: it holds pages that were fetched,
nothing about those that were not.

In memory are only the places of the bodies and results in their files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

from git_okf import digest
from git_okf.linksets import Shelf
from git_okf.model import Fetched, File
from git_okf.store.scratch import read_file, replace_file, unwritable

T = TypeVar("T")

FORMAT = 2
FILES = ("bodies", "results.jsonl", "header.json")
"""All of it, the header last: without one there is no checkpoint."""
EVERY = 10
"""Results between two flushes, where nothing else is said."""
BUFFER = 65_536
"""Bytes that wait in memory at most, for each of the two files."""
SYNC_S = 5.0
"""Seconds between two waits for the disk: a kill needs none, only a power cut does."""
WINDOW = timedelta(hours=24)
"""How long a result is good for a run that resumes."""

_NAMES = tuple(f.name for f in fields(Fetched))
_HASH = re.compile("sha256:[0-9a-f]{64}")
_TUPLES = ("links", "warnings", "parts_failed")
_SHARED = ("key", "fingerprint", "form", "language", "last_modified", "type")
"""Texts that other results, links or the crawl have too: each is held once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What the results depend on: a checkpoint is only for a run that has the same."""

    config: str
    base: str
    fingerprint: str
    afresh: bool = False


class Checkpoint:
    """A spool (see git_okf.source) that survives a kill. Nothing is on disk before the first result."""

    def __init__(
        self, folder: Path, header: bytes, clock: Callable[[], datetime], *, every: int = EVERY, remove: bool = False
    ) -> None:
        self._folder, self._header, self._clock = folder, header, clock
        self._every, self._remove = every, remove
        self._bodies: IO[bytes] | None = None
        self._results: IO[bytes] | None = None
        self._body_at: dict[bytes, int] = {}
        self._result_at: dict[str, int] = {}
        self._links = Shelf()
        self._ends = [0, 0]
        self._unsaved = 0
        self._synced_at = time.monotonic()

    @classmethod
    def open(
        cls, scratch: Path, source: str, binding: Binding, *, clock: Callable[[], datetime], every: int = EVERY
    ) -> Checkpoint:
        """The checkpoint of a source: with the results of the run that was killed, or a fresh one.

        It is saved after every `every` results.
        """
        folder = _folder(scratch, source)
        header = (json.dumps({"format": FORMAT, **asdict(binding)}, sort_keys=True) + "\n").encode()
        checkpoint = cls(folder, header, clock, every=every)
        if read_file(folder / "header.json") == header:
            checkpoint._guarded(checkpoint._resume)
        else:
            cls.drop(scratch, source)
        return checkpoint

    @classmethod
    def temporary(cls) -> Checkpoint:
        """A spool for a run that leaves nothing behind: in the system's directory for temporary files."""
        folder = Path(tempfile.mkdtemp(prefix="git-okf-"))
        return cls(folder, b"", lambda: datetime.now(UTC), remove=True)

    @staticmethod
    def drop(scratch: Path, source: str) -> None:
        """Throw a source's checkpoint away."""
        _remove(_folder(scratch, source))

    # --- the spool ---

    def put(self, content_hash: str, body: str) -> None:
        if _id(content_hash) in self._body_at:
            return
        data = body.encode("utf-8", "surrogatepass")
        self._guarded(lambda: self._append_body(content_hash, data))

    def get(self, content_hash: str) -> str:
        at = self._body_at[_id(content_hash)]
        return self._guarded(lambda: self._read_body(at)).decode("utf-8", "surrogatepass")

    def put_file(self, data: bytes) -> str:
        blob = digest.blob_id(data)
        if _id(blob) not in self._body_at:
            self._guarded(lambda: self._append_body(blob, data))
        return blob

    def file(self, blob: str) -> bytes:
        at = self._body_at[_id(blob)]
        return self._guarded(lambda: self._read_body(at))

    def remember(self, result: Fetched) -> None:
        facts = {name: value for name in _NAMES if (value := getattr(result, name)) not in ("", (), {})}
        spooled = [name for name in _contents(result) if _id(name) in self._body_at]
        line = json.dumps({"at": self._clock().isoformat(), "spooled": spooled, "result": facts}, default=_plain)
        self._guarded(lambda: self._append_result(result.key, line.encode() + b"\n"))

    def recall(self, key: str) -> Fetched | None:
        at = self._result_at.get(key)
        if at is None:
            return None
        line = json.loads(self._guarded(lambda: self._read_result(at)))
        age = self._clock() - datetime.fromisoformat(line["at"])
        result = _result(line["result"])
        if result is None or not timedelta(0) <= age <= WINDOW:
            return None
        lost = any(_id(name) not in self._body_at for name in line["spooled"])
        return None if lost else replace(result, links=self._links.hold(result.links))

    # --- its end ---

    def flush(self) -> None:
        """Hand everything to the operating system; bodies before the results that name them."""
        self._guarded(lambda: self._save(time.monotonic()))

    def seal(self) -> None:
        """All has been asked for: save it, and forget where results are. Bodies are still to be had."""
        self.flush()
        self._result_at.clear()

    def close(self) -> None:
        """Save and keep, for a run that resumes; a temporary one goes."""
        if self._remove:
            self.discard()
            return
        self.flush()
        self._release()

    def discard(self) -> None:
        """Throw away: the run succeeded."""
        self._release()
        self._body_at.clear()
        self._result_at.clear()
        _remove(self._folder)

    def __len__(self) -> int:
        """How many results it holds."""
        return len(self._result_at)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    # --- files ---

    def _guarded(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except OSError as error:
            raise unwritable(self._folder, error) from error

    def _files(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._bodies is None or self._results is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._header and not (self._folder / "header.json").exists():
                replace_file(self._folder / "header.json", self._header)
            self._bodies = (self._folder / "bodies").open("a+b", buffering=BUFFER)
            self._results = (self._folder / "results.jsonl").open("a+b", buffering=BUFFER)
            self._ends = [file.seek(0, os.SEEK_END) for file in (self._bodies, self._results)]
        return self._bodies, self._results

    def _append_body(self, name: str, data: bytes) -> None:
        bodies, _ = self._files()
        self._body_at[_id(name)] = _to_end(bodies, self._ends[0])
        self._ends[0] += bodies.write(b"%s %d %d\n" % (name.encode(), len(data), zlib.crc32(data)) + data + b"\n")

    def _read_body(self, at: int) -> bytes:
        bodies, _ = self._files()
        bodies.seek(at)
        _, length, _ = bodies.readline().split(b" ")
        return bodies.read(int(length))

    def _append_result(self, key: str, line: bytes) -> None:
        _, results = self._files()
        self._result_at[key] = _to_end(results, self._ends[1])
        self._ends[1] += results.write(line)
        self._unsaved += 1
        now = time.monotonic()
        if self._unsaved >= self._every or now - self._synced_at >= SYNC_S:
            self._save(now)

    def _read_result(self, at: int) -> bytes:
        _, results = self._files()
        results.seek(at)
        return results.readline()

    def _save(self, now: float) -> None:
        if self._bodies is None or self._results is None or self._remove:
            return
        for file in (self._bodies, self._results):
            file.flush()
            if now - self._synced_at >= SYNC_S:
                os.fsync(file.fileno())
        if now - self._synced_at >= SYNC_S:
            self._synced_at = now
        self._unsaved = 0

    def _release(self) -> None:
        for file in (self._bodies, self._results):
            if file is not None:
                self._guarded(file.close)
        self._bodies = self._results = None

    # --- resuming ---

    def _resume(self) -> None:
        bodies, results = self._files()
        bodies.seek(0)
        results.seek(0)
        self._ends = [self._scan_bodies(bodies), self._scan_results(results)]
        for file, end in zip((bodies, results), self._ends, strict=True):
            file.truncate(end)

    def _scan_bodies(self, bodies: IO[bytes]) -> int:
        """Find every whole body; the offset where the first one that is not begins."""
        at = 0
        for head in iter(bodies.readline, b""):
            try:
                name, length, checksum = head.rstrip(b"\n").split(b" ")
                held = _id(name.decode())
                data = bodies.read(int(length))
                whole = zlib.crc32(data) == int(checksum) and bodies.read(1) == b"\n"
            except ValueError:
                whole = False
            if not whole:
                break
            self._body_at[held] = at
            at = bodies.tell()
        return at

    def _scan_results(self, results: IO[bytes]) -> int:
        at = 0
        for line in iter(results.readline, b""):
            try:
                key = json.loads(line)["result"]["key"] if line.endswith(b"\n") else None
            except (ValueError, TypeError, KeyError):
                key = None
            if not isinstance(key, str):
                break
            self._result_at[sys.intern(key)] = at
            at = results.tell()
        return at


def _id(name: str) -> bytes:
    """A name as it is held: there are as many as bodies, and a hash in digits takes twice its bytes."""
    return bytes.fromhex(name[-64:]) if _HASH.fullmatch(name) else name.encode()


def _to_end(file: IO[bytes], end: int) -> int:
    """Go to the end of a file where something was read; going there otherwise would only save what may wait."""
    return end if file.tell() == end else file.seek(0, os.SEEK_END)


def _contents(result: Fetched) -> list[str]:
    return [result.content_hash, *(name for file in result.files for name in (file.blob, file.content) if name)]


def _plain(value: Any) -> Any:
    """A part of a result as JSON has it: a file, or links that are held small."""
    return asdict(value) if isinstance(value, File) else list(value)


def _result(facts: dict[str, object]) -> Fetched | None:
    """The result again; None where another version wrote fields this one does not know, or left some out."""
    if not facts.keys() <= frozenset(_NAMES):
        return None
    values = {name: tuple(v) if name in _TUPLES and isinstance(v, list) else v for name, v in facts.items()}
    try:
        values["files"] = tuple(File(**each) for each in values.get("files", ()))  # type: ignore[attr-defined]
    except TypeError:
        return None
    for needed in ("title", "description"):
        values.setdefault(needed, "")
    for shared in _SHARED:
        if type(text := values.get(shared)) is str:
            values[shared] = sys.intern(text)
    try:
        return Fetched(**values)  # type: ignore[arg-type]
    except TypeError:
        return None


def _folder(scratch: Path, source: str) -> Path:
    return scratch / "checkpoint" / source


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(folder, error) from error
