"""Serves a directory with nginx on loopback, as whoever runs the benchmark, with or without validators.

`Server.show` switches to another directory by moving a symbolic link, as deployments do; `Server.validators` switches
ETag and Last-Modified on and off by a reload. Paths that nginx has open are never cached.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .access_log import FORMAT, Traffic, traffic

TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
PATIENCE = 10.0
"""Seconds for nginx to start or to take a new configuration."""


class ServerError(Exception):
    """nginx is missing, or does not do what it was told."""


def program() -> str:
    """Where nginx is. Raises ServerError with what to type."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise ServerError("nginx is not installed; on Debian: apt-get install nginx-light")
    return found


def configuration(home: Path, port: int, *, validators: bool, root: bool) -> str:
    """The whole nginx.conf. `root`: root starts nginx, and its worker has to stay who it is to read our files."""
    off = "" if validators else 'etag off; if_modified_since off; add_header Last-Modified "";'
    folders = "\n".join(f"  {name}_temp_path {home}/{name};" for name in TEMPORARY)
    return f"""{"user root;" if root else ""}
worker_processes 1;
pid {home}/nginx.pid;
error_log {home}/error.log warn;
events {{ worker_connections 1024; }}
http {{
{folders}
  types {{ text/html html htm; text/css css; application/javascript js; image/png png; image/svg+xml svg;
           text/plain txt; application/xml xml; application/json json; }}
  charset utf-8;
  log_format traffic '{FORMAT}';
  access_log {home}/access.log traffic;
  sendfile on;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    server_name localhost;
    root {home}/site;
    index index.html;
    add_header X-Validators {"on" if validators else "off"};
    {off}
  }}
}}
"""


@dataclass(slots=True)
class Server:
    """A running nginx."""

    home: Path
    port: int
    pid: int
    _read: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def show(self, directory: Path) -> None:
        """From the next request on, serve this directory."""
        link = self.home / "site.new"
        link.symlink_to(directory.resolve())
        link.rename(self.home / "site")

    def validators(self, wanted: bool) -> None:
        """From the next request on, send ETag and Last-Modified and heed conditions, or do neither."""
        _write(self.home, self.port, validators=wanted)
        subprocess.run([program(), *_where(self.home), "-s", "reload"], check=True)
        _wait(self.url, "on" if wanted else "off")
        self.traffic()

    def workers(self) -> list[int]:
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def traffic(self) -> Traffic:
        """Since it was last asked for."""
        with (self.home / "access.log").open("rb") as log:
            log.seek(self._read)
            data = log.read()
        self._read += len(data)
        return traffic(data.decode("utf-8", "replace").splitlines())


@contextmanager
def serving(home: Path, directory: Path) -> Iterator[Server]:
    """nginx on a free port; `home` is for its own files and is made. Raises ServerError."""
    command = program()
    home.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _write(home, port, validators=True)
    (home / "site").symlink_to(directory.resolve())
    process = subprocess.Popen([command, *_where(home), "-g", "daemon off;"], stderr=subprocess.DEVNULL)
    try:
        server = Server(home, port, process.pid)
        _wait(server.url, "on")
        server.traffic()
        yield server
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _where(home: Path) -> list[str]:
    return ["-p", str(home), "-c", str(home / "nginx.conf"), "-e", str(home / "error.log")]


def _write(home: Path, port: int, *, validators: bool) -> None:
    text = configuration(home, port, validators=validators, root=os.geteuid() == 0)
    (home / "nginx.conf").write_text(text, encoding="utf-8")


def _wait(url: str, wanted: str) -> None:
    deadline = time.monotonic() + PATIENCE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline:
        try:
            with opener.open(url, timeout=PATIENCE) as answer:
                if answer.headers["X-Validators"] == wanted:
                    return
        except OSError:
            pass  # not up yet
        time.sleep(0.02)
    raise ServerError(f"nginx does not answer at {url}")
