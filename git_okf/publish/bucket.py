"""One prefix of one bucket, through the S3 API. The only user of obstore.

Keys are without the prefix. Nothing but content type, cache control and disposition is sent with an object: no ACL, no
tags, no checksum headers, which many storages refuse (R2: reference "S3 API compatibility"). What fails for the moment
(5xx, `SlowDown`, a lost connection) is tried again with growing pauses. No error holds a key of the account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from git_okf.config import PLACEHOLDER, Publish, check_url
from git_okf.errors import ConfigError, UsageError
from git_okf.publish import keys
from git_okf.publish.values import Headers, Mismatch, StorageRefused, StorageUnavailable

if TYPE_CHECKING:
    from obstore.store import S3Store

TRIES = 6
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
PATIENCE_S = 120.0
"""After so long no request is tried again."""
REQUEST_S = 600.0
"""How long one request may take; a part of a large file on a slow line is one."""
PART_BYTES = 8 * 1024 * 1024
PARTS_AT_ONCE = 4
DELETED_AT_ONCE = 1000
"""Keys in one request (S3, DeleteObjects)."""
REGION = "us-east-1"
"""Where none is said: what R2 and other storages take for `auto`."""

_SECRET = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID")
_WAYS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


class Bucket:
    """Objects below `publish.url`. For use by several threads at once."""

    def __init__(
        self, store: S3Store, url: str, *, conditional: bool = True, endpoint: str = "", secrets: Sequence[str] = ()
    ) -> None:
        self._store = store
        self._at = f" at {endpoint}" if endpoint else ""
        self.url = url
        _, self.prefix = keys.split(url)
        self.conditional = conditional
        """Whether writes are conditional; off, nothing stands between two publishers."""
        self._secrets = secrets

    @classmethod
    def open(cls, settings: Publish, environ: Mapping[str, str]) -> Bucket:
        """The bucket of the configuration. Asks nothing yet. ConfigError names what the environment lacks."""
        try:
            from obstore.store import S3Store
        except ImportError as error:
            raise UsageError(
                "publishing needs the package obstore, which is not installed", "pip install 'git-okf[publish]'"
            ) from error
        if not any(environ.get(name) for name in _WAYS):
            raise ConfigError(
                f"there are no keys for {settings.url}: AWS_ACCESS_KEY_ID is not set. Nothing was published",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, where there is one); profiles"
                " in ~/.aws are not read",
            )
        endpoint = _endpoint(settings, environ)
        place: dict[str, Any] = {"aws_endpoint_url_s3": endpoint, "virtual_hosted_style_request": False}
        store = S3Store(
            keys.split(settings.url)[0],
            region=settings.region or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or REGION,
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=10),
                "timeout": timedelta(seconds=REQUEST_S),
            },
            retry_config={
                "max_retries": TRIES - 1,
                "retry_timeout": timedelta(seconds=PATIENCE_S),
                "backoff": {
                    "init_backoff": timedelta(seconds=FIRST_PAUSE_S),
                    "max_backoff": timedelta(seconds=LONGEST_PAUSE_S),
                    "base": 2,
                },
            },
            **_credentials(environ),
            **(place if endpoint else {"virtual_hosted_style_request": True}),
        )
        secrets = [value for name in _SECRET if (value := environ.get(name))]
        return cls(store, settings.url, conditional=settings.conditional, endpoint=endpoint, secrets=secrets)

    def where(self, key: str) -> str:
        """The address of an object, for people."""
        return f"{self.url}/{key}"

    def get(self, key: str) -> tuple[bytes, str] | None:
        """The bytes and the ETag of an object; None where there is none."""
        import obstore

        with self._translated(f"read {self.where(key)}"):
            try:
                answer = obstore.get(self._store, self._full(key))
                return bytes(answer.bytes()), answer.meta["e_tag"] or ""
            except FileNotFoundError as error:
                self._check_bucket(error)
                return None

    def etag(self, key: str) -> str | None:
        """The ETag of an object; None where there is none."""
        import obstore

        with self._translated(f"read {self.where(key)}"):
            try:
                return obstore.head(self._store, self._full(key))["e_tag"] or ""
            except FileNotFoundError:
                return None

    def etags(self) -> dict[str, str]:
        """The ETags of all objects, by key."""
        import obstore

        found = {}
        cut = len(self.prefix) + 1 if self.prefix else 0
        with self._translated(f"list {self.url}"):
            for batch in obstore.list(self._store, self.prefix or None):
                found.update({meta["path"][cut:]: meta["e_tag"] or "" for meta in batch})
        return found

    def put(self, key: str, body: bytes, headers: Headers, *, replaces: str | None) -> str:
        """Write an object where it has the ETag `replaces` now (None: where there is none); its new ETag.

        Raises Mismatch where it has another. Where writes are not conditional it is written whatever is there.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        mode: Any = "overwrite"
        if self.conditional:
            mode = "create" if replaces is None else {"e_tag": replaces}
        attributes: Any = dict(headers)
        with self._translated(f"write {self.where(key)}"):
            try:
                answer = obstore.put(
                    self._store, self._full(key), body, attributes=attributes, mode=mode, use_multipart=False
                )
            except (AlreadyExistsError, PreconditionError):
                raise Mismatch(key) from None
            return answer["e_tag"] or ""

    def put_file(self, key: str, body: bytes | Path, headers: Headers) -> str:
        """Write a large object in parts, whatever is there now; its ETag. A file is never read whole."""
        import obstore

        attributes: Any = dict(headers)
        with self._translated(f"write {self.where(key)}"):
            answer = obstore.put(
                self._store, self._full(key), body, attributes=attributes, use_multipart=True,
                chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE,
            )  # fmt: skip
            return answer["e_tag"] or ""

    def delete(self, gone: Sequence[str]) -> None:
        """Delete objects, at most DELETED_AT_ONCE; what is not there is no fault."""
        import obstore

        with self._translated(f"delete from {self.url}"):
            obstore.delete(self._store, [self._full(key) for key in gone])

    def honours_conditions(self) -> bool:
        """Whether the storage refuses a write whose condition does not hold: tried on an object of our own."""
        key = f"{keys.OWN}/probe"
        was_absent = self._accepts(key, None)
        ignores = (was_absent and self._accepts(key, None)) or self._accepts(key, f'"{"0" * 32}"')
        if ignores:
            self.delete([key])
        return not ignores

    def _accepts(self, key: str, replaces: str | None) -> bool:
        try:
            self.put(key, b"", {"Content-Type": "text/plain"}, replaces=replaces)
        except Mismatch:
            return False
        return True

    def _full(self, key: str) -> str:
        return f"{self.prefix}/{key}" if self.prefix else key

    def _check_bucket(self, error: Exception) -> None:
        if "NoSuchBucket" in str(error):
            raise StorageRefused(
                f"the bucket of {self.url} does not exist. Nothing was published",
                "create it, or correct `publish.url` and `publish.endpoint` in .okf.yaml",
            ) from error

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        """The border: what the library raises becomes an error of ours."""
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            self._check_bucket(error)
            status, reason = _said(str(error))
            for secret in self._secrets:
                reason = reason.replace(secret, "***")
            if status == 501 or (400 <= status < 500 and status not in (408, 425, 429)):
                raise StorageRefused(
                    f"could not {what}{self._at}: the storage refuses it: {reason}",
                    "see that the keys in the environment may read, write and delete there, and that `publish` in"
                    " .okf.yaml names the right bucket, endpoint and region; what is published is as it was",
                ) from None
            raise StorageUnavailable(
                f"could not {what}{self._at}: {reason}",
                "run it again when the storage answers: it goes on where this run ended",
            ) from None


def _endpoint(settings: Publish, environ: Mapping[str, str]) -> str:
    said = settings.endpoint or environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL") or ""
    named = PLACEHOLDER.fullmatch(settings.endpoint)
    if named:
        said = environ.get(named[1], "")
        if not said:
            raise ConfigError(
                f"publish.endpoint needs the environment variable {named[1]}, which is not set. Nothing was published",
                f"set {named[1]} and run again",
            )
    if not said:
        return ""
    try:
        return check_url(said).rstrip("/")
    except ConfigError:
        name = named[1] if named else "AWS_ENDPOINT_URL"
        raise ConfigError(
            f"the address of the storage in {name} is no http or https URL without a password in it. Nothing was"
            " published",
            f"write {name} like https://s3.example.com",
        ) from None


def _credentials(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {"AWS_ACCESS_KEY_ID": "access_key_id", "AWS_SECRET_ACCESS_KEY": "secret_access_key"}
    names["AWS_SESSION_TOKEN"] = "session_token"
    return {ours: value for name, ours in names.items() if (value := environ.get(name))}


def _said(text: str) -> tuple[int, str]:
    """Status (0: no answer came) and reason in an error of the library, without what it adds for its developers."""
    text = text.partition("\n\nDebug source")[0]
    status = re.search(r"status code: (\d{3})", text)
    code, words = (re.search(rf"<{tag}>([^<]*)</{tag}>", text) for tag in ("Code", "Message"))
    if status:
        told = " ".join(found[1] for found in (status, code) if found)
        return int(status[1]), f"{told} ({words[1]})" if words else told
    reason = text.rpartition(" - ")[2] or text
    return 0, " ".join(reason.split())[:200]
