"""Results and errors -> text, JSON, commit messages. Pure: nothing is printed, read or written here.

Everything that came from a source (titles, URLs, paths, reasons) is untrusted: it is shown with its control and
direction characters escaped, and reaches a commit message only as paths with every character quoted that a forge
could act on (design.md, law 10).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from git_okf.errors import EXIT_BUSY, EXIT_GUARD, EXIT_UNAVAILABLE, OkfError, SourceUnavailable
from git_okf.model import OUT_OF_SCOPE, Delta, Fault, RunResult, Trip

SCHEMA = 1
LISTED_PATHS = 100
"""Paths named in a commit's body; the rest is counted."""
SHOWN_NOTICES = 10
EXIT_ORDER = (1, 2, 128, 4, 5, 3)
"""With several sources the first that applies is the exit code (design.md, "Commands")."""
_QUOTED = frozenset("@#[]<>:*`|\\%")


def exit_code(results: Iterable[RunResult]) -> int:
    """The exit code of a command that ran several sources; a bug (70) or an interrupt (130) outranks all."""
    codes = {result.exit_code for result in results}
    for code in (70, 130, *EXIT_ORDER):
        if code in codes:
            return code
    return 0


def failed(name: str, kind: str, bundle: str, error: OkfError) -> RunResult:
    """The result of a run that an error ended before anything was written."""
    words = {EXIT_UNAVAILABLE: "unavailable", EXIT_BUSY: "busy", EXIT_GUARD: "aborted"}
    return RunResult(
        name=name,
        kind=kind,
        bundle=bundle,
        result=words.get(error.exit_code, "failed"),
        exit_code=error.exit_code,
        error=Fault(code=error.code, message=error.message, hint=error.hint),
        retry_at=error.retry_at if isinstance(error, SourceUnavailable) else None,
    )


# --- JSON: the contract of design.md, "JSON of a run" ---


def as_json(results: Sequence[RunResult]) -> str:
    """One object for `--json`, and, for one result, the text of its note."""
    data = {"schema": SCHEMA, "sources": [as_data(result) for result in results]}
    return dump(data)


def as_data(result: RunResult) -> dict[str, Any]:
    delta = result.delta
    return {
        "name": result.name,
        "kind": result.kind,
        "result": result.result,
        "task": result.task,
        "exit_code": result.exit_code,
        "run": result.run,
        "generation": result.generation,
        "base": result.base,
        "commit": result.commit,
        "branch": result.branch,
        "complete": result.complete,
        "incomplete_reasons": list(result.incomplete_reasons),
        "added": [change.path for change in delta.added],
        "updated": [change.path for change in delta.updated],
        "removed": [record.path for record in delta.removed],
        "moved": [list(pair) for pair in delta.moved],
        "rerendered": [change.path for change in delta.rerendered],
        "unchanged": delta.unchanged,
        "edited": list(delta.edited),
        "merged": list(delta.merged),
        "paths": paths(delta),
        "retained": [{"path": r.path, "key": r.key, "outcome": r.outcome, "reason": r.reason} for r in delta.retained],
        "found": result.found,
        "known": result.known,
        "requests": result.counters.requests,
        "not_modified": result.counters.not_modified,
        "fetched": result.counters.fetched,
        "extracted": result.counters.extracted,
        "bytes": result.counters.bytes,
        "duration_s": round(result.duration_s, 3),
        "origins": dict(result.origins),
        "notices": list(result.notices),
        "guard": _trip(result.guard),
        "error": None
        if result.error is None
        else {"code": result.error.code, "message": result.error.message, "hint": result.error.hint},
        "retry_at": result.retry_at,
        "spared": None if result.spared is None else list(result.spared),
        "pushed": result.pushed or None,
    }


def paths(delta: Delta) -> dict[str, int]:
    """How many paths came to which conclusion, in the words of seed 002, section 1; words without any are left out."""
    counts = Counter(_CONCLUSIONS.get(item.outcome, item.outcome) for item in delta.retained)
    counts["ACCEPTED"] = len(delta.added) + len(delta.updated) + len(delta.rerendered) + len(delta.removed)
    counts["UNCHANGED"] = delta.unchanged
    return {word: counts[word] for word in sorted(counts) if counts[word]}


_CONCLUSIONS = {OUT_OF_SCOPE: "IGNORED", "WITHDRAWN": "IGNORED", "PENDING": "RETRYABLE_FAILURE"}


def error_json(error: OkfError) -> str:
    """The one object of `--json` where a command ended before any source was looked at."""
    fault = {"code": error.code, "message": error.message, "hint": error.hint}
    return dump({"schema": SCHEMA, "sources": [], "error": fault})


def dump(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _trip(trip: Trip | None) -> dict[str, Any] | None:
    if trip is None:
        return None
    return {"name": trip.name, "limit": trip.limit, "actual": trip.actual, "total": trip.total}


# --- text for a person ---


def printable(text: str) -> str:
    """Text on one line that no terminal or log acts on: control, direction and unassigned characters escaped."""
    return "".join(ch if ch.isprintable() else _escape(ch) for ch in text)


def multiline(text: str) -> str:
    """The same, line by line."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _escape(ch: str) -> str:
    return f"\\x{ord(ch):02x}" if ord(ch) < 0x100 else f"\\u{ord(ch):04x}"


def as_text(result: RunResult) -> str:
    """What a run of one source says on standard output; "" where there is only an error to say."""
    if result.result in ("aborted", "unavailable", "busy", "failed"):
        return ""
    if result.result == "skipped":
        return f"- Skipped: {result.name} ({_why(result)})"
    delta = result.delta
    if delta.changes_content or delta.rerendered:
        lines = [_headline(result), *_counts(delta)]
    else:
        lines = [f"✓ Up to date: {result.name} ({delta.unchanged} unchanged)"]
    pushed = [f"  Pushed: {printable(result.pushed)}"] if result.pushed and result.commit else []
    return "\n".join((*lines, *_retained(delta), *_edited(delta), *pushed))


def _headline(result: RunResult) -> str:
    if result.dry_run:
        return f"✓ Dry run: {result.name}  (would commit {result.subject}; nothing was written)"
    if result.staged:
        return f"✓ Staged: {result.name}  (not committed: {result.subject})"
    return f"✓ Synced bundle: {result.name}  ({(result.commit or '')[:7]} {result.subject})"


def _counts(delta: Delta) -> list[str]:
    lines = [
        f"  Added: {len(delta.added)}",
        f"  Updated: {len(delta.updated)}",
        f"  Removed: {len(delta.removed)}",
        f"  Unchanged: {delta.unchanged}",
    ]
    if delta.moved:
        lines.append(f"  Moved: {len(delta.moved)} (counted as added and removed)")
    if delta.rerendered:
        lines.append(f"  Re-rendered: {len(delta.rerendered)}")
    return lines


def _retained(delta: Delta) -> list[str]:
    left = sum(item.outcome == OUT_OF_SCOPE for item in delta.retained)
    others = [item for item in delta.retained if item.outcome != OUT_OF_SCOPE]
    lines = []
    if others:
        reasons = Counter(item.reason for item in others).most_common(5)
        why = "; ".join(f"{printable(reason)} ({count})" for reason, count in reasons)
        lines = [f"  Retained: {len(others)}", f"  Why: {why}"]
    return [*lines, f"  Out of scope, kept: {left} (--prune removes them)"] if left else lines


def _edited(delta: Delta) -> list[str]:
    told = (("Edited by hand, kept", delta.edited), ("Edited by hand, merged", delta.merged))
    return [f"  {what}: {_some(paths)}" for what, paths in told if paths]


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    return ", ".join(printable(path) for path in paths[:5]) + more


def _why(result: RunResult) -> str:
    return printable(result.notices[0]) if result.notices else "not due"


def notices_text(result: RunResult) -> str:
    """Warnings of a run, for standard error: bounded, a line each."""
    if result.result == "skipped":
        return ""
    lines = [*(f"incomplete: {reason}" for reason in result.incomplete_reasons), *result.notices]
    shown = [f"warning: {result.name}: {printable(line)}" for line in lines[:SHOWN_NOTICES]]
    if len(lines) > SHOWN_NOTICES:
        shown.append(f"warning: {result.name}: and {len(lines) - SHOWN_NOTICES} more (see --json)")
    return "\n".join(shown)


def details(result: RunResult) -> str:
    """Every path of the delta and every notice, a line each: what `-v` adds on standard error."""
    delta = result.delta
    lines = [
        *(f"added: {change.path}" for change in delta.added),
        *(f"updated: {change.path}" for change in delta.updated),
        *(f"re-rendered: {change.path}" for change in delta.rerendered),
        *(f"removed: {record.path}" for record in delta.removed),
        *(f"moved: {old} to {new}" for old, new in delta.moved),
        *(f"retained: {item.path or item.key}: {item.outcome}: {item.reason}" for item in delta.retained),
        *(f"edited by hand: {path}" for path in delta.edited),
        *(f"edited by hand, merged: {path}" for path in delta.merged),
        *(f"notice: {notice}" for notice in result.notices),
    ]
    counters = result.counters
    lines.append(
        f"{counters.requests} requests, {counters.not_modified} not modified, {counters.fetched} fetched, "
        f"{counters.extracted} extracted, {counters.bytes} bytes, {result.duration_s:.1f} s"
    )
    return "\n".join(f"{result.name}: {printable(line)}" for line in lines)


def error_text(result: RunResult) -> str:
    """The error of a run: what happened, to which source, what was not changed, what to type next."""
    if result.error is None:
        return ""
    return _sentence(f"{result.name}: {result.error.message}", result.error.hint)


def exception_text(error: OkfError) -> str:
    return _sentence(error.message, error.hint)


def _sentence(message: str, hint: str) -> str:
    lines = [printable(line) for line in f"error: {message}".split("\n")]
    return "\n".join((*lines, *(f"  {printable(line)}" for line in hint.split("\n") if hint)))


def abort_message(trip: Trip) -> str:
    """What a guard says; `page-count` in the words of seed section 9."""
    if trip.name == "page-count":
        return (
            f"{trip.what}: the page-count guard stopped the sync, because fewer than {trip.limit:g} were found. "
            "Nothing was written."
        )
    return f"{trip.what}: the {trip.name} guard stopped the sync (limit {trip.limit:g}). Nothing was written."


def abort_hint(trip: Trip, name: str, url: str, kind: str = "web") -> str:
    """The likely causes in the order to check them, and what to type where the change is real."""
    override = "--force" if trip.name in ("page-count", "max-removed") else f"--allow {trip.name}"
    causes = [
        f"the network: curl -I {url}" if kind == "web" else f"the network, and whether {url} can be reached",
        *(_CAUSES[kind] if kind in _CAUSES else _CAUSES["web"]),
        f"if the {'site' if kind == 'web' else 'source'} really changed so much: git okf sync {name} {override}",
    ]
    return "\n".join(("check, in this order:", *(f"{number}. {cause}" for number, cause in enumerate(causes, 1))))


_CAUSES = {
    "web": (
        "whether the site is down, moved, or shows a block or login page",
        "whether robots.txt forbids the pages now (`robots: false` in .okf.yaml ignores it)",
    ),
    "git": ("whether the repository was rewritten or emptied", "whether include and exclude still mean its files"),
    "skills": ("whether the repository was rewritten or emptied", "whether `paths` still means its packages"),
    "feishu": ("whether the app still sees the folder and its articles", "whether the folder was moved or emptied"),
}


# --- commit messages ---


def subject(delta: Delta, name: str) -> str:
    """`sync: +3 -1 =5 (docs)`: added, removed, updated. Counters and the source's name, nothing else."""
    return f"sync: +{len(delta.added)} -{len(delta.removed)} ={len(delta.updated)} ({name})"


def headline(delta: Delta, name: str) -> str:
    """The subject for a delta, whichever of the two it is."""
    return subject(delta, name) if delta.changes_content or not delta.rerendered else render_subject(delta, name)


def render_subject(delta: Delta, name: str) -> str:
    return f"render: ={len(delta.rerendered)} ({name})"


def commit_message(result: RunResult, headline: str, lines: Sequence[str], more: Sequence[str] = ()) -> str:
    """Subject, the changed paths (bounded), and the trailers `Okf-Source`, `Okf-Run`, `Okf-Unchanged`, and more."""
    listed = list(lines[:LISTED_PATHS])
    if len(lines) > LISTED_PATHS:
        listed.append(f"... and {len(lines) - LISTED_PATHS} more")
    trailers = (
        f"Okf-Source: {result.name}",
        f"Okf-Run: {result.run}",
        f"Okf-Unchanged: {result.delta.unchanged}",
        *more,
    )
    return "\n".join((headline, "", *listed, "", *trailers, ""))


def sync_lines(delta: Delta) -> list[str]:
    """The changed paths of a sync commit, a line each, quoted."""
    old_paths = {old for old, _ in delta.moved}
    new_paths = {new for _, new in delta.moved}
    return [
        *(f"+ {quoted(c.path)}" for c in delta.added if c.path not in new_paths),
        *(f"- {quoted(r.path)}" for r in delta.removed if r.path not in old_paths),
        *(f"> {quoted(old)} to {quoted(new)}" for old, new in delta.moved),
        *(f"= {quoted(c.path)}" for c in delta.updated),
    ]


def render_lines(delta: Delta) -> list[str]:
    return [f"= {quoted(change.path)}" for change in delta.rerendered]


def quoted(path: str) -> str:
    """A path with the characters percent-encoded that mean something in a commit message or on a forge."""
    return "".join(
        ch if ch.isprintable() and ch not in _QUOTED else "".join(f"%{b:02X}" for b in ch.encode()) for ch in path
    )
