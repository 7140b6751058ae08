"""The run of a source under review, and the gate in it: from the plan to the one word, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from git_okf import baseline, planning
from git_okf.baseline import Baseline
from git_okf.bundle import concept
from git_okf.delta import CONFLICT
from git_okf.model import Change, Delta, Observation, RunResult
from git_okf.review import body, decide, fingerprint, marker, targets
from git_okf.reviewing.case import Case
from git_okf.run import Run, Verdict
from git_okf.source import Spool
from git_okf.store.target import Target
from git_okf.sync import sync_source


def run(case: Case) -> RunResult:
    desk = case.desk
    onto = Target(ref=case.ref) if case.people else Target(ref=case.ref, base=case.tips.base, replaces=case.tips.branch)
    options = replace(desk.options, push=True, onto=onto, head_only=case.full and case.open is None)
    return sync_source(desk.repo, case.source, options, desk.world, gate=partial(_gate, case))


def _gate(case: Case, run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Spool) -> Verdict:
    at_base, case.delta = (base, plan) if not case.people else _from_base(case, run, seen, spool)
    case.content = fingerprint.of_delta(case.delta)
    has_it_all = bool(case.people) and not (plan.changes_content or plan.rerendered or _in_conflict(plan))
    here = case.content if has_it_all else case.standing_for
    case.decision = decide.decide(_facts(case, here, plan))
    if case.decision.write_text:
        case.excerpts = tuple(_excerpts(case, at_base, spool))
    return Verdict(write=case.decision.write_branch, why=case.decision.why, content=case.content)


def _from_base(case: Case, run: Run, seen: Observation, spool: Spool) -> tuple[Baseline, Delta]:
    """What the base is to get, whatever people did on the branch."""
    onto = Target(ref=case.ref, base=case.tips.base, replaces=case.tips.branch)
    at_base = baseline.read(run.repo, run.source, onto=onto)
    return at_base, planning.plan(run, at_base, seen, spool)


def _facts(case: Case, here: str | None, plan: Delta) -> decide.Facts:
    there = decide.People.NONE
    if case.people:
        there = decide.People.IN_THE_WAY if _in_conflict(plan) else decide.People.BELOW
    mark = marker.find(case.open.body, case.source.name) if case.open else None
    repo, tips = case.desk.repo, case.tips
    return decide.Facts(
        wanted=case.content,
        branch=here,
        behind=tips.branch is not None and not repo.is_ancestor(tips.base, tips.branch),
        people=there,
        open=case.open is not None,
        told=mark.fingerprint if mark else "",
        rejected=targets.rejected(case.targets),
        full=case.full,
        others=len(case.others),
    )


def _in_conflict(plan: Delta) -> bool:
    return any(item.outcome == CONFLICT for item in plan.retained)


def _excerpts(case: Case, base: Baseline, spool: Spool) -> Iterator[body.Excerpt]:
    for change in body.biggest(case.delta):
        old = case.desk.repo.entry(base.bundle_tree, change.path) if change.old else None
        yield body.Excerpt(
            path=change.path,
            old=_body(case.desk.repo.read(old[1])) if old else "",
            new=_new_text(change, spool),
        )


def _new_text(change: Change, spool: Spool) -> str:
    return _body(change.merged) if change.merged is not None else spool.get(change.new.content_hash)


def _body(data: bytes) -> str:
    try:
        return concept.body(data)
    except concept.NotAConcept:
        return ""
