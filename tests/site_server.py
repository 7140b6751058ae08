"""A site on a real socket whose every answer a test decides, and which remembers what it was asked.

with serving(site) as base:            # "http://127.0.0.1:PORT/"
    site.page("/guide/", "<h1>Guide</h1>...")
    site.fault("/guide/", status=503, times=2)
    ...
    assert site.bodies() == 0
"""

from __future__ import annotations

import hashlib
import mimetypes
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from urllib.parse import unquote, urlsplit

EPOCH = 1_750_000_000
"""Last-Modified of a page that was never changed; each change adds a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a path answers when nothing is wrong."""

    body: bytes
    type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    modified: int = EPOCH


@dataclass(slots=True, kw_only=True)
class Fault:
    """What goes wrong for the paths that match `pattern` (fnmatch), the next `times` times (None: always)."""

    pattern: str
    times: int | None = None
    status: int | None = None
    """Answer this status instead, without asking the page."""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Added to whatever is answered."""
    delay: float = 0.0
    """Seconds before the answer."""
    cut: int | None = None
    """Promise the whole body, send so many bytes, close."""
    drop: bool = False
    """Close without an answer."""
    methods: frozenset[str] = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request and what it was answered."""

    method: str
    path: str
    """With the query."""
    status: int
    """0 where the connection was dropped."""
    sent: int
    """Bytes of body."""
    headers: Mapping[str, str]
    """With names in lower case."""


class Site:
    """The pages, the faults, the validators (`etag`, `mtime`, `both`, `weak`, `rotating`, `none`) and the log."""

    def __init__(self, pages: Mapping[str, str | bytes] | None = None, *, validators: str = "both") -> None:
        self.validators = validators
        self.pages: dict[str, Page] = {}
        self.faults: list[Fault] = []
        self.log: list[Request] = []
        self.url = ""
        self._lock = Lock()
        self._counter = 0
        self._changes = 0
        for path, body in (pages or {}).items():
            self.page(path, body)

    def page(self, path: str, body: str | bytes, *, type: str = "text/html; charset=utf-8", **headers: str) -> None:
        """Set a page. Underscores in header names stand for hyphens. The same page again keeps its time."""
        data = body.encode() if isinstance(body, str) else body
        old = self.pages.get(path)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if old and (old.body, old.type, old.headers) == (data, type, named):
            return
        self._changes += 60 if old else 0
        self.pages[path] = Page(body=data, type=type, headers=named, modified=EPOCH + self._changes)

    def remove(self, path: str) -> None:
        """From now on 404."""
        del self.pages[path]

    def move(self, old: str, new: str, *, status: int = 301) -> None:
        """The page stands at another path, and the old one redirects there."""
        self.pages[new] = self.pages.pop(old)
        self.redirect(old, new, status=status)

    def redirect(self, path: str, to: str, *, status: int = 301) -> None:
        """Answer a redirect, for ever."""
        self.fault(path, status=status, headers={"Location": to})

    def fault(self, pattern: str, **wrong: object) -> Fault:
        """Let something go wrong (see Fault); the newest fault that matches is the one that happens."""
        fault = Fault(pattern=pattern, **wrong)  # type: ignore[arg-type]
        self.faults.insert(0, fault)
        return fault

    def heal(self, fault: Fault | None = None) -> None:
        """End one fault, or all."""
        self.faults = [f for f in self.faults if fault is not None and f is not fault]

    def serve_directory(self, root: Path, *, at: str = "/") -> None:
        """Replace all pages by the files of a directory; index.html stands for its directory too."""
        fresh: dict[str, Page] = {}
        for file in sorted(p for p in root.rglob("*") if p.is_file()):
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            page = Page(body=file.read_bytes(), type=kind, modified=EPOCH)
            path = at + file.relative_to(root).as_posix()
            old = self.pages.get(path)
            if old and old.body != page.body:
                self._changes += 60
                page = Page(body=page.body, type=kind, modified=EPOCH + self._changes)
            elif old:
                page = old
            fresh[path] = page
            if file.name == "index.html":
                fresh[path.removesuffix("index.html")] = page
        self.pages = fresh

    # --- what was asked ---

    def forget(self) -> None:
        """Begin a new log."""
        with self._lock:
            self.log = []

    def requests(self, pattern: str = "*", *, method: str | None = None) -> list[Request]:
        """The requests so far whose path matches."""
        with self._lock:
            return [r for r in self.log if fnmatchcase(r.path, pattern) and method in (None, r.method)]

    def bodies(self, pattern: str = "*") -> int:
        """How many answers 200 carried a body; robots.txt and sitemaps count where they exist."""
        return sum(1 for r in self.requests(pattern) if r.status == 200 and r.sent)

    # --- answering ---

    def record(self, request: Request) -> None:
        with self._lock:
            self.log.append(request)

    def fault_for(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for fault in self.faults:
                if method in fault.methods and fault.times != 0 and fnmatchcase(path, fault.pattern):
                    if fault.times is not None:
                        fault.times -= 1
                    return fault
        return None

    def find(self, path: str) -> Page | None:
        """The page under the path as asked, or percent-decoded."""
        return self.pages.get(path) or self.pages.get(unquote(path)) or self._without_query(path)

    def _without_query(self, path: str) -> Page | None:
        bare = urlsplit(path).path
        return self.pages.get(bare) or self.pages.get(unquote(bare))

    def validators_of(self, page: Page) -> dict[str, str]:
        digest = hashlib.sha256(page.body).hexdigest()[:16]
        found: dict[str, str] = {}
        if self.validators in ("etag", "both"):
            found["ETag"] = f'"{digest}"'
        elif self.validators == "weak":
            found["ETag"] = f'W/"{digest}"'
        elif self.validators == "rotating":
            with self._lock:
                self._counter += 1
            found["ETag"] = f'"{digest}-{self._counter}"'
        if self.validators in ("mtime", "both"):
            found["Last-Modified"] = formatdate(page.modified, usegmt=True)
        return found


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        site = self.server.site
        fault = site.fault_for(self.command, self.path)
        if fault and fault.delay:
            time.sleep(fault.delay)
        if fault and fault.drop:
            self._log(0, 0)
            self.close_connection = True
            return
        status, headers, body = self._answer(site, fault)
        self._send(status, headers, body, fault.cut if fault else None)

    do_HEAD = do_GET  # the same without the body

    def _answer(self, site: Site, fault: Fault | None) -> tuple[int, dict[str, str], bytes]:
        extra = dict(fault.headers) if fault else {}
        if fault and (fault.status is not None or fault.body is not None):
            return fault.status or 200, {"Content-Type": "text/html; charset=utf-8", **extra}, fault.body or b""
        page = site.find(self.path)
        if page is None:
            return 404, {"Content-Type": "text/html; charset=utf-8", **extra}, b"<title>404</title><h1>Not found</h1>"
        validators = site.validators_of(page)
        headers = {"Content-Type": page.type, **validators, **page.headers, **extra}
        if self._matches(validators, page):
            return 304, headers, b""
        return 200, headers, page.body

    def _matches(self, validators: Mapping[str, str], page: Page) -> bool:
        wanted = self.headers.get("If-None-Match")
        if wanted is not None:
            return validators.get("ETag") in [tag.strip() for tag in wanted.split(",")]
        since = self.headers.get("If-Modified-Since")
        if since is None or "Last-Modified" not in validators:
            return False
        return page.modified <= parsedate_to_datetime(since).timestamp()

    def _send(self, status: int, headers: Mapping[str, str], body: bytes, cut: int | None) -> None:
        sent = b"" if self.command == "HEAD" or status == 304 else body if cut is None else body[:cut]
        self._log(status, len(sent))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304 and "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(sent)
        if cut is not None:
            self.close_connection = True

    def _log(self, status: int, sent: int) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.site.record(Request(method=self.command, path=self.path, status=status, sent=sent, headers=headers))

    def log_message(self, format: str, *args: object) -> None:
        """The log is `Site.log`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle of an answer is what some tests are about."""


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """Serve the site on a free port of loopback; yields its base URL, which ends in a slash."""
    with _Server(site) as server:
        site.url = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield site.url
        finally:
            server.shutdown()
            thread.join()
