"""Somebody else's repository, as a test wants it: any tree, any name, any history, made by the real git.

upstream = Upstream.create(tmp_path / "acme" / "skills.git")
first = upstream.commit({"skills/pdf/SKILL.md": "...", "run.sh": Exec("#!/bin/sh\\n"), "link": Link("run.sh")})
second = upstream.commit({"run.sh": None}, branch="main")
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Exec:
    """A file that may be run (mode 100755)."""

    data: str | bytes


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link (mode 120000)."""

    to: str


@dataclass(frozen=True, slots=True)
class Submodule:
    """A commit of another repository (mode 160000)."""

    commit: str = "1" * 40


def lfs_pointer(data: bytes = b"big") -> str:
    """What stands in the tree for a file that Git LFS keeps."""
    digest = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(data)}\n"


Content = str | bytes | Exec | Link | Submodule | None
"""What a path gets; None takes it away, and a directory with all that is in it."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A bare repository. Times of commits are fixed, so that the same calls make the same ids."""

    path: Path

    @staticmethod
    def create(path: Path, *, branch: str = "main", filters: bool = True, format: str = "sha1") -> Upstream:
        """`filters`: whether it lets others leave blobs out. Pushes over HTTP are taken."""
        path.mkdir(parents=True, exist_ok=True)
        made = Upstream(path)
        made.git("init", "--quiet", "--bare", f"--initial-branch={branch}", f"--object-format={format}")
        made.config("uploadpack.allowFilter", str(filters).lower())
        made.config("http.receivepack", "true")
        return made

    def git(self, *args: str, input: bytes = b"", check: bool = True) -> str:
        """Standard output of a git command, without the last newline."""
        done = subprocess.run(["git", *args], cwd=self.path, check=False, input=input, capture_output=True)
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: exit {done.returncode}\n{done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def config(self, name: str, value: str) -> None:
        self.git("config", name, value)

    def commit(
        self,
        files: Mapping[str | bytes, Content] | Mapping[str, Content],
        *,
        branch: str = "main",
        message: str = "change",
        orphan: bool = False,
    ) -> str:
        """Change files on a branch; returns the commit. `orphan`: a history that begins here (a force-push)."""
        ref = f"refs/heads/{branch}"
        old = "" if orphan else self.git("rev-parse", "--verify", "--quiet", ref, check=False)
        number = int(self.git("rev-list", "--count", old)) if old else 0
        who = f"U. Pstream <upstream@example.org> {1_700_000_000 + number * 60} +0000"
        said = message.encode()
        lines = [b"feature done", f"commit {ref}".encode(), f"committer {who}".encode(), b"data %d" % len(said), said]
        if old:
            lines.append(f"from {old}".encode())
        elif orphan:
            lines[1:1] = [f"reset {ref}".encode(), b""]
        for path, content in files.items():
            lines += _change(path, content)
        self.git("fast-import", "--quiet", "--force", input=b"\n".join([*lines, b"done", b""]))
        return self.git("rev-parse", ref)

    def tag(self, name: str, commit: str, *, annotated: bool = False) -> str:
        """Set a tag, or move it; returns what the ref holds (of an annotated tag its own id)."""
        who = ["-c", "user.name=U", "-c", "user.email=u@example.org"]
        options = ["--annotate", "--message", name] if annotated else []
        self.git(*who, "tag", "--force", *options, "--", name, commit)
        return self.git("rev-parse", f"refs/tags/{name}")

    def ref(self, name: str, commit: str | None) -> None:
        """Set any ref, as a force-push does; None takes it away."""
        self.git(*(["update-ref", name, commit] if commit else ["update-ref", "-d", name]))

    def collect(self) -> None:
        """Lose all that no ref reaches, as a host does weeks after a force-push."""
        self.git("reflog", "expire", "--expire=now", "--all")
        self.git("repack", "-a", "-d", "--quiet")
        self.git("prune", "--expire=now")

    def blob(self, commit: str, path: str) -> str:
        """The id of what lies at a path."""
        return self.git("rev-parse", f"{commit}:{path}")

    def hash(self, kind: str, data: bytes) -> str:
        """Write an object as it is, however wrong."""
        return self.git("hash-object", "-t", kind, "-w", "--literally", "--stdin", input=data)


def _change(path: str | bytes, content: Content) -> list[bytes]:
    name = _quoted(path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path)
    if content is None:
        return [b"D " + name]
    if isinstance(content, Submodule):
        return [b"M 160000 " + content.commit.encode() + b" " + name]
    mode, data = b"100644", content
    if isinstance(content, Exec):
        mode, data = b"100755", content.data
    elif isinstance(content, Link):
        mode, data = b"120000", content.to
    raw = data.encode() if isinstance(data, str) else data
    assert isinstance(raw, bytes)
    return [b"M " + mode + b" inline " + name, b"data %d" % len(raw), raw]


def _quoted(name: bytes) -> bytes:
    """A path as fast-import reads it, whatever bytes it has."""
    return b'"' + b"".join(b"%c" % b if 32 <= b < 127 and b not in b'"\\' else b"\\%03o" % b for b in name) + b'"'
