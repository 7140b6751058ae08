"""Storages that speak S3, each a real server in its own process, and a gateway before one that a test can disturb."""

from __future__ import annotations

import http.client
import json
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import boto3
from botocore.config import Config

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
READY_S = 90.0


def program(name: str) -> str:
    """A program that a package of the test extra brought."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    assert found, f"{name} is missing: pip install '.[test]'"
    return found


def free_port() -> int:
    """A port that is free, and the one 10,000 above it too (SeaweedFS speaks gRPC there); none that a connection of
    somebody else may be given meanwhile."""
    while True:
        port = 10_000 + secrets.randbelow(10_000)
        if _is_free(port) and _is_free(port + 10_000):
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Server:
    """A storage that answers."""

    url: str

    def client(self) -> Any:
        """An independent way to it."""
        config = Config(
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            connect_timeout=10,
            retries={"max_attempts": 1},
        )
        return boto3.client(
            "s3", endpoint_url=self.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
            region_name="us-east-1", config=config,
        )  # fmt: skip


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[Server]:
    """A server from the moment it answers S3 to the end of the block."""
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said, cwd=log.parent) as process:
        try:
            server = Server(f"http://127.0.0.1:{port}")
            _wait(server, process, log)
            yield server
        finally:
            process.kill()


def _wait(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text(errors="replace")[-2000:]
        bucket = f"ready-{secrets.token_hex(4)}"
        with closing(server.client()) as client:
            try:
                client.create_bucket(Bucket=bucket)
                client.put_object(Bucket=bucket, Key="ready", Body=b"1")  # where the parts of a server start one by one
                client.delete_object(Bucket=bucket, Key="ready")
                client.delete_bucket(Bucket=bucket)
                return
            except Exception:  # noqa: BLE001 - whatever a server says while it starts, it is not ready
                time.sleep(0.1)


@contextmanager
def moto(folder: Path) -> Iterator[Server]:
    port = free_port()
    with running([program("moto_server"), "-H", "127.0.0.1", "-p", str(port)], port, folder / "moto.log") as server:
        yield server


@contextmanager
def seaweedfs(folder: Path) -> Iterator[Server]:
    settings = {
        "identities": [
            {
                "name": "tester",
                "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                "actions": ["Admin", "Read", "Write", "List"],
            }
        ]
    }
    (folder / "s3.json").write_text(json.dumps(settings))
    (folder / "data").mkdir()
    port = free_port()
    others = [f"-{name}.port={free_port()}" for name in ("master", "volume", "filer")]
    command = [
        program("weed"), "server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
        f"-s3.port={port}", f"-s3.config={folder / 's3.json'}",
        "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=64", "-volume.max=100", *others,
        f"-s3.localSocket={folder / 's3.sock'}", f"-filer.localSocket={folder / 'filer.sock'}",
    ]  # fmt: skip
    with running(command, port, folder / "weed.log") as server:
        yield server


@contextmanager
def rclone(folder: Path) -> Iterator[Server]:
    (folder / "buckets").mkdir()
    port = free_port()
    command = [
        program("rclone"), "serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY},{SECRET}",
        str(folder / "buckets"),
    ]  # fmt: skip
    with running(command, port, folder / "rclone.log") as server:
        yield server


# --- the gateway ---


@dataclass(frozen=True, slots=True)
class Request:
    """What came through the gateway. `key` is without the bucket."""

    method: str
    key: str
    query: str
    headers: dict[str, str]
    status: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered in the storage's place."""

    status: int
    body: bytes = b""


Rule = Callable[[str, str], Answer | None]
"""Method and key -> an answer in the storage's place, or None."""


@dataclass(slots=True)
class Gateway:
    """Hands every request on, writes it down, and does what the test asks for before and after."""

    upstream: str
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    before: Rule = lambda method, key: None
    after: Rule = lambda method, key: None
    failed: list[BaseException] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def forget(self) -> None:
        with self.lock:
            self.requests.clear()

    def quiet(self) -> None:
        """No more disturbance."""
        self.before = self.after = lambda method, key: None

    def written(self) -> list[str]:
        """Keys of the objects that were written, in order, without what is git-okf's own."""
        found = [request.key for request in self.requests if request.method == "PUT" and request.status == 200]
        return [key for key in found if "/.okf/" not in f"/{key}"]

    def methods(self) -> set[str]:
        return {request.method for request in self.requests}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    gateway: Gateway

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        key = unquote(parts.path).lstrip("/").partition("/")[2]
        answer = self._asked(self.gateway.before, key)
        headers: list[tuple[str, str]] = []
        if answer is None:
            answer, headers = self._forwarded(body)
            answer = self._asked(self.gateway.after, key) or answer
        with self.gateway.lock:
            self.gateway.requests.append(Request(self.command, key, parts.query, headers_of(self), answer.status))
        self._reply(answer, headers)

    def _asked(self, rule: Rule, key: str) -> Answer | None:
        try:
            return rule(self.command, key)
        except BaseException as error:  # noqa: BLE001 - told to the test at its end, whatever it is
            self.gateway.failed.append(error)
            return Answer(500)

    def _forwarded(self, body: bytes) -> tuple[Answer, list[tuple[str, str]]]:
        connection = http.client.HTTPConnection(urlsplit(self.gateway.upstream).netloc, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        got = connection.getresponse()
        skipped = ("transfer-encoding", "content-length", "connection")
        headers = [(name, value) for name, value in got.getheaders() if name.lower() not in skipped]
        length = [("Content-Length", got.headers["Content-Length"])] if self.command == "HEAD" else []
        answer = Answer(got.status, got.read())
        connection.close()
        return answer, [*headers, *((n, v) for n, v in length if v)]

    def _reply(self, answer: Answer, headers: list[tuple[str, str]]) -> None:
        self.send_response_only(answer.status)
        for name, value in headers:
            self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def log_message(self, format: str, *args: object) -> None:
        """Said by the test where it matters."""


def headers_of(handler: BaseHTTPRequestHandler) -> dict[str, str]:
    return {name.lower(): value for name, value in handler.headers.items()}


class _Front(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed leaves broken connections, which are no fault of the gateway."""


@contextmanager
def gateway(server: Server) -> Iterator[Gateway]:
    """A gateway before a storage. What its rules raised is raised at the end."""
    made = Gateway(server.url)
    handler = type("Handler", (_Handler,), {"gateway": made})
    front = _Front(("127.0.0.1", 0), handler)
    front.daemon_threads = True
    made.url = f"http://127.0.0.1:{front.server_port}"
    thread = threading.Thread(target=front.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        front.shutdown()
        thread.join()
        front.server_close()
    assert not made.failed, made.failed
