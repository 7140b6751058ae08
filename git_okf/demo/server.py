"""Serves the demo site on loopback, with ETags, and switches its version while it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import urlsplit

from git_okf.demo.site import FAILING, MOVED, VERSIONS, pages


class DemoSite:
    """The site as it is served now."""

    def __init__(self, version: int) -> None:
        self._lock = Lock()
        self.url = ""
        self.requests = 0
        self.bodies = 0
        """Answers that carried a page."""
        self.version = version

    @property
    def version(self) -> int:
        """1 or 2; setting it changes what is served from the next request on."""
        return self._version

    @version.setter
    def version(self, version: int) -> None:
        if version not in VERSIONS:
            raise ValueError(f"the demo site has versions {VERSIONS}, not {version!r}")
        self._version = version

    def answer(self, path: str, validator: str | None) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for one request."""
        with self._lock:
            self.requests += 1
        if self.version == 2 and path in MOVED:
            return 301, {"Location": MOVED[path]}, b""
        if self.version == 2 and path in FAILING:
            return 403, {"Content-Type": "text/plain"}, b"for staff only\n"
        if path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, b"User-agent: *\nAllow: /\n"
        body = pages(self.version).get(path)
        if body is None:
            return 404, {"Content-Type": "text/html"}, b"<title>Not found</title><h1>Not found</h1>\n"
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        headers = {"Content-Type": "text/html; charset=utf-8", "ETag": etag}
        if validator == etag:
            return 304, headers, b""
        with self._lock:
            self.bodies += 1
        return 200, headers, body


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        status, headers, body = self.server.site.answer(urlsplit(self.path).path, self.headers.get("If-None-Match"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # the same without the body

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the run is what is to be seen."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: DemoSite, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = site


@contextmanager
def serve(version: int = 1, *, port: int = 0) -> Iterator[DemoSite]:
    """The running site; `url` ends in a slash. It listens on 127.0.0.1 alone and ends with the context."""
    site = DemoSite(version)
    with _Server(site, port) as server:
        site.url = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
