"""Feishu's open API on a real socket, as far as a drive of articles needs it, with everything that can go wrong.

    with feishu(Drive()) as server:
        server.drive.document(server.drive.root, "A note", "Its text.")
        server.fail("*/blocks", code=99991400, status=400, times=2)
        ...
        assert server.count("docx") == 2

Faithful to the reference: the envelope, tokens that are issued again while 30 minutes are left, `next_page_token` of
the drive and `page_token` of documents, page sizes, revisions, errors as codes whatever the status, limits as 400 or
429 with a header that says for how long, files by ranges, addresses of media that expire.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import RLock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from feishu_drive import Drive, Node

from git_okf.digest import blob_id

APP_ID, APP_SECRET = "cli_a1b2c3d4", "sEcReT-of-the-app-0123456789"
LIFE_S, LEFT_S = 7200, 1800
LIMITS = {"list": 20, "docx": 5, "media": 5, "metas": 20}
"""Requests in a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request and what it was answered."""

    method: str
    path: str
    query: dict[str, list[str]]
    kind: str
    """auth, list, docx, media or metas; "" for what there is not."""
    status: int
    code: int
    sent: int
    range: str
    at: float


@dataclass(slots=True, kw_only=True)
class Fault:
    """What goes wrong for paths that match, the next `times` times (None: always)."""

    pattern: str
    times: int | None = 1
    status: int = 200
    code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Answered as it is, as HTML."""
    drop: bool = False
    cut: int | None = None
    """Promise the whole answer, send so many bytes, close."""
    after: int = 0
    """Matching requests that pass before."""


@dataclass(slots=True, kw_only=True)
class Answer:
    status: int = 200
    code: int = 0
    body: bytes = b""
    type: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """What it serves is `drive`; a test may change that at any time."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.url = ""
        self.log: list[Request] = []
        self.page_limit = 200
        """The largest page of a folder."""
        self.block_limit = 500
        self.empty_pages = False
        """Between two pages of a folder an empty one, as the permission filter makes them."""
        self.lead_nowhere = False
        """Pages that are not the last do not say where it goes on."""
        self.lead_back = False
        """Each page of a folder leads to the first."""
        self.pins = True
        """Older revisions are still to be had."""
        self.enforce = False
        """Limits by the second are enforced."""
        self.monotonic: Callable[[], float] = time.monotonic
        self.takes: Callable[[Request], None] = lambda request: None
        """Called with each request before it is answered: where a clock of the test's own lets time pass."""
        self.issued: dict[str, int] = {}
        """Token -> when it ends, by the drive's clock."""
        self.calls_a_token = 0
        """After so many calls a token is dead, whatever its time; 0: never."""
        self._uses: Counter[str] = Counter()
        self._faults: list[Fault] = []
        self._waiting: list[tuple[str, Callable[[], object]]] = []
        self._dead: set[str] = set()
        self._lock = RLock()
        self.broken: list[BaseException] = []

    # --- what tests say ---

    def fail(self, pattern: str, **how: Any) -> None:
        self._faults.append(Fault(pattern=pattern, **how))

    def heal(self) -> None:
        self._faults.clear()

    def when(self, pattern: str, action: Callable[[], object]) -> None:
        """Do something once, after the next request that matches was answered."""
        self._waiting.append((pattern, action))

    def forget(self) -> None:
        self.log.clear()

    def kill_tokens(self) -> None:
        self._dead.update(self.issued)
        self.issued.clear()

    def count(self, *kinds: str) -> int:
        return sum(request.kind in kinds for request in self.log) if kinds else len(self.log)

    def kinds(self) -> dict[str, int]:
        return dict(Counter(request.kind for request in self.log))

    def asked(self, kind: str) -> list[str]:
        """The tokens that requests of a kind were about, in order."""
        return [found[1] for r in self.log if r.kind == kind and (found := re.search(r"/(\w+cn\w+)", r.path))]

    @property
    def sent(self) -> int:
        return sum(request.sent for request in self.log)

    def rush(self, kind: str) -> int:
        """The most requests of a kind within one second."""
        times = [request.at for request in self.log if request.kind == kind]
        return max((sum(start <= other < start + 1 for other in times) for start in times), default=0)

    # --- answers ---

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any, headers: Any) -> Answer:
        kind = kind_of(path)
        if kind == "auth":
            return self._issue(body)
        if path.startswith("/tmp/"):
            return self._temporary(path, query)
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        if not token:
            return error(400, 99991661, "Missing access token for authorization")
        if not self._is_alive(token):
            return error(200, 99991663, "Invalid access token for authorization")
        if self.enforce and self._overrun(kind):
            return error(400, 99991400, "request trigger frequency limit", {"x-ogw-ratelimit-reset": "1"})
        for pattern, action in (
            (r"/open-apis/drive/v1/files", self._list),
            (r"/open-apis/drive/v1/files/([^/]+)/download", self._file),
            (r"/open-apis/drive/v1/medias/([^/]+)/download", self._media),
            (r"/open-apis/drive/v1/medias/batch_get_tmp_download_url", self._addresses),
            (r"/open-apis/docx/v1/documents/([^/]+)", self._document),
            (r"/open-apis/docx/v1/documents/([^/]+)/blocks", self._blocks),
            (r"/open-apis/drive/v1/metas/batch_query", self._metas),
        ):
            found = re.fullmatch(pattern, path)
            if found:
                asked = {name: values[-1] for name, values in query.items()}
                return action(unquote(found[1]) if found.groups() else "", asked, body, headers)
        return Answer(status=404, body=b"404 page not found", type="text/plain")

    def _issue(self, body: Any) -> Answer:
        said = body if isinstance(body, dict) else {}
        if said.get("app_id") != APP_ID:
            return error(200, 10003, "invalid param")
        if said.get("app_secret") != APP_SECRET:
            return error(200, 10014, "app secret invalid")
        now = self.drive.now
        for token, until in self.issued.items():
            if until - now >= LEFT_S:
                return told({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": until - now})
        token = f"t-{len(self.issued) + len(self._dead):04d}" + "k" * 120
        self.issued[token] = now + LIFE_S
        return told({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": LIFE_S})

    def _is_alive(self, token: str) -> bool:
        self._uses[token] += 1
        if self.calls_a_token and self._uses[token] > self.calls_a_token:
            self._dead.add(token)
            self.issued.pop(token, None)
        return token not in self._dead and self.issued.get(token, 0) > self.drive.now

    def _overrun(self, kind: str) -> bool:
        now = self.monotonic()
        lately = sum(r.kind == kind and r.at > now - 1 and r.code != 99991400 for r in self.log)
        return lately >= LIMITS.get(kind, 1000)

    def _list(self, _: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        size = int(query.get("page_size", "100"))
        if not 1 <= size <= 200:
            return error(400, 1064001, "page size error")
        folder = self.drive.nodes.get(query.get("folder_token", ""))
        if folder is None or folder.type != "folder":
            return error(404, 1061003, "not found")
        if folder.forbidden:
            return error(403, 1061004, "forbidden")
        nodes = self.drive.children(folder.token)
        if query.get("order_by") == "CreatedTime":
            nodes = sorted(nodes, key=lambda node: (node.created, node.token))
        size = min(size, self.page_limit)
        start = int(query["page_token"].removeprefix("p")) if query.get("page_token") else 0
        step = size * 2 if self.empty_pages else size
        position = start // step * size if self.empty_pages else start
        empty = self.empty_pages and start % step != 0
        shown = [] if empty else nodes[position : position + size]
        more = position + size < len(nodes)
        data: dict[str, Any] = {"files": [self._listed(node) for node in shown], "has_more": more}
        if more and not self.lead_nowhere:
            data["next_page_token"] = "p0" if self.lead_back else f"p{start + size}"
        return told({"code": 0, "msg": "success", "data": data})

    def _listed(self, node: Node) -> dict[str, Any]:
        kind = {"docx": "docx", "folder": "drive/folder", "file": "file"}
        target = self.drive.nodes.get(node.target, node)
        url = f"https://acme.feishu.cn/{kind.get(target.type, target.type)}/{target.token}"
        file: dict[str, Any] = {
            "token": node.token,
            "name": node.name,
            "type": node.type,
            "parent_token": node.parent,
            "url": url,
            "owner_id": "ou_b13d41c02edc52ce66aaae67bf1abcef",
        }
        if not node.timeless:
            file |= {"created_time": str(node.created), "modified_time": str(node.modified)}
        if node.type == "shortcut":
            file["shortcut_info"] = {"target_type": target.type, "target_token": node.target}
        return file

    def _metas(self, _: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        metas, failed = [], []
        asked = body["request_docs"]
        if len(asked) > 200:
            return error(400, 99992402, "field validation failed")
        for each in asked:
            node = self.drive.nodes.get(each["doc_token"])
            if node is None or node.type != each["doc_type"] or node.timeless:
                failed.append({"token": each["doc_token"], "code": 970005})
            else:
                times = {"create_time": str(node.created), "latest_modify_time": str(node.modified)}
                metas.append({"doc_token": node.token, "doc_type": node.type, "title": node.name, **times})
        return told({"code": 0, "msg": "success", "data": {"metas": metas, "failed_list": failed}})

    def _docx(self, token: str) -> Node | Answer:
        node = self.drive.nodes.get(token)
        if node is None or node.type != "docx":
            return error(404, 1770002, "not found")
        if node.gone:
            return error(400, 1770003, "resource deleted")
        if node.forbidden:
            return error(403, 1770032, "forBidden")
        return node

    def _document(self, token: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        node = self._docx(token)
        if isinstance(node, Answer):
            return node
        about: dict[str, Any] = {"document_id": token, "revision_id": len(node.revisions), "title": node.name}
        if node.cover:
            about["cover"] = {"token": node.cover, "offset_ratio_x": 0, "offset_ratio_y": 0.5}
        return told({"code": 0, "msg": "success", "data": {"document": about}})

    def _blocks(self, token: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        node = self._docx(token)
        if isinstance(node, Answer):
            return node
        size = int(query.get("page_size", "500"))
        if not 1 <= size <= 500:
            return error(400, 99992402, "field validation failed")
        revision = int(query.get("document_revision_id", "-1"))
        newest = len(node.revisions)
        revision = newest if revision == -1 else revision
        if not 1 <= revision <= newest:
            return error(400, 1770001, "invalid param")
        if revision != newest and not self.pins:
            return error(400, 1770021, "too old document")
        start = int(query.get("page_token") or 0)
        size = min(size, self.block_limit)
        blocks = node.revisions[revision - 1]
        data: dict[str, Any] = {"items": blocks[start : start + size], "has_more": start + size < len(blocks)}
        if data["has_more"]:
            data["page_token"] = str(start + size)
        return told({"code": 0, "msg": "success", "data": data})

    def _file(self, token: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        node = self.drive.nodes.get(token)
        if node is None or node.type != "file":
            return error(404, 1061003, "not found")
        if node.forbidden:
            return error(403, 1061004, "forbidden")
        return download(node.data, node.name, headers)

    def _media(self, token: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        if token in self.drive.refused:
            return error(403, 1061004, "forbidden")
        if token not in self.drive.media:
            return error(404, 1061003, "not found")
        return download(self.drive.media[token], "图 1.png", headers)

    def _addresses(self, _: str, query: dict[str, str], body: Any, headers: Any) -> Answer:
        until = self.drive.now + 86_400
        told_urls = [
            {"file_token": token, "tmp_download_url": f"{self.url}/tmp/{token}?until={until}"}
            for token in query.get("file_tokens", "").split(",")
        ]
        return told({"code": 0, "msg": "success", "data": {"tmp_download_urls": told_urls}})

    def _temporary(self, path: str, query: dict[str, list[str]]) -> Answer:
        data = self.drive.media.get(path.rpartition("/")[2])
        if data is None or int(query.get("until", ["0"])[0]) < self.drive.now:
            return Answer(status=403, body=b"expired", type="text/plain")
        return Answer(body=data, type="image/png")

    # --- faults, log ---

    def fault_for(self, path: str) -> Fault | None:
        for fault in self._faults:
            if fault.times == 0 or not fnmatchcase(path, fault.pattern):
                continue
            if fault.after:
                fault.after -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
            return fault
        return None

    def happened(self, path: str) -> None:
        due = [pair for pair in self._waiting if fnmatchcase(path, pair[0])]
        for pair in due:
            self._waiting.remove(pair)
        for _, action in due:
            try:
                action()
            except BaseException as trouble:  # noqa: BLE001 - told to the test at its end, whatever it is
                self.broken.append(trouble)


def kind_of(path: str) -> str:
    if "/auth/" in path:
        return "auth"
    if path.endswith("/download"):
        return "media"
    if "/docx/" in path:
        return "docx"
    if "/metas/" in path:
        return "metas"
    return "list" if path == "/open-apis/drive/v1/files" else ""


def told(data: dict[str, Any]) -> Answer:
    return Answer(code=data["code"], body=json.dumps(data, ensure_ascii=False).encode())


def error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> Answer:
    data: dict[str, Any] = {"code": code, "msg": message, "error": {"log_id": "2026010112345678", "troubleshooter": ""}}
    body = json.dumps(data).encode()
    return Answer(status=status, code=code, body=body, headers={"X-Tt-Logid": "2026010112345678AF", **(headers or {})})


def download(data: bytes, name: str, headers: Any) -> Answer:
    raw = f'attachment; filename="{name}"'.encode().decode("latin-1")
    said = {"Content-Disposition": raw, "ETag": f'"{blob_id(data)}"', "Accept-Ranges": "bytes"}
    start = re.fullmatch(r"bytes=(\d+)-", headers.get("Range", ""))
    if start and headers.get("If-Range", said["ETag"]) == said["ETag"]:
        first = int(start[1])
        said["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        return Answer(status=206, body=data[first:], type="application/octet-stream", headers=said)
    return Answer(body=data, type="application/octet-stream", headers=said)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    served: Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        server = self.served
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        parts = urlsplit(self.path)
        with server._lock:
            fault = server.fault_for(parts.path)
            answer = server.answer(self.command, parts.path, parse_qs(parts.query), body, self.headers)
            if fault is not None and (fault.code or fault.body is not None or fault.status != 200):
                answer = _faulty(fault)
            server.log.append(
                Request(
                    method=self.command,
                    path=parts.path,
                    query=parse_qs(parts.query),
                    kind=kind_of(parts.path),
                    status=0 if fault and fault.drop else answer.status,
                    code=answer.code,
                    sent=len(answer.body),
                    range=self.headers.get("Range", ""),
                    at=server.monotonic(),
                )
            )
            server.takes(server.log[-1])
            date = formatdate(server.drive.now, usegmt=True)
            server.happened(parts.path)
        self._send(answer, fault, date)

    def _send(self, answer: Answer, fault: Fault | None, date: str) -> None:
        if fault is not None and fault.drop:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response_only(answer.status)
        self.send_header("Date", date)
        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        cut = fault.cut if fault is not None else None
        self.wfile.write(answer.body if cut is None else answer.body[:cut])
        if cut is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """The log is the server's own."""


def _faulty(fault: Fault) -> Answer:
    if fault.body is not None:
        return Answer(status=fault.status, body=fault.body, type="text/html", headers=fault.headers)
    if fault.code:
        return error(fault.status, fault.code, "something went wrong", fault.headers)
    return Answer(status=fault.status, body=b"<html>trouble</html>", type="text/html", headers=fault.headers)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the server's."""


@contextmanager
def feishu(drive: Drive | None = None) -> Iterator[Server]:
    """A server for a drive; what broke inside of it is said at the end."""
    server = Server(drive or Drive())
    handler = type("Handler", (_Handler,), {"served": server})
    http = _Http(("127.0.0.1", 0), handler)
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
    assert not server.broken, server.broken
