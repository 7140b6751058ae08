"""A JSON API on a real socket: one function answers every request, and every request is remembered.

with serving(handle) as server:            # server.url is "http://127.0.0.1:PORT"
    ...
    assert [r.method for r in server.log] == ["GET"]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked. `path` is as it came, percent-encoding and all, without the query; header names in lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"null")

    def one(self, name: str, default: str = "") -> str:
        """One parameter of the query."""
        return self.query.get(name, [default])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is answered: `data` as JSON, or `body` as it is."""

    status: int = 200
    data: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: int | None = None
    """Promise the whole body, send so many bytes, close."""
    drop: bool = False
    """Close without an answer."""


Handle = Callable[[Request], Reply]


class Server:
    """A server that runs; `log` holds the requests in the order of their arrival."""

    def __init__(self, handle: Handle) -> None:
        self.log: list[Request] = []
        self.failed: list[BaseException] = []
        self._handle = handle
        self._one = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, request: Request) -> Reply:
        """One request at a time, as a database would see them."""
        with self._one:
            self.log.append(request)
            try:
                return self._handle(request)
            except BaseException as error:  # noqa: BLE001 - told to the test at its end
                self.failed.append(error)
                return Reply(status=500, data={"message": f"the fake server failed: {error!r}"})

    def run(self) -> Thread:
        thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(handle: Handle) -> Iterator[Server]:
    """Serve until the end of the block; fails there if the handler itself ever failed."""
    server = Server(handle)
    thread = server.run()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
    assert not server.failed, server.failed


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def _any(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(
                method=self.command,
                path=parts.path,
                query=parse_qs(parts.query, keep_blank_values=True),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=body,
            )
            self._reply(server.answer(request))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any

        def _reply(self, reply: Reply) -> None:
            if reply.drop:
                self.close_connection = True
                return
            bare = reply.status in (204, 304)
            said = b"" if reply.data is None else json.dumps(reply.data, ensure_ascii=False).encode()
            body = b"" if bare else reply.body if reply.body is not None else said
            self.send_response(reply.status)
            headers = {name.lower(): value for name, value in reply.headers.items()}
            if reply.data is not None:
                headers.setdefault("content-type", "application/json; charset=utf-8")
            if not bare:
                headers["content-length"] = str(len(body))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.cut is not None:
                self.close_connection = True
                body = body[: reply.cut]
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing: pytest shows what a test prints."""

    return Handler
