"""What a scenario needs: a documentation site that changes, a repository that follows it, and the command between.

The site's start page is `/docs/`; it links to every page that `put` made and to no page that `drop` took away, in its
navigation, so that its own text never changes. `/docs/a` becomes the concept `docs/pages/docs/a.md`.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from site_server import Fault, Site, serving

from git_okf.source.web.site import WebSite

if TYPE_CHECKING:
    from conftest import GitRepo, Ran, Run

BUNDLE = "docs"
WORDS = (
    "It says what it is for, how it is set up, what goes wrong most often, and where a reader goes next once all of "
    "that has been read and understood."
)


class LiveSite(Site):
    """A site that can do something to the world while it is being asked."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[tuple[str, Callable[[], object]]] = []
        self.failed: list[BaseException] = []

    def when_asked(self, pattern: str, action: Callable[[], object]) -> None:
        """Do something once, before the first answer to a path that matches."""
        self._waiting.append((pattern, action))

    def fault_for(self, method: str, path: str) -> Fault | None:
        with self._lock:
            due = [pair for pair in self._waiting if fnmatchcase(path, pair[0])]
            for pair in due:
                self._waiting.remove(pair)
        for _, action in due:
            try:
                action()
            except BaseException as error:  # noqa: BLE001 - told to the test at its end, whatever it is
                self.failed.append(error)
        return super().fault_for(method, path)


@dataclass(slots=True)
class Docs:
    """One site, one repository, and `git okf` in it."""

    site: LiveSite
    repo: GitRepo
    here: Run
    """Runs the command in this process."""
    program: Run
    """Runs the installed program."""
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.site.url + "docs/"

    # --- the site ---

    def put(self, *names: str, version: int = 1, links: Iterable[str] = (), text: str | None = None) -> None:
        """New pages, or new versions of pages."""
        for name in names:
            self.texts[name] = text or f"This is version {version} of the page about {name}. {WORDS}"
            self.site.page(f"/docs/{name}", document(name, self.texts[name], ["/docs/", *links]))
        self._start_page()

    def drop(self, *names: str) -> None:
        """Pages that are gone: 404, and no link to them."""
        for name in names:
            del self.texts[name]
            self.site.remove(f"/docs/{name}")
        self._start_page()

    def unlink(self, *names: str) -> None:
        """Pages that still answer, with no link to them any more."""
        for name in names:
            del self.texts[name]
        self._start_page()

    def _start_page(self) -> None:
        links = [f"/docs/{name}" for name in sorted(self.texts)]
        self.site.page("/docs/", document("Start", f"Here everything begins. {WORDS}", links))

    # --- the command ---

    def run(self, *args: str, cwd: Path | None = None) -> Ran:
        """One command, whatever it comes to; what it leaves inside the bundle is what HEAD says."""
        ran = self.here(*args, cwd=cwd)
        assert ran.code != 70, ran.err
        return ran

    def ok(self, *args: str, cwd: Path | None = None) -> Ran:
        """One command that must succeed."""
        ran = self.run(*args, cwd=cwd)
        assert ran.code == 0, f"exit {ran.code}\n{ran.out}{ran.err}"
        return ran

    def build(self, *names: str, options: Iterable[str] = ()) -> str:
        """A site of the start page and these pages, and its bundle; the commit."""
        self.put(*names)
        self.ok("build", self.url, "-o", BUNDLE, *options)
        return self.head

    def sync(self, *args: str, code: int = 0) -> dict[str, Any]:
        """One sync, which must end with `code`; its report. The bundle is clean afterwards."""
        ran = self.run("sync", "--json", *args)
        assert ran.code == code, f"exit {ran.code}\n{ran.out}{ran.err}"
        if "--stage" not in args and "--dry-run" not in args:
            self.tidy()
        report: dict[str, Any] = json.loads(ran.out)["sources"][0]
        return report

    def quiet(self) -> None:
        """A sync that finds nothing to do and writes nothing."""
        before = everything(self.repo)
        report = self.sync()
        assert (report["result"], report["commit"]) == ("unchanged", None), report
        assert_same(before, everything(self.repo))

    # --- the repository ---

    @property
    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")

    @property
    def subject(self) -> str:
        return self.repo.git("log", "-1", "--format=%s")

    def file(self, name: str) -> Path:
        """The concept of a page; "" is the start page."""
        return self.repo.path / BUNDLE / "pages" / (f"docs/{name}.md" if name else "docs.md")

    def concepts(self) -> list[str]:
        """The concepts at HEAD, by path inside the bundle."""
        listed = self.repo.git("ls-tree", "-r", "--name-only", "HEAD", "--", BUNDLE).splitlines()
        inside = (path.removeprefix(BUNDLE + "/") for path in listed)
        return [path for path in inside if path.rpartition("/")[2] not in ("index.md", "log.md")]

    def tidy(self) -> None:
        """Nothing of the bundle is uncommitted."""
        status = self.repo.git("status", "--porcelain", "--", BUNDLE)
        assert status == "", status


def paths(*names: str) -> list[str]:
    """The concepts of pages, by path inside the bundle."""
    return [f"pages/docs/{name}.md" if name else "pages/docs.md" for name in names]


def next_second() -> None:
    """Times are written in whole seconds."""
    time.sleep(1 - time.time() % 1)


def document(title: str, text: str, links: Iterable[str] = (), *, head: str = "") -> str:
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body><nav><ul>{items}</ul></nav>"
        f"<main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )


def everything(repo: GitRepo) -> dict[str, object]:
    """All that a run may not touch where it has nothing to commit, to the byte: scratch is the only thing left out."""
    directory = Path(repo.git("rev-parse", "--absolute-git-dir"))
    index = directory / "index"
    return {
        **repo.snapshot(),
        "index bytes": index.read_bytes() if index.exists() else None,
        "reflogs": {p.as_posix(): p.read_bytes() for p in sorted((directory / "logs").rglob("*")) if p.is_file()},
        "config": (directory / "config").read_bytes(),
    }


def to_the_last_byte(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a directory, scratch and all, with its time; directories without a content."""
    return {
        p.as_posix(): (p.read_bytes() if p.is_file() else b"", p.lstat().st_mtime_ns) for p in sorted(root.rglob("*"))
    }


def assert_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Says what differs instead of printing both."""
    differing = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    details = {name: _difference(before.get(name), after.get(name)) for name in differing}
    assert not differing, details


def _difference(before: object, after: object) -> object:
    if isinstance(before, dict) and isinstance(after, dict):
        return sorted(str(key) for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    if isinstance(before, list) and isinstance(after, list):
        return sorted({*map(str, before)} ^ {*map(str, after)})
    return before, after


async def impatient(seconds: float) -> None:
    """A fiftieth of the wait that a server was to be given."""
    await asyncio.sleep(seconds / 50)


@pytest.fixture
def docs(repo: GitRepo, okf_here: Run, okf: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Docs]:
    """A site without pages and a repository without commits; at the end the repository must be whole."""
    defaults = {**(WebSite.__init__.__kwdefaults__ or {}), "sleep": impatient}
    monkeypatch.setattr(WebSite.__init__, "__kwdefaults__", defaults)
    site = LiveSite()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with serving(site):
        yield Docs(site=site, repo=repo, here=okf_here, program=okf)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert not site.failed, site.failed
    said = repo.git("fsck", "--strict", "--no-dangling", "--no-progress")
    assert said == "", said
