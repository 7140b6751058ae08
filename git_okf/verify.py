"""`git okf verify`: is the bundle whole?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from git_okf import baseline, config, verdicts
from git_okf.bundle import check
from git_okf.bundle.rules.attached import check_attached
from git_okf.config import FILE_NAME, Config, SourceConfig
from git_okf.errors import UsageError
from git_okf.lookup import of_another_identity
from git_okf.store.repo import Repo
from git_okf.verdicts import Verdicts


def verify(
    open_repo: Callable[[], Repo], read_config: Callable[[Repo], Config], cwd: Path, named: Sequence[str]
) -> Verdicts:
    """Check the bundles in these directories, or those of the repository. A named one needs no repository."""
    bundles = {cwd / name: _source_of(cwd / name) for name in named}
    synced: Mapping[Path, dict[str, str] | None] = {}
    if not named:
        repo = open_repo()
        sources = read_config(repo).sources.values()
        bundles = {repo.root / s.bundle: s for s in sources if (repo.root / s.bundle).is_dir()}
        synced = {root: _synced(repo, source) for root, source in bundles.items() if source}
    findings: list[tuple[str, check.Finding]] = []
    shown = []
    for root, source in bundles.items():
        if not root.is_dir():
            raise UsageError(f"{root} is no directory", f"name a bundle's directory, or none for those in {FILE_NAME}")
        label = str(root.relative_to(cwd)) if cwd in root.parents else str(root)
        shown.append(label)
        files = _files(root)
        found = verdicts.judge(source, files, expect=synced.get(root)) if source else check.check(files)
        if source is not None and not source.editable:
            found += _attached(root, source, files)
        findings += [(label, finding) for finding in found]
    return Verdicts(tuple(shown), tuple(findings))


def _source_of(root: Path) -> SourceConfig | None:
    """The source whose bundle a directory is, where one of the directories above it has an `.okf.yaml` that says so."""
    for above in root.resolve().parents:
        if (above / FILE_NAME).is_file():
            sources = config.parse((above / FILE_NAME).read_text(encoding="utf-8-sig")).sources.values()
            return next((s for s in sources if above / s.bundle == root.resolve()), None)
    return None


def _synced(repo: Repo, source: SourceConfig) -> dict[str, str] | None:
    """None where the state describes another tree than HEAD has: after a revert or on another branch it is no judge."""
    base = baseline.read(repo, source, rebuild=of_another_identity(repo, source))
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
