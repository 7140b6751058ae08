"""`git okf verify`: is the bundle whole?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from git_okf import baseline
from git_okf.bundle import check
from git_okf.config import FILE_NAME, Config, SourceConfig
from git_okf.errors import UsageError
from git_okf.lookup import of_another_identity
from git_okf.store.repo import Repo


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What `verify` found, by bundle."""

    bundles: tuple[str, ...]
    findings: tuple[tuple[str, check.Finding], ...]

    @property
    def exit_code(self) -> int:
        return int(any(finding.severity == "error" for _, finding in self.findings))

    def text(self) -> str:
        lines = [
            f"{bundle}/{f.path}:{f.line}: {f.severity}: {f.message} [{f.rule}]" + (f"\n  {f.hint}" if f.hint else "")
            for bundle, f in self.findings
        ]
        counts = Counter(finding.severity for _, finding in self.findings)
        bad = {bundle for bundle, finding in self.findings if finding.severity == "error"}
        lines += [f"✓ Whole: {bundle}" for bundle in self.bundles if bundle not in bad]
        if self.findings:
            lines.append(", ".join(f"{n} {severity}{'s' * (n > 1)}" for severity, n in sorted(counts.items())))
        return "\n".join(lines)

    def data(self) -> dict[str, Any]:
        found = [{"bundle": bundle, **asdict(finding)} for bundle, finding in self.findings]
        return {"schema": 1, "bundles": list(self.bundles), "findings": found, "whole": self.exit_code == 0}


def verify(
    open_repo: Callable[[], Repo], read_config: Callable[[Repo], Config], cwd: Path, named: Sequence[str]
) -> Verdicts:
    """Check the bundles in these directories, or those of the repository. A named one needs no repository."""
    bundles = {cwd / name: None for name in named} or _configured(open_repo(), read_config)
    findings: list[tuple[str, check.Finding]] = []
    shown = []
    for root, synced in bundles.items():
        if not root.is_dir():
            raise UsageError(f"{root} is no directory", f"name a bundle's directory, or none for those in {FILE_NAME}")
        label = str(root.relative_to(cwd)) if cwd in root.parents else str(root)
        shown.append(label)
        findings += [(label, finding) for finding in check.check(_files(root), expect=synced)]
    return Verdicts(tuple(shown), tuple(findings))


def _configured(repo: Repo, read_config: Callable[[Repo], Config]) -> dict[Path, dict[str, str] | None]:
    """The bundles of the repository, each with the content hashes that were synced, by path."""
    sources = read_config(repo).sources.values()
    return {repo.root / s.bundle: _synced(repo, s) for s in sources if (repo.root / s.bundle).is_dir()}


def _synced(repo: Repo, source: SourceConfig) -> dict[str, str] | None:
    """None where the state describes another tree than HEAD has: after a revert or on another branch it is no judge."""
    base = baseline.read(repo, source, rebuild=of_another_identity(repo, source))
    if base.state is None or base.state.bundle_tree != (base.bundle_tree or ""):
        return None
    return {record.path: record.content_hash for record in base.pages.values()}


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
