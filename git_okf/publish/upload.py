"""Many objects at once, and each only from what it was expected to be.

A small object is one conditional request. Where it is refused, somebody else has written the object: if the claim is
still ours it was a publisher that we have overtaken, and its late write is replaced. A large one goes up in parts, for
which S3 has no conditions here, so the claim is looked at right before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from git_okf.errors import Interrupted
from git_okf.publish import keys
from git_okf.publish.bucket import Bucket
from git_okf.publish.values import Mismatch, Overtaken, Upload

WORKERS = 8
LARGE = 16 * 1024 * 1024
"""Bytes from which an object goes up in parts."""
HELD_BYTES = 64 * 1024 * 1024
"""Bytes of small objects in memory at once, at most, beside the one that comes next."""
ATTEMPTS = 3
TICK_S = 0.1

Body = bytes | Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """What the uploads need from outside."""

    bucket: Bucket
    read: Callable[[Upload], Body]
    """Called by one thread, one after another."""
    confirm: Callable[[], None]
    """Raises Overtaken where the claim is another's."""
    stopping: Callable[[], bool]
    landed: Callable[[str, str], None]
    """Told each key and new ETag as soon as the storage has answered, by several threads."""


def upload_all(uploads: Sequence[Upload], hands: Hands) -> None:
    """Write the objects, which are in order; all of one rank before those of the next.

    Raises Overtaken, Interrupted, StorageRefused, StorageUnavailable; the requests under way have ended then.
    """
    for _, group in groupby(uploads, key=lambda each: keys.rank(each.key)):
        _together(group, hands)


def _together(group: Iterable[Upload], hands: Hands) -> None:
    pending: dict[Future[None], Upload] = {}
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="publish")
    try:
        for upload in group:
            while len(pending) >= WORKERS or (pending and _held(pending.values()) + upload.size > HELD_BYTES):
                _await_one(pending, hands)
            _check(hands)
            pending[pool.submit(_put, upload, hands.read(upload), hands)] = upload
        while pending:
            _await_one(pending, hands)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _held(uploads: Iterable[Upload]) -> int:
    return sum(upload.size for upload in uploads)


def _await_one(pending: dict[Future[None], Upload], hands: Hands) -> None:
    _check(hands)
    done, _ = wait(pending, timeout=TICK_S, return_when=FIRST_COMPLETED)
    for future in done:
        del pending[future]
        future.result()


def _check(hands: Hands) -> None:
    if hands.stopping():
        raise Interrupted(
            "interrupted; what is published is as it was",
            "git okf publish   goes on where this run ended",
        )


def _put(upload: Upload, body: Body, hands: Hands) -> None:
    if upload.size > LARGE:
        hands.confirm()
        etag = hands.bucket.put_file(upload.key, body, upload.headers)
    else:
        etag = _replace(upload, body if isinstance(body, bytes) else body.read_bytes(), hands)
    hands.landed(upload.key, etag)


def _replace(upload: Upload, data: bytes, hands: Hands) -> str:
    bucket = hands.bucket
    there = upload.replaces if upload.sure or not bucket.conditional else bucket.etag(upload.key)
    for _ in range(ATTEMPTS):
        try:
            return bucket.put(upload.key, data, upload.headers, replaces=there)
        except Mismatch:
            hands.confirm()
            there = bucket.etag(upload.key)
    raise Overtaken(upload.key)
