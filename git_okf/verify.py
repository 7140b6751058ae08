"""`git okf verify`: is the bundle whole?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from git_okf import config, settings, verdicts
from git_okf.bundle import check
from git_okf.bundle.rules.attached import check_attached
from git_okf.config import FILE_NAME, SourceConfig
from git_okf.errors import UsageError
from git_okf.verdicts import Verdicts

if TYPE_CHECKING:
    from git_okf.store.repo import Repo


def verify(open_repo: Callable[[], Repo], cwd: Path, named: Sequence[str]) -> Verdicts:
    """Check the bundles in these directories, or those of the repository; of a concept that is named, it alone.

    What is named needs no repository.
    """
    shown: list[str] = []
    findings: list[tuple[str, check.Finding]] = []
    for root, path, found in _judged(open_repo, cwd, named):
        label = str(root.relative_to(cwd)) if cwd in root.parents else str(root)
        findings += [(label, finding) for finding in found]
        if not path:
            shown.append(label)
        elif all(finding.severity != check.ERROR for finding in found):
            shown.append(f"{label}/{path}")
    return Verdicts(tuple(shown), tuple(findings))


def _judged(
    open_repo: Callable[[], Repo], cwd: Path, named: Sequence[str]
) -> Iterator[tuple[Path, str, list[check.Finding]]]:
    """Each bundle, the concept that is asked for ("" for all of it), and what was found."""
    if not named:
        repo = open_repo()
        sources = settings.read_config(repo).sources.values()
        for source in sources:
            root = repo.root / source.bundle
            if root.is_dir():
                yield root, "", _judge(root, source, _files(root), expect=_synced(repo, source))
    for name in named:
        root = cwd / name
        if root.is_file() and (around := _bundle_around(root)) is not None:
            yield around[0], around[1], _judge_one(*around)
            continue
        if not root.is_dir():
            raise UsageError(f"{root} is no directory", f"name a bundle's directory, or none for those in {FILE_NAME}")
        of_root, files = _source_of(root), _files(root)
        yield root, "", _judge(root, of_root, files) if of_root else check.check(files)


def _judge(
    root: Path, source: SourceConfig, files: Mapping[str, bytes], *, expect: Mapping[str, str] | None = None
) -> list[check.Finding]:
    found = verdicts.judge(source, files, expect=expect)
    return found if source.editable else found + _attached(root, source, files)


def _judge_one(root: Path, path: str, source: SourceConfig) -> list[check.Finding]:
    """What is wrong with one concept: its name, form, hash, links and files. What lists it is not looked at."""
    files = _Around(root, path)
    one = {path: files[path]}
    found = verdicts.judge(source, files, only=[path], base=one)
    return found if source.editable else found + _attached(root, source, one)


def _bundle_around(file: Path) -> tuple[Path, str, SourceConfig] | None:
    """The bundle a file is in, its path there, and the source, as an `.okf.yaml` above says; None where none does."""
    file = file.resolve()
    for above in file.parents:
        if (above / FILE_NAME).is_file():
            sources = config.parse((above / FILE_NAME).read_text(encoding="utf-8-sig")).sources.values()
            source = next((s for s in sources if above / s.bundle in file.parents), None)
            if source is None:
                return None
            root = above / source.bundle
            return root, file.relative_to(root).as_posix(), source
    return None


def _source_of(root: Path) -> SourceConfig | None:
    """The source whose bundle a directory is, where one of the directories above it has an `.okf.yaml` that says so."""
    for above in root.resolve().parents:
        if (above / FILE_NAME).is_file():
            sources = config.parse((above / FILE_NAME).read_text(encoding="utf-8-sig")).sources.values()
            return next((s for s in sources if above / s.bundle == root.resolve()), None)
    return None


def _synced(repo: Repo, source: SourceConfig) -> dict[str, str] | None:
    """None where the state describes another tree than HEAD has: after a revert or on another branch it is no judge."""
    from git_okf import baseline

    base = baseline.as_it_is(repo, source)
    if base.state is None or base.state.bundle_tree != (base.bundle_tree or ""):
        return None
    return {record.path: record.content_hash for record in base.pages.values()}


def _attached(root: Path, source: SourceConfig, files: Mapping[str, bytes]) -> list[check.Finding]:
    """What is wrong with the files that stand beside the concepts."""
    top = root.resolve().parents[len(Path(source.bundle).parts) - 1]
    folder = top / source.files
    shown = "" if source.files == source.bundle else f"{source.files}/"

    def read(path: str) -> bytes | None:
        file = folder / path
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None

    concepts = ((path, data) for path, data in files.items() if b"\nfiles:\n" in data)
    found = [finding for path, data in concepts for finding in check_attached(path, data, read, shown)]
    return [replace(finding, hint=finding.hint.replace(" NAME`", f" {source.name}`")) for finding in found]


class _Around(Mapping[str, bytes]):
    """A bundle's files as far as one of them needs them: named are those beside it and above it; any other file is
    found when it is asked for, and a directory is there where the disk has it."""

    def __init__(self, root: Path, path: str) -> None:
        self._root = root
        above = [PurePosixPath(path).parent, *PurePosixPath(path).parent.parents]
        self._names = sorted(name for folder in above for name in self._inside(folder))

    def _inside(self, folder: PurePosixPath) -> Iterator[str]:
        with os.scandir(self._root / folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    yield (folder / entry.name).as_posix()

    def __getitem__(self, path: str) -> bytes:
        file = self._root / path
        if not path.endswith(".md") or not file.is_file() or file.is_symlink():
            raise KeyError(path)
        return _as_committed(file.read_bytes())

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (self._root / path).exists()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _files(root: Path) -> dict[str, bytes]:
    """Every Markdown file below a directory, by POSIX path; links are not followed."""
    return {
        path.relative_to(root).as_posix(): _as_committed(path.read_bytes())
        for path in sorted(root.rglob("*.md"))
        if path.is_file() and not path.is_symlink()
    }


def _as_committed(data: bytes) -> bytes:
    """A file that git checked out with CR LF throughout, as it stands in the repository."""
    crlf = data.count(b"\r\n")
    return data.replace(b"\r\n", b"\n") if crlf and crlf == data.count(b"\n") else data
