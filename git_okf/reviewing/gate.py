"""The run of a source under review, and the gate in it: from the plan to the one word, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from git_okf import baseline, delta, guard, planning
from git_okf.baseline import Baseline
from git_okf.model import Change, Delta, Observation, Offer, RunResult, Trip
from git_okf.review import body, decide, fingerprint, marker, targets
from git_okf.reviewing import backlog, record, settling, uncertain
from git_okf.reviewing.case import Case, as_told, assess, branch_of, deleted_without_host
from git_okf.run import Run, Verdict
from git_okf.source import Spool
from git_okf.sync import limits, sync_source

CONCLUDED = frozenset({decide.Word.NOTHING, decide.Word.CLOSE, decide.Word.LEAVE_REJECTED})
"""Words after which nothing of what was seen waits to be taken."""


def run(case: Case) -> RunResult:
    desk = case.desk
    case.full = case.open is None and backlog.is_full(case)
    onto = case.as_it_is if case.found.people else case.anew
    options = replace(desk.options, push=True, onto=onto, head_only=case.looks_only)
    return sync_source(desk.repo, case.source, options, desk.world, gate=partial(_gate, case))


def _gate(case: Case, run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Spool) -> Verdict:
    case.overridden = _overridden(run, base, seen, plan)
    at_base, case.delta, written = _plans(case, run, base, seen, plan, spool)
    case.content = fingerprint.of_delta(case.delta)
    case.items = settling.waiting(case.source, case.delta)
    if case.branch is None and (again := _rejected(case, run, at_base, seen, spool)):
        case.content = again
    case.reviews = deleted_without_host(case) or case.reviews
    case.found = assess(case, case.content, full=case.open is None and backlog.is_full(case))
    facts = replace(case.found.facts, withheld=settling.withheld(case.source, seen))
    if case.found.people:
        in_the_way = any(item.outcome == delta.CONFLICT for item in plan.retained)
        facts = replace(facts, people=decide.People.IN_THE_WAY if in_the_way else decide.People.BELOW)
        if not (in_the_way or plan.changes_content or plan.rerendered):
            facts = replace(facts, branch=case.content)
    if case.open is not None and body.says(case.open.body, (body.EDITED, body.SETTLED)):
        facts = replace(facts, told="")  # what it says of the branch is to be said anew, once it is no longer so
    case.decision = decide.decide(facts)
    if case.decision.write_text:
        case.excerpts = tuple(_excerpts(case, at_base, spool))
    writes = case.decision.write_branch
    return Verdict(
        write=writes,
        why=case.decision.why,
        concluded=case.decision.word in CONCLUDED,
        content=case.content,
        plan=written,
        targets=targets.dump(record.offered(case)),
        offer=_offer(case, run.result(at_base, seen, case.delta, word="", exit_code=0)) if writes else None,
    )


def _offer(case: Case, result: RunResult) -> Offer | None:
    """What the push says of the content, where the host hears nothing else."""
    told, desk = as_told(case, result), case.desk
    mark = marker.Marker(source=case.source.name, fingerprint=case.content, run=told.run)
    text = body.brief(body.Telling(result=told, marker=mark, origin=case.source.url))
    name, labels = branch_of(case.source), desk.settings.review.labels
    return desk.forge.offer(branch=name, base=desk.base, title=body.title(told), body=text, labels=labels)


def _overridden(run: Run, base: Baseline, seen: Observation, plan: Delta) -> Trip | None:
    """The guard that would have refused the plan, had nobody overridden it."""
    if not run.options.overrides:
        return None
    strict = replace(limits(run), allowed=frozenset())
    return guard.check(base.known, seen, plan, delta.found(seen), strict)


def _plans(
    case: Case, run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Spool
) -> tuple[Baseline, Delta, Delta]:
    """What the base holds; what it is to get, whatever people did on the branch; and what is to be written."""
    if case.found.people:
        at_base = baseline.read(run.repo, run.source, onto=case.anew)
        there = uncertain.Branch(records=base.pages, bundle_tree=base.bundle_tree, asked=True)
        from_base = planning.plan(run, at_base, seen, spool)
        return at_base, uncertain.plan(run, at_base, seen, spool, from_base, there), plan
    if case.tips.branch is None:
        return base, plan, plan
    branch = baseline.read(run.repo, run.source, onto=replace(case.anew, base=case.tips.branch))
    there = uncertain.Branch(records=branch.pages, bundle_tree=branch.bundle_tree)
    plan = uncertain.plan(run, base, seen, spool, plan, there)
    return base, plan, plan


def _rejected(case: Case, run: Run, base: Baseline, seen: Observation, spool: Spool) -> str:
    """The rejected content that this still is, as far as anything is certain, though its branch is gone; else ""."""
    if base.state is None or not targets.rejected(case.found.record):
        return ""
    there = uncertain.Branch(records=uncertain.pages(base.state.records), bundle_tree=None)
    content = fingerprint.of_delta(uncertain.plan(run, base, seen, spool, case.delta, there))
    return content if content in targets.rejected(case.found.record) else ""


def _excerpts(case: Case, base: Baseline, spool: Spool) -> Iterator[body.Excerpt]:
    for change in body.biggest(case.delta):
        old = case.desk.repo.entry(base.bundle_tree, change.path) if change.old else None
        yield body.Excerpt(
            path=change.path,
            old=uncertain.text(case.desk.repo.read(old[1])) if old else "",
            new=_new_text(change, spool),
        )


def _new_text(change: Change, spool: Spool) -> str:
    return uncertain.text(change.merged) if change.merged is not None else spool.get(change.new.content_hash)
