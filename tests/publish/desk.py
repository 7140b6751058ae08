"""What a test of `git okf publish` has before it: one repository, one bucket, and the command between them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from publish.storage import Gateway, Server

from git_okf import publishing
from git_okf.manage import read_config
from git_okf.publish.outcome import Published
from git_okf.run import World
from git_okf.store.repo import Repo

if TYPE_CHECKING:
    from conftest import GitRepo, Ran, Run

PREFIX = "site"
FILES = {f"docs/pages/p{n}.md": f"# Page {n}\n" for n in range(1, 8)}
BUNDLE = {**FILES, "docs/pages/index.md": "# Pages\n", "docs/index.md": "# Docs\n", "docs/log.md": "# Log\n"}


@dataclass(slots=True)
class Desk:
    """One repository, one bucket, and `git okf publish`."""

    repo: GitRepo
    gate: Gateway
    client: Any
    bucket: str
    here: Run
    program: Run

    # --- the repository ---

    def configure(self, sources: str = "docs: {url: 'https://docs.example.org/', bundle: docs}", **publish: Any) -> str:
        """Commit an `.okf.yaml`."""
        settings = {"url": f"s3://{self.bucket}/{PREFIX}", "endpoint": self.gate.url, **publish}
        text = f"version: 1\nsources: {{{sources}}}\npublish: {json.dumps(settings)}\n"
        return self.repo.commit("configuration", {".okf.yaml": text})

    def commit(self, files: Mapping[str, str | bytes], *gone: str) -> str:
        for path in gone:
            self.repo.git("rm", "--quiet", "--", path)
        return self.repo.commit("change", files)

    def clone(self, path: Path, *options: str) -> GitRepo:
        """Another machine's clone."""
        url = f"file://{self.repo.path}"
        subprocess.run(["git", "clone", "--quiet", *options, url, str(path)], check=True, capture_output=True)
        return type(self.repo)(path)

    # --- the command ---

    def run(self, *args: str, code: int = 0, cwd: Path | None = None) -> Ran:
        ran = self.here("publish", *args, cwd=cwd)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        return ran

    def publish(self, *args: str, code: int = 0, cwd: Path | None = None) -> dict[str, Any]:
        """One publication of one source; what it says of itself."""
        ran = self.run("--json", *args, code=code, cwd=cwd)
        found: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return found

    def direct(self, clone: GitRepo) -> Published:
        """One publication in this process, without the command line: by any thread, in the middle of another one."""
        repo = Repo.open(clone.path)
        (found,) = publishing.publish(repo, read_config(repo), [], publishing.Options(), World(environ=os.environ))
        return found

    def quiet(self, cwd: Path | None = None) -> None:
        """A publication that finds nothing to do: one request, and nothing is written."""
        self.gate.forget()
        assert self.publish(cwd=cwd)["result"] == "unchanged"
        assert [(each.method, each.key) for each in self.gate.requests] == [("GET", f"{PREFIX}/.okf/docs.json")]

    # --- the bucket, as somebody else sees it ---

    def held(self) -> set[str]:
        """Without the prefix, and without what is git-okf's own."""
        found = set()
        for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket):
            found |= {each["Key"].removeprefix(PREFIX + "/") for each in page.get("Contents", [])}
        return {key for key in found if not key.startswith(".okf/")}

    def get(self, key: str) -> Any:
        return self.client.get_object(Bucket=self.bucket, Key=f"{PREFIX}/{key}")

    def body(self, key: str) -> bytes:
        data: bytes = self.get(key)["Body"].read()
        return data

    def objects(self) -> dict[str, bytes]:
        return {key: self.body(key) for key in self.held()}

    def manifest(self, source: str = "docs") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body(f".okf/{source}.json"))
        return found

    def assert_whole(self, commit: str = "HEAD", cwd: Path | None = None, *places: str) -> None:
        """The bucket holds exactly what the commit does, and says so."""
        repo = type(self.repo)(cwd) if cwd else self.repo
        archive = subprocess.run(
            ["git", "archive", "--format=tar", commit, "--", *(places or ("docs",))],
            cwd=repo.path, check=True, capture_output=True,
        ).stdout  # fmt: skip
        with tarfile.open(fileobj=io.BytesIO(archive)) as held:
            files = {member.name: held.extractfile(member) for member in held.getmembers() if member.isfile()}
            wanted = {name: file.read() for name, file in files.items() if file}
        assert self.objects() == wanted
        said = self.manifest()
        assert set(said["objects"]) == wanted.keys()
        assert not {"claim", "unsure", "removing"} & said.keys()


Desks = Callable[[Server], Desk]
"""Opens a desk at a storage."""
