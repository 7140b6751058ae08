"""What was found in bundles, in the words of whoever asks: a person, a machine, a forge. Light: hooks start with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from git_okf import report
from git_okf.bundle import check
from git_okf.bundle.check import Finding

if TYPE_CHECKING:
    from git_okf.config import SourceConfig

FORMATS = ("text", "json", "github")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was found, by bundle ("" for files outside of all)."""

    bundles: tuple[str, ...]
    findings: tuple[tuple[str, Finding], ...]
    quiet: bool = False
    """Say nothing where there is no error: a hook that has nothing to object to."""

    @property
    def exit_code(self) -> int:
        return int(any(finding.severity == check.ERROR for _, finding in self.findings))

    def said(self, style: str) -> str:
        """What to print in one of the FORMATS; "" where there is nothing to say."""
        if style == "json":
            return report.dump(self.data())
        return report.multiline(self.github() if style == "github" else self.text())

    def text(self) -> str:
        if self.quiet and not self.exit_code:
            return ""
        lines = [
            f"{_shown(bundle, f)}:{f.line}: {f.severity}: {f.message} [{f.rule}]" + (f"\n  {f.hint}" if f.hint else "")
            for bundle, f in self.findings
        ]
        counts = Counter(finding.severity for _, finding in self.findings)
        bad = {bundle for bundle, finding in self.findings if finding.severity == check.ERROR}
        if not self.quiet:
            lines += [f"✓ Whole: {bundle}" for bundle in self.bundles if bundle not in bad]
        if self.findings:
            lines.append(", ".join(f"{n} {severity}{'s' * (n > 1)}" for severity, n in sorted(counts.items())))
        return "\n".join(lines)

    def data(self) -> dict[str, Any]:
        found = [{"bundle": bundle, "file": _file(bundle, f), **asdict(f)} for bundle, f in self.findings]
        return {"schema": 1, "bundles": list(self.bundles), "findings": found, "whole": self.exit_code == 0}

    def github(self) -> str:
        """Workflow commands: GitHub and Gitea show them as annotations at their lines."""
        return "\n".join(
            f"::{f.severity} file={_property(_file(bundle, f))},line={f.line},title={_property('git-okf: ' + f.rule)}"
            f"::{_data(f.message + (chr(10) + f.hint if f.hint else ''))}"
            for bundle, f in self.findings
        )


def judge(
    source: SourceConfig,
    files: Mapping[str, bytes],
    *,
    expect: Mapping[str, str] | None = None,
    only: Collection[str] | None = None,
    base: Mapping[str, bytes] | None = None,
) -> list[Finding]:
    """The findings on the bundle of a source; see `check`. Its name stands in the ways out."""
    found = check.check(
        files, only=only, expect=expect, base=base, editable=source.editable, may_come=_may_come(source)
    )
    return [replace(f, hint=f.hint.replace(" NAME`", f" {source.name}`")) for f in found]


def _may_come(source: SourceConfig) -> Callable[[str], bool]:
    """Whether the concept of some page of the source could stand at a path."""

    def test(path: str) -> bool:
        from git_okf.source import kind_of

        return kind_of(source).may_hold(source, path)

    return test


def _file(bundle: str, finding: Finding) -> str:
    return f"{bundle}/{finding.path}" if bundle else finding.path


def _shown(bundle: str, finding: Finding) -> str:
    """On one line, whatever the file's name is."""
    return report.printable(_file(bundle, finding))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
