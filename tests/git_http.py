"""Bare repositories behind `git http-backend` on a real socket: every answer can go wrong, every request is counted.

with git_server(tmp_path / "srv") as server:      # repositories lie at <root>/<owner>/<name>.git
    upstream = Upstream.create(server.path("acme/skills"))
    look(server.url("acme/skills"), ...)
    assert [r.kind for r in server.log] == ["advert", "ls-refs"]

What git asks over HTTP: in protocol v2 a GET of `info/refs` (`advert`) and a POST for each command (`ls-refs`,
`fetch`); in v0 the same GET, which holds all refs, and a POST for a fetch; a fetch may take several POSTs. A push is
an `advert` and a POST (`push`) in both.
"""

from __future__ import annotations

import base64
import gzip
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from urllib.parse import urlsplit

_SERVED = re.compile(r"^/(?P<name>[^/]+/[^/]+?)(?:\.git)?/(?:info/refs|git-(?:upload|receive)-pack)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRequest:
    """One request, and what it was answered."""

    method: str
    path: str
    """With the query."""
    kind: str
    """advert, ls-refs, fetch or push; "" for what is no git request."""
    service: str
    """git-upload-pack or git-receive-pack."""
    status: int
    """0 where the connection was dropped."""
    received: int
    """Bytes of the request's body, as sent (git compresses long ones)."""
    sent: int
    """Bytes of the answer's body."""
    wants: tuple[str, ...]
    """The ids a fetch asked for."""
    haves: int
    filter: str
    """The object filter a fetch asked for, "" for none."""
    protocol: str
    """The Git-Protocol header."""


@dataclass(slots=True, kw_only=True)
class GitFault:
    """What goes wrong for requests of a kind: the next `times` (None: always) after `skip` that go well."""

    kind: str = ""
    """As in GitRequest; "" is any."""
    skip: int = 0
    times: int | None = 1
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """Promise the whole answer, send so many bytes, close."""
    delay: float = 0.0
    drop: bool = False
    """Close without an answer."""


class GitServer:
    """The repositories below a directory, the faults, the log; what a test may set is an attribute."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = ""
        self.version = 2
        """The newest protocol it speaks: 0 or 2. With 0 an id that no ref names is refused, as git's default is."""
        self.credentials: tuple[str, str] | None = None
        """User and password that every request must carry."""
        self.renamed: dict[str, str] = {}
        """Old name -> where it redirects to: a name here, or an address."""
        self.log: list[GitRequest] = []
        self._faults: list[GitFault] = []
        self._lock = Lock()

    def url(self, name: str) -> str:
        return f"{self.base}{name}.git"

    def path(self, name: str) -> Path:
        """Where the bare repository of that name lies."""
        return self.root / f"{name}.git"

    def rename(self, old: str, new: str) -> None:
        """The repository moves, and its old name redirects for ever."""
        self.path(new).parent.mkdir(parents=True, exist_ok=True)
        self.path(old).rename(self.path(new))
        self.renamed[old] = new

    def fault(self, kind: str = "", **wrong: object) -> GitFault:
        """Let something go wrong (see GitFault)."""
        fault = GitFault(kind=kind, **wrong)  # type: ignore[arg-type]
        self._faults.append(fault)
        return fault

    def heal(self) -> None:
        self._faults.clear()

    def forget(self) -> None:
        """Begin a new log."""
        with self._lock:
            self.log = []

    def kinds(self) -> list[str]:
        """What was asked, in order."""
        with self._lock:
            return [r.kind for r in self.log]

    def sent(self) -> int:
        """Bytes of all answers' bodies."""
        with self._lock:
            return sum(r.sent for r in self.log)

    def wants(self) -> list[str]:
        """All ids that were asked for."""
        with self._lock:
            return [oid for r in self.log for oid in r.wants]

    def record(self, request: GitRequest) -> None:
        with self._lock:
            self.log.append(request)

    def fault_for(self, kind: str) -> GitFault | None:
        with self._lock:
            for fault in self._faults:
                if fault.kind not in ("", kind) or fault.times == 0:
                    continue
                if fault.skip:
                    fault.skip -= 1
                    continue
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._body = self._read_body()
        said = _Asked.of(self.path, self._plain())
        git = self.server.git
        fault = git.fault_for(said.kind)
        if fault and fault.delay:
            time.sleep(fault.delay)
        if fault and fault.drop:
            self._log(said, 0, 0)
            self.close_connection = True
            return
        answer = self._refusal(fault) or self._backend()
        body = answer.body if fault is None or fault.cut is None else answer.body[: fault.cut]
        self._log(said, answer.status, len(body))
        self.send_response(answer.status)
        for name, value in (*answer.headers, *(fault.headers.items() if fault else ())):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.close_connection or len(body) < len(answer.body)

    do_POST = do_GET

    def _refusal(self, fault: GitFault | None) -> _Answer | None:
        """What is answered without asking git."""
        git = self.server.git
        if fault and fault.status is not None:
            return _Answer(fault.status)
        if git.credentials and self.headers.get("Authorization") != _basic(*git.credentials):
            return _Answer(401, (("WWW-Authenticate", 'Basic realm="git"'),))
        served = _SERVED.match(urlsplit(self.path).path)
        to = git.renamed.get(served["name"]) if served else None
        if served is None or to is None:
            return None
        base = to if "://" in to else git.url(to)
        rest = self.path.partition(served["name"])[2].removeprefix(".git")
        return _Answer(301, (("Location", base + rest),))

    def _backend(self) -> _Answer:
        git = self.server.git
        asked = urlsplit(self.path)
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_CONFIG_COUNT")},
            "GIT_PROJECT_ROOT": str(git.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": asked.path,
            "QUERY_STRING": asked.query,
            "REQUEST_METHOD": self.command,
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": git.credentials[0] if git.credentials else "",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(self._body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        if git.version == 2:
            environ["GIT_PROTOCOL"] = self.headers.get("Git-Protocol", "")
        done = subprocess.run([_backend_program()], input=self._body, env=environ, check=False, capture_output=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        return _Answer(status, tuple((name, value) for name, value in fields if name != "Status"), body)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _plain(self) -> bytes:
        return gzip.decompress(self._body) if self.headers.get("Content-Encoding") == "gzip" else self._body

    def _log(self, said: _Asked, status: int, sent: int) -> None:
        self.server.git.record(
            GitRequest(
                method=self.command,
                path=self.path,
                kind=said.kind,
                service=said.service,
                status=status,
                received=len(self._body),
                sent=sent,
                wants=said.wants,
                haves=said.haves,
                filter=said.filter,
                protocol=self.headers.get("Git-Protocol", ""),
            )
        )

    def log_message(self, format: str, *args: object) -> None:
        """The log is `GitServer.log`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a request says, read from its path and its packet lines."""

    kind: str
    service: str = ""
    wants: tuple[str, ...] = ()
    haves: int = 0
    filter: str = ""

    @staticmethod
    def of(path: str, body: bytes) -> _Asked:
        parts = urlsplit(path)
        if parts.path.endswith("/info/refs"):
            return _Asked(kind="advert", service=parts.query.removeprefix("service="))
        service = parts.path.rpartition("/")[2]
        if service == "git-receive-pack":
            return _Asked(kind="push", service=service)
        if service != "git-upload-pack":
            return _Asked(kind="")
        lines = list(_packet_lines(body))
        words = [line.split() for line in lines]
        return _Asked(
            kind="ls-refs" if "command=ls-refs" in lines else "fetch",
            service=service,
            wants=tuple(w[1] for w in words if w[:1] == ["want"]),
            haves=sum(1 for w in words if w[:1] == ["have"]),
            filter=next((w[1] for w in words if w[:1] == ["filter"]), ""),
        )


def _packet_lines(body: bytes) -> Iterator[str]:
    at = 0
    while at + 4 <= len(body):
        length = int(body[at : at + 4], 16)
        if length > 4:
            yield body[at + 4 : at + length].decode("utf-8", "replace").rstrip("\n")
        at += max(length, 4)


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@cache
def _backend_program() -> str:
    where = subprocess.run(["git", "--exec-path"], check=True, text=True, capture_output=True).stdout.strip()
    return str(Path(where) / "git-http-backend")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, git: GitServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.git = git

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle of an answer is what some tests are about."""


@contextmanager
def git_server(root: Path) -> Iterator[GitServer]:
    """Serve the bare repositories below a directory on a free port of loopback. Pushes need no permission."""
    root.mkdir(parents=True, exist_ok=True)
    git = GitServer(root)
    with _Server(git) as server:
        git.base = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield git
        finally:
            server.shutdown()
            thread.join()
