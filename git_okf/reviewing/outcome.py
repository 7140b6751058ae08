"""What was decided, done on the host; and what became of each content, told in the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from git_okf import memory, report, standing
from git_okf.model import RunResult
from git_okf.review import body, decide, fingerprint, marker, targets
from git_okf.review.forge import Forge, Issue, Review
from git_okf.reviewing.case import Case
from git_okf.store import review_branch
from git_okf.store import state as states
from git_okf.store.target import Target

ISSUE_LABEL = "okf-guard"
OBSOLETE = "The base has all of this now, or the source took it back. Closed by git-okf."
PASSED = "The sync of {name} passes its guards again."


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
    """Do what was decided, tell the issue about the guard, and remember it all."""
    if case.desk.report_issue:
        _tell_issue(case, result)
    decision = case.decision or _looked(case, result)
    if decision is None:
        return Reviewed(result=result, branch=case.branch)
    if result.error is not None:
        return Reviewed(result=result, word=decision.word, why=decision.why, branch=case.branch)
    done = _done(case, decision, result)
    for other in case.others if decision.close_others else ():
        case.desk.forge.close(other, comment=OBSOLETE, body=_closed(case, other))
    held = decision.word is decide.Word.LEAVE_BACKLOG
    _remember(case, _told_targets(case, decision, done, result), held=held)
    return Reviewed(
        result=result,
        word=decision.word,
        why=decision.why,
        branch=case.branch,
        content=case.content,
        number=done.number if done else 0,
        url=done.url if done else "",
        hints=tuple(case.desk.forge.hints(done)) if done and decision.word is decide.Word.CREATE else (),
    )


def _looked(case: Case, result: RunResult) -> decide.Decision | None:
    """A run that looked only never comes to the gate."""
    if result.error is not None or not (case.full and case.open is None):
        return None
    return decide.decide(decide.Facts(wanted=None))


def _done(case: Case, decision: decide.Decision, result: RunResult) -> Review | None:
    forge, there = case.desk.forge, case.open
    if decision.word is decide.Word.CLOSE:
        if there is not None:
            forge.close(there, comment=OBSOLETE, body=_closed(case, there))
        if decision.drop_branch and case.tips.branch is not None:
            review_branch.drop(case.desk.repo, case.desk.remote, case.ref, case.tips.branch)
        return there
    if not decision.write_text:
        return there
    told = replace(result, delta=case.delta, subject=report.headline(case.delta, case.source.name), branch=case.branch)
    head = result.commit or case.tips.branch or ""
    mark = marker.Marker(source=case.source.name, fingerprint=case.content, head=head, run=result.run)
    text = _text(case, decision, told, mark)
    labels = case.desk.settings.review.labels
    title = body.title(told)
    if there is not None:
        return forge.update(there, title=title, body=text, labels=labels)
    return forge.create(branch=case.branch, base=case.desk.base, title=title, body=text, labels=labels)


def _text(case: Case, decision: decide.Decision, told: RunResult, mark: marker.Marker) -> str:
    notes = []
    if decision.word is decide.Word.LEAVE_EDITED:
        notes = [body.EDITED if case.content else body.SETTLED]
    telling = body.Telling(
        result=told,
        marker=mark,
        origin=case.source.url,
        link=partial(case.desk.forge.file_url, case.branch),
        notes=notes,
        excerpts=case.excerpts,
    )
    return body.body(telling, case.desk.forge.limits.body)


def _closed(case: Case, closing: Review) -> str:
    """The text of a review that we close ourselves: its marker says so, that it is never taken for a rejection."""
    mark = marker.find(closing.body, case.source.name)
    if mark is None:
        return closing.body
    return closing.body.replace(str(mark), str(replace(mark, settled=marker.OBSOLETE)))


def _told_targets(case: Case, decision: decide.Decision, done: Review | None, result: RunResult) -> targets.Targets:
    now = memory.stamp(case.desk.world.clock())
    if decision.word is decide.Word.CLOSE:
        return targets.settled(case.targets, targets.State.SUPERSEDED, now)
    if decision.word is decide.Word.NOTHING and not case.content:
        return targets.settled(case.targets, targets.State.APPROVED, now)
    if decision.word not in (decide.Word.CREATE, decide.Word.UPDATE) or done is None:
        return case.targets
    pending = targets.pending(case.targets)
    if pending is not None and (pending.fingerprint, pending.review) == (case.content, done.number):
        return case.targets
    new = targets.Target(
        fingerprint=case.content,
        state=targets.State.PENDING,
        review=done.number,
        url=done.url,
        head=result.commit or case.tips.branch or "",
        since=now,
    )
    return targets.offered(case.targets, new)


def _remember(case: Case, found: targets.Targets, *, held: bool) -> None:
    """Targets and backlog as the state will tell them, where that is something new."""
    state = states.facts(case.desk.repo, case.source.name)
    told: list[Mapping[str, object]] = list(targets.dump(found))
    if state is not None and (list(state.targets), bool(state.held)) == (told, held):
        return
    if state is None and not told and not held:
        return

    def after(before: states.State, when: object) -> states.State:
        since = before.held or memory.stamp(case.desk.world.clock()) if held else ""
        return replace(before, targets=tuple(told), held=since)

    options = replace(case.desk.options, push=True, onto=Target(ref=case.ref))
    standing.remember(case.desk.repo, case.source, options, case.desk.world, after, "reviewed")


# --- the issue about a guard ---


def _tell_issue(case: Case, result: RunResult) -> None:
    """One issue for as long as a guard stops the sync, closed by the first run that passes."""
    forge, name = case.desk.forge, case.source.name
    there = _issue(forge, name)
    if result.guard is not None and result.error is not None:
        mark = marker.Marker(source=name, fingerprint=fingerprint.of({result.guard.name: result.error.message}))
        text = body.issue_body(body.Telling(result=result, marker=mark, origin=case.source.url), forge.limits.body)
        if there is None:
            forge.open_issue(title=body.issue_title(result), body=text, label=ISSUE_LABEL)
        else:
            forge.update_issue(there, title=body.issue_title(result), body=text)
    elif result.error is None and there is not None:
        forge.close_issue(there, comment=PASSED.format(name=name))


def _issue(forge: Forge, name: str) -> Issue | None:
    found = (issue for issue in forge.issues(ISSUE_LABEL) if issue.open and marker.find(issue.body, name))
    return next(found, None)
