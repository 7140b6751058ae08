"""The issue about a guard that stops a sync (`--report-issue`): one for as long as that is so, closed by the first run
that passes."""

from __future__ import annotations

from dataclasses import replace

from git_okf.errors import Interrupted, OkfError
from git_okf.model import RunResult
from git_okf.review import body, fingerprint, marker
from git_okf.review.forge import Issue
from git_okf.review.situation import issue_of
from git_okf.reviewing.case import Case

LABEL = "okf-guard"
PASSED = "The sync of {name} passes its guards again."


def tell(case: Case, result: RunResult) -> None:
    """A host that takes no issues is said; it changes nothing of what the run came to."""
    try:
        _tell(case, result)
    except Interrupted:
        raise
    except OkfError as error:
        case.desk.world.warn(f"{case.source.name}: the issue about its guard could not be kept: {error.message}")


def _tell(case: Case, result: RunResult) -> None:
    forge, name = case.desk.forge, case.source.name
    stopped = result.guard is not None and result.error is not None
    if not stopped and result.error is not None:
        return  # nothing was found out about the guards
    there = issue_of(forge.issues(LABEL), name)
    if stopped:
        _open_or_update(case, result, there)
    elif there is not None and there.open and (mark := marker.find(there.body, name)):
        ours = there.body.replace(str(mark), str(replace(mark, settled=marker.OBSOLETE)))
        forge.close_issue(forge.update_issue(there, title=there.title, body=ours), comment=PASSED.format(name=name))


def _open_or_update(case: Case, result: RunResult, there: Issue | None) -> None:
    """An issue that a person closed is not opened again for the same trouble."""
    forge = case.desk.forge
    said = result.error.message if result.error else ""
    mark = marker.Marker(source=case.source.name, fingerprint=fingerprint.of({"guard": said}))
    telling = body.Telling(result=result, marker=mark, origin=case.source.url)
    title, text = body.issue_title(result), body.issue_body(telling, forge.limits.body)
    before = marker.find(there.body, case.source.name) if there else None
    if there is not None and there.open:
        forge.update_issue(there, title=title, body=text)
    elif before is None or before.settled or before.fingerprint != mark.fingerprint:
        forge.open_issue(title=title, body=text, label=LABEL)
