"""What `git okf pr` says: text for a person, data for a machine. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_okf import report, workflow
from git_okf.review.decide import Word
from git_okf.reviewing.outcome import Reviewed

_DONE = {
    Word.CREATE: "Opened",
    Word.UPDATE: "Updated",
    Word.CLOSE: "Closed",
    Word.NOTHING: "Up to date",
}


def text(reviewed: Reviewed) -> str:
    """A line, and where there is a review its address."""
    result = reviewed.result
    name = report.printable(result.name)
    if not reviewed.word:
        return report.as_text(result)
    if result.error is not None:
        pushed = f"{result.subject} is on {reviewed.branch}" if result.commit else "its branch is as it was"
        return f"- Half done: {name}  ({report.printable(pushed)}; the next run completes its review)"
    if reviewed.word.startswith("leave"):
        line = f"- Left: {name} ({report.printable(reviewed.why)})"
    else:
        done = (
            "Pushed"
            if reviewed.word == Word.CREATE and not (reviewed.number or reviewed.url)
            else _DONE[Word(reviewed.word)]
        )
        what = f"  ({result.subject})" if reviewed.word in (Word.CREATE, Word.UPDATE) else f" ({reviewed.why})"
        line = f"✓ {done}: {name}{report.printable(what)}"
    place = reviewed.url or (reviewed.branch if reviewed.word in (Word.CREATE, Word.UPDATE) else "")
    return "\n".join([line, *([f"  {report.printable(place)}"] if place else [])])


def summary(reviewed: Reviewed) -> str:
    """The same on one line, the address with it."""
    return f"{text(reviewed).partition(chr(10))[0]} {report.printable(reviewed.url)}".strip()


def data(reviewed: Sequence[Reviewed]) -> dict[str, Any]:
    """The JSON of the runs, each with its `review`: null where the run ended before it came to that."""
    return {"schema": report.SCHEMA, "sources": [{**report.as_data(r.result), "review": _review(r)} for r in reviewed]}


def _review(reviewed: Reviewed) -> dict[str, Any] | None:
    if not reviewed.word:
        return None
    return {
        "decision": str(reviewed.word),
        "why": reviewed.why,
        "branch": reviewed.branch,
        "content": reviewed.content,
        "number": reviewed.number or None,
        "url": reviewed.url or None,
        "hints": list(reviewed.hints),
    }


def outputs(reviewed: Sequence[Reviewed]) -> dict[str, str]:
    """What a workflow's next steps may want: those of the runs, and the review where there is one source."""
    told = workflow.outputs([each.result for each in reviewed])
    told["json"] = report.dump(data(reviewed))
    one = reviewed[0] if len(reviewed) == 1 else None
    told["decision"] = one.word if one else ""
    told["url"] = one.url if one else ""
    told["number"] = str(one.number or "") if one else ""
    return told
