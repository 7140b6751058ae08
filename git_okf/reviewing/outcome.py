"""What was decided, done on the host. The content is pushed by then: what goes wrong here is said, and the next run
completes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from git_okf.errors import Interrupted, OkfError, SourceUnavailable
from git_okf.model import Fault, RunResult
from git_okf.review import body, decide, marker
from git_okf.review.forge import Review
from git_okf.reviewing import guard_issue, record
from git_okf.reviewing.case import Case, as_told, branch_of
from git_okf.store import review_branch
from git_okf.store.push import PushRaced

OBSOLETE = "The base has all of this now, or the source took it back. Closed by git-okf."
REPLACED = "Another review of this source is open. Closed by git-okf."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What became of one source: its run, and its review."""

    result: RunResult
    word: str = ""
    """Of `review.decide.Word`; "" where the run ended before that."""
    why: str = ""
    branch: str = ""
    content: str = ""
    number: int = 0
    url: str = ""
    hints: tuple[str, ...] = ()


def settle(case: Case, result: RunResult) -> Reviewed:
    """Do what was decided, remember it, and tell the issue about the guard."""
    reviewed = _reviewed(case, result)
    if case.desk.report_issue:
        guard_issue.tell(case, result)
    return reviewed


def _reviewed(case: Case, result: RunResult) -> Reviewed:
    decision = case.decision or _looked(case, result)
    branch = branch_of(case.source)
    if decision is None or result.error is not None:
        return Reviewed(result=result, branch=branch)
    told = Reviewed(result=result, word=decision.word, why=decision.why, branch=branch, content=case.content)
    try:
        done = _done(case, decision, result)
        if decision.write_text or decision.close_others or decision.word is decide.Word.CLOSE:
            case.desk.asked.pop(case.source.name, None)
        held = decision.word is decide.Word.LEAVE_BACKLOG
        record.remember(case, record.settled(case, decision.word, done), held=held)
    except Interrupted:
        raise
    except OkfError as error:
        return replace(told, result=_half_done(result, error, branch))
    if done is None:
        return told
    hints = tuple(case.desk.forge.hints(done)) if decision.word is decide.Word.CREATE else ()
    return replace(told, number=done.number, url=done.url, hints=hints)


def _looked(case: Case, result: RunResult) -> decide.Decision | None:
    """A run that looked only never comes to the gate."""
    if result.error is not None or not case.looks_only:
        return None
    found_nothing = result.result == "unchanged" and result.complete
    return decide.decide(replace(case.found.facts, wanted="") if found_nothing else case.found.facts)


def _half_done(result: RunResult, error: OkfError, branch: str) -> RunResult:
    """The run as it was, with what the host, or the remote, said to its review."""
    pushed = f". {branch} is pushed, its review is not brought up to date" if result.commit else ""
    hint = f"{error.hint}\n" if error.hint else ""
    fault = Fault(code=error.code, message=error.message + pushed, hint=f"{hint}the next run completes it")
    retry_at = error.retry_at if isinstance(error, SourceUnavailable) else None
    return replace(result, exit_code=error.exit_code, error=fault, retry_at=retry_at)


def _done(case: Case, decision: decide.Decision, result: RunResult) -> Review | None:
    """The review as it is now; None where there is none."""
    forge, there = case.desk.forge, case.open
    if decision.word is decide.Word.CLOSE:
        _close(case, decision)
    elif decision.write_text:
        there = _write_text(case, decision, result)
    for other in case.found.others if decision.close_others else ():
        forge.close(other, comment=REPLACED, body=_closed(case, other))
    return there


def _close(case: Case, decision: decide.Decision) -> None:
    """First the review, then its branch: to delete that first would close it as people do."""
    desk, there = case.desk, case.open
    if there is not None:
        desk.forge.close(there, comment=OBSOLETE, body=_closed(case, there))
    if not decision.drop_branch or case.tips.branch is None:
        return
    try:
        review_branch.drop(desk.repo, desk.address, case.ref, case.tips.branch)
    except PushRaced:
        desk.world.warn(f"{branch_of(case.source)} has something new on {desk.remote}: it was not deleted")


def _write_text(case: Case, decision: decide.Decision, result: RunResult) -> Review:
    desk, there = case.desk, case.open
    told = as_told(case, result)
    text, title, labels = _text(case, decision, told), body.title(told), desk.settings.review.labels
    if there is not None:
        return desk.forge.update(there, title=title, body=text, labels=labels)
    return desk.forge.create(branch=branch_of(case.source), base=desk.base, title=title, body=text, labels=labels)


def _text(case: Case, decision: decide.Decision, told: RunResult) -> str:
    mark = _mark(case, decision, told)
    notes = []
    if decision.word is decide.Word.LEAVE_EDITED:
        notes = [body.EDITED if case.content else body.SETTLED]
    telling = body.Telling(
        result=replace(told, run=mark.run),
        marker=mark,
        origin=case.source.url,
        link=partial(case.desk.forge.file_url, branch_of(case.source)),
        notes=notes,
        excerpts=case.excerpts,
    )
    return body.body(telling, case.desk.forge.limits.body)


def _mark(case: Case, decision: decide.Decision, told: RunResult) -> marker.Marker:
    """What the branch stands for. As long as that is left alone, the marker is too, run and all: the text of a review
    that nothing happened to stays the same."""
    name, before = case.source.name, case.tips.branch or ""
    if decision.word is not decide.Word.LEAVE_EDITED:
        head = told.commit or before
        return marker.Marker(source=name, fingerprint=case.content, head=head, run=told.run)
    there = marker.find(case.open.body, name) if case.open else None
    stands_for = case.found.facts.branch or ""
    if there is not None and not there.settled and there.fingerprint == (stands_for or there.fingerprint):
        return there
    return marker.Marker(source=name, fingerprint=stands_for, head=before)


def _closed(case: Case, closing: Review) -> str:
    """The text of a review that we close ourselves: its marker says so, that it is never taken for a rejection."""
    mark = marker.find(closing.body, case.source.name)
    if mark is not None:
        return closing.body.replace(str(mark), str(replace(mark, settled=marker.OBSOLETE)))
    offered = [target.fingerprint for target in case.found.record if target.review == closing.number]
    content = offered[-1] if offered else case.found.facts.branch
    if not content:
        return closing.body
    mark = marker.Marker(source=case.source.name, fingerprint=content, settled=marker.OBSOLETE)
    return f"{mark}\n\n{marker.without(closing.body)}"
