"""What a CI workflow is told besides text: outputs, a summary, annotations (GitHub Actions, and Gitea, which has them
too). Nothing is written where the workflow offers no place for it.

Text that came from a source never becomes a command: in outputs it stands between delimiters that nobody can guess, in
annotations its line ends and percent signs are escaped, in the summary it is code (GitHub's "Workflow commands").
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from git_okf import report
from git_okf.errors import OkfError
from git_okf.model import RunResult

OUTPUT, SUMMARY, ACTIONS = "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"
SUMMARY_BYTES = 900_000
"""A summary of more than 1 MiB is refused as a whole."""
LISTED = 50
"""Paths and retained items of one source in the summary; the rest is counted."""


def tell(environ: Mapping[str, str], outputs: Mapping[str, str], summary: str) -> None:
    """Append to the files that the workflow names. OkfError where one cannot be written."""
    if path := environ.get(OUTPUT):
        _append(path, "".join(_output(name, value) for name, value in outputs.items()))
    if summary and (path := environ.get(SUMMARY)):
        _append(path, _bounded(summary) + "\n")


def _append(path: str, text: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise OkfError(f"{path}, which the workflow named, cannot be written: {error.strerror}") from error


def _output(name: str, value: str) -> str:
    if "\n" not in value and "\r" not in value:
        return f"{name}={value}\n"
    mark = f"okf-{secrets.token_hex(16)}"
    return f"{name}<<{mark}\n{value}\n{mark}\n"


def _bounded(text: str) -> str:
    data = text.encode()
    if len(data) <= SUMMARY_BYTES:
        return text
    return data[:SUMMARY_BYTES].decode("utf-8", "ignore").rpartition("\n")[0] + "\n\n(cut short)"


def notes(environ: Mapping[str, str], results: Sequence[RunResult]) -> list[str]:
    """An error or a warning for each source that needs a person, as commands for standard error."""
    if environ.get(ACTIONS) != "true":
        return []
    return [line for result in results for line in _annotation(result)]


def fault(environ: Mapping[str, str], message: str, hint: str = "") -> list[str]:
    """An error that ended the command before it came to its sources, as `notes` are."""
    if environ.get(ACTIONS) != "true":
        return []
    return [command("error", "git-okf", f"{message}\n{hint}".strip())]


def _annotation(result: RunResult) -> list[str]:
    title = f"git-okf {result.name}"
    if result.error is not None:
        return [command("error", title, f"{result.error.message}\n{result.error.hint}".strip())]
    if result.result == "partial":
        reasons = "; ".join(dict.fromkeys(item.reason for item in result.delta.retained))
        return [command("warning", title, f"{len(result.delta.retained)} retained: {reasons[:500]}")]
    return []


def command(kind: str, title: str, message: str) -> str:
    """A workflow command on one line, whatever the texts hold."""
    return f"::{kind} title={_data(title).replace(':', '%3A').replace(',', '%2C')}::{_data(report.multiline(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def outputs(results: Sequence[RunResult]) -> dict[str, str]:
    """`changed`, `result` (of several sources the one that decides the exit code), `exit-code`, and the JSON of all."""
    code = report.exit_code(results)
    deciding = next((r.result for r in results if r.exit_code == code), "unchanged")
    return {
        "changed": str(any(r.commit for r in results)).lower(),
        "result": deciding if code or len(results) == 1 else _best(results),
        "exit-code": str(code),
        "json": report.as_json(results),
    }


def _best(results: Sequence[RunResult]) -> str:
    return "synced" if any(r.result == "synced" for r in results) else "unchanged"


def summary(results: Sequence[RunResult], reviews: Mapping[str, str] | None = None) -> str:
    """Markdown: a table of the sources, and what was retained. `reviews`: by source, what became of its review."""
    if not results:
        return ""
    head = ["| source | result | added | removed | updated | retained |", "|---|---|---|---|---|---|"]
    lines = [*head, *(_row(result, (reviews or {}).get(result.name, "")) for result in results)]
    for result in results:
        lines += _details(result)
    return "\n".join(lines)


def _row(result: RunResult, review: str) -> str:
    delta = result.delta
    counts = (len(delta.added), len(delta.removed), len(delta.updated), len(delta.retained))
    told = f"{result.result}: {review}" if review else result.result
    return f"| {_code(result.name)} | {_cell(told)} | " + " | ".join(map(str, counts)) + " |"


def _details(result: RunResult) -> list[str]:
    lines = []
    if result.error is not None:
        lines += [f"- {_code(line)}" for line in f"{result.error.message}\n{result.error.hint}".split("\n") if line]
    lines += [f"- {_code(item.path or item.key)}: {_code(item.reason)}" for item in result.delta.retained[:LISTED]]
    if len(result.delta.retained) > LISTED:
        lines.append(f"- and {len(result.delta.retained) - LISTED} more")
    lines += [f"- {_code(notice)}" for notice in result.notices[:LISTED]]
    return ["", f"**{result.name}**", "", *lines] if lines else []


def _code(text: str) -> str:
    """Text as code: nothing in it is markup, a mention or a link."""
    plain = report.printable(text).replace("|", "\\|")[:400]
    mark = "`" * (max((len(run) for run in plain.split() if set(run) == {"`"}), default=0) + 1 + plain.count("`"))
    return f"{mark} {plain} {mark}" if "`" in plain else f"`{plain}`"


def _cell(text: str) -> str:
    return report.printable(text).replace("|", "\\|").replace("<", "&lt;").replace("@", "@\u200b")
